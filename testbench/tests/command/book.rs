//! README and book: a table of measured numbers, and running text with such numbers, says when they were measured and with what, or which
//! test holds them.

use std::path::{Path, PathBuf};

/// Tables of numbers that nobody measured: formats, latencies that the pipeline's wiring gives, defaults, rules. Page and the beginning of
/// the table's first row.
const DEFINITIONS: [(&str, &str); 33] = [
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
    ("nic.md", "| register | reset | is |"),
    ("nic.md", "| code | law | needs INT |"),
    ("number-formats.md", "| quantity | format |"),
    // lines of the commits that its head names
    ("numbers.md", "| blocks | before the attributes"),
    ("powertcp.md", "| address | register |"),
    ("powertcp.md", "| clock | block |"),
    ("powertcp.md", "| point | option |"),
    ("powertcp.md", "| quantity | format |"),
    ("powertcp.md", "| rule | section | here |"),
    ("reciprocal.md", "| epsilon | values |"),
    ("reciprocal.md", "| | values | bytes"),
    ("reciprocal.md", "| clock | paper's table |"),
    ("reciprocal.md", "| | latency, clocks |"),
    ("rx.md", "| clock | block |"),
    ("scheduler.md", "| quantity | format |"),
    ("select.md", "| clock | what |"),
    ("stamper.md", "| clock | block |"),
    ("tcp.md", "| part | rule"),
    ("tx.md", "| data packet | acknowledgement |"),
    ("wire-formats.md", "| port | carries |"),
    ("wire-formats.md", "| opcode | meaning |"),
    ("wire-formats.md", "| offset | bytes |"),
];

/// Numbers of running text that nobody measured: page and a piece of the line that has the number.
const REASONED: [(&str, &str); 15] = [
    // of the paper, or against it
    ("concepts.md", "95 %"),
    ("hcc.md", "5 Gb/s against 10, 50 and 5 Gb/s"),
    ("hcc.md", "\"42 to 62 %\""),
    ("reciprocal.md", "about 8 times\""),
    // arithmetic that stands beside it
    ("hcc.md", "9.05 %"),
    ("number-formats.md", "4 194 times"),
    ("number-formats.md", "0.5 % at"),
    ("reciprocal.md", "25 times the throughput"),
    ("reciprocal.md", "six times over (five hops"),
    // lines of commits that the table above it names
    ("numbers.md", "16 % less than before the attributes"),
    // how the design or the stimulus is made
    ("figures.md", "![Fig."),
    ("scheduler.md", "32 ns, 128 ns, 256 ns and so on to 8.2 us"),
    ("scheduler.md", "at most 512 ns later in the ring, 8.2 us"),
    ("scheduler.md", "round in 3.4 us"),
    ("scheduler.md", "every 8.2 us at the latest (42 %"),
];

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

/// The numbers of a line of running text that look measured, each with its unit.
fn claims(line: &str) -> Vec<String> {
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

/// A command that the reader can give.
fn commanded(text: &str) -> bool {
    let commands = ["hpcc-nic ", "cargo bench", "cargo test", "cargo run"];
    commands.iter().any(|command| text.contains(command))
}

/// A file of tests that is there.
fn tested(text: &str) -> bool {
    let file = |word: &str| {
        let path = word.split("::").next().unwrap_or(word);
        let path = path.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        (path.contains("tests/") || path.ends_with("tests.rs"))
            && path.ends_with(".rs")
            && workspace().join(path).is_file()
    };
    text.split_whitespace().any(file)
}

/// Paragraphs of a section, each with its tables; a paragraph that ends with a colon belongs to what follows.
fn paragraphs(section: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for line in section.lines() {
        let last = found.last_mut().expect("begun");
        if !line.trim().is_empty() {
            last.push_str(line);
            last.push('\n');
        } else if !last.is_empty() && !last.trim_end().ends_with(':') {
            found.push(String::new());
        }
    }
    found
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

/// README and the chapters: file name and text.
fn pages() -> Vec<(String, String)> {
    let mut pages = vec![workspace().join("README.md")];
    let mut folders = vec![workspace().join("docs/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of the book").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    let read = |page: &PathBuf| {
        let name = page.file_name().expect("a file").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(page).expect("a page"))
    };
    pages.iter().map(read).collect()
}

/// The numbers of a paragraph are held: its section says with date and command of when they are, or the paragraph names the test that holds them in
/// every commit. A test that another paragraph names says nothing of this one.
fn held(section: &str, paragraph: &str) -> bool {
    dated(section) && commanded(section) || tested(paragraph)
}

/// Every paragraph of every page, with the page's name and its section.
fn each_paragraph(mut look: impl FnMut(&str, &str, &str)) {
    for (name, text) in pages() {
        for section in sections(&text) {
            for paragraph in paragraphs(&section) {
                look(&name, &section, &paragraph);
            }
        }
    }
}

#[test]
fn running_text_with_measurements_says_when_and_how() {
    let mut silent = vec![];
    let mut used = vec![false; REASONED.len()];
    each_paragraph(|name, section, paragraph| {
        let mut code = false;
        for line in paragraph.lines() {
            code ^= line.starts_with("```");
            let found = claims(line);
            if code || line.starts_with('|') || found.is_empty() {
                continue;
            }
            let mut excused = false;
            for (at, (page, piece)) in REASONED.iter().enumerate() {
                if *page == name && line.contains(piece) {
                    (used[at], excused) = (true, true);
                }
            }
            if !excused && !held(section, paragraph) {
                silent.push(format!("{name}: {}: {line}", found.join(", ")));
            }
        }
    });
    assert!(
        silent.is_empty(),
        "no date and command, and no test:\n{}",
        silent.join("\n")
    );
    let stale: Vec<_> = REASONED.iter().zip(&used).filter(|(_, used)| !**used).collect();
    assert!(stale.is_empty(), "no such line any more: {stale:?}");
}

#[test]
fn tables_of_measurements_say_when_and_how() {
    let mut silent = vec![];
    let mut used = vec![false; DEFINITIONS.len()];
    each_paragraph(|name, section, paragraph| {
        let lines: Vec<&str> = paragraph.lines().collect();
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
            if cells.len() >= NUMBERS && !held(section, paragraph) {
                silent.push(format!("{name}: {}", table[0]));
            }
        }
    });
    assert!(
        silent.is_empty(),
        "no date and command, and no test:\n{}",
        silent.join("\n")
    );
    let stale: Vec<_> = DEFINITIONS.iter().zip(&used).filter(|(_, used)| !**used).collect();
    assert!(stale.is_empty(), "no such table any more: {stale:?}");
}

/// A file of code that the book or README names is there, by its path from the workspace.
#[test]
fn files_that_are_named_are_there() {
    let mut missing = vec![];
    let mut named = 0;
    for (name, text) in pages() {
        let mut code = false;
        for line in text.lines() {
            code ^= line.starts_with("```");
            for word in line.split('`').skip(1).step_by(2).filter(|_| !code) {
                let path = word.split("::").next().unwrap_or(word);
                let is_file = path.ends_with(".rs") && !path.contains(['*', ' ', '{', '<']);
                if is_file {
                    named += 1;
                }
                if is_file && !workspace().join(path).is_file() {
                    missing.push(format!("{name}: {path}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "no such file:\n{}", missing.join("\n"));
    assert!(named > 50, "{named}");
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
    assert!(commanded("`hpcc-nic run link`") && tested("see `testbench/tests/command/book.rs`."));
    assert!(!tested("see `testbench/tests/command/nothing.rs`") && !tested("see `testbench/src/lib.rs`"));
    let section =
        "# Head\n\nSee `testbench/tests/command/book.rs`.\n\nIt takes 4.3 ns:\n\n| a |\n| - |\n| 1.0 |\n\nEnd.\n";
    let parts = paragraphs(section);
    assert_eq!(parts.len(), 4, "{parts:?}");
    assert!(parts[2].contains("4.3 ns") && parts[2].contains("| 1.0 |"));
    assert!(held(section, &parts[1]) && !held(section, &parts[2]));
    assert!(held(&format!("{section}`hpcc-nic run link`, 2026-11-20"), &parts[2]));
    assert_eq!(
        claims("it takes 4.3 ns, (12 % of 7 Gb/s); v1.2 of 5 us"),
        ["4.3 ns", "12 %"]
    );
    assert_eq!(claims("about eighty times slower, four of them"), ["eighty times"]);
    assert!(claims("at 100 Gb/s with 4 messages of 2 MiB, section 4.3 of the paper").is_empty());
}
