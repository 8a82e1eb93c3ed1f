//! A sentence of the paper "so many percent lower than another law's" beside what was measured, with its verdict.

use super::super::reduction::agrees;
use super::AS_PRINTED;
use crate::plan::Finding;

/// Fewer flows than this give no 99.9th percentile.
pub const ENOUGH: usize = 1_000;

/// How far a difference may lie on the other side of nothing, percent, and still be the known one: of the law as printed, and by its authors'
/// rules.
pub const fn known_within(printed: bool) -> f64 {
    if printed {
        150.0
    } else {
        30.0
    }
}

/// Whether a run is of the law as printed.
pub fn printed(law: &str) -> bool {
    !law.ends_with("authors")
}

/// A difference in words; below 0 the law's value is higher.
pub fn lower(percent: f64) -> String {
    format!(
        "{:.0} % {}",
        percent.abs(),
        if percent < 0.0 { "higher" } else { "lower" }
    )
}

/// What a sentence says and what was measured.
pub struct Compared {
    /// Name of the finding.
    pub name: String,
    /// The sentence.
    pub paper: String,
    /// The measurement in words.
    pub text: String,
    /// Fewest flows that a percentile of it rests on.
    pub flows: usize,
    /// Percent lower; below 0 higher.
    pub ours: f64,
    /// The same in the paper.
    pub wanted: f64,
    /// The law is the one as printed.
    pub printed: bool,
}

impl Compared {
    /// `ok` with the paper's sign and within a factor of two of its number; `reason` explains another number.
    pub fn finding(self, reason: &str) -> Finding {
        let same_sign = self.ours * self.wanted > 0.0;
        let reason = if self.printed && !same_sign { AS_PRINTED } else { reason };
        let known = same_sign || self.ours.abs() <= known_within(self.printed);
        self.finding_known(known, reason)
    }

    /// The same; another number is the known one, for that `reason`, if `known`.
    pub fn finding_known(self, known: bool, reason: &str) -> Finding {
        if self.flows < ENOUGH {
            let text = format!("{}; fewer than {ENOUGH} flows, no verdict", self.text);
            return Finding::note(&self.name, &self.paper, text);
        }
        let holds = agrees(self.ours, self.wanted);
        Finding::new(&self.name, &self.paper, self.text, holds)
            .within("the same direction, within a factor of two")
            .known_difference(known, reason)
    }
}

#[cfg(test)]
impl Compared {
    /// Something compared, for tests.
    pub fn example(ours: f64, wanted: f64, printed: bool, flows: usize) -> Self {
        Self {
            name: "x".into(),
            paper: "y".into(),
            text: "z".into(),
            flows,
            ours,
            wanted,
            printed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(ours: f64, wanted: f64, printed: bool, flows: usize) -> &'static str {
        Compared::example(ours, wanted, printed, flows)
            .finding("why")
            .verdict
            .word()
    }

    #[test]
    fn the_sign_and_a_factor_of_two_decide() {
        let ok = word(33.0, 33.0, false, ENOUGH);
        assert_eq!([16.5, 66.0].map(|ours| word(ours, 33.0, false, ENOUGH)), [ok; 2]);
        assert_eq!(word(-120.0, -60.0, true, ENOUGH), ok);
        let differs = word(16.4, 33.0, false, ENOUGH);
        assert_ne!(differs, ok);
        assert_eq!(word(-30.0, 33.0, false, ENOUGH), differs);
        assert_eq!(word(-150.0, 33.0, true, ENOUGH), differs);
        let failed = word(-31.0, 33.0, false, ENOUGH);
        assert!(failed != differs && failed == word(-151.0, 33.0, true, ENOUGH));
        let note = word(33.0, 33.0, false, ENOUGH - 1);
        assert!(![ok, differs, failed].contains(&note));
    }
}
