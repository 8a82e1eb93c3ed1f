//! How much lower a number is than another one, beside how much lower the paper has it.

/// Part by which `ours` is below `theirs`, percent; negative: above.
pub fn reduction(ours: f64, theirs: f64) -> f64 {
    (1.0 - ours / theirs) * 100.0
}

/// A reduction agrees with the paper's if it has its sign and is within a factor of two.
pub fn agrees(ours: f64, paper: f64) -> bool {
    ours * paper > 0.0 && (paper.abs() / 2.0..=paper.abs() * 2.0).contains(&ours.abs())
}
