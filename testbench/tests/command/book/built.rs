//! mdBook, in its pinned version, builds the book, and every link in it leads to a page and to a place that are there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use hpcc_testbench::tools::{self, Tool};

use super::pages::workspace;

/// Values of an attribute in a page's HTML.
fn attributes<'a>(html: &'a str, name: &str) -> impl Iterator<Item = String> + 'a {
    let start = format!(" {name}=\"");
    let length = start.len();
    let places: Vec<usize> = html.match_indices(&start).map(|(at, _)| at + length).collect();
    places
        .into_iter()
        .filter_map(|at| html[at..].split_once('"'))
        .map(|(value, _)| value.replace("&amp;", "&"))
}

/// What a page says itself, without the frame that mdBook puts around it.
fn body(html: &str) -> &str {
    let start = html.find("<main>").unwrap_or(0);
    let end = html.rfind("</main>").unwrap_or(html.len());
    &html[start..end]
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                found.pop();
            }
            Component::CurDir => {}
            other => found.push(other),
        }
    }
    found
}

/// Every page of the built book: its path, and its HTML.
fn html(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "html") {
                let name = path.strip_prefix(root).expect("below").to_path_buf();
                found.insert(name, std::fs::read_to_string(&path).expect("a page"));
            }
        }
    }
    found
}

/// Links of the pages that lead nowhere.
fn broken(root: &Path, pages: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let places: BTreeMap<&PathBuf, BTreeSet<String>> = pages
        .iter()
        .map(|(name, html)| (name, attributes(html, "id").collect()))
        .collect();
    let frame = ["print.html", "404.html", "toc.html"];
    let mut found = vec![];
    for (name, html) in pages
        .iter()
        .filter(|(name, _)| !frame.iter().any(|f| name.ends_with(f)))
    {
        for link in attributes(body(html), "href").chain(attributes(body(html), "src")) {
            // A path of Rust comes from the comment of a word, where rustdoc makes a link of it.
            if link.contains("://") || link.contains("::") || link.starts_with("mailto:") {
                continue;
            }
            let (path, place) = link.split_once('#').unwrap_or((&link, ""));
            let target = match path {
                "" => name.clone(),
                path => plain(&name.parent().expect("a folder").join(path)),
            };
            let there = root.join(&target).is_file();
            let found_place = place.is_empty() || places.get(&target).is_some_and(|ids| ids.contains(place));
            if !there || !found_place {
                found.push(format!("{}: {link}", name.display()));
            }
        }
    }
    found
}

#[test]
fn the_book_builds_and_its_links_lead_somewhere() {
    let scratch = tempfile::tempdir().expect("a folder");
    let root = scratch.path().join("book");
    let mut command = tools::mdbook().expect("mdBook");
    command
        .args(["build", "--dest-dir"])
        .arg(&root)
        .arg(workspace().join("docs"));
    let output = tools::run(&mut command, "mdBook comes from its wheel").expect("the book builds");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("WARN") && !said.contains("ERROR"), "{said}");
    let pages = html(&root);
    assert!(pages.len() > 40, "{}", pages.len());
    let broken = broken(&root, &pages);
    assert!(broken.is_empty(), "lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let scratch = tempfile::tempdir().expect("a folder");
    let root = scratch.path();
    std::fs::create_dir(root.join("part")).expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(root.join(name), text).expect("written");
    write(
        "a.html",
        "<main><a href=\"part/b.html#there\">b</a> <a href=\"part/b.html#nowhere\">c</a></main>",
    );
    write(
        "part/b.html",
        "<main><h2 id=\"there\">b</h2><a href=\"../a.html\">a</a><img src=\"d.png\"></main>",
    );
    let broken = broken(root, &html(root));
    assert_eq!(broken, ["a.html: part/b.html#nowhere", "part/b.html: d.png"]);
}

/// Every page stands in the table of contents, and the old addresses lead to pages.
#[test]
fn every_page_is_in_the_contents() {
    let book = workspace().join("docs/src");
    let contents = std::fs::read_to_string(book.join("SUMMARY.md")).expect("the contents");
    for page in super::pages::pages().iter().filter(|page| page.name != "README.md") {
        assert!(
            contents.contains(&format!("({})", page.name)),
            "{} is in no chapter",
            page.name
        );
    }
}

#[test]
fn the_workflow_builds_with_the_pinned_version() {
    let path = workspace().join(".github/workflows/book.yml");
    let workflow = std::fs::read_to_string(path).expect("the workflow");
    assert!(workflow.contains(&format!("pip install {}\n", Tool::Mdbook.requirement())));
}
