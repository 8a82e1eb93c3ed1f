//! CRC-32 of Ethernet over 64 bytes a clock, in three parts that a pipeline puts together.
//!
//! The register is linear in its own bits and in the data, so a beat's contribution is computed ahead ([`CrcFold`], no
//! feedback) and only 32 bits go round the loop ([`CrcState`]). Zeros in front of a message leave a zero register alone: an
//! initial value is an XOR into the first four bytes. A message that ends inside a beat is filled up with zeros, and
//! [`CrcResidue`] says what its register then is if it ends with its own CRC. For a CRC to be sent, [`CrcUnroll`] takes the
//! zeros back out.
//!
//! Reference and generator of the XOR masks: [`hpcc_models::wire::crc32_update`].

use super::two_texts::two_texts;
use super::uint::U;
use super::wide::W;
use crate::block;
use crate::emit::naming::named;
use hpcc_models::wire::{crc32_update, ICRC_PRESET};
use rust_hdl::prelude::*;
use std::fmt::Write as _;

/// Bytes of a beat.
const BEAT: usize = 64;
/// Clocks from `data` to `q` of [`CrcFold`].
pub const FOLD_LATENCY: usize = 2;

/// Register after `n` zero bytes.
fn zeros(state: u32, n: usize) -> u32 {
    crc32_update(state, &[0; BEAT][..n])
}

/// Register before `n` zero bytes, the inverse of [`zeros`].
fn zeros_back(state: u32, n: usize) -> u32 {
    // One step of the register backwards: the bit that fell out says whether the polynomial was added.
    let back = |state: u32| {
        let fell = state >> 31;
        (state ^ (fell * 0xedb8_8320)) << 1 | fell
    };
    (0..8 * n).fold(state, |state, _| back(state))
}

/// What [`CrcFold`] adds for a beat, eight bytes at a step, from a table of what a byte leaves in the register.
const FOLD_BY_BYTES: &str = "// `after[256*k + v]`: a zero register after byte v and k bytes of zeros
reg [31:0] after [0:2047];
reg [31:0] part;
reg [31:0] sum;
reg [63:0] eight;
integer i;
integer k;
initial begin
  q = 0;
  part = 0;
  for (i = 0; i < 256; i = i + 1) begin
    sum = i;
    for (k = 0; k < 8; k = k + 1) sum = (sum >> 1) ^ (sum[0] ? 32'hedb88320 : 32'd0);
    after[i] = sum;
  end
  for (i = 256; i < 2048; i = i + 1) after[i] = (after[i-256] >> 8) ^ after[after[i-256] & 32'hff];
end
always @(posedge clk) begin
  sum = 32'd0;
  for (k = 0; k < 8; k = k + 1) begin
    eight = data[64*k +: 64] ^ {32'd0, sum};
    sum = after[{3'd7, eight[7:0]}] ^ after[{3'd6, eight[15:8]}] ^ after[{3'd5, eight[23:16]}] ^ after[{3'd4, eight[31:24]}]
      ^ after[{3'd3, eight[39:32]}] ^ after[{3'd2, eight[47:40]}] ^ after[{3'd1, eight[55:48]}] ^ after[{3'd0, eight[63:56]}];
  end
  part <= sum;
  q <= part;
end
";

/// For each output bit the input bits of `width` that it is the XOR of, given the image of each input bit.
fn masks(width: usize, image: impl Fn(usize) -> u32) -> [u64; 32] {
    let mut masks = [0; 32];
    for bit in 0..width {
        let column = image(bit);
        for (row, mask) in masks.iter_mut().enumerate() {
            *mask |= u64::from(column >> row & 1) << bit;
        }
    }
    masks
}

/// What a beat adds to a zero register: `q` is `data` two clocks ago, byte 0 in the lowest bits and first on the wire.
#[block]
pub struct CrcFold {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// 64 bytes.
    pub data: Signal<In, W<512, 8>>,
    /// Contribution.
    pub q: Signal<Out, U<32>>,
    _part: u32,
}

impl Logic for CrcFold {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.q.next = U(self._part.into());
            let mut bytes = [0; BEAT];
            for (bytes, word) in bytes.chunks_mut(8).zip(self.data.val().0) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
            self._part = crc32_update(0, &bytes);
        }
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        let mut text = String::from("reg [31:0] part [0:7];\ninteger i;\ninitial begin\n  q = 0;\n");
        text += "  for (i = 0; i < 8; i = i + 1) part[i] = 0;\nend\nalways @(posedge clk) begin\n";
        for word in 0..8 {
            let (low, high) = (64 * word, 64 * word + 63);
            let image = |bit: usize| {
                let mut bytes = [0; BEAT];
                bytes[8 * word + bit / 8] = 1 << (bit % 8);
                crc32_update(0, &bytes)
            };
            for (row, mask) in masks(64, image).iter().enumerate() {
                let _ = writeln!(
                    text,
                    "  part[{word}][{row}] <= ^(data[{high}:{low}] & 64'h{mask:016x});"
                );
            }
        }
        text += "  q <= part[0] ^ part[1] ^ part[2] ^ part[3] ^ part[4] ^ part[5] ^ part[6] ^ part[7];\nend";
        Verilog::Custom(two_texts(FOLD_BY_BYTES, &text))
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}

/// The register: one beat a clock. No reset: a message starts with `first`. Beats of another message may come in between, in clocks that follow each other: with
/// `aside`, while what the first has left waits.
#[block]
pub struct CrcState {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// There is a beat; the register keeps its value otherwise.
    pub enable: Signal<In, Bit>,
    /// The beat is the first of its message.
    pub first: Signal<In, Bit>,
    /// The clock belongs to a message that comes in between.
    pub aside: Signal<In, Bit>,
    /// Its contribution.
    pub fold: Signal<In, U<32>>,
    /// Register after it, one clock later; without `aside` that of the message which waits.
    pub q: Signal<Out, U<32>>,
    _state: u32,
    _waiting: u32,
}

impl Logic for CrcState {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let held = if self.aside.val() { self._state } else { self._waiting };
            self._state = held;
            if self.enable.val() {
                let before = if self.first.val() { 0 } else { zeros(held, BEAT) };
                self._state = before ^ self.fold.val().0 as u32;
            }
            if !self.aside.val() {
                self._waiting = self._state;
            }
            self.q.next = U(self._state.into());
        }
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        // a table for each byte of the register: what it is after a beat of zeros
        let mut words = String::from(
            "// `after[256*k + v]`: a register with v in byte k and zeros elsewhere after a beat of zeros\n",
        );
        words += "reg [31:0] after [0:1023];\ninteger i;\ninitial begin\n";
        for byte in 0..4 {
            let _ = writeln!(words, "  after[{}] = 32'd0;", 256 * byte);
            for bit in 0..8 {
                let image = zeros(1 << (8 * byte + bit), BEAT);
                let _ = writeln!(words, "  after[{}] = 32'h{image:08x};", 256 * byte + (1 << bit));
            }
        }
        words += "  // the sum of what the lowest bit and the others leave\n";
        words += "  for (i = 1; i < 1024; i = i + 1)\n    if ((i & (i - 1) & 255) != 0) after[i] = after[i & (i - 1)] ^ after[(i & ~255) | (i & -i)];\n";
        words += "end\nalways_comb\n  after_beat = enable ? fold ^ after[{2'd0, base[7:0]}] ^ after[{2'd1, base[15:8]}] ^ after[{2'd2, base[23:16]}] ^ after[{2'd3, base[31:24]}] : held;\n";
        let mut gates = String::from("always_comb begin\n  after_beat = held;\n  if (enable) begin\n");
        for (row, mask) in masks(32, |bit| zeros(1 << bit, BEAT)).iter().enumerate() {
            let _ = writeln!(gates, "    after_beat[{row}] = fold[{row}] ^ ^(base & 32'h{mask:08x});");
        }
        let state = two_texts(&words, &(gates + "  end\nend"));
        Verilog::Custom(format!(
            "// what the message that others come between has left
reg [31:0] waiting;
wire [31:0] held = aside ? q : waiting;
wire [31:0] base = first ? 32'd0 : held;
reg [31:0] after_beat;
initial begin
  q = 0;
  waiting = 0;
end
{state}
always @(posedge clk) begin
  q <= after_beat;
  if (!aside) waiting <= after_beat;
end"
        ))
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}

/// Register after a message that ends with its own CRC (inverted, least significant byte first) and `zeros` zero bytes.
#[block]
pub struct CrcResidue {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The output moves.
    pub enable: Signal<In, Bit>,
    /// Zero bytes, 0 to 63.
    pub zeros: Signal<In, U<6>>,
    /// Register, one clock later.
    pub q: Signal<Out, U<32>>,
}

impl Logic for CrcResidue {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.enable.val() {
            // The register after any message with its CRC is the value that ICRC_PRESET happens to be, too.
            self.q.next = U(zeros(ICRC_PRESET, self.zeros.val().index()).into());
        }
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        let mut text = String::from("initial q = 0;\nalways @(posedge clk)\n  if (enable)\n    case (zeros)\n");
        for n in 0..BEAT {
            let _ = writeln!(text, "      6'd{n}: q <= 32'h{:08x};", zeros(ICRC_PRESET, n));
        }
        Verilog::Custom(text + "    endcase")
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}

/// Clocks from the inputs to `q` of [`CrcUnroll`].
pub const UNROLL_LATENCY: usize = 6;

/// CRC to be sent, from the register of a message that was filled up with `zeros` zero bytes: six conditional steps back of 1 to 32
/// bytes, one a clock, then inverted.
#[block]
pub struct CrcUnroll {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Register after message and zeros.
    pub state: Signal<In, U<32>>,
    /// Zero bytes, 0 to 63.
    pub zeros: Signal<In, U<6>>,
    /// CRC-32, inverted; its lowest byte goes on the wire first.
    pub q: Signal<Out, U<32>>,
    _pipe: [(u32, usize); UNROLL_LATENCY],
}

impl Logic for CrcUnroll {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            for i in (0..UNROLL_LATENCY).rev() {
                let (state, left) = match i {
                    0 => (self.state.val().0 as u32, self.zeros.val().index()),
                    _ => self._pipe[i - 1],
                };
                self._pipe[i] = (zeros_back(state, left & 1 << i), left);
            }
            self.q.next = U((!self._pipe[UNROLL_LATENCY - 1].0).into());
        }
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        let mut text = String::new();
        for i in 1..UNROLL_LATENCY {
            let (top, unit) = (UNROLL_LATENCY - 1, i);
            let _ = writeln!(text, "reg [31:0] state_{i};\nreg [{top}:{unit}] zeros_{i};");
        }
        text += "initial begin\n  q = 0;\n";
        for i in 1..UNROLL_LATENCY {
            let _ = writeln!(text, "  state_{i} = 0;\n  zeros_{i} = 0;");
        }
        text += "end\nalways @(posedge clk) begin\n";
        for i in 0..UNROLL_LATENCY {
            let (state, zeros) = if i == 0 {
                ("state".to_owned(), "zeros".to_owned())
            } else {
                (format!("state_{i}"), format!("zeros_{i}"))
            };
            let last = i + 1 == UNROLL_LATENCY;
            let (to, not) = if last { ("q".to_owned(), "~") } else { (format!("state_{}", i + 1), "") };
            let _ = writeln!(text, "  if ({zeros}[{i}]) begin");
            for (row, mask) in masks(32, |bit| zeros_back(1 << bit, 1 << i)).iter().enumerate() {
                let _ = writeln!(text, "    {to}[{row}] <= {not}^({state} & 32'h{mask:08x});");
            }
            let _ = writeln!(text, "  end else begin\n    {to} <= {not}{state};\n  end");
            if !last {
                let _ = writeln!(text, "  zeros_{0} <= {zeros}[{1}:{0}];", i + 1, UNROLL_LATENCY - 1);
            }
        }
        Verilog::Custom(text + "end")
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}

#[cfg(test)]
#[path = "crc_tests.rs"]
mod tests;
