//! Where emitted Verilog can be changed without changing a width: operators, constants, conditions, slices, inversions.

use std::ops::Range;

/// Kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// One operator for another.
    Operator,
    /// A literal or a shift distance, one up or down.
    Constant,
    /// A condition negated or fixed.
    Condition,
    /// A slice one bit further down.
    Slice,
    /// An inversion left out, or one reduction for another.
    Inversion,
    /// An assignment left out.
    Assignment,
    /// Two fields or arguments swapped.
    Field,
}

/// One possible change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// File of the module.
    pub file: String,
    /// Line, from one.
    pub line: usize,
    /// The expression that is changed, as a range of bytes of the line.
    pub region: Range<usize>,
    /// The expression afterwards.
    pub replacement: String,
    /// Kind of change.
    pub kind: Kind,
}

impl Point {
    /// The line before and after, without indentation.
    pub fn lines(&self, text: &str) -> (String, String) {
        let line = text.lines().nth(self.line - 1).unwrap_or_default();
        let after = format!(
            "{}{}{}",
            &line[..self.region.start],
            self.replacement,
            &line[self.region.end..]
        );
        (line.trim().into(), after.trim().into())
    }
}

/// Every point of one file. Only what a simulator sees counts: not the branch for a vendor's cells, not declarations,
/// not initial values.
///
/// The package has none, and the library's parts with parameters are proven by lockstep tests of their own: there an expression
/// may be a constant of elaboration, which no input can choose.
pub fn points(file: &str, text: &str) -> Vec<Point> {
    let library = text.contains("parameter integer") && !text.contains("always_comb");
    if library || text.contains("\nendpackage") {
        return vec![];
    }
    let (mut found, mut vendor, mut initial) = (vec![], false, None);
    for (number, line) in text.lines().enumerate() {
        let (code, indent) = (line.trim_start(), line.len() - line.trim_start().len());
        match code {
            _ if code.starts_with("`ifdef") => vendor = true,
            _ if code.starts_with("`else") || code.starts_with("`endif") => vendor = false,
            _ if code.starts_with("initial begin") => initial = Some(indent),
            "end" if initial == Some(indent) => initial = None,
            _ => {}
        }
        if vendor || initial.is_some() {
            continue;
        }
        for (region, condition) in regions(line) {
            for (replacement, kind) in changes(&line[region.clone()], condition) {
                found.push(Point {
                    file: file.into(),
                    line: number + 1,
                    region: region.clone(),
                    replacement,
                    kind,
                });
            }
        }
    }
    found
}

/// End of the parenthesis that is open at `from`.
fn closing(line: &str, from: usize) -> Option<usize> {
    let mut depth = 1;
    for (at, c) in line[from..].char_indices() {
        depth += (c == '(') as i32 - (c == ')') as i32;
        if depth == 0 {
            return Some(from + at);
        }
    }
    None
}

/// Expressions of a line, and whether each is a condition.
fn regions(line: &str) -> Vec<(Range<usize>, bool)> {
    const NEVER: &[&str] = &[
        "//",
        "`",
        "localparam",
        "logic ",
        "reg ",
        "input ",
        "output ",
        "module",
        "initial",
        "for ",
        "integer",
        "(*",
        ".",
    ];
    let code = line.trim_start();
    if NEVER.iter().any(|start| code.starts_with(start)) || code.contains("unused") {
        return vec![];
    }
    let mut found = vec![];
    let mut from = line.len() - code.len();
    for opening in ["if (", "case ("] {
        if let Some(at) = line.find(opening) {
            let start = at + opening.len();
            if let Some(end) = closing(line, start) {
                found.push((start..end, opening == "if ("));
                from = end + 1;
            }
        }
    }
    let rest = &line[from..];
    let assignment = [" <= ", " = "]
        .iter()
        .filter_map(|op| Some((rest.find(op)?, op.len())))
        .min();
    if let (Some((at, length)), true) = (assignment, rest.trim_end().ends_with(';')) {
        let end = from + rest.trim_end().len() - 1;
        found.push((from + at + length..end, false));
    }
    found
}

/// All changed forms of an expression.
fn changes(expression: &str, condition: bool) -> Vec<(String, Kind)> {
    const OPERATORS: &[(&str, &str)] = &[
        (" + ", " - "),
        (" - ", " + "),
        (" * ", " + "),
        (" & ", " | "),
        (" | ", " & "),
        (" ^ ", " | "),
        (" == ", " != "),
        (" != ", " == "),
        (" < ", " <= "),
        (" < ", " >= "),
        (" <= ", " < "),
        (" <= ", " > "),
        (" > ", " >= "),
        (" > ", " <= "),
        (" >= ", " > "),
        (" >= ", " < "),
        (" << ", " >> "),
        (" >> ", " << "),
        (" && ", " || "),
        (" || ", " && "),
    ];
    const PREFIXES: &[(&str, &str)] = &[("~", ""), ("(|", "(&"), ("(&", "(|"), ("(^", "(|")];
    let mut found = vec![];
    let mut replace = |at: usize, length: usize, by: &str, kind: Kind| {
        found.push((format!("{}{by}{}", &expression[..at], &expression[at + length..]), kind));
    };
    for (table, kind) in [(OPERATORS, Kind::Operator), (PREFIXES, Kind::Inversion)] {
        for (from, to) in table {
            expression
                .match_indices(from)
                .for_each(|(at, _)| replace(at, from.len(), to, kind));
        }
    }
    for (at, length, values) in constants(expression) {
        values
            .iter()
            .for_each(|value| replace(at, length, value, Kind::Constant));
    }
    for (at, length, shifted) in slices(expression) {
        replace(at, length, &shifted, Kind::Slice);
    }
    if condition {
        let whole = expression.len();
        replace(0, whole, &format!("!({expression})"), Kind::Condition);
        replace(0, whole, "1'b1", Kind::Condition);
        replace(0, whole, "1'b0", Kind::Condition);
    }
    found
}

fn digits(text: &str, radix: u32) -> usize {
    text.chars().take_while(|c| c.is_digit(radix)).count()
}

/// Sized literals of at most 64 bits and distances of constant shifts, with their neighbours.
fn constants(expression: &str) -> Vec<(usize, usize, Vec<String>)> {
    let mut found = vec![];
    for (quote, _) in expression.match_indices('\'') {
        let before = expression[..quote]
            .chars()
            .rev()
            .take_while(char::is_ascii_digit)
            .count();
        let Ok(width) = expression[quote - before..quote].parse::<u32>() else {
            continue;
        };
        let base = &expression[quote + 1..];
        let radix = match base.chars().next() {
            Some('d') => 10,
            Some('h') => 16,
            Some('b') => 2,
            _ => continue,
        };
        let length = digits(&base[1..], radix);
        let Ok(value) = u64::from_str_radix(&base[1..1 + length], radix) else {
            continue;
        };
        if width > 64 {
            continue;
        }
        let mask = u64::MAX >> (64 - width);
        let mut values: Vec<u64> = vec![value.wrapping_add(1) & mask, value.wrapping_sub(1) & mask];
        values.dedup();
        let text = values.iter().map(|value| format!("{width}'h{value:x}")).collect();
        found.push((quote - before, before + 2 + length, text));
    }
    for shift in [" << ", " >> "] {
        for (at, _) in expression.match_indices(shift) {
            let start = at + shift.len();
            let length = digits(&expression[start..], 10);
            let literal = expression[start + length..].starts_with('\'');
            if let (Ok(by), false) = (expression[start..start + length].parse::<u64>(), literal) {
                let near = [by + 1, by.saturating_sub(1)].into_iter().filter(|near| *near != by);
                found.push((start, length, near.map(|by| by.to_string()).collect()));
            }
        }
    }
    found
}

/// `[high:low]` with `low` above zero, one bit further down.
fn slices(expression: &str) -> Vec<(usize, usize, String)> {
    let mut found = vec![];
    for (open, _) in expression.match_indices('[') {
        let Some(length) = expression[open..].find(']') else {
            continue;
        };
        let Some((high, low)) = expression[open + 1..open + length].split_once(':') else {
            continue;
        };
        if let (Ok(high), Ok(low)) = (high.parse::<u64>(), low.parse::<u64>()) {
            if low > 0 {
                found.push((open, length + 1, format!("[{}:{}]", high - 1, low - 1)));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        points("f.sv", line).iter().map(|point| point.lines(line).1).collect()
    }

    #[test]
    fn every_kind_of_change_is_found() {
        assert_eq!(texts("  assign a = b + c;"), ["assign a = b - c;"]);
        assert_eq!(texts("  a_q <= a_d;"), Vec::<String>::new());
        assert_eq!(texts("  assign a = b[7:4];"), ["assign a = b[6:3];"]);
        assert_eq!(texts("  assign a = 4'd15;"), ["assign a = 4'h0;", "assign a = 4'he;"]);
        assert_eq!(
            texts("  assign a = (b >> 3);"),
            ["assign a = (b << 3);", "assign a = (b >> 4);", "assign a = (b >> 2);"]
        );
        assert_eq!(
            texts("    if (x) begin"),
            ["if (!(x)) begin", "if (1'b1) begin", "if (1'b0) begin"]
        );
        assert_eq!(
            texts("  if (we) mem[a] <= ~d;").last().map(String::as_str),
            Some("if (we) mem[a] <= d;")
        );
        assert_eq!(texts("  a = 1'd1;"), ["a = 1'h0;"]);
    }

    #[test]
    fn what_no_simulator_runs_is_left_alone() {
        let text = "`ifdef SYNTH_ECP5\n  assign a = b + c;\n`else\n  assign a = b * c;\n`endif\n  initial begin\n    a = 1'd1;\n  end\n  wire unused_bits = &{1'b0, b};\n  localparam A = 2'd1;\n";
        let found = points("f.sv", text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].line, found[0].kind), (4, Kind::Operator));
    }
}
