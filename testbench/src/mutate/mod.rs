//! Mutation: [`source`] of the Rust source with a room's unit tests; here of emitted Verilog: how many small faults do the lockstep vectors of a top notice?
//!
//! A mutant is one changed operator, constant, condition, slice or inversion. It is noticed if any output differs from
//! RustHDL in any clock of the recorded run. One that is not must have a written reason: either it computes the same,
//! or it shows that the vectors are too weak.

mod points;
mod reasons;
pub mod source;
mod tops;
mod weave;

pub use points::{points, Kind, Point};
pub use reasons::{Reasons, ReasonsError};
pub use tops::{subject, Subject, SUBJECTS};
pub use weave::WeaveError;

use crate::verilated::vectors::Vectors;
use crate::verilated::{shared_object, Model, ModelError, Sources};
use hpcc_sim::parallel;
use rand::seq::SliceRandom;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Why a run could not be made.
#[derive(Debug, thiserror::Error)]
pub enum MutateError {
    /// The Verilog has a form that mutants cannot be woven into.
    #[error(transparent)]
    Weave(#[from] WeaveError),
    /// The model cannot be built.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The unchanged Verilog does not pass its own vectors.
    #[error("the unchanged Verilog differs from the vectors in clock {0}")]
    Baseline(usize),
}

/// One mutant and what became of it.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The change.
    pub point: Point,
    /// Lines before and after.
    pub lines: (String, String),
    /// Clock in which it was noticed.
    pub noticed: Option<usize>,
}

/// Draws `count` mutants of a top's sources, without repetition, from a seed.
pub fn draw(sources: &Sources, count: usize, seed: u64) -> Vec<Point> {
    let mut all: Vec<Point> = sources
        .files
        .iter()
        .flat_map(|(file, text)| points(file, text))
        .collect();
    all.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    all.truncate(count);
    all
}

/// Runs every mutant against the vectors; `progress` is told how many are done.
pub fn run(
    sources: &Sources,
    mutants: &[Point],
    vectors: &Vectors,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Outcome>, MutateError> {
    let woven = weave::weave(sources, mutants)?;
    let object = shared_object(&woven).map_err(ModelError::from)?;
    let select = |number: usize| -> Result<Option<usize>, ModelError> {
        let mut model = Model::load(&object, woven.ports.clone())?;
        model.set(weave::SELECT, number as u64);
        Ok(vectors.first_difference(&mut model))
    };
    if let Some(clock) = select(0)? {
        return Err(MutateError::Baseline(clock));
    }
    let done = AtomicUsize::new(0);
    let results = parallel::map(mutants.len(), |index| {
        let result = select(index + 1);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        result
    });
    let text = |file: &str| {
        sources
            .files
            .iter()
            .find(|(name, _)| name == file)
            .map_or("", |(_, text)| text.as_str())
    };
    let outcome = |(index, noticed): (usize, Result<Option<usize>, ModelError>)| {
        let point = mutants[index].clone();
        let lines = point.lines(text(&point.file));
        Ok(Outcome {
            point,
            lines,
            noticed: noticed?,
        })
    };
    results.into_iter().enumerate().map(outcome).collect()
}
