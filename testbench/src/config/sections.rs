//! Tables of one NIC's configuration file, as they stand there.

use super::limits::{ControlSection, LevelSection};
use super::queue_sections::{QueueSection, ReceiveSection};
use super::registers::{Mac, NicSection};
use hpcc_models::nic::Operation;
use serde::Deserialize;
use std::net::Ipv4Addr;
use toml::Spanned;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Neighbour {
    pub(super) ip: Ipv4Addr,
    pub(super) mac: Mac,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QpSection {
    pub(super) qpn: u32,
    pub(super) remote_qpn: u32,
    pub(super) remote_ip: Ipv4Addr,
    pub(super) send_psn: u32,
    pub(super) expected_psn: u32,
    #[serde(default)]
    pub(super) int: bool,
    pub(super) law: Option<String>,
    pub(super) mtu: Option<u32>,
    #[serde(default)]
    pub(super) priority: u8,
    #[serde(default)]
    pub(super) udp_port: u16,
    #[serde(default)]
    pub(super) domain: u16,
    #[serde(default)]
    pub(super) refuse: Vec<RefusedName>,
    pub(super) group: Option<usize>,
    pub(super) cap_gbps: Option<f64>,
    pub(super) queues: Option<QueueSection>,
}

/// Requests of the peer that a queue pair refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RefusedName {
    Write,
    Read,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RemoteAccess {
    RemoteWrite,
    RemoteRead,
    RemoteAtomic,
    Invalidate,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MemorySection {
    pub(super) key: u32,
    pub(super) address: u64,
    pub(super) length: u64,
    #[serde(default)]
    pub(super) access: Vec<RemoteAccess>,
    #[serde(default)]
    pub(super) read_only: bool,
    #[serde(default)]
    pub(super) domain: u16,
    #[serde(default)]
    pub(super) offset: u64,
    #[serde(default = "zero")]
    pub(super) init: String,
}

fn zero() -> String {
    "zero".to_owned()
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum OperationName {
    Write,
    Read,
    WriteImmediate,
    Send,
    SendImmediate,
    SendInvalidate,
    CompareSwap,
    FetchAdd,
}

impl OperationName {
    pub(super) fn operation(self) -> Operation {
        match self {
            Self::Write => Operation::Write,
            Self::Read => Operation::Read,
            Self::WriteImmediate => Operation::WriteImmediate,
            Self::Send => Operation::Send,
            Self::SendImmediate => Operation::SendImmediate,
            Self::SendInvalidate => Operation::SendInvalidate,
            Self::CompareSwap => Operation::CompareSwap,
            Self::FetchAdd => Operation::FetchAdd,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkSection {
    pub(super) qp: u32,
    pub(super) op: OperationName,
    pub(super) local_address: u64,
    pub(super) local_key: u32,
    #[serde(default)]
    pub(super) remote_address: u64,
    #[serde(default)]
    pub(super) remote_key: u32,
    pub(super) length: u64,
    #[serde(default)]
    pub(super) at_ns: u64,
    pub(super) immediate: Option<u32>,
    pub(super) invalidate: Option<u32>,
    pub(super) compare: Option<u64>,
    pub(super) swap: Option<u64>,
    pub(super) add: Option<u64>,
    #[serde(default)]
    pub(super) fence: bool,
    #[serde(default)]
    pub(super) solicited: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) nic: Spanned<NicSection>,
    #[serde(default)]
    pub(super) neighbour: Vec<Neighbour>,
    #[serde(default)]
    pub(super) qp: Vec<Spanned<QpSection>>,
    #[serde(default)]
    pub(super) memory: Vec<Spanned<MemorySection>>,
    #[serde(default)]
    pub(super) receive: Vec<Spanned<ReceiveSection>>,
    #[serde(default)]
    pub(super) work: Vec<Spanned<WorkSection>>,
    #[serde(default)]
    pub(super) level: Vec<Spanned<LevelSection>>,
    pub(super) cap_control: Option<Spanned<ControlSection>>,
}
