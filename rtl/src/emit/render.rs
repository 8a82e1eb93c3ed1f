//! Statements as text: the body of an `always_comb`, and the `assign`s.

use super::array::Arrays;
use super::stmt::Stmt;
use super::unify::{Pattern, VARIABLES};
use std::cell::Cell;
use std::collections::BTreeSet;

/// A loop of assignments: first turn, the one behind the last, and the name of what is assigned.
type AssignLoop = (usize, usize, String);

/// Writes statements, and counts the loops that stay written out.
pub(super) struct Renderer<'a> {
    pub arrays: &'a Arrays,
    /// Loops in the text.
    pub loops: Cell<usize>,
    /// Loops whose turns differ in shape.
    pub unrolled: Cell<usize>,
}

/// Some turns of a loop as one text.
struct Turns {
    from: usize,
    to: usize,
    body: Pattern,
}

/// `x[2] = y[2];` taken apart: target and value.
fn copied(text: &str) -> Option<(&str, &str)> {
    text.trim().strip_suffix(';')?.split_once(" = ")
}

/// A literal zero, and nothing else.
fn is_zero(value: &str) -> bool {
    value
        .split_once('\'')
        .is_some_and(|(width, digits)| width.chars().all(|c| c.is_ascii_digit()) && matches!(digits, "d0" | "h0" | "0"))
}

impl<'a> Renderer<'a> {
    pub fn new(arrays: &'a Arrays) -> Self {
        Self {
            arrays,
            loops: Cell::new(0),
            unrolled: Cell::new(0),
        }
    }

    /// The turns of a loop by as few texts as possible: all in one, or the first or the last one apart.
    fn turns(&self, turns: &[Pattern], from: usize, depth: usize) -> Option<Vec<Turns>> {
        let part = |at: usize, to: usize| {
            let one = to - at == 1;
            let body = match one {
                true => turns[at].clone(),
                false => Pattern::of_turns(&turns[at..to], from + at, depth)?,
            };
            Some(Turns {
                from: from + at,
                to: from + to,
                body,
            })
        };
        let count = turns.len();
        let cuts: &[&[usize]] = match count {
            0 | 1 => &[],
            2 | 3 => &[&[]],
            _ => &[&[], &[1], &[count - 1]],
        };
        for cut in cuts {
            let mut ends: Vec<usize> = cut.to_vec();
            ends.push(count);
            let mut at = 0;
            let parts: Option<Vec<Turns>> = ends
                .iter()
                .map(|to| {
                    let found = part(at, *to);
                    at = *to;
                    found
                })
                .collect();
            if parts.is_some() {
                self.loops.set(self.loops.get() + 1);
                return parts;
            }
        }
        self.unrolled.set(self.unrolled.get() + usize::from(count > 1));
        None
    }

    /// `a = b` where the turns of a loop copy all items of one array to another, or clear them.
    fn whole(&self, body: &str, turns: usize, depth: usize) -> Option<String> {
        let (target, value) = copied(body)?;
        let index = format!("[{}]", VARIABLES.get(depth)?);
        let all = |text: &str| {
            let text = text.strip_suffix(&index)?;
            let base = text.split('[').next()?;
            let array = self.arrays.get(base)?;
            let fixed = text.matches('[').count();
            (array.dims.get(fixed) == Some(&turns)).then(|| (text.to_string(), array.dims[fixed..].to_vec(), &array.of))
        };
        let (to, dims, of) = all(target)?;
        if is_zero(value) && dims.len() == 1 {
            return Some(format!("{to} = '0;"));
        }
        if value == "'0" {
            return Some(format!("{to} = '0;"));
        }
        let (from, other, same) = all(value)?;
        (other == dims && same == of).then(|| format!("{to} = {from};"))
    }

    /// The statements, `depth` loops inside others.
    pub fn block(&self, block: &[Stmt], indent: usize, depth: usize) -> Pattern {
        let pad = "  ".repeat(indent);
        let mut out = Pattern::default();
        for stmt in block {
            match stmt {
                Stmt::Assign { shown, part, value, .. } => {
                    out.push(Pattern::of(&format!("{pad}{shown}{part} = {};\n", value.text)))
                }
                Stmt::If(arms) => {
                    out.push(Pattern::of(&pad));
                    for (i, arm) in arms.iter().enumerate() {
                        let otherwise = if i > 0 { " else " } else { "" };
                        out.push(Pattern::of(&match &arm.condition {
                            Some(condition) => format!("{otherwise}if ({}) begin\n", condition.text),
                            None => format!("{otherwise}begin\n"),
                        }));
                        out.push(self.block(&arm.body, indent + 1, depth));
                        out.push(Pattern::of(&format!("{pad}end")));
                    }
                    out.push(Pattern::of("\n"));
                }
                Stmt::Case { test, arms } => {
                    out.push(Pattern::of(&format!("{pad}case ({})\n", test.text)));
                    for (label, body) in arms {
                        out.push(Pattern::of(&format!("{pad}  {label}: begin\n")));
                        out.push(self.block(body, indent + 2, depth));
                        out.push(Pattern::of(&format!("{pad}  end\n")));
                    }
                    out.push(Pattern::of(&format!("{pad}endcase\n")));
                }
                Stmt::Loop { from, turns } => {
                    let written: Vec<Pattern> = turns
                        .iter()
                        .map(|turn| self.block(turn, indent + 1, depth + 1))
                        .collect();
                    match self.turns(&written, *from, depth) {
                        Some(parts) => parts.iter().for_each(|part| out.push(self.repeat(part, &pad, depth))),
                        None => {
                            for turn in turns {
                                out.push(self.block(turn, indent, depth));
                            }
                        }
                    }
                }
            }
        }
        out
    }

    /// Lines that write the items of an array with these dimensions, one each and in order: `q = '0`, `q <= d`, `q = {4{2'd3}}`, or a loop.
    pub fn copies(&self, lines: &[&str], dims: &[usize]) -> Option<String> {
        let operator = if lines.first()?.contains(" <= ") { " <= " } else { " = " };
        let parts: Option<Vec<(&str, &str)>> = lines
            .iter()
            .map(|line| line.trim().trim_end_matches(';').split_once(operator))
            .collect();
        let parts = parts?;
        let base = parts[0].0.split('[').next()?;
        let value = parts[0].1;
        if operator == " = " && parts.iter().all(|(_, other)| *other == value) {
            return Some(match is_zero(value) {
                true => format!("    {base} = '0;\n"),
                false => format!("    {base} = {{{}{{{value}}}}};\n", lines.len()),
            });
        }
        let from = value.split('[').next()?;
        let same = |(to, value): &(&str, &str)| to.strip_prefix(base) == value.strip_prefix(from);
        let of = |name: &str| self.arrays.get(name).map(|array| (&array.dims, &array.of));
        if parts.iter().all(same) && of(base) == of(from) {
            return Some(format!("    {base}{operator}{from};\n"));
        }
        let patterns: Vec<Pattern> = lines.iter().map(|line| Pattern::of(&format!("  {line}"))).collect();
        let [count] = dims else { return None };
        let body = Pattern::of_turns(&patterns, 0, 0)?.text();
        Some(format!("    for (int i = 0; i < {count}; i++) begin\n{body}    end\n"))
    }

    fn repeat(&self, turns: &Turns, pad: &str, depth: usize) -> Pattern {
        let Turns { from, to, body } = turns;
        let count = to - from;
        if count == 1 {
            return body.clone().outdented(pad);
        }
        let whole = (*from == 0).then(|| self.whole(&body.text(), count, depth)).flatten();
        if let Some(whole) = whole {
            return Pattern::of(&format!("{pad}{whole}\n"));
        }
        let i = VARIABLES[depth];
        let mut out = Pattern::text_only(format!("{pad}for (int {i} = {from}; {i} < {to}; {i}++) begin\n"));
        out.push(body.clone());
        out.push(Pattern::text_only(format!("{pad}end\n")));
        out
    }

    /// `assign`s, loops of them as generate loops whose names are not among `names` yet; targets for which `skip` holds are left out.
    /// Neighbouring loops over the same turns are one.
    pub fn assigns(&self, single: &[Stmt], skip: &dyn Fn(&str) -> bool, names: &mut BTreeSet<String>) -> String {
        let mut pieces: Vec<(Option<AssignLoop>, String)> = vec![];
        for stmt in single {
            for (turns, text) in self.assign(stmt, skip) {
                match (turns, pieces.last_mut()) {
                    (Some((from, to, _)), Some((Some((a, b, _)), before))) if (from, to) == (*a, *b) => {
                        *before += &text
                    }
                    (turns, _) => pieces.push((turns, text)),
                }
            }
        }
        let mut out = String::new();
        for (turns, text) in pieces {
            let Some((from, to, label)) = turns else {
                out += &text;
                continue;
            };
            let base = format!("g_{label}");
            let numbered = (2..).map(|n| format!("{base}_{n}"));
            let free = |name: &String| !names.contains(name);
            let name = std::iter::once(base.clone()).chain(numbered).find(free).unwrap_or(base);
            out += &format!("  for (genvar i = {from}; i < {to}; i++) begin : {name}\n");
            text.lines().for_each(|line| out += &format!("  {line}\n"));
            out += "  end\n";
            names.insert(name);
        }
        out
    }

    /// One assignment or a loop of one: with its turns and a name, where it is a loop.
    fn assign(&self, stmt: &Stmt, skip: &dyn Fn(&str) -> bool) -> Vec<(Option<AssignLoop>, String)> {
        let line = |stmt: &Stmt| match stmt {
            Stmt::Assign {
                target,
                shown,
                part,
                value,
                ..
            } if !skip(target) => Some(format!("  assign {shown}{part} = {};\n", value.text)),
            _ => None,
        };
        let Stmt::Loop { from, turns } = stmt else {
            return line(stmt).map(|text| (None, text)).into_iter().collect();
        };
        let written: Option<Vec<String>> = turns
            .iter()
            .map(|turn| match &turn[..] {
                [one @ Stmt::Assign { .. }] => line(one),
                _ => None,
            })
            .collect();
        let patterns: Option<Vec<Pattern>> = written.map(|all| all.iter().map(|text| Pattern::of(text)).collect());
        let parts = patterns.and_then(|patterns| self.turns(&patterns, *from, 0));
        let Some(parts) = parts else {
            let inner = turns.iter().flatten();
            return inner.flat_map(|stmt| self.assign(stmt, skip)).collect();
        };
        let label = match &turns[0][0] {
            Stmt::Assign { shown, .. } => shown.split('[').next().unwrap_or(shown).to_string(),
            _ => String::new(),
        };
        let piece = |part: &Turns| {
            let text = part.body.text();
            let count = part.to - part.from;
            let plain = text.trim().strip_prefix("assign ").unwrap_or_default();
            match (part.from == 0).then(|| self.whole(plain, count, 0)).flatten() {
                _ if count == 1 => (None, text),
                Some(whole) => (None, format!("  assign {whole}\n")),
                None => (Some((part.from, part.to, label.clone())), text),
            }
        };
        parts.iter().map(piece).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_alone_is_a_zero() {
        assert!(is_zero("26'd0") && is_zero("'0") && is_zero("1'h0"));
        assert!(!is_zero("a ? b : 26'd0") && !is_zero("a - 1'd0") && !is_zero("2'd01") && !is_zero("a"));
    }
}
