//! `hpcc-nic alloc`: max-min shares of a bottleneck-flow graph in a JSON file.

use hpcc_models::alloc::{exact, Flow, Graph, INFINITE};
use hpcc_sim::cli::{create_file, say, Failure};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::io::Write;
use std::path::PathBuf;

/// Solve a bottleneck-flow graph: the max-min fair share of every flow, exact, rounded down to bit/s
///
/// FILE.json: {"bottlenecks": [capacity in bit/s, ...], "flows": [{"demand": bit/s, or null for no limit, "path": [index of a
/// bottleneck, ...]}, ...]}; a fraction of a bit/s is rounded. Printed: {"shares": [bit/s, ...]} in the order of the flows.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The graph
    #[arg(value_name = "FILE.json")]
    graph: PathBuf,
    /// Write the shares to a file instead of the screen
    #[arg(long, value_name = "OUT.json")]
    out: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `bottlenecks` and `flows`")]
struct Input {
    bottlenecks: Vec<Rate>,
    flows: Vec<InputFlow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `demand` and `path`")]
struct InputFlow {
    /// An own function: without it a missing demand would pass for null.
    #[serde(deserialize_with = "demand")]
    demand: Option<Rate>,
    path: Vec<Whole>,
}

fn demand<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Rate>, D::Error> {
    Option::deserialize(input)
}

/// A rate in bit/s. A fraction, as a program that computes in floating point writes it, is rounded to a whole bit/s.
#[derive(Clone, Copy)]
struct Rate(u64);

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(RateVisitor)
    }
}

struct RateVisitor;

impl Visitor<'_> for RateVisitor {
    type Value = Rate;

    fn expecting(&self, text: &mut std::fmt::Formatter) -> std::fmt::Result {
        text.write_str("bit/s from 0 to 18446744073709551615")
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Rate, E> {
        Ok(Rate(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Rate, E> {
        Err(E::invalid_value(Unexpected::Signed(value), &self))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Rate, E> {
        match (0.0..f64::from(64).exp2()).contains(&value) {
            true => Ok(Rate(value.round() as u64)),
            false => Err(E::invalid_value(Unexpected::Float(value), &self)),
        }
    }
}

/// A whole number, however JSON writes it: `10.0` is whole.
#[derive(Clone, Copy)]
struct Whole(u64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(WholeVisitor)
    }
}

struct WholeVisitor;

impl Visitor<'_> for WholeVisitor {
    type Value = Whole;

    fn expecting(&self, text: &mut std::fmt::Formatter) -> std::fmt::Result {
        text.write_str("a whole number from 0 to 18446744073709551615")
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Whole, E> {
        Ok(Whole(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Whole, E> {
        Err(E::invalid_value(Unexpected::Signed(value), &self))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Whole, E> {
        // from 2^53 on a fraction may have been rounded away
        let exact = value.fract() == 0.0 && (0.0..=f64::from(53).exp2()).contains(&value);
        match exact {
            true => Ok(Whole(value as u64)),
            false => Err(E::invalid_value(Unexpected::Float(value), &self)),
        }
    }
}

#[derive(Serialize)]
struct Output {
    shares: Vec<u64>,
}

fn read(text: &str) -> Result<Graph, String> {
    let input: Input = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let capacities: Vec<u64> = input.bottlenecks.iter().map(|capacity| capacity.0).collect();
    if let Some(at) = capacities.iter().position(|&c| c == INFINITE) {
        return Err(format!("bottlenecks[{at}]: expected less than {INFINITE} bit/s"));
    }
    let flow = |f: InputFlow| Flow {
        demand: f.demand.map_or(INFINITE, |demand| demand.0),
        // an index that no machine word holds is out of range in any case
        path: f
            .path
            .iter()
            .map(|index| usize::try_from(index.0).unwrap_or(usize::MAX))
            .collect(),
    };
    Graph::new(capacities, input.flows.into_iter().map(flow).collect()).map_err(|e| e.to_string())
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        let named = |path: &PathBuf, error: String| Failure::Input(format!("{}: {error}", path.display()));
        let text = std::fs::read_to_string(&self.graph).map_err(|e| named(&self.graph, e.to_string()))?;
        let graph = read(&text).map_err(|e| named(&self.graph, e))?;
        let out = self.out.as_deref().map(create_file).transpose()?;
        let shares = exact::solve(&graph);
        let mut line = serde_json::to_string(&Output { shares }).map_err(Failure::input)?;
        line.push('\n');
        match (out, &self.out) {
            (Some(mut out), Some(path)) => {
                let written = out.write_all(line.as_bytes()).and_then(|()| out.flush());
                written.map_err(|e| named(path, e.to_string()))
            }
            _ => say(&line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_and_bad_graphs() {
        let graph = read(
            r#"{"bottlenecks": [10, 6, 2], "flows": [{"demand": null, "path": [0, 1]}, {"demand": 1, "path": [0, 1]},
            {"demand": null, "path": [0, 2]}]}"#,
        )
        .expect("a valid graph");
        assert_eq!(exact::solve(&graph), [5, 1, 2]);
        let written_otherwise = read(r#"{"bottlenecks": [1e9], "flows": [{"demand": 5.0, "path": [0.0]}]}"#);
        assert_eq!(exact::solve(&written_otherwise.expect("whole numbers")), [5]);
        let fractions = read(r#"{"bottlenecks": [1e19], "flows": [{"demand": 1234567.5, "path": [0]}]}"#);
        assert_eq!(exact::solve(&fractions.expect("rates")), [1_234_568]);
        let one_flow = |flow: &str| format!(r#"{{"bottlenecks": [10], "flows": [{flow}]}}"#);
        for (text, expected) in [
            (
                one_flow(r#"{"demand": 1, "path": [1]}"#),
                "flows[0].path[0]: expected a bottleneck below 1",
            ),
            (
                one_flow(r#"{"demand": 1, "path": [0, 0]}"#),
                "flows[0].path[1]: expected each bottleneck once",
            ),
            (
                one_flow(r#"{"demand": 1, "path": []}"#),
                "flows[0].path: expected at least one",
            ),
            (
                one_flow(r#"{"demand": -1, "path": [0]}"#),
                "invalid value: integer `-1`",
            ),
            (one_flow(r#"{"demand": 1, "path": [0.5]}"#), "floating point `0.5`"),
            (one_flow(r#"{"path": [0]}"#), "missing field `demand`"),
            (
                one_flow(r#"{"demand": 1, "path": [0], "demand": 2}"#),
                "duplicate field `demand`",
            ),
            (
                one_flow(r#"{"demand": 1, "path": [0], "rate": 2}"#),
                "unknown field `rate`",
            ),
            (
                r#"{"bottlenecks": [-5], "flows": []}"#.into(),
                "invalid value: integer `-5`",
            ),
            (r#"{"bottlenecks": [-1e-9], "flows": []}"#.into(), "floating point"),
            (
                r#"{"bottlenecks": [1e20], "flows": []}"#.into(),
                "expected bit/s from 0 to",
            ),
            ("[]".into(), "expected an object with `bottlenecks` and `flows`"),
            (r#"{"bottlenecks": [1], "flows": []} x"#.into(), "trailing characters"),
            (r#"{"bottlenecks": [1]}"#.into(), "missing field `flows`"),
            (
                r#"{"bottlenecks": [18446744073709551615], "flows": []}"#.into(),
                "bottlenecks[0]",
            ),
            (String::new(), "EOF"),
        ] {
            let error = read(&text).expect_err(&text);
            assert!(error.contains(expected) && !error.contains('\n'), "{text}: {error}");
        }
    }
}
