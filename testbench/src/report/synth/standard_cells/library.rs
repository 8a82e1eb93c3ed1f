//! What static timing needs of a liberty file: capacitances, delay tables, setup times and a wire load. Units are those of the
//! file, for the library read here nanoseconds, femtofarads, kiloohms and square micrometres.

use super::liberty::Group;
use std::collections::BTreeMap;

/// Where a straight line through the two neighbours of `at` has it: index of the first and share of the second. Outside the
/// list the line of the last two goes on.
fn between(list: &[f64], at: f64) -> (usize, f64) {
    if list.len() < 2 {
        return (0, 0.0);
    }
    let first = list.partition_point(|value| *value <= at).clamp(1, list.len() - 1) - 1;
    (first, (at - list[first]) / (list[first + 1] - list[first]))
}

/// A table over a transition and, in its columns, a load or another transition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    rows: Vec<f64>,
    columns: Vec<f64>,
    values: Vec<f64>,
}

impl Table {
    fn read(group: &Group) -> Option<Self> {
        let list = |name| group.numbers(name).unwrap_or_default();
        let table = Self {
            rows: list("index_1"),
            columns: list("index_2"),
            values: group.numbers("values")?,
        };
        let size = table.rows.len().max(1) * table.columns.len().max(1);
        (size == table.values.len()).then_some(table)
    }
    /// The value at a point, bilinear.
    pub fn at(&self, row: f64, column: f64) -> f64 {
        let width = self.columns.len().max(1);
        let ((r, down), (c, right)) = (between(&self.rows, row), between(&self.columns, column));
        let value = |r: usize, c: usize| self.values[r.min(self.rows.len().max(1) - 1) * width + c.min(width - 1)];
        let line = |r: usize| value(r, c) + right * (value(r, c + 1) - value(r, c));
        line(r) + down * (line(r + 1) - line(r))
    }
}

/// Two values, of the rising and of the falling edge.
pub type Edges<T> = [T; 2];

/// How a signal runs through a cell: from the pin `from`, edges of the output by edges of the input.
#[derive(Debug, Clone, PartialEq)]
pub struct Arc {
    /// Input pin, or the clock.
    pub from: String,
    /// Whether the output rises with a rising input, and whether it falls with one.
    pub sense: [bool; 2],
    /// Delay over the input's transition and the load.
    pub delay: Edges<Table>,
    /// Transition of the output.
    pub transition: Edges<Table>,
}

/// A pin.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pin {
    /// Load that an input is.
    pub capacitance: Edges<f64>,
    /// Ways to an output through logic.
    pub through: Vec<Arc>,
    /// Ways from the rising clock to an output.
    pub clocked: Vec<Arc>,
    /// Time that an input must be there before the clock, over its transition and the clock's.
    pub setup: Option<Edges<Table>>,
    /// Whether a way through logic begins here.
    pub logic: bool,
    /// Whether it drives.
    pub output: bool,
    /// Whether it is a clock.
    pub clock: bool,
}

/// A cell.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// Area.
    pub area: f64,
    /// Pins by name.
    pub pins: BTreeMap<String, Pin>,
}

/// Statistical wire: its length by the number of loads.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wire {
    capacitance: f64,
    resistance: f64,
    slope: f64,
    lengths: Vec<(f64, f64)>,
}

impl Wire {
    fn read(group: &Group) -> Option<Self> {
        let lengths = group.lists.iter().filter(|(name, _)| name == "fanout_length");
        let pair = |texts: &Vec<String>| Some((texts.first()?.parse().ok()?, texts.get(1)?.parse().ok()?));
        Some(Self {
            capacitance: group.number("capacitance")?,
            resistance: group.number("resistance")?,
            slope: group.number("slope")?,
            lengths: lengths.map(|(_, texts)| pair(texts)).collect::<Option<_>>()?,
        })
    }
    fn length(&self, loads: usize) -> f64 {
        let loads = loads as f64;
        let after = self.lengths.partition_point(|(count, _)| *count < loads);
        match (after.checked_sub(1).map(|at| self.lengths[at]), self.lengths.get(after)) {
            (Some((low, short)), Some((high, long))) => short + (loads - low) / (high - low) * (long - short),
            (Some((last, length)), None) => length + (loads - last) * self.slope,
            (None, Some((_, length))) => *length,
            (None, None) => 0.0,
        }
    }
    /// Capacitance of the wire to so many loads.
    pub fn load(&self, loads: usize) -> f64 {
        self.capacitance * self.length(loads)
    }
    /// Delay to each of the loads, a branch of the same length to each. In picoseconds at first.
    pub fn delay(&self, loads: usize, pin: f64) -> f64 {
        let branches = loads.max(1) as f64;
        let (resistance, capacitance) = (self.resistance * self.length(loads), self.load(loads));
        resistance / branches * (capacitance / branches + pin) * 1e-3
    }
}

/// A library.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Library {
    /// Cells by name.
    pub cells: BTreeMap<String, Cell>,
    /// The wire load that the library names as its default.
    pub wire: Wire,
}

fn edges(group: &Group, kinds: Edges<&str>) -> Option<Edges<Table>> {
    let table = |kind| group.of(kind).find_map(Table::read);
    // a pin that only ever rises or falls has one table
    let (rise, fall) = (table(kinds[0]), table(kinds[1]));
    Some([rise.clone().or(fall.clone())?, fall.or(rise)?])
}

fn arc(timing: &Group) -> Option<Arc> {
    Some(Arc {
        from: timing.text("related_pin").to_string(),
        sense: match timing.text("timing_sense") {
            "positive_unate" => [true, false],
            "negative_unate" => [false, true],
            _ => [true, true],
        },
        delay: edges(timing, ["cell_rise", "cell_fall"])?,
        transition: edges(timing, ["rise_transition", "fall_transition"])?,
    })
}

fn pin(group: &Group) -> Pin {
    let capacitance = group.number("capacitance").unwrap_or(0.0);
    let of = |wanted: &'static [&'static str]| {
        let timings = group.of("timing");
        timings.filter(move |timing| wanted.contains(&timing.text("timing_type")))
    };
    Pin {
        capacitance: ["rise_capacitance", "fall_capacitance"].map(|name| group.number(name).unwrap_or(capacitance)),
        through: of(&["", "combinational"]).filter_map(arc).collect(),
        clocked: of(&["rising_edge"]).filter_map(arc).collect(),
        setup: of(&["setup_rising"]).find_map(|timing| edges(timing, ["rise_constraint", "fall_constraint"])),
        logic: false,
        output: group.text("direction") == "output",
        clock: group.text("clock") == "true",
    }
}

impl Library {
    /// Reads the text of a liberty file; nothing if it is none or lacks its default wire load.
    pub fn read(text: &str) -> Option<Self> {
        let file = Group::read(text);
        let library = file.of("library").next()?;
        let name = library.text("default_wire_load");
        let wire = library.of("wire_load").find(|wire| wire.name() == name)?;
        let cell = |group: &Group| {
            let pins = group.of("pin").map(|of| (of.name().to_string(), pin(of)));
            let mut pins: BTreeMap<String, Pin> = pins.collect();
            let arcs = pins.values().flat_map(|pin| &pin.through);
            for from in arcs.map(|arc| arc.from.clone()).collect::<Vec<_>>() {
                pins.entry(from).and_modify(|pin| pin.logic = true);
            }
            Cell {
                area: group.number("area").unwrap_or(0.0),
                pins,
            }
        };
        Some(Self {
            cells: library.of("cell").map(|of| (of.name().to_string(), cell(of))).collect(),
            wire: Wire::read(wire)?,
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An inverter and a flip-flop, with tables that can be computed in the head.
    pub const TINY: &str = r#"/* comment { */
library (tiny) {
  default_wire_load : "typical";
  define (drive, cell, float);
  wire_load ("other") { capacitance : 9; resistance : 9; slope : 9; fanout_length (1, 9); }
  wire_load ("typical") {
    capacitance : 2.0; resistance : 0.1; slope : 3.0;
    fanout_length (1, 1.0);
    fanout_length (3, 5.0);
  }
  cell (INV) {
    area : 1.5;
    pin (A) { direction : input; capacitance : 2.0; fall_capacitance : 1.0; }
    pin (ZN) {
      direction : output;
      timing () {
        related_pin : "A"; timing_sense : negative_unate;
        cell_rise (t) { index_1 ("0.0,0.1"); index_2 ("0.0,10.0"); values ("0.10,0.20", \
                        "0.12,0.22"); }
        cell_fall (t) { index_1 ("0.0,0.1"); index_2 ("0.0,10.0"); values ("0.10,0.30", "0.10,0.30"); }
        rise_transition (scalar) { values ("0.03"); }
        fall_transition (scalar) { values ("0.05"); }
      }
    }
  }
  cell (DFF) {
    area : 4.5;
    pin (CK) { direction : input; clock : true; capacitance : 1.0; }
    pin (D) {
      direction : input; capacitance : 1.0;
      timing () { related_pin : "CK"; timing_type : hold_rising; rise_constraint (scalar) { values ("9"); } }
      timing () {
        related_pin : "CK"; timing_type : setup_rising;
        rise_constraint (s) { index_1 ("0.0,0.1"); index_2 ("0.0,0.1"); values ("0.04,0.04", "0.06,0.06"); }
        fall_constraint (s) { index_1 ("0.0,0.1"); index_2 ("0.0,0.1"); values ("0.02,0.02", "0.04,0.04"); }
      }
    }
    pin (Q) {
      direction : output;
      timing () {
        related_pin : "CK"; timing_type : rising_edge; timing_sense : non_unate;
        cell_rise (t) { index_1 ("0.0,0.1"); index_2 ("0.0,10.0"); values ("0.30,0.40", "0.3,0.4"); }
        cell_fall (t) { index_1 ("0.0,0.1"); index_2 ("0.0,10.0"); values ("0.20,0.40", "0.2,0.4"); }
        rise_transition (t) { index_1 ("0.0,0.1"); index_2 ("0.0,10.0"); values ("0.02,0.12", "0.02,0.12"); }
        fall_transition (t) { index_1 ("0.0,0.1"); index_2 ("0.0,10.0"); values ("0.01,0.11", "0.01,0.11"); }
      }
    }
  }
}
"#;

    pub fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn cells_pins_and_arcs_are_read() {
        let library = Library::read(TINY).expect("library");
        let names: Vec<_> = library.cells.keys().map(String::as_str).collect();
        assert_eq!(names, ["DFF", "INV"]);
        let (inverter, register) = (&library.cells["INV"], &library.cells["DFF"]);
        assert_eq!((inverter.area, inverter.pins["A"].capacitance), (1.5, [2.0, 1.0]));
        let out = &inverter.pins["ZN"];
        assert!(inverter.pins["A"].logic && !register.pins["D"].logic);
        assert!(out.output && out.clocked.is_empty() && out.through.len() == 1);
        assert_eq!(
            (out.through[0].from.as_str(), out.through[0].sense),
            ("A", [false, true])
        );
        assert!(register.pins["CK"].clock && !register.pins["D"].clock);
        assert!(register.pins["Q"].through.is_empty() && register.pins["Q"].clocked.len() == 1);
        // of the two constraints of D one is no setup
        let setup = register.pins["D"].setup.as_ref().expect("setup");
        assert!(near(setup[0].at(0.05, 0.0), 0.05) && near(setup[1].at(0.05, 0.0), 0.03));
        assert_eq!(Library::read("library (empty) { }"), None);
    }

    #[test]
    fn tables_are_read_between_their_points_and_beyond() {
        let library = Library::read(TINY).expect("library");
        let delay = &library.cells["INV"].pins["ZN"].through[0].delay[0];
        for (row, column, expected) in [
            (0.0, 0.0, 0.10),
            (0.1, 10.0, 0.22),
            (0.05, 5.0, 0.16),
            (0.04, 7.0, 0.178),
            (0.2, 20.0, 0.34),
            (-0.1, 0.0, 0.08),
        ] {
            assert!(near(delay.at(row, column), expected), "{row} {column}");
        }
        let scalar = &library.cells["INV"].pins["ZN"].through[0].transition[1];
        assert_eq!(scalar.at(0.7, 3.0), 0.05);
    }

    #[test]
    fn wires_grow_with_their_loads() {
        let wire = Library::read(TINY).expect("library").wire;
        for (loads, expected) in [(0, 2.0), (1, 2.0), (2, 6.0), (3, 10.0), (5, 22.0)] {
            assert!(near(wire.load(loads), expected), "{loads}");
        }
        // half of 0.3 kiloohms, behind it half of 6 femtofarads and a pin of 1
        assert!(near(wire.delay(2, 1.0), 0.15 * 4.0 * 1e-3));
    }
}
