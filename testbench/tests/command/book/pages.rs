//! README and the pages of the book as text.

use std::path::{Path, PathBuf};

/// The workspace's folder.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace")
        .to_path_buf()
}

/// A page: its name from `docs/src`, or `README.md`, and its text.
pub struct Page {
    /// `explain/nic.md`, say.
    pub name: String,
    /// All of it.
    pub text: String,
}

impl Page {
    /// The folder in which the page lies: `explain`; empty for README and the first page.
    pub fn part(&self) -> &str {
        self.name.split_once('/').map_or("", |(part, _)| part)
    }
    /// Lines that are no code, each with its number from 1.
    pub fn prose(&self) -> Vec<(usize, &str)> {
        let mut code = false;
        let mut found = vec![];
        for (at, line) in self.text.lines().enumerate() {
            let fence = line.trim_start().starts_with("```");
            code ^= fence;
            if !code && !fence {
                found.push((at + 1, line));
            }
        }
        found
    }
}

/// README and every page, but for those that a program writes.
pub fn pages() -> Vec<Page> {
    let book = workspace().join("docs/src");
    let mut found = vec![Page {
        name: "README.md".into(),
        text: std::fs::read_to_string(workspace().join("README.md")).expect("README"),
    }];
    let mut folders = vec![book.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of the book").flatten() {
            let path = entry.path();
            let name = path
                .strip_prefix(&book)
                .expect("in the book")
                .to_string_lossy()
                .into_owned();
            if path.is_dir() && name != "generated" {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") && name != "SUMMARY.md" {
                let text = std::fs::read_to_string(&path).expect("a page");
                found.push(Page { name, text });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// Sections of a page: from one heading to the next, code and all.
pub fn sections(text: &str) -> Vec<String> {
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

/// Paragraphs of a section, each with its tables; a paragraph that ends with a colon belongs to what follows.
pub fn paragraphs(section: &str) -> Vec<String> {
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

/// The tables of a text, each as its lines.
pub fn tables(text: &str) -> Vec<Vec<&str>> {
    let lines: Vec<&str> = text.lines().collect();
    lines
        .split(|line| !line.starts_with('|'))
        .filter(|table| table.len() > 2)
        .map(<[&str]>::to_vec)
        .collect()
}

#[test]
fn a_paragraph_that_ends_with_a_colon_belongs_to_what_follows() {
    let section = "# Head\n\nSee there.\n\nIt takes 4.3 ns:\n\n| a |\n| - |\n| 1.0 |\n\nEnd.\n";
    let parts = paragraphs(section);
    assert_eq!(parts.len(), 4, "{parts:?}");
    assert!(parts[2].contains("4.3 ns") && parts[2].contains("| 1.0 |"));
    assert_eq!(tables(&parts[2]), [["| a |", "| - |", "| 1.0 |"]]);
    assert_eq!(sections("a\n# b\n```\n# c\n```\n## d\n").len(), 3);
}

/// A file of code that the book or README names is there, by its path from the workspace.
#[test]
fn files_that_are_named_are_there() {
    let mut missing = vec![];
    let mut named = 0;
    for page in pages() {
        for (_, line) in page.prose() {
            for word in line.split('`').skip(1).step_by(2) {
                let path = word.split("::").next().unwrap_or(word);
                let is_file = path.ends_with(".rs") && !path.contains(['*', ' ', '{', '<']);
                if is_file {
                    named += 1;
                }
                if is_file && !workspace().join(path).is_file() {
                    missing.push(format!("{}: {path}", page.name));
                }
            }
        }
    }
    assert!(missing.is_empty(), "no such file:\n{}", missing.join("\n"));
    assert!(named > 50, "{named}");
}
