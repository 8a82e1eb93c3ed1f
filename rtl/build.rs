//! Gathers what the sources say about each block, so that the emitter can put it over the block's module.
//!
//! For every `#[block]` the table has its path in the crate, the folder of its file, and its comment: that of
//! the file, where the file has one block alone, and that of the struct; and the comments of its fields.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=build.rs");
    let mut table = String::from("&[\n");
    folder(Path::new("src"), &mut vec![], &mut table)?;
    table.push_str("]\n");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(Path::new(&out).join("blocks.rs"), table)
}

/// Adds the blocks of a folder; `path` is its place in the crate.
fn folder(dir: &Path, path: &mut Vec<String>, table: &mut String) -> io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(dir)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (file, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let stem = name.trim_end_matches(".rs").to_string();
        let room = path.last().cloned().unwrap_or_default();
        if file.is_dir() {
            path.push(name);
            folder(&file, path, table)?;
            path.pop();
        } else if stem == "mod" || stem == "lib" {
            blocks(&fs::read_to_string(&file)?, path, &room, table);
        } else if name.ends_with(".rs") {
            path.push(stem);
            blocks(&fs::read_to_string(&file)?, path, &room, table);
            path.pop();
        }
    }
    Ok(())
}

/// A block of the file in hand.
struct Found<'a> {
    name: String,
    doc: Vec<&'a str>,
    fields: Vec<(String, String)>,
}

/// Adds the blocks of a file, those of its unit tests excepted.
fn blocks(text: &str, path: &[String], room: &str, table: &mut String) {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let about: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).collect();
    let (mut found, mut doc, mut block): (Vec<Found>, _, _) = (vec![], vec![], false);
    let (mut inside, mut field) = (false, vec![]);
    let mut attribute = false;
    for line in text.lines() {
        if attribute {
            attribute = line != ")]";
            continue;
        }
        if inside {
            let code = line
                .trim_start()
                .trim_start_matches("pub ")
                .trim_start_matches("pub(crate) ");
            if let Some(comment) = code.strip_prefix("///") {
                field.push(comment);
            } else if code.starts_with("#[") {
                // how the field begins
            } else if let Some((name, _)) = code.split_once(':') {
                let doc = std::mem::take(&mut field);
                if let (Some(block), false) = (found.last_mut(), doc.is_empty()) {
                    block.fields.push((name.to_string(), doc.join("\n")));
                }
            }
            inside = line != "}";
            continue;
        }
        if let Some(comment) = line.strip_prefix("///") {
            doc.push(comment);
        } else if line.starts_with("#[") {
            block |= line.contains("LogicBlock") || line.starts_with("#[block");
            attribute = line.ends_with('(');
        } else {
            let name = line.split("struct ").nth(1).filter(|_| block && !line.starts_with(' '));
            if let Some(name) = name {
                let end = name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len());
                inside = line.ends_with('{');
                found.push(Found {
                    name: name[..end].to_string(),
                    doc: doc.clone(),
                    fields: vec![],
                });
            }
            (doc, block) = (vec![], false);
        }
    }
    let alone = found.len() == 1;
    for Found { name, doc, fields } in found {
        let mut lines = if alone { about.clone() } else { vec![] };
        if !lines.is_empty() && !doc.is_empty() {
            lines.push("");
        }
        lines.extend(doc);
        let path = path.iter().map(|part| format!("{part}::")).collect::<String>() + &name;
        let doc = lines.join("\n");
        writeln!(
            table,
            "    Known {{ path: {path:?}, room: {room:?}, doc: {doc:?}, fields: &{fields:?} }},"
        )
        .expect("string");
    }
}
