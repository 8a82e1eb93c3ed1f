//! A table of measured numbers in the evidence, and running text with such numbers, says when they were measured and with what, or which
//! test holds them.

use super::numbers::{claims, measurements};
use super::pages::{pages, paragraphs, sections, tables, workspace};

/// Tables of numbers that nobody measured: formats, defaults, rules. Page and the beginning of the table's first row.
const DEFINITIONS: [(&str, &str); 0] = [];

/// Numbers of running text that nobody measured: page and a piece of the line that has the number.
const REASONED: [(&str, &str); 1] = [("evidence/figures.md", "![Fig.")];

/// `20dd-dd-dd` is in the text.
pub fn dated(text: &str) -> bool {
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

/// The numbers of a paragraph are held: its section says with date and command of when they are, or the paragraph names the test that holds them in
/// every commit. A test that another paragraph names says nothing of this one.
fn held(section: &str, paragraph: &str) -> bool {
    dated(section) && commanded(section) || tested(paragraph)
}

/// Every paragraph of every page of the evidence, with the page's name and its section.
fn each_paragraph(mut look: impl FnMut(&str, &str, &str)) {
    for page in pages().iter().filter(|page| page.part() == "evidence") {
        for section in sections(&page.text) {
            for paragraph in paragraphs(&section) {
                look(&page.name, &section, &paragraph);
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
        for table in tables(paragraph) {
            let definition = |(page, head): &(&str, &str)| *page == name && table[0].starts_with(head);
            if let Some(found) = DEFINITIONS.iter().position(definition) {
                used[found] = true;
                continue;
            }
            if measurements(&table) && !held(section, paragraph) {
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

#[test]
fn a_date_and_a_command_hold_a_number_or_a_test_of_its_own_does() {
    assert!(dated("measured on 2026-11-20.") && !dated("2026") && !dated("20261120-1"));
    assert!(commanded("`hpcc-nic run link`") && tested("see `testbench/tests/command/main.rs`."));
    assert!(!tested("see `testbench/tests/command/nothing.rs`") && !tested("see `testbench/src/lib.rs`"));
    let section = "# Head\n\nSee `testbench/tests/command/main.rs`.\n\nIt takes 4.3 ns.\n";
    let parts = paragraphs(section);
    assert!(held(section, &parts[1]) && !held(section, &parts[2]));
    assert!(held(&format!("{section}`hpcc-nic run link`, 2026-11-20"), &parts[2]));
}
