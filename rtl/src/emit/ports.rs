//! A module's ports: their declarations, and the types of all signals that it sees.

use super::collect::{Net, Node};
use super::error::Fault;
use super::ident::check;
use super::types::{range, Type};
use rust_hdl::core::atom::AtomKind;
use std::collections::BTreeMap;

/// Stands for the module's name until it is known.
pub(super) const NAME: &str = "@module@";

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
            .map(|net| (port_net(child, net), net.seen().clone()))
    });
    let inside = node
        .children
        .iter()
        .filter(|child| child.inlined())
        .flat_map(Node::inside);
    let inside = inside.map(|(name, net)| (name, net.of.clone()));
    for (name, of) in node
        .nets
        .iter()
        .map(|net| (net.name.clone(), net.of.clone()))
        .chain(children)
        .chain(inside)
    {
        check(&name)?;
        if types.insert(name.clone(), of).is_some() {
            return Err(Fault::DuplicateName(name));
        }
    }
    Ok(types)
}

/// The parent's name for a child's port.
pub(super) fn port_net(child: &Node, port: &Net) -> String {
    format!("{}_{}", child.instance, port.name)
}

/// Ports; `named` where they have words and kinds of the package, plain vectors otherwise.
pub(super) fn header(node: &Node, named: bool, output: impl Fn(&Net) -> &'static str) -> String {
    let ports = node.nets.iter().filter(|net| net.is_port());
    let mut last = None;
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
            format!("{}  {direction} {of}{}", about(node, net, &mut last), net.name)
        })
        .collect();
    let parameter = |(name, _): &(String, usize)| format!("  parameter integer {name} = 1");
    let parameters: Vec<String> = node.parameters.iter().map(parameter).collect();
    let parameters = match parameters.is_empty() {
        true => String::new(),
        false => format!("#(\n{}\n) ", parameters.join(",\n")),
    };
    format!("module {NAME} {parameters}(\n{}\n);\n", lines.join(",\n"))
}

/// The field of the block that a port belongs to.
pub(super) fn field_of<'a>(node: &'a Node, net: &Net) -> Option<&'a String> {
    let holds = |field: &&String| {
        let rest = net.name.strip_prefix(field.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    node.fields.keys().filter(holds).max_by_key(|field| field.len())
}

/// The comment over a port: that of its field; for a port of an interface what the interface says of it, and over the first one that
/// of the field.
fn about(node: &Node, net: &Net, last: &mut Option<String>) -> String {
    let field = field_of(node, net);
    let first = field.filter(|_| last.as_ref() != field);
    if let Some(field) = first {
        *last = Some(field.clone());
    }
    let of_field = first.map(|field| &node.fields[field]);
    let lines = of_field.into_iter().chain(node.signals.get(&net.name));
    lines.map(|comment| format!("  // {comment}\n")).collect()
}
