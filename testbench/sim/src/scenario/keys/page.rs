//! The book's page of keys.

use std::fmt::Write as _;

use super::hand::laws_with;
use super::key::{Key, Section, Type};
use super::table::sections;

/// A number as a scenario has it: powers of ten from a million on.
fn number(value: f64) -> String {
    match value.abs() >= 1e6 {
        true => format!("{value:e}"),
        false => value.to_string(),
    }
}

fn heading(section: &Section) -> String {
    match section.path.as_str() {
        "" => "The scenario".into(),
        "laws" => "`[cc]`: parameters of laws".into(),
        "variant" => "`[[variant]]`".into(),
        "network.link_change" | "network.link_loss" | "hcc.failure" => format!("`[[{}]]`", section.path),
        path => match path.split_once(' ') {
            Some((list, kind)) => format!("`[[{list}]]` of kind `{kind}`"),
            None => format!("`[{path}]`"),
        },
    }
}

fn row(section: &Section, key: &Key) -> String {
    let range = match (&key.of, key.range) {
        (Type::Word(_), _) | (_, None) => String::new(),
        (_, Some((least, most))) => format!("{} to {}", number(least), number(most)),
    };
    let default = match (key.required, key.default.as_str()) {
        (true, _) => "required".into(),
        (false, "") => String::new(),
        (false, default) => format!("`{default}`"),
    };
    let mut meaning = key.meaning.replace('|', "\\|");
    if section.path == "laws" {
        let laws: Vec<String> = laws_with(&key.name).iter().map(|law| format!("`{law}`")).collect();
        let _ = write!(meaning, " Of {}.", laws.join(", "));
    }
    format!(
        "| `{}` | {} | {default} | {range} | {meaning} |\n",
        key.name,
        key.of.name()
    )
}

/// `docs/src/reference/scenario-keys.md`.
pub fn page() -> String {
    let mut text = String::from(
        "# Keys of scenarios\n\n\
         For whom: who writes a scenario or a sweep.\n\n\
         Every key that a [scenario](scenario.md) may have. The page is emitted from the program's own table; `hpcc-nic scenarios --schema` prints the same as JSON Schema\n\
         for editors. A default that is empty is that of the law, the profile or the topology, as the sentence says. A key that would change nothing in a run is an error, whatever its value.\n\
         Any key can be set from the command line by its dotted path: `--set network.mtu=4096`, `--set traffic.0.bytes=1000`.\n",
    );
    for section in sections() {
        let _ = write!(
            text,
            "\n## {}\n\n{}\n\n| key | type | default | range | meaning |\n| --- | --- | --- | --- | --- |\n",
            heading(&section),
            section.meaning
        );
        section.keys.iter().for_each(|key| text += &row(&section, key));
    }
    text
}
