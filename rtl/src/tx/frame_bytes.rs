//! Bytes of a frame into their places: header, then payload behind it without a gap.

use crate::block;
use crate::emit::naming::named;
use crate::prim::beat_bytes;
use crate::prim::two_texts::two_texts;
use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Bytes of the longest header, Ethernet, IPv4 and UDP 42, INT 42, BTH 12, AETH 4, rounded up to eight.
const HEADER: usize = 104;
/// Clocks from the inputs to the beat.
pub const FRAME_BYTES_LATENCY: usize = 2;

/// First byte of the payload in its beat; `code` is bits 1:0 extension (0 none, 1 RETH, 2 AETH), bit 2 empty INT header.
pub const fn start(code: usize) -> usize {
    let int = if code & 4 == 0 { 0 } else { 2 };
    let extension = match code & 3 {
        1 => 16,
        2 => 4,
        _ => 0,
    };
    (54 + int + extension) % 64
}

/// `q` belongs to the inputs of two clocks ago, and to the `count` of three. The part of a beat of payload that does not fit goes into the next beat with `enable`;
/// between them frames without payload may come, without `enable`.
#[block]
pub struct FrameBytes {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// There is a beat of a frame with payload; what is carried over waits otherwise.
    pub enable: Signal<In, Bit>,
    /// It is the first beat of `header`.
    pub first: Signal<In, Bit>,
    /// It is the second.
    pub second: Signal<In, Bit>,
    /// It is the first beat of `ack_header`.
    pub ack_first: Signal<In, Bit>,
    /// It is the second.
    pub ack_second: Signal<In, Bit>,
    /// Of the payload before it, what did not fit is carried over into it.
    pub carries: Signal<In, Bit>,
    /// Header of a frame of data, first byte in the highest bits, zero behind its end.
    pub header: Signal<In, W<832, 13>>,
    /// Header of an acknowledgement or the like, likewise.
    pub ack_header: Signal<In, W<832, 13>>,
    /// Payload, first byte lowest.
    pub payload: Signal<In, W<512, 8>>,
    /// Its bytes, 0 to 64, a clock before it; what is behind them does not matter.
    pub count: Signal<In, U<7>>,
    /// With `count`: it counts; low: there is no payload.
    pub counts: Signal<In, Bit>,
    /// Where payload starts, see [`start`].
    pub code: Signal<In, U<3>>,
    /// Beat of the frame, zero where nothing belongs.
    pub q: Signal<Out, W<512, 8>>,
    _count: usize,
    _head: W<512, 8>,
    _payload: W<512, 8>,
    _code: usize,
    _fresh: bool,
    _enable: bool,
    _previous: W<512, 8>,
}

impl Logic for FrameBytes {
    fn update(&mut self) {
        if !self.clock.pos_edge() {
            return;
        }
        let up = 8 * start(self._code) as u64;
        let mut q = self._head | self._payload << up;
        if !self._fresh {
            q = q | self._previous >> (512 - up);
        }
        self.q.next = q;
        if self._enable {
            self._previous = self._payload;
        }
        let mut head = [0; 8];
        let (header, ack) = (&self.header, &self.ack_header);
        for (shown, part, header) in [
            (&self.first, 0, header),
            (&self.second, 1, header),
            (&self.ack_first, 0, ack),
            (&self.ack_second, 1, ack),
        ] {
            for i in (0..64).filter(|i| shown.val() && 64 * part + i < HEADER) {
                let byte = header.val().get_bits::<8>(8 * (HEADER - 1 - 64 * part - i)).0;
                head[i / 8] |= byte << (8 * (i % 8));
            }
        }
        self._head = W(head);
        self._payload = match self._count {
            0 => W::default(),
            count @ 1..=63 => self.payload.val() << (512 - 8 * count as u64) >> (512 - 8 * count as u64),
            _ => self.payload.val(),
        };
        self._count = if self.counts.val() { self.count.val().index() } else { 0 };
        self._code = self.code.val().index();
        self._fresh = !self.carries.val();
        self._enable = self.enable.val();
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        let starts: BTreeSet<usize> = (0..8).map(start).collect();
        let mut choices = String::new();
        let mut decoded = String::new();
        let mut cases = String::new();
        for (i, first) in starts.iter().enumerate() {
            let up = 8 * first;
            let _ = writeln!(
                choices,
                "  placed = placed | ({{512{{at[{i}]}}}} & {{body[{0}:0], {up}'d0}}) | ({{512{{over[{i}]}}}} & {{{1}'d0, previous[511:{1}]}});",
                511 - up,
                512 - up,
            );
            let codes: Vec<usize> = (0..8).filter(|code| start(*code) == *first).collect();
            let each = |text: &dyn Fn(&usize) -> String, between: &str| {
                codes.iter().map(text).collect::<Vec<_>>().join(between)
            };
            let _ = writeln!(
                cases,
                "    {of}: q <= head | {{body[{0}:0], {up}'d0}} | (fresh ? 512'd0 : {{{1}'d0, previous[511:{1}]}});",
                511 - up,
                512 - up,
                of = each(&|code| format!("3'd{code}"), ", "),
            );
            let codes = each(&|code| format!("code == 3'd{code}"), " || ");
            let _ = writeln!(decoded, "  at[{i}] <= {codes};\n  over[{i}] <= carries && ({codes});");
        }
        let last = HEADER - 1;
        let words = format!(
            "// without a mask where the payload fills the beat
reg [511:0] head;
reg [511:0] body;
reg [511:32] previous;
reg [6:0] count_1;
reg [2:0] code_1;
reg fresh;
reg moves;
integer k;
initial begin
  q = 0;
  head = 0;
  body = 0;
  previous = 0;
  count_1 = 0;
  code_1 = 0;
  fresh = 0;
  moves = 0;
end
always @(posedge clk) begin : places
  reg [511:0] shown;
  shown = 512'd0;
  if (first) for (k = 0; k < 64; k = k + 1) shown[8*k +: 8] = header[8*({last}-k) +: 8];
  if (second) for (k = 0; k < {HEADER} - 64; k = k + 1) shown[8*k +: 8] = shown[8*k +: 8] | header[8*({last}-64-k) +: 8];
  if (ack_first) for (k = 0; k < 64; k = k + 1) shown[8*k +: 8] = shown[8*k +: 8] | ack_header[8*({last}-k) +: 8];
  if (ack_second) for (k = 0; k < {HEADER} - 64; k = k + 1) shown[8*k +: 8] = shown[8*k +: 8] | ack_header[8*({last}-64-k) +: 8];
  head <= shown;
  count_1 <= counts ? count : 7'd0;
  if (count_1 == 7'd0) body <= 512'd0;
  else {keep}
  code_1 <= code;
  fresh <= !carries;
  moves <= enable;
  case (code_1)
{cases}  endcase
  if (moves) previous <= body[511:32];
end
",
            keep = beat_bytes::keep_by_words("body", "payload", "count_1"),
        );
        let gates = format!(
            "// eights of bytes that are there whole, the one that is there in part, bytes of that
{declared}// whether bytes count, which is late: beside `keep`, not before it
reg counts_1;
reg [1023:0] swapped;
reg [1023:0] ack_swapped;
reg [511:0] head;
reg [63:0] keep;
reg [511:0] body;
reg [511:32] previous;
reg [511:0] placed;
// where payload starts, a bit each; of what is carried over into the beat
reg [{starts}:0] at;
reg [{starts}:0] over;
reg moves;
integer i;
integer k;
initial begin
  q = 0;
  counts_1 = 0;
  head = 0;
  keep = 0;
  body = 0;
  previous = 0;
  at = 0;
  over = 0;
  moves = 0;
end
always_comb begin
  swapped = 1024'd0;
  ack_swapped = 1024'd0;
  for (k = 0; k < {HEADER}; k = k + 1) begin
    swapped[8*k +: 8] = header[8*({last}-k) +: 8];
    ack_swapped[8*k +: 8] = ack_header[8*({last}-k) +: 8];
  end
  placed = head;
{choices}end
always @(posedge clk) begin
  // each part behind a register of its own, none behind another's decision
  head <= ({{512{{first}}}} & swapped[511:0]) | ({{512{{second}}}} & swapped[1023:512])
    | ({{512{{ack_first}}}} & ack_swapped[511:0]) | ({{512{{ack_second}}}} & ack_swapped[1023:512]);
  // a byte that is not there is cleared by its registers themselves, without a table before each bit
  for (i = 0; i < 64; i = i + 1) begin
    keep[i] <= {within};
    body[8*i +: 8] <= keep[i] && counts_1 ? payload[8*i +: 8] : 8'd0;
  end
{decoded}  counts_1 <= counts;
  moves <= enable;
  q <= placed;
  if (moves) previous <= body[511:32];
end",
            declared = beat_bytes::declare("count"),
            within = beat_bytes::is_within("i"),
            starts = starts.len() - 1,
        );
        Verilog::Custom(two_texts(&words, &gates))
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}
