//! An error of a TOML file in one line: file, line, field, what was expected.

use toml::de::{DeTable, DeValue};

use crate::names::with_suggestion;

/// Describes an error of reading `text`.
pub fn toml_error(file: &str, text: &str, error: &toml::de::Error) -> String {
    let message = plain(error.message());
    let Some(span) = error.span() else {
        return format!("{file}: {message}");
    };
    let start = span.start.min(text.len());
    let line = text[..start].matches('\n').count() + 1;
    // An entry of a list of tables has been read by itself, and names its place.
    if let Some(line) = place(text, &message) {
        return format!("{file}:{line}: {message}");
    }
    let named = match error.message() {
        "duplicate key" => field(text, start, text.get(span).unwrap_or_default()),
        _ => field(text, start, ""),
    };
    let told = |field: &String| message.contains(&format!("`{field}`")) || message.starts_with(&format!("{field}."));
    match named.filter(|field| !told(field)) {
        Some(field) => format!("{file}:{line}: {field}: {message}"),
        None => format!("{file}:{line}: {message}"),
    }
}

/// Describes an error of reading a table whose text is not at hand; `from` says where it comes from.
pub fn table_error(from: &str, error: &toml::de::Error) -> String {
    let message = plain(error.message());
    let text = error.to_string();
    let key = text
        .rsplit_once("\nin `")
        .map(|(_, key)| key.trim_end().trim_end_matches('`'));
    match key.filter(|key| !message.starts_with(&format!("{key}."))) {
        Some(key) => format!("{from}: {key}: {message}"),
        None => format!("{from}: {message}"),
    }
}

/// Describes why an entry of a list of tables cannot be read, as `LIST.INDEX.KEY: message`. `read` gives the message; the key is the one without which it is
/// another message, or none.
pub fn entry_error(
    list: &str,
    index: usize,
    entry: &toml::Table,
    read: impl Fn(toml::Table) -> Option<String>,
) -> String {
    let message = read(entry.clone()).unwrap_or_default();
    let changes = |key: &&String| {
        let mut rest = entry.clone();
        rest.remove(*key);
        read(rest).as_ref() != Some(&message)
    };
    let key = entry
        .keys()
        .filter(|_| !message.starts_with("missing field"))
        .find(changes);
    match key {
        Some(key) => format!("{list}.{index}.{key}: {message}"),
        None => format!("{list}.{index}: {message}"),
    }
}

/// A message in one line, with numbers in the place of Rust's types.
fn plain(message: &str) -> String {
    let message = with_suggestion(&message.replace('\n', " "));
    if message.ends_with('?') {
        return message;
    }
    let Some((before, expected)) = message.rsplit_once("expected ") else {
        return message;
    };
    let expected = match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of 0 or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        other => other,
    };
    format!("{before}expected {expected}")
}

/// How many lines below the header at `offset` a table's key stands; `None` if it is not written there.
pub fn key_below(text: &str, offset: usize, key: &str) -> Option<usize> {
    let inside = text.get(offset..)?.lines().enumerate().skip(1);
    let mut inside = inside.take_while(|(_, line)| !line.trim_start().starts_with('['));
    let found = inside.find(|(_, line)| line.split_once('=').is_some_and(|(name, _)| name.trim() == key));
    found.map(|(below, _)| below)
}

/// The line of a value by its path, or of the innermost table around it that is written. `None` if not even that is, or if the text is no TOML.
pub fn line_of(text: &str, path: &[&str]) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let offset = offset_in(table.get_ref(), path)?;
    Some(text[..offset.min(text.len())].matches('\n').count() + 1)
}

fn offset_in(table: &DeTable, path: &[&str]) -> Option<usize> {
    let (first, rest) = path.split_first()?;
    let (key, value) = table.iter().find(|(key, _)| key.get_ref() == first)?;
    Some(offset_below(value.get_ref(), rest).unwrap_or(key.span().start))
}

fn offset_below(value: &DeValue, path: &[&str]) -> Option<usize> {
    if let Some(table) = value.as_table() {
        return offset_in(table, path);
    }
    let (index, rest) = path.split_first()?;
    let entry = value.as_array()?.get(index.parse::<usize>().ok()?)?;
    Some(offset_below(entry.get_ref(), rest).unwrap_or(entry.span().start))
}

/// The line of the place that a message begins with, `LIST.INDEX.KEY: ` or `LIST.INDEX: `, where the list's entries stand below headers `[[LIST]]`.
fn place(text: &str, message: &str) -> Option<usize> {
    let mut path = message.split_once(": ")?.0.split('.');
    let (list, index, key) = (path.next()?, path.next()?.parse().ok()?, path.next());
    let header = |line: &&str| line.trim_start().starts_with('[');
    let is_entry = |line: &&str| {
        line.trim()
            .strip_prefix("[[")
            .and_then(|l| l.split_once("]]"))
            .is_some_and(|l| l.0.trim() == list)
    };
    let lines: Vec<&str> = text.lines().collect();
    let first = (0..lines.len()).filter(|&at| is_entry(&lines[at])).nth(index)?;
    let inside = lines[first + 1..].iter().take_while(|line| !header(line));
    let is_key = |line: &str| {
        line.split_once('=')
            .map(|(name, _)| name.trim().trim_matches(['"', '\'']))
            == key
    };
    let below = key.and_then(|_| inside.into_iter().position(|line| is_key(line)));
    Some(first + 1 + below.map_or(0, |below| below + 1))
}

/// Dotted name of the value that begins at `at`: the table whose header is above it or there, the key before it, and `last`.
fn field(text: &str, at: usize, last: &str) -> Option<String> {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let here = text[line_start..]
        .lines()
        .next()
        .filter(|line| line.trim_start().starts_with('['));
    let table = here
        .into_iter()
        .chain(before[..line_start].lines().rev())
        .find_map(|line| {
            let line = line.trim();
            let name = line.strip_prefix('[')?.trim_start_matches('[');
            Some(name.split(']').next()?.trim().to_string())
        });
    // Within an inline table the outermost key comes first.
    let keys: Vec<&str> = before[line_start..]
        .split('{')
        .filter_map(|part| {
            let last = part.rsplit(',').next()?;
            Some(last.split_once('=')?.0.trim())
        })
        .collect();
    let keys = keys.into_iter().chain([last.trim()]).filter(|key| !key.is_empty());
    let parts = table.into_iter().chain(keys.map(String::from));
    let name = parts.collect::<Vec<_>>().join(".");
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Inner {
        hosts: u32,
        #[serde(default)]
        name: String,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Outer {
        network: Inner,
        #[serde(default)]
        seed: u64,
    }

    #[test]
    fn line_and_field() {
        for (text, expected) in [
            (
                "seed = 1\n[network]\nhosts = 'many'\n",
                "f:3: network.hosts: invalid type",
            ),
            (
                "network = { name = 'x', hosts = -1 }\n",
                "f:1: network.hosts: invalid value",
            ),
            ("seed = 'x'\nnetwork = { hosts = 1 }\n", "f:1: seed: invalid type"),
            ("seed = 1\nseed = 2\n[network]\nhosts = 1\n", "f:2: seed: duplicate key"),
            ("[network]\nhosts = 1\nhosts = 2\n", "f:3: network.hosts: duplicate key"),
            (
                "seed = 1.5\n[network]\nhosts = 1\n",
                "f:1: seed: invalid type: floating point `1.5`, expected a whole number of 0 or more",
            ),
            ("[network]\nhosts = 1\nhops = 2\n", "unknown field `hops`"),
            ("[network\n", "f:1: "),
            ("seed = 1\n", "missing field `network`"),
        ] {
            let error = toml_error("f", text, &toml::from_str::<Outer>(text).unwrap_err());
            assert!(error.contains(expected) && !error.contains('\n'), "{text:?}: {error}");
        }
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Lists {
        #[serde(deserialize_with = "entries")]
        inner: Vec<Inner>,
    }

    fn entries<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<Inner>, D::Error> {
        let read = |entry: toml::Table| entry.try_into::<Inner>();
        let entries = Vec::<toml::Table>::deserialize(from)?;
        let entries = entries.into_iter().enumerate().map(|(index, entry)| {
            read(entry.clone()).map_err(|_| {
                let message = |entry| read(entry).err().map(|error| error.message().to_string());
                serde::de::Error::custom(entry_error("inner", index, &entry, message))
            })
        });
        entries.collect()
    }

    /// Line and key of the second of two entries, whatever their header's line is.
    #[test]
    fn entries_of_lists() {
        let good = "[[inner]]\nname = 'x'\nhosts = 1\n\n";
        for (entry, expected) in [
            (
                "[[inner]]\nname = 'x'\nhosts = 'x'\n",
                "f:7: inner.1.hosts: invalid type",
            ),
            ("[[inner]]\nhosts = 1\nname = 1\n", "f:7: inner.1.name: invalid type"),
            ("[[inner]]\nname = 'x'\nhops = 1\n", "f:7: inner.1.hops: unknown field"),
            ("[[inner]]\nname = 'x'\n", "f:5: inner.1: missing field `hosts`"),
        ] {
            let text = format!("{good}{entry}");
            let error = toml_error("f", &text, &toml::from_str::<Lists>(&text).unwrap_err());
            assert!(error.starts_with(expected), "{entry:?}: {error}");
        }
        let text = "\ninner = [{ hosts = 1 }, { hosts = -1 }]\n";
        let error = toml_error("f", text, &toml::from_str::<Lists>(text).unwrap_err());
        assert!(error.starts_with("f:2: inner.1.hosts: invalid value"), "{error}");
    }

    /// A value's own line, else that of what is around it; nothing for a table that is not there.
    #[test]
    fn lines_of_values() {
        let text = "seed = 1\n\n[network]\nhosts = 3\n'a.b' = 1\n[[traffic]]\nkind = 'flow'\n[[traffic]]\nload = 2\nset = { 'cc.eta' = 5 }\n";
        for (path, line) in [
            (&["seed"][..], Some(1)),
            (&["network", "hosts"], Some(4)),
            (&["network", "loss"], Some(3)),
            (&["network", "a.b"], Some(5)),
            (&["traffic", "0", "load"], Some(6)),
            (&["traffic", "1", "load"], Some(9)),
            (&["traffic", "1", "set", "cc.eta"], Some(10)),
            (&["cc", "eta"], None),
        ] {
            assert_eq!(line_of(text, path), line, "{path:?}");
        }
        assert_eq!(line_of("[network", &["network"]), None);
    }

    #[test]
    fn tables_without_a_text() {
        let told = |text: &str| {
            let table: toml::Table = text.parse().unwrap();
            table_error("--set", &table.try_into::<Outer>().unwrap_err())
        };
        let number = "expected a whole number of 0 or more";
        let expected = format!("--set: network.hosts: invalid type: string \"x\", {number}");
        assert_eq!(told("network.hosts = 'x'"), expected);
        assert_eq!(
            told("network.hosts = 1\nseed = true"),
            format!("--set: seed: invalid type: boolean `true`, {number}")
        );
    }
}
