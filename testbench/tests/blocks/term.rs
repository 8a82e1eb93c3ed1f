//! Random expressions as a description could contain them, with their meaning in plain integers.

use hpcc_rtl::sim::Stimulus;
use rust_hdl::core::ast::{VerilogExpression as Expr, VerilogOp as Op, VerilogOpUnary as UnaryOp};

/// Type of an expression: a condition, a number of at most 64 bits, or a bus.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Type {
    Bool,
    U(usize),
    W(usize),
}

impl Type {
    pub fn width(self) -> usize {
        match self {
            Type::Bool => 1,
            Type::U(n) | Type::W(n) => n,
        }
    }
}

/// Where a slice or a bit is.
#[derive(Debug, Clone)]
pub enum Position {
    Constant(u64),
    Running(Box<Term>),
    /// `index * factor + offset` in `usize`.
    Scaled(Box<Term>, u64, u64),
    /// `i * factor + offset` of the loop around.
    Loop(u64, u64),
}

#[derive(Debug, Clone)]
pub enum Term {
    /// Input or local signal by name; the number is its place among the values.
    Signal(String, usize),
    /// Literal of a cast, a right operand, or a truth value.
    Literal(u64),
    Truth(bool),
    LoopIndex,
    Paren(Box<Term>),
    Not(Box<Term>, Type),
    Binary(Box<Term>, Op, Box<Term>, Type),
    /// Comparison, with the operands' type.
    Compare(Box<Term>, Op, Box<Term>),
    Cast(Box<Term>, usize),
    Product(Box<Term>, Box<Term>, usize),
    Reduce(UnaryOp, Box<Term>, usize),
    Bits(Box<Term>, usize, Position),
    Bit(Box<Term>, Position),
    Replace(Box<Term>, Position, Box<Term>, usize),
}

fn mask(width: usize) -> u128 {
    if width >= 128 {
        !0
    } else {
        (1 << width) - 1
    }
}

fn shift(value: u128, by: u128, left: bool) -> u128 {
    match (by, left) {
        (128.., _) => 0,
        (by, true) => value << by,
        (by, false) => value >> by,
    }
}

impl Position {
    fn value(&self, values: &[u128], turn: u64) -> u128 {
        match self {
            Position::Constant(at) => *at as u128,
            Position::Running(term) => term.value(values, turn),
            Position::Scaled(term, factor, offset) => term.value(values, turn) * *factor as u128 + *offset as u128,
            Position::Loop(factor, offset) => (turn * factor + offset) as u128,
        }
    }
    fn tree(&self) -> Box<Expr> {
        let number = |n: u64| Box::new(Expr::Literal(n.into()));
        let scaled = |term: Expr, factor: u64, offset: u64| {
            let product = Expr::Binary(Box::new(term), Op::Mul, number(factor));
            Box::new(Expr::Binary(Box::new(product), Op::Add, number(offset)))
        };
        match self {
            Position::Constant(at) => number(*at),
            Position::Running(term) => Box::new(term.tree()),
            Position::Scaled(term, factor, offset) => scaled(term.tree(), *factor, *offset),
            Position::Loop(factor, offset) => scaled(Expr::Signal("i".into()), *factor, *offset),
        }
    }
}

impl Term {
    /// The value as RustHDL computes it: every operation modulo its own width.
    pub fn value(&self, values: &[u128], turn: u64) -> u128 {
        let of = |term: &Term| term.value(values, turn);
        match self {
            Term::Signal(_, at) => values[*at],
            Term::Literal(value) => *value as u128,
            Term::Truth(truth) => *truth as u128,
            Term::LoopIndex => turn as u128,
            Term::Paren(term) => of(term),
            Term::Not(term, ty) => !of(term) & mask(ty.width()),
            Term::Binary(left, op, right, ty) => {
                let (a, b) = (of(left), of(right));
                mask(ty.width())
                    & match op {
                        Op::Add => a.wrapping_add(b),
                        Op::Sub => a.wrapping_sub(b),
                        Op::BitAnd | Op::LogicalAnd => a & b,
                        Op::BitOr | Op::LogicalOr => a | b,
                        Op::BitXor => a ^ b,
                        Op::Shl => shift(a, b, true),
                        Op::Shr => shift(a, b, false),
                        _ => unreachable!("not generated"),
                    }
            }
            Term::Compare(left, op, right) => {
                let (a, b) = (of(left), of(right));
                (match op {
                    Op::Eq => a == b,
                    Op::Ne => a != b,
                    Op::Lt => a < b,
                    Op::Le => a <= b,
                    Op::Gt => a > b,
                    _ => a >= b,
                }) as u128
            }
            Term::Cast(term, width) => of(term) & mask(*width),
            Term::Product(left, right, width) => (of(left) * of(right)) & mask(*width),
            Term::Reduce(op, term, width) => {
                let value = of(term);
                (match op {
                    UnaryOp::All => value == mask(*width),
                    UnaryOp::Any => value != 0,
                    _ => value.count_ones() % 2 == 1,
                }) as u128
            }
            Term::Bits(term, width, at) => shift(of(term), at.value(values, turn), false) & mask(*width),
            Term::Bit(term, at) => shift(of(term), at.value(values, turn), false) & 1,
            Term::Replace(term, at, bit, width) => {
                let (value, at) = (of(term), at.value(values, turn));
                let here = shift(1, at, true) & mask(*width);
                value & !here | if of(bit) == 1 { here } else { 0 }
            }
        }
    }

    /// The syntax tree that `#[hdl_gen]` records for it.
    pub fn tree(&self) -> Expr {
        let sub = |term: &Term| Box::new(term.tree());
        match self {
            Term::Signal(name, ..) => Expr::Signal(name.clone()),
            Term::Literal(value) => Expr::Literal((*value).into()),
            Term::Truth(truth) => Expr::Literal((*truth).into()),
            Term::LoopIndex => Expr::Signal("i".into()),
            Term::Paren(term) => Expr::Paren(sub(term)),
            Term::Not(term, _) => Expr::Unary(UnaryOp::Not, sub(term)),
            Term::Binary(left, op, right, _) | Term::Compare(left, op, right) => {
                Expr::Binary(sub(left), op.clone(), sub(right))
            }
            Term::Cast(term, width) => Expr::Cast(sub(term), *width),
            Term::Product(left, right, width) => {
                Expr::Cast(Box::new(Expr::Binary(sub(left), Op::Mul, sub(right))), *width)
            }
            Term::Reduce(op, term, _) => Expr::Unary(op.clone(), sub(term)),
            Term::Bits(term, width, at) => Expr::Slice(sub(term), *width, at.tree()),
            Term::Bit(term, at) => Expr::Index(sub(term), at.tree()),
            Term::Replace(term, at, bit, _) => Expr::IndexReplace(sub(term), at.tree(), sub(bit)),
        }
    }
}

/// Grows random terms from the signals that are readable so far.
pub struct Grower<'a> {
    pub stimulus: &'a mut Stimulus,
    pub signals: Vec<(String, usize, Type)>,
    pub in_loop: bool,
}

impl Grower<'_> {
    fn pick(&mut self, n: u64) -> u64 {
        self.stimulus.below(n)
    }

    /// A width that some signal has, so that terms meet signals often.
    fn some_type(&mut self) -> Type {
        let at = self.pick(self.signals.len() as u64) as usize;
        match self.signals[at].2 {
            Type::Bool => Type::U(1 + self.pick(64) as usize),
            ty => ty,
        }
    }

    fn number_type(&mut self) -> Type {
        match self.some_type() {
            Type::U(n) if self.pick(3) > 0 => Type::U(n),
            _ => Type::U(1 + self.pick(64) as usize),
        }
    }

    fn signal(&mut self, ty: Type) -> Option<Term> {
        let fitting: Vec<_> = self.signals.iter().filter(|(_, _, own)| *own == ty).cloned().collect();
        let at = (!fitting.is_empty()).then(|| self.pick(fitting.len() as u64) as usize)?;
        let (name, place, _) = fitting[at].clone();
        Some(Term::Signal(name, place))
    }

    /// Something that needs no further terms.
    fn leaf(&mut self, ty: Type) -> Term {
        if let Some(signal) = self.signal(ty) {
            return signal;
        }
        match ty {
            Type::Bool => Term::Truth(self.stimulus.chance(0.5)),
            Type::U(n) if self.pick(4) == 0 => Term::Cast(Box::new(Term::Literal(self.stimulus.corner(n))), n),
            Type::U(n) | Type::W(n) => {
                let from = self.some_type();
                let signal = self.signal(from).unwrap_or(Term::Literal(0));
                Term::Cast(Box::new(signal), n)
            }
        }
    }

    fn position(&mut self, beyond: usize) -> Position {
        match self.pick(if self.in_loop { 4 } else { 3 }) {
            0 => Position::Constant(self.stimulus.below(beyond as u64 + 6)),
            1 => Position::Running(self.short_number()),
            2 => Position::Scaled(self.short_number(), 1 + self.pick(9), self.pick(5)),
            _ => Position::Loop(self.pick(9), self.pick(4)),
        }
    }

    /// A number of few bits that is no arithmetic, as positions are.
    fn short_number(&mut self) -> Box<Term> {
        let (from, width) = (self.number_type(), 1 + self.pick(7) as usize);
        let inner = Box::new(self.leaf(from));
        Box::new(match self.pick(2) {
            0 => Term::Cast(inner, width),
            _ => Term::Bits(inner, width, Position::Constant(self.stimulus.below(9))),
        })
    }

    fn distance(&mut self, depth: u32) -> Box<Term> {
        Box::new(match self.pick(3) {
            0 => Term::Literal(self.stimulus.below(70)),
            1 => return self.short_number(),
            _ => {
                let width = 1 + self.pick(7) as usize;
                self.grow(Type::U(width), depth)
            }
        })
    }

    /// A right operand: a term or a literal that fits.
    fn right(&mut self, ty: Type, depth: u32) -> Box<Term> {
        Box::new(match (ty, self.pick(4)) {
            (Type::U(n), 0) => Term::Literal(self.stimulus.corner(n)),
            (Type::U(n), 1) if self.in_loop && n >= 3 => Term::LoopIndex,
            _ => self.grow(ty, depth),
        })
    }

    fn bitwise(&mut self) -> Op {
        [Op::BitAnd, Op::BitOr, Op::BitXor][self.pick(3) as usize].clone()
    }

    /// A random term of a type, at most `depth` operations deep.
    pub fn grow(&mut self, ty: Type, depth: u32) -> Term {
        if depth == 0 {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        if self.pick(8) == 0 {
            return Term::Paren(Box::new(self.grow(ty, depth)));
        }
        match ty {
            Type::Bool => self.condition(depth),
            Type::U(n) => self.number(n, depth),
            Type::W(n) => self.bus(n, depth),
        }
    }

    fn condition(&mut self, depth: u32) -> Term {
        let ty = self.some_type();
        let boxed = |grower: &mut Self, ty| Box::new(grower.grow(ty, depth));
        match self.pick(8) {
            0..=2 => {
                let ty = self.number_type();
                let op = [Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge][self.pick(6) as usize].clone();
                Term::Compare(boxed(self, ty), op, self.right(ty, depth))
            }
            3 => Term::Compare(boxed(self, Type::W(100)), Op::Eq, boxed(self, Type::W(100))),
            4 => {
                let op =
                    [Op::LogicalAnd, Op::LogicalOr, Op::BitXor, Op::BitAnd, Op::BitOr][self.pick(5) as usize].clone();
                Term::Binary(boxed(self, Type::Bool), op, boxed(self, Type::Bool), Type::Bool)
            }
            5 => Term::Not(boxed(self, Type::Bool), Type::Bool),
            6 => {
                let op = [UnaryOp::All, UnaryOp::Any, UnaryOp::Xor][self.pick(3) as usize].clone();
                Term::Reduce(op, boxed(self, ty), ty.width())
            }
            _ => Term::Bit(boxed(self, ty), self.position(ty.width())),
        }
    }

    fn number(&mut self, n: usize, depth: u32) -> Term {
        let ty = Type::U(n);
        let boxed = |grower: &mut Self, ty| Box::new(grower.grow(ty, depth));
        match self.pick(10) {
            0..=2 => {
                let op = if self.pick(2) == 0 { Op::Add } else { Op::Sub };
                Term::Binary(boxed(self, ty), op, self.right(ty, depth), ty)
            }
            3 => Term::Binary(boxed(self, ty), self.bitwise(), self.right(ty, depth), ty),
            4 => Term::Not(boxed(self, ty), ty),
            5 => {
                let op = if self.pick(2) == 0 { Op::Shl } else { Op::Shr };
                Term::Binary(boxed(self, ty), op, self.distance(depth), ty)
            }
            6 if n == 1 => Term::Cast(boxed(self, Type::Bool), 1),
            6 | 7 => {
                let from = self.number_type();
                Term::Cast(boxed(self, from), n)
            }
            8 if self.pick(2) == 0 => {
                let (a, b) = (1 + self.pick(64) as usize, 1 + self.pick(63) as usize);
                Term::Product(boxed(self, Type::U(a)), boxed(self, Type::U(b)), n)
            }
            8 => Term::Replace(boxed(self, ty), self.position(n), boxed(self, Type::Bool), n),
            _ => {
                let from = self.some_type();
                Term::Bits(boxed(self, from), n, self.position(from.width()))
            }
        }
    }

    fn bus(&mut self, n: usize, depth: u32) -> Term {
        let ty = Type::W(n);
        let boxed = |grower: &mut Self, ty| Box::new(grower.grow(ty, depth));
        match self.pick(6) {
            0 | 1 => Term::Binary(boxed(self, ty), self.bitwise(), boxed(self, ty), ty),
            2 => Term::Not(boxed(self, ty), ty),
            3 => {
                let op = if self.pick(2) == 0 { Op::Shl } else { Op::Shr };
                Term::Binary(boxed(self, ty), op, self.distance(depth), ty)
            }
            4 => Term::Replace(boxed(self, ty), self.position(n), boxed(self, Type::Bool), n),
            _ => {
                let from = self.some_type();
                Term::Cast(boxed(self, from), n)
            }
        }
    }
}
