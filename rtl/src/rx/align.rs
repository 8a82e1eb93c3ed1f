//! The bytes from the start of IP, most significant first, whether or not there is a VLAN tag.

use super::HEADER_BYTES;
use crate::block;
use crate::emit::naming::named;
use crate::prim::wide::W;
use rust_hdl::prelude::*;

/// Start of IP without a tag; four more with one.
const UNTAGGED: usize = 14;

/// `q` is bytes 14 (18 with a tag) to 111 (115) of the window one clock ago, the first of them in the highest bits, so that
/// a big-endian field is a slice.
#[block]
pub struct HeaderAlign {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// First two beats of the frame, byte 0 in the lowest bits.
    pub window: Signal<In, W<1024, 16>>,
    /// There is a VLAN tag.
    pub has_tag: Signal<In, Bit>,
    /// 98 bytes.
    pub q: Signal<Out, W<784, 13>>,
}

impl Logic for HeaderAlign {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let from = if self.has_tag.val() { UNTAGGED + 4 } else { UNTAGGED };
            let window = self.window.val();
            let mut words = [0; 13];
            for j in 0..HEADER_BYTES {
                let to = HEADER_BYTES - 1 - j;
                words[to / 8] |= window.get_bits::<8>(8 * (from + j)).0 << (8 * (to % 8));
            }
            self.q.next = W(words);
        }
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "integer j;
initial q = 0;
always @(posedge clk)
  for (j = 0; j < {HEADER_BYTES}; j = j + 1)
    q[8*({last}-j) +: 8] <= has_tag ? window[8*({has_tag}+j) +: 8] : window[8*({UNTAGGED}+j) +: 8];",
            last = HEADER_BYTES - 1,
            has_tag = UNTAGGED + 4,
        ))
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}
