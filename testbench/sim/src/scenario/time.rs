//! Times of a scenario.

const PS_PER_US: f64 = 1e6;

/// Microseconds of a scenario in ps.
pub(super) fn ps(us: f64, field: &str) -> Result<u64, String> {
    if us.is_finite() && (0.0..=1e9).contains(&us) {
        Ok((us * PS_PER_US).round() as u64)
    } else {
        Err(format!("{field}: expected 0 to 1e9 us, got {us}"))
    }
}
