//! What the ICRC covers of a beat, with zeros around it.
//!
//! The ICRC is that of the packet without INT, but for what echoes INT to a NIC that has it covered (`ECHO_ICRC_FULL`). Instead of moving the whole packet down over its INT, the 28 bytes of IPv4 and UDP
//! are moved up behind it, and zeros take the place in front of them, which a zero CRC register does not see.
//!
//! | clock | does |
//! |---|---|
//! | 0 | headers moved within an eight of bytes; which eight of them stands where in the beat |
//! | 1 | headers moved by eights; which bytes of the beat are not its own |
//! | 2 | both put together |

use crate::block;
use crate::emit::naming::named;
use crate::prim::two_texts::two_texts;
use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// IPv4 and UDP header.
const HEADERS: usize = 28;
/// Bytes of a beat.
const BEAT: usize = 64;
/// Byte of the BTH that the ICRC reads as ones.
const BTH_MASKED: usize = 4;
/// Eights of bytes that the headers lie in, wherever they begin.
const EIGHTS: usize = 5;

/// What decides where the ICRC finds the bytes of a frame.
#[derive(Clone, Copy)]
struct Shape {
    /// There is a VLAN tag.
    has_tag: bool,
    /// 0 without INT, else 1 + records.
    code: usize,
    /// There is INT, and it is not covered.
    behind_int: bool,
}

/// What the CRC gets for a byte of a frame.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    /// Zero.
    Zero,
    /// This byte of the headers.
    Header(usize),
    /// Ones.
    Ones,
    /// The frame's own.
    Own,
}

impl Shape {
    /// From `{behind_int, has_tag, code}`.
    fn of(bits: usize) -> Self {
        Self {
            has_tag: bits & 8 != 0,
            code: bits & 7,
            behind_int: bits & 16 != 0,
        }
    }

    /// First byte behind the Ethernet header and INT of this code.
    fn start(self, code: usize) -> usize {
        let int = if code == 0 { 0 } else { 8 * code - 6 };
        (if self.has_tag { 18 } else { 14 }) + int
    }

    /// First byte of the headers as the CRC gets them: behind INT that is not covered, in their place before INT that is. Where they would be
    /// behind INT that is not there, which no frame asks for, they are behind that of no record.
    fn headers_at(self) -> usize {
        self.start(if self.behind_int { self.code.max(1) } else { 0 })
    }

    /// Byte of the frame that the CRC gets as ones.
    fn masked_at(self) -> usize {
        self.start(self.code) + HEADERS + BTH_MASKED
    }

    /// What the CRC gets for byte `i` of beat `number`; beats from 2 on are all the frame's own.
    fn source(self, number: usize, i: usize) -> Source {
        let (from, at) = (self.headers_at(), BEAT * number + i);
        match at {
            _ if number > 1 => Source::Own,
            _ if at < from => Source::Zero,
            _ if at < from + HEADERS => Source::Header(at - from),
            _ if at == self.masked_at() => Source::Ones,
            _ => Source::Own,
        }
    }
}

/// Verilog that computes the same for a simulator that works with words of a processor: a beat is put together of at most five parts, which stand at fixed places for each shape of frame.
fn by_words() -> String {
    // shapes by beat, which share it
    let mut beats: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for select in 0..64 {
        let source = |i| Shape::of(select % 32).source(select / 32, i);
        let (mut parts, mut low) = (vec![], 0);
        for i in 0..BEAT {
            let more = match source(i) {
                Source::Header(at) => Source::Header(at + 1),
                same => same,
            };
            if i + 1 < BEAT && source(i + 1) == more {
                continue;
            }
            let (high, bits) = (8 * i + 7, 8 * (i + 1 - low));
            parts.push(match source(i) {
                Source::Zero => format!("{bits}'d0"),
                Source::Header(at) => format!("swapped_2[{}:{}]", 8 * at + 7, 8 * (at + 1) - bits),
                Source::Ones => format!("{{{bits}{{1'b1}}}}"),
                Source::Own => format!("bytes[{high}:{}]", 8 * low),
            });
            low = i + 1;
        }
        parts.reverse();
        beats.entry(parts.join(", ")).or_default().push(format!("6'd{select}"));
    }
    let cases: String = beats.iter().fold(String::new(), |cases, (parts, selects)| {
        cases + &format!("    {}: q <= {{{parts}}};\n", selects.join(", "))
    });
    format!(
        "// there has been a clock, two
reg some_1;
reg some_2;
reg [1:0] number_1;
reg [1:0] number_2;
reg [223:0] swapped_1;
reg [223:0] swapped_2;
// {{behind_int, has_tag, code}}
reg [4:0] shape_1;
reg [4:0] shape_2;
integer k;
initial begin
  q = 0;
  some_1 = 0;
  some_2 = 0;
  number_1 = 0;
  number_2 = 0;
  swapped_1 = 0;
  swapped_2 = 0;
  shape_1 = 0;
  shape_2 = 0;
end
always @(posedge clk) begin
  some_1 <= 1'b1;
  some_2 <= some_1;
  number_1 <= number;
  if (!number[1]) begin
    for (k = 0; k < {HEADERS}; k = k + 1) swapped_1[8*k +: 8] <= headers[8*({last}-k) +: 8];
    shape_1 <= {{behind_int, has_tag, code}};
  end
  number_2 <= number_1;
  if (!number_1[1]) begin
    swapped_2 <= swapped_1;
    shape_2 <= shape_1;
  end
  if (!some_2) q <= 512'd0;
  else if (number_2[1]) q <= bytes;
  else case ({{number_2[0], shape_2}})
{cases}  endcase
end
",
        last = HEADERS - 1,
    )
}

/// `q` belongs to the inputs of three clocks ago, `bytes` of one clock ago.
#[block]
pub struct IcrcBytes {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Number of the beat in the frame: 0, 1, or 2 for all later ones.
    pub number: Signal<In, U<2>>,
    /// IPv4 and UDP header as the ICRC reads them, with the CRC's initial value in it, first byte in the highest bits.
    pub headers: Signal<In, W<224, 4>>,
    /// There is a VLAN tag.
    pub has_tag: Signal<In, Bit>,
    /// 0 without INT, else 1 + records, 6 at most.
    pub code: Signal<In, U<3>>,
    /// There is INT, and it is not covered.
    pub behind_int: Signal<In, Bit>,
    /// Two clocks later: the beat's bytes that belong to the packet, zeros behind them.
    pub bytes: Signal<In, W<512, 8>>,
    /// Bytes for the CRC.
    pub q: Signal<Out, W<512, 8>>,
    /// The headers in their places and the byte of ones, and a mask of the beat's own bytes, of one and two clocks ago.
    _fixed: [(W<512, 8>, u64); 2],
}

impl Logic for IcrcBytes {
    fn update(&mut self) {
        if !self.clock.pos_edge() {
            return;
        }
        let (fixed, own) = self._fixed[1];
        let bytes = self.bytes.val();
        self.q.next = W(std::array::from_fn(|i| {
            let bits = (0..8).filter(|bit| own >> (8 * i + bit) & 1 == 1);
            fixed.0[i] | bytes.0[i] & bits.fold(0, |mask, bit| mask | 0xff << (8 * bit))
        }));
        self._fixed[1] = self._fixed[0];

        let [has_tag, behind_int] = [&self.has_tag, &self.behind_int].map(|flag| usize::from(flag.val()));
        let shape = Shape::of(behind_int << 4 | has_tag << 3 | self.code.val().index());
        let (headers, number) = (self.headers.val(), self.number.val().index());
        let (mut words, mut own) = ([0; 8], 0);
        for i in 0..BEAT {
            let byte = match shape.source(number, i) {
                Source::Zero => 0,
                Source::Header(at) => headers.get_bits::<8>(8 * (HEADERS - 1 - at)).0,
                Source::Ones => 0xff,
                Source::Own => {
                    own |= 1 << i;
                    0
                }
            };
            words[i / 8] |= byte << (8 * (i % 8));
        }
        self._fixed[0] = (W(words), own);
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        let (mut within, mut cases) = (String::new(), String::new());
        // headers before INT, or without it; behind INT, which ends at an eight of bytes or in the middle of one, it is the same for any number of records
        for select in 0..4 {
            let shape = Shape {
                has_tag: select & 2 != 0,
                code: 1,
                behind_int: select & 1 != 0,
            };
            let from = shape.headers_at() % 8;
            let _ = writeln!(
                within,
                "    2'd{select}: moved[{high}:{low}] = swapped;",
                low = 8 * from,
                high = 8 * (from + HEADERS) - 1,
            );
        }
        for select in 0..32 {
            let (from, masked) = (Shape::of(select).headers_at(), Shape::of(select).masked_at());
            let eights: Vec<String> = (0..EIGHTS).map(|i| format!("at_{i}[{}]", from / 8 + i)).collect();
            let _ = writeln!(
                cases,
                "    5'd{select}: begin {each} = 1'b1; own[{last}:0] = {behind}'d0; own[{masked}] = 1'b0; ones[{masked}] = 1'b1; end",
                each = eights.join(" = 1'b1; "),
                last = from + HEADERS - 1,
                behind = from + HEADERS,
            );
        }
        let numbered = |text: &dyn Fn(usize) -> String| (0..EIGHTS).map(text).collect::<String>();
        let gates = format!(
            "// the headers within eights of bytes, and the eights of the first two beats in which each of these stands
reg [223:0] swapped;
reg [{top}:0] moved;
{at}reg [127:0] own;
reg [127:0] ones;
reg [{top}:0] eights;
{here}reg [63:0] mine_1;
reg [63:0] ones_1;
reg [511:0] fixed;
reg [63:0] mine;
integer i;
integer k;
integer n;
initial begin
  q = 0;
  eights = 0;
{here_zero}  mine_1 = 0;
  ones_1 = 0;
  fixed = 0;
  mine = 0;
end
always_comb begin
  for (k = 0; k < {HEADERS}; k = k + 1) swapped[8*k +: 8] = headers[8*({last}-k) +: 8];
  moved = {wide}'d0;
  case ({{has_tag, behind_int}})
{within}  endcase
end
always_comb begin
{at_zero}  own = {{128{{1'b1}}}};
  ones = 128'd0;
  case ({{behind_int, has_tag, code}})
{cases}  endcase
end
always @(posedge clk) begin
  eights <= moved;
{here_next}  mine_1 <= (number == 2'd0) ? own[63:0] : (number == 2'd1) ? own[127:64] : {{64{{1'b1}}}};
  ones_1 <= (number == 2'd0) ? ones[63:0] : (number == 2'd1) ? ones[127:64] : 64'd0;
  mine <= mine_1;
  for (i = 0; i < 8; i = i + 1)
    for (n = 0; n < 8; n = n + 1)
      fixed[64*i + 8*n +: 8] <= {{8{{ones_1[8*i + n]}}}}{chosen};
  for (i = 0; i < 64; i = i + 1) q[8*i +: 8] <= fixed[8*i +: 8] | (bytes[8*i +: 8] & {{8{{mine[i]}}}});
end",
            wide = 64 * EIGHTS,
            top = 64 * EIGHTS - 1,
            last = HEADERS - 1,
            at = numbered(&|e| format!("reg [15:0] at_{e};\n")),
            at_zero = numbered(&|e| format!("  at_{e} = 16'd0;\n")),
            here = numbered(&|e| format!("reg [7:0] here_{e};\n")),
            here_zero = numbered(&|e| format!("  here_{e} = 0;\n")),
            here_next = numbered(&|e| format!(
                "  here_{e} <= (number == 2'd0) ? at_{e}[7:0] : (number == 2'd1) ? at_{e}[15:8] : 8'd0;\n"
            )),
            chosen = numbered(&|e| format!(" | (eights[{} + 8*n +: 8] & {{8{{here_{e}[i]}}}})", 64 * e)),
        );
        Verilog::Custom(two_texts(&by_words(), &gates))
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}
