//! Registers of the NIC model.

use super::feedback_config::{FeedbackConfig, FormatConfig, SamplingConfig};
use super::pacing::PS_PER_NS;
use crate::cc::{Carrier, ProbeRule};
use crate::wire::telemetry::{Encapsulation, TelemetryPorts};
use crate::wire::{MacAddr, Opcode, Ports, PKEY_DEFAULT};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

/// Registers that admit control packets from the network. Off by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlConfig {
    /// Control packets are looked at.
    pub enabled: bool,
    /// Shared secret.
    pub key: u64,
    /// Addresses they may come from.
    pub sources: Vec<Ipv4Addr>,
    /// Least time between two accepted ones, ns.
    pub interval_ns: u64,
}

/// Bits of nanoseconds in a unit of [`CnpConfig::interval`]: 1.024 us.
pub const CNP_UNIT_BITS: u32 = 10;

/// Registers of the notification point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CnpConfig {
    /// Marks are answered.
    pub enabled: bool,
    /// Differentiated services code point of notifications, 6 bits.
    pub dscp: u8,
    /// Least time between two notifications of a queue pair and direction, units of 1.024 us, 24 bits.
    pub interval: u32,
}

impl Default for CnpConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            dscp: 48,
            interval: 49,
        }
    }
}

/// Registers of probes (HPCC++, draft-miao-ccwg-hpcc 6.2.1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeConfig {
    /// Least time between two probes of a flow, ns: `T`.
    pub interval_ns: u32,
    /// A probe that has not been answered for this long no longer holds back the next, ns.
    pub timeout_ns: u32,
    /// Least number of data packets between two of a flow, 1 to 255.
    pub packets: u8,
}

impl ProbeConfig {
    /// At most one every `interval_ns`, with the usual timeout.
    pub fn every(interval_ns: u32) -> Self {
        let timeout_ps = ProbeRule::usual_timeout_ps(u64::from(interval_ns) * PS_PER_NS);
        Self {
            interval_ns,
            timeout_ns: u32::try_from(timeout_ps / PS_PER_NS).unwrap_or(u32::MAX),
            packets: 1,
        }
    }

    /// The same for the rule that the network's hosts have too.
    pub fn rule(&self) -> ProbeRule {
        ProbeRule {
            interval_ps: u64::from(self.interval_ns) * PS_PER_NS,
            packets: self.packets.into(),
            timeout_ps: u64::from(self.timeout_ns) * PS_PER_NS,
        }
    }
}

/// Registers of one NIC. Defaults are the reset values.
#[derive(Clone, Debug, PartialEq)]
pub struct NicConfig {
    /// Own Ethernet address.
    pub mac: MacAddr,
    /// Own IPv4 address.
    pub ip: Ipv4Addr,
    /// Path MTU of queue pairs that control packets create, bytes of payload.
    pub mtu: u32,
    /// Rate of the port, bits per second.
    pub line_rate_bps: f64,
    /// Queue pairs at most, and two; control packets name those of numbers 2 to this, exclusive.
    pub qp_count: u32,
    /// UDP destination ports.
    pub ports: Ports,
    /// Partition key; the low 15 bits of a packet's must match.
    pub pkey: u16,
    /// Differentiated services code point of everything sent, 6 bits; switches stamp INT under this one only.
    pub dscp: u8,
    /// ECN field of requests and READ responses of queue pairs without INT, 2 bits: 0 not capable, 2 or 1 capable. Switches mark capable packets
    /// only.
    pub ecn: u8,
    /// Notification point.
    pub cnp: CnpConfig,
    /// Time to live of everything sent.
    pub ttl: u8,
    /// Ethernet addresses of peers.
    pub neighbours: BTreeMap<Ipv4Addr, MacAddr>,
    /// Time without progress after which a flow goes back to its oldest unacknowledged packet, ns.
    pub retry_timeout_ns: u64,
    /// Timeouts without progress after which a flow ends.
    pub retry_limit: u32,
    /// Waits for a receiver that is not ready, without progress between them, after which a flow ends, 0 to 7; 7: it never does.
    pub rnr_retry: u32,
    /// Packets at most from one acknowledge request to the next.
    pub ack_req_interval: u32,
    /// The last of every 2^n packet numbers of a queue pair's requests is timed, for laws that measure round trips; n at most 15. `None`: none is.
    pub send_times: Option<u8>,
    /// READ requests that a requester keeps outstanding.
    pub max_rd_atomic: u32,
    /// READ requests that a responder queues per QP.
    pub responder_reads: u32,
    /// Packet numbers outstanding at most, READ ranges counted; also the longest READ request in packets.
    pub psn_span: u32,
    /// Messages queued per QP at most.
    pub message_queue: usize,
    /// Acknowledgements and negative ones waiting at most, over all QPs; one more drops its data packet.
    pub ack_queue: usize,
    /// First window of a flow, and the window of a plain one, payload bytes.
    pub window: f64,
    /// First rate of a flow, and the rate of a plain one, bits per second of wire bytes; 0 is the line rate.
    pub rate_bps: f64,
    /// Port speeds in Gb/s by INT code; 0 is not valid.
    pub speed_table: [u16; 16],
    /// 802.1p priority of acknowledgements, for pause.
    pub ack_priority: u8,
    /// The ICRC of acknowledgements and echoes covers their INT (HPCC++, `ECHO_ICRC_FULL`). Both ends of a queue pair have to agree.
    pub echo_icrc_full: bool,
    /// Keys of queue pairs whose acknowledgements and echoes carry a keyed check, by own number (low half first); those without it are dropped as
    /// with a wrong ICRC. The peer has the same key. The hardware has no such table.
    pub echo_keys: BTreeMap<u32, [u64; 2]>,
    /// Pause of the acknowledgements' priority stops them too.
    pub ack_pause: bool,
    /// Probes collect INT for the requests of queue pairs with INT, whose data then collect none; READ responses collect as ever. `None`: no probes.
    pub probes: Option<ProbeConfig>,
    /// Code point of requests that collect no INT because probes or other requests do, 6 bits: one that switches do not stamp, in the same queue as
    /// the other.
    pub dscp_unstamped: u8,
    /// Only some requests of queue pairs with INT collect it. `None`: all do, unless probes do.
    pub sampling: Option<SamplingConfig>,
    /// What brings INT of requests back.
    pub feedback: FeedbackConfig,
    /// Format of INT.
    pub format: FormatConfig,
    /// Control packets.
    pub control: ControlConfig,
    /// Law of queue pairs that collect INT and do not say otherwise, and of those that control packets create: its code in
    /// [`crate::fixed::LAWS`], 0 for none.
    pub default_law: u8,
}

impl Default for NicConfig {
    fn default() -> Self {
        let mut speed_table = [0; 16];
        speed_table[1..9].copy_from_slice(&[10, 25, 40, 50, 100, 200, 400, 800]);
        Self {
            mac: MacAddr::default(),
            ip: Ipv4Addr::UNSPECIFIED,
            mtu: 1024,
            line_rate_bps: 100e9,
            qp_count: 300,
            ports: Ports::default(),
            pkey: PKEY_DEFAULT,
            dscp: 26,
            ecn: 0,
            cnp: CnpConfig::default(),
            ttl: 64,
            neighbours: BTreeMap::new(),
            retry_timeout_ns: 4_000_000,
            retry_limit: 7,
            rnr_retry: 7,
            ack_req_interval: 16,
            send_times: None,
            max_rd_atomic: 16,
            responder_reads: 16,
            psn_span: 1 << 22,
            message_queue: 1024,
            ack_queue: 1024,
            // Line rate times 13 us, the base round trip of the paper's fat tree.
            window: 162_500.0,
            rate_bps: 0.0,
            speed_table,
            ack_priority: 7,
            echo_icrc_full: false,
            echo_keys: BTreeMap::new(),
            ack_pause: false,
            probes: None,
            dscp_unstamped: 10,
            sampling: None,
            feedback: FeedbackConfig::default(),
            format: FormatConfig::default(),
            control: ControlConfig::default(),
            default_law: 1,
        }
    }
}

impl NicConfig {
    /// First rate of a flow, bits per second.
    pub fn initial_rate_bps(&self) -> f64 {
        if self.rate_bps > 0.0 {
            self.rate_bps
        } else {
            self.line_rate_bps
        }
    }

    /// Every request of a queue pair with INT collects it and brings it back on its acknowledgement, in Fig. 7's form: an empty stack means a path
    /// without switches. Otherwise it means that nothing was collected.
    pub(super) fn empty_stack_counts(&self) -> bool {
        self.probes.is_none()
            && self.sampling.is_none_or(|sampling| sampling.every <= 1)
            && self.feedback.carrier == Carrier::Ack
            && !self.translates()
    }

    /// INT is collected in another form than Fig. 7's.
    pub(super) fn translates(&self) -> bool {
        self.format.encapsulation != Encapsulation::Fig7
    }

    /// Packets of this opcode are looked at; notifications that are switched off are as undefined as they are to the hardware.
    pub(super) fn knows(&self, opcode: Opcode) -> bool {
        match opcode {
            Opcode::Notification => self.feedback.at_receiver() || self.feedback.count_flows,
            Opcode::NotificationAck => {
                self.feedback.carrier == Carrier::Notification && self.feedback.notifications_acknowledge
            }
            _ => true,
        }
    }

    /// Numbers under which INT is found.
    pub(super) fn telemetry_ports(&self) -> TelemetryPorts {
        TelemetryPorts {
            roce: self.ports,
            ..self.format.numbers
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The INT codes of the paper's port speeds (Fig. 7) and of those that came later, Gb/s.
    #[test]
    fn codes_of_the_port_speeds() {
        let table = NicConfig::default().speed_table;
        assert_eq!(table, [0, 10, 25, 40, 50, 100, 200, 400, 800, 0, 0, 0, 0, 0, 0, 0]);
    }
}
