//! An error of a TOML file in one line: file, line, field, what was expected.

/// Describes an error of reading `text`.
pub fn toml_error(file: &str, text: &str, error: &toml::de::Error) -> String {
    let message = error.message().replace('\n', " ");
    let Some(span) = error.span() else {
        return format!("{file}: {message}");
    };
    let start = span.start.min(text.len());
    let line = text[..start].matches('\n').count() + 1;
    match field(text, start).filter(|field| !message.contains(&format!("`{field}`"))) {
        Some(field) => format!("{file}:{line}: {field}: {message}"),
        None => format!("{file}:{line}: {message}"),
    }
}

/// Dotted name of the value that begins at `at`: the table whose header is above it, and the key before it.
fn field(text: &str, at: usize) -> Option<String> {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let table = before[..line_start].lines().rev().find_map(|line| {
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
        .filter(|key| !key.is_empty())
        .collect();
    let parts = table.into_iter().chain(keys.into_iter().map(String::from));
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
            ("seed = 1\nseed = 2\n[network]\nhosts = 1\n", "f:2: "),
            ("[network]\nhosts = 1\nhops = 2\n", "unknown field `hops`"),
            ("[network\n", "f:1: "),
            ("seed = 1\n", "missing field `network`"),
        ] {
            let error = toml_error("f", text, &toml::from_str::<Outer>(text).unwrap_err());
            assert!(error.contains(expected) && !error.contains('\n'), "{text:?}: {error}");
        }
    }
}
