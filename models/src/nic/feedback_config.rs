//! Collection and return of INT in other ways than the paper's (HPCC++, draft-miao-ccwg-hpcc 6.2 and 6.3). Everything is off at reset, and but for
//! probes the hardware has none of it.

use super::pacing::PS_PER_NS;
use crate::cc::{Carrier, Sampling};
use crate::sched::registers::FULL_OVERHEAD;
use crate::wire::telemetry::{Encapsulation, TelemetryPorts};
use crate::wire::INT_MAX_LEN;

/// Bytes of a WRITE First without payload and INT: Ethernet 14, IPv4 20, UDP 8, BTH 12, RETH 16, ICRC 4.
const LONGEST_HEADERS: u32 = 14 + 20 + 8 + 12 + 16 + 4;
/// Largest path MTU, bytes of payload.
const LARGEST_MTU: u32 = 4096;

/// Registers of sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplingConfig {
    /// Every so manieth data packet of a flow collects INT, 1 to 255; 1: every packet, byte for byte as without sampling.
    pub every: u8,
    /// A data packet that leaves so long after the last one that collected collects as well, ns: a quarter of the law's stale limit.
    pub at_latest_ns: u32,
}

impl SamplingConfig {
    /// The same for the rule that the network's hosts have too.
    pub(super) fn rule(&self) -> Sampling {
        Sampling {
            every: self.every.into(),
            at_latest_ps: u64::from(self.at_latest_ns) * PS_PER_NS,
        }
    }
}

/// Registers of what brings INT of requests back. Both ends of a queue pair have to agree. READ responses are echoed packet by packet in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedbackConfig {
    /// What brings INT, or what the law makes of it, to the sender. The clock of a law at the receiver is `T` alone.
    pub carrier: Carrier,
    /// Data packets of a queue pair with INT for each acknowledgement, 1 to 255. Above 1 a sender asks for one on every such packet, on the last
    /// of a message, on the one that fills the window and on the first of a repetition; a receiver sends one at the latest
    /// [`Self::round_trip_ns`] after a packet that waits for one.
    pub ack_every: u8,
    /// With [`Carrier::Notification`]: notifications name the newest packet received in order and acknowledge it (opcode 0xd5 in place of 0xd3).
    pub notifications_acknowledge: bool,
    /// A receiver counts the queue pairs with data in each [`Self::round_trip_ns`] and tells their senders (HPCC++, 5: `N`).
    pub count_flows: bool,
    /// `T`, ns: delay of acknowledgements, interval of a receiver's law and of its count; a sender that follows its receiver's windows counts when
    /// none comes for eight of them.
    pub round_trip_ns: u32,
}

impl Default for FeedbackConfig {
    fn default() -> Self {
        Self {
            carrier: Carrier::Ack,
            ack_every: 1,
            notifications_acknowledge: false,
            count_flows: false,
            round_trip_ns: 13_000,
        }
    }
}

impl FeedbackConfig {
    /// Something is other than at reset: the hardware has none of it.
    pub fn is_on(&self) -> bool {
        self.carrier != Carrier::Ack || self.ack_every > 1 || self.count_flows
    }

    /// A receiver has packets of its own to send beside acknowledgements and echoes.
    pub(super) fn notifies(&self) -> bool {
        self.carrier != Carrier::Ack || self.count_flows
    }

    /// The law of requests runs at the receiver.
    pub(super) fn at_receiver(&self) -> bool {
        matches!(self.carrier, Carrier::Receiver { .. })
    }
}

/// Registers of the format of INT that is collected. All NICs and switches of a domain have the same. Echoes have Fig. 7's in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatConfig {
    /// What the NIC sends, and takes beside Fig. 7's.
    pub encapsulation: Encapsulation,
    /// Numbers of the formats other than Fig. 7's; its ports of RoCEv2 and of Fig. 7 do not count, those of the NIC do.
    pub numbers: TelemetryPorts,
    /// `MAX_FRAME`: bytes of a frame without FCS at most. A queue pair whose path MTU would not fit beside the longest INT is refused.
    pub max_frame: u32,
}

impl Default for FormatConfig {
    fn default() -> Self {
        Self {
            encapsulation: Encapsulation::Fig7,
            numbers: TelemetryPorts::default(),
            max_frame: LARGEST_MTU + LONGEST_HEADERS + INT_MAX_LEN as u32,
        }
    }
}

impl FormatConfig {
    /// Longest INT of a packet, bytes.
    fn longest(&self) -> u32 {
        (self.encapsulation.base_len() + self.encapsulation.growth()) as u32
    }

    /// Frames of a queue pair with INT and this path MTU (bytes of payload) fit.
    pub fn fits(&self, mtu: u32) -> bool {
        mtu + LONGEST_HEADERS + self.longest() <= self.max_frame
    }

    /// Register `OVERHEAD`: bytes on the wire of a packet with INT beyond its payload that pacing charges.
    pub fn overhead(&self) -> u32 {
        FULL_OVERHEAD - INT_MAX_LEN as u32 + self.longest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the design, section 10: 124 - 42 + 168 for IFA; today's register for Fig. 7.
    #[test]
    fn pacing_charges_the_longest_stack_of_the_format() {
        let overhead = |encapsulation| {
            let format = FormatConfig {
                encapsulation,
                ..FormatConfig::default()
            };
            format.overhead()
        };
        assert_eq!(overhead(Encapsulation::Fig7), 124);
        assert_eq!(overhead(Encapsulation::Ifa), 250);
    }

    #[test]
    fn a_path_mtu_has_to_fit_beside_the_longest_stack() {
        let fits = |encapsulation, mtu| {
            let format = FormatConfig {
                encapsulation,
                ..FormatConfig::default()
            };
            format.fits(mtu)
        };
        assert!(fits(Encapsulation::Fig7, 4096) && fits(Encapsulation::Ifa, 2048));
        assert!(!fits(Encapsulation::Fig7, 4097) && !fits(Encapsulation::Ifa, 4096));
    }
}
