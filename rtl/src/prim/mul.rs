//! Pipelined unsigned multiplier, split into the 17-bit tiles that the multipliers of FPGAs take.
//!
//! 17 bits is the widest unsigned operand of both the signed 18-bit port of Xilinx' DSP48E2 and Lattice's 18 x 18
//! multiplier. In: `a`, `b` every clock. Out: bits `LOW` to `LOW + P - 1` of `a * b`, [`mul_latency`] clocks later.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 1 | `a_r`, `b_r` | operands, inside the multiplier cell |
//! | 2 | `t<row>_<column>` | tile products, inside the multiplier cell |
//! | (3) | `row<n>` | tiles of one row: even ones side by side plus odd ones side by side, one addition |
//! | (4) | `pair<n>` | sums of two rows, only where there are more than two rows |
//! | last | `p` | sum of the rows |
//!
//! Where there is one row, its sum is `p` (3 clocks); where there is one tile, its product is `p` (2 clocks).

use super::uint::{Limbs, U};
use crate::emit::naming::named_as;
use rust_hdl::prelude::*;
use std::fmt::Write;

/// Bits of one tile.
const TILE: usize = 17;
/// Widest operand: four tiles.
const MAX_OPERAND: usize = 4 * TILE;

/// Clocks from operands of `a` and `b` bits to their product: 2 for one tile (17 x 17), 3 where one operand has at most
/// 17 bits, 4 where one has at most 34, 5 otherwise.
pub const fn mul_latency(a: usize, b: usize) -> usize {
    let (narrow, wide) = if a < b { (a, b) } else { (b, a) };
    match narrow.div_ceil(TILE) {
        1 if wide <= TILE => 2,
        1 => 3,
        2 => 4,
        _ => 5,
    }
}

/// Multiplier between numbers of at most 64 bits: `P` bits from bit `LOW` of the product of `A` and `B` bits.
pub type MulPipe<const A: usize, const B: usize, const P: usize, const LOW: usize = 0> =
    Multiplier<U<A>, U<B>, U<P>, LOW>;

/// Multiplier between ports of any unsigned type up to 68 bits; [`MulPipe`] is the usual form.
#[derive(LogicBlock, Default)]
pub struct Multiplier<TA: Limbs, TB: Limbs, TP: Limbs, const LOW: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// First factor.
    pub a: Signal<In, TA>,
    /// Second factor.
    pub b: Signal<In, TB>,
    /// Bits `LOW` and up of the product.
    pub p: Signal<Out, TP>,
    _pipe: [TP; 4],
}

impl<TA: Limbs, TB: Limbs, TP: Limbs, const LOW: usize> Multiplier<TA, TB, TP, LOW> {
    /// Clocks from `a` and `b` to `p`.
    pub const LATENCY: usize = mul_latency(TA::BITS, TB::BITS);
    const FITS: () = assert!(
        TA::BITS <= MAX_OPERAND && TB::BITS <= MAX_OPERAND && LOW + TP::BITS <= TA::BITS + TB::BITS,
        "operands of at most 68 bits, and the slice lies within the product"
    );

    /// The slice of the full product that `p` shows.
    fn product(&self) -> TP {
        let (mut a, mut b, mut full, mut cut) = ([0; 2], [0; 2], [0u64; 4], [0u64; 4]);
        self.a.val().to_limbs(&mut a);
        self.b.val().to_limbs(&mut b);
        for (i, x) in a.iter().enumerate() {
            let mut carry = 0u128;
            for (j, y) in b.iter().enumerate() {
                let sum = full[i + j] as u128 + *x as u128 * *y as u128 + carry;
                full[i + j] = sum as u64;
                carry = sum >> 64;
            }
            full[i + 2] = carry as u64;
        }
        let limb = |i: usize| full.get(i).copied().unwrap_or(0);
        for (i, word) in cut.iter_mut().enumerate() {
            let (skip, bit) = (i + LOW / 64, LOW % 64);
            *word = limb(skip) >> bit | if bit == 0 { 0 } else { limb(skip + 1) << (64 - bit) };
        }
        TP::from_limbs(&cut)
    }
}

impl<TA: Limbs, TB: Limbs, TP: Limbs, const LOW: usize> Logic for Multiplier<TA, TB, TP, LOW> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.p.next = self._pipe[Self::LATENCY - 2];
            for stage in (1..Self::LATENCY - 1).rev() {
                self._pipe[stage] = self._pipe[stage - 1];
            }
            self._pipe[0] = self.product();
        }
    }
    fn connect(&mut self) {
        self.p.connect();
    }
    fn hdl(&self) -> Verilog {
        let () = Self::FITS;
        Verilog::Custom(verilog(TA::BITS, TB::BITS, TP::BITS, LOW))
    }
    fn timing(&self) -> Vec<TimingInfo> {
        let (a, b, p) = (TA::BITS, TB::BITS, TP::BITS);
        let slice = if LOW == 0 && p == a + b {
            String::new()
        } else {
            format!("_p{p}_from{LOW}")
        };
        named_as(format!("mul_pipe_{a}x{b}{slice}"))
    }
}

/// One tile of an operand: lowest bit and width.
fn tiles(bits: usize) -> Vec<(usize, usize)> {
    (0..bits.div_ceil(TILE))
        .map(|i| (i * TILE, TILE.min(bits - i * TILE)))
        .collect()
}

/// `{name, zeros, name, ..}`: terms (lowest bit, width, name) side by side in `width` bits.
fn side_by_side(terms: &[(usize, usize, String)], width: usize) -> String {
    let mut parts = vec![];
    let mut at = 0;
    for (low, bits, name) in terms {
        if *low > at {
            parts.push(format!("{}'d0", low - at));
        }
        parts.push(name.clone());
        at = low + bits;
    }
    if width > at {
        parts.push(format!("{}'d0", width - at));
    }
    parts.reverse();
    match parts.len() {
        1 => parts.remove(0),
        _ => format!("{{{}}}", parts.join(", ")),
    }
}

/// Registers of one pipeline: name, width and what they take at the clock edge.
#[derive(Default)]
struct Registers(Vec<(String, usize, String)>);

impl Registers {
    fn add(&mut self, name: String, width: usize, next: String) {
        self.0.push((name, width, next));
    }
    fn declarations(&self) -> String {
        self.0
            .iter()
            .map(|(name, width, _)| format!("reg [{}:0] {name};\n", width - 1))
            .collect()
    }
    /// Initial values and the clocked assignments; `extra` registers are declared elsewhere.
    fn clocked(&self, extra: &[(String, String)]) -> String {
        let all = self
            .0
            .iter()
            .map(|(name, _, next)| (name, next))
            .chain(extra.iter().map(|(name, next)| (name, next)));
        let (mut initial, mut edge) = (String::new(), String::new());
        for (name, next) in all {
            writeln!(initial, "  {name} = 0;").expect("string");
            writeln!(edge, "  {name} <= {next};").expect("string");
        }
        format!("initial begin\n{initial}end\nalways @(posedge clock) begin\n{edge}end\n")
    }
}

/// The module body; `a` runs along the columns and `b` along the rows, swapped where that gives fewer rows.
fn verilog(a: usize, b: usize, p: usize, low: usize) -> String {
    let (column_port, row_port, columns, rows) = if tiles(a).len() >= tiles(b).len() {
        ("a", "b", a, b)
    } else {
        ("b", "a", b, a)
    };
    let (mut cell, mut sums) = (Registers::default(), Registers::default());
    let mut ecp5 = String::new();
    cell.add(format!("{column_port}_r"), columns, column_port.into());
    cell.add(format!("{row_port}_r"), rows, row_port.into());
    for (row, (row_low, row_bits)) in tiles(rows).into_iter().enumerate() {
        let width = columns + row_bits;
        let mut sides = [vec![], vec![]];
        for (column, (column_low, column_bits)) in tiles(columns).into_iter().enumerate() {
            let (name, bits) = (format!("t{row}_{column}"), column_bits + row_bits);
            let slice = |port: &str, at: usize, n: usize| format!("{port}[{}:{at}]", at + n - 1);
            let x = slice(&format!("{column_port}_r"), column_low, column_bits);
            let y = slice(&format!("{row_port}_r"), row_low, row_bits);
            cell.add(
                name.clone(),
                bits,
                format!("{{{row_bits}'d0, {x}}} * {{{column_bits}'d0, {y}}}"),
            );
            let x = (slice(column_port, column_low, column_bits), column_bits);
            let y = (slice(row_port, row_low, row_bits), row_bits);
            ecp5 += &ecp5_cell(&name, bits, &x, &y);
            sides[column % 2].push((column_low, bits, name));
        }
        let terms: Vec<String> = sides
            .iter()
            .filter(|side| !side.is_empty())
            .map(|side| side_by_side(side, width))
            .collect();
        sums.add(format!("row{row}"), width, terms.join(" + "));
    }
    if sums.0.len() == 1 {
        return single_row(a, b, p, low, &cell, &ecp5, &sums.0[0]);
    }
    let mut partial: Vec<(String, usize)> = sums.0.iter().map(|(name, width, _)| (name.clone(), *width)).collect();
    let mut step = TILE;
    if partial.len() > 2 {
        let pairs: Vec<(String, usize)> = partial.chunks(2).map(|pair| shifted_sum(pair, step)).collect();
        partial.clear();
        for (i, (sum, width)) in pairs.into_iter().enumerate() {
            sums.add(format!("pair{i}"), width, sum);
            partial.push((format!("pair{i}"), width));
        }
        step = 2 * TILE;
    }
    let (full, width) = shifted_sum(&partial, step);
    let text = cells(&cell, &ecp5) + &sums.declarations() + &full_product(&full, width, p, low);
    text + &sums.clocked(&[("p".into(), format!("full[{}:{low}]", low + p - 1))])
}

/// The multiplier cells: instances for ECP5, registers and products for everybody else.
fn cells(cell: &Registers, ecp5: &str) -> String {
    let (declarations, clocked) = (cell.declarations(), cell.clocked(&[]));
    format!("`ifdef SYNTH_ECP5\n{ecp5}`else\n{declarations}{clocked}`endif\n")
}

/// The end of a multiplier with one row: its sum, registered, or its only product, which the cell has registered.
fn single_row(
    a: usize,
    b: usize,
    p: usize,
    low: usize,
    cell: &Registers,
    ecp5: &str,
    (_, width, sum): &(String, usize, String),
) -> String {
    let text = cells(cell, ecp5) + &full_product(sum, *width, p, low);
    let slice = format!("full[{}:{low}]", low + p - 1);
    if mul_latency(a, b) == 2 {
        return text + &format!("assign p = {slice};\n");
    }
    text + &Registers::default().clocked(&[("p".into(), slice)])
}

/// The wire `full` and what marks its bits outside the slice as unused.
fn full_product(full: &str, width: usize, p: usize, low: usize) -> String {
    let mut text = format!("wire [{}:0] full = {full};\n", width - 1);
    let mut outside = vec![];
    if low + p < width {
        outside.push(format!("full[{}:{}]", width - 1, low + p));
    }
    if low > 0 {
        outside.push(format!("full[{}:0]", low - 1));
    }
    if !outside.is_empty() {
        writeln!(text, "wire unused_full = &{{1'b0, {}}};", outside.join(", ")).expect("string");
    }
    text
}

/// `x + (y << step)` with the lowest `step` bits passed by; `x` alone where there is no `y`. Returns text and width.
fn shifted_sum(terms: &[(String, usize)], step: usize) -> (String, usize) {
    let (x, x_width) = &terms[0];
    let Some((y, y_width)) = terms.get(1) else {
        return (x.clone(), *x_width);
    };
    let high = format!("{x}[{}:{step}]", x_width - 1);
    let padded = match y_width - (x_width - step) {
        0 => high,
        pad => format!("{{{pad}'d0, {high}}}"),
    };
    (format!("{{{padded} + {y}, {x}[{}:0]}}", step - 1), y_width + step)
}

/// One Lattice multiplier with input and output registers, which Yosys does not pack by itself.
fn ecp5_cell(name: &str, bits: usize, x: &(String, usize), y: &(String, usize)) -> String {
    let operand = |(text, width): &(String, usize)| format!("{{{}'d0, {text}}}", 18 - width);
    let bus = |port: &str, net: &str, n: usize| {
        (0..n)
            .map(|i| format!(".{port}{i}({net}[{i}])"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (xn, yn, pn) = (format!("x_{name}"), format!("y_{name}"), format!("p_{name}"));
    let mut text = format!(
        "wire [17:0] {xn} = {};\nwire [17:0] {yn} = {};\n",
        operand(x),
        operand(y)
    );
    writeln!(text, "wire [35:0] {pn};\nwire [{0}:0] {name} = {pn}[{0}:0];", bits - 1).expect("string");
    let register =
        |port: &str| format!(".REG_{port}_CLK(\"CLK0\"), .REG_{port}_CE(\"CE0\"), .REG_{port}_RST(\"RST0\")");
    writeln!(text, "MULT18X18D #(").expect("string");
    for port in ["INPUTA", "INPUTB", "OUTPUT"] {
        writeln!(text, "  {},", register(port)).expect("string");
    }
    writeln!(
        text,
        "  .REG_PIPELINE_CLK(\"NONE\"), .CLK0_DIV(\"ENABLED\"), .GSR(\"DISABLED\"), .RESETMODE(\"SYNC\")"
    )
    .expect("string");
    writeln!(text, ") cell_{name} (").expect("string");
    for (port, net, width) in [("A", &xn, 18), ("B", &yn, 18), ("P", &pn, 36)] {
        writeln!(text, "  {},", bus(port, net, width)).expect("string");
    }
    writeln!(
        text,
        "  .SIGNEDA(1'b0), .SIGNEDB(1'b0), .SOURCEA(1'b0), .SOURCEB(1'b0), .CLK0(clock), .CE0(1'b1), .RST0(1'b0)\n);"
    )
    .expect("string");
    text
}

crate::ports! {
    [TA: Limbs, TB: Limbs, TP: Limbs, const LOW: usize] Multiplier<TA, TB, TP, LOW> { in a, b; out p }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::wide::W;
    use crate::sim::{init, step, Stimulus};
    use std::collections::VecDeque;

    /// Streams corner-weighted operands through and compares every product with 128-bit arithmetic.
    fn products_are_exact<const A: usize, const B: usize, const P: usize, const LOW: usize>() {
        let mut mul: Box<MulPipe<A, B, P, LOW>> = Box::default();
        init(mul.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(17);
        let mut expected = VecDeque::new();
        for clock in 0..2000 {
            let (a, b) = (stimulus.corner(A), stimulus.corner(B));
            (mul.a.next, mul.b.next) = (U(a), U(b));
            expected.push_back((a as u128 * b as u128) >> LOW & ((1u128 << P) - 1));
            let got = step(mul.as_mut(), |mul| mul.p.val().0);
            if clock >= mul_latency(A, B) {
                assert_eq!(
                    got as u128,
                    expected.pop_front().expect("in flight"),
                    "clock {clock} {A}x{B}"
                );
            }
        }
    }

    #[test]
    fn products_of_every_tiling_are_exact() {
        products_are_exact::<8, 9, 17, 0>();
        products_are_exact::<51, 17, 51, 17>();
        products_are_exact::<17, 17, 34, 0>();
        products_are_exact::<24, 20, 44, 0>();
        products_are_exact::<34, 51, 64, 21>();
        products_are_exact::<64, 64, 63, 64>();
        products_are_exact::<18, 64, 40, 3>();
    }

    /// The widest form: 68 by 68 bits, checked by (2^68 - 1)^2 = 2^136 - 2^69 + 1.
    #[test]
    fn sixty_eight_bits_square() {
        let mut mul: Box<Multiplier<W<68, 2>, W<68, 2>, W<136, 3>, 0>> = Box::default();
        init(mul.as_mut()).expect("complete block");
        (mul.a.next, mul.b.next) = (W([!0, 15]), W([!0, 15]));
        for _ in 0..mul_latency(68, 68) {
            step(mul.as_mut(), |_| ());
        }
        assert_eq!(step(mul.as_mut(), |mul| mul.p.val().0), [1, !0 << 5, 0xff]);
    }
}
