//! How much payload one direction can carry at most: the wire, whole beats of the NIC's bus, the messages that its rings hold, and its decisions.

use super::host_queues::WORK_RING;
use super::link_config::{LinkOperation, LinkSpec};
use hpcc_models::wire::{
    wire_occupancy, AETH_LEN, BTH_LEN, ICRC_LEN, INT_FIXED_LEN, INT_RECORD_LEN, IPV4_LEN, RETH_LEN, UDP_LEN,
};
use std::ops::{Add, Mul};

const ETHERNET_LEN: usize = 14;
/// Bytes of a beat of the NIC's MAC interface.
pub const BEAT: usize = 64;
/// Clocks a second of the NIC.
pub const CLOCKS: f64 = 200e6;
/// Messages of a queue pair that are on their way at once.
const RING: f64 = hpcc_rtl::transport::requester::RING as f64;
/// Clocks between two decisions about packets of one queue pair.
const CLOCKS_PER_DECISION: f64 = 5.0;

/// What packets take: bytes on the wire with FCS, preamble and gap, beats on the bus, and how many they are.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    wire: u64,
    beats: u64,
    packets: u64,
}

impl Add for Load {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            wire: self.wire + other.wire,
            beats: self.beats + other.beats,
            packets: self.packets + other.packets,
        }
    }
}

impl Mul<u64> for Load {
    type Output = Self;
    fn mul(self, times: u64) -> Self {
        Self {
            wire: self.wire * times,
            beats: self.beats * times,
            packets: self.packets * times,
        }
    }
}

/// A packet with `body` bytes behind the BTH and `int` bytes of INT.
fn packet(body: usize, int: usize) -> Load {
    let frame = ETHERNET_LEN + IPV4_LEN + UDP_LEN + int + BTH_LEN + body.next_multiple_of(4) + ICRC_LEN;
    Load {
        wire: wire_occupancy(frame),
        beats: frame.div_ceil(BEAT) as u64,
        packets: 1,
    }
}

/// The packets of a message in the direction of its payload, and those that answer (or ask for) it.
fn message(spec: &LinkSpec) -> (Load, Load) {
    let mtu = u64::from(spec.mtu);
    let packets = spec.bytes.div_ceil(mtu).max(1);
    let int = |hops: u32| match spec.int {
        true => INT_FIXED_LEN + INT_RECORD_LEN * hops as usize,
        false => 0,
    };
    let (collected, sent) = (int(spec.hops), int(0));
    let length = |index: u64| (spec.bytes - index * mtu).min(mtu) as usize;
    let full = packet(spec.mtu as usize, collected);
    // All but the first and the last packet are alike.
    let ends = |first: usize, last: usize| match packets {
        1 => packet(first + length(0), collected),
        _ => {
            packet(first + length(0), collected) + full * (packets - 2) + packet(last + length(packets - 1), collected)
        }
    };
    match spec.op {
        LinkOperation::Write
        | LinkOperation::Bidirectional
        | LinkOperation::Send
        | LinkOperation::BidirectionalSend => {
            let acknowledgements = if spec.int {
                packets
            } else {
                packets.div_ceil(u64::from(spec.ack_req_interval()))
            };
            let header = if spec.op.has_queues() { 0 } else { RETH_LEN };
            (ends(header, 0), packet(AETH_LEN, collected) * acknowledgements)
        }
        LinkOperation::Read | LinkOperation::BidirectionalRead => {
            let echoes = packet(0, collected) * if spec.int { packets } else { 0 };
            (ends(AETH_LEN, AETH_LEN), packet(RETH_LEN, sent) + echoes)
        }
    }
}

/// Payload bits per second that one direction can carry at most, by what limits it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The wire: headers, ICRC, FCS, preamble, gap, and both ways the reverse flow's acknowledgements.
    pub wire: f64,
    /// Whole beats of 64 bytes at 200 MHz.
    pub beats: f64,
    /// Queue pairs x 16 messages in the time from a message's request to its completion.
    pub ring: f64,
    /// Packets of a queue pair are decided about in every fifth clock.
    pub decisions: f64,
}

impl Bound {
    /// Of a run in which the first completion came `loop_ns` after its work request.
    pub fn new(spec: &LinkSpec, loop_ns: f64) -> Self {
        let (data, answers) = message(spec);
        let load = if spec.op.both() { data + answers } else { data };
        let bits = spec.bytes as f64 * 8.0;
        let queue_pairs = f64::from(spec.qps);
        let ring = if spec.op.has_queues() {
            f64::from(WORK_RING)
        } else {
            RING
        };
        Self {
            wire: spec.link.rate_gbps * 1e9 * spec.bytes as f64 / load.wire as f64,
            beats: CLOCKS * bits / load.beats as f64,
            ring: queue_pairs * ring * bits / (loop_ns.max(1.0) * 1e-9),
            decisions: queue_pairs * CLOCKS / CLOCKS_PER_DECISION * bits / data.packets as f64,
        }
    }

    /// The bounds by their names.
    pub fn all(&self) -> [(&'static str, f64); 4] {
        [
            ("wire", self.wire),
            ("beats", self.beats),
            ("ring", self.ring),
            ("decisions", self.decisions),
        ]
    }

    /// The least of them, and its name.
    pub fn least(&self) -> (&'static str, f64) {
        let [first, rest @ ..] = self.all();
        rest.into_iter()
            .fold(first, |least, next| if next.1 < least.1 { next } else { least })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(op: LinkOperation, mtu: u32, int: bool) -> Bound {
        let spec = LinkSpec {
            op,
            mtu,
            int,
            hops: 0,
            bytes: u64::from(mtu) * 1600,
            ..LinkSpec::default()
        };
        Bound::new(&spec, 1e5)
    }

    #[test]
    fn the_wire_by_hand() {
        let wire = |op, mtu, int| bound(op, mtu, int).wire / 1e9;
        // 1024 bytes of payload, 58 of headers and ICRC, 24 of FCS, preamble and gap; 16 of RETH in one of 1600 packets.
        let data = 1024.0 + 58.0 + 24.0;
        let one_way = 102_400.0 / (data + 16.0 / 1600.0);
        assert!((wire(LinkOperation::Write, 1024, false) - one_way).abs() < 1e-6);
        // One acknowledgement of 62 + 24 bytes for 16 packets.
        let both = 102_400.0 / (data + 16.0 / 1600.0 + 86.0 / 16.0);
        assert!((wire(LinkOperation::Bidirectional, 1024, false) - both).abs() < 1e-6);
        // With INT: two bytes more in each packet, one acknowledgement for each.
        let both = 102_400.0 / (data + 2.0 + 16.0 / 1600.0 + 88.0);
        assert!((wire(LinkOperation::Bidirectional, 1024, true) - both).abs() < 1e-6);
    }

    #[test]
    fn the_other_three_by_hand() {
        let bound = bound(LinkOperation::Write, 256, false);
        // 314 bytes are five beats; the first of 1600 packets has 330 bytes and six.
        let beats = 256.0 * 1600.0 * 8.0 * 0.2 / (1600.0 * 5.0 + 1.0);
        assert!((bound.beats / 1e9 - beats).abs() < 1e-6);
        // 16 messages of 409600 bytes in 100 us.
        assert!((bound.ring / 1e9 - 16.0 * 409_600.0 * 8.0 / 1e5).abs() < 1e-6);
        // 40 million packets a second.
        assert!((bound.decisions / 1e9 - 0.04 * 256.0 * 8.0).abs() < 1e-6);
        assert_eq!(bound.least(), ("wire", bound.wire));
    }
}
