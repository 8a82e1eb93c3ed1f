//! UDP checksum of a frame, checked as its beats go by: addresses, protocol and length, UDP header and data, in ones'
//! complement.

use crate::emit::naming::named;
use crate::emit::naming::named_inside;
use crate::prim::delay::Delay;
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::wide::W;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Sum of the 16-bit big-endian words of a beat that are to be summed; three clocks: of two words, of eight, of all.
#[block]
pub struct BeatSum {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The beat's bytes that belong to the packet, byte 0 in the lowest bits, zeros behind them.
    pub bytes: Signal<In, W<512, 8>>,
    /// It is the frame's first: addresses, UDP and data begin at byte 26, or 30 with a VLAN tag.
    pub first: Signal<In, Bit>,
    /// There is a VLAN tag.
    pub has_tag: Signal<In, Bit>,
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
            let bytes = self.bytes.val();
            let byte = |i: usize| bytes.get_bits::<8>(8 * i).0 << (8 * (1 - i % 2));
            self._pipe[0] = (from..64).map(byte).sum();
        }
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "reg [511:0] summed;
reg [16:0] pair [0:15];
reg [18:0] part [0:3];
integer i;
integer k;
integer n;
initial begin
  q = 0;
  for (n = 0; n < 16; n = n + 1) pair[n] = 0;
  for (n = 0; n < 4; n = n + 1) part[n] = 0;
end
always_comb
  for (i = 0; i < 64; i = i + 1)
    summed[8*i +: 8] = (first & (i < 26 | (has_tag & i < 30))) ? 8'd0 : bytes[8*i +: 8];
always @(posedge clk) begin
  for (k = 0; k < 16; k = k + 1)
    pair[k] <= {1'd0, summed[32*k +: 8], summed[32*k + 8 +: 8]} + {1'd0, summed[32*k + 16 +: 8], summed[32*k + 24 +: 8]};
  for (k = 0; k < 4; k = k + 1)
    part[k] <= {2'd0, pair[4*k]} + {2'd0, pair[4*k + 1]} + {2'd0, pair[4*k + 2]} + {2'd0, pair[4*k + 3]};
  q <= {2'd0, part[0]} + {2'd0, part[1]} + {2'd0, part[2]} + {2'd0, part[3]};
end"
            .into(),
        )
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}

/// `right` says five clocks after a beat whether the sum up to it is that of a right checksum.
#[block]
pub struct UdpSum {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The beat's bytes that belong to the packet, zeros behind them.
    pub bytes: Signal<In, W<512, 8>>,
    /// There is a beat.
    pub enable: Signal<In, Bit>,
    /// The beat is the first of its frame.
    pub first: Signal<In, Bit>,
    /// There is a VLAN tag.
    pub has_tag: Signal<In, Bit>,
    /// UDP length, which the pseudo header repeats.
    pub udp_len: Signal<In, U<16>>,
    /// The checksum is right.
    pub right: Signal<Out, Bit>,
    beat: BeatSum,
    enable_3: Delay<Bit, 3>,
    first_3: Delay<Bit, 3>,
    pseudo: Signal<Local, U<17>>,
    pseudo_3: Delay<U<17>, 3>,
    before: Signal<Local, U<32>>,
    /// Sum of the bytes of the packet that have come, with those of the pseudo header.
    total: DFF<U<32>>,
    #[signals(U<16>: high, low)]
    /// The UDP checksum is right.
    right_5: DFF<Bit>,
}

#[kernel]
impl Logic for UdpSum {
    fn update(&mut self) {
        inputs!(beat: bytes, first, has_tag);
        enable_3 = enable;
        first_3 = first;
        // protocol 17 and the length once more
        pseudo = bit_cast_u::<17, 16>(udp_len) + 17;
        pseudo_3 = pseudo;
        before = if first_3 { bit_cast_u::<32, 17>(pseudo_3) } else { total };
        if enable_3 {
            total = before + bit_cast_u::<32, 21>(beat.q);
        }
        // the halves add up to ones, with a carry in it only if both are ones; the sum is never zero
        low = bit_cast_u::<16, 32>(total);
        high = total.get_bits::<16>(16);
        right_5 = (low ^ high).all() | (low.all() & high.all());
        right = right_5;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
