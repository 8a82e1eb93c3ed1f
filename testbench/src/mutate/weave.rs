//! All mutants in one model: each changed expression becomes a choice by an extra input `mutant`.
//!
//! Building 200 models would take most of an hour; one model with 200 choices takes seconds, and its mutant 0 is the original.

use super::points::Point;
use crate::verilated::Sources;
use hpcc_rtl::sim::Port;
use std::collections::BTreeMap;

/// Name of the selecting input.
pub(super) const SELECT: &str = "mutant";
const WIDTH: usize = 16;

/// Why a file cannot take the selecting input.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0}: no port `clk` beside which `mutant` could go")]
pub struct WeaveError(String);

/// Sources in which input `mutant` = n applies the n-th point, from one.
pub(super) fn weave(sources: &Sources, points: &[Point]) -> Result<Sources, WeaveError> {
    let mut woven = sources.clone();
    let mut by_line: BTreeMap<(&str, usize), Vec<(usize, &Point)>> = BTreeMap::new();
    for (i, point) in points.iter().enumerate() {
        by_line
            .entry((&point.file, point.line))
            .or_default()
            .push((i + 1, point));
    }
    for (file, text) in &mut woven.files {
        let mut out = String::with_capacity(text.len() * 2);
        let mut has_port = false;
        for (number, line) in text.lines().enumerate() {
            let changed = match by_line.get(&(file.as_str(), number + 1)) {
                Some(mutants) => choose(line, mutants),
                None => line.to_string(),
            };
            if is_clock_port(&changed) {
                has_port = true;
                out += &format!("  input  wire  [{}:0] {SELECT},\n", WIDTH - 1);
            }
            out += &changed.replace(".clk(clk)", &format!(".{SELECT}({SELECT}), .clk(clk)"));
            out.push('\n');
        }
        if !has_port && !text.contains("\nendpackage") {
            return Err(WeaveError(file.clone()));
        }
        *text = out;
    }
    let limb = sources.ports.iter().filter(|port| port.input).map(Port::limbs).sum();
    woven.ports.push(Port {
        name: SELECT.into(),
        width: WIDTH,
        input: true,
        limb,
    });
    Ok(woven)
}

/// Whether a line declares the input `clk`.
fn is_clock_port(line: &str) -> bool {
    let mut words = line.trim().trim_end_matches(',').split_whitespace();
    words.next() == Some("input") && words.next_back() == Some("clk")
}

/// The line with every region replaced by its choice.
fn choose(line: &str, mutants: &[(usize, &Point)]) -> String {
    let mut regions: BTreeMap<usize, (usize, String)> = BTreeMap::new();
    for (number, point) in mutants {
        let (start, end) = (point.region.start, point.region.end);
        let (_, choice) = regions.entry(start).or_insert_with(|| (end, String::new()));
        *choice += &format!("{SELECT} == {WIDTH}'d{number} ? ({}) : ", point.replacement);
    }
    let mut out = line.to_string();
    for (start, (end, choice)) in regions.into_iter().rev() {
        out.replace_range(start..end, &format!("({choice}({}))", &line[start..end]));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::points::points;
    use super::*;

    #[test]
    fn every_change_becomes_a_choice() {
        let text = "module m (\n  input  wire  clk,\n  output wire  y\n);\n  x u_x (\n    .clk(clk)\n  );\n  assign y = a & b;\nendmodule\n";
        let found = points("m.sv", text);
        let sources = Sources {
            top: "m".into(),
            files: vec![("m.sv".into(), text.into())],
            contracts: vec![],
            checked: false,
            ports: vec![],
            defines: vec![],
            trace: false,
            registered: false,
            optimise: 0,
        };
        let woven = weave(&sources, &found).expect("woven");
        assert!(woven.files[0]
            .1
            .contains("assign y = (mutant == 16'd1 ? (a | b) : (a & b));"));
        assert!(woven.files[0].1.contains(".mutant(mutant), .clk(clk)"));
        assert!(woven.files[0]
            .1
            .contains("input  wire  [15:0] mutant,\n  input  wire  clk,"));
        assert_eq!(woven.ports[0].name, "mutant");
    }
}
