//! One block as the text of one module.

use super::array::Arrays;
use super::collect::{Net, Node, Register};
use super::comment::commented;
use super::error::Fault;
use super::expr::{Place, Scope};
use super::flow::{self, Groups};
use super::ident::without_dollars;
use super::ports::{header, port_net, types};
use super::reads::Reads;
use super::render::Renderer;
use super::stmt::Stmt;
use super::types::Type;
use super::unify::Pattern;
use rust_hdl::core::ast::{Verilog, VerilogStatement};
use rust_hdl::core::atom::AtomKind;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// How each child appears: as a register, as text of the module itself, or as an instance of a module.
pub(super) enum Child {
    Register(Register),
    Inlined,
    Instance(String),
}

/// What a module holds, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Bits of its own registers.
    pub flip_flops: usize,
    /// Loops in the text.
    pub loops: usize,
    /// Loops of the source whose turns differ in shape, so that they are written out.
    pub unrolled: usize,
    /// Declarations of one item of an array.
    pub items: usize,
    /// Registers, and those of them that have a comment or are a plain delay of another signal.
    pub registers: usize,
    /// Registers with a comment.
    pub commented: usize,
    /// Registers that are a plain delay of another signal.
    pub delays: usize,
}

pub(super) struct Parts<'a> {
    pub node: &'a Node,
    pub children: &'a [Child],
    pub types: BTreeMap<String, Type>,
    /// Signals that are items of one declaration.
    pub arrays: Arrays,
    /// Inputs of children that are nothing but another signal or a field of one.
    pub direct: BTreeMap<String, Place>,
    /// Inputs of inlined blocks for which the block's own signal is written.
    pub aliases: BTreeMap<String, Place>,
    pub reads: Reads,
    pub counts: Counts,
}

/// The statements of a description, or of an array of inlined blocks turn by turn; name of the blocks, empty for the module's own.
type Body = (String, Vec<Stmt>);

/// Text of the module with [`NAME`] in place of its name.
pub(super) fn text(node: &Node, children: &[Child]) -> Result<(String, Counts), Fault> {
    if node.signed {
        return Err(Fault::Signed);
    }
    let mut apart = BTreeSet::new();
    loop {
        let types = types(node)?;
        let mut parts = Parts {
            node,
            children,
            arrays: arrays(node, &types, &apart),
            types,
            direct: BTreeMap::new(),
            aliases: BTreeMap::new(),
            reads: Reads::default(),
            counts: Counts::default(),
        };
        let text = match &node.code {
            Verilog::Combinatorial(block) => {
                let bodies = parts.bodies(block)?;
                let groups: Vec<_> = bodies
                    .iter()
                    .map(|(_, body)| flow::group(body, &parts.arrays))
                    .collect();
                let mut torn = parts.torn(&groups);
                let chains = chained(&groups, &parts.arrays);
                torn.extend(in_loops(&groups, &parts.arrays).intersection(&chains).cloned());
                if !torn.is_empty() {
                    apart.extend(torn);
                    continue;
                }
                parts.combinational(&bodies, &groups)?
            }
            Verilog::Custom(code) => parts.custom(code, "logic"),
            Verilog::Wrapper(wrapper) => parts.custom(&wrapper.code, "wire"),
            Verilog::Empty | Verilog::Blackbox(_) => return Err(Fault::Empty),
        };
        return Ok((text, parts.counts));
    }
}

/// Arrays among the signals, ports of the module excepted; those of `apart` stay signals of their own.
fn arrays(node: &Node, types: &BTreeMap<String, Type>, apart: &BTreeSet<String>) -> Arrays {
    let own = node
        .nets
        .iter()
        .filter(|net| !net.is_port() && net.kind != AtomKind::Constant);
    let own = own.map(|net| (net.name.clone(), net.spot.clone(), &net.of));
    let ports = node.children.iter().flat_map(|child| {
        let ports = child.nets.iter().filter(|net| net.is_port());
        ports.map(|net| (port_net(child, net), child.spot.inside(&net.spot), net.seen()))
    });
    let inside = node.children.iter().filter(|child| child.inlined()).flat_map(|child| {
        let signals = child.inside().filter(|(_, net)| net.kind != AtomKind::Constant);
        signals.map(|(name, net)| (name, child.spot.inside(&net.spot), &net.of))
    });
    let taken = types.keys().cloned().collect();
    Arrays::of(own.chain(ports).chain(inside), &taken, apart)
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

    /// The statements of the description and of the inlined blocks. Those of an array of blocks are the turns of one loop, unless one reads
    /// what a later one writes.
    fn bodies(&mut self, block: &[VerilogStatement]) -> Result<Vec<Body>, Fault> {
        let mut own = self.lower(self.node, block, "")?;
        flow::remove_dead(&mut own);
        self.alias(&mut own);
        let mut bodies = vec![(String::new(), own)];
        let node = self.node;
        let mut inlined = node
            .children
            .iter()
            .zip(self.children)
            .filter(|(_, form)| matches!(form, Child::Inlined))
            .map(|(child, _)| child)
            .peekable();
        while let Some(first) = inlined.next() {
            let mut same = vec![first];
            while let Some(next) =
                inlined.next_if(|next| next.spot.base == first.spot.base && next.spot.index.len() == 1)
            {
                same.push(next);
            }
            let mut turns = vec![];
            for child in &same {
                let Verilog::Combinatorial(block) = &child.code else {
                    continue;
                };
                turns.push(self.lower(child, block, &child.instance)?);
            }
            let (name, all): (&String, Vec<Vec<Stmt>>) = match turns.len() > 1 && !reads_ahead(&turns) {
                true => (&first.spot.base, vec![vec![Stmt::Loop { from: 0, turns }]]),
                false => (&first.instance, turns),
            };
            let names = std::iter::once(name).chain(same.iter().skip(1).map(|child| &child.instance));
            for (name, mut body) in names.zip(all) {
                flow::remove_dead(&mut body);
                self.alias(&mut body);
                bodies.push((name.clone(), body));
            }
        }
        Ok(bodies)
    }

    fn lower(&self, node: &Node, block: &[VerilogStatement], instance: &str) -> Result<Vec<Stmt>, Fault> {
        let mut body = vec![];
        let mut scope = Scope {
            nets: &self.types,
            states: &node.states,
            loops: vec![],
            instance,
            arrays: &self.arrays,
            aliases: &self.aliases,
        };
        scope.lower(block, &mut body)?;
        Ok(body)
    }

    /// Arrays whose items several bodies write, one of them in an `always_comb`: SystemVerilog lets nobody else drive them.
    fn torn(&self, groups: &[Groups]) -> BTreeSet<String> {
        let mut writers: BTreeMap<&str, (BTreeSet<usize>, bool)> = BTreeMap::new();
        for (at, groups) in groups.iter().enumerate() {
            let single = groups.single.iter().map(|stmt| (stmt, false));
            let shared = groups.shared.iter().flatten().map(|stmt| (stmt, true));
            for (stmt, shared) in single.chain(shared) {
                for name in flow::writes(std::slice::from_ref(stmt)) {
                    if let Some((base, _)) = self.arrays.around(&name) {
                        let found = writers.entry(base).or_default();
                        found.0.insert(at);
                        found.1 |= shared;
                    }
                }
            }
        }
        let torn = writers
            .into_iter()
            .filter(|(_, (bodies, shared))| bodies.len() > 1 && *shared);
        torn.map(|(base, _)| base.to_string()).collect()
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
    fn combinational(&mut self, bodies: &[Body], groups: &[Groups]) -> Result<String, Fault> {
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
        for (_, body) in bodies {
            flow::check(body, &self.types, &inputs)?;
            self.reads.merge(&flow::reads(body));
        }
        let assigns = || groups.iter().flat_map(|groups| flow::flat(&groups.single));
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
        self.whole_arrays_direct();
        let several = self.several();
        let assigned: BTreeSet<&str> = assigns().filter_map(target).collect();
        let mut out = header(self.node, true, |net| {
            if assigned.contains(net.name.as_str()) {
                "output wire "
            } else {
                "output logic"
            }
        });
        self.declarations(&assigned, &chained(groups, &self.arrays), &mut out);
        let mut names = BTreeSet::new();
        self.instances(&several, &mut names, &mut out);
        let renderer = Renderer::new(&self.arrays);
        for ((instance, _), groups) in bodies.iter().zip(groups) {
            self.comment_inlined(instance, &mut out);
            let skip = |target: &str| self.direct.contains_key(target);
            out += &renderer.assigns(&groups.single, &skip, &mut names);
            for group in &groups.shared {
                out += "  always_comb begin\n";
                out += &renderer.block(group, 2, 0).text();
                out += "  end\n";
            }
        }
        let (loops, unrolled) = (renderer.loops.get(), renderer.unrolled.get());
        self.counts.loops += loops;
        self.counts.unrolled += unrolled;
        self.registers(&mut out);
        self.unused(&mut out);
        Ok(out + "endmodule\n")
    }

    /// An array is connected directly as a whole or not at all.
    fn whole_arrays_direct(&mut self) {
        let whole = |target: &String| match self.arrays.around(target) {
            Some((_, array)) => array.items.iter().all(|item| self.direct.contains_key(item)),
            None => true,
        };
        let stay: BTreeSet<String> = self.direct.keys().filter(|target| !whole(target)).cloned().collect();
        self.direct.retain(|target, _| !stay.contains(target));
    }

    /// Arrays of instances that one generate loop makes, by their name: the instances, and their pins as the first has them and as the loop
    /// has them. An input that is connected directly to something that is no function of the loop gets a signal of its own.
    fn several(&mut self) -> BTreeMap<String, Vec<String>> {
        let mut found = BTreeMap::new();
        let mut by_base: BTreeMap<&str, Vec<(&Node, &String)>> = BTreeMap::new();
        for (child, form) in self.node.children.iter().zip(self.children) {
            if let Child::Instance(module) = form {
                if child.spot.index.len() == 1 {
                    by_base.entry(&child.spot.base).or_default().push((child, module));
                }
            }
        }
        for (base, all) in by_base {
            let in_order = all.iter().enumerate().all(|(at, (child, _))| child.spot.index == [at]);
            if all.len() < 2 || !in_order || all.iter().any(|(_, module)| *module != all[0].1) {
                continue;
            }
            let ports: Vec<&Net> = all[0].0.nets.iter().filter(|net| net.is_port()).collect();
            let one = |parts: &Self, port: usize| {
                let pins: Vec<Pattern> = all
                    .iter()
                    .map(|(child, _)| {
                        let net = child.nets.iter().filter(|net| net.is_port()).nth(port)?;
                        Some(Pattern::of(&parts.pin(child, net)))
                    })
                    .collect::<Option<_>>()?;
                Pattern::of_turns(&pins, 0, 0).map(|pattern| pattern.text())
            };
            let mut pins = vec![];
            for (at, port) in ports.iter().enumerate() {
                let mut pin = one(self, at);
                if pin.is_none() && port.is_input() && self.arrays.around(&port_net(all[0].0, port)).is_some() {
                    for (child, _) in &all {
                        let net = child.nets.iter().filter(|net| net.is_port()).nth(at);
                        let name = net.map(|net| port_net(child, net)).unwrap_or_default();
                        if let Some((_, array)) = self.arrays.around(&name) {
                            array.items.iter().for_each(|item| {
                                self.direct.remove(item);
                            });
                        }
                    }
                    pin = one(self, at);
                }
                pins.push(pin.map(|pin| format!("    .{}({pin})", port.name)));
            }
            if let Some(pins) = pins.into_iter().collect::<Option<Vec<String>>>() {
                found.insert(base.to_string(), pins);
            }
        }
        found
    }

    /// What stands over the text of an inlined block.
    fn comment_inlined(&self, instance: &str, out: &mut String) {
        let named = |child: &&Node| child.inlined() && (child.instance == instance || child.spot.base == instance);
        let Some(child) = self.node.children.iter().find(named) else {
            return;
        };
        let comment = child.comment.as_deref().unwrap_or_default();
        for line in commented(&format!("{instance}: {comment}")).lines() {
            writeln!(out, "  {line}").expect("string");
        }
    }

    /// Whether somebody reads the signal, or another item of its array.
    pub fn is_read(&self, net: &str) -> bool {
        match self.arrays.around(net) {
            Some((_, array)) => array.items.iter().any(|item| self.reads.contains(item)),
            None => self.reads.contains(net),
        }
    }

    /// Outputs of children that nobody reads say so in their name, which linters respect.
    pub fn output_name(&self, net: &str) -> String {
        let text = self.arrays.text(net);
        if self.is_read(net) {
            text
        } else {
            format!("unused_{text}")
        }
    }

    /// What a child's input is connected to.
    fn connection(&self, net: &str, width: usize) -> Place {
        let own = || Place {
            net: net.into(),
            bits: 0..width,
        };
        self.direct.get(net).cloned().unwrap_or_else(own)
    }

    fn place_text(&self, Place { net, bits }: &Place) -> String {
        let text = self.arrays.text(net);
        match self.types.get(net) {
            Some(of) => of.part(&text, bits),
            None => text,
        }
    }

    /// What a child's input is connected to, and a note that it is read.
    fn connected(&mut self, net: &str, width: usize) -> String {
        let place = self.connection(net, width);
        self.reads.add(&place.net, place.bits.clone());
        self.place_text(&place)
    }

    /// What a child's port is connected to.
    fn pin(&self, child: &Node, net: &Net) -> String {
        let name = port_net(child, net);
        match net.is_input() {
            true => self.place_text(&self.connection(&name, net.width)),
            false => self.output_name(&name),
        }
    }

    /// The blocks that are modules of their own; those of `several` by a generate loop each.
    fn instances(&mut self, several: &BTreeMap<String, Vec<String>>, names: &mut BTreeSet<String>, out: &mut String) {
        for (child, form) in self.node.children.iter().zip(self.children) {
            let Child::Instance(module) = form else { continue };
            let mut pins = vec![];
            for net in child.nets.iter().filter(|net| net.is_port()) {
                if net.is_input() {
                    let place = self.connection(&port_net(child, net), net.width);
                    self.reads.add(&place.net, place.bits);
                }
                pins.push(format!("    .{}({})", net.name, self.pin(child, net)));
            }
            let module = self.with_parameters(module);
            let base = &child.spot.base;
            let Some(pins) = several.get(base) else {
                writeln!(out, "  {module} u_{} (\n{}\n  );", child.instance, pins.join(",\n")).expect("string");
                continue;
            };
            if !names.insert(format!("g_{base}")) {
                continue;
            }
            let count = self
                .node
                .children
                .iter()
                .filter(|other| other.spot.base == *base)
                .count();
            let pins: Vec<String> = pins.iter().map(|pin| format!("  {pin}")).collect();
            writeln!(
                out,
                "  for (genvar i = 0; i < {count}; i++) begin : g_{base}\n    {module} u_{base} (\n{}\n    );\n  end",
                pins.join(",\n")
            )
            .expect("string");
            self.counts.loops += 1;
        }
    }

    /// A child's module with the names of the parameters that the block hands on in place of their values.
    fn with_parameters(&self, module: &str) -> String {
        let parameters = self.node.parameters.iter();
        parameters.fold(module.to_string(), |text, (name, value)| {
            text.replace(&format!(".{name}({value})"), &format!(".{name}({name})"))
        })
    }

    /// Initial values and clocked assignments.
    fn registers(&mut self, out: &mut String) {
        let mut clocks: BTreeMap<String, Vec<(&Node, &Register)>> = BTreeMap::new();
        for (child, form) in self.node.children.iter().zip(self.children) {
            if let Child::Register(register) = form {
                let clock = self.connected(&format!("{}_clk", child.instance), 1);
                clocks.entry(clock).or_default().push((child, register));
                self.counts.flip_flops += child.nets[0].width;
            }
        }
        for (clock, registers) in clocks {
            let (mut initial, mut edge) = (vec![], vec![]);
            for (child, register) in registers {
                let (q, d) = (
                    self.arrays.text(&format!("{}_q", child.instance)),
                    self.connected(&format!("{}_d", child.instance), child.nets[0].width),
                );
                let value = match &child.nets[0].of {
                    Type::Kind(kind) => kind.first(),
                    Type::Moved(_, parameter) => format!("{{{parameter}{{1'b0}}}}"),
                    _ => register.initial.clone(),
                };
                initial.push((format!("{}_q", child.instance), format!("    {q} = {value};\n")));
                edge.push((format!("{}_q", child.instance), format!("    {q} <= {d};\n")));
            }
            let (initial, edge) = (self.in_arrays(&initial), self.in_arrays(&edge));
            write!(
                out,
                "  initial begin\n{initial}  end\n  always @(posedge {clock}) begin\n{edge}  end\n"
            )
            .expect("string");
        }
    }

    /// Lines that each write one register; those of an array's items as one.
    fn in_arrays(&self, lines: &[(String, String)]) -> String {
        let by_name: BTreeMap<&str, &str> = lines.iter().map(|(q, line)| (q.as_str(), line.as_str())).collect();
        let renderer = Renderer::new(&self.arrays);
        let (mut out, mut done) = (String::new(), BTreeSet::new());
        for (q, line) in lines {
            let Some((base, array)) = self.arrays.around(q) else {
                out += line;
                continue;
            };
            if !done.insert(base) {
                continue;
            }
            let all: Vec<&str> = array
                .items
                .iter()
                .filter_map(|item| by_name.get(item.as_str()).copied())
                .collect();
            match renderer.copies(&all, &array.dims) {
                Some(text) => out += &text,
                None => all.iter().for_each(|line| out += line),
            }
        }
        out
    }
}

/// Arrays in whose items a path through the module's logic comes back to the array: Verilator looks at these item by item.
fn chained(groups: &[Groups], arrays: &Arrays) -> BTreeSet<String> {
    let whole = |name: &str| arrays.around(name).map_or(name, |(base, _)| base).to_string();
    let mut next: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut add = |stmts: &[Stmt], alone: bool| {
        let written = flow::writes(stmts);
        let reads = flow::reads(stmts);
        for (name, _) in reads.iter().filter(|(name, _)| alone || !written.contains(*name)) {
            next.entry(whole(name))
                .or_default()
                .extend(written.iter().map(|name| whole(name)));
        }
    };
    for groups in groups {
        flow::flat(&groups.single).for_each(|stmt| add(std::slice::from_ref(stmt), true));
        groups.shared.iter().for_each(|group| add(group, false));
    }
    let reaches_itself = |start: &String| {
        let (mut seen, mut left) = (BTreeSet::new(), vec![start]);
        while let Some(at) = left.pop() {
            for to in next.get(at).into_iter().flatten() {
                if to == start {
                    return true;
                }
                if seen.insert(to) {
                    left.push(to);
                }
            }
        }
        false
    };
    let all = next.keys().filter(|name| arrays.get(name).is_some());
    all.filter(|name| reaches_itself(name)).cloned().collect()
}

/// Arrays that a loop inside an `always_comb` reads or writes, which Verilator cannot look at item by item.
fn in_loops(groups: &[Groups], arrays: &Arrays) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let shared = groups.iter().flat_map(|groups| groups.shared.iter().flatten());
    for stmt in shared.filter(|stmt| matches!(stmt, Stmt::Loop { .. })) {
        let stmts = std::slice::from_ref(stmt);
        let reads = flow::reads(stmts);
        let written = flow::writes(stmts);
        let names = reads.iter().map(|(name, _)| name).chain(&written);
        found.extend(names.filter_map(|name| Some(arrays.around(name)?.0.to_string())));
    }
    found
}

/// Whether a turn reads what a later one writes.
fn reads_ahead(turns: &[Vec<Stmt>]) -> bool {
    let mut read = Reads::default();
    turns.iter().any(|turn| {
        let ahead = flow::writes(turn).iter().any(|name| read.contains(name));
        read.merge(&flow::reads(turn));
        ahead
    })
}

fn target(stmt: &Stmt) -> Option<&str> {
    match stmt {
        Stmt::Assign { target, .. } => Some(target),
        _ => None,
    }
}
