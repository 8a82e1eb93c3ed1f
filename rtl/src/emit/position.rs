//! Positions of slices and bits: constants, signals, and arithmetic on `usize`.

use super::error::Fault;
use super::expr::{Name, Place, Scope};
use super::literal;
use super::reads::Reads;
use rust_hdl::core::ast::{VerilogExpression as Expr, VerilogOp as Op, VerilogOpUnary as UnaryOp};

/// Where a slice begins.
pub(super) enum Position {
    /// Known while emitting.
    Constant(usize),
    /// Known while running: text, and its width in bits.
    Running(String, usize),
}

impl Position {
    pub fn text(&self) -> String {
        match self {
            Position::Constant(at) => at.to_string(),
            Position::Running(text, _) => text.clone(),
        }
    }
}

/// Bits that hold the number.
fn bits_of(number: usize) -> usize {
    (usize::BITS - number.leading_zeros()).max(1) as usize
}

impl Scope<'_> {
    /// Value of an expression of literals and loop variables.
    pub fn constant(&self, e: &Expr) -> Option<usize> {
        match e {
            Expr::Literal(value) => literal::small(&value.to_string()),
            Expr::Paren(inner) => self.constant(inner),
            Expr::Signal(raw) => match self.resolve(raw).ok()? {
                Name::Number(value) => Some(value),
                Name::Place(_) | Name::State(_) => None,
            },
            Expr::Binary(left, op, right) => {
                let (left, right) = (self.constant(left)?, self.constant(right)?);
                match op {
                    Op::Add => left.checked_add(right),
                    Op::Sub => left.checked_sub(right),
                    Op::Mul => left.checked_mul(right),
                    Op::Shl => left.checked_shl(right as u32),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A position: `5`, `i * 32`, `select.index()`, `select.index() * 8 + 3`.
    pub fn position(&self, e: &Expr, reads: &mut Reads) -> Result<Position, Fault> {
        if let Some(at) = self.constant(e) {
            return Ok(Position::Constant(at));
        }
        let (text, width) = self.running(e, reads)?;
        Ok(Position::Running(text, width))
    }

    /// A running position, wide enough that nothing wraps, as `usize` does not.
    fn running(&self, e: &Expr, reads: &mut Reads) -> Result<(String, usize), Fault> {
        if let Some(number) = self.constant(e) {
            let width = bits_of(number);
            return Ok((format!("{width}'d{number}"), width));
        }
        match e {
            Expr::Paren(inner) => return self.running(inner, reads),
            // numbers of the datapath cannot be multiplied without a cast, so from here up everything is `usize`
            Expr::Binary(left, op @ (Op::Mul | Op::Add | Op::Sub), right) if counts_in_usize(e) => {
                let (left, right) = (self.running(left, reads)?, self.running(right, reads)?);
                let (symbol, width) = match op {
                    Op::Mul => ("*", left.1 + right.1),
                    Op::Add => ("+", left.1.max(right.1) + 1),
                    _ => ("-", left.1.max(right.1)),
                };
                let widen = |(text, own): (String, usize)| match width - own {
                    0 => text,
                    pad => format!("{{{pad}'d0, {text}}}"),
                };
                return Ok((format!("({} {symbol} {})", widen(left), widen(right)), width));
            }
            _ => {}
        }
        if ambiguous(e) {
            return Err(Fault::AmbiguousPosition(format!("{e:?}")));
        }
        let width = self.natural(e)?.ok_or_else(|| Fault::NoWidth(format!("{e:?}")))?;
        Ok((self.own(e, width, reads)?, width))
    }

    /// `width` bits of `e` from a position.
    pub fn select(&self, e: &Expr, at: &Expr, width: usize, reads: &mut Reads) -> Result<String, Fault> {
        let natural = self.natural(e)?.ok_or_else(|| Fault::NoWidth(format!("{e:?}")))?;
        let (text, position_width) = match self.position(at, reads)? {
            Position::Constant(at) => return self.slice(e, at, natural, width, reads),
            Position::Running(text, position_width) => (text, position_width),
        };
        let last = 1usize.checked_shl(position_width as u32).unwrap_or(usize::MAX) - 1;
        let inside = last.checked_add(width).is_some_and(|end| end <= natural);
        match self.plain(e)?.filter(|_| inside && natural > 1) {
            Some(place) => {
                let name = self.read(&place, reads);
                // a slice cannot be sliced again
                let whole = place.bits.len() == self.nets[&place.net].width();
                if name.ends_with(']') && !whole {
                    return self.shifted(e, natural, width, &text, reads);
                }
                Ok(if width == 1 { format!("{name}[{text}]") } else { format!("{name}[{text} +: {width}]") })
            }
            None => self.shifted(e, natural, width, &text, reads),
        }
    }

    /// `width` bits of `e` from a running position that a part select cannot take.
    fn shifted(&self, e: &Expr, natural: usize, width: usize, at: &str, reads: &mut Reads) -> Result<String, Fault> {
        let own = self.own(e, natural, reads)?;
        let value = match width.saturating_sub(natural) {
            0 => own,
            pad => format!("{{{pad}'d0, {own}}}"),
        };
        let shifted = format!("({value} >> {at})");
        Ok(if natural > width { format!("{width}'{shifted}") } else { shifted })
    }

    /// Bits `low` to `low + want - 1` of an expression of `width` bits; zeros beyond it.
    pub fn slice(&self, e: &Expr, low: usize, width: usize, want: usize, reads: &mut Reads) -> Result<String, Fault> {
        if let Expr::Paren(inner) = e {
            return self.slice(inner, low, width, want, reads);
        }
        if let Expr::Binary(inner, Op::Shr, by) = e {
            if let (Some(by), Some(_)) = (self.constant(by), self.plain(inner)?) {
                return self.slice(inner, low.saturating_add(by), width, want, reads);
            }
        }
        let available = width.saturating_sub(low).min(want);
        if available == 0 {
            return Ok(format!("{want}'d0"));
        }
        let part = match self.plain(e)? {
            Some(Place { net, bits }) => {
                let bits = bits.start + low..bits.start + low + available;
                self.read(&Place { net, bits }, reads)
            }
            None => {
                let own = self.own(e, width, reads)?;
                match (low, available == width) {
                    (0, true) => own,
                    (0, false) => format!("{available}'({})", without_outer_parentheses(&own)),
                    _ => format!("{available}'({own} >> {low})"),
                }
            }
        };
        Ok(if want > available { format!("{{{}'d0, {part}}}", want - available) } else { part })
    }
}

/// True if the arithmetic contains a product, which only `usize` has here.
fn counts_in_usize(e: &Expr) -> bool {
    match e {
        Expr::Paren(inner) => counts_in_usize(inner),
        Expr::Binary(_, Op::Mul, _) => true,
        Expr::Binary(left, Op::Add | Op::Sub, right) => counts_in_usize(left) || counts_in_usize(right),
        _ => false,
    }
}

/// True if the value depends on whether it is computed in `usize` or wraps at a signal's width.
fn ambiguous(e: &Expr) -> bool {
    match e {
        Expr::Paren(inner) => ambiguous(inner),
        Expr::Unary(UnaryOp::Not | UnaryOp::Neg, _) => true,
        Expr::Binary(_, Op::Add | Op::Sub | Op::Shl | Op::Mul, _) => true,
        Expr::Binary(left, Op::BitAnd | Op::BitOr | Op::BitXor, right) => ambiguous(left) || ambiguous(right),
        Expr::Binary(left, Op::Shr, _) => ambiguous(left),
        _ => false,
    }
}

/// `(a + b)` to `a + b`, where the first and the last parenthesis belong together.
pub(super) fn without_outer_parentheses(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else {
        return text;
    };
    let mut depth = 0i32;
    for c in inner.chars() {
        depth += (c == '(') as i32 - (c == ')') as i32;
        if depth < 0 {
            return text;
        }
    }
    inner
}
