//! Where Rust can be changed so that it still means something: operators, constants, assignments left out, fields swapped.
//!
//! The text is what rustfmt leaves: binary operators stand between blanks, generics do not. Tests, attributes, comments, strings and
//! declarations of constants' types stay as they are, and so does what computes the same by its form (`same.rs`).

use super::same::same;
use crate::mutate::{Kind, Point};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;

/// One operator for another: what stands in the source between blanks, and what replaces it.
const OPERATORS: [(&str, &str); 18] = [
    (" + ", " - "),
    (" - ", " + "),
    (" * ", " + "),
    (" / ", " * "),
    (" % ", " / "),
    (" == ", " != "),
    (" != ", " == "),
    (" < ", " <= "),
    (" <= ", " < "),
    (" > ", " >= "),
    (" >= ", " > "),
    (" && ", " || "),
    (" || ", " && "),
    (" << ", " >> "),
    (" >> ", " << "),
    (" & ", " | "),
    (" | ", " ^ "),
    (" ^ ", " | "),
];
/// Methods that are operators by name.
const METHODS: [(&str, &str); 8] = [
    ("wrapping_add(", "wrapping_sub("),
    ("wrapping_sub(", "wrapping_add("),
    (".min(", ".max("),
    (".max(", ".min("),
    (".all()", ".any()"),
    (".any()", ".all()"),
    ("if !", "if "),
    ("true", "false"),
];
/// Lines that are no code of their own, or none that runs.
const NEVER: [&str; 22] = [
    "//",
    "#",
    "use ",
    "pub use ",
    "mod ",
    "pub mod ",
    "const ",
    "pub const ",
    "static ",
    "type ",
    "pub type ",
    "fn ",
    "pub fn ",
    "impl",
    "struct ",
    "pub struct ",
    "enum ",
    "pub enum ",
    "trait ",
    "pub trait ",
    "assert",
    "debug_assert",
];

/// Every point of one file.
pub fn points(file: &str, text: &str) -> Vec<Point> {
    let mut found = Vec::new();
    let mut strings = BTreeSet::new();
    if let Ok(tokens) = text.parse() {
        lines_of_strings(tokens, &mut strings);
    }
    let same = same(text);
    // there an assignment to a name gives a signal or register its next value
    let kernels = text.contains("#[kernel]");
    // What writes the text of a Verilog module computes nothing in simulation; the emitted module is compared with RustHDL and with the one kept.
    let makes_text = text.contains("fn hdl(");
    // Where the body of the last `timing`, `fmt` or `hdl` ends, by its indentation: what describes and does not compute.
    let mut skipped: Option<usize> = None;
    // Where the next line begins.
    let mut next = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let start = next;
        next += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        let code = line.trim_start();
        let indent = line.len() - code.len();
        // By the house's habit tests are the end of a file.
        if code.starts_with("#[cfg(test)]") {
            break;
        }
        if skipped.is_some_and(|at| indent == at && code.starts_with('}')) {
            skipped = None;
            continue;
        }
        let describes = ["fn timing(", "fn fmt(", "fn hdl(", "inputs!(", "outputs!("];
        let text = makes_text && code.contains("fn ") && code.ends_with("-> String {");
        let skips = text || describes.iter().any(|word| code.starts_with(word));
        if skipped.is_none() && skips && !code.ends_with(';') {
            skipped = Some(indent);
        }
        let words = code.trim_start_matches("pub(super) ").trim_start_matches("pub(crate) ");
        let declares = words.ends_with(',')
            && words
                .split_once(": ")
                .is_some_and(|(_, of)| of.starts_with("Signal<") || of.starts_with("DFF<"));
        let never =
            NEVER.iter().any(|word| words.starts_with(word)) || describes.iter().any(|word| code.starts_with(word));
        let string = line.contains('"') || strings.contains(&(index + 1));
        if skipped.is_some() || never || declares || string {
            continue;
        }
        let code_end = line.find(" //").unwrap_or(line.len());
        let mut here = Vec::new();
        of_line(file, index + 1, &line[..code_end], kernels, &mut here);
        let is_same = |point: &Point| {
            let (from, to) = (start + point.region.start, start + point.region.end);
            same.iter().any(|range| range.start <= from && to <= range.end)
        };
        found.extend(here.into_iter().filter(|point| !is_same(point)));
    }
    found
}

/// Lines, from 1, of strings that go over several: the Verilog of a primitive is no Rust.
fn lines_of_strings(tokens: TokenStream, found: &mut BTreeSet<usize>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => lines_of_strings(group.stream(), found),
            TokenTree::Literal(literal) => {
                let (first, last) = (literal.span().start().line, literal.span().end().line);
                if first < last {
                    found.extend(first..=last);
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

fn of_line(file: &str, number: usize, line: &str, kernels: bool, found: &mut Vec<Point>) {
    let mut push = |start: usize, end: usize, replacement: &str, kind: Kind| {
        found.push(Point {
            file: file.into(),
            line: number,
            region: start..end,
            replacement: replacement.into(),
            kind,
        });
    };
    for (before, after) in OPERATORS.iter().chain(&METHODS) {
        for (at, _) in line.match_indices(before) {
            // A bar between patterns is no operator, a bound of a type neither.
            let arm = *before == " | " && line.contains("=>") || line.trim_end().ends_with('|');
            let bound = *before == " + " && (line.contains("impl ") || line.contains("dyn ") || line.contains("where"));
            let word = *before == "true" && line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if !(arm || bound || word) {
                let kind = if before.starts_with("if") {
                    Kind::Condition
                } else {
                    Kind::Operator
                };
                push(at, at + before.len(), after, kind);
            }
        }
    }
    for (start, end) in numbers(line) {
        if let Ok(value) = line[start..end].replace('_', "").parse::<u64>() {
            push(start, end, &(value + 1).to_string(), Kind::Constant);
        }
    }
    let start = line.len() - line.trim_start().len();
    if let Some((target, _)) = line.split_once(" = ") {
        let assigns = line.ends_with(';')
            && (kernels || target.contains('.') || target.trim_start().starts_with('*'))
            && !target.contains("let ");
        if assigns {
            push(start, line.len(), "", Kind::Assignment);
        }
    }
    // `a: x, b: y` of one line, and `(x, y)`: the two values change places.
    if let Some((first, second)) = pair(line) {
        let swapped = format!(
            "{}{}{}",
            &line[second.0..second.1],
            &line[first.1..second.0],
            &line[first.0..first.1]
        );
        push(first.0, second.1, &swapped, Kind::Field);
    }
}

/// Decimal numbers that are no part of a name, of a type or of a range of bits in a type.
fn numbers(line: &str) -> Vec<(usize, usize)> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_' || bytes[at] == b'.') {
            at += 1;
        }
        let digits = line[start..at].bytes().all(|b| b.is_ascii_digit() || b == b'_');
        let before = start.checked_sub(1).map(|i| bytes[i]);
        let alone = before.is_none_or(|b| matches!(b, b' ' | b'(' | b'[' | b'-'));
        if digits && alone {
            found.push((start, at));
        }
    }
    found
}

/// Two simple names in parentheses.
fn pair(line: &str) -> Option<((usize, usize), (usize, usize))> {
    let open = line.find('(')?;
    let close = open + line[open..].find(')')?;
    let inside = &line[open + 1..close];
    let (first, second) = inside.split_once(", ")?;
    let simple = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b == b'_' || b == b'.' || b.is_ascii_digit())
    };
    let plain = simple(first)
        && simple(second)
        && first != second
        && !first.as_bytes()[0].is_ascii_digit()
        && !second.as_bytes()[0].is_ascii_digit();
    let start = open + 1;
    plain.then(|| ((start, start + first.len()), (start + first.len() + 2, close)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str) -> Vec<String> {
        points("f.rs", text).iter().map(|p| p.lines(text).1).collect()
    }

    #[test]
    fn operators_constants_assignments_and_pairs() {
        assert_eq!(changed("    a + b\n"), ["a - b"]);
        assert_eq!(changed("    x.min(limit)\n"), ["x.max(limit)"]);
        assert_eq!(changed("    let a = 7;\n"), ["let a = 8;"]);
        assert_eq!(changed("    self.una = psn;\n"), [""]);
        assert_eq!(changed("    step(first, second)\n"), ["step(second, first)"]);
        assert_eq!(changed("    if a < 1_000 {\n"), ["if a <= 1_000 {", "if a < 1001 {"]);
    }

    #[test]
    fn what_does_not_run_stays() {
        for text in [
            "// a + b\n",
            "    const A: u64 = 1 + 2;\n",
            "    fn f(a: u32, b: u32) -> u32 {\n",
            "    format!(\"{} + {}\", a, b)\n",
            "    Op::Ack(psn) | Op::Nak(psn) => f(psn),\n",
            "    valid: Signal<In, Bit>,\n",
            "#[cfg(test)]\nmod tests { a + b }\n",
            "fn timing(&self) -> X {\n    a + b\n}\n",
            "fn f() {\n    g(\"first\n  a <= b + 1;\n\")\n}\n",
            "    let a = b.get_bits::<32>(c);\n",
        ] {
            assert!(changed(text).is_empty(), "{text:?}: {:?}", changed(text));
        }
        assert_eq!(changed("fn timing(&self) -> X {\n    a + b\n}\n    a * b\n"), ["a + b"]);
        let kernel = "impl Logic for X {\n    fn update(&mut self) {\n        self.a.next = bits_zero::<W>(0);\n        self.a.next.b = 1;\n    }\n}\n";
        assert_eq!(changed(kernel), ["self.a.next.b = 2;", ""]);
        let kernel =
            "#[kernel]\nimpl Logic for X {\n    fn update(&mut self) {\n        sum = first + second;\n    }\n}\n";
        assert_eq!(changed(kernel), ["sum = first - second;", ""]);
        assert!(changed("        sum = first;\n").is_empty());
    }
}
