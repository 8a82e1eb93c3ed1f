//! A flat netlist of library cells and RAM macros, as Yosys writes it.

use super::library::{Edges, Library, Pin};
use serde_json::Value;
use std::collections::BTreeMap;

/// The cell that stands for a RAM of 512 words of 64 bits; its pins are those of the recipe's Verilog.
pub const MACRO: &str = "SRAM_512X64";
/// Its clock.
const MACRO_CLOCK: &str = "CLK";
/// What it drives.
const MACRO_OUTPUT: &str = "RDATA";
/// Load that a pin of it is, femtofarads.
const MACRO_LOAD: f64 = 1.5;

/// A cell.
#[derive(Debug)]
pub struct Cell<'a> {
    /// Instance.
    pub name: &'a str,
    /// Type.
    pub kind: &'a str,
    /// Net of each pin of one bit.
    pub pins: BTreeMap<&'a str, usize>,
}

/// What a net goes to: a pin of a cell, or an output of the module.
#[derive(Debug, Clone, Copy)]
pub struct Load<'a> {
    /// The cell by its place in the list.
    pub cell: Option<usize>,
    /// Pin or port.
    pub pin: &'a str,
}

/// Nets by their number in the netlist.
#[derive(Debug)]
pub struct Netlist<'a> {
    library: &'a Library,
    /// All cells.
    pub cells: Vec<Cell<'a>>,
    /// What each net goes to.
    pub loads: Vec<Vec<Load<'a>>>,
    /// Cell and pin that drive a net.
    pub driver: Vec<Option<(usize, &'a str)>>,
    /// Nets of the module's inputs.
    pub inputs: Vec<usize>,
    /// Capacitance of each net with its wire, by edges.
    capacitances: Vec<Edges<f64>>,
    names: Vec<&'a str>,
}

/// The nets of a list of bits; constants are none.
fn nets(bits: &Value) -> impl Iterator<Item = usize> + '_ {
    let numbers = bits.as_array().into_iter().flatten().filter_map(Value::as_u64);
    numbers.map(|number| number as usize)
}

impl<'a> Netlist<'a> {
    /// Reads a module of Yosys' JSON; the type of a cell that is unknown, if there is one.
    pub fn read(module: &'a Value, library: &'a Library) -> Result<Self, String> {
        let entries = |group: &str| module[group].as_object().into_iter().flatten();
        let lists = entries("ports").chain(entries("netnames")).map(|(_, of)| &of["bits"]);
        let pins = entries("cells").flat_map(|(_, cell)| cell["connections"].as_object().into_iter().flatten());
        let count = lists
            .chain(pins.map(|(_, bits)| bits))
            .flat_map(nets)
            .max()
            .map_or(0, |most| most + 1);
        let mut list = Self {
            library,
            cells: vec![],
            loads: vec![vec![]; count],
            driver: vec![None; count],
            inputs: vec![],
            capacitances: vec![],
            names: vec![""; count],
        };
        for (name, port) in entries("ports") {
            for net in nets(&port["bits"]) {
                if port["direction"] == "input" {
                    list.inputs.push(net);
                } else {
                    list.loads[net].push(Load { cell: None, pin: name });
                }
            }
        }
        for (name, cell) in entries("cells").filter(|(_, cell)| cell["type"] != "$scopeinfo") {
            let kind = cell["type"].as_str().unwrap_or_default();
            if kind != MACRO && !library.cells.contains_key(kind) {
                return Err(kind.to_string());
            }
            list.add(name, kind, cell);
        }
        for (name, of) in entries("netnames").filter(|(_, of)| of["hide_name"] != 1) {
            for net in nets(&of["bits"]) {
                // of several the shortest: the others are ports that it is connected to
                if list.names[net].is_empty() || name.len() < list.names[net].len() {
                    list.names[net] = name;
                }
            }
        }
        list.capacitances = (0..count).map(|net| [0, 1].map(|edge| list.sum(net, edge))).collect();
        Ok(list)
    }

    fn add(&mut self, name: &'a str, kind: &'a str, cell: &'a Value) {
        let at = self.cells.len();
        let mut pins = BTreeMap::new();
        for (pin, bits) in cell["connections"].as_object().into_iter().flatten() {
            for net in nets(bits) {
                let output = self
                    .library
                    .cells
                    .get(kind)
                    .map_or(pin == MACRO_OUTPUT, |of| of.pins.get(pin).is_some_and(|pin| pin.output));
                if output {
                    self.driver[net] = Some((at, pin));
                } else {
                    self.loads[net].push(Load { cell: Some(at), pin });
                }
                pins.insert(pin.as_str(), net);
            }
        }
        self.cells.push(Cell { name, kind, pins });
    }

    /// Pins of a cell in the library; a macro has none there.
    pub fn pins(&self, cell: usize) -> impl Iterator<Item = (&'a str, &'a Pin)> {
        let known = self.library.cells.get(self.cells[cell].kind);
        known
            .into_iter()
            .flat_map(|cell| &cell.pins)
            .map(|(name, pin)| (name.as_str(), pin))
    }

    /// A pin in the library.
    pub fn pin(&self, cell: usize, name: &str) -> Option<&'a Pin> {
        self.library.cells.get(self.cells[cell].kind)?.pins.get(name)
    }

    /// Whether this is a clock's pin.
    pub fn is_clock(&self, load: &Load) -> bool {
        let of = |cell| {
            self.pin(cell, load.pin)
                .map_or(load.pin == MACRO_CLOCK, |pin| pin.clock)
        };
        load.cell.is_some_and(of)
    }

    /// Capacitance of a load on a rising (0) or falling (1) edge; what is outside is none.
    pub fn capacitance(&self, load: &Load, edge: usize) -> f64 {
        let of = |cell| self.pin(cell, load.pin).map_or(MACRO_LOAD, |pin| pin.capacitance[edge]);
        load.cell.map_or(0.0, of)
    }

    fn sum(&self, net: usize, edge: usize) -> f64 {
        let loads = &self.loads[net];
        let pins = loads.iter().map(|load| self.capacitance(load, edge));
        self.library.wire.load(loads.len()) + pins.sum::<f64>()
    }

    /// Capacitance of a net with its wire.
    pub fn net_capacitance(&self, net: usize, edge: usize) -> f64 {
        self.capacitances[net][edge]
    }

    /// Name of a net that the source named.
    pub fn net_name(&self, net: usize) -> Option<&'a str> {
        Some(self.names[net]).filter(|name| !name.is_empty())
    }

    /// Delay of the wire from a net's driver to a load.
    pub fn wire_delay(&self, net: usize, load: f64) -> f64 {
        self.library.wire.delay(self.loads[net].len(), load)
    }
}
