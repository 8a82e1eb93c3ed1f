//! Gathers what the sources say about each block, so that the emitter can put it over the block's module.
//!
//! For every `#[block]` the table has its path in the crate, the folder of its file, and its comment: that of
//! the file, where the file has one block alone, and that of the struct; and the comments of its fields. For a port that is an
//! `#[interface]` the comments of its signals follow, as `port$signal`. In a list of registers or signals each name may have a comment, which
//! names in its line share; the one over the list is that of all that have none.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=build.rs");
    let mut all = All::default();
    folder(Path::new("src"), &mut vec![], &mut all)?;
    let mut table = String::from("&[\n");
    for Block {
        path,
        room,
        doc,
        fields,
        parameters,
    } in &all.blocks
    {
        let mut said = vec![];
        fields.iter().for_each(|field| all.describe("", field, &mut said));
        writeln!(
            table,
            "    Known {{ path: {path:?}, room: {room:?}, doc: {doc:?}, parameters: &{parameters:?}, fields: &{said:?} }},"
        )
        .expect("string");
    }
    table.push_str("]\n");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(Path::new(&out).join("blocks.rs"), table)
}

/// A field of a struct.
#[derive(Clone)]
struct Field {
    name: String,
    doc: String,
    /// Its type without parameters.
    of: String,
}

struct Block {
    path: String,
    room: String,
    doc: String,
    fields: Vec<Field>,
    /// Names of its parameters, in order.
    parameters: Vec<String>,
}

/// Everything found.
#[derive(Default)]
struct All {
    blocks: Vec<Block>,
    /// Bundles of ports by name, those with a parameter excepted: they carry what their user says.
    interfaces: BTreeMap<String, Vec<Field>>,
}

impl All {
    /// Adds what is said about a field, and about the signals in it.
    fn describe(&self, before: &str, field: &Field, said: &mut Vec<(String, String)>) {
        // a handshake needs no words
        if !before.is_empty() && ["valid", "ready", "tvalid", "tready"].contains(&field.name.as_str()) {
            return;
        }
        let name = format!("{before}{}", field.name);
        let inside = self.interfaces.get(&field.of);
        if !field.doc.is_empty() && (before.is_empty() || inside.is_none()) {
            said.push((name.clone(), field.doc.clone()));
        }
        for signal in inside.into_iter().flatten() {
            self.describe(&format!("{name}$"), signal, said);
        }
    }
}

/// Adds the blocks of a folder; `path` is its place in the crate.
fn folder(dir: &Path, path: &mut Vec<String>, all: &mut All) -> io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(dir)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (file, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let stem = name.trim_end_matches(".rs").to_string();
        let room = path.last().cloned().unwrap_or_default();
        if file.is_dir() {
            path.push(name);
            folder(&file, path, all)?;
            path.pop();
        } else if stem == "mod" || stem == "lib" {
            blocks(&fs::read_to_string(&file)?, path, &room, all);
        } else if name.ends_with(".rs") {
            path.push(stem);
            blocks(&fs::read_to_string(&file)?, path, &room, all);
            path.pop();
        }
    }
    Ok(())
}

/// What an attribute makes of the struct below it.
#[derive(Clone, PartialEq)]
enum Kind {
    Block,
    /// With the name of its other side, if it has one.
    Interface(Option<String>),
}

/// A struct of the file in hand.
struct Found<'a> {
    kind: Kind,
    name: String,
    doc: Vec<&'a str>,
    fields: Vec<Field>,
    parameters: Vec<String>,
}

/// The names of a list of registers or signals, `U<8>: a, b` with comments between them; `over` is the comment over the list.
fn listed(text: &str, over: &[&str]) -> Vec<Field> {
    let (mut fields, mut own): (Vec<Field>, Vec<String>) = (vec![], vec![]);
    let mut lines = text.lines().map(str::trim);
    let first = lines.next().unwrap_or_default();
    let names = first.split_once(": ").map_or("", |(_, names)| names);
    for line in std::iter::once(names).chain(lines) {
        if let Some(comment) = line.strip_prefix("///") {
            own.push(comment.to_string());
            continue;
        }
        // several names in a line have its comment in common
        let shared = match std::mem::take(&mut own) {
            own if !own.is_empty() => own.join("\n"),
            _ => over.join("\n"),
        };
        for name in line.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            fields.push(Field {
                name: name.to_string(),
                doc: shared.clone(),
                of: String::new(),
            });
        }
    }
    fields
}

/// Names of the parameters in `const A: usize, T: Synth>`.
fn parameters_of(text: &str) -> Vec<String> {
    let each = text.split(',').map(str::trim).filter(|part| part.contains(':'));
    let name = |part: &str| {
        let part = part.trim_start_matches("const ");
        part.split(':').next().unwrap_or(part).trim().to_string()
    };
    each.map(name).collect()
}

/// Adds the blocks and interfaces of a file, those of its unit tests excepted.
fn blocks(text: &str, path: &[String], room: &str, all: &mut All) {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let about: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).collect();
    let (mut found, mut doc, mut kind): (Vec<Found>, _, _) = (vec![], vec![], None);
    let (mut attribute, mut parameters, mut inside, mut field) = (false, false, false, vec![]);
    let mut list: Option<String> = None;
    for line in text.lines() {
        if attribute {
            attribute = line != ")]";
        } else if parameters {
            // the struct's parameters, one a line
            inside = line.ends_with('{');
            parameters = !inside;
            if let Some(found) = found.last_mut() {
                found.parameters.extend(parameters_of(line));
            }
        } else if inside {
            let code = line
                .trim_start()
                .trim_start_matches("pub ")
                .trim_start_matches("pub(crate) ");
            let opened = ["#[registers(", "#[signals("]
                .iter()
                .find_map(|list| code.strip_prefix(list));
            if let Some(begun) = list
                .take()
                .map(|begun| begun + "\n" + code)
                .or(opened.map(str::to_string))
            {
                match begun.strip_suffix(")]") {
                    Some(whole) => {
                        let fields = listed(whole, &std::mem::take(&mut field));
                        if let Some(found) = found.last_mut() {
                            found.fields.extend(fields);
                        }
                    }
                    None => list = Some(begun),
                }
            } else if let Some(comment) = code.strip_prefix("///") {
                field.push(comment);
            } else if code.starts_with("#[") {
                // how the field begins
            } else if let Some((name, of)) = code.split_once(':') {
                let of = of.trim().trim_end_matches(',');
                let doc = std::mem::take(&mut field);
                if let Some(found) = found.last_mut() {
                    found.fields.push(Field {
                        name: name.to_string(),
                        doc: doc.join("\n"),
                        of: of.to_string(),
                    });
                }
            }
            inside = line != "}";
        } else if let Some(comment) = line.strip_prefix("///") {
            doc.push(comment);
        } else if let Some(interface) = line.strip_prefix("#[interface") {
            let other = interface.strip_prefix('(').and_then(|names| names.split(',').next());
            kind = Some(Kind::Interface(other.map(str::to_string)));
            attribute = line.ends_with('(');
        } else if line.starts_with("#[") {
            if line.contains("LogicBlock") || line.starts_with("#[block") {
                kind = Some(Kind::Block);
            }
            attribute = line.ends_with('(');
        } else {
            let name = line.split("struct ").nth(1).filter(|_| !line.starts_with(' '));
            if let (Some(kind), Some(name)) = (kind.take(), name) {
                let end = name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len());
                inside = line.ends_with('{');
                parameters = line.ends_with('<');
                // an interface with a parameter is not one of those whose signals are described
                if kind == Kind::Block || !name[end..].starts_with('<') {
                    let between = name[end..].strip_prefix('<').unwrap_or_default();
                    found.push(Found {
                        kind,
                        name: name[..end].to_string(),
                        doc: doc.clone(),
                        fields: vec![],
                        parameters: parameters_of(between.split('>').next().unwrap_or_default()),
                    });
                } else {
                    inside = false;
                }
            }
            (doc, kind) = (vec![], None);
        }
    }
    let alone = found.iter().filter(|found| found.kind == Kind::Block).count() == 1;
    for Found {
        kind,
        name,
        doc,
        fields,
        parameters,
    } in found
    {
        match kind {
            Kind::Block => {
                let mut lines = if alone { about.clone() } else { vec![] };
                if !lines.is_empty() && !doc.is_empty() {
                    lines.push("");
                }
                lines.extend(doc);
                all.blocks.push(Block {
                    path: path.iter().map(|part| format!("{part}::")).collect::<String>() + &name,
                    room: room.to_string(),
                    doc: lines.join("\n"),
                    fields,
                    parameters,
                });
            }
            Kind::Interface(other) => {
                for name in other.into_iter().chain([name]) {
                    all.interfaces.insert(name, fields.clone());
                }
            }
        }
    }
}
