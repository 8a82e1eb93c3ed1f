//! The `[nic]` table of a NIC's configuration: registers by name, each in the unit of its name.

use super::model::law_code;
use hpcc_models::nic::{ControlConfig, NicConfig, CNP_UNIT_BITS};
use hpcc_models::wire::MacAddr;
use serde::Deserialize;
use std::net::Ipv4Addr;

/// Base round-trip time `T` when the file gives none: that of the paper's fat tree.
const BASE_RTT_US: f64 = 13.0;

/// An Ethernet address as text.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Mac(pub MacAddr);

impl TryFrom<String> for Mac {
    type Error = hpcc_models::wire::ParseMacError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

/// Registers; what is absent keeps its reset value.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NicSection {
    mac: Mac,
    ip: Ipv4Addr,
    mtu: Option<u32>,
    line_rate_gbps: Option<f64>,
    qp_count: Option<u32>,
    port_roce: Option<u16>,
    port_int: Option<u16>,
    port_int_echo: Option<u16>,
    port_control: Option<u16>,
    pkey: Option<u16>,
    dscp: Option<u8>,
    ecn: Option<u8>,
    cnp_enabled: Option<bool>,
    echo_icrc_full: Option<bool>,
    cnp_dscp: Option<u8>,
    cnp_interval_us: Option<f64>,
    ttl: Option<u8>,
    retry_timeout_us: Option<f64>,
    retry_limit: Option<u32>,
    rnr_retry: Option<u32>,
    ack_req_interval: Option<u32>,
    max_rd_atomic: Option<u32>,
    responder_reads: Option<u32>,
    psn_span: Option<u32>,
    base_rtt_us: Option<f64>,
    window_bytes: Option<f64>,
    rate_gbps: Option<f64>,
    speed_table_gbps: Option<[u16; 16]>,
    ack_priority: Option<u8>,
    ack_pause: Option<bool>,
    control_enabled: Option<bool>,
    control_key: Option<u64>,
    control_sources: Option<Vec<Ipv4Addr>>,
    control_interval_us: Option<f64>,
    law: Option<String>,
}

/// `value` if it is in the range, in the words of a configuration error otherwise.
fn within<T: PartialOrd + std::fmt::Display>(name: &str, value: T, low: T, high: T) -> Result<T, String> {
    if value >= low && value <= high {
        Ok(value)
    } else {
        Err(format!("{name}: {value} is not in {low} to {high}"))
    }
}

impl NicSection {
    /// Base round-trip time, ns, once [`Self::registers`] has found it in range.
    pub(super) fn base_rtt_ns(&self) -> u32 {
        (self.base_rtt_us.unwrap_or(BASE_RTT_US) * 1e3).round() as u32
    }

    /// Whether the file says how often an acknowledgement is asked for.
    pub(super) fn chooses_ack_req_interval(&self) -> bool {
        self.ack_req_interval.is_some()
    }

    /// The registers, or the first fault: field and what was expected.
    pub(super) fn registers(&self) -> Result<NicConfig, String> {
        let mut nic = NicConfig {
            mac: self.mac.0,
            ip: self.ip,
            ..NicConfig::default()
        };
        macro_rules! take {
            ($($field:ident in $low:expr, $high:expr => $target:expr;)*) => {
                $(if let Some(value) = self.$field {
                    $target = within(stringify!($field), value, $low, $high)?;
                })*
            };
        }
        take! {
            mtu in 256, 4096 => nic.mtu;
            qp_count in 3, 1 << 23 => nic.qp_count;
            port_roce in 1, u16::MAX => nic.ports.roce;
            port_int in 1, u16::MAX => nic.ports.int_collect;
            port_int_echo in 1, u16::MAX => nic.ports.int_echo;
            port_control in 1, u16::MAX => nic.ports.control;
            pkey in 0, u16::MAX => nic.pkey;
            dscp in 0, 63 => nic.dscp;
            ecn in 0, 2 => nic.ecn;
            cnp_dscp in 0, 63 => nic.cnp.dscp;
            ttl in 1, u8::MAX => nic.ttl;
            retry_limit in 0, 255 => nic.retry_limit;
            rnr_retry in 0, 7 => nic.rnr_retry;
            ack_req_interval in 1, 1 << 16 => nic.ack_req_interval;
            max_rd_atomic in 1, 255 => nic.max_rd_atomic;
            responder_reads in 1, 255 => nic.responder_reads;
            psn_span in 1, 1 << 22 => nic.psn_span;
            ack_priority in 0, 7 => nic.ack_priority;
        }
        if !nic.mtu.is_power_of_two() {
            return Err(format!("mtu: {} is not 256, 512, 1024, 2048 or 4096", nic.mtu));
        }
        if let Some(gbps) = self.line_rate_gbps {
            nic.line_rate_bps = within("line_rate_gbps", gbps, 0.1, 800.0)? * 1e9;
        }
        // W_init = line rate x T, unless a register says otherwise.
        let base_rtt_us = within("base_rtt_us", self.base_rtt_us.unwrap_or(BASE_RTT_US), 1.0, 100.0)?;
        nic.window = match self.window_bytes {
            Some(bytes) => within("window_bytes", bytes, 1.0, 16_777_216.0)?,
            None => nic.line_rate_bps * base_rtt_us * 1e-6 / 8.0,
        };
        if let Some(gbps) = self.rate_gbps {
            nic.rate_bps = within("rate_gbps", gbps, 0.001, 800.0)? * 1e9;
        }
        if let Some(us) = self.retry_timeout_us {
            nic.retry_timeout_ns = (within("retry_timeout_us", us, 1.0, 1e9)? * 1e3).round() as u64;
        }
        if let Some(us) = self.cnp_interval_us {
            let units = within("cnp_interval_us", us, 0.0, 1e7)? * 1e3 / f64::from(1 << CNP_UNIT_BITS);
            nic.cnp.interval = units.ceil() as u32;
        }
        nic.echo_icrc_full = self.echo_icrc_full.unwrap_or(nic.echo_icrc_full);
        nic.cnp.enabled = self.cnp_enabled.unwrap_or(nic.cnp.enabled);
        nic.speed_table = self.speed_table_gbps.unwrap_or(nic.speed_table);
        if let Some(name) = &self.law {
            nic.default_law = law_code(name).map_err(|what| format!("law: {what}"))?;
        }
        nic.ack_pause = self.ack_pause.unwrap_or(nic.ack_pause);
        nic.control = ControlConfig {
            enabled: self.control_enabled.unwrap_or(false),
            key: self.control_key.unwrap_or(0),
            sources: self.control_sources.clone().unwrap_or_default(),
            interval_ns: match self.control_interval_us {
                Some(us) => (within("control_interval_us", us, 0.0, 1e9)? * 1e3).round() as u64,
                None => 0,
            },
        };
        Ok(nic)
    }
}
