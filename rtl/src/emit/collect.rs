//! The tree of blocks as plain data, gathered through RustHDL's visitor.

use super::ident::identifier;
use super::naming::name_of;
use super::types::Type;
use crate::prim::word::name_and_doc;
use rust_hdl::core::prelude::*;
use std::collections::BTreeMap;

/// One signal of a block.
#[derive(Debug, Clone)]
pub(super) struct Net {
    pub name: String,
    pub kind: AtomKind,
    pub width: usize,
    /// Word or kind, if it is one.
    pub of: Type,
    /// Value of a `Constant`, as RustHDL prints it.
    pub constant: String,
}

impl Net {
    pub fn is_port(&self) -> bool {
        self.kind.is_parameter()
    }
    pub fn is_input(&self) -> bool {
        self.kind == AtomKind::InputParameter
    }
}

/// A state of an enumeration.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub width: usize,
    pub value: usize,
    /// Name in the package, for kinds.
    pub packaged: Option<String>,
}

/// States of the enumerations that a block uses, by `Type_State`.
pub(super) type States = BTreeMap<String, State>;

/// One block with everything below it.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// Field that holds the block.
    pub instance: String,
    /// Module name that the block asked for.
    pub name: Option<String>,
    pub nets: Vec<Net>,
    pub states: States,
    pub children: Vec<Node>,
    pub code: Verilog,
    /// True if a signed type was seen among the block's signals.
    pub signed: bool,
}

/// Gathers the tree below `block`.
pub(super) fn collect(block: &dyn Block) -> Option<Node> {
    let mut collector = Collector::default();
    block.accept("top", &mut collector);
    collector.finished
}

#[derive(Default)]
struct Collector {
    open: Vec<Node>,
    interfaces: Vec<String>,
    finished: Option<Node>,
}

fn add_states(states: &mut States, descriptor: &TypeDescriptor) {
    match &descriptor.kind {
        TypeKind::Enum(labels) => {
            let of = Type::of(descriptor);
            for (value, label) in labels.iter().enumerate() {
                let label = identifier(name_and_doc(label).0);
                let packaged = match &of {
                    Type::Kind(kind) => kind.value(&label),
                    _ => None,
                };
                let width = of.width();
                states.insert(label, State { width, value, packaged });
            }
        }
        TypeKind::Composite(fields) => fields.iter().for_each(|field| add_states(states, &field.kind)),
        TypeKind::Bits(_) | TypeKind::Signed(_) => {}
    }
}

impl Probe for Collector {
    fn visit_start_scope(&mut self, name: &str, block: &dyn Block) {
        self.open.push(Node {
            instance: identifier(name),
            name: name_of(&block.timing()).map(str::to_string),
            code: block.hdl(),
            ..Default::default()
        });
    }
    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.interfaces.push(identifier(name));
    }
    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.interfaces.pop();
    }
    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let mut path = self.interfaces.clone();
        path.push(identifier(name));
        let descriptor = atom.descriptor();
        let net = Net {
            of: Type::of(&descriptor),
            name: path.join("_"),
            kind: atom.kind(),
            width: atom.bits(),
            constant: atom.verilog().to_string(),
        };
        let depth = self.open.len();
        // a parent assigns and compares the states of its children's ports
        let visible = if net.is_port() { 2 } else { 1 };
        for node in &mut self.open[depth.saturating_sub(visible)..] {
            add_states(&mut node.states, &descriptor);
        }
        if let Some(node) = self.open.last_mut() {
            node.signed |= matches!(descriptor.kind, TypeKind::Signed(_));
            node.nets.push(net);
        }
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        let Some(node) = self.open.pop() else { return };
        match self.open.last_mut() {
            Some(parent) => parent.children.push(node),
            None => self.finished = Some(node),
        }
    }
}
