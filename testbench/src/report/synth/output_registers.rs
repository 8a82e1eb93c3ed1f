//! The registers behind block RAMs taken into them, which Yosys leaves out for ECP5: a DP16KD answers in 4.3 ns by itself and in 0.7 ns with its output
//! register. A RAM whose read bits each drive one flip-flop and nothing else is the same circuit with that register, so cells are counted before.

use serde_json::{json, Map, Value};
use std::collections::HashMap;

/// Names the step in the key of a placement.
pub(super) const STEP: &str = "output registers of block RAMs";

/// A net by its place in the netlist; constants are text there.
type Net = u64;

fn text<'a>(cell: &'a Value, group: &str, name: &str) -> Option<&'a str> {
    cell[group][name].as_str().map(str::trim)
}

/// The only net of a pin.
fn net(cell: &Value, pin: &str) -> Option<Net> {
    cell["connections"][pin][0].as_u64()
}

/// A flip-flop without reset; its clock and enable as in the netlist.
fn register(cell: &Value) -> Option<(Value, Value)> {
    let plain = cell["type"] == "TRELLIS_FF"
        && text(cell, "parameters", "CLKMUX") == Some("CLK")
        && text(cell, "parameters", "REGSET") == Some("RESET")
        && cell["connections"]["LSR"][0] == "0"
        && cell["connections"].get("M").is_none();
    let enable = match text(cell, "parameters", "CEMUX")? {
        "1" => json!(["1"]),
        "CE" => cell["connections"]["CE"].clone(),
        _ => return None,
    };
    plain.then(|| (cell["connections"]["CLK"].clone(), enable))
}

/// Pins that read a net, as cell and pin.
type Readers = HashMap<Net, Vec<(String, String)>>;

fn readers(cells: &Map<String, Value>) -> Readers {
    let mut readers = Readers::new();
    for (name, cell) in cells {
        let pins = cell["connections"].as_object().into_iter().flatten();
        for (pin, nets) in pins.filter(|(pin, _)| cell["port_directions"][pin.as_str()] == "input") {
            for net in nets.as_array().into_iter().flatten().filter_map(Value::as_u64) {
                readers.entry(net).or_default().push((name.clone(), pin.clone()));
            }
        }
    }
    readers
}

/// What becomes of a RAM: its output pins with the flip-flop behind each, and their enable. Nothing if a register does not fit.
fn fits(cells: &Map<String, Value>, readers: &Readers, ram: &Value) -> Option<(Vec<(String, String)>, Value)> {
    let mut found = vec![];
    let mut enable: Option<Value> = None;
    for (pin, _) in ram["connections"]
        .as_object()?
        .iter()
        .filter(|(pin, _)| pin.starts_with("DO"))
    {
        let Some(users) = net(ram, pin).and_then(|net| readers.get(&net)) else {
            continue;
        };
        let [(name, at)] = users.as_slice() else { return None };
        let (clock, own) = register(&cells[name]).filter(|_| at == "DI")?;
        let clocks = ["CLKA", "CLKB"].map(|pin| &ram["connections"][pin]);
        if clocks.iter().any(|ram_clock| **ram_clock != clock) || enable.as_ref().is_some_and(|one| *one != own) {
            return None;
        }
        enable = Some(own);
        found.push((pin.clone(), name.clone()));
    }
    Some((found, enable?))
}

/// Takes registers into the RAMs of a flat netlist; the number of RAMs that got one.
pub(super) fn take_in(netlist: &mut Value, top: &str) -> usize {
    let Some(cells) = netlist["modules"][top]["cells"].as_object_mut() else {
        return 0;
    };
    let readers = readers(cells);
    let mut plans = vec![];
    for (name, ram) in cells.iter().filter(|(_, cell)| cell["type"] == "DP16KD") {
        if let Some((found, enable)) = fits(cells, &readers, ram) {
            plans.push((name.clone(), found, enable));
        }
    }
    for (ram, found, enable) in &plans {
        for (pin, name) in found {
            let out = cells.remove(name).map(|register| register["connections"]["Q"].clone());
            cells[ram]["connections"][pin] = out.unwrap_or_default();
        }
        for side in ["A", "B"] {
            cells[ram]["parameters"][format!("REGMODE_{side}")] = json!("OUTREG");
            cells[ram]["connections"][format!("OCE{side}")] = enable.clone();
        }
    }
    plans.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A RAM of two bits, each into a register of the enable given; `more` reads the second bit too.
    fn netlist(enables: [&str; 2], more: bool) -> Value {
        let register = |di: u64, q: u64, enable: &str| {
            json!({
                "type": "TRELLIS_FF",
                "parameters": {"CEMUX": if enable == "1" { "1 " } else { "CE" }, "CLKMUX": "CLK", "REGSET": "RESET"},
                "port_directions": {"CLK": "input", "DI": "input", "LSR": "input", "Q": "output", "CE": "input"},
                "connections": {"CLK": [1], "DI": [di], "LSR": ["0"], "Q": [q], "CE": [enable]},
            })
        };
        let mut cells = json!({
            "ram": {
                "type": "DP16KD",
                "parameters": {"REGMODE_A": "NOREG", "REGMODE_B": "NOREG"},
                "port_directions": {"CLKA": "input", "CLKB": "input", "DOB0": "output", "DOB1": "output", "DOB2": "output"},
                "connections": {"CLKA": [1], "CLKB": [1], "DOB0": [10], "DOB1": [11], "DOB2": [12]},
            },
            "first": register(10, 20, enables[0]),
            "second": register(11, 21, enables[1]),
        });
        if more {
            cells["lut"] = json!({"type": "LUT4", "port_directions": {"A": "input"}, "connections": {"A": [11]}});
        }
        json!({"modules": {"top": {"cells": cells}}})
    }

    #[test]
    fn registers_of_one_enable_go_into_the_ram() {
        for enable in ["1", "on"] {
            let mut list = netlist([enable; 2], false);
            assert_eq!(take_in(&mut list, "top"), 1);
            let cells = &list["modules"]["top"]["cells"];
            let ram = &cells["ram"];
            assert_eq!(
                (
                    ram["connections"]["DOB0"][0].as_u64(),
                    ram["connections"]["DOB1"][0].as_u64()
                ),
                (Some(20), Some(21))
            );
            assert_eq!(
                (&ram["parameters"]["REGMODE_B"], &ram["connections"]["OCEB"]),
                (&json!("OUTREG"), &json!([enable]))
            );
            assert!(cells.get("first").is_none() && cells.get("second").is_none());
        }
    }

    #[test]
    fn other_rams_stay() {
        for mut list in [netlist(["1", "on"], false), netlist(["1", "1"], true)] {
            let before = list.clone();
            assert_eq!(take_in(&mut list, "top"), 0);
            assert_eq!(list, before);
        }
    }
}
