//! Declarations of a module: constants, signals, registers, and the net that takes in what is unread.

use super::collect::{Net, Node, State};
use super::comment::LONGEST;
use super::literal;
use super::module::{Child, Parts};
use super::ports::port_net;
use super::types::{range, Type};
use rust_hdl::core::atom::AtomKind;
use std::collections::BTreeSet;
use std::fmt::Write;

/// How a signal is driven.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// By a module below.
    Output,
    /// By an `assign`.
    Wire,
    /// In an `always` block.
    Variable,
}

/// A signal to declare.
struct Declared<'a> {
    name: &'a str,
    /// One of several.
    item: bool,
    kind: Kind,
    of: &'a Type,
    /// Arrays that Verilator shall look at item by item.
    split: &'a BTreeSet<String>,
}

impl Parts<'_> {
    /// What the sources say about a register, a child or a signal of the block, over its declaration; about an array over its first one.
    fn comment_field(&self, name: &str, base: &str, done: &mut BTreeSet<String>, out: &mut String) {
        let own = self.node.fields.get(name);
        let comment = own.or_else(|| self.node.fields.get(base).filter(|_| done.insert(format!("// {base}"))));
        for line in comment.into_iter().flat_map(|comment| comment.lines()) {
            writeln!(out, "  // {line}").expect("string");
        }
    }

    /// Declares a signal, or with the first item its array.
    fn declare(&mut self, signal: &Declared, done: &mut BTreeSet<String>, out: &mut String) {
        let Declared {
            name,
            item,
            kind,
            of,
            split,
        } = signal;
        let unread = if self.is_read(name) || *kind != Kind::Output { "" } else { "unused_" };
        let kind = match kind {
            Kind::Output | Kind::Wire => "wire ",
            Kind::Variable => "logic",
        };
        match self.arrays.around(name) {
            Some((base, array)) => {
                if done.insert(base.into()) {
                    let split = if split.contains(base) { " /* verilator split_var */" } else { "" };
                    writeln!(out, "  {kind} {}{unread}{base}{split};", array.declared()).expect("string");
                }
            }
            None => {
                self.counts.items += usize::from(*item);
                writeln!(out, "  {}{unread}{name};", declared(kind, of)).expect("string");
            }
        }
    }

    pub fn declarations(&mut self, assigned: &BTreeSet<&str>, split: &BTreeSet<String>, out: &mut String) {
        let kind = |name: &str| if assigned.contains(name) { Kind::Wire } else { Kind::Variable };
        let (node, mut done) = (self.node, BTreeSet::new());
        let constants = node.nets.iter().filter(|net| net.kind == AtomKind::Constant);
        for net in constants.filter(|net| self.reads.contains(&net.name)) {
            self.comment_field(&net.name, &net.spot.base, &mut done, out);
            constant(&net.name, net, out);
        }
        for (name, State { width, value, .. }) in node.states.iter().filter(|(name, _)| self.reads.contains(name)) {
            writeln!(out, "  localparam {}{name} = {width}'d{value};", range(*width)).expect("string");
        }
        let inlined = node.children.iter().filter(|child| child.inlined());
        for (name, net) in inlined.flat_map(Node::inside) {
            if net.kind == AtomKind::Constant && self.reads.contains(&name) {
                constant(&name, net, out);
            }
        }
        for net in node.nets.iter().filter(|net| net.kind == AtomKind::LocalSignal) {
            self.comment_field(&net.name, &net.spot.base, &mut done, out);
            let signal = Declared {
                name: &net.name,
                item: !net.spot.index.is_empty(),
                kind: kind(&net.name),
                of: &net.of,
                split,
            };
            self.declare(&signal, &mut done, out);
        }
        for (child, form) in node.children.iter().zip(self.children) {
            let item = !child.spot.index.is_empty();
            if let Child::Inlined = form {
                for (name, net) in child.inside().filter(|(_, net)| net.kind != AtomKind::Constant) {
                    let spot = child.spot.inside(&net.spot);
                    self.comment_field(&name, &spot.base, &mut done, out);
                    let signal = Declared {
                        name: &name,
                        item: !spot.index.is_empty(),
                        kind: kind(&name),
                        of: &net.of,
                        split,
                    };
                    self.declare(&signal, &mut done, out);
                }
            } else {
                self.comment_field(&child.instance, &child.spot.base, &mut done, out);
            }
            if let Child::Register(_) = form {
                self.count_register(child);
            }
            for net in child.nets.iter().filter(|net| net.is_port()) {
                let name = port_net(child, net);
                if self.direct.contains_key(&name) {
                    continue;
                }
                if let Child::Inlined = form {
                    self.comment_field(&name, &child.spot.inside(&net.spot).base, &mut done, out);
                }
                let driven = matches!(form, Child::Instance(_)) && !net.is_input();
                let signal = Declared {
                    name: &name,
                    item: item || !net.spot.index.is_empty(),
                    kind: if driven { Kind::Output } else { kind(&name) },
                    of: net.seen(),
                    split,
                };
                self.declare(&signal, &mut done, out);
            }
        }
    }

    /// Counts a register, or with its first item an array of them: whether it has a comment, or is a plain delay of another signal.
    fn count_register(&mut self, child: &Node) {
        if child.spot.index.iter().any(|at| *at > 0) {
            return;
        }
        self.counts.registers += 1;
        let fields = &self.node.fields;
        if fields.contains_key(&child.instance) || fields.contains_key(&child.spot.base) {
            self.counts.commented += 1;
        } else if self.direct.contains_key(&format!("{}_d", child.instance)) {
            self.counts.delays += 1;
        }
    }

    /// One net that takes in every bit that nothing else reads, so that what is unused is written down and lint stays quiet.
    pub fn unused(&self, out: &mut String) {
        let own = self
            .node
            .nets
            .iter()
            .filter(|net| net.is_input() || net.kind == AtomKind::LocalSignal);
        let mut names: Vec<(String, &Type)> = own.map(|net| (net.name.clone(), &net.of)).collect();
        for (child, form) in self.node.children.iter().zip(self.children) {
            let own = !matches!(form, Child::Instance(_));
            let inlined = matches!(form, Child::Inlined);
            for net in child.nets.iter().filter(|net| net.is_port()) {
                let name = port_net(child, net);
                let declared = !self.direct.contains_key(&name);
                if net.is_input() && inlined && declared || !net.is_input() && (own || self.is_read(&name)) {
                    names.push((name, net.seen()));
                }
            }
            if inlined {
                let signals = child.inside().filter(|(_, net)| net.kind != AtomKind::Constant);
                names.extend(signals.map(|(name, net)| (name, &net.of)));
            }
        }
        let (mut bits, mut whole) = (vec![], BTreeSet::new());
        for (name, of) in names {
            if let Some((base, array)) = self.arrays.around(&name) {
                if array.items.iter().all(|item| !self.reads.contains(item)) {
                    if whole.insert(base) {
                        bits.push(base.to_string());
                    }
                    continue;
                }
            }
            for gap in self.reads.unread(&name, of.width()) {
                bits.extend(of.pieces(&self.arrays.text(&name), gap));
            }
        }
        if !bits.is_empty() {
            writeln!(out, "  wire unused_bits = &{{1'b0, {}}};", bits.join(", ")).expect("string");
        }
    }
}

/// A constant's declaration, its value in a line of its own where it is long.
fn constant(name: &str, net: &Net, out: &mut String) {
    let value = literal::sized(&net.constant, net.width).unwrap_or_else(|_| net.constant.clone());
    let start = format!("  localparam {}{name} =", range(net.width));
    let gap = if start.len() + value.len() + 2 > LONGEST { "\n      " } else { " " };
    writeln!(out, "{start}{gap}{value};").expect("string");
}

/// A declaration up to the name; a variable of a named type needs no `logic`.
fn declared(kind: &str, of: &Type) -> String {
    match (kind, of.is_named()) {
        ("logic", true) => of.declared(),
        _ => format!("{kind} {}", of.declared()),
    }
}
