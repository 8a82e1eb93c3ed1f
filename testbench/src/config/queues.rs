//! Queue pairs with queues in the host's memory, as a NIC's configuration file gives them: their own settings, their receives, and their work.

use super::queue_sections::{QueueSection, ReceiveSection};
use super::sections::{OperationName, QpSection, RemoteAccess, WorkSection};
use hpcc_models::nic::queues::{
    Attributes, Data, MemoryRegion, Path, QpRights, ReceiveEntry, Segment, SendEntry, SendOpcode, SEND_FENCE,
    SEND_SIGNALED, SEND_SOLICITED,
};
use hpcc_models::nic::QpConfig;
use std::collections::BTreeMap;

/// Bytes of the operands of an atomic operation.
const ATOMIC_LEN: u64 = 8;
/// Rings lie in this address space (the upper 16 bits of an address), which no region may reach.
pub const RING_SPACE: u64 = 0xffff << 48;

/// A queue pair with queues: what its moves from INIT to RTR and from there to RTS set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedPair {
    /// Own number.
    pub qpn: u32,
    /// Protection domain.
    pub domain: u16,
    /// What the peer may do, set by the move from RESET to INIT.
    pub rights: Attributes,
    /// To RTR.
    pub receiving: Attributes,
    /// To RTS.
    pub sending: Attributes,
}

/// A receive and when it is posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedReceive {
    /// When, ns.
    pub at_ns: u64,
    /// Queue pair.
    pub qpn: u32,
    /// The receive; numbered in the order of the file.
    pub entry: ReceiveEntry,
}

/// All of a configuration that concerns queue pairs with queues.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueSetup {
    /// Queue pairs.
    pub pairs: Vec<QueuedPair>,
    /// Rights of all regions, those included that only queue pairs with queues use.
    pub regions: Vec<MemoryRegion>,
    /// Work requests of such queue pairs by their numbers.
    pub work: BTreeMap<u64, SendEntry>,
    /// Receives, earliest first.
    pub receives: Vec<TimedReceive>,
}

impl QueuedPair {
    pub(super) fn new(qp: &QpConfig, section: &QueueSection) -> Result<Self, String> {
        let within = |name: &str, value: u8, most: u8| match value <= most {
            true => Ok(Some(value)),
            false => Err(format!("queues: {name} = {value} is not in 0 to {most}")),
        };
        Ok(Self {
            qpn: qp.qpn,
            domain: qp.domain,
            rights: Attributes {
                rights: Some(QpRights {
                    remote_write: !qp.refuse_write,
                    remote_read: !qp.refuse_read,
                    ..QpRights::ALL
                }),
                ..Attributes::default()
            },
            receiving: Attributes {
                path: Some(Path {
                    priority: qp.priority,
                    udp_port: qp.udp_port,
                    int: qp.int,
                    law: qp.law,
                    ..Path::plain(qp.remote_ip)
                }),
                mtu: Some(qp.mtu),
                remote_qpn: Some(qp.remote_qpn),
                expected_psn: Some(qp.expected_psn),
                responder_reads: within("responder_reads", section.responder_reads, 100)?,
                rnr_timer: within("rnr_timer", section.rnr_timer, 31)?,
                ..Attributes::default()
            },
            sending: Attributes {
                timeout: within("timeout", section.timeout, 31)?,
                retry_limit: within("retry_limit", section.retry_limit, 7)?,
                rnr_retry: within("rnr_retry", section.rnr_retry, 7)?,
                send_psn: Some(qp.send_psn),
                max_rd_atomic: within("max_rd_atomic", section.max_rd_atomic, 16)?,
                ..Attributes::default()
            },
        })
    }
}

impl QueueSetup {
    /// The queue pair has queues.
    pub fn has(&self, qpn: u32) -> bool {
        self.pairs.iter().any(|pair| pair.qpn == qpn)
    }

    pub(super) fn add_pair(&mut self, qp: &QpConfig, section: &QpSection) -> Result<(), String> {
        if let Some(queues) = &section.queues {
            self.pairs.push(QueuedPair::new(qp, queues)?);
        }
        Ok(())
    }

    /// Adds a region; `allows` says which accesses its section names.
    pub(super) fn add_region(&mut self, region: &MemoryRegion, allows: impl Fn(RemoteAccess) -> bool) {
        let mut whole = *region;
        whole.rights.remote_atomic = allows(RemoteAccess::RemoteAtomic);
        whole.rights.invalidate = allows(RemoteAccess::Invalidate);
        self.regions.push(whole);
    }

    /// Adds the receives of a section.
    pub(super) fn add_receives(&mut self, section: &ReceiveSection) -> Result<(), String> {
        if !self.has(section.qp) {
            return Err(format!("qp: there is no [[qp]] 0x{:x} with queues", section.qp));
        }
        for index in 0..section.count {
            let offset = u64::from(index) * u64::from(section.length);
            let entry = ReceiveEntry {
                work: self.receives.len() as u64,
                segments: vec![Segment {
                    address: section.local_address.wrapping_add(offset),
                    length: section.length,
                    key: section.local_key,
                }],
            };
            self.receives.push(TimedReceive {
                at_ns: section.at_ns,
                qpn: section.qp,
                entry,
            });
        }
        Ok(())
    }

    /// Keeps a work request of a queue pair with queues; refuses what only such a queue pair can do of any other.
    pub(super) fn add_work(&mut self, id: u64, section: &WorkSection) -> Result<(), String> {
        let opcode = section.op.opcode();
        if !self.has(section.qp) {
            let plain = matches!(section.op, OperationName::Write | OperationName::Read);
            return match plain && !section.fence && !section.solicited && section.extras().is_empty() {
                true => Ok(()),
                false => Err(format!("qp: 0x{:x} needs queues = {{}} for this", section.qp)),
            };
        }
        let wanted: &[&str] = match opcode {
            SendOpcode::WriteImmediate | SendOpcode::SendImmediate => &["immediate"],
            SendOpcode::SendInvalidate => &["invalidate"],
            SendOpcode::CompareSwap => &["compare", "swap"],
            SendOpcode::FetchAdd => &["add"],
            SendOpcode::Write | SendOpcode::Send | SendOpcode::Read => &[],
        };
        let given = section.extras();
        if let Some(missing) = wanted.iter().find(|name| !given.contains(name)) {
            return Err(format!("{missing}: missing for op = \"{}\"", opcode.name()));
        }
        if let Some(odd) = given.iter().find(|name| !wanted.contains(name)) {
            return Err(format!("{odd}: not for op = \"{}\"", opcode.name()));
        }
        if opcode.is_atomic() && section.length != ATOMIC_LEN {
            return Err(format!("length: {} is not {ATOMIC_LEN}", section.length));
        }
        let Ok(length) = u32::try_from(section.length) else {
            return Err(format!("length: {} is more than 32 bits", section.length));
        };
        let flag = |set: bool, flag: u8| if set { flag } else { 0 };
        let entry = SendEntry {
            work: id,
            opcode,
            flags: SEND_SIGNALED | flag(section.fence, SEND_FENCE) | flag(section.solicited, SEND_SOLICITED),
            remote_address: section.remote_address,
            remote_key: section.remote_key,
            immediate: section.immediate.or(section.invalidate).unwrap_or(0).to_be_bytes(),
            data: Data::Segments(vec![Segment {
                address: section.local_address,
                length,
                key: section.local_key,
            }]),
            operands: match opcode {
                SendOpcode::CompareSwap => [section.compare.unwrap_or(0), section.swap.unwrap_or(0)],
                _ => [section.add.unwrap_or(0), 0],
            },
        };
        self.work.insert(id, entry);
        Ok(())
    }
}

impl OperationName {
    fn opcode(self) -> SendOpcode {
        match self {
            Self::Write => SendOpcode::Write,
            Self::Read => SendOpcode::Read,
            Self::WriteImmediate => SendOpcode::WriteImmediate,
            Self::Send => SendOpcode::Send,
            Self::SendImmediate => SendOpcode::SendImmediate,
            Self::SendInvalidate => SendOpcode::SendInvalidate,
            Self::CompareSwap => SendOpcode::CompareSwap,
            Self::FetchAdd => SendOpcode::FetchAdd,
        }
    }
}

impl WorkSection {
    /// Names of the fields given that only some operations have.
    fn extras(&self) -> Vec<&'static str> {
        let all = [
            ("immediate", self.immediate.is_some()),
            ("invalidate", self.invalidate.is_some()),
            ("compare", self.compare.is_some()),
            ("swap", self.swap.is_some()),
            ("add", self.add.is_some()),
        ];
        all.into_iter()
            .filter_map(|(name, given)| given.then_some(name))
            .collect()
    }
}
