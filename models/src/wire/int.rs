//! INT header and stack (HPCC paper, Fig. 7): what switches tell about the path, between UDP and BTH.
//!
//! `nHop:4 pathID:12`, then per hop `B:4 TS:24 txBytes:20 qLen:16`, most significant bit first, first switch first; at
//! most five records. [`IntStack`] is the meaning, with `parse`, `emit` and what one more switch does to it.

use super::bytes::{check_len, get, get16, put};
use super::WireError;
use crate::cc::{CcEvent, HopRecord, MAX_HOPS};

mod field {
    use core::ops::Range;
    pub const HEADER: Range<usize> = 0..2;
    pub const N_HOP_SHIFT: u32 = 12;
    pub const PATH_ID_MASK: u16 = 0x0fff;
    /// Bytes of record `i`.
    pub const fn record(i: usize) -> Range<usize> {
        2 + 8 * i..10 + 8 * i
    }
    pub const SPEED_SHIFT: u32 = 60;
    pub const TS_SHIFT: u32 = 36;
    pub const TX_SHIFT: u32 = 16;
}

/// Bytes of the INT header without records: `nHop` 4 bits, `pathID` 12 bits.
pub const INT_FIXED_LEN: usize = 2;
/// The INT header that a sender writes.
pub const INT_EMPTY: [u8; INT_FIXED_LEN] = [0; INT_FIXED_LEN];
/// Bytes of one record.
pub const INT_RECORD_LEN: usize = 8;
/// Bytes of header and a full stack.
pub const INT_MAX_LEN: usize = INT_FIXED_LEN + INT_RECORD_LEN * MAX_HOPS;
/// Largest `nHop`; a longer path stays there.
pub const MAX_N_HOP: u8 = 15;

const TS_MASK: u64 = 0xff_ffff;
const TX_MASK: u64 = 0xf_ffff;

/// Bytes of the INT header and stack at the front of `data` (a UDP payload): `2 + 8 min(nHop, 5)`.
pub fn int_header_len(data: &[u8]) -> Result<usize, WireError> {
    check_len("INT", data, INT_FIXED_LEN)?;
    let len = INT_FIXED_LEN + INT_RECORD_LEN * usize::from(data[0] >> 4).min(MAX_HOPS);
    check_len("INT", data, len)?;
    Ok(len)
}

/// INT header and stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntStack {
    /// Switches passed, 4 bits, 15 at most.
    pub n_hop: u8,
    /// XOR of their 12-bit ids.
    pub path_id: u16,
    /// Records of the first five.
    pub hops: [HopRecord; MAX_HOPS],
}

/// A record as its 64 bits.
pub fn pack_record(hop: &HopRecord) -> u64 {
    u64::from(hop.speed & 15) << field::SPEED_SHIFT
        | (u64::from(hop.ts) & TS_MASK) << field::TS_SHIFT
        | (u64::from(hop.tx_bytes) & TX_MASK) << field::TX_SHIFT
        | u64::from(hop.q_len)
}

/// The record in 64 bits.
pub fn unpack_record(bits: u64) -> HopRecord {
    HopRecord {
        speed: (bits >> field::SPEED_SHIFT) as u8,
        ts: (bits >> field::TS_SHIFT & TS_MASK) as u32,
        tx_bytes: (bits >> field::TX_SHIFT & TX_MASK) as u32,
        q_len: bits as u16,
    }
}

impl IntStack {
    /// Reads header and stack from the front of a UDP payload.
    pub fn parse(data: &[u8]) -> Result<Self, WireError> {
        let len = int_header_len(data)?;
        let header = get16(data, field::HEADER);
        let mut stack = Self {
            n_hop: (header >> field::N_HOP_SHIFT) as u8,
            path_id: header & field::PATH_ID_MASK,
            ..Self::default()
        };
        for (i, hop) in stack.hops.iter_mut().enumerate() {
            if field::record(i).end <= len {
                *hop = unpack_record(get(data, field::record(i)));
            }
        }
        Ok(stack)
    }

    /// Records present.
    pub fn records(&self) -> usize {
        usize::from(self.n_hop).min(MAX_HOPS)
    }

    /// Bytes of header and stack on the wire.
    pub fn wire_len(&self) -> usize {
        INT_FIXED_LEN + INT_RECORD_LEN * self.records()
    }

    /// Writes header and stack to the front of `buffer`.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<(), WireError> {
        check_len("INT", buffer, self.wire_len())?;
        let header = u16::from(self.n_hop & 15) << field::N_HOP_SHIFT | (self.path_id & field::PATH_ID_MASK);
        put(buffer, field::HEADER, header.into());
        for (i, hop) in self.hops.iter().enumerate().take(self.records()) {
            put(buffer, field::record(i), pack_record(hop));
        }
        Ok(())
    }

    /// One more switch: counts itself, mixes its 12-bit id in and, if it is among the first five, appends its record.
    /// Tells whether the record was appended, that is, whether the packet grew by [`INT_RECORD_LEN`].
    pub fn stamp(&mut self, switch_id: u16, record: HopRecord) -> bool {
        let slot = self.hops.get_mut(usize::from(self.n_hop));
        self.n_hop = (self.n_hop + 1).min(MAX_N_HOP);
        self.path_id ^= switch_id & field::PATH_ID_MASK;
        slot.map(|slot| *slot = record).is_some()
    }

    /// Puts the stack into an event of the congestion-control slot.
    pub fn fill(&self, event: &mut CcEvent) {
        event.int_valid = true;
        event.n_hop = self.n_hop;
        event.path_id = self.path_id;
        event.hops = self.hops;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two switches, ids 0xabc and 0x123: 100 Gb/s and 400 Gb/s ports.
    const BYTES: [u8; 18] = [
        0x2b, 0x9f, // nHop 2, pathID 0xabc ^ 0x123
        0x5f, 0xed, 0xcb, 0xa9, 0x87, 0x65, 0x43, 0x21, // 5, 0xfedcba, 0x98765, 0x4321
        0x70, 0x00, 0x00, 0x1f, 0xff, 0xff, 0x00, 0x02, // 7, 0x000001, 0xfffff, 0x0002
    ];

    fn first() -> HopRecord {
        HopRecord {
            speed: 5,
            ts: 0xfe_dcba,
            tx_bytes: 0x9_8765,
            q_len: 0x4321,
        }
    }

    fn second() -> HopRecord {
        HopRecord {
            speed: 7,
            ts: 1,
            tx_bytes: 0xf_ffff,
            q_len: 2,
        }
    }

    #[test]
    fn apart_and_together() {
        let mut stack = IntStack::default();
        assert!(stack.stamp(0xabc, first()));
        assert!(stack.stamp(0x123, second()));
        assert_eq!(IntStack::parse(&BYTES), Ok(stack));
        let mut out = [0xee; 20];
        stack.emit(&mut out).unwrap();
        assert_eq!((&out[..18], &out[18..]), (&BYTES[..], &[0xee; 2][..]));
        for len in 0..BYTES.len() {
            assert!(IntStack::parse(&BYTES[..len]).is_err(), "{len}");
            assert!(stack.emit(&mut out[..len]).is_err(), "{len}");
        }
    }

    #[test]
    fn records_keep_their_width() {
        let wide = HopRecord {
            speed: 0xff,
            ts: u32::MAX,
            tx_bytes: u32::MAX,
            q_len: u16::MAX,
        };
        assert_eq!(pack_record(&wide), u64::MAX);
        let one = |speed, ts, tx_bytes, q_len| {
            pack_record(&HopRecord {
                speed,
                ts,
                tx_bytes,
                q_len,
            })
        };
        assert_eq!(one(1, 0, 0, 0), 1 << 60);
        assert_eq!(one(16, 1 << 24, 1 << 20, 0), 0);
        assert_eq!(one(0, 1, 0, 0), 1 << 36);
        assert_eq!(one(0, 0, 1, 0), 1 << 16);
        assert_eq!(unpack_record(pack_record(&first())), first());
    }

    #[test]
    fn sixth_switch_counts_but_leaves_no_record() {
        let mut stack = IntStack::default();
        for n in 0..20u8 {
            let before = stack;
            let appended = stack.stamp(0x801, second());
            assert_eq!(appended, n < 5);
            assert_eq!(stack.n_hop, (n + 1).min(15));
            assert_eq!(stack.path_id, before.path_id ^ 0x801);
            assert_eq!(stack.wire_len(), 2 + 8 * usize::from((n + 1).min(5)));
            if !appended {
                assert_eq!(stack.hops, before.hops);
            }
        }
        assert_eq!(INT_MAX_LEN, 42);
    }

    #[test]
    fn sender_writes_zeros() {
        assert_eq!(IntStack::parse(&[0, 0]), Ok(IntStack::default()));
        let mut out = [0xff; 2];
        IntStack::default().emit(&mut out).unwrap();
        assert_eq!(out, INT_EMPTY);
    }

    #[test]
    fn int_length_stops_at_five_records() {
        let mut data = [0; 64];
        for n_hop in 0..16u8 {
            data[0] = n_hop << 4 | 0xf;
            let len = 2 + 8 * usize::from(n_hop.min(5));
            assert_eq!(int_header_len(&data), Ok(len));
            assert_eq!(int_header_len(&data[..len]), Ok(len));
            assert!(int_header_len(&data[..len - 1]).is_err());
        }
    }
}
