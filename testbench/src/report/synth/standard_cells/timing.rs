//! Static timing of a mapped netlist, as OpenSTA does it by default: the latest edge and, each for itself, the slowest transition
//! of every net, cells by their tables, wires by the library's wire load, an ideal clock.

use super::library::{Arc, Edges};
use super::netlist::{Load, Netlist, MACRO};

/// Time outside, nanoseconds: an input comes so long after the clock, and so long before the next an output must be there.
const OUTSIDE: f64 = 0.1;
/// Transition of an input and of a macro's output.
const TRANSITION: f64 = 0.05;
/// Clock to output of a macro.
const MACRO_OUTPUT: f64 = 0.6;
/// Setup of a macro.
const MACRO_SETUP: f64 = 0.1;

/// The slowest path.
#[derive(Debug, Clone, PartialEq)]
pub struct Slowest {
    /// Shortest period, nanoseconds.
    pub period: f64,
    /// Signal at its start.
    pub from: String,
    /// Signal at its end.
    pub to: String,
    /// Cells on it.
    pub levels: usize,
}

/// An edge on a net, 0 rising and 1 falling.
type Event = (usize, usize);

/// When an edge comes to a net at the latest.
#[derive(Debug, Clone, Copy)]
struct Arrival {
    time: f64,
    transition: f64,
    /// The edge that it comes from.
    before: Option<Event>,
}

struct Timing<'a> {
    list: &'a Netlist<'a>,
    arrivals: Vec<Edges<Option<Arrival>>>,
    /// Nets whose edges are known and not yet carried on.
    known: Vec<usize>,
}

impl<'a> Timing<'a> {
    fn arrive(&mut self, (net, edge): Event, time: f64, transition: f64, before: Option<Event>) {
        let known = &mut self.arrivals[net][edge];
        let new = Arrival {
            time,
            transition,
            before,
        };
        *known = Some(known.map_or(new, |known| Arrival {
            transition: known.transition.max(transition),
            ..if known.time < time { new } else { known }
        }));
    }

    /// Time and transition of an edge at a pin behind a net.
    fn at(&self, (net, edge): Event, load: &Load) -> Option<(f64, f64)> {
        let arrival = self.arrivals[net][edge]?;
        let wire = self.list.wire_delay(net, self.list.capacitance(load, edge));
        Some((arrival.time + wire, arrival.transition))
    }

    /// Edges of a cell's output by those of the pin that an arc begins at.
    fn along(&mut self, cell: usize, arc: &'a Arc, to: usize) {
        let Some(from) = self.list.cells[cell].pins.get(arc.from.as_str()).copied() else {
            return;
        };
        let load = Load {
            cell: Some(cell),
            pin: &arc.from,
        };
        for edge in 0..2 {
            let capacitance = self.list.net_capacitance(to, edge);
            for input in (0..2).filter(|input| arc.sense[edge ^ input]) {
                if let Some((time, slow)) = self.at((from, input), &load) {
                    let delay = arc.delay[edge].at(slow, capacitance);
                    let transition = arc.transition[edge].at(slow, capacitance);
                    self.arrive((to, edge), time + delay, transition, Some((from, input)));
                }
            }
        }
    }

    /// Edges at the module's inputs and at the outputs of flip-flops and macros.
    fn start(&mut self) {
        let list = self.list;
        let clock = |net: &usize| list.loads[*net].iter().any(|load| list.is_clock(load));
        for net in list.inputs.iter().copied().filter(|net| !clock(net)) {
            (0..2).for_each(|edge| self.arrive((net, edge), OUTSIDE, TRANSITION, None));
            self.known.push(net);
        }
        for (net, driver) in list.driver.iter().enumerate() {
            let Some((cell, pin)) = *driver else { continue };
            let arcs = list.pin(cell, pin).map_or(&[][..], |pin| &pin.clocked);
            for edge in 0..2 {
                if list.cells[cell].kind == MACRO {
                    self.arrive((net, edge), MACRO_OUTPUT, TRANSITION, None);
                }
                let capacitance = list.net_capacitance(net, edge);
                for arc in arcs {
                    let [delay, transition] =
                        [&arc.delay, &arc.transition].map(|table| table[edge].at(0.0, capacitance));
                    self.arrive((net, edge), delay, transition, None);
                }
            }
            self.known.extend(self.arrivals[net][0].map(|_| net));
        }
    }

    /// Carries edges through logic, each cell when all its inputs have theirs.
    fn run(&mut self) {
        let list = self.list;
        let reads = |load: &&Load| {
            let pin = load.cell.and_then(|cell| list.pin(cell, load.pin));
            pin.is_some_and(|pin| pin.logic)
        };
        let logic = |net: usize| list.loads[net].iter().filter(reads).filter_map(|load| load.cell);
        self.start();
        let mut missing = vec![0; list.cells.len()];
        let driven = (0..list.loads.len()).filter(|net| list.driver[*net].is_some());
        let nets = driven.chain(list.inputs.iter().copied());
        nets.flat_map(logic).for_each(|cell| missing[cell] += 1);
        // what only constants go into has no edges, but what reads it waits for it
        for (net, driver) in list.driver.iter().enumerate() {
            let still = driver.is_some_and(|(cell, _)| missing[cell] == 0) && self.arrivals[net][0].is_none();
            self.known.extend(still.then_some(net));
        }
        while let Some(net) = self.known.pop() {
            for cell in logic(net) {
                missing[cell] -= 1;
                if missing[cell] > 0 {
                    continue;
                }
                for (output, of) in list.pins(cell).filter(|(_, pin)| pin.output) {
                    let Some(to) = list.cells[cell].pins.get(output).copied() else {
                        continue;
                    };
                    of.through.iter().for_each(|arc| self.along(cell, arc, to));
                    self.known.push(to);
                }
            }
        }
    }

    /// Time that an end needs before the clock, and its name; nothing if it is no end.
    fn end(&self, load: &Load<'a>, edge: usize, transition: f64) -> Option<(f64, &'a str)> {
        let Some(cell) = load.cell else {
            return Some((OUTSIDE, load.pin));
        };
        let of = &self.list.cells[cell];
        if of.kind == MACRO {
            return (!self.list.is_clock(load)).then_some((MACRO_SETUP, of.name));
        }
        let setup = self.list.pin(cell, load.pin)?.setup.as_ref()?;
        let outputs = self.list.pins(cell).filter(|(_, pin)| pin.output);
        let mut names = outputs.filter_map(|(pin, _)| self.list.net_name(*of.pins.get(pin)?));
        Some((setup[edge].at(transition, 0.0), names.next().unwrap_or(of.name)))
    }

    fn slowest(&self) -> Option<Slowest> {
        let mut worst: Option<(f64, Event, &str)> = None;
        for (net, loads) in self.list.loads.iter().enumerate() {
            for (load, edge) in loads.iter().flat_map(|load| [(load, 0), (load, 1)]) {
                let Some((time, transition)) = self.at((net, edge), load) else {
                    continue;
                };
                let Some((needs, to)) = self.end(load, edge, transition) else {
                    continue;
                };
                if worst.is_none_or(|(worst, ..)| worst < time + needs) {
                    worst = Some((time + needs, (net, edge), to));
                }
            }
        }
        let (period, mut at, to) = worst?;
        let mut levels = 0;
        while let Some(before) = self.arrivals[at.0][at.1].and_then(|arrival| arrival.before) {
            (at, levels) = (before, levels + 1);
        }
        let driver = self.list.driver[at.0].map(|(cell, _)| self.list.cells[cell].name);
        let from = self.list.net_name(at.0).or(driver).unwrap_or("?");
        Some(Slowest {
            period,
            from: from.to_string(),
            to: to.to_string(),
            levels,
        })
    }
}

/// The slowest path of a netlist; nothing if it has none.
pub fn slowest(list: &Netlist) -> Option<Slowest> {
    let mut timing = Timing {
        list,
        arrivals: vec![[None; 2]; list.loads.len()],
        known: vec![],
    };
    timing.run();
    timing.slowest()
}

#[cfg(test)]
mod tests {
    use super::super::library::tests::{near, TINY};
    use super::super::library::Library;
    use super::*;
    use serde_json::{json, Value};

    /// A flip-flop, an inverter and a flip-flop behind it; `more` are cells beside, `out` the bits of an output.
    fn module(more: Value, out: &[u64]) -> Value {
        let register = |d: u64, q: u64| json!({"type": "DFF", "connections": {"CK": [1], "D": [d], "Q": [q]}});
        let mut cells = json!({
            "first": register(9, 2),
            "inverter": {"type": "INV", "connections": {"A": [2], "ZN": [3]}},
            "second": register(3, 4),
            "scope": {"type": "$scopeinfo", "connections": {}},
        });
        for (name, cell) in more.as_object().expect("cells") {
            cells[name] = cell.clone();
        }
        json!({
            "ports": {
                "clk": {"direction": "input", "bits": [1]},
                "in": {"direction": "input", "bits": [9]},
                "out": {"direction": "output", "bits": out},
            },
            "cells": cells,
            "netnames": {
                "u_a.from_q": {"bits": [2], "hide_name": 0},
                "u_b.u_c.longer_q": {"bits": [4], "hide_name": 0},
                "u_b.to_q": {"bits": [4], "hide_name": 0},
                "x": {"bits": [3], "hide_name": 1},
            },
        })
    }

    fn of(module: &Value) -> Slowest {
        let library = Library::read(TINY).expect("library");
        let list = Netlist::read(module, &library).expect("netlist");
        slowest(&list).expect("path")
    }

    #[test]
    fn a_path_between_registers_is_what_the_tables_say() {
        // The first register drives 2 + 2 fF when it rises: 0.34 ns, transition 0.06; the wire takes 0.1 kiloohms x 4 fF. The inverter
        // falls into 2 + 1 fF: 0.16 ns, transition 0.05; the wire takes 0.3 ps. A fall of 0.05 ns must be there 0.03 ns before.
        let found = of(&module(json!({}), &[]));
        assert!(near(found.period, 0.34 + 0.0004 + 0.16 + 0.0003 + 0.03), "{found:?}");
        assert_eq!(
            (found.from.as_str(), found.to.as_str(), found.levels),
            ("u_a.from_q", "u_b.to_q", 1)
        );
    }

    #[test]
    fn an_output_of_the_module_is_an_end_and_a_load() {
        // with two loads the wire is 6 fF: the inverter falls in 0.1 + 0.2 x 0.7, and half the wire's resistance drives half of it
        let found = of(&module(json!({}), &[3]));
        assert!(near(found.period, 0.3404 + 0.24 + 0.15 * 3e-3 + 0.1), "{found:?}");
        assert_eq!(found.to, "out");
    }

    #[test]
    fn a_macro_has_times_of_its_own() {
        let ram = json!({"type": MACRO, "connections": {"CLK": [1], "RADDR": [4, 4], "RDATA": [5, 6]}});
        let behind = json!({"type": "DFF", "connections": {"CK": [1], "D": [6], "Q": [7]}});
        let found = of(&module(json!({"u_ram": ram, "behind": behind}), &[]));
        // 0.6 ns, 0.3 ps of wire, and a rise of 0.05 ns must be there 0.05 ns before
        assert!(near(found.period, 0.6 + 0.0003 + 0.05), "{found:?}");
        assert_eq!((found.from.as_str(), found.levels), ("u_ram", 0));
    }

    #[test]
    fn an_input_of_constants_holds_nothing_up() {
        let cells = json!({
            "constant": {"type": "INV", "connections": {"A": ["1"], "ZN": [6]}},
            "behind": {"type": "INV", "connections": {"A": [6], "ZN": [7]}},
        });
        assert!(near(of(&module(cells, &[7])).period, 0.5307));
    }

    #[test]
    fn a_cell_that_is_in_no_library_is_named() {
        let library = Library::read(TINY).expect("library");
        let module = module(json!({"odd": {"type": "$lut", "connections": {}}}), &[]);
        assert_eq!(Netlist::read(&module, &library).err().as_deref(), Some("$lut"));
    }
}
