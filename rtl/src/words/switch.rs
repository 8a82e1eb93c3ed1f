//! Beats in the INT stamper of a switch, and the record that it puts into them.

use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::Bit;

crate::word! {
    /// A beat of a frame.
    pub struct SwitchBeat {
        /// Bytes, the first lowest.
        data: W<512, 8>,
        /// Which of them belong to the frame.
        keep: U<64>,
        /// It is the frame's last.
        last: Bit,
        /// The frame is bad; with `last`.
        bad: Bit,
    }

    /// What a hop records of itself, as the wire has it with the first byte in the highest bits.
    pub struct HopRecordWord {
        /// Bytes in the queue, in units of 80 bytes times the multiplier.
        queued: U<16>,
        /// Bytes sent before this frame, in units of 128 bytes times the multiplier.
        tx_bytes: U<20>,
        /// When the frame left, ns.
        ts: U<24>,
        /// Code of the port's speed.
        speed: U<4>,
    }
}
