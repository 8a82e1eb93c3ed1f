//! Statements of a description as a small tree with finished expressions, and that tree as text.

use super::error::Fault;
use super::expr::{Name, Place, Scope};
use super::ident::identifier;
use super::literal;
use super::position::{without_outer_parentheses, Position};
use super::reads::Reads;
use super::types::{Type, PACKAGE};
use rust_hdl::core::ast::{
    VerilogBlockOrConditional as Otherwise, VerilogConditional, VerilogExpression as Expr, VerilogLink, VerilogMatch,
    VerilogStatement,
};
use std::ops::Range;

/// One statement.
#[derive(Debug, Clone)]
pub(super) enum Stmt {
    Assign {
        target: String,
        /// How the target is written.
        shown: String,
        /// Bits written where that is known; the whole signal for ordinary assignments.
        bits: Option<Range<usize>>,
        /// Field or part select of the target, empty for the whole signal.
        part: String,
        value: Value,
        /// The signal that is assigned, where the value is nothing else.
        wire: Option<Place>,
    },
    If(Vec<Arm>),
    Case {
        test: Value,
        arms: Vec<(String, Vec<Stmt>)>,
    },
    /// The turns of a loop from turn `from` on, each written out.
    Loop {
        from: usize,
        turns: Vec<Vec<Stmt>>,
    },
}

/// A finished expression.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub text: String,
    pub reads: Reads,
}

/// A branch; the last one may have no condition.
#[derive(Debug, Clone)]
pub(super) struct Arm {
    pub condition: Option<Value>,
    pub body: Vec<Stmt>,
}

/// A bare zero, of whatever width.
fn is_zero(e: &Expr) -> bool {
    match e {
        Expr::Paren(inner) | Expr::Cast(inner, _) => is_zero(inner),
        Expr::Literal(value) => literal::small(&value.to_string()) == Some(0),
        _ => false,
    }
}

impl Scope<'_> {
    /// Lowers a block of statements into `out`.
    pub fn lower(&mut self, block: &[VerilogStatement], out: &mut Vec<Stmt>) -> Result<(), Fault> {
        for statement in block {
            match statement {
                VerilogStatement::Assignment(target, value) => out.push(self.assignment(target, value)?),
                VerilogStatement::SliceAssignment {
                    base,
                    width,
                    offset,
                    replacement,
                } => {
                    out.push(self.slice_assignment(base, *width, offset, replacement)?);
                }
                VerilogStatement::If(conditional) => {
                    let mut arms = vec![];
                    self.conditional(conditional, &mut arms)?;
                    out.push(Stmt::If(arms));
                }
                VerilogStatement::Match(choice) => out.push(self.choice(choice)?),
                VerilogStatement::Loop(turn) => {
                    let (from, mut turns) = (turn.from.as_usize(), vec![]);
                    for i in from..turn.to.as_usize() {
                        self.loops.push((turn.index.clone(), i));
                        let mut body = vec![];
                        self.lower(&turn.block, &mut body)?;
                        turns.push(body);
                        self.loops.pop();
                    }
                    match turns.len() {
                        0 | 1 => out.extend(turns.into_iter().flatten()),
                        _ => out.push(Stmt::Loop { from, turns }),
                    }
                }
                VerilogStatement::Macro(block) => self.lower(block, out)?,
                VerilogStatement::Comment(_) => {}
                VerilogStatement::Link(links) => {
                    for link in links {
                        out.push(self.link(link)?);
                    }
                }
            }
        }
        Ok(())
    }

    fn target(&self, e: &Expr) -> Result<Place, Fault> {
        self.plain(e)?.ok_or_else(|| Fault::BadTarget(format!("{e:?}")))
    }

    fn value(&self, e: &Expr, width: usize) -> Result<Value, Fault> {
        let mut reads = Reads::default();
        let text = self.at(e, width, &mut reads)?;
        Ok(Value {
            text: without_outer_parentheses(&text).into(),
            reads,
        })
    }

    fn assignment(&self, target: &Expr, value: &Expr) -> Result<Stmt, Fault> {
        let place = self.target(target)?;
        self.assign_place(place, value)
    }

    /// A value as a place's type: what is no value of a kind yet is cast to it.
    fn typed(&self, place: &Place, e: &Expr) -> Result<(Value, bool), Fault> {
        let mut value = self.value(e, place.bits.len())?;
        let Some(Type::Kind(kind)) = self.nets[&place.net].exactly(&place.bits) else {
            return Ok((value, true));
        };
        let same = match self.named_type(e) {
            Some(Type::Kind(own)) => own == kind,
            _ => self.state_of(e).is_some_and(|name| kind.value(&name).is_some()),
        };
        if !same && is_zero(e) {
            value.text = kind.first();
        } else if !same {
            value.text = format!("{PACKAGE}::{}'({})", kind.name, value.text);
        }
        Ok((value, same))
    }

    fn assign_place(&self, place: Place, value: &Expr) -> Result<Stmt, Fault> {
        let (typed, same) = self.typed(&place, value)?;
        let whole =
            |place: &Place| place.bits.len() == self.nets[&place.net].width() || !self.text(place).ends_with(']');
        let wire = self
            .plain(value)?
            .filter(|from| same && from.bits.len() == place.bits.len() && whole(from));
        let shown = self.arrays.text(&place.net);
        let part = self.text(&place)[shown.len()..].to_string();
        Ok(Stmt::Assign {
            wire: wire.filter(|_| part.is_empty()),
            shown,
            target: place.net,
            bits: Some(place.bits),
            part,
            value: typed,
        })
    }

    fn slice_assignment(&self, base: &Expr, width: usize, offset: &Expr, value: &Expr) -> Result<Stmt, Fault> {
        let Place { net, bits } = self.target(base)?;
        let mut reads = Reads::default();
        match self.position(offset, &mut reads)? {
            Position::Constant(low) => {
                let bits = bits.start + low..bits.start + low + width;
                self.assign_place(Place { net, bits }, value)
            }
            Position::Running(text, _) => {
                let shown = self.arrays.text(&net);
                let part = format!(
                    "{}[{text} +: {width}]",
                    &self.text(&Place { net: net.clone(), bits })[shown.len()..]
                );
                let mut value = self.value(value, width)?;
                value.reads.merge(&reads);
                Ok(Stmt::Assign {
                    shown,
                    target: net,
                    bits: None,
                    part,
                    value,
                    wire: None,
                })
            }
        }
    }

    fn conditional(&mut self, c: &VerilogConditional, arms: &mut Vec<Arm>) -> Result<(), Fault> {
        let condition = Some(self.value(&c.test, 1)?);
        let mut body = vec![];
        self.lower(&c.then, &mut body)?;
        arms.push(Arm { condition, body });
        match &c.otherwise {
            Otherwise::Block(block) => {
                let mut body = vec![];
                self.lower(block, &mut body)?;
                arms.push(Arm { condition: None, body });
            }
            Otherwise::Conditional(next) => match &**next {
                VerilogStatement::If(next) => self.conditional(next, arms)?,
                other => {
                    let mut body = vec![];
                    self.lower(std::slice::from_ref(other), &mut body)?;
                    arms.push(Arm { condition: None, body });
                }
            },
            Otherwise::None => {}
        }
        Ok(())
    }

    fn choice(&mut self, choice: &VerilogMatch) -> Result<Stmt, Fault> {
        let width = self
            .natural(&choice.test)?
            .ok_or_else(|| Fault::NoWidth("match".into()))?;
        let mut test = self.value(&choice.test, width)?;
        let mut arms = vec![];
        for (i, case) in choice.cases.iter().enumerate() {
            let mut body = vec![];
            self.lower(&case.block, &mut body)?;
            // Rust checks that the arms cover everything, so the last one takes what is left
            let last = i + 1 == choice.cases.len();
            let label = match (case.condition.as_str(), last) {
                ("default", _) => "default".to_string(),
                (path, true) => format!("default /* {} */", identifier(path)),
                ("true", _) => "1'd1".into(),
                ("false", _) => "1'd0".into(),
                (path, _) => match self.resolve(path)? {
                    Name::State(state) => self.state(&state, &mut test.reads),
                    _ => return Err(Fault::UnknownSignal(path.into())),
                },
            };
            arms.push((label, body));
        }
        Ok(Stmt::Case { test, arms })
    }

    fn link(&self, link: &VerilogLink) -> Result<Stmt, Fault> {
        let (details, to_other) = match link {
            VerilogLink::Forward(details) => (details, true),
            VerilogLink::Backward(details) => (details, false),
            VerilogLink::Bidirectional(_) => return Err(Fault::Bidirectional),
        };
        let side = |side: &str| {
            let field = details.my_name.trim_start_matches('.');
            let path = if field.is_empty() { side.to_string() } else { format!("{side}${field}") };
            match self.resolve(&path)? {
                Name::Place(place) => Ok(place.net),
                Name::State(_) | Name::Number(_) => Err(Fault::BadTarget(path)),
            }
        };
        let (own, other) = (side(&details.owner_name)?, side(&details.other_name)?);
        let (target, from) = if to_other { (other, own) } else { (own, other) };
        let (width, mut reads) = (self.nets[&target].width(), Reads::default());
        reads.add(&from, 0..width);
        let value = Value {
            text: self.arrays.text(&from),
            reads,
        };
        Ok(Stmt::Assign {
            shown: self.arrays.text(&target),
            target,
            bits: Some(0..width),
            part: String::new(),
            value,
            wire: Some(Place {
                net: from,
                bits: 0..width,
            }),
        })
    }
}
