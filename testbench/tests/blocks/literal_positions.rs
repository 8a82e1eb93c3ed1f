//! How many literal bit positions the hardware's sources still have, room by room. A field has a name; what is left in the end are carries,
//! signs and slices of numbers.
//!
//! Counted are arguments of `get_bit` and `get_bits`, and distances of shifts, that are numbers or constants (a name does not make a
//! position a field), outside unit tests. Not counted are the number types and words themselves, which are made of positions, and the
//! emitter and the simulation, which are no hardware. `cargo test --test blocks literal_positions -- --nocapture` prints the table.

use hpcc_testbench::tools::cache::workspace_dir;
use std::collections::BTreeMap;
use std::path::Path;

/// Positions that there may be: as many as there are. Whoever brings them down brings this number down too.
const BOUND: usize = 227;
/// Where it was to end: carries, signs, slices of numbers.
const GOAL: usize = 300;

/// Folders and files below `rtl/src` that are no hardware or define numbers.
const APART: &[&str] = &["emit", "sim", "prim/uint.rs", "prim/wide.rs", "prim/word"];

/// `get_bit(s)` and shifts.
#[derive(Default, Clone, Copy)]
struct Count {
    bits: usize,
    shifts: usize,
}

impl Count {
    fn all(self) -> usize {
        self.bits + self.shifts
    }
}

/// Code without comments, texts and unit tests.
fn code(text: &str) -> String {
    let text = match text.split_once("#[cfg(test)]\nmod tests {") {
        Some((before, _)) => before,
        None => text,
    };
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or(line));
    let mut out = String::new();
    for (at, piece) in lines.collect::<Vec<_>>().join("\n").split('"').enumerate() {
        if at % 2 == 0 {
            out += piece;
        }
    }
    out
}

/// Whether an expression is a number or made of constants: `24`, `PSN`, `field::PSN.low + 8`.
fn is_constant(expression: &str) -> bool {
    let words = expression.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut words = words.filter(|word| !word.is_empty() && *word != "low").peekable();
    let constant = |word: &str| {
        let upper = word
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        upper || expression.contains(&format!("{word}::"))
    };
    words.peek().is_some() && words.all(constant)
}

/// The text up to the parenthesis that closes the one before it.
fn argument(text: &str) -> &str {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        depth += (c == '(') as i32 - (c == ')') as i32;
        if depth == 0 {
            return &text[..at];
        }
    }
    text
}

fn count(text: &str) -> Count {
    let text = code(text);
    let mut count = Count::default();
    for (at, _) in text.match_indices(".get_bit") {
        let rest = &text[at..];
        let opens = rest.find('(').map_or(rest, |open| &rest[open + 1..]);
        count.bits += is_constant(argument(opens)) as usize;
    }
    for operator in ["<< ", ">> "] {
        for (at, _) in text.match_indices(operator) {
            let distance = &text[at + operator.len()..];
            let end = distance
                .find([')', ',', ';', '\n', '&', '|', '}'])
                .unwrap_or(distance.len());
            let binary = text[..at].ends_with([' ', '\n']);
            count.shifts += (binary && is_constant(&distance[..end])) as usize;
        }
    }
    count
}

fn visit(folder: &Path, path: &str, rooms: &mut BTreeMap<String, Count>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for entry in entries {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        let inner = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}/{name}")
        };
        let test = name == "tests" || name.ends_with("tests.rs") || name == "stimulus.rs";
        if APART.contains(&inner.as_str()) || test {
            continue;
        }
        if entry.is_dir() {
            visit(&entry, &inner, rooms);
        } else if name.ends_with(".rs") {
            let room = inner.split_once('/').map_or("top", |(room, _)| room).to_string();
            let found = count(&std::fs::read_to_string(&entry).unwrap());
            let sum = rooms.entry(room).or_default();
            (sum.bits, sum.shifts) = (sum.bits + found.bits, sum.shifts + found.shifts);
        }
    }
}

#[test]
fn positions_become_fewer() {
    let mut rooms = BTreeMap::new();
    visit(&workspace_dir().join("rtl/src"), "", &mut rooms);
    println!("room        get_bit(s)  shifts  together");
    for (room, count) in &rooms {
        println!("{room:<11} {:>10} {:>7} {:>9}", count.bits, count.shifts, count.all());
    }
    let all: usize = rooms.values().map(|count| count.all()).sum();
    println!("{all} literal positions; the goal is {GOAL}");
    assert!(
        all <= BOUND,
        "{all} literal positions in rtl/src, {BOUND} before: give the field a name (rtl/src/words)"
    );
}

#[test]
fn positions_are_told_from_indices() {
    let text = "
        self.a.next = self.b.val().get_bits::<8>(24) | (self.c.val() << 3);
        self.d.next = self.e.val().get_bit(SIGN) & self.f.val().get_bit(self.g.val().index());
        self.h.next = self.w.val().get_bits::<32>(i * 32) >> self.s.val(); // x.get_bit(3)
        self.k.next = (self.m.val().get_bits::<16>(row::PSN.low + 8)
            << 17) | bit_cast_u::<4, 9>(self.o.val() >> PLACE);
        #[cfg(test)]\nmod tests { x.get_bit(1) }";
    let found = count(text);
    assert_eq!((found.bits, found.shifts), (3, 3));
}
