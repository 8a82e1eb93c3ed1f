//! Types with names: words and kinds, the fields of a signal by name, and the package that declares them.
//!
//! A description carries comments behind a line break (see [`crate::prim::word`]); an enumeration without one belongs to a
//! single block and stays a set of `localparam`s there.

use super::comment::{commented, plain};
use super::error::Fault;
use super::ident::{check_field, identifier};
use super::naming::snake_case;
use crate::prim::word::{bits_of_kind, name_and_doc, values_of};
use rust_hdl::prelude::{TypeDescriptor, TypeKind};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

/// The package of all types.
pub(super) const PACKAGE: &str = "hpcc_nic_pkg";

/// The type of a signal, as far as the Verilog knows it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Type {
    Bits(usize),
    Kind(Arc<Kind>),
    Word(Arc<Word>),
    /// Item and count. A signal of its own is a plain vector; in a word each item is a member.
    Many(Arc<Type>, usize),
    /// Bits that a block moves without looking at them: their number in this instance, and the parameter that it is.
    Moved(usize, Arc<str>),
}

#[derive(Debug, PartialEq)]
pub(super) struct Kind {
    /// Name of the type in the package.
    pub name: String,
    doc: String,
    width: usize,
    values: Vec<Value>,
}

#[derive(Debug, PartialEq)]
struct Value {
    /// Name in Rust (`OpKind_Ack`).
    rust: String,
    /// Name in the package.
    packaged: String,
    doc: String,
    code: usize,
}

#[derive(Debug, PartialEq)]
pub(super) struct Word {
    pub name: String,
    doc: String,
    width: usize,
    fields: Vec<Member>,
}

#[derive(Debug, PartialEq)]
struct Member {
    name: String,
    doc: String,
    low: usize,
    kind: Type,
}

/// One step of a path into a word.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    Field(String),
    Item(usize),
}

impl Kind {
    /// Name of a value in the package, by its name in Rust.
    pub fn value(&self, name: &str) -> Option<String> {
        let found = self.values.iter().find(|value| value.rust == name);
        found.map(|value| format!("{PACKAGE}::{}", value.packaged))
    }
    /// The first value, which is zero and with which registers start.
    pub fn first(&self) -> String {
        format!("{PACKAGE}::{}", self.values[0].packaged)
    }
}

impl Type {
    pub fn of(descriptor: &TypeDescriptor) -> Self {
        let (name, doc) = name_and_doc(&descriptor.name);
        match (&descriptor.kind, doc) {
            (TypeKind::Bits(width) | TypeKind::Signed(width), _) => Type::Bits(*width),
            (TypeKind::Enum(labels), None) => Type::Bits(rust_hdl::prelude::clog2(labels.len())),
            (TypeKind::Enum(labels), Some(doc)) => {
                // `Status:8` is wider than its values need
                let (name, width) = match name.split_once(':') {
                    Some((name, width)) => (name, width.parse().ok()),
                    None => (name, None),
                };
                let values = values_of(labels).map(|(label, doc, code)| {
                    let rust = identifier(label);
                    Value {
                        packaged: snake_case(&rust).to_uppercase(),
                        rust,
                        doc: doc.unwrap_or_default().into(),
                        code,
                    }
                });
                Type::Kind(Arc::new(Kind {
                    name: format!("{}_t", snake_case(name)),
                    doc: doc.into(),
                    width: width.unwrap_or(bits_of_kind(labels.len())),
                    values: values.collect(),
                }))
            }
            (TypeKind::Composite(fields), None) => {
                let items: Vec<Type> = fields.iter().map(|field| Type::of(&field.kind)).collect();
                match items.first() {
                    // An array has items of one width; RustHDL's own structs, whose fields have any, stay plain bits.
                    Some(item) if items.iter().all(|other| other.width() == item.width()) => {
                        Type::Many(Arc::new(Type::of(&fields[0].kind)), items.len())
                    }
                    _ => Type::Bits(items.iter().map(Type::width).sum()),
                }
            }
            (TypeKind::Composite(fields), Some(doc)) => {
                let mut width = 0;
                let members = fields.iter().map(|field| {
                    let (name, doc) = name_and_doc(&field.fieldname);
                    let kind = Type::of(&field.kind);
                    let low = width;
                    width += kind.width();
                    Member {
                        name: name.into(),
                        doc: doc.unwrap_or_default().into(),
                        low,
                        kind,
                    }
                });
                let fields = members.collect();
                Type::Word(Arc::new(Word {
                    name: format!("{}_t", snake_case(name)),
                    doc: doc.into(),
                    width,
                    fields,
                }))
            }
        }
    }

    pub fn width(&self) -> usize {
        match self {
            Type::Bits(width) | Type::Moved(width, _) => *width,
            Type::Kind(kind) => kind.width,
            Type::Word(word) => word.width,
            Type::Many(item, count) => item.width() * count,
        }
    }

    /// What stands before a name in its declaration: `[7:0] `, `hpcc_nic_pkg::op_word_t `, nothing for a bit.
    pub fn declared(&self) -> String {
        match self {
            Type::Kind(kind) => format!("{PACKAGE}::{} ", kind.name),
            Type::Word(word) => format!("{PACKAGE}::{} ", word.name),
            Type::Moved(_, parameter) => format!("[{parameter}-1:0] "),
            other => range(other.width()),
        }
    }

    /// True for a type of the package.
    pub fn is_named(&self) -> bool {
        matches!(self, Type::Kind(_) | Type::Word(_))
    }

    /// Where a path leads: lowest bit and type.
    pub fn at(&self, path: &[Step]) -> Option<(usize, &Type)> {
        let Some((step, rest)) = path.split_first() else {
            return Some((0, self));
        };
        let (low, inner) = match (self, step) {
            (Type::Word(word), Step::Field(name)) => {
                let field = word.fields.iter().find(|field| field.name == *name)?;
                (field.low, &field.kind)
            }
            (Type::Many(item, count), Step::Item(at)) if at < count => (at * item.width(), &**item),
            _ => return None,
        };
        let (offset, found) = inner.at(rest)?;
        Some((low + offset, found))
    }

    /// The type of exactly these bits, where they are a field.
    pub fn exactly(&self, bits: &Range<usize>) -> Option<&Type> {
        if *bits == (0..self.width()) {
            return Some(self);
        }
        let (low, inner, _) = self.around(bits)?;
        inner.exactly(&(bits.start - low..bits.end - low))
    }

    /// The member that contains the bits: its lowest bit, type and name.
    fn around(&self, bits: &Range<usize>) -> Option<(usize, &Type, String)> {
        let inside = |low: usize, kind: &Type| bits.start >= low && bits.end <= low + kind.width();
        match self {
            Type::Word(word) => {
                let field = word.fields.iter().find(|field| inside(field.low, &field.kind))?;
                Some((field.low, &field.kind, field.name.clone()))
            }
            Type::Many(item, _) => {
                let at = bits.start / item.width();
                let low = at * item.width();
                inside(low, item).then(|| (low, &**item, at.to_string()))
            }
            _ => None,
        }
    }

    /// Text of some bits of the signal `net`: `net`, `net.una`, `net.hops_2.ts`, `net.una[7:0]`, or `net[70:3]` where they are
    /// parts of several fields.
    pub fn part(&self, net: &str, bits: &Range<usize>) -> String {
        let absolute = || match bits.len() {
            1 => format!("{net}[{}]", bits.start),
            _ => format!("{net}[{}:{}]", bits.end - 1, bits.start),
        };
        if *bits == (0..self.width()) {
            return net.into();
        }
        // a signal that is an array is a plain vector
        if !matches!(self, Type::Word(_)) {
            return absolute();
        }
        let (mut text, mut kind, mut bits_left) = (net.to_string(), self, bits.clone());
        loop {
            let whole = bits_left == (0..kind.width());
            if whole && !matches!(kind, Type::Many(..)) {
                return text;
            }
            match kind.around(&bits_left) {
                Some((low, inner, name)) => {
                    let joint = if matches!(kind, Type::Many(..)) { "_" } else { "." };
                    text += &format!("{joint}{name}");
                    bits_left = bits_left.start - low..bits_left.end - low;
                    kind = inner;
                }
                None if matches!(kind, Type::Bits(_) | Type::Kind(_)) => {
                    return match bits_left.len() {
                        1 => format!("{text}[{}]", bits_left.start),
                        _ => format!("{text}[{}:{}]", bits_left.end - 1, bits_left.start),
                    }
                }
                None => return absolute(),
            }
        }
    }

    /// The bits as few fields and slices as possible, highest first.
    pub fn pieces(&self, net: &str, bits: Range<usize>) -> Vec<String> {
        let mut ranges = vec![];
        self.split(0, &bits, &mut ranges);
        ranges.iter().rev().map(|range| self.part(net, range)).collect()
    }

    fn split(&self, low: usize, bits: &Range<usize>, out: &mut Vec<Range<usize>>) {
        let own = low..low + self.width();
        let common = own.start.max(bits.start)..own.end.min(bits.end);
        match self {
            _ if common.is_empty() => {}
            Type::Word(word) if common != own => {
                for field in &word.fields {
                    field.kind.split(low + field.low, bits, out);
                }
            }
            Type::Many(item, count) => {
                for at in 0..*count {
                    item.split(low + at * item.width(), bits, out);
                }
            }
            _ => out.push(common),
        }
    }
}

/// `[7:0] `, nothing for a single bit.
pub(super) fn range(width: usize) -> String {
    if width == 1 {
        String::new()
    } else {
        format!("[{}:0] ", width - 1)
    }
}

/// The types of a design in the order in which they must be declared.
#[derive(Debug, Default)]
pub(super) struct Package {
    order: Vec<Type>,
    by_name: BTreeMap<String, usize>,
}

impl Package {
    /// Adds a type and those of its fields.
    pub fn add(&mut self, kind: &Type) -> Result<(), Fault> {
        let name = match kind {
            Type::Bits(_) | Type::Moved(..) => return Ok(()),
            Type::Many(item, _) => return self.add(item),
            Type::Kind(own) => &own.name,
            Type::Word(word) => {
                for field in &word.fields {
                    check_field(&field.name)?;
                    self.add(&field.kind)?;
                }
                &word.name
            }
        };
        match self.by_name.get(name) {
            Some(at) if self.order[*at] == *kind => Ok(()),
            Some(_) => Err(Fault::TwoTypes(name.clone())),
            None => {
                self.by_name.insert(name.clone(), self.order.len());
                self.order.push(kind.clone());
                Ok(())
            }
        }
    }

    /// The package, if there is anything in it; `wanted` says whether a module uses a type.
    pub fn text(&self) -> Option<String> {
        if self.order.is_empty() {
            return None;
        }
        let mut out = format!("package {PACKAGE};\n");
        for kind in &self.order {
            out.push('\n');
            match kind {
                Type::Kind(kind) => {
                    comment(&mut out, "  ", &kind.doc);
                    writeln!(out, "  typedef enum logic {}{{", range(kind.width)).expect("string");
                    let last = kind.values.len() - 1;
                    let counted = kind.values.iter().enumerate().all(|(at, value)| value.code == at);
                    for (at, value) in kind.values.iter().enumerate() {
                        comment(&mut out, "    ", &value.doc);
                        let comma = if at == last { "" } else { "," };
                        let code = if counted { format!("d{at}") } else { format!("h{:02x}", value.code) };
                        writeln!(out, "    {} = {}'{code}{comma}", value.packaged, kind.width).expect("string");
                    }
                    writeln!(out, "  }} {};", kind.name).expect("string");
                }
                Type::Word(word) => {
                    comment(&mut out, "  ", &word.doc);
                    writeln!(out, "  typedef struct packed {{").expect("string");
                    for field in word.fields.iter().rev() {
                        comment(&mut out, "    ", &field.doc);
                        members(&field.name, &field.kind, &mut out);
                    }
                    writeln!(out, "  }} {};", word.name).expect("string");
                }
                _ => {}
            }
        }
        Some(out + "endpackage\n")
    }
}

/// A field's declaration; an array is one member per item, since Yosys has no arrays of structs inside structs.
fn members(name: &str, kind: &Type, out: &mut String) {
    match kind {
        Type::Many(item, count) => (0..*count)
            .rev()
            .for_each(|at| members(&format!("{name}_{at}"), item, out)),
        Type::Bits(width) | Type::Moved(width, _) => {
            writeln!(out, "    logic {}{name};", range(*width)).expect("string")
        }
        Type::Kind(kind) => writeln!(out, "    {} {name};", kind.name).expect("string"),
        Type::Word(word) => writeln!(out, "    {} {name};", word.name).expect("string"),
    }
}

fn comment(out: &mut String, indent: &str, doc: &str) {
    for line in commented(&plain(doc)).lines() {
        writeln!(out, "{indent}{line}").expect("string");
    }
}
