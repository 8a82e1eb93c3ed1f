//! Expressions at the exact widths with which the RustHDL simulation computes.
//!
//! Rules, each held by a test in the test bench:
//! - every operand of `+ - & | ^ == < ..` is rendered at the wider operand's width, so neither Verilog's 32-bit
//!   literals nor the width of the assignment's target can widen it;
//! - a cast is a boundary: its operand is rendered at its own width inside `{}`, `N'()` or a part select;
//! - every operation is parenthesised, so Verilog's precedence never matters;
//! - a slice that may leave its operand is a shift, which reads zeros where a part select reads X;
//! - a product is as wide as its factors together.

use super::array::Arrays;
use super::collect::States;
use super::error::Fault;
use super::ident::{evaluate, identifier, with_indices};
use super::literal;
use super::reads::Reads;
use super::types::{Step, Type};
use rust_hdl::core::ast::{VerilogExpression as Expr, VerilogOp as Op, VerilogOpUnary as UnaryOp};
use std::collections::BTreeMap;
use std::ops::Range;

/// What the names in a block's description mean.
pub(super) struct Scope<'a> {
    /// Type of every signal that the block sees: its own and its children's ports.
    pub nets: &'a BTreeMap<String, Type>,
    pub states: &'a States,
    /// Loop variables of the turn being unrolled, innermost last.
    pub loops: Vec<(String, usize)>,
    /// Instance of the inlined block whose description this is; empty for the module's own.
    pub instance: &'a str,
    /// Signals that are items of one declaration.
    pub arrays: &'a Arrays,
    /// Inputs of inlined blocks that are nothing but another signal or a field of one: that one is written in their place.
    pub aliases: &'a BTreeMap<String, Place>,
}

/// Some bits of a signal: all of them, or a field.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub net: String,
    pub bits: Range<usize>,
}

/// What a path in the description stands for.
pub(super) enum Name {
    /// A signal or a field of one.
    Place(Place),
    /// A state.
    State(String),
    /// A loop variable's value.
    Number(usize),
}

/// Separates `x$val()$hop$ts` and `(x$next)$hop$ts` into the signal and the path into it.
fn signal_and_path(raw: &str) -> (&str, &str) {
    for end in ["$val()", "$next"] {
        for (at, _) in raw.match_indices(end) {
            let path = raw[at + end.len()..].trim_start_matches(')');
            if path.is_empty() || path.starts_with(['$', '[']) {
                return (raw[..at].trim_start_matches('('), path);
            }
        }
    }
    (raw, "")
}

impl Scope<'_> {
    /// Resolves `lane[i].x$next` and `lane[i].x$val()$hops[i]$ts`.
    pub fn resolve(&self, raw: &str) -> Result<Name, Fault> {
        if let Some((_, value)) = self.loops.iter().rev().find(|(name, _)| name == raw) {
            return Ok(Name::Number(*value));
        }
        let compact = raw.replace(' ', "");
        let (signal, path) = signal_and_path(&compact);
        let flat = identifier(&with_indices(signal, &self.loops)?);
        let net = match self.instance {
            "" => flat.clone(),
            instance => format!("{instance}_{flat}"),
        };
        if let Some(kind) = self.nets.get(&net) {
            let unknown = || Fault::UnknownSignal(raw.into());
            let (low, part) = kind.at(&self.steps(path)?).ok_or_else(unknown)?;
            let (net, low) = match self.aliases.get(&net) {
                Some(alias) => (alias.net.clone(), alias.bits.start + low),
                None => (net, low),
            };
            return Ok(Name::Place(Place {
                net,
                bits: low..low + part.width(),
            }));
        }
        // a state may be written with its module path: the last two words are type and state
        let last_two = raw.rsplit('$').take(2).collect::<Vec<_>>();
        let short = last_two.iter().rev().copied().collect::<Vec<_>>().join("_");
        [flat, short]
            .into_iter()
            .find(|name| self.states.contains_key(name))
            .map(Name::State)
            .ok_or_else(|| Fault::UnknownSignal(raw.into()))
    }

    /// `$hops[i + 1]$ts` as steps.
    fn steps(&self, path: &str) -> Result<Vec<Step>, Fault> {
        let mut steps = vec![];
        for part in path.split('$').filter(|part| !part.is_empty()) {
            let mut words = part.split('[');
            if let Some(field) = words.next().filter(|field| !field.is_empty()) {
                steps.push(Step::Field(field.into()));
            }
            for index in words {
                steps.push(Step::Item(evaluate(index.trim_end_matches(']'), &self.loops)?));
            }
        }
        Ok(steps)
    }

    /// Text of a place, and a note that it is read.
    pub fn read(&self, place: &Place, reads: &mut Reads) -> String {
        reads.add(&place.net, place.bits.clone());
        self.text(place)
    }

    /// Text of a place.
    pub fn text(&self, place: &Place) -> String {
        self.nets[&place.net].part(&self.arrays.text(&place.net), &place.bits)
    }

    /// The state that an expression is.
    pub fn state_of(&self, e: &Expr) -> Option<String> {
        match e {
            Expr::Paren(inner) => self.state_of(inner),
            Expr::Signal(raw) => match self.resolve(raw).ok()? {
                Name::State(name) => Some(name),
                _ => None,
            },
            _ => None,
        }
    }

    /// The kind or word of an expression that is nothing but a place or a value.
    pub fn named_type(&self, e: &Expr) -> Option<&Type> {
        let place = self.plain(e).ok()??;
        self.nets[&place.net]
            .exactly(&place.bits)
            .filter(|kind| kind.is_named())
    }

    /// Text of a state and its width.
    pub fn state(&self, name: &str, reads: &mut Reads) -> String {
        let state = &self.states[name];
        match &state.packaged {
            Some(value) => value.clone(),
            None => {
                reads.add(name, 0..state.width);
                name.into()
            }
        }
    }

    /// Width of an expression on its own; nothing for bare literals and loop variables.
    pub fn natural(&self, e: &Expr) -> Result<Option<usize>, Fault> {
        Ok(match e {
            Expr::Signal(raw) => match self.resolve(raw)? {
                Name::Place(place) => Some(place.bits.len()),
                Name::State(name) => Some(self.states[&name].width),
                Name::Number(_) => None,
            },
            Expr::Literal(value) => literal::is_bool(&value.to_string()).then_some(1),
            Expr::Cast(_, width) | Expr::Slice(_, width, _) => Some(*width),
            Expr::Paren(inner) | Expr::IndexReplace(inner, ..) => self.natural(inner)?,
            Expr::Unary(UnaryOp::Not | UnaryOp::Neg, inner) => self.natural(inner)?,
            Expr::Unary(..) | Expr::Index(..) => Some(1),
            Expr::Signed(_) | Expr::Unsigned(_) => return Err(Fault::Signed),
            Expr::Binary(left, op, right) => match op {
                Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::LogicalAnd | Op::LogicalOr => Some(1),
                Op::Shl | Op::Shr => self.natural(left)?,
                Op::Mul => self.natural(left)?.zip(self.natural(right)?).map(|(a, b)| a + b),
                Op::Add | Op::Sub | Op::BitXor | Op::BitAnd | Op::BitOr => self.wider(left, right)?,
            },
        })
    }

    fn wider(&self, left: &Expr, right: &Expr) -> Result<Option<usize>, Fault> {
        Ok(match (self.natural(left)?, self.natural(right)?) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        })
    }

    /// Renders at exactly `want` bits: extended with zeros, or cut.
    pub fn at(&self, e: &Expr, want: usize, reads: &mut Reads) -> Result<String, Fault> {
        match e {
            Expr::Paren(inner) => return self.at(inner, want, reads),
            Expr::Signal(raw) => {
                if let Name::Number(value) = self.resolve(raw)? {
                    return literal::sized(&format!("64'h{value:x}"), want);
                }
            }
            _ => {}
        }
        match self.natural(e)? {
            None => self.own(e, want, reads),
            Some(width) if width == want => self.own(e, width, reads),
            Some(width) if width < want => Ok(format!("{{{}'d0, {}}}", want - width, self.own(e, width, reads)?)),
            Some(width) => self.cut(e, width, want, reads),
        }
    }

    /// The lower `want` bits of an expression of `width` bits.
    fn cut(&self, e: &Expr, width: usize, want: usize, reads: &mut Reads) -> Result<String, Fault> {
        self.slice(e, 0, width, want, reads)
    }

    /// Renders at its natural width `width` as one self-contained term.
    pub fn own(&self, e: &Expr, width: usize, reads: &mut Reads) -> Result<String, Fault> {
        match e {
            Expr::Signal(raw) => match self.resolve(raw)? {
                Name::Place(place) => Ok(self.read(&place, reads)),
                Name::State(name) => Ok(self.state(&name, reads)),
                Name::Number(value) => literal::sized(&format!("64'h{value:x}"), width),
            },
            Expr::Paren(inner) => self.own(inner, width, reads),
            Expr::Literal(value) => literal::sized(&value.to_string(), width),
            Expr::Cast(inner, width) => match self.natural(inner)? {
                Some(natural) if natural > *width => self.cut(inner, natural, *width, reads),
                _ => self.at(inner, *width, reads),
            },
            Expr::Signed(_) | Expr::Unsigned(_) => Err(Fault::Signed),
            Expr::Unary(op, inner) => {
                let own = self.natural(inner)?.unwrap_or(width);
                let op = match op {
                    UnaryOp::Not => "~",
                    UnaryOp::Neg => "-",
                    UnaryOp::All => "&",
                    UnaryOp::Any => "|",
                    UnaryOp::Xor => "^",
                };
                Ok(format!("({op}{})", self.own(inner, own, reads)?))
            }
            Expr::Index(inner, at) => self.select(inner, at, 1, reads),
            Expr::Slice(inner, width, at) => self.select(inner, at, *width, reads),
            Expr::IndexReplace(inner, at, bit) => {
                let at = self.position(at, reads)?.text();
                let (value, bit) = (self.own(inner, width, reads)?, self.at(bit, width, reads)?);
                Ok(format!("(({value} & ~({width}'d1 << {at})) | ({bit} << {at}))"))
            }
            Expr::Binary(left, op, right) => self.binary(left, op, right, width, reads),
        }
    }

    fn binary(&self, left: &Expr, op: &Op, right: &Expr, width: usize, reads: &mut Reads) -> Result<String, Fault> {
        let (symbol, operands) = match op {
            Op::Shl | Op::Shr => {
                let shifted = self.own(left, self.natural(left)?.unwrap_or(width), reads)?;
                let distance = match (self.constant(right), self.natural(right)?) {
                    (Some(by), _) => by.to_string(),
                    (None, Some(natural)) => self.own(right, natural, reads)?,
                    (None, None) => return Err(Fault::NoWidth(format!("{right:?}"))),
                };
                return Ok(format!(
                    "({shifted} {} {distance})",
                    if matches!(op, Op::Shl) { "<<" } else { ">>" }
                ));
            }
            Op::Mul => ("*", width),
            Op::LogicalAnd => ("&", 1),
            Op::LogicalOr => ("|", 1),
            Op::Add => ("+", self.wider(left, right)?.unwrap_or(width)),
            Op::Sub => ("-", self.wider(left, right)?.unwrap_or(width)),
            Op::BitXor => ("^", self.wider(left, right)?.unwrap_or(width)),
            Op::BitAnd => ("&", self.wider(left, right)?.unwrap_or(width)),
            Op::BitOr => ("|", self.wider(left, right)?.unwrap_or(width)),
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                let symbol = match op {
                    Op::Eq => "==",
                    Op::Ne => "!=",
                    Op::Lt => "<",
                    Op::Le => "<=",
                    Op::Gt => ">",
                    _ => ">=",
                };
                // two bare numbers are compared as the 64-bit integers they are in Rust
                (symbol, self.wider(left, right)?.unwrap_or(64))
            }
        };
        Ok(format!(
            "({} {symbol} {})",
            self.at(left, operands, reads)?,
            self.at(right, operands, reads)?
        ))
    }

    /// The place behind parentheses and constant slices, if the expression is nothing but a part of a signal.
    pub fn plain(&self, e: &Expr) -> Result<Option<Place>, Fault> {
        let (inner, at, width) = match e {
            Expr::Paren(inner) => return self.plain(inner),
            Expr::Signal(raw) => {
                return Ok(match self.resolve(raw)? {
                    Name::Place(place) => Some(place),
                    Name::State(_) | Name::Number(_) => None,
                })
            }
            Expr::Slice(inner, width, at) => (inner, at, *width),
            Expr::Index(inner, at) => (inner, at, 1),
            _ => return Ok(None),
        };
        let place = self.plain(inner)?.zip(self.constant(at));
        Ok(place.and_then(|(Place { net, bits }, at)| {
            let bits = bits.start + at..bits.start + at + width;
            (at + width <= self.plain_width(inner)).then_some(Place { net, bits })
        }))
    }

    fn plain_width(&self, e: &Expr) -> usize {
        self.natural(e).ok().flatten().unwrap_or(0)
    }
}
