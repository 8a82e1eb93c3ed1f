//! The syntax of liberty files: groups with attributes, lists and groups within.

use std::collections::BTreeMap;

/// A group `kind (names) { ... }` with its attributes; of an attribute given twice the last counts.
#[derive(Debug, Default)]
pub struct Group {
    kind: String,
    names: Vec<String>,
    attributes: BTreeMap<String, String>,
    /// `name (a, b)`, in order: tables and lengths of wire.
    pub lists: Vec<(String, Vec<String>)>,
    groups: Vec<Group>,
}

impl Group {
    /// Reads a file; what it has at its top level is in a group without name.
    pub fn read(text: &str) -> Self {
        let mut file = Self::default();
        fill(&mut file, &mut tokens(text).into_iter().peekable());
        file
    }
    /// Its first name.
    pub fn name(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }
    /// Groups of a kind within.
    pub fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Group> {
        self.groups.iter().filter(move |group| group.kind == kind)
    }
    /// An attribute, empty if it is not there.
    pub fn text(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }
    /// An attribute that is a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.attributes.get(name)?.parse().ok()
    }
    /// Every number of a list; the strings of a liberty table hold several each.
    pub fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        let (_, texts) = self.lists.iter().find(|(list, _)| list == name)?;
        let words = texts.iter().flat_map(|text| text.split([',', ' ']));
        words
            .filter(|word| !word.is_empty())
            .map(|word| word.parse().ok())
            .collect()
    }
}

/// Words, strings and the signs `( ) { } : ; ,`; comments and continued lines gone.
fn tokens(text: &str) -> Vec<String> {
    let (mut found, mut rest) = (vec![], text);
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            let end = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
            found.push(rest.get(1..end - 1).unwrap_or("").replace("\\\n", ""));
            end
        } else if first.is_whitespace() || first == '\\' {
            1
        } else if "(){}:;,".contains(first) {
            found.push(first.to_string());
            1
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || "(){}:;,\"".contains(c));
            let end = end.unwrap_or(rest.len());
            found.push(rest[..end].to_string());
            end
        };
        rest = &rest[length..];
    }
    found
}

/// Reads statements into a group until its brace closes or the text ends.
fn fill(group: &mut Group, tokens: &mut std::iter::Peekable<std::vec::IntoIter<String>>) {
    while let Some(word) = tokens.next().filter(|word| word != "}") {
        match tokens.peek().map(String::as_str) {
            Some(":") => {
                tokens.next();
                let value = tokens.next().unwrap_or_default();
                group.attributes.insert(word, value);
            }
            Some("(") => {
                tokens.next();
                let within = std::iter::from_fn(|| tokens.next().filter(|token| token != ")"));
                let names: Vec<String> = within.filter(|token| token != ",").collect();
                if tokens.peek().is_some_and(|token| token == "{") {
                    tokens.next();
                    let mut child = Group {
                        kind: word,
                        names,
                        ..Group::default()
                    };
                    fill(&mut child, tokens);
                    group.groups.push(child);
                } else {
                    group.lists.push((word, names));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_attributes_and_lists_are_told_apart() {
        let text = "/* a { b } */ outer (\"first\", 2) {\n  name : \"a b\" ;\n  size : 1.5e-1;\n  values (\"1, 2\", \\\n    \"3\");\n  inner () { at : 1; }\n}\n";
        let file = Group::read(text);
        let outer = file.of("outer").next().expect("group");
        assert_eq!((outer.name(), outer.names.len()), ("first", 2));
        assert_eq!((outer.text("name"), outer.number("size")), ("a b", Some(0.15)));
        assert_eq!(outer.numbers("values"), Some(vec![1.0, 2.0, 3.0]));
        assert_eq!(outer.of("inner").next().and_then(|inner| inner.number("at")), Some(1.0));
        assert_eq!((outer.number("name"), outer.numbers("none")), (None, None));
    }
}
