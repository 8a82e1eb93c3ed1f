//! Pages outside the evidence are for a stranger: what the NIC and the network do, how to use them and why they are so. When something was
//! measured, on which machine, by which test, and how it was before, stands in the evidence and in the changelog.
//!
//! What still breaks a rule stands in `exceptions.txt`, one line each: page, rule and a piece of the line, with tabs between. The list only
//! shrinks: its length is bounded here, and a line that excuses nothing fails.

use std::collections::BTreeSet;
use std::path::Path;

use super::evidence::dated;
use super::numbers::{claims, measurements};
use super::pages::{pages, tables, workspace, Page};

/// The exceptions.
const EXCEPTIONS: &str = include_str!("exceptions.txt");
/// As many as there are; lower it with each that goes.
const AT_MOST: usize = 29;

/// What tells of another time.
const HISTORY: [&str; 7] = [
    "until 20",
    "since 20",
    "used to ",
    "no longer",
    "formerly",
    "previously",
    "in the past",
];
/// What tells of one machine.
const MACHINES: [&str; 8] = [
    "EPYC",
    "Xeon",
    "Ryzen",
    "of a server",
    "quiet machine",
    "busy machine",
    "two-core",
    "quiet cores",
];
/// Pages on the network, which say nothing of RTL's files.
const NETWORK: [&str; 4] = [
    "explain/network.md",
    "explain/tcp.md",
    "explain/hpccpp.md",
    "explain/hcc.md",
];

/// First columns of tables that define something: their numbers are chosen, not measured.
const DEFINING: [&str; 16] = [
    "| bits |",
    "| clock |",
    "| address |",
    "| register |",
    "| key |",
    "| quantity |",
    "| field |",
    "| offset |",
    "| opcode |",
    "| port |",
    "| code |",
    "| status |",
    "| parameter |",
    "| first byte |",
    "| number |",
    "| flag |",
];

/// A number, an arrow, a number: how it was, and how it is.
fn arrow(line: &str) -> bool {
    let number = |word: &str| {
        word.trim_matches(['(', '*', '`'])
            .starts_with(|c: char| c.is_ascii_digit())
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    words
        .windows(3)
        .any(|w| ["->", "→"].contains(&w[1]) && number(w[0]) && number(w[2]))
}

/// The hash of a commit, short or whole: letters a to f and digits, of both some.
fn hash(line: &str) -> bool {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .any(|word| {
            (7..=12).contains(&word.len()) | (word.len() == 40)
                && word.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c))
                && word.contains(|c: char| c.is_ascii_digit())
                && word.contains(|c: char| c.is_ascii_lowercase())
        })
}

/// Every function under `#[test]` of the workspace whose name has two `_` or more.
fn test_names() -> BTreeSet<String> {
    fn walk(folder: &Path, names: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.ends_with("target") {
                walk(&path, names);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                for part in text.split("#[test]").skip(1) {
                    let name = part.split_once("fn ").and_then(|(_, rest)| rest.split_once('('));
                    names.extend(
                        name.map(|(name, _)| name.to_string())
                            .filter(|n| n.matches('_').count() > 1),
                    );
                }
            }
        }
    }
    let mut names = BTreeSet::new();
    for folder in ["models", "rtl", "testbench"] {
        walk(&workspace().join(folder), &mut names);
    }
    names
}

/// Words of a line between backticks.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The rules that a page breaks: rule and line.
fn faults<'a>(page: &'a Page, tests: &BTreeSet<String>) -> Vec<(&'static str, &'a str)> {
    let practice = ["tutorials", "howto"].contains(&page.part());
    let mut found = vec![];
    for (_, line) in page.prose() {
        let path = |word: &str| word.contains(".rs") && !word.contains(".rst");
        let test = |word: &str| tests.contains(word.rsplit("::").next().unwrap_or(word)) || word.contains("tests/");
        let mut rule = |name, broken: bool| {
            if broken {
                found.push((name, line));
            }
        };
        rule("date", dated(line));
        rule("history", HISTORY.iter().any(|piece| line.contains(piece)));
        rule("arrow", arrow(line));
        rule("hash", hash(line));
        rule("machine", MACHINES.iter().any(|piece| line.contains(piece)));
        rule("test", !practice && quoted(line).any(test));
        rule("rust", !practice && quoted(line).any(path));
        rule(
            "half",
            NETWORK.contains(&&*page.name) && quoted(line).any(|word| word.starts_with("rtl/")),
        );
        rule(
            "number",
            !line.starts_with('|') && !line.contains("{{#include") && !claims(line).is_empty(),
        );
    }
    let prose: Vec<&'a str> = page.prose().into_iter().map(|(_, line)| line).collect();
    let first = |table: &[&str]| prose.iter().find(|line| **line == table[0]).copied();
    let measured = tables(&page.text)
        .into_iter()
        .filter(|table| measurements(table) && !DEFINING.iter().any(|head| table[0].starts_with(head)));
    found.extend(measured.filter_map(|table| Some(("table", first(&table)?))));
    found
}

#[test]
fn pages_are_for_a_stranger() {
    let exceptions: Vec<Vec<&str>> = EXCEPTIONS
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| line.split('\t').collect())
        .collect();
    assert!(
        exceptions.iter().all(|parts| parts.len() == 3),
        "page, rule, piece of the line"
    );
    assert!(
        exceptions.len() <= AT_MOST,
        "the list only shrinks: {}",
        exceptions.len()
    );
    let mut used = vec![false; exceptions.len()];
    let mut broken = vec![];
    let tests = test_names();
    assert!(tests.contains("pages_are_for_a_stranger") && tests.len() > 500);
    for page in pages().iter().filter(|page| page.part() != "evidence") {
        for (rule, line) in faults(page, &tests) {
            let excuses = |parts: &Vec<&str>| parts[0] == page.name && parts[1] == rule && line.contains(parts[2]);
            match exceptions.iter().position(excuses) {
                Some(at) => used[at] = true,
                None => broken.push(format!("{}\t{rule}\t{line}", page.name)),
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    let stale: Vec<_> = exceptions.iter().zip(&used).filter(|(_, used)| !**used).collect();
    assert!(stale.is_empty(), "excuses nothing: {stale:#?}");
}

/// Pages whose beginning another program writes, or that begin with what they are about.
const WITHOUT_READER: [&str; 4] = [
    "index.md",
    "reference/registers.md",
    "reference/queues.md",
    "tutorials/rdma-program.md",
];

#[test]
fn pages_begin_with_whom_they_are_for() {
    for page in pages() {
        let outside = page.name != "README.md" && page.part() != "evidence";
        if outside && !WITHOUT_READER.contains(&&*page.name) {
            let says = page.prose().iter().take(6).any(|(_, line)| line.contains("For whom: "));
            assert!(says, "{}: expected `For whom:` in its first lines", page.name);
        }
    }
}

#[test]
fn each_rule_finds_what_it_is_for() {
    let tests = BTreeSet::from(["it_still_holds".to_string()]);
    let rules = |name: &str, text: &str| {
        let page = Page {
            name: name.into(),
            text: text.into(),
        };
        faults(&page, &tests)
            .into_iter()
            .map(|(rule, _)| rule)
            .collect::<Vec<_>>()
    };
    for (rule, text) in [
        ("date", "since then, 2026-11-20"),
        ("history", "it used to take longer"),
        ("arrow", "12 -> 14 clocks"),
        ("hash", "as of `ed1dfa86`"),
        ("machine", "on an EPYC"),
        ("test", "see `net::it_still_holds`"),
        ("rust", "see `models/src/lib.rs`"),
        ("number", "it takes 4.3 ns"),
        ("table", "| a |\n| - |\n| 1.0 | 2.0 | 3.0 |"),
    ] {
        assert_eq!(rules("explain/nic.md", text), [rule], "{text}");
    }
    assert_eq!(rules("explain/tcp.md", "see `rtl/src/cc`"), ["half"]);
    assert!(rules("howto/link.md", "see `models/src/lib.rs`").is_empty());
    assert!(rules(
        "explain/nic.md",
        "clock 0 -> the next; deadbeefs; 0x1234567; `b71ce491x`; RFC 6298"
    )
    .is_empty());
    assert!(rules("explain/nic.md", "```\n2026-11-20\n```").is_empty());
}
