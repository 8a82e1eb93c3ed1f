//! What the ICRC covers of a beat, with zeros around it.
//!
//! The ICRC is that of the packet without INT, but for what echoes INT to a NIC that has it covered (`ECHO_ICRC_FULL`). Instead of moving the whole packet down over its INT, the 28 bytes of IPv4 and UDP
//! are moved up behind it, and zeros take the place in front of them, which a zero CRC register does not see.

use crate::block;
use crate::emit::naming::named;
use crate::prim::beat_bytes;
use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::*;
use std::fmt::Write as _;

/// IPv4 and UDP header.
const HEADERS: usize = 28;
/// Byte of the BTH that the ICRC reads as ones.
const BTH_MASKED: usize = 4;

/// First byte of the moved headers in the frame; `code` is 0 without INT, else 1 + records.
const fn start(has_tag: bool, code: usize) -> usize {
    let int = if code == 0 { 0 } else { 8 * code - 6 };
    (if has_tag { 18 } else { 14 }) + int
}

/// First byte of the headers as the CRC gets them: behind INT that is not covered, in their place before INT that is.
const fn headers_at(has_tag: bool, code: usize, with_int: bool) -> usize {
    start(has_tag, if with_int { 0 } else { code })
}

/// Byte of the frame that the CRC gets as ones.
const fn masked_at(has_tag: bool, code: usize) -> usize {
    start(has_tag, code) + HEADERS + BTH_MASKED
}

/// `q` belongs to the inputs of two clocks ago.
#[block]
pub struct IcrcBytes {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The beat.
    pub data: Signal<In, W<512, 8>>,
    /// Its number in the frame: 0, 1, or 2 for all later ones.
    pub number: Signal<In, U<2>>,
    /// Its bytes that belong to the IP packet, from the first on, 0 to 64.
    pub covered: Signal<In, U<7>>,
    /// IPv4 and UDP header as the ICRC reads them, with the CRC's initial value in it, first byte in the highest bits.
    pub headers: Signal<In, W<224, 4>>,
    /// There is a VLAN tag.
    pub has_tag: Signal<In, Bit>,
    /// 0 without INT, else 1 + records, 6 at most.
    pub code: Signal<In, U<3>>,
    /// INT is covered.
    pub with_int: Signal<In, Bit>,
    /// Bytes for the CRC.
    pub q: Signal<Out, W<512, 8>>,
    _bytes: W<512, 8>,
}

impl Logic for IcrcBytes {
    fn update(&mut self) {
        if !self.clock.pos_edge() {
            return;
        }
        self.q.next = self._bytes;
        let (has_tag, code) = (self.has_tag.val(), self.code.val().index());
        let from = headers_at(has_tag, code, self.with_int.val());
        let masked = masked_at(has_tag, code);
        let (behind, covered) = (from + HEADERS, self.covered.val().index());
        let (data, headers, number) = (self.data.val(), self.headers.val(), self.number.val().index());
        let mut words = [0; 8];
        for i in 0..64 {
            let at = 64 * number + i;
            let byte = if number < 2 && at < from {
                0
            } else if number < 2 && at < behind {
                headers.get_bits::<8>(8 * (behind - 1 - at)).0
            } else if number < 2 && at == masked {
                0xff
            } else if i < covered {
                data.get_bits::<8>(8 * i).0
            } else {
                0
            };
            words[i / 8] |= byte << (8 * (i % 8));
        }
        self._bytes = W(words);
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        let mut cases = String::new();
        for select in 0..32 {
            let (with_int, has_tag, code) = (select & 16 != 0, select & 8 != 0, select & 7);
            let from = headers_at(has_tag, code, with_int);
            let masked = masked_at(has_tag, code);
            let _ = writeln!(
                cases,
                "    5'd{select}: begin moved[{high}:{low}] = swapped; moved[{ones} +: 8] = 8'hff; \
                 own[{first}:0] = {wide}'d0; own[{masked}] = 1'b0; end",
                high = 8 * (from + HEADERS) - 1,
                low = 8 * from,
                ones = 8 * masked,
                first = from + HEADERS - 1,
                wide = from + HEADERS,
            );
        }
        Verilog::Custom(format!(
            "// eights of bytes that are covered whole, the one that is in part, bytes of that
{declared}reg [223:0] swapped;
reg [1023:0] moved;
reg [127:0] own;
reg [511:0] fixed;
reg [511:0] body;
reg [63:0] keep;
reg [63:0] mine;
integer i;
integer k;
initial begin
  q = 0;
  fixed = 0;
  body = 0;
  keep = 0;
  mine = 0;
end
always_comb begin
  for (k = 0; k < {HEADERS}; k = k + 1) swapped[8*k +: 8] = headers[8*({last}-k) +: 8];
  moved = 1024'd0;
  own = {{128{{1'b1}}}};
  case ({{with_int, has_tag, code}})
{cases}  endcase
end
always @(posedge clk) begin
  body <= data;
  fixed <= (number == 2'd0) ? moved[511:0] : (number == 2'd1) ? moved[1023:512] : 512'd0;
  mine <= (number == 2'd0) ? own[63:0] : (number == 2'd1) ? own[127:64] : {{64{{1'b1}}}};
  for (i = 0; i < 64; i = i + 1) begin
    keep[i] <= {within};
    q[8*i +: 8] <= fixed[8*i +: 8] | (body[8*i +: 8] & {{8{{keep[i] & mine[i]}}}});
  end
end",
            declared = beat_bytes::declare("covered"),
            within = beat_bytes::is_within("i"),
            last = HEADERS - 1,
        ))
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}
