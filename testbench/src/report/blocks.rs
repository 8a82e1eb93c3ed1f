//! The NIC cut into blocks along its emitted hierarchy, so that each can be synthesised alone and the sum is the whole.

use crate::verilated::Sources;
use hpcc_rtl::emit::Library;
use hpcc_rtl::sim::Port;
use hpcc_rtl::tops::{Top, NIC, NIC_HPCC};
use std::collections::BTreeMap;

/// Modules below the NIC that mostly wire others together: their children are blocks of their own.
const PIPES: &[&str] = &[
    "hpcc_rx_pipe",
    "hpcc_nic_flows",
    "hpcc_nic_flows_hpcc",
    "hpcc_cc_choice",
    "hpcc_cc_choice_hpcc",
    "hpcc_tx_pipe",
];
/// Tops that are whole NICs.
pub const WHOLE: [Top; 2] = [NIC, NIC_HPCC];

/// A part of the NIC. Together the blocks have every module instance of the NIC once.
#[derive(Debug, Clone)]
pub struct Block {
    /// Instances on the way from the top, as `rx.parser`; what a cut module has beside its children is called `rx (wiring)`.
    pub path: String,
    /// Emitted module.
    pub module: String,
    /// A cut module without its children: cells can be counted, but it is no design that could be placed.
    pub wiring: bool,
    /// What a synthesiser reads: the module and all below it; for wiring, the children as black boxes.
    pub sources: Sources,
}

/// Module and name of the instances in a module's text, and whether the instance sets parameters: then it is a part of the library, a
/// FIFO or a delay, which counts with the wiring around it. A table's parameters take several lines.
fn instances(text: &str) -> impl Iterator<Item = (&str, &str, bool)> {
    let word = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let mut open = None;
    text.lines().filter_map(move |line| {
        let Some(head) = line.strip_suffix(" (") else {
            let begun = line.strip_prefix("  ").and_then(|line| line.split_once(" #("));
            open = begun.map(|(module, _)| module).filter(|module| word(module)).or(open);
            return None;
        };
        let (before, instance) = head.rsplit_once(" u_")?;
        // in a generate loop instances stand further in
        let before = before.strip_prefix("  ")?.trim_start();
        let (module, part) = match (open.take(), before.split_once(" #(")) {
            (_, Some((module, _))) => (module, true),
            (Some(module), None) if before.ends_with("))") => (module, true),
            (_, None) => (before, false),
        };
        (word(module) && word(instance)).then_some((module, instance, part))
    })
}

/// The header of a module: `module name (` to `);` at the start of a line; a comment may have these two inside.
pub(super) fn header<'a>(text: &'a str, module: &str) -> Option<&'a str> {
    let from = text.find(&format!("module {module} ("))?;
    let length = text[from..].find("\n);")? + 3;
    Some(&text[from..from + length])
}

/// Width of a range `[high:0]`, if the word is one.
fn range(word: &str) -> Option<usize> {
    let high: usize = word.strip_prefix('[')?.strip_suffix(":0]")?.parse().ok()?;
    Some(high + 1)
}

/// Widths of the types of a package, which uses no type before its declaration.
fn type_widths(package: &str) -> BTreeMap<String, usize> {
    let mut widths = BTreeMap::new();
    let mut width = 0;
    for line in package.lines().map(|line| line.trim().trim_end_matches(';')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["typedef", "struct", ..] => width = 0,
            ["typedef", "enum", "logic", of, ..] => width = range(of).unwrap_or(1),
            ["}", name] => {
                widths.insert(name.to_string(), width);
            }
            // a field: `logic name`, `logic [7:0] name`, `other_t name`, `other_t [4:0] name`
            [of, .., _] if of == "logic" || widths.contains_key(of) => {
                let count = words.get(1).and_then(|word| range(word)).unwrap_or(1);
                width += count * widths.get(of).copied().unwrap_or(1);
            }
            _ => {}
        }
    }
    widths
}

/// The ports that an emitted header declares, `clk` excepted; `types` has the widths of the package's types.
fn ports(header: &str, types: &BTreeMap<String, usize>) -> Vec<Port> {
    let mut limbs = BTreeMap::new();
    let port = |line: &str| {
        let mut words = line.trim().trim_end_matches(',').split_whitespace();
        let input = match words.next()? {
            "input" => true,
            "output" => false,
            _ => return None,
        };
        let name = words.next_back().filter(|name| *name != "clk")?.to_string();
        let named = |word: &str| types.get(word.split_once("::")?.1).copied();
        let width = words.find_map(|word| range(word).or_else(|| named(word))).unwrap_or(1);
        let next = limbs.entry(input).or_insert(0);
        let limb = *next;
        *next += width.div_ceil(64);
        Some(Port {
            name,
            width,
            input,
            limb,
        })
    };
    header.lines().filter_map(port).collect()
}

/// Whether the header has a clock.
pub(super) fn clocked(header: &str) -> bool {
    let mut lines = header.lines().map(|line| line.trim_end_matches(','));
    lines.any(|line| line.trim_start().starts_with("input") && line.ends_with(" clk"))
}

/// A module without its inside.
pub(super) fn black_box(text: &str, module: &str) -> Option<String> {
    Some(format!("(* blackbox *)\n{}\nendmodule\n", header(text, module)?))
}

fn sources(library: &Library, module: &str, wiring: bool) -> Option<Sources> {
    let text = library.module_text(module)?;
    let types = library
        .package()
        .map_or_else(BTreeMap::new, |(_, text)| type_widths(&text));
    let mut files = vec![];
    if wiring {
        let mut children: Vec<(&str, bool)> = instances(text).map(|(child, _, part)| (child, part)).collect();
        children.sort();
        children.dedup();
        // types first: ports of the children and of the module name them
        files.extend(library.package());
        for (child, part) in children {
            if part {
                files.extend(library.sources(child));
            } else {
                files.push((format!("{child}.sv"), black_box(library.module_text(child)?, child)?));
            }
        }
        files.push((format!("{module}.sv"), text.to_string()));
    } else {
        files = library.sources(module);
    }
    Some(Sources {
        top: module.into(),
        files,
        contracts: vec![],
        checked: false,
        ports: ports(header(text, module)?, &types),
        defines: vec![],
        trace: false,
        registered: false,
        optimise: 0,
    })
}

/// The blocks below `module`, in the order of the text; nothing if the library lacks a module.
fn walk(library: &Library, module: &str, path: &str, found: &mut Vec<Block>) -> Option<()> {
    let cut = WHOLE.iter().any(|top| top.name == module) || PIPES.contains(&module);
    if cut {
        for (child, instance, _) in instances(library.module_text(module)?).filter(|(.., part)| !part) {
            let path = if path.is_empty() {
                instance.to_string()
            } else {
                format!("{path}.{instance}")
            };
            walk(library, child, &path, found)?;
        }
    }
    let name = if path.is_empty() { "top" } else { path };
    found.push(Block {
        path: if cut {
            format!("{name} (wiring)")
        } else {
            name.to_string()
        },
        module: module.into(),
        wiring: cut,
        sources: sources(library, module, cut)?,
    });
    Some(())
}

/// The blocks of a whole NIC in a library that has it.
pub fn blocks(library: &Library, nic: &Top) -> Option<Vec<Block>> {
    let mut found = vec![];
    walk(library, nic.name, "", &mut found)?;
    Some(found)
}

/// One of the NIC's modules whole, however large: to compare with the sum of its blocks.
pub fn whole(library: &Library, module: &str) -> Option<Block> {
    Some(Block {
        path: format!("{module}, whole"),
        module: module.into(),
        wiring: false,
        sources: sources(library, module, false)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const TEXT: &str = "// text\nmodule pair (\n  input  wire  clk,\n  input  wire  rst,\n  // Entries (`Commit`); one.\n  input  wire  [99:0] up_data,\n  \
                        output logic [3:0] down_data,\n  output wire  down_valid\n);\n  wire  [1:0] a;\n  skid_u4 u_first (\n    \
                        .clk(clk)\n  );\n  skid_u4 u_second (\n    .clk(clk)\n  );\n  hpcc_fifo #(.WIDTH(4), .ADDRESS(3)) u_third (\n    .clk(clk)\n  );\n  assign a = (2'd1) + (\n  2'd1);\nendmodule\n";

    #[test]
    fn instances_and_ports_are_read_from_the_text() {
        let found: Vec<_> = instances(TEXT).collect();
        assert_eq!(
            found,
            [
                ("skid_u4", "first", false),
                ("skid_u4", "second", false),
                ("hpcc_fifo", "third", true)
            ]
        );
        let header = header(TEXT, "pair").expect("header");
        let ports: Vec<_> = ports(header, &BTreeMap::new())
            .into_iter()
            .map(|p| (p.name, p.width, p.input, p.limb))
            .collect();
        let expected = [
            ("rst", 1, true, 0),
            ("up_data", 100, true, 1),
            ("down_data", 4, false, 0),
            ("down_valid", 1, false, 1),
        ];
        assert_eq!(ports, expected.map(|(name, w, i, l)| (name.to_string(), w, i, l)));
        let stub = black_box(TEXT, "pair").expect("stub");
        assert!(stub.ends_with("output wire  down_valid\n);\nendmodule\n") && !stub.contains("u_first"));
    }

    #[test]
    fn widths_of_types_are_read_from_the_package() {
        let package = "package p;\n  // A kind.\n  typedef enum logic [2:0] {\n    // One.\n    ONE = 3'd0\n  } kind_t;\n  typedef struct packed {\n    \
                       logic [33:0] rate;\n    logic on;\n    kind_t kind;\n  } word_t;\n  typedef struct packed {\n    word_t [4:0] words;\n    \
                       word_t one;\n  } words_t;\nendpackage\n";
        let types = type_widths(package);
        let expected = [("kind_t", 3), ("word_t", 38), ("words_t", 228)];
        assert_eq!(types, expected.map(|(name, width)| (name.to_string(), width)).into());
        let header = "module m (\n  input  wire  p::words_t up_data,\n  output      p::word_t down_data\n);";
        let ports: Vec<_> = ports(header, &types)
            .into_iter()
            .map(|p| (p.name, p.width, p.input))
            .collect();
        assert_eq!(
            ports,
            [("up_data".to_string(), 228, true), ("down_data".to_string(), 38, false)]
        );
    }

    /// Instances of every module below `module`, by counting, independent of the cutting.
    fn count(library: &Library, module: &str, counts: &mut BTreeMap<String, u64>) {
        *counts.entry(module.into()).or_default() += 1;
        for (child, ..) in instances(library.module_text(module).expect("module")) {
            count(library, child, counts);
        }
    }

    #[test]
    fn the_blocks_are_the_whole_nic_and_nothing_twice() {
        WHOLE.iter().for_each(is_whole);
    }

    #[test]
    fn a_law_in_the_nic_is_the_top_of_that_law() {
        let library = hpcc_rtl::tops::library().expect("emitted");
        let blocks = blocks(&library, &NIC).expect("blocks");
        for (path, top) in [("flows.law.hpcc_0", "hpcc_cc"), ("flows.law.dcqcn_0", "hpcc_cc_dcqcn")] {
            let block = blocks.iter().find(|block| block.path == path).expect("block");
            let alone = whole(&library, top).expect("top");
            assert_eq!(
                (&block.module, &block.sources.files),
                (&alone.module, &alone.sources.files)
            );
        }
    }

    fn is_whole(nic: &Top) {
        let mut library = Library::new();
        nic.add_to(&mut library).expect("emitted");
        let blocks = blocks(&library, nic).expect("blocks");
        let (mut whole, mut parts) = (BTreeMap::new(), BTreeMap::new());
        count(&library, nic.name, &mut whole);
        for block in &blocks {
            if block.wiring {
                *parts.entry(block.module.clone()).or_default() += 1;
                let text = library.module_text(&block.module).expect("module");
                for (child, ..) in instances(text).filter(|(.., part)| *part) {
                    count(&library, child, &mut parts);
                }
            } else {
                count(&library, &block.module, &mut parts);
            }
        }
        assert_eq!(parts, whole);
        // the library's own idea of the hierarchy knows no other modules, so no instance was overlooked in the text
        let modules: BTreeSet<String> = library.modules_of(nic.name).into_iter().collect();
        assert_eq!(parts.keys().cloned().collect::<BTreeSet<_>>(), modules);
        // and what is read from a header are the ports that the design declares
        let top = hpcc_rtl::tops::find("hpcc_cc").expect("top");
        let declared = top.with(|block| hpcc_rtl::sim::port_list(block)).expect("thread");
        let slot = blocks
            .iter()
            .find(|block| block.path == "flows.law.hpcc_0")
            .expect("the slot");
        let plain = |ports: &[Port]| -> Vec<_> {
            ports
                .iter()
                .map(|p| (p.name.clone(), p.width, p.input, p.limb))
                .collect()
        };
        assert_eq!(plain(&slot.sources.ports), plain(&declared));
    }
}
