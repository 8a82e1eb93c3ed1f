//! Which of 32 queue pairs has a number: the number is cut in slices, and a table for each slice says who has its value.

use crate::prim::async_ram::AsyncRam;
use crate::prim::uint::{bits_u, LoopIdx, U};
use crate::words::rx::NumberSlices;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// The places in a bank whose own number has this bit, one bit a place.
fn with_bit(bit: usize) -> U<32> {
    U((0..32)
        .filter(|place| place >> bit & 1 == 1)
        .fold(0, |places, place| places | 1 << place))
}

/// Numbers of 32 queue pairs. A key is found two clocks later.
///
/// Word v of a slice's table has bit n set if the queue pair at place n exists and its number has the value v there. The AND of the words
/// that a number reads has the bit of the queue pair whose number it is, and no other.
#[block]
pub struct SliceBank {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// High: none of them has any number.
    pub clears: Signal<In, Bit>,
    /// A word of each table is written; keys from the next clock on see it.
    pub write: Signal<In, Bit>,
    /// Of each slice: which word, the value that the slice has in numbers.
    pub values: [Signal<In, U<5>>; 5],
    /// Of each slice: the word, bit n of the place n.
    pub columns: [Signal<In, U<32>>; 5],
    /// Number asked for.
    pub key: Signal<In, NumberSlices>,
    /// One of them has it.
    pub found: Signal<Out, Bit>,
    /// Which; zero if none has.
    pub place: Signal<Out, U<5>>,
    tables: [AsyncRam<U<32>, 5>; 5],
    /// Places of this bank that have all five slices of the number, a bit each.
    hits: DFF<U<32>>,
    #[init(std::array::from_fn(|bit| Constant::new(with_bit(bit))))]
    with_bit: [Constant<U<32>>; 5],
    bits: [Signal<Local, U<5>>; 5],
    /// A place of this bank has the number.
    found_r: DFF<Bit>,
    /// Place in this bank that has the number.
    place_r: DFF<U<5>>,
}

#[kernel]
impl Logic for SliceBank {
    fn update(&mut self) {
        for slice in 0..5 {
            tables[slice].raddr = key.slices[slice];
            inputs!(tables[slice]: we = write);
            tables[slice].waddr = values[slice];
            tables[slice].wdata = columns[slice];
        }
        hits = (tables[0].rdata & tables[1].rdata) & (tables[2].rdata & tables[3].rdata) & tables[4].rdata;
        if clears {
            hits = bits_u::<32>(0);
        }
        // at most one has it, so each bit of its place is an OR
        for bit in 0..5 {
            bits[bit] = if (hits & with_bit[bit]).any() { bits_u::<5>(1) << bit.val() } else { bits_u::<5>(0) };
        }
        place_r = bits[0] | bits[1] | bits[2] | bits[3] | bits[4];
        found_r = hits.any();
        assign!(found = found_r, place = place_r);
    }
}
