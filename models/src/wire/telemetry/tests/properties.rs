//! Properties of all formats.

use super::super::opened::record;
use super::*;
use proptest::prelude::*;

proptest! {
    /// The byte counter's differences stay right over its wrap: 2^27 times each multiplier divides 2^32.
    #[test]
    fn the_counter_wraps_with_the_records(start in any::<u32>(), units in 0u32..1 << 20, log2 in 0u32..6) {
        let multi = 1 << log2;
        prop_assert!(multi <= LARGEST_MULTIPLIER);
        let before = record(5, 0, start, 0, multi);
        let after = record(5, 0, start.wrapping_add(units.wrapping_mul(128 * multi)), 0, multi);
        prop_assert_eq!(after.tx_bytes.wrapping_sub(before.tx_bytes) & 0xf_ffff, units);
    }

    /// Any hop is read as it was written.
    #[test]
    fn hops_there_and_back(a in any::<[u32; 4]>(), b in any::<[u16; 3]>(), speed in 0u8..15, ns in 0u64..u64::MAX) {
        let ifa = IfaHop {
            device: a[0] & 0xf_ffff, speed, rx_seconds: a[1] & 0xf_ffff, rx_ns: a[2], residence_ns: a[3],
            egress: b[0], ingress: b[1], tx_bytes: a[0], queue: b[2],
        };
        prop_assert_eq!(IfaHop::parse(&ifa.emit()), Ok(ifa));
        let populated = a.map(|v| v.min(u32::MAX - 1));
        let node = IoamNode {
            hop_limit: 7, node: a[0] & 0xff_ffff, ingress: b[1], egress: b[0] & 0xfff, speed,
            fraction: populated[1], queue: populated[2], tx_bytes: populated[3],
        };
        prop_assert_eq!(IoamNode::parse(&node.emit(), ioam::TRACE_TYPE), Ok(node));
        let hop = IntMdHop {
            node: populated[0], ingress: b[1], egress: b[0] & 0xfff, speed, queue_id: 7, queue: a[2] & 0xff_ffff,
            egress_ns: ns, tx_bytes: populated[3],
        };
        prop_assert_eq!(IntMdHop::parse(&hop.emit(), int_md::INSTRUCTIONS), Ok(hop));
    }

    /// A flipped bit changes the records, or makes them unusable, or lies outside of the telemetry; never a fault. Outside of what routers
    /// may change and of the telemetry the ICRC finds it.
    #[test]
    fn a_flipped_bit_is_harmless(format in 0usize..4, at in 0usize..1024, bit in 0u8..8, cut in 0usize..200) {
        let mut packet = [hex(FIG7), hex(IFA), hex(INT_MD), ioam()][format].clone();
        let whole = opened(&packet);
        let at = at % packet.len();
        packet[at] ^= 1 << bit;
        if let Some(seen) = open(&packet, &TelemetryPorts::default()) {
            let covered = packet.len() - at <= whole.plain.len() - 28 && packet.len() - at != whole.plain.len() - 28 - 4;
            if covered && seen.format == whole.format {
                prop_assert!(!seen.icrc_ok(), "{at}");
            }
        }
        packet.truncate(cut);
        if let Some(seen) = open(&packet, &TelemetryPorts::default()) {
            prop_assert!(!seen.icrc_ok() || cut >= packet.len());
        }
    }

    /// Bytes of any kind are taken apart without a fault.
    #[test]
    fn any_bytes_are_survived(mut bytes in prop::collection::vec(any::<u8>(), 28..200), kind in 0usize..5) {
        bytes[0] = 0x45;
        bytes[6] = 0x40;
        bytes[7] = 0;
        let (protocol, port) = [(17, 54791u16), (253, 4791), (17, 54795), (17, 54796), (131, 1)][kind];
        bytes[9] = protocol;
        bytes[22..24].copy_from_slice(&port.to_be_bytes());
        let opened = open(&bytes, &TelemetryPorts::default());
        prop_assert!(opened.is_none_or(|o| o.plain.len() <= bytes.len()));
    }
}
