//! README and book: a table of measured numbers says when it was measured and with what, or which test holds its numbers.

use std::path::{Path, PathBuf};

/// Tables of numbers that nobody measured: formats, latencies that the pipeline's wiring gives, defaults, rules. Page and the beginning of
/// the table's first row.
const DEFINITIONS: [(&str, &str); 29] = [
    ("cc-pipeline.md", "| loop | RAM |"),
    ("cc-pipeline.md", "| clock | block |"),
    ("cc-pipeline.md", "| address | register |"),
    ("dcqcn.md", "| field | format |"),
    ("deviations.md", "| point | paper | here |"),
    ("emission.md", "| RustHDL | stock Verilog |"),
    ("hcc.md", "| key | default |"),
    ("hpccpp.md", "| hops | 1 | 2 |"),
    ("hpccpp.md", "| where | what | taken |"),
    ("link.md", "| key | default |"),
    ("network.md", "| law | parameters |"),
    ("number-formats.md", "| quantity | format |"),
    ("powertcp.md", "| address | register |"),
    ("powertcp.md", "| clock | block |"),
    ("powertcp.md", "| point | option |"),
    ("powertcp.md", "| quantity | format |"),
    ("reciprocal.md", "| epsilon | values |"),
    ("reciprocal.md", "| | values | bytes"),
    ("reciprocal.md", "| clock | paper's table |"),
    ("reciprocal.md", "| | latency, clocks |"),
    ("rx.md", "| clock | block |"),
    ("scheduler.md", "| quantity | format |"),
    ("select.md", "| clock | what |"),
    ("stamper.md", "| clock | block |"),
    ("tcp.md", "| part | rule"),
    ("tx.md", "| `DataBuilder` |"),
    ("wire-formats.md", "| port | carries |"),
    ("wire-formats.md", "| opcode | meaning |"),
    ("wire-formats.md", "| offset | bytes |"),
];

/// A table with at least so many different numbers may be one of measurements.
const NUMBERS: usize = 3;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace")
        .to_path_buf()
}

/// A cell that is a number, perhaps with a unit, or that has one with a fraction.
fn measured(cell: &str) -> bool {
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

/// `20dd-dd-dd` is in the text.
fn dated(text: &str) -> bool {
    text.as_bytes().windows(10).any(|window| {
        window.starts_with(b"20")
            && window.iter().enumerate().all(|(at, byte)| match at {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    })
}

/// A command or a file of tests that is there.
fn sourced(text: &str) -> bool {
    let command = ["hpcc-nic ", "cargo bench", "cargo test", "cargo run"];
    let file = |word: &str| {
        let path = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        path.contains("tests/") && path.ends_with(".rs") && workspace().join(path).is_file()
    };
    command.iter().any(|command| text.contains(command)) || text.split_whitespace().any(file)
}

/// Sections of a page: from one heading to the next, code and all.
fn sections(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut code = false;
    for line in text.lines() {
        code ^= line.starts_with("```");
        if line.starts_with('#') && !code {
            found.push(String::new());
        }
        let last = found.last_mut().expect("begun");
        last.push_str(line);
        last.push('\n');
    }
    found
}

#[test]
fn tables_of_measurements_say_when_and_how() {
    let root = workspace();
    let mut pages = vec![root.join("README.md")];
    let folder = std::fs::read_dir(root.join("docs/src")).expect("the book");
    pages.extend(
        folder
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|e| e == "md")),
    );
    pages.sort();
    let mut silent = vec![];
    let mut used = vec![false; DEFINITIONS.len()];
    for page in pages {
        let name = page.file_name().expect("a file").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&page).expect("a page");
        for section in sections(&text) {
            let lines: Vec<&str> = section.lines().collect();
            let tables = lines
                .split(|line| !line.starts_with('|'))
                .filter(|table| table.len() > 2);
            for table in tables {
                let definition = |(page, head): &(&str, &str)| *page == name && table[0].starts_with(head);
                if let Some(found) = DEFINITIONS.iter().position(definition) {
                    used[found] = true;
                    continue;
                }
                let mut cells: Vec<&str> = table[2..]
                    .iter()
                    .flat_map(|row| row.split('|'))
                    .filter(|c| measured(c))
                    .collect();
                cells.sort_unstable();
                cells.dedup();
                // a test of the repository holds its numbers in every commit; what is only measured ages
                let held = section.contains("tests/") && sourced(&section);
                if cells.len() >= NUMBERS && !(held || dated(&section) && sourced(&section)) {
                    silent.push(format!("{name}: {}", table[0]));
                }
            }
        }
    }
    assert!(
        silent.is_empty(),
        "no date and command, and no test:\n{}",
        silent.join("\n")
    );
    let stale: Vec<_> = DEFINITIONS.iter().zip(&used).filter(|(_, used)| !**used).collect();
    assert!(stale.is_empty(), "no such table any more: {stale:?}");
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
    assert!(dated("measured on 2026-11-20.") && !dated("2026") && !dated("20261120-1"));
    assert!(sourced("`hpcc-nic run link`") && sourced("see `testbench/tests/command/book.rs`."));
    assert!(!sourced("see `testbench/tests/command/nothing.rs`"));
}
