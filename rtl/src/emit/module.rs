//! One block as the text of one module.

use super::collect::{Net, Node, State};
use super::error::Fault;
use super::expr::{Place, Scope};
use super::flow;
use super::ident::{check, without_dollars};
use super::literal;
use super::reads::Reads;
use super::stmt::{render, Stmt};
use super::types::{range, Type};
use rust_hdl::core::ast::Verilog;
use rust_hdl::core::atom::AtomKind;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Stands for the module's name until it is known.
pub(super) const NAME: &str = "@module@";

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
    if ports != ["d", "q", "clock"] || !text.contains("posedge clock) begin\n   q <= d;\nend") {
        return None;
    }
    let (_, initial) = text.split_once("q = ")?;
    let (initial, _) = initial.split_once(';')?;
    Some(Register {
        initial: literal::sized(initial, child.nets[1].width).ok()?,
    })
}

/// How each child appears: as a register or as an instance of a module.
pub(super) enum Child {
    Register(Register),
    Instance(String),
}

struct Parts<'a> {
    node: &'a Node,
    children: &'a [Child],
    types: BTreeMap<String, Type>,
    /// Inputs of children that are nothing but another signal or a field of one.
    direct: BTreeMap<String, Place>,
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
        reads: Reads::default(),
    };
    match &node.code {
        Verilog::Combinatorial(block) => {
            let mut body = vec![];
            Scope {
                nets: &parts.types,
                states: &node.states,
                loops: vec![],
            }
            .lower(block, &mut body)?;
            parts.combinational(body)
        }
        Verilog::Custom(code) => Ok(parts.custom(code, "logic")),
        Verilog::Wrapper(wrapper) => Ok(parts.custom(&wrapper.code, "wire")),
        Verilog::Empty | Verilog::Blackbox(_) => Err(Fault::Empty),
    }
}

/// A module `name` that is one instance of a module of the library.
pub(super) fn wrapper(node: &Node, name: &str, instance: &str) -> String {
    let ports = || node.nets.iter().filter(|net| net.is_port());
    let lines: Vec<String> = ports()
        .map(|net| {
            let direction = if net.is_input() { "input " } else { "output" };
            format!("  {direction} wire  {}{}", range(net.width), net.name)
        })
        .collect();
    let pins: Vec<String> = ports().map(|net| format!("    .{0}({0})", net.name)).collect();
    let (lines, pins) = (lines.join(",\n"), pins.join(",\n"));
    format!("module {name} (\n{lines}\n);\n  {instance} u_block (\n{pins}\n  );\nendmodule\n")
}

/// Types of all signals that the block sees, by flattened name; refuses bad and double names.
pub(super) fn types(node: &Node) -> Result<BTreeMap<String, Type>, Fault> {
    let mut types = BTreeMap::new();
    let children = node.children.iter().flat_map(|child| {
        child
            .nets
            .iter()
            .filter(|net| net.is_port())
            .map(|net| (port_net(child, net), net.of.clone()))
    });
    for (name, of) in node
        .nets
        .iter()
        .map(|net| (net.name.clone(), net.of.clone()))
        .chain(children)
    {
        check(&name)?;
        if types.insert(name.clone(), of).is_some() {
            return Err(Fault::DuplicateName(name));
        }
    }
    Ok(types)
}

/// The parent's name for a child's port.
fn port_net(child: &Node, port: &Net) -> String {
    format!("{}_{}", child.instance, port.name)
}

impl Parts<'_> {
    /// Ports; `named` where they have words and kinds of the package, plain vectors otherwise.
    fn header(&self, named: bool, output: impl Fn(&Net) -> &'static str) -> String {
        let ports = self.node.nets.iter().filter(|net| net.is_port());
        let lines: Vec<String> = ports
            .map(|net| {
                let direction = match net.kind {
                    AtomKind::InputParameter => "input  wire ",
                    AtomKind::InOutParameter => "inout  wire ",
                    _ => output(net),
                };
                let of = if named { net.of.declared() } else { range(net.width) };
                // a variable of a named type is declared without `logic`
                let direction = match direction {
                    "output logic" if named && net.of.is_named() => "output      ",
                    direction => direction,
                };
                format!("  {direction} {of}{}", net.name)
            })
            .collect();
        format!("module {NAME} (\n{}\n);\n", lines.join(",\n"))
    }

    fn custom(&self, code: &str, kind: &str) -> String {
        let mut out = self.header(false, |_| if kind == "wire" { "output wire " } else { "output logic" });
        for line in without_dollars(code).lines().filter(|line| !line.trim().is_empty()) {
            // compiler directives begin their line
            let indent = if line.starts_with('`') { "" } else { "  " };
            writeln!(out, "{indent}{}", line.trim_end()).expect("string");
        }
        out + "endmodule\n"
    }

    fn combinational(&mut self, mut body: Vec<Stmt>) -> Result<String, Fault> {
        flow::remove_dead(&mut body);
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
        flow::check(&body, &self.types, &inputs)?;
        self.reads = flow::reads(&body);
        let (assigns, groups) = flow::group(&body);
        for stmt in &assigns {
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
        let assigned: BTreeSet<&str> = assigns.iter().filter_map(|stmt| target(stmt)).collect();
        let mut out = self.header(true, |net| {
            if assigned.contains(net.name.as_str()) {
                "output wire "
            } else {
                "output logic"
            }
        });
        self.declarations(&assigned, &mut out);
        self.instances(&mut out);
        for stmt in &assigns {
            if let Stmt::Assign { target, value, .. } = stmt {
                if !self.direct.contains_key(target) {
                    writeln!(out, "  assign {target} = {};", value.text).expect("string");
                }
            }
        }
        for group in &groups {
            out += "  always_comb begin\n";
            render(group, 2, &mut out);
            out += "  end\n";
        }
        self.registers(&mut out);
        self.unused(&mut out);
        Ok(out + "endmodule\n")
    }

    fn declarations(&self, assigned: &BTreeSet<&str>, out: &mut String) {
        let kind = |name: &str| if assigned.contains(name) { "wire " } else { "logic" };
        for net in self
            .node
            .nets
            .iter()
            .filter(|net| net.kind == AtomKind::Constant && self.reads.contains(&net.name))
        {
            let value = literal::sized(&net.constant, net.width).unwrap_or_else(|_| net.constant.clone());
            writeln!(out, "  localparam {}{} = {value};", range(net.width), net.name).expect("string");
        }
        for (name, State { width, value, .. }) in self.node.states.iter().filter(|(name, _)| self.reads.contains(name))
        {
            writeln!(out, "  localparam {}{name} = {width}'d{value};", range(*width)).expect("string");
        }
        for net in self.node.nets.iter().filter(|net| net.kind == AtomKind::LocalSignal) {
            writeln!(out, "  {}{};", declared(kind(&net.name), &net.of), net.name).expect("string");
        }
        for (child, form) in self.node.children.iter().zip(self.children) {
            for net in child.nets.iter().filter(|net| net.is_port()) {
                let name = port_net(child, net);
                if self.direct.contains_key(&name) {
                    continue;
                }
                let driven = matches!(form, Child::Instance(_)) && !net.is_input();
                let kind = if driven { "wire " } else { kind(&name) };
                let name = if driven { self.output_name(&name) } else { name };
                writeln!(out, "  {}{name};", declared(kind, &net.of)).expect("string");
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
                let outer = if net.is_input() {
                    self.connected(&name, net.width)
                } else {
                    let outer = self.output_name(&name);
                    self.reads.add(&outer, 0..net.width);
                    outer
                };
                pins.push(format!("    .{}({outer})", net.name));
            }
            writeln!(out, "  {module} u_{} (\n{}\n  );", child.instance, pins.join(",\n")).expect("string");
        }
    }

    fn registers(&mut self, out: &mut String) {
        let mut clocks: BTreeMap<String, Vec<(&Node, &Register)>> = BTreeMap::new();
        for (child, form) in self.node.children.iter().zip(self.children) {
            if let Child::Register(register) = form {
                let clock = self.connected(&format!("{}_clock", child.instance), 1);
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
            let register = matches!(form, Child::Register(_));
            for net in child.nets.iter().filter(|net| net.is_port() && !net.is_input()) {
                let name = port_net(child, net);
                if register || self.reads.contains(&name) {
                    names.push((name, &net.of));
                }
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
