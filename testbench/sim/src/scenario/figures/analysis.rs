//! What an analysis gives: figures and findings.

use crate::plan::Finding;
use crate::plot::Figure;

/// What the analysis of a scenario gives.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// Figures to draw.
    pub figures: Vec<Figure>,
    /// Findings.
    pub findings: Vec<Finding>,
    /// Queue, rate, window and slowdown of a scenario whose figure shows something else; for the page of the run.
    pub overview: Vec<Figure>,
}
