//! One block as the text of one module.

use super::collect::{Net, Node, State};
use super::comment::{commented, LONGEST};
use super::error::Fault;
use super::expr::{Place, Scope};
use super::flow;
use super::ident::without_dollars;
use super::literal;
use super::ports::{header, port_net, types};
use super::reads::Reads;
use super::stmt::{render, Stmt};
use super::types::{range, Type};
use rust_hdl::core::ast::{Verilog, VerilogStatement};
use rust_hdl::core::atom::AtomKind;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

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

/// How each child appears: as a register, as text of the module itself, or as an instance of a module.
pub(super) enum Child {
    Register(Register),
    Inlined,
    Instance(String),
}

struct Parts<'a> {
    node: &'a Node,
    children: &'a [Child],
    types: BTreeMap<String, Type>,
    /// Inputs of children that are nothing but another signal or a field of one.
    direct: BTreeMap<String, Place>,
    /// Inputs of inlined blocks for which the block's own signal is written.
    aliases: BTreeMap<String, Place>,
    reads: Reads,
}

/// Text of the module with [`NAME`] in place of its name.
pub(super) fn text(node: &Node, children: &[Child]) -> Result<String, Fault> {
    if node.signed {
        return Err(Fault::Signed);
    }
    let mut parts = Parts {
        node,
        children,
        types: types(node)?,
        direct: BTreeMap::new(),
        aliases: BTreeMap::new(),
        reads: Reads::default(),
    };
    match &node.code {
        Verilog::Combinatorial(block) => {
            let mut bodies = vec![("", parts.lower(node, block, "")?)];
            parts.alias(&mut bodies[0].1);
            for (child, form) in node.children.iter().zip(children) {
                if let (Child::Inlined, Verilog::Combinatorial(block)) = (form, &child.code) {
                    let mut body = parts.lower(child, block, &child.instance)?;
                    parts.alias(&mut body);
                    bodies.push((&child.instance, body));
                }
            }
            parts.combinational(bodies)
        }
        Verilog::Custom(code) => Ok(parts.custom(code, "logic")),
        Verilog::Wrapper(wrapper) => Ok(parts.custom(&wrapper.code, "wire")),
        Verilog::Empty | Verilog::Blackbox(_) => Err(Fault::Empty),
    }
}

impl Parts<'_> {
    fn custom(&self, code: &str, kind: &str) -> String {
        let mut out = header(self.node, false, |_| {
            if kind == "wire" {
                "output wire "
            } else {
                "output logic"
            }
        });
        for line in without_dollars(code).lines().filter(|line| !line.trim().is_empty()) {
            // compiler directives begin their line
            let indent = if line.starts_with('`') { "" } else { "  " };
            writeln!(out, "{indent}{}", line.trim_end()).expect("string");
        }
        out + "endmodule\n"
    }

    /// The statements of a description; `instance` is that of an inlined block.
    fn lower(&self, node: &Node, block: &[VerilogStatement], instance: &str) -> Result<Vec<Stmt>, Fault> {
        let mut body = vec![];
        let mut scope = Scope {
            nets: &self.types,
            states: &node.states,
            loops: vec![],
            instance,
            aliases: &self.aliases,
        };
        scope.lower(block, &mut body)?;
        flow::remove_dead(&mut body);
        Ok(body)
    }

    /// Where an input of a block inside this one is nothing but another signal, that one is written in the input's place.
    fn alias(&mut self, body: &mut Vec<Stmt>) {
        let inside = self.node.children.iter().filter(|child| child.inside_user);
        let inputs: BTreeSet<String> = inside
            .flat_map(|child| {
                let inputs = child.nets.iter().filter(|net| net.is_input());
                inputs.map(|net| port_net(child, net))
            })
            .collect();
        for (input, signal) in flow::take_aliases(body, &inputs) {
            self.direct.insert(input.clone(), signal.clone());
            self.aliases.insert(input, signal);
        }
    }

    /// Text of the module: its own statements, then those of the inlined blocks, each under its comment.
    fn combinational(&mut self, bodies: Vec<(&str, Vec<Stmt>)>) -> Result<String, Fault> {
        let inputs: BTreeSet<String> = self
            .node
            .children
            .iter()
            .flat_map(|child| {
                child
                    .nets
                    .iter()
                    .filter(|net| net.is_input())
                    .map(|net| port_net(child, net))
            })
            .collect();
        let mut parts = vec![];
        for (instance, body) in &bodies {
            flow::check(body, &self.types, &inputs)?;
            self.reads.merge(&flow::reads(body));
            parts.push((*instance, flow::group(body)));
        }
        let assigns = || parts.iter().flat_map(|(_, (assigns, _))| assigns.iter().copied());
        for stmt in assigns() {
            if let Stmt::Assign {
                target,
                wire: Some(wire),
                ..
            } = stmt
            {
                if inputs.contains(target) && !self.reads.contains(target) {
                    self.direct.insert(target.clone(), wire.clone());
                }
            }
        }
        let assigned: BTreeSet<&str> = assigns().filter_map(target).collect();
        let mut out = header(self.node, true, |net| {
            if assigned.contains(net.name.as_str()) {
                "output wire "
            } else {
                "output logic"
            }
        });
        self.declarations(&assigned, &mut out);
        self.instances(&mut out);
        for (instance, (assigns, groups)) in &parts {
            self.comment_inlined(instance, &mut out);
            for stmt in assigns {
                if let Stmt::Assign { target, value, .. } = stmt {
                    if !self.direct.contains_key(target) {
                        writeln!(out, "  assign {target} = {};", value.text).expect("string");
                    }
                }
            }
            for group in groups {
                out += "  always_comb begin\n";
                render(group, 2, &mut out);
                out += "  end\n";
            }
        }
        self.registers(&mut out);
        self.unused(&mut out);
        Ok(out + "endmodule\n")
    }

    /// What stands over the text of an inlined block.
    fn comment_inlined(&self, instance: &str, out: &mut String) {
        let Some(child) = self.node.children.iter().find(|child| child.instance == instance) else {
            return;
        };
        let comment = child.comment.as_deref().unwrap_or_default();
        for line in commented(&format!("{instance}: {comment}")).lines() {
            writeln!(out, "  {line}").expect("string");
        }
    }

    /// What the sources say about a register, a child or a signal of the block, over its declaration.
    fn comment_field(&self, name: &str, out: &mut String) {
        for line in self
            .node
            .fields
            .get(name)
            .into_iter()
            .flat_map(|comment| comment.lines())
        {
            writeln!(out, "  // {line}").expect("string");
        }
    }

    fn declarations(&self, assigned: &BTreeSet<&str>, out: &mut String) {
        let kind = |name: &str| if assigned.contains(name) { "wire " } else { "logic" };
        for net in self
            .node
            .nets
            .iter()
            .filter(|net| net.kind == AtomKind::Constant && self.reads.contains(&net.name))
        {
            self.comment_field(&net.name, out);
            constant(&net.name, net, out);
        }
        for (name, State { width, value, .. }) in self.node.states.iter().filter(|(name, _)| self.reads.contains(name))
        {
            writeln!(out, "  localparam {}{name} = {width}'d{value};", range(*width)).expect("string");
        }
        let inlined = self.node.children.iter().filter(|child| child.inlined());
        for (name, net) in inlined.flat_map(Node::inside) {
            if net.kind == AtomKind::Constant && self.reads.contains(&name) {
                constant(&name, net, out);
            }
        }
        for net in self.node.nets.iter().filter(|net| net.kind == AtomKind::LocalSignal) {
            self.comment_field(&net.name, out);
            writeln!(out, "  {}{};", declared(kind(&net.name), &net.of), net.name).expect("string");
        }
        for (child, form) in self.node.children.iter().zip(self.children) {
            if !matches!(form, Child::Inlined) {
                self.comment_field(&child.instance, out);
            }
            if let Child::Inlined = form {
                for (name, net) in child.inside().filter(|(_, net)| net.kind != AtomKind::Constant) {
                    self.comment_field(&name, out);
                    writeln!(out, "  {}{name};", declared(kind(&name), &net.of)).expect("string");
                }
            }
            for net in child.nets.iter().filter(|net| net.is_port()) {
                let name = port_net(child, net);
                if self.direct.contains_key(&name) {
                    continue;
                }
                let driven = matches!(form, Child::Instance(_)) && !net.is_input();
                let kind = if driven { "wire " } else { kind(&name) };
                if let Child::Inlined = form {
                    self.comment_field(&name, out);
                }
                let name = if driven { self.output_name(&name) } else { name };
                writeln!(out, "  {}{name};", declared(kind, net.seen())).expect("string");
            }
        }
    }

    /// Outputs of children that nobody reads say so in their name, which linters respect.
    fn output_name(&self, net: &str) -> String {
        if self.reads.contains(net) {
            net.into()
        } else {
            format!("unused_{net}")
        }
    }

    /// What a child's input is connected to, and a note that it is read.
    fn connected(&mut self, net: &str, width: usize) -> String {
        let own = || Place {
            net: net.into(),
            bits: 0..width,
        };
        let Place { net, bits } = self.direct.get(net).cloned().unwrap_or_else(own);
        self.reads.add(&net, bits.clone());
        match self.types.get(&net) {
            Some(of) => of.part(&net, &bits),
            None => net,
        }
    }

    fn instances(&mut self, out: &mut String) {
        for (child, form) in self.node.children.iter().zip(self.children) {
            let Child::Instance(module) = form else { continue };
            let mut pins = vec![];
            for net in child.nets.iter().filter(|net| net.is_port()) {
                let name = port_net(child, net);
                let outer = if net.is_input() { self.connected(&name, net.width) } else { self.output_name(&name) };
                pins.push(format!("    .{}({outer})", net.name));
            }
            let module = self.with_parameters(module);
            writeln!(out, "  {module} u_{} (\n{}\n  );", child.instance, pins.join(",\n")).expect("string");
        }
    }

    /// A child's module with the names of the parameters that the block hands on in place of their values.
    fn with_parameters(&self, module: &str) -> String {
        let parameters = self.node.parameters.iter();
        parameters.fold(module.to_string(), |text, (name, value)| {
            text.replace(&format!(".{name}({value})"), &format!(".{name}({name})"))
        })
    }

    fn registers(&mut self, out: &mut String) {
        let mut clocks: BTreeMap<String, Vec<(&Node, &Register)>> = BTreeMap::new();
        for (child, form) in self.node.children.iter().zip(self.children) {
            if let Child::Register(register) = form {
                let clock = self.connected(&format!("{}_clk", child.instance), 1);
                clocks.entry(clock).or_default().push((child, register));
            }
        }
        for (clock, registers) in clocks {
            let (mut initial, mut edge) = (String::new(), String::new());
            for (child, register) in registers {
                let (q, d) = (
                    format!("{}_q", child.instance),
                    self.connected(&format!("{}_d", child.instance), child.nets[0].width),
                );
                let value = match &child.nets[0].of {
                    Type::Kind(kind) => kind.first(),
                    Type::Moved(_, parameter) => format!("{{{parameter}{{1'b0}}}}"),
                    _ => register.initial.clone(),
                };
                writeln!(initial, "    {q} = {value};").expect("string");
                writeln!(edge, "    {q} <= {d};").expect("string");
            }
            write!(
                out,
                "  initial begin\n{initial}  end\n  always @(posedge {clock}) begin\n{edge}  end\n"
            )
            .expect("string");
        }
    }

    /// One net that takes in every bit that nothing else reads, so that what is unused is written down and lint stays quiet.
    fn unused(&self, out: &mut String) {
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
                if net.is_input() && inlined && declared || !net.is_input() && (own || self.reads.contains(&name)) {
                    names.push((name, net.seen()));
                }
            }
            if inlined {
                let signals = child.inside().filter(|(_, net)| net.kind != AtomKind::Constant);
                names.extend(signals.map(|(name, net)| (name, &net.of)));
            }
        }
        let mut bits = vec![];
        for (name, of) in names {
            for gap in self.reads.unread(&name, of.width()) {
                bits.extend(of.pieces(&name, gap));
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

fn target(stmt: &Stmt) -> Option<&str> {
    match stmt {
        Stmt::Assign { target, .. } => Some(target),
        _ => None,
    }
}
