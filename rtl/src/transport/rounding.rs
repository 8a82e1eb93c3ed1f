//! Bytes in whole packets.

use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::bit_cast_word;
use crate::words::responder::RoundedLength;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// A length rounded up to whole packets; shifted right by the MTU code, its units are their number. Without registers.
#[block]
pub struct Rounding {
    /// Bytes.
    pub length: Signal<In, U<32>>,
    /// Payload of a full packet is 256 << mtu bytes, 0 to 4.
    pub mtu: Signal<In, U<3>>,
    /// Bytes and what is missing to a whole packet, less one, in units of 256 bytes.
    pub rounded: Signal<Out, RoundedLength>,
    less_one: Signal<Local, U<12>>,
}

#[kernel]
impl Logic for Rounding {
    fn update(&mut self) {
        less_one = if mtu >= 1 { bits_u::<12>(511) } else { bits_u::<12>(255) };
        if mtu >= 2 {
            less_one = bits_u::<12>(1023);
        }
        if mtu >= 3 {
            less_one = bits_u::<12>(2047);
        }
        if mtu >= 4 {
            less_one = bits_u::<12>(4095);
        }
        rounded = bit_cast_word::<RoundedLength, U<33>>(bit_cast_u::<33, 32>(length) + bit_cast_u::<33, 12>(less_one));
    }
}
