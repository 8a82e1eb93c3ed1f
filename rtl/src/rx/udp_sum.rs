//! UDP checksum of a frame, checked as its beats go by: addresses, protocol and length, UDP header and data, in ones'
//! complement.

use crate::emit::naming::named;
use crate::emit::naming::named_inside;
use crate::prim::beat_bytes;
use crate::prim::delay::Delay;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Sum of the 16-bit big-endian words of a beat that are to be summed; three clocks.
#[block]
pub struct BeatSum {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The beat, byte 0 in the lowest bits.
    pub data: Signal<In, W<512, 8>>,
    /// It is the frame's first: addresses, UDP and data begin at byte 26, or 30 with a VLAN tag.
    pub first: Signal<In, Bit>,
    /// There is a VLAN tag.
    pub has_tag: Signal<In, Bit>,
    /// Bytes that belong to the packet, 0 to 64.
    pub covered: Signal<In, U<7>>,
    /// Sum, three clocks later.
    pub q: Signal<Out, U<21>>,
    _pipe: [u64; 2],
}

impl Logic for BeatSum {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.q.next = U(self._pipe[1]);
            self._pipe[1] = self._pipe[0];
            let from = match (self.first.val(), self.has_tag.val()) {
                (false, _) => 0,
                (true, false) => 26,
                (true, true) => 30,
            };
            let data = self.data.val();
            let byte = |i: usize| data.get_bits::<8>(8 * i).0 << (8 * (1 - i % 2));
            self._pipe[0] = (from..self.covered.val().index().min(64)).map(byte).sum();
        }
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "// eights of bytes that belong to it whole, the one that does in part, bytes of that
{declared}reg [511:0] masked;
reg [18:0] part [0:3];
reg [18:0] sum [0:3];
integer i;
integer k;
integer m;
integer n;
initial begin
  q = 0;
  masked = 0;
  for (n = 0; n < 4; n = n + 1) part[n] = 0;
end
always_comb
  for (k = 0; k < 4; k = k + 1) begin
    sum[k] = 19'd0;
    for (i = 0; i < 8; i = i + 1)
      sum[k] = sum[k] + {{3'd0, masked[128*k + 16*i +: 8], masked[128*k + 16*i + 8 +: 8]}};
  end
always @(posedge clk) begin
  for (m = 0; m < 64; m = m + 1)
    masked[8*m +: 8] <= ({within}) & !(first & (m < 26 | (has_tag & m < 30)))
      ? data[8*m +: 8] : 8'd0;
  for (n = 0; n < 4; n = n + 1) part[n] <= sum[n];
  q <= {{2'd0, part[0]}} + {{2'd0, part[1]}} + {{2'd0, part[2]}} + {{2'd0, part[3]}};
end",
            declared = beat_bytes::declare("covered"),
            within = beat_bytes::is_within("m"),
        ))
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}

/// `right` says six clocks after a beat whether the sum up to it is that of a right checksum.
#[block]
pub struct UdpSum {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The beat.
    pub data: Signal<In, W<512, 8>>,
    /// There is a beat.
    pub enable: Signal<In, Bit>,
    /// It is the frame's first.
    pub first: Signal<In, Bit>,
    /// There is a VLAN tag.
    pub has_tag: Signal<In, Bit>,
    /// Bytes that belong to the packet, 0 to 64.
    pub covered: Signal<In, U<7>>,
    /// UDP length, which the pseudo header repeats.
    pub udp_len: Signal<In, U<16>>,
    /// The checksum is right.
    pub right: Signal<Out, Bit>,
    beat: BeatSum,
    enable_3: Delay<Bit, 3>,
    first_3: Delay<Bit, 3>,
    udp_len_3: Delay<U<16>, 3>,
    total: DFF<U<32>>,
    once: DFF<U<17>>,
    right_6: DFF<Bit>,
}

#[kernel]
impl Logic for UdpSum {
    fn update(&mut self) {
        inputs!(beat: data, first, has_tag, covered);
        enable_3 = enable;
        first_3 = first;
        udp_len_3 = udp_len;
        if enable_3 {
            if first_3 {
                // protocol 17 and the length once more
                total = bit_cast_u::<32, 21>(beat.q) + bit_cast_u::<32, 16>(udp_len_3) + 17;
            } else {
                total = total + bit_cast_u::<32, 21>(beat.q);
            }
        }
        once = bit_cast_u::<17, 16>(bit_cast_u::<16, 32>(total)) + bit_cast_u::<17, 16>(total.get_bits::<16>(16));
        right_6 =
            (bit_cast_u::<16, 17>(once) + bit_cast_u::<16, 1>(bit_cast_b(once.get_bit(16)))) == bits_u::<16>(0xffff);
        right = right_6;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
