//! Packet numbers that do not wrap inside the model; the low 24 bits go on the wire.

use crate::wire::{psn_diff, MASK_24};

/// A packet number. Compared as an integer; only [`wire`] and [`near`] know that the wire wraps.
pub(super) type Psn = u64;

/// The number of a flow that starts with PSN `first`, high enough that older PSNs stay positive.
pub(super) fn start(first: u32) -> Psn {
    (1 << 24) + Psn::from(first & MASK_24)
}

/// PSN on the wire.
pub(super) fn wire(psn: Psn) -> u32 {
    psn as u32 & MASK_24
}

/// The number nearest to `reference` that is `psn` on the wire: up to 2^23 behind, less than 2^23 ahead.
pub(super) fn near(reference: Psn, psn: u32) -> Psn {
    reference.wrapping_add_signed(i64::from(psn_diff(psn, wire(reference))))
}

/// Packets of a message of `length` bytes: at least one.
pub(super) fn packets(length: u64, mtu: u32) -> u64 {
    length.div_ceil(u64::from(mtu)).max(1)
}

/// Payload bytes of packet `index` of a message of `length` bytes.
pub(super) fn payload_len(length: u64, mtu: u32, index: u64) -> usize {
    (length - (index * u64::from(mtu)).min(length)).min(u64::from(mtu)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_on_the_wire_only() {
        let psn = start(0xff_ffff);
        assert_eq!((wire(psn), wire(psn + 1)), (0xff_ffff, 0));
        assert_eq!(near(psn, 0), psn + 1);
        assert_eq!(near(psn + 1, 0xff_ffff), psn);
        assert_eq!(near(psn, wire(psn + 0x7f_ffff)), psn + 0x7f_ffff);
        assert_eq!(near(psn, wire(psn - 0x80_0000)), psn - 0x80_0000);
        assert_eq!(near(start(0), 0xff_ffff), start(0) - 1);
    }

    #[test]
    fn packets_and_their_lengths() {
        assert_eq!(
            (packets(0, 256), packets(1, 256), packets(256, 256), packets(257, 256)),
            (1, 1, 1, 2)
        );
        assert_eq!(
            (
                payload_len(0, 256, 0),
                payload_len(257, 256, 0),
                payload_len(257, 256, 1)
            ),
            (0, 256, 1)
        );
        assert_eq!(packets(1 << 31, 256), 1 << 23);
    }
}
