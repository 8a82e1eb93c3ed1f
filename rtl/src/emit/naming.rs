//! How a block tells the emitter the name of its module and what to write over it.
//!
//! RustHDL hands the emitter a block without its type, so both travel through `Logic::timing`, the one method of
//! a block that returns text and that the simulation never reads:
//!
//! ```text
//! impl Logic for HopLane { #[hdl_gen] fn update(&mut self) { .. }  fn timing(&self) -> Vec<TimingInfo> { named::<Self>() } }
//! ```
//!
//! A block that says nothing is named after the field that holds it.

use super::comment::plain;
use super::ident::identifier;
use rust_hdl::prelude::TimingInfo;
use std::collections::BTreeMap;

/// Marks a `TimingInfo` that carries a module name.
const NAME: &str = "module name";
/// Marks one that carries the comment over the module.
const COMMENT: &str = "module comment";
/// Marks one that carries the comments of the block's fields.
const FIELDS: &str = "field comments";
/// Marks one that carries a parameter with its value, and the signals whose width it is.
const PARAMETER: &str = "parameter";
/// Marks a block whose text stands in the module of the block that uses it.
const INSIDE: &str = "inside";

/// What the sources say about a block.
struct Known {
    /// Path in this crate.
    path: &'static str,
    /// Folder of its file.
    room: &'static str,
    /// Comment of the file and of the struct.
    doc: &'static str,
    /// Names of its parameters, in order.
    parameters: &'static [&'static str],
    /// Fields with their comments; `port$signal` for the signals of an interface.
    fields: &'static [(&'static str, &'static str)],
}

/// Every block of this crate, written by `build.rs`.
const BLOCKS: &[Known] = include!(concat!(env!("OUT_DIR"), "/blocks.rs"));

/// Folders that a module's name does not begin with: parts that every room uses.
const COMMON: &[&str] = &["", "prim", "reciprocal", "word"];

/// Names the module after the block's folder and type: `sched::sender::Sender<9, 6>` becomes `sched_sender`. What the sources say
/// about the block stands over the module.
pub fn named<Block: ?Sized>() -> Vec<TimingInfo> {
    described::<Block>(type_to_name(std::any::type_name::<Block>()))
}

/// As [`named`], with `_large` behind the name of the larger of the two sizes in which a block is emitted.
pub fn named_by_size<Block: ?Sized>(large: bool) -> Vec<TimingInfo> {
    let name = type_to_name(std::any::type_name::<Block>());
    described::<Block>(if large { format!("{name}_large") } else { name })
}

/// As [`named`] for a block whose module has parameters: the first is the width of the signals and registers in `moved`,
/// which the block only moves (`child_port`: a port of a child); each parameter goes on to children that have it under the same name.
pub fn named_with<Block: ?Sized>(parameters: &[(&str, usize)], moved: &[&str]) -> Vec<TimingInfo> {
    let mut all = named::<Block>();
    all.extend(parameters.iter().map(|(parameter, value)| TimingInfo {
        name: PARAMETER.into(),
        clock: format!("{parameter} {value}"),
        inputs: moved.iter().map(|name| name.to_string()).collect(),
        outputs: vec![],
    }));
    all
}

/// As [`named`] for a small block that one other uses: its registers, memories and statements stand in the module of that block,
/// under the comment of this one. A module of its own would be mostly ports.
pub fn named_inside<Block: ?Sized>() -> Vec<TimingInfo> {
    let mut all = named::<Block>();
    all.push(note(INSIDE, String::new()));
    all
}

/// Names the module by a given lower-case identifier.
pub fn named_as<Block: ?Sized>(name: impl Into<String>) -> Vec<TimingInfo> {
    described::<Block>(name.into())
}

fn note(mark: &str, text: String) -> TimingInfo {
    TimingInfo {
        name: mark.into(),
        clock: text,
        inputs: vec![],
        outputs: vec![],
    }
}

fn described<Block: ?Sized>(name: String) -> Vec<TimingInfo> {
    let mut all = vec![note(NAME, name)];
    let path = std::any::type_name::<Block>();
    if let Some(block) = known(path) {
        let values: Vec<(&str, &str)> = block.parameters.iter().copied().zip(arguments(path)).collect();
        let said = |doc: &str| plain(&with_values(doc, &values));
        all.push(note(COMMENT, said(block.doc)));
        let field = |(name, doc): &(&str, &str)| format!("{name} {}", said(doc).replace('\n', " "));
        all.push(TimingInfo {
            outputs: block.fields.iter().map(field).collect(),
            ..note(FIELDS, String::new())
        });
    }
    all
}

/// What stands between the outermost `<` and `>` of a type's path, parameter by parameter.
fn arguments(path: &str) -> Vec<&str> {
    let inside = path.split_once('<').and_then(|(_, rest)| rest.strip_suffix('>'));
    let (mut found, mut depth, mut from) = (vec![], 0, 0);
    let Some(inside) = inside else { return found };
    for (at, c) in inside.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            ',' if depth == 0 => {
                found.push(inside[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(inside[from..].trim());
    found
}

/// A comment with the numbers that its block's parameters are in this instance: a reader of the Verilog does not know their names.
fn with_values(doc: &str, values: &[(&str, &str)]) -> String {
    let numbers = values
        .iter()
        .filter(|(_, value)| value.chars().all(|c| c.is_ascii_digit()));
    numbers.fold(doc.to_string(), |doc, (name, value)| {
        let mut out = String::new();
        // only what stands in back quotes is code
        for (at, piece) in doc.split('`').enumerate() {
            match at {
                0 => out += piece,
                at if at % 2 == 0 => out += &format!("`{piece}"),
                _ if piece == *name => {
                    // a number needs no quotes
                    out += value;
                    out.push('\u{1}');
                }
                _ => out += &format!("`{}", replaced(piece, name, value)),
            }
        }
        out.replace("\u{1}`", "")
    })
}

/// A word of a piece of code replaced.
fn replaced(code: &str, name: &str, value: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let whole = !before.ends_with(word) && !after.starts_with(word);
        out += before;
        out += if whole { value } else { name };
        rest = after;
    }
    out + rest
}

/// What the sources say about a block of this crate.
fn known(path: &str) -> Option<&'static Known> {
    let path = path.split('<').next()?.strip_prefix("hpcc_rtl::")?;
    BLOCKS.iter().find(|block| block.path == path)
}

fn marked<'a>(timing: &'a [TimingInfo], mark: &str) -> Option<&'a TimingInfo> {
    timing.iter().find(|info| info.name == mark)
}

/// The module name in a block's timing information, if it has one.
pub fn name_of(timing: &[TimingInfo]) -> Option<&str> {
    marked(timing, NAME).map(|info| info.clock.as_str())
}

/// Whether the block's text stands in the module of the block that uses it.
pub(super) fn stands_inside(timing: &[TimingInfo]) -> bool {
    marked(timing, INSIDE).is_some()
}

/// The comment over the module.
pub(super) fn comment_of(timing: &[TimingInfo]) -> Option<&str> {
    marked(timing, COMMENT).map(|info| info.clock.as_str())
}

/// Comments by the names that the commented has in the Verilog: of the block's fields, and of the signals of its interfaces.
pub(super) fn fields_of(timing: &[TimingInfo]) -> [BTreeMap<String, String>; 2] {
    let fields = marked(timing, FIELDS).map_or(&[][..], |info| &info.outputs);
    let mut comments = [BTreeMap::new(), BTreeMap::new()];
    for (name, doc) in fields.iter().filter_map(|field| field.split_once(' ')) {
        comments[usize::from(name.contains('$'))].insert(identifier(name), doc.to_string());
    }
    comments
}

/// The module's parameters with their values, and the signals that are as wide as the first.
pub(super) fn parameters_of(timing: &[TimingInfo]) -> (Vec<(String, usize)>, Vec<String>) {
    let parameters: Vec<_> = timing.iter().filter(|info| info.name == PARAMETER).collect();
    let moved = parameters.first().map_or(vec![], |info| info.inputs.clone());
    let value = |info: &&TimingInfo| {
        let (name, value) = info.clock.split_once(' ')?;
        Some((name.to_string(), value.parse().ok()?))
    };
    (parameters.iter().filter_map(value).collect(), moved)
}

/// `hpcc_rtl::sched::sender::Sender<9, 6>` to `sched_sender`: folder and type without parameters.
fn type_to_name(path: &str) -> String {
    let bare = path.split('<').next().unwrap_or(path);
    let name = snake_case(bare.rsplit("::").next().unwrap_or(bare));
    let room = known(path).map_or("", |block| block.room);
    let room = match room {
        "hpcc" | "parts" => "cc",
        "fast" => "requester",
        room => room,
    };
    if COMMON.contains(&room) || name.starts_with(room.trim_end_matches('s')) {
        name
    } else {
        format!("{room}_{name}")
    }
}

/// `MulPipe` to `mul_pipe`, `INTStamper` to `int_stamper`.
pub(crate) fn snake_case(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let mut out = String::new();
    for (i, c) in letters.iter().enumerate() {
        let after_lower = i > 0 && (letters[i - 1].is_lowercase() || letters[i - 1].is_ascii_digit());
        let before_lower = i > 0 && letters[i - 1] != '_' && letters.get(i + 1).is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && (after_lower || before_lower) && letters[i - 1] != '_' {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_told_by_their_values() {
        assert_eq!(arguments("a::B<9, c::D<1, 2>, 6>"), ["9", "c::D<1, 2>", "6"]);
        let values = [("A", "9"), ("I", "6"), ("T", "U<8>")];
        assert_eq!(
            with_values("A table of 2^`A` flows, `I` bits, `A + 1` of `AT` and `T`.", &values),
            "A table of 2^9 flows, 6 bits, `9 + 1` of `AT` and `T`."
        );
    }

    #[test]
    fn names_are_folder_and_type() {
        assert_eq!(type_to_name("hpcc_rtl::sched::sender::Sender<9, 6>"), "sched_sender");
        assert_eq!(type_to_name("hpcc_rtl::tx::pipe::TxPipe"), "tx_pipe");
        assert_eq!(type_to_name("hpcc_rtl::cc::parts::maximum::Maximum"), "cc_maximum");
        assert_eq!(
            type_to_name("hpcc_rtl::transport::requester::fast::window::Window"),
            "requester_window"
        );
        assert_eq!(
            type_to_name("hpcc_rtl::prim::skid::Skid<hpcc_rtl::prim::uint::U<24>>"),
            "skid"
        );
        assert_eq!(
            type_to_name("elsewhere::INTStamper"),
            "int_stamper",
            "blocks of other crates have no folder"
        );
    }
}
