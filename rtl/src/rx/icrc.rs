//! ICRC of a frame, checked as its beats go by.

use crate::emit::naming::named_inside;
use crate::prim::crc::{CrcFold, CrcResidue, CrcState};
use crate::prim::delay::Delay;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// `right` says four clocks after a beat whether the packet up to it ends with its own CRC.
#[block]
pub struct IcrcCheck {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Bytes for the CRC.
    pub bytes: Signal<In, W<512, 8>>,
    /// The beat has bytes of the packet.
    pub enable: Signal<In, Bit>,
    /// The beat is the first of its frame.
    pub first: Signal<In, Bit>,
    /// How many of its bytes belong to the packet, 0 to 64.
    pub covered: Signal<In, U<7>>,
    /// The CRC is right.
    pub right: Signal<Out, Bit>,
    fold: CrcFold,
    enable_2: Delay<Bit, 2>,
    first_2: Delay<Bit, 2>,
    covered_2: Delay<U<7>, 2>,
    state: CrcState,
    residue: CrcResidue,
    /// The ICRC of the frame is right.
    right_4: DFF<Bit>,
    filled: Signal<Local, U<7>>,
}

#[kernel]
impl Logic for IcrcCheck {
    fn update(&mut self) {
        fold.data = bytes;
        enable_2 = enable;
        first_2 = first;
        covered_2 = covered;
        inputs!(state: enable = enable_2.q, first = first_2.q, fold = fold.q);
        state.aside = false;
        filled = bits_u::<7>(64) - covered_2;
        residue.enable = enable_2;
        residue.zeros = bit_cast_u::<6, 7>(filled);
        right_4 = state.q == residue.q;
        right = right_4;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
