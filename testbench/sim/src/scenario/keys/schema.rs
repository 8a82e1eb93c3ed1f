//! JSON Schema (draft 7) of a scenario.

use serde_json::{json, Map, Value};

use super::hand::{laws_with, path};
use super::key::{Key, Section, Type};
use super::table::sections;

fn of_type(of: &Type) -> Value {
    match of {
        Type::Integer => json!({"type": "integer"}),
        Type::Number => json!({"type": "number"}),
        Type::Flag => json!({"type": "boolean"}),
        Type::Text => json!({"type": "string"}),
        Type::Word(words) => json!({"type": "string", "enum": words}),
        Type::List(of, None) => json!({"type": "array", "items": of_type(of)}),
        Type::List(of, Some(many)) => {
            json!({"type": "array", "items": of_type(of), "minItems": many, "maxItems": many})
        }
        Type::Changes | Type::Table => json!({"type": "object"}),
        Type::Tables => json!({"type": "array", "items": {"type": "object"}}),
        Type::TimeOrAuto => json!({"anyOf": [{"type": "integer"}, {"type": "string", "enum": ["auto"]}]}),
    }
}

fn of_key(section: &str, key: &Key) -> Value {
    let mut schema = of_type(&key.of);
    if let Some((least, most)) = key.range {
        let to = match schema.get_mut("anyOf") {
            Some(Value::Array(either)) => &mut either[0],
            _ => &mut schema,
        };
        (to["minimum"], to["maximum"]) = (json!(least), json!(most));
    }
    let mut meaning = key.meaning.clone();
    if section == "laws" {
        meaning += &format!(" Of {}.", laws_with(&key.name).join(", "));
    }
    schema["description"] = json!(meaning);
    let default = format!("v = {}", key.default).parse::<toml::Table>();
    if let Some(value) = default.ok().and_then(|mut table| table.remove("v")) {
        if let Ok(value) = serde_json::to_value(value) {
            schema["default"] = value;
        }
    }
    schema
}

fn of_section(all: &[Section], section: &Section) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let laws = all.iter().filter(|s| s.path == "laws" && section.path == "cc");
    for (from, key) in [section]
        .into_iter()
        .chain(laws)
        .flat_map(|s| s.keys.iter().map(move |key| (s, key)))
    {
        let own = path(&from.path, &key.name);
        let below = all.iter().find(|s| s.path == own);
        let schema = match (&key.of, below) {
            (Type::Table, Some(below)) => of_section(all, below),
            (Type::Tables, Some(below)) => {
                json!({"type": "array", "items": of_section(all, below), "description": key.meaning})
            }
            (Type::Tables, None) if own == "traffic" => {
                json!({"type": "array", "items": {"oneOf": kinds(all)}, "description": key.meaning})
            }
            _ => of_key(&from.path, key),
        };
        properties.insert(key.name.clone(), schema);
        if key.required {
            required.push(key.name.clone());
        }
    }
    json!({
        "type": "object",
        "description": section.meaning,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn kinds(all: &[Section]) -> Vec<Value> {
    let kind = |section: &Section| {
        let name = section.path.strip_prefix("traffic ")?.to_string();
        let mut schema = of_section(all, section);
        schema["properties"]["kind"] = json!({"type": "string", "enum": [name]});
        if let Some(required) = schema["required"].as_array_mut() {
            required.insert(0, json!("kind"));
        }
        Some(schema)
    };
    all.iter().filter_map(kind).collect()
}

/// The schema. Dotted keys (`set`, `grid`, `full`) only the program checks.
pub fn schema() -> Value {
    let all = sections();
    let mut schema = all.first().map_or(Value::Null, |scenario| of_section(&all, scenario));
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!("Scenario of hpcc-nic");
    schema
}
