//! Literals at the width of their context.

use super::error::Fault;

/// Hexadecimal digits (without leading zeros) of a literal as RustHDL prints it: `32'hff`, `3'b101`.
fn digits(printed: &str) -> Option<String> {
    let (_, value) = printed.split_once('\'')?;
    let hex = match value.strip_prefix('h') {
        Some(hex) => hex.to_string(),
        None => format!("{:x}", u128::from_str_radix(value.strip_prefix('b')?, 2).ok()?),
    };
    if !hex.chars().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    let short = hex.trim_start_matches('0');
    Some(if short.is_empty() { "0".into() } else { short.into() })
}

/// The literal as text of exactly `width` bits: decimal below ten, hexadecimal above.
pub(super) fn sized(printed: &str, width: usize) -> Result<String, Fault> {
    let hex = digits(printed).ok_or(Fault::Signed)?;
    let top = hex.chars().next().and_then(|c| c.to_digit(16)).unwrap_or(0);
    let bits = 4 * (hex.len() - 1) + (u32::BITS - top.leading_zeros()) as usize;
    if bits > width {
        return Err(Fault::LiteralTooWide(printed.into(), width));
    }
    let decimal = hex.len() == 1 && top < 10;
    Ok(if decimal { format!("{width}'d{top}") } else { format!("{width}'h{hex}") })
}

/// The literal's value where it is small enough to be a position or a bound.
pub(super) fn small(printed: &str) -> Option<usize> {
    usize::from_str_radix(&digits(printed)?, 16).ok()
}

/// True for the one-bit literals `true` and `false`, the only ones that carry a width of their own.
pub(super) fn is_bool(printed: &str) -> bool {
    printed.starts_with("1'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_take_the_width_of_their_context() {
        assert_eq!(sized("32'h1", 16), Ok("16'd1".into()));
        assert_eq!(sized("32'h0ff", 8), Ok("8'hff".into()));
        assert_eq!(sized("3'b101", 70), Ok("70'd5".into()));
        assert_eq!(sized("32'h100", 8), Err(Fault::LiteralTooWide("32'h100".into(), 8)));
        assert_eq!(sized("32'h-5", 8), Err(Fault::Signed));
        assert_eq!(
            sized("128'hffffffffffffffffffffffffffffffff", 128).map(|x| x.len()),
            Ok(4 + 1 + 32)
        );
    }

    #[test]
    fn positions_are_plain_numbers() {
        assert_eq!(small("64'h20"), Some(32));
        assert_eq!(small("128'hffffffffffffffffffffffffffffffff"), None);
        assert!(is_bool("1'b1") && !is_bool("32'h1"));
    }
}
