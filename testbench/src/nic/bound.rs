//! How much payload a wire can carry at most: what data headers and the reverse flow's acknowledgements leave of its rate.

use super::link_config::{LinkOperation, LinkSpec};
use hpcc_models::nic::NicConfig;
use hpcc_models::wire::{
    wire_occupancy, AETH_LEN, BTH_LEN, ICRC_LEN, INT_FIXED_LEN, INT_RECORD_LEN, IPV4_LEN, RETH_LEN, UDP_LEN,
};

const ETHERNET_LEN: usize = 14;

/// Bytes on the wire of a packet with `body` bytes behind the BTH and `int` bytes of INT.
fn packet(body: usize, int: usize) -> u64 {
    wire_occupancy(ETHERNET_LEN + IPV4_LEN + UDP_LEN + int + BTH_LEN + body.next_multiple_of(4) + ICRC_LEN)
}

/// Bytes on the wire of the packets of a message in the direction of its payload, and of what answers (or asks for) it.
fn message(spec: &LinkSpec) -> (u64, u64) {
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
            packet(first + length(0), collected) + (packets - 2) * full + packet(last + length(packets - 1), collected)
        }
    };
    match spec.op {
        LinkOperation::Write | LinkOperation::Bidirectional => {
            let acknowledgements = if spec.int {
                packets
            } else {
                packets.div_ceil(u64::from(NicConfig::default().ack_req_interval))
            };
            (ends(RETH_LEN, 0), acknowledgements * packet(AETH_LEN, collected))
        }
        LinkOperation::Read | LinkOperation::BidirectionalRead => {
            let echoes = if spec.int { packets * packet(0, collected) } else { 0 };
            (ends(AETH_LEN, AETH_LEN), packet(RETH_LEN, sent) + echoes)
        }
    }
}

/// Payload bits per second that one direction can carry at most.
pub fn payload_bps(spec: &LinkSpec) -> f64 {
    let (data, answers) = message(spec);
    let wire = data + if spec.op.both() { answers } else { 0 };
    spec.link.rate_gbps * 1e9 * spec.bytes as f64 / wire as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(op: LinkOperation, mtu: u32, int: bool) -> f64 {
        let spec = LinkSpec {
            op,
            mtu,
            int,
            hops: 0,
            bytes: u64::from(mtu) * 1600,
            ..LinkSpec::default()
        };
        payload_bps(&spec) / 1e9
    }

    #[test]
    fn by_hand() {
        // 1024 bytes of payload, 58 of headers and ICRC, 24 of FCS, preamble and gap; 16 of RETH in one of 1600 packets.
        let data = 1024.0 + 58.0 + 24.0;
        let one_way = 102_400.0 / (data + 16.0 / 1600.0);
        assert!((bound(LinkOperation::Write, 1024, false) - one_way).abs() < 1e-6);
        // One acknowledgement of 62 + 24 bytes for 16 packets.
        let both = 102_400.0 / (data + 16.0 / 1600.0 + 86.0 / 16.0);
        assert!((bound(LinkOperation::Bidirectional, 1024, false) - both).abs() < 1e-6);
        // With INT: two bytes more in each packet, one acknowledgement for each.
        let both = 102_400.0 / (data + 2.0 + 16.0 / 1600.0 + 88.0);
        assert!((bound(LinkOperation::Bidirectional, 1024, true) - both).abs() < 1e-6);
    }
}
