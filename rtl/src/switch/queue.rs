//! Bytes queued to units of `80 x multiplier` bytes, saturated to 16 bits: shift, then a division by five in four adders.
//!
//! `n / 5 = n * 419431 >> 21` is exact for `n < 2^19`, and `419431 = 6 * 0x11111 + 1` needs shifts and adders only. A
//! longer queue saturates anyway.

use crate::emit::naming::named_inside;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Four stages that move when `go` is high.
#[block]
pub struct QueueUnits {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The pipeline moves.
    pub go: Signal<In, Bit>,
    /// Bytes queued behind the packet.
    pub bytes: Signal<In, U<32>>,
    /// Multiplier 1, 2, 4 or 8 as 0 to 3.
    pub unit_shift: Signal<In, U<2>>,
    /// `qLen` as on the wire, four moves later.
    pub length: Signal<Out, U<16>>,
    #[registers(U<38>:
        /// Move 2: the length n in units of 16 bytes times the multiplier.
        n_2,
        /// Move 2: 6 n.
        six_2,
        /// Move 2: 0x11 times 6 n.
        pair_2,
        /// Move 3: 0x1111 times 6 n.
        quad_3,
        /// Move 3: 0x10000 times 6 n, and n.
        rest_3)]
    wide: Signal<Local, U<28>>,
    /// Move 1: the length in units of 16 bytes times the multiplier, 2^19 - 1 if it is longer.
    n: DFF<U<19>>,
    six: Signal<Local, U<22>>,
    sum: Signal<Local, U<38>>,
    /// Move 4: the length in units of 80 bytes times the multiplier.
    units_4: DFF<U<16>>,
}

#[kernel]
impl Logic for QueueUnits {
    fn update(&mut self) {
        // units of 16 x multiplier bytes, at most 2^19 - 1
        wide = bit_cast_u::<28, 32>(bytes >> 4) >> unit_shift;
        six = (bit_cast_u::<22, 19>(n) << 2) + (bit_cast_u::<22, 19>(n) << 1);
        sum = quad_3 + rest_3;
        if go {
            if wide < 0x8_0000 {
                n = bit_cast_u::<19, 28>(wide);
            } else {
                n = bits_u::<19>(0x7ffff);
            }
            // 6 n and 0x11 * 6 n
            n_2 = bit_cast_u::<38, 19>(n);
            six_2 = bit_cast_u::<38, 22>(six);
            pair_2 = bit_cast_u::<38, 22>(six) + (bit_cast_u::<38, 22>(six) << 4);
            // 0x1111 * 6 n and 0x10000 * 6 n + n
            quad_3 = pair_2 + (pair_2 << 8);
            rest_3 = (six_2 << 16) + n_2;
            if sum >= 0x20_0000_0000u64 {
                units_4 = bits_u::<16>(0xffff);
            } else {
                units_4 = sum.get_bits::<16>(21);
            }
        }
        length = units_4;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step};
    use hpcc_models::wire::StampConfig;

    /// The formula for every number that reaches it.
    #[test]
    fn multiplication_divides_by_five() {
        for n in 0..1u64 << 19 {
            let six = 6 * n;
            let sum = six * 0x1111 + (six << 16) + n;
            assert_eq!(sum >> 21, n / 5, "{n}");
            assert_eq!(sum >> 37 != 0, n / 5 > 0xffff, "{n}");
        }
    }

    #[test]
    fn block_agrees_with_the_model_at_every_edge_of_a_unit() {
        let mut block: Box<QueueUnits> = Box::default();
        init(block.as_mut()).expect("complete block");
        for shift in 0..4u32 {
            let unit = 80u64 << shift;
            let config = StampConfig {
                int_multi: 1 << shift,
                ..StampConfig::default()
            };
            let edges = (0..66_000u64).step_by(7).chain(65_500..65_600);
            let bytes: Vec<u64> = edges
                .flat_map(|units| [units * unit, units * unit + unit - 1])
                .chain([u64::from(u32::MAX), 1 << 31, 1 << 23, 1 << 27])
                .collect();
            block.go.next = true;
            block.unit_shift.next = U(shift.into());
            for i in 0..bytes.len() + 4 {
                block.bytes.next = U(*bytes.get(i).unwrap_or(&0));
                let units = step(block.as_mut(), |b| b.length.val().0);
                if i >= 4 {
                    let want = config.record(0, 0, bytes[i - 4]).q_len;
                    assert_eq!(units, u64::from(want), "{} bytes, shift {shift}", bytes[i - 4]);
                }
            }
        }
    }
}
