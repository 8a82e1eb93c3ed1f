//! `hpcc-nic formal`: proofs of the emitted Verilog's building blocks.

use crate::formal::{self, FormalError, Mutants, Outcome, Property, Task};
use hpcc_sim::cli::{progress, say, Failure};
use std::fmt::Write;

/// Prove the building blocks of the emitted Verilog
///
/// Properties and blocks are in testbench/formal; see the book's chapter on formal proofs. Exit code 1 if a property does not hold, a
/// cover statement is not reached or, with --mutants, a faulty block is not refuted. Yosys, SymbiYosys and the solver are installed under
/// target/ when first needed.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this block
    #[arg(long, value_name = "NAME")]
    block: Option<String>,
    /// Depth of induction, or clocks of bounded checks, instead of each block's own
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Instead of the proofs: show that faulty copies of the blocks are refuted
    #[arg(long)]
    mutants: bool,
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        let mut blocks = formal::blocks().map_err(Failure::input)?;
        if let Some(block) = &self.block {
            if !blocks.contains(block) {
                return Err(Failure::Input(format!(
                    "--block: expected one of {}",
                    blocks.join(", ")
                )));
            }
            blocks.retain(|name| name == block);
        }
        if self.mutants {
            return mutants(&blocks);
        }
        let tasks: Result<Vec<_>, _> = blocks.iter().map(|block| formal::tasks(block, self.depth)).collect();
        let tasks = tasks.map_err(Failure::input)?.concat();
        let outcomes = run(&tasks)?;
        say(&table(&outcomes))?;
        let failed: Vec<_> = outcomes.iter().filter(|outcome| outcome.status != "PASS").collect();
        match failed.first() {
            None => Ok(()),
            Some(first) => Err(Failure::Check(format!(
                "{} of {} tasks failed; again with: hpcc-nic formal --block {}",
                failed.len(),
                outcomes.len(),
                first.block
            ))),
        }
    }
}

fn run(tasks: &[Task]) -> Result<Vec<Outcome>, Failure> {
    let bar = progress("tasks");
    bar.set_length(tasks.len() as u64);
    let done = |_: &Outcome| bar.inc(1);
    let outcomes = formal::run(tasks, &done);
    bar.finish_and_clear();
    outcomes.map_err(check)
}

fn check(error: FormalError) -> Failure {
    Failure::Check(error.to_string())
}

fn mutants(blocks: &[String]) -> Result<(), Failure> {
    let mutants = Mutants::read().map_err(Failure::input)?;
    let wanted: Vec<_> = blocks.iter().flat_map(|block| mutants.of(block)).collect();
    let tasks: Result<Vec<_>, _> = wanted.iter().map(|mutant| mutant.task(true)).collect();
    let outcomes = run(&tasks.map_err(Failure::input)?)?;
    let mut text = format!(
        "{:<10} {:<58} {:<26} {:>7}\n",
        "block", "fault", "refuted by", "seconds"
    );
    for (mutant, outcome) in wanted.iter().zip(&outcomes) {
        let by = outcome.properties.iter().find(|property| property.failed);
        let by = by.map_or("NOT REFUTED", |property| property.name.as_str());
        let _ = writeln!(
            text,
            "{:<10} {:<58} {by:<26} {:>7.1}",
            mutant.block, mutant.about, outcome.seconds
        );
    }
    say(&text)?;
    let missed: Vec<_> = outcomes.iter().filter(|outcome| outcome.status != "FAIL").collect();
    match missed.first() {
        None => Ok(()),
        Some(first) => Err(Failure::Check(format!(
            "{} of {} faults were not refuted; first log: {}",
            missed.len(),
            outcomes.len(),
            first.log.display()
        ))),
    }
}

/// One line for every property; the time is that of the task, on its first line.
fn table(outcomes: &[Outcome]) -> String {
    let mut text = format!(
        "{:<10} {:<32} {:<18} {:<11} {:>7}\n",
        "block", "property", "method", "result", "seconds"
    );
    for outcome in outcomes {
        let mut seconds = format!("{:.1}", outcome.seconds);
        for property in &outcome.properties {
            let name = format!("{}{}", suffix(&outcome.task), property.name);
            let _ = writeln!(
                text,
                "{:<10} {name:<32} {:<18} {:<11} {seconds:>7}",
                outcome.block,
                outcome.method,
                result(outcome, property)
            );
            seconds.clear();
        }
        if outcome.status != "PASS" {
            let _ = writeln!(text, "{} {}: {}", outcome.block, outcome.task, outcome.status);
            let shown = outcome.trace.as_ref().unwrap_or(&outcome.log);
            let _ = writeln!(text, "  {}", shown.display());
        }
    }
    let seconds: f64 = outcomes.iter().map(|outcome| outcome.seconds).sum();
    let count = |cover: bool| {
        let all = outcomes.iter().flat_map(|outcome| &outcome.properties);
        all.filter(|property| property.cover == cover).count()
    };
    let _ = writeln!(
        text,
        "{} properties, {} cover statements, {seconds:.0} s of tasks",
        count(false),
        count(true)
    );
    text
}

/// Tasks beside the two that every block has prove the same of another size.
fn suffix(task: &str) -> String {
    match task {
        "prove" | "cover" => String::new(),
        other => format!("{other}: "),
    }
}

fn result(outcome: &Outcome, property: &Property) -> &'static str {
    match (outcome.status.as_str(), property.failed, property.cover) {
        ("PASS", _, false) => "holds",
        (_, false, true) => "reached",
        ("FAIL", true, false) => "REFUTED",
        (_, true, true) => "NOT REACHED",
        _ => "unknown",
    }
}
