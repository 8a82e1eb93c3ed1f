//! Fields of the types that read a scenario, from their source text.

use super::key::{Key, Section, Type};

const SCENARIO: &str = include_str!("../spec/mod.rs");
const NETWORK: &str = include_str!("../spec/network.rs");
const TRAFFIC: &str = include_str!("../spec/traffic.rs");
const TCP: &str = include_str!("../spec/tcp.rs");
const TELEMETRY: &str = include_str!("../spec/telemetry.rs");
const CIRCUITS: &str = include_str!("../spec/circuits.rs");
const HCC: &str = include_str!("../spec/hcc.rs");
const FIDELITY: &str = include_str!("../../plan/fidelity.rs");
const DRIVER: &str = include_str!("../../plan/laws/cc_rtl.rs");
/// Where words of types are looked for.
const TEXTS: [&str; 5] = [SCENARIO, NETWORK, TRAFFIC, FIDELITY, DRIVER];

/// Tables, by the type that reads them.
const TABLES: [(&str, &str, &str); 13] = [
    ("", "Scenario", SCENARIO),
    ("network", "NetworkSpec", NETWORK),
    ("network.link_change", "LinkChangeSpec", NETWORK),
    ("network.link_loss", "LinkLossSpec", NETWORK),
    ("cc", "CcSpec", SCENARIO),
    ("cc.precision", "PrecisionSpec", SCENARIO),
    ("run", "RunSpec", SCENARIO),
    ("tcp", "TcpSpec", TCP),
    ("telemetry", "TelemetrySpec", TELEMETRY),
    ("circuits", "CircuitSpec", CIRCUITS),
    ("hcc", "HccSpec", HCC),
    ("hcc.failure", "FailureSpec", HCC),
    ("variant", "Variant", SCENARIO),
];

/// All tables of types, and the kinds of traffic.
pub(super) fn sections() -> Vec<Section> {
    let mut all: Vec<Section> = TABLES
        .iter()
        .map(|(path, name, text)| structure(path, name, text))
        .collect();
    all.extend(kinds());
    all
}

/// Types with one value.
const PLAIN: [&str; 8] = ["u8", "u32", "u64", "usize", "i32", "f64", "bool", "String"];

/// Name of a variant as a scenario has it.
fn kebab(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// What stands before an item or a field: its sentences and attributes.
#[derive(Default)]
struct Before {
    meaning: Vec<String>,
    attributes: String,
}

impl Before {
    /// Takes a line if it is such a one.
    fn takes(&mut self, line: &str) -> bool {
        if let Some(doc) = line.strip_prefix("///") {
            self.meaning.push(doc.trim().into());
        } else if line.starts_with("#[") {
            self.attributes += line;
        } else {
            return false;
        }
        true
    }

    fn meaning(&self) -> String {
        self.meaning.join(" ")
    }
}

/// The lines of an item behind `head`, to the brace that closes it, and what stands before it.
fn item<'a>(text: &'a str, head: &str) -> (Before, Vec<&'a str>) {
    let mut before = Before::default();
    let mut lines = text.lines();
    for line in lines.by_ref() {
        if line == head {
            break;
        }
        if !before.takes(line) {
            before = Before::default();
        }
    }
    (before, lines.take_while(|line| *line != "}").collect())
}

/// Fields in some lines.
fn fields(text: &str, lines: &[&str], all_default: bool) -> Vec<Key> {
    let mut before = Before::default();
    let mut keys = Vec::new();
    for line in lines {
        let line = line.trim();
        if before.takes(line) {
            continue;
        }
        let field = line.strip_prefix("pub ").unwrap_or(line).trim_end_matches(',');
        let Before { attributes, .. } = &before;
        if let Some((name, of)) = field.split_once(": ").filter(|_| !attributes.contains("flatten")) {
            let optional = all_default || attributes.contains("default") || of.starts_with("Option<");
            keys.push(Key {
                name: name.into(),
                of: type_of(of),
                required: !optional,
                default: match optional {
                    // What a whole table's own default puts there is no type's.
                    true if all_default && PLAIN.contains(&of) => String::new(),
                    true => default(text, attributes, of),
                    false => String::new(),
                },
                range: None,
                meaning: before.meaning(),
            });
        }
        before = Before::default();
    }
    keys
}

fn structure(path: &str, name: &str, text: &str) -> Section {
    let (before, lines) = item(text, &format!("pub struct {name} {{"));
    let all_default = before.attributes.contains("default)]");
    Section {
        path: path.into(),
        meaning: before.meaning(),
        keys: fields(text, &lines, all_default),
    }
}

/// Each kind of traffic.
fn kinds() -> Vec<Section> {
    let (_, lines) = item(TRAFFIC, "pub enum TrafficSpec {");
    let mut before = Before::default();
    let mut all = Vec::new();
    let mut rest = lines.into_iter();
    while let Some(line) = rest.next() {
        if before.takes(line.trim()) {
            continue;
        }
        if let Some(name) = line.trim().strip_suffix(" {") {
            let own: Vec<&str> = rest.by_ref().take_while(|line| *line != "    },").collect();
            all.push(Section {
                path: format!("traffic {}", kebab(name)),
                meaning: before.meaning(),
                keys: fields(TRAFFIC, &own, false),
            });
        }
        before = Before::default();
    }
    all
}

fn inside<'a>(of: &'a str, outer: &str) -> Option<&'a str> {
    of.strip_prefix(outer)?.strip_prefix('<')?.strip_suffix('>')
}

fn type_of(of: &str) -> Type {
    match of {
        "u8" | "u32" | "u64" | "usize" | "i32" => return Type::Integer,
        "f64" => return Type::Number,
        "bool" => return Type::Flag,
        "String" => return Type::Text,
        "Table" => return Type::Changes,
        "BaseRtt" => return Type::TimeOrAuto,
        "Vec<TrafficSpec>" | "Vec<Variant>" | "Vec<LinkChangeSpec>" | "Vec<LinkLossSpec>" | "Vec<FailureSpec>" => {
            return Type::Tables
        }
        _ => {}
    }
    if let Some(inner) = inside(of, "Option") {
        return type_of(inner);
    }
    if let Some(inner) = inside(of, "Vec") {
        return Type::List(Box::new(type_of(inner)), None);
    }
    if let Some((inner, many)) = of
        .strip_prefix('[')
        .and_then(|of| of.strip_suffix(']')?.split_once("; "))
    {
        return Type::List(Box::new(type_of(inner)), many.parse().ok());
    }
    let words = words(of);
    match words.is_empty() {
        true => Type::Table,
        false => Type::Word(words),
    }
}

/// Words of an enumeration, in its order.
fn words(name: &str) -> Vec<String> {
    let head = format!("pub enum {name} {{");
    let lines = TEXTS
        .iter()
        .map(|text| item(text, &head).1)
        .find(|lines| !lines.is_empty());
    let names = lines.unwrap_or_default().into_iter();
    let plain = names.map(|line| line.trim().trim_end_matches(','));
    plain
        .filter(|line| !line.is_empty() && line.chars().all(char::is_alphanumeric))
        .map(kebab)
        .collect()
}

/// What serde puts where a field is not given.
fn default(text: &str, attributes: &str, of: &str) -> String {
    if let Some((_, rest)) = attributes.split_once("default = \"") {
        let name = rest.split('"').next().unwrap_or_default();
        let (_, body) = text.split_once(&format!("fn {name}() -> ")).unwrap_or_default();
        let body = body.lines().nth(1).unwrap_or_default().trim();
        return body.trim_end_matches(".into()").into();
    }
    match of {
        "u8" | "u32" | "u64" | "usize" | "i32" | "f64" => "0".into(),
        "bool" => "false".into(),
        "String" => "\"\"".into(),
        "BaseRtt" => "\"auto\"".into(),
        _ if of.starts_with("Vec<") => "[]".into(),
        _ if of.starts_with("Option<") || of == "Table" || of == "PrecisionSpec" => String::new(),
        _ => usual_word(of).map(|word| format!("\"{word}\"")).unwrap_or_default(),
    }
}

/// The word that an enumeration marks as its default.
fn usual_word(name: &str) -> Option<String> {
    let head = format!("pub enum {name} {{");
    let lines = TEXTS
        .iter()
        .map(|text| item(text, &head).1)
        .find(|lines| !lines.is_empty())?;
    let at = lines.iter().position(|line| line.trim() == "#[default]")?;
    lines.get(at + 1).map(|line| kebab(line.trim().trim_end_matches(',')))
}
