//! Rules of the house that no compiler checks.
//!
//! No circle of files: a file may use another only if that one does not use it back, by whatever way. What a file uses is read from
//! its paths: `use` trees and paths in the code that start with `crate`, `self`, `super`, a module below, or an imported name.
//! A name that another file only passes on with `pub use` counts as the file it comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A module's path from its crate, as `["net", "host"]`.
type Module = Vec<String>;

/// What a file says about others.
#[derive(Default)]
struct Source {
    /// Paths in it, each from its crate, with where they stand: a path that is only passed on is not a use.
    uses: BTreeSet<Module>,
    /// Names that `pub use` passes on, and what they are.
    passes: BTreeMap<String, Module>,
    /// Modules of which `pub use` passes on everything.
    passes_all: Vec<Module>,
}

/// Rust text as identifiers, `::` and single characters; without comments, strings and characters in quotes.
fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\n');
    let mut out = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        if c == '/' && at(i + 1) == '/' {
            while i < chars.len() && chars[i] != '\n' {
                i += 1;
            }
        } else if c == '"' {
            let hashes = chars[..i].iter().rev().take_while(|&&c| c == '#').count();
            let raw = i > hashes && chars[i - hashes - 1] == 'r';
            i += 1;
            while i < chars.len() {
                if chars[i] == '\\' && !raw {
                    i += 1;
                } else if chars[i] == '"' && (!raw || (1..=hashes).all(|k| at(i + k) == '#')) {
                    break;
                }
                i += 1;
            }
            i += 1;
        } else if c == '\'' && (at(i + 1) == '\\' || at(i + 2) == '\'') {
            i += 2;
            while i < chars.len() && chars[i] != '\'' {
                i += 1;
            }
            i += 1;
        } else if c.is_alphanumeric() || c == '_' {
            let start = i;
            while at(i).is_alphanumeric() || at(i) == '_' {
                i += 1;
            }
            out.push(chars[start..i].iter().collect());
        } else if c == ':' && at(i + 1) == ':' {
            out.push("::".into());
            i += 2;
        } else {
            if !c.is_whitespace() {
                out.push(c.into());
            }
            i += 1;
        }
    }
    out
}

/// Is it a name, not a sign?
fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The leaves of a `use` tree from `at` on, as path and name, and the place after it. A glob's name is `*`.
fn use_tree(tokens: &[String], mut at: usize, before: &[String]) -> (Vec<(Module, String)>, usize) {
    let mut path = before.to_vec();
    let mut leaves = Vec::new();
    while at < tokens.len() {
        match tokens[at].as_str() {
            "::" => at += 1,
            "{" => {
                at += 1;
                while tokens[at] != "}" {
                    let (more, next) = use_tree(tokens, at, &path);
                    leaves.extend(more);
                    at = if tokens[next] == "," { next + 1 } else { next };
                }
                return (leaves, at + 1);
            }
            "*" => return (vec![(path, "*".into())], at + 1),
            "as" => return (vec![(path, tokens[at + 1].clone())], at + 2),
            name if is_name(name) => {
                // `{self}` names the module itself
                if name != "self" || path.is_empty() {
                    path.push(name.into());
                }
                at += 1;
            }
            _ => break,
        }
    }
    let name = path.last().cloned().unwrap_or_default();
    (vec![(path, name)], at)
}

/// A path as written in `module`, from its crate; nothing if it leads elsewhere.
fn absolute(
    path: &[String],
    module: &[String],
    files: &BTreeMap<Module, PathBuf>,
    imports: &BTreeMap<String, Module>,
) -> Option<Module> {
    let first = path.first()?.as_str();
    let mut base = module.to_vec();
    let mut rest = path;
    match first {
        "crate" => {
            base.clear();
            rest = &path[1..];
        }
        "self" => rest = &path[1..],
        "super" => {
            while rest.first().is_some_and(|name| name == "super") {
                base.pop()?;
                rest = &rest[1..];
            }
        }
        _ => {
            let mut below = base.clone();
            below.push(first.into());
            if !files.contains_key(&below) {
                base = imports.get(first)?.clone();
                rest = &path[1..];
            }
        }
    }
    base.extend(rest.iter().cloned());
    Some(base)
}

/// Reads one file.
fn read(text: &str, file: &Module, files: &BTreeMap<Module, PathBuf>) -> Source {
    let tokens = tokens(text);
    let mut source = Source::default();
    // modules written within the file: name and depth of its braces
    let mut inner: Vec<(String, usize)> = Vec::new();
    let mut imports: BTreeMap<String, Module> = BTreeMap::new();
    let mut depth = 0;
    let mut at = 0;
    while at < tokens.len() {
        let mut module = file.clone();
        module.extend(inner.iter().map(|(name, _)| name.clone()));
        match tokens[at].as_str() {
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                inner.retain(|(_, at)| *at <= depth);
            }
            "mod" if tokens.get(at + 2).is_some_and(|next| next == "{") => {
                inner.push((tokens[at + 1].clone(), depth + 1))
            }
            "use" => {
                let public = at > 0 && (tokens[at - 1] == "pub" || tokens[at - 1] == ")");
                let (leaves, next) = use_tree(&tokens, at + 1, &[]);
                for (path, name) in leaves {
                    let Some(path) = absolute(&path, &module, files, &imports) else {
                        continue;
                    };
                    if !public {
                        source.uses.insert(path.clone());
                        imports.insert(name, path);
                    } else if name == "*" {
                        source.passes_all.push(path);
                    } else {
                        imports.insert(name.clone(), path.clone());
                        source.passes.insert(name, path);
                    }
                }
                at = next;
                continue;
            }
            name if is_name(name) => {
                let mut path = vec![name.to_string()];
                while tokens.get(at + 1).is_some_and(|sign| sign == "::")
                    && tokens.get(at + 2).is_some_and(|name| is_name(name))
                {
                    path.push(tokens[at + 2].clone());
                    at += 2;
                }
                // a single name is a use only if it was imported; a macro is the crate's
                let known = path.len() > 1 || imports.contains_key(name);
                if known && tokens.get(at + 1).is_none_or(|sign| sign != "!") {
                    source.uses.extend(absolute(&path, &module, files, &imports));
                }
            }
            _ => {}
        }
        at += 1;
    }
    source
}

/// The file that a path leads to.
fn target(
    path: &[String],
    files: &BTreeMap<Module, PathBuf>,
    sources: &BTreeMap<Module, Source>,
    hops: usize,
) -> Option<Module> {
    let known = (0..=path.len()).rev().find(|&n| files.contains_key(&path[..n]))?;
    let (module, rest) = path.split_at(known);
    let (Some(name), true) = (rest.first(), hops < 8) else {
        return Some(module.to_vec());
    };
    let source = &sources[module];
    if let Some(passed) = source.passes.get(name) {
        let whole: Module = passed.iter().chain(&rest[1..]).cloned().collect();
        return target(&whole, files, sources, hops + 1);
    }
    Some(module.to_vec())
}

/// Rust files below a folder.
fn rust_files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// The module of a file: `net/mod.rs` is `net`, `lib.rs` the crate.
fn module_of(file: &Path) -> Module {
    let mut module: Module = file
        .with_extension("")
        .iter()
        .map(|part| part.to_string_lossy().into())
        .collect();
    if module.last().is_some_and(|last| last == "mod" || last == "lib") {
        module.pop();
    }
    module
}

/// Who uses whom: files of a crate, each with the files it uses.
fn graph(source: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut paths = Vec::new();
    rust_files(source, &mut paths);
    let files: BTreeMap<Module, PathBuf> = paths
        .into_iter()
        .filter(|path| !path.ends_with("main.rs"))
        .map(|path| (module_of(path.strip_prefix(source).expect("below the folder")), path))
        .collect();
    let sources: BTreeMap<Module, Source> = files
        .iter()
        .map(|(module, path)| {
            (
                module.clone(),
                read(&std::fs::read_to_string(path).expect("a file"), module, &files),
            )
        })
        .collect();
    let edges = |module: &Module| {
        let to = sources[module]
            .uses
            .iter()
            .filter_map(|path| target(path, &files, &sources, 0));
        to.filter(|to| to != module).collect()
    };
    files.keys().map(|module| (module.clone(), edges(module))).collect()
}

/// Groups of files that all use each other, by whatever way.
fn circles(graph: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Vec<String>> {
    let reach = |from: &Module| {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&Module> = graph[from].iter().collect();
        while let Some(module) = next.pop() {
            if seen.insert(module.clone()) {
                next.extend(&graph[module]);
            }
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> = graph.keys().map(|module| (module, reach(module))).collect();
    let mut groups = BTreeSet::new();
    for (&module, all) in &reached {
        let group: Vec<String> = all
            .iter()
            .filter(|other| reached[other].contains(module))
            .map(|m| m.join("::"))
            .collect();
        if !group.is_empty() {
            groups.insert(group);
        }
    }
    groups.into_iter().collect()
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = String::new();
    for name in ["models", "rtl", "testbench/sim", "testbench"] {
        let graph = graph(&root.join(name).join("src"));
        assert!(graph.len() > 10, "{name}: the files were not found");
        for circle in circles(&graph) {
            found += &format!("{name}, {} files:\n", circle.len());
            for (module, to) in &graph {
                let module = module.join("::");
                let to: Vec<String> = to
                    .iter()
                    .map(|to| to.join("::"))
                    .filter(|to| circle.contains(to))
                    .collect();
                if circle.contains(&module) {
                    found += &format!("    {module} uses {}\n", to.join(", "));
                }
            }
        }
    }
    assert!(found.is_empty(), "circles of files:\n{found}");
}

#[test]
fn a_circle_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("lib.rs", "pub mod a; pub mod b; mod c;");
    write(
        "a/mod.rs",
        "//! Not crate::c::C.\nmod one; pub use one::One; pub const TWO: u8 = 2;",
    );
    write(
        "a/one.rs",
        "use super::TWO; use crate::b; pub struct One; fn f() { b::f() }",
    );
    write(
        "b.rs",
        "const TEXT: &str = \"crate::c::C\"; pub fn f() {} #[cfg(test)] mod tests { use super::*; }",
    );
    write("c.rs", "use crate::{a::{self, One}, b::f}; pub struct C;");
    assert!(circles(&graph(folder.path())).is_empty());
    write("b.rs", "pub fn f(_: crate::a::One) {}");
    assert_eq!(circles(&graph(folder.path())), [["a::one", "b"]]);
}
