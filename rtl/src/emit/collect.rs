//! The tree of blocks as plain data, gathered through RustHDL's visitor.

use super::array::Spot;
use super::ident::identifier;
use super::literal;
use super::naming::{comment_of, fields_of, name_of, parameters_of, stands_inside};
use super::types::Type;
use crate::prim::word::values_of;
use rust_hdl::core::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One signal of a block.
#[derive(Debug, Clone)]
pub(super) struct Net {
    pub name: String,
    /// Its place in an array of signals.
    pub spot: Spot,
    pub kind: AtomKind,
    pub width: usize,
    /// Word or kind, if it is one.
    pub of: Type,
    /// What its users see where that is something else: the items that a block with a parameter `WIDTH` moves.
    outside: Option<Type>,
    /// Value of a `Constant`, as RustHDL prints it.
    pub constant: String,
}

impl Net {
    /// Word or kind for the users of the block.
    pub fn seen(&self) -> &Type {
        self.outside.as_ref().unwrap_or(&self.of)
    }
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
    /// Its place in an array of blocks.
    pub spot: Spot,
    /// Module name that the block asked for.
    pub name: Option<String>,
    /// What the sources say about it.
    pub comment: Option<String>,
    /// What the sources say about its fields.
    pub fields: BTreeMap<String, String>,
    /// What they say about the signals of its interfaces.
    pub signals: BTreeMap<String, String>,
    /// Parameters of its module and their values.
    pub parameters: Vec<(String, usize)>,
    pub nets: Vec<Net>,
    pub states: States,
    pub children: Vec<Node>,
    pub code: Verilog,
    /// Asks to stand in the module of the block that uses it.
    pub inside_user: bool,
    /// Signals that are `WIDTH` bits wide.
    moved: Vec<String>,
    /// True if a signed type was seen among the block's signals.
    pub signed: bool,
}

impl Node {
    /// Whether the block's text stands in its parent's module: a small description that asks for it, or one without a clock and with
    /// nothing below it.
    pub fn inlined(&self) -> bool {
        let plain = |net: &Net| net.kind != AtomKind::Constant && net.name != "clk";
        let small = || {
            self.children.is_empty()
                && self.nets.iter().all(plain)
                && self.states.values().all(|state| state.packaged.is_some())
        };
        matches!(self.code, Verilog::Combinatorial(_)) && self.parameters.is_empty() && (self.inside_user || small())
    }

    /// Signals and constants of an inlined block, each with the name that it has in the parent.
    pub fn inside(&self) -> impl Iterator<Item = (String, &Net)> {
        let own = |net: &&Net| matches!(net.kind, AtomKind::LocalSignal | AtomKind::Constant);
        self.nets
            .iter()
            .filter(own)
            .map(|net| (format!("{}_{}", self.instance, net.name), net))
    }

    /// Moves what inlined children hold to the block itself: registers, blocks below them, comments, states.
    fn take_in(&mut self) {
        for mut child in std::mem::take(&mut self.children) {
            if !child.inlined() {
                self.children.push(child);
                continue;
            }
            let of_child = |name: &str| format!("{}_{name}", child.instance);
            // by the name of one of several too: that of their array
            for of in [&child.instance, &child.spot.base] {
                let comments = child.fields.iter();
                let comments = comments.map(|(name, comment)| (format!("{of}_{name}"), comment.clone()));
                self.fields.extend(comments);
            }
            self.states.extend(child.states.clone());
            self.signed |= child.signed;
            let mut held = std::mem::take(&mut child.children);
            for held in &mut held {
                held.instance = of_child(&held.instance);
                held.spot = child.spot.inside(&held.spot);
            }
            self.children.push(child);
            self.children.extend(held);
        }
    }

    /// Outputs of a module whose ports are plain vectors are vectors for its users too: SystemVerilog lets no vector drive a net of an
    /// enumeration (IEEE 1800, 6.19.3), so that the user casts what it reads.
    fn plain_outputs(&mut self) {
        let plain = !matches!(self.code, Verilog::Combinatorial(_)) && register(self).is_none();
        for net in self.nets.iter_mut().filter(|net| net.is_port() && !net.is_input()) {
            let plain = plain || matches!(net.of, Type::Moved(..));
            if plain && matches!(net.seen(), Type::Kind(_)) {
                net.outside = Some(Type::Bits(net.width));
            }
        }
    }

    /// Gives the signals and registers that the block named their type.
    fn move_by_width(&mut self) {
        let moved = std::mem::take(&mut self.moved);
        let Some((parameter, _)) = self.parameters.first() else {
            return;
        };
        let parameter: Arc<str> = parameter.as_str().into();
        // a register is named as a whole, one port of another child as `child_port`
        let inside = self.children.iter_mut().flat_map(|child| {
            let whole = moved.contains(&child.instance);
            let named = |port: &str| moved.contains(&format!("{}_{port}", child.instance));
            let ports = child.nets.iter_mut();
            ports
                .filter(move |net| net.name != "clk" && (whole || named(&net.name)))
                .collect::<Vec<_>>()
        });
        let own = self.nets.iter_mut().filter(|net| moved.contains(&net.name));
        own.for_each(|net| {
            net.outside = Some(std::mem::replace(
                &mut net.of,
                Type::Moved(net.width, parameter.clone()),
            ))
        });
        inside.for_each(|net| net.of = Type::Moved(net.width, parameter.clone()));
    }
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
            for (label, _, value) in values_of(labels) {
                let label = identifier(label);
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
        let timing = block.timing();
        let (parameters, moved) = parameters_of(&timing);
        let [fields, signals] = fields_of(&timing);
        self.open.push(Node {
            instance: identifier(name),
            spot: Spot::of(name, identifier),
            name: name_of(&timing).map(str::to_string),
            comment: comment_of(&timing).map(str::to_string),
            fields,
            signals,
            parameters,
            moved,
            inside_user: stands_inside(&timing),
            code: block.hdl(),
            ..Default::default()
        });
    }
    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.interfaces.push(name.to_string());
    }
    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.interfaces.pop();
    }
    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let mut path = self.interfaces.clone();
        path.push(name.to_string());
        let descriptor = atom.descriptor();
        let net = Net {
            of: Type::of(&descriptor),
            outside: None,
            name: identifier(&path.join("$")),
            spot: Spot::of(&path.join("$"), identifier),
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
        let Some(mut node) = self.open.pop() else { return };
        node.move_by_width();
        node.plain_outputs();
        node.take_in();
        match self.open.last_mut() {
            Some(parent) => parent.children.push(node),
            None => self.finished = Some(node),
        }
    }
}

/// The register of a `DFF<T>` child, which the parent's module holds itself.
pub(super) struct Register {
    pub initial: String,
}

/// Recognises RustHDL's `DFF<T>` by its ports and its text.
pub(super) fn register(child: &Node) -> Option<Register> {
    let Verilog::Custom(text) = &child.code else {
        return None;
    };
    let ports: Vec<&str> = child.nets.iter().map(|net| net.name.as_str()).collect();
    if ports != ["d", "q", "clk"] || !text.contains("posedge clock) begin\n   q <= d;\nend") {
        return None;
    }
    let (_, initial) = text.split_once("q = ")?;
    let (initial, _) = initial.split_once(';')?;
    Some(Register {
        initial: literal::sized(initial, child.nets[1].width).ok()?,
    })
}
