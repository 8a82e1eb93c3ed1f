//! The bytes of a beat that belong to the IP packet; zeros for the rest.

use crate::block;
use crate::emit::naming::named;
use crate::prim::beat_bytes;
use crate::prim::two_texts::two_texts;
use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::*;

/// `q` belongs to the inputs of two clocks ago: in the first the number becomes a bit for each byte, in the second these bits mask.
#[block]
pub struct CoveredBytes {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The beat, byte 0 in the lowest bits.
    pub data: Signal<In, W<512, 8>>,
    /// Bytes that belong to the packet, from the first on, 0 to 64.
    pub covered: Signal<In, U<7>>,
    /// These bytes, zeros behind them.
    pub q: Signal<Out, W<512, 8>>,
    _bytes: W<512, 8>,
}

impl Logic for CoveredBytes {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.q.next = self._bytes;
            let covered = self.covered.val().index();
            let mut words = self.data.val().0;
            for (i, word) in words.iter_mut().enumerate() {
                *word &= match covered.saturating_sub(8 * i) {
                    0 => 0,
                    bytes if bytes < 8 => (1 << (8 * bytes)) - 1,
                    _ => !0,
                };
            }
            self._bytes = W(words);
        }
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        let words = format!(
            "// without a mask where the beat is whole
reg [511:0] body;
reg [6:0] covered_1;
initial begin
  q = 0;
  body = 0;
  covered_1 = 0;
end
always @(posedge clk) begin
  body <= data;
  covered_1 <= covered;
  {keep}
end
",
            keep = beat_bytes::keep_by_words("q", "body", "covered_1"),
        );
        let gates = format!(
            "// eights of bytes that are covered whole, the one that is in part, bytes of that
{declared}reg [511:0] body;
reg [63:0] keep;
integer i;
initial begin
  q = 0;
  body = 0;
  keep = 0;
end
always @(posedge clk) begin
  body <= data;
  // a byte that is not covered is cleared by the registers themselves, without a table before each
  for (i = 0; i < 64; i = i + 1) begin
    keep[i] <= {within};
    q[8*i +: 8] <= keep[i] ? body[8*i +: 8] : 8'd0;
  end
end",
            declared = beat_bytes::declare("covered"),
            within = beat_bytes::is_within("i"),
        );
        Verilog::Custom(two_texts(&words, &gates))
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}
