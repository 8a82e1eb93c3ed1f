//! What looks like a measured number: a cell of a table, or a number with a unit in running text.

/// Units that mostly stand behind a setting or a format; a fraction before one of them is taken as measured.
const UNITS: [&str; 28] = [
    "Gb/s",
    "Mb/s",
    "kb/s",
    "GB/s",
    "MB/s",
    "ns",
    "us",
    "ms",
    "s",
    "MHz",
    "GHz",
    "bytes",
    "KB",
    "MB",
    "GB",
    "KiB",
    "MiB",
    "packets",
    "frames",
    "messages",
    "clocks",
    "LUTs",
    "flip-flops",
    "multipliers",
    "cells",
    "runs",
    "events",
    "flows",
];
/// Units of what was counted or timed; any number before one of them is taken as measured.
const COUNTED: [&str; 10] = [
    "%", "percent", "thousand", "million", "times", "seconds", "minutes", "minute", "hours", "hour",
];

/// Numbers in words, which before `times` or `percent` count as much as digits.
const WORDS: [&str; 21] = [
    "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "fifteen", "twenty", "thirty", "forty",
    "fifty", "sixty", "seventy", "eighty", "ninety", "hundred", "hundreds", "thousand",
];

/// A cell that is a number, perhaps with a unit, or that has one with a fraction.
pub fn measured(cell: &str) -> bool {
    let text = cell.trim().trim_start_matches(['*', '<', '>', '~', '-', ' ']);
    let number = text
        .chars()
        .take_while(|c| c.is_ascii_digit() || ".,  ".contains(*c))
        .count();
    let begins = text.starts_with(|c: char| c.is_ascii_digit());
    let fraction = text.split(|c: char| !c.is_ascii_digit() && c != '.').any(|word| {
        word.split_once('.')
            .is_some_and(|(a, b)| !a.is_empty() && !b.is_empty())
    });
    fraction || begins && text.len() - number.min(text.len()) <= 6
}

/// The numbers of a line of running text that look measured, each with its unit.
pub fn claims(line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut found = vec![];
    for pair in words.windows(2) {
        let number = pair[0].trim_start_matches(['(', '~', '*', '"', '>', '<', '-']);
        let plain = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || c == '.');
        let fraction = number.contains('.') && !number.ends_with('.');
        let unit = pair[1].trim_end_matches(|c: char| !(c.is_alphanumeric() || c == '%'));
        if plain
            && number.starts_with(|c: char| c.is_ascii_digit())
            && (COUNTED.contains(&unit) || fraction && UNITS.contains(&unit))
        {
            found.push(format!("{number} {unit}"));
        }
        if WORDS.contains(&&*number.to_lowercase()) && ["times", "percent"].contains(&unit) {
            found.push(format!("{number} {unit}"));
        }
    }
    found
}

/// A table with at least so many different numbers may be one of measurements.
const NUMBERS: usize = 3;

/// A table, as its lines, has numbers that look measured.
pub fn measurements(table: &[&str]) -> bool {
    let mut cells: Vec<&str> = table[2..]
        .iter()
        .flat_map(|row| row.split('|'))
        .filter(|c| measured(c))
        .collect();
    cells.sort_unstable();
    cells.dedup();
    cells.len() >= NUMBERS
}

#[test]
fn what_is_a_number_and_what_is_none() {
    for cell in [
        "92.6",
        " 12 000 ",
        "**1488**",
        "0.81 % at 93 Gb/s",
        "78",
        "26.6 million",
        "3.5 / 3.9",
    ] {
        assert!(measured(cell), "{cell}");
    }
    for cell in ["", "-", "hpcc_slot", "PSN", "the same", "1 to 16 messages wait"] {
        assert!(!measured(cell), "{cell}");
    }
    assert_eq!(
        claims("it takes 4.3 ns, (12 % of 7 Gb/s); v1.2 of 5 us"),
        ["4.3 ns", "12 %"]
    );
    assert_eq!(claims("about eighty times slower, four of them"), ["eighty times"]);
    assert!(claims("at 100 Gb/s with 4 messages of 2 MiB, section 4.3 of the paper").is_empty());
    assert!(measurements(&["| a |", "| - |", "| 1.0 | 2.0 | 3.0 |"]));
    assert!(!measurements(&["| a |", "| - |", "| 1.0 | 1.0 | 3.0 |"]));
}
