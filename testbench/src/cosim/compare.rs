//! Relative errors of one model against another over all rows.

use super::replay::Seen;

/// Distribution of a relative error over the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 99th percentile (nearest rank).
    pub p99: f64,
    /// Largest.
    pub max: f64,
    /// Row of the largest, from 0.
    pub worst_row: usize,
}

impl Errors {
    /// Of errors in the order of the rows.
    pub fn of(errors: &[f64]) -> Self {
        if errors.is_empty() {
            return Self::default();
        }
        let mut sorted = errors.to_vec();
        sorted.sort_by(f64::total_cmp);
        let rank = |share: f64| sorted[((share * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len()) - 1];
        let max = sorted[sorted.len() - 1];
        Self {
            mean: errors.iter().sum::<f64>() / errors.len() as f64,
            p50: rank(0.5),
            p99: rank(0.99),
            max,
            worst_row: errors.iter().position(|&error| error == max).unwrap_or(0),
        }
    }
}

/// How closely a model has to follow its reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expected {
    /// Relative error of `U` and `W` at most this; larger is a divergence worth showing.
    Within(f64),
    /// Every value equal; anything else is a failure.
    Exact,
}

/// One model against another.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The model.
    pub model: &'static str,
    /// What it is compared with.
    pub reference: &'static str,
    /// How closely it has to follow.
    pub expected: Expected,
    /// Relative error of `U`.
    pub u: Errors,
    /// Relative error of `W`.
    pub w: Errors,
    /// Rows on which both show a branch and the branches differ.
    pub branches: Option<usize>,
    /// Rows on which both show a stage and the stages differ.
    pub stages: Option<usize>,
    /// Rows that are not equal in every value that both show, or that one of the two ignored.
    pub mismatches: usize,
    /// First row that is not as expected, or that one of the two ignored; from 0.
    pub first_divergence: Option<usize>,
}

/// `|got - want| / |want|`; 0 when equal.
fn relative(got: f64, want: f64) -> f64 {
    if got == want {
        0.0
    } else {
        (got - want).abs() / want.abs()
    }
}

/// Whether both are shown and differ.
fn differ<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a != b)
}

/// Number of rows for which `test` holds, if `shown` holds on any.
fn count<'a>(
    pairs: &[(&'a Seen, &'a Seen)],
    shown: fn(&Seen, &Seen) -> bool,
    test: fn(&Seen, &Seen) -> bool,
) -> Option<usize> {
    let any = pairs.iter().any(|(a, b)| shown(a, b));
    any.then(|| pairs.iter().filter(|(a, b)| test(a, b)).count())
}

impl Comparison {
    /// Compares two runs of the same events.
    pub fn new(
        model: &'static str,
        reference: &'static str,
        expected: Expected,
        got: &[Option<Seen>],
        want: &[Option<Seen>],
    ) -> Self {
        let pairs: Vec<(&Seen, &Seen)> = got
            .iter()
            .zip(want)
            .filter_map(|(a, b)| Some((a.as_ref()?, b.as_ref()?)))
            .collect();
        let errors = |part: fn(&Seen) -> f64| {
            let errors: Vec<f64> = got
                .iter()
                .zip(want)
                .map(|pair| match pair {
                    (Some(a), Some(b)) => relative(part(a), part(b)),
                    (None, None) => 0.0,
                    _ => f64::INFINITY,
                })
                .collect();
            (Errors::of(&errors), errors)
        };
        let (u, each_u) = errors(|seen| seen.u);
        let (w, each_w) = errors(|seen| seen.w);
        let unequal = |pair: (&Option<Seen>, &Option<Seen>)| match pair {
            (Some(a), Some(b)) => {
                a.u != b.u
                    || a.w != b.w
                    || differ(a.wc, b.wc)
                    || differ(a.inc_stage, b.inc_stage)
                    || differ(a.branch, b.branch)
            }
            (None, None) => false,
            _ => true,
        };
        let unequal_rows: Vec<usize> = got
            .iter()
            .zip(want)
            .enumerate()
            .filter(|(_, pair)| unequal(*pair))
            .map(|(row, _)| row)
            .collect();
        Self {
            model,
            reference,
            expected,
            u,
            w,
            branches: count(
                &pairs,
                |a, b| a.branch.is_some() && b.branch.is_some(),
                |a, b| differ(a.branch, b.branch),
            ),
            stages: count(
                &pairs,
                |a, b| a.inc_stage.is_some() && b.inc_stage.is_some(),
                |a, b| differ(a.inc_stage, b.inc_stage),
            ),
            mismatches: unequal_rows.len(),
            first_divergence: match expected {
                Expected::Exact => unequal_rows.first().copied(),
                Expected::Within(bound) => each_u.iter().zip(&each_w).position(|(u, w)| *u > bound || *w > bound),
            },
        }
    }
}
