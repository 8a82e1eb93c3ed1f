//! The syntax tree of a kernel, put together by calls.
//!
//! `#[hdl_gen]` writes a function that returns the tree as one nested expression. Every half-built part of it would have to be freed if the
//! rest panicked, and the compiler writes that for every part: half of all the machine code of this crate, and most of the time that it took to
//! compile. Therefore [`macro@crate::kernel`] lets these names stand for those of the tree, where that function is compiled: parts are
//! numbers, their content waits here, and nothing is left half-built. The tree that comes out is the same.

use rust_hdl::core::ast as tree;
use std::cell::RefCell;

/// What `#[hdl_gen]` writes for a kernel, before the tree is complete. The kernel itself is called through it too, so that it is compiled once.
pub trait Described {
    /// The kernel.
    fn update(&mut self);
    /// What it drives.
    fn connect(&mut self);
    /// Its statements.
    fn hdl(&self) -> ast::Verilog;
}

/// The tree of a kernel.
pub fn tree(described: ast::Verilog) -> tree::Verilog {
    let ast::Verilog::Combinatorial(block) = described;
    let tree = block.take();
    PARTS.with_borrow_mut(|parts| *parts = Parts::default());
    tree::Verilog::Combinatorial(tree)
}

#[derive(Default)]
struct Parts {
    expressions: Waiting<tree::VerilogExpression>,
    statements: Waiting<tree::VerilogStatement>,
}

thread_local! {
    static PARTS: RefCell<Parts> = RefCell::default();
}

/// Parts by their numbers, each used once.
struct Waiting<T>(Vec<Option<T>>);

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self(vec![])
    }
}

impl<T> Waiting<T> {
    fn put(&mut self, part: T) -> usize {
        self.0.push(Some(part));
        self.0.len() - 1
    }
    fn take(&mut self, number: usize) -> T {
        self.0[number].take().expect("a part of a kernel is used once")
    }
}

/// An expression that waits to become part of another or of a statement. Used once.
#[derive(Clone, Copy)]
pub struct Expression(usize);

/// A statement that waits for its block. Used once.
#[derive(Clone, Copy)]
pub struct Statement(usize);

impl Expression {
    fn new(expression: tree::VerilogExpression) -> Self {
        Self(PARTS.with_borrow_mut(|parts| parts.expressions.put(expression)))
    }
    fn take(self) -> tree::VerilogExpression {
        PARTS.with_borrow_mut(|parts| parts.expressions.take(self.0))
    }
    fn boxed(self) -> std::boxed::Box<tree::VerilogExpression> {
        std::boxed::Box::new(self.take())
    }
}

impl Statement {
    fn new(statement: tree::VerilogStatement) -> Self {
        Self(PARTS.with_borrow_mut(|parts| parts.statements.put(statement)))
    }
    fn take(self) -> tree::VerilogStatement {
        PARTS.with_borrow_mut(|parts| parts.statements.take(self.0))
    }
}

/// In the place of the standard one: parts are numbers, so that nothing has to be boxed.
pub struct Box;

impl Box {
    /// The same.
    #[allow(clippy::new_ret_no_self)]
    pub fn new<T: Copy>(part: T) -> T {
        part
    }
}

/// Statements, or cases of a `match`.
pub struct List<T>(Vec<T>);

impl<T> List<T> {
    /// Nothing yet.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self(vec![])
    }
    /// One more.
    #[inline(never)]
    pub fn push(&mut self, part: impl Into<T>) {
        self.0.push(part.into());
    }
}

impl List<Statement> {
    /// The one statement of an arm.
    pub fn of(statement: impl Into<Statement>) -> Self {
        Self(vec![statement.into()])
    }
    fn take(self) -> Vec<tree::VerilogStatement> {
        self.0.into_iter().map(Statement::take).collect()
    }
}

/// In the place of the standard one.
#[macro_export]
#[doc(hidden)]
macro_rules! kernel_list {
    () => {
        $crate::emit::kernel::List::new()
    };
    ($statement:expr) => {
        $crate::emit::kernel::List::of($statement)
    };
}

/// The names that `#[hdl_gen]` uses.
#[allow(non_snake_case, missing_docs)]
pub mod ast {
    pub use super::tree::{VerilogLink, VerilogLiteral, VerilogOp, VerilogOpUnary};
    use super::{Expression, List, Statement};

    /// Statements of a kernel.
    pub enum Verilog {
        /// All of them.
        Combinatorial(List<Statement>),
    }

    pub struct VerilogLoop {
        pub index: String,
        pub from: VerilogLiteral,
        pub to: VerilogLiteral,
        pub block: List<Statement>,
    }

    pub struct VerilogConditional {
        pub test: Expression,
        pub then: List<Statement>,
        pub otherwise: VerilogBlockOrConditional,
    }

    pub enum VerilogBlockOrConditional {
        Block(List<Statement>),
        Conditional(Statement),
        None,
    }

    pub struct VerilogCase {
        pub condition: String,
        pub block: List<Statement>,
    }

    pub struct VerilogMatch {
        pub test: Expression,
        pub cases: List<VerilogCase>,
    }

    pub mod VerilogExpression {
        use super::super::tree::VerilogExpression as Tree;
        use super::*;

        #[inline(never)]
        pub fn Signal(name: String) -> Expression {
            Expression::new(Tree::Signal(name))
        }
        #[inline(never)]
        pub fn Literal(value: VerilogLiteral) -> Expression {
            Expression::new(Tree::Literal(value))
        }
        #[inline(never)]
        pub fn Cast(of: Expression, width: usize) -> Expression {
            Expression::new(Tree::Cast(of.boxed(), width))
        }
        #[inline(never)]
        pub fn Signed(of: Expression) -> Expression {
            Expression::new(Tree::Signed(of.boxed()))
        }
        #[inline(never)]
        pub fn Unsigned(of: Expression) -> Expression {
            Expression::new(Tree::Unsigned(of.boxed()))
        }
        #[inline(never)]
        pub fn Paren(of: Expression) -> Expression {
            Expression::new(Tree::Paren(of.boxed()))
        }
        #[inline(never)]
        pub fn Binary(left: Expression, operator: VerilogOp, right: Expression) -> Expression {
            Expression::new(Tree::Binary(left.boxed(), operator, right.boxed()))
        }
        #[inline(never)]
        pub fn Unary(operator: VerilogOpUnary, of: Expression) -> Expression {
            Expression::new(Tree::Unary(operator, of.boxed()))
        }
        #[inline(never)]
        pub fn Index(of: Expression, at: Expression) -> Expression {
            Expression::new(Tree::Index(of.boxed(), at.boxed()))
        }
        #[inline(never)]
        pub fn Slice(of: Expression, width: usize, at: Expression) -> Expression {
            Expression::new(Tree::Slice(of.boxed(), width, at.boxed()))
        }
        #[inline(never)]
        pub fn IndexReplace(of: Expression, at: Expression, by: Expression) -> Expression {
            Expression::new(Tree::IndexReplace(of.boxed(), at.boxed(), by.boxed()))
        }
    }

    pub mod VerilogStatement {
        use super::super::tree;
        use super::super::tree::VerilogStatement as Tree;
        use super::*;

        /// Part of a signal.
        pub struct SliceAssignment {
            pub base: Expression,
            pub width: usize,
            pub offset: Expression,
            pub replacement: Expression,
        }
        impl From<SliceAssignment> for Statement {
            #[inline(never)]
            fn from(slice: SliceAssignment) -> Self {
                Statement::new(Tree::SliceAssignment {
                    base: slice.base.take(),
                    width: slice.width,
                    offset: slice.offset.take(),
                    replacement: slice.replacement.take(),
                })
            }
        }

        #[inline(never)]
        pub fn Assignment(target: Expression, value: Expression) -> Statement {
            Statement::new(Tree::Assignment(target.take(), value.take()))
        }
        #[inline(never)]
        pub fn Loop(of: VerilogLoop) -> Statement {
            Statement::new(Tree::Loop(tree::VerilogLoop {
                index: of.index,
                from: of.from,
                to: of.to,
                block: of.block.take(),
            }))
        }
        #[inline(never)]
        pub fn If(of: VerilogConditional) -> Statement {
            Statement::new(Tree::If(tree::VerilogConditional {
                test: of.test.take(),
                then: of.then.take(),
                otherwise: match of.otherwise {
                    VerilogBlockOrConditional::Block(block) => tree::VerilogBlockOrConditional::Block(block.take()),
                    VerilogBlockOrConditional::Conditional(other) => {
                        tree::VerilogBlockOrConditional::Conditional(std::boxed::Box::new(other.take()))
                    }
                    VerilogBlockOrConditional::None => tree::VerilogBlockOrConditional::None,
                },
            }))
        }
        #[inline(never)]
        pub fn Match(of: VerilogMatch) -> Statement {
            let case = |case: VerilogCase| tree::VerilogCase {
                condition: case.condition,
                block: case.block.take(),
            };
            Statement::new(Tree::Match(tree::VerilogMatch {
                test: of.test.take(),
                cases: of.cases.0.into_iter().map(case).collect(),
            }))
        }
        #[inline(never)]
        pub fn Link(links: Vec<VerilogLink>) -> Statement {
            Statement::new(Tree::Link(links))
        }
        #[inline(never)]
        pub fn Macro(block: List<Statement>) -> Statement {
            Statement::new(Tree::Macro(block.take()))
        }
        #[inline(never)]
        pub fn Comment(text: String) -> Statement {
            Statement::new(Tree::Comment(text))
        }
    }
}
