//! Changes that compute the same by the form of the source, so that nobody can notice them: they are no mutants.
//!
//! Three forms, all decided by the text of one file:
//!
//! - **An argument that no result depends on**: the number of `bits_zero::<T>(0)`, which is there for the macro alone, and what `Vec::with_capacity` is given, which
//!   changes where memory comes from and no value.
//! - **An assignment in a kernel that is overwritten in every case**: `self.a.next = …;` where a later statement of the same block assigns the same signal on
//!   every path (a plain assignment, both branches of an `if`, every arm of a `match`), and `self.a.next = bits_zero::<T>(0);` where that holds for each field that
//!   the kernel assigns at all. The fields that it never assigns are zero from the start. The line is there for the Verilog, in which a word has a value as a whole.
//! - **Or of comparisons of one value with different constants**, `(x == A) | (x == B)`: one of them is true at most, so that "either" is "one or more".
//!
//! The same holds for `a = …;`, as a kernel writes it shortly. A kernel reads `val()`, which changes after the kernel has run; where one reads `next` the second form is left to the tests.

use std::collections::BTreeSet;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, Stmt};

/// Bytes of a file in which every change computes the same; none for a text that is no Rust.
pub(super) fn same(text: &str) -> Vec<Range<usize>> {
    let Ok(file) = syn::parse_file(text) else {
        return vec![];
    };
    let mut finder = Finder { text, found: vec![] };
    finder.visit_file(&file);
    finder.found
}

struct Finder<'a> {
    text: &'a str,
    found: Vec<Range<usize>>,
}

impl Finder<'_> {
    /// Appends what is compared and with what, if this is `x == A` or an or of such; false if it is anything else.
    fn comparisons<'a>(&'a self, expr: &Expr, found: &mut Vec<(&'a str, &'a str)>) -> bool {
        match expr {
            Expr::Paren(paren) => self.comparisons(&paren.expr, found),
            Expr::Binary(of) if matches!(of.op, BinOp::BitOr(_)) => {
                self.comparisons(&of.left, found) && self.comparisons(&of.right, found)
            }
            Expr::Binary(of) if matches!(of.op, BinOp::Eq(_)) && matches!(*of.right, Expr::Path(_) | Expr::Lit(_)) => {
                found.push((
                    &self.text[of.left.span().byte_range()],
                    &self.text[of.right.span().byte_range()],
                ));
                true
            }
            _ => false,
        }
    }

    /// Whether it is an or of which one side is true at most.
    fn is_exclusive(&self, or: &syn::ExprBinary) -> bool {
        let mut parts = vec![];
        if !(self.comparisons(&or.left, &mut parts) && self.comparisons(&or.right, &mut parts)) {
            return false;
        }
        let constants: BTreeSet<&str> = parts.iter().map(|(_, constant)| *constant).collect();
        // constants by name begin with a capital letter, at least behind their path
        let named = |constant: &&str| {
            let last = constant.rsplit("::").next().unwrap_or_default();
            last.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit())
        };
        constants.len() == parts.len()
            && constants.iter().all(named)
            && parts.windows(2).all(|pair| pair[0].0 == pair[1].0)
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_expr_binary(&mut self, of: &'ast syn::ExprBinary) {
        if let BinOp::BitOr(bar) = of.op {
            if self.is_exclusive(of) {
                // with the spaces around it
                let bar = bar.span().byte_range();
                self.found.push(bar.start - 1..bar.end + 1);
            }
        }
        visit::visit_expr_binary(self, of);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let Expr::Path(path) = &*call.func {
            let name = path.path.segments.last().map(|segment| segment.ident.to_string());
            if name.is_some_and(|name| name == "bits_zero" || name == "with_capacity") {
                self.found
                    .extend(call.args.iter().map(|argument| argument.span().byte_range()));
            }
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        for member in &item.items {
            let syn::ImplItem::Fn(function) = member else { continue };
            if item.trait_.is_some() && function.sig.ident == "update" {
                let mut kernel = Kernel::default();
                kernel.visit_block(&function.block);
                kernel.overwritten(&function.block, &mut self.found);
            }
        }
        visit::visit_item_impl(self, item);
    }
}

/// What a kernel assigns.
#[derive(Default)]
struct Kernel {
    /// Signals and fields, as written, and whether a word of zeros is assigned.
    assigned: Vec<(String, bool)>,
    /// Signals and fields that are read behind `next`.
    read: BTreeSet<String>,
}

impl Kernel {
    /// Appends the assignments that later ones of the same block make superfluous, of this block and of the blocks in it.
    fn overwritten(&self, block: &Block, found: &mut Vec<Range<usize>>) {
        for (at, stmt) in block.stmts.iter().enumerate() {
            let Stmt::Expr(expr, _) = stmt else { continue };
            if let Some((target, zero)) = assignment(expr) {
                let mut later = BTreeSet::new();
                block.stmts[at + 1..].iter().for_each(|stmt| always(stmt, &mut later));
                let apart = |other: &String| !within(other, &target) && !within(&target, other);
                let unread = self.read.iter().all(apart);
                if unread && (later.contains(&target) || zero && self.fields_follow(&target, &later)) {
                    found.push(stmt.span().byte_range());
                }
            }
            self.inside(expr, found);
        }
    }

    /// Whether a word of zeros may be left out: whatever the kernel assigns to the word is zeros, or a field that is assigned later on every path.
    fn fields_follow(&self, target: &str, later: &BTreeSet<String>) -> bool {
        let mut parts = self.assigned.iter().filter(|(path, _)| within(path, target));
        let whole = self
            .assigned
            .iter()
            .any(|(path, _)| path != target && within(target, path));
        !whole
            && parts.all(|(path, zero)| {
                path == target && *zero
                    || path != target && !path.contains('[') && later.iter().any(|field| within(path, field))
            })
    }

    fn inside(&self, expr: &Expr, found: &mut Vec<Range<usize>>) {
        match expr {
            Expr::Block(block) => self.overwritten(&block.block, found),
            Expr::If(choice) => {
                self.overwritten(&choice.then_branch, found);
                if let Some((_, other)) = &choice.else_branch {
                    self.inside(other, found);
                }
            }
            Expr::Match(choice) => choice.arms.iter().for_each(|arm| self.inside(&arm.body, found)),
            Expr::ForLoop(repeated) => self.overwritten(&repeated.body, found),
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Kernel {
    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        match path(&assign.left) {
            Some(target) => self.assigned.push((target, is_zero(&assign.right))),
            None => self.visit_expr(&assign.left),
        }
        self.visit_expr(&assign.right);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match path(expr) {
            Some(place) if behind_next(&place) => {
                self.read.insert(place);
            }
            _ => visit::visit_expr(self, expr),
        }
    }
}

/// What a statement assigns on every path through it. No place of an array: its index may be another one each time.
fn always(stmt: &Stmt, found: &mut BTreeSet<String>) {
    if let Stmt::Expr(expr, _) = stmt {
        always_of(expr, found);
    }
}

fn always_of(expr: &Expr, found: &mut BTreeSet<String>) {
    let of_block = |block: &Block| {
        let mut inside = BTreeSet::new();
        block.stmts.iter().for_each(|stmt| always(stmt, &mut inside));
        inside
    };
    let of = |expr: &Expr| {
        let mut inside = BTreeSet::new();
        always_of(expr, &mut inside);
        inside
    };
    match expr {
        Expr::Block(block) => found.extend(of_block(&block.block)),
        Expr::If(choice) => {
            if let Some((_, other)) = &choice.else_branch {
                let other = of(other);
                found.extend(of_block(&choice.then_branch).intersection(&other).cloned());
            }
        }
        Expr::Match(choice) => {
            let arms = choice.arms.iter().map(|arm| of(&arm.body));
            found.extend(arms.reduce(|all, arm| &all & &arm).unwrap_or_default());
        }
        _ => found.extend(assignment(expr).map(|(target, _)| target).filter(|t| !t.contains('['))),
    }
}

/// The signal that an expression assigns, and whether a word of zeros.
fn assignment(expr: &Expr) -> Option<(String, bool)> {
    let Expr::Assign(assign) = expr else { return None };
    let target = path(&assign.left).filter(|target| behind_next(target) || !target.starts_with("self."))?;
    Some((target, is_zero(&assign.right)))
}

fn is_zero(expr: &Expr) -> bool {
    let Expr::Call(call) = expr else { return false };
    let Expr::Path(name) = &*call.func else { return false };
    name.path
        .segments
        .last()
        .is_some_and(|segment| segment.ident == "bits_zero")
}

/// A place as it is written: `self.a.next.b`, `self.a[..].next`, `a.b`; none of what is no place.
fn path(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Path(name) => name.path.get_ident().map(|ident| ident.to_string()),
        Expr::Field(field) => {
            let member = match &field.member {
                syn::Member::Named(name) => name.to_string(),
                syn::Member::Unnamed(index) => index.index.to_string(),
            };
            Some(format!("{}.{member}", path(&field.base)?))
        }
        Expr::Index(index) => Some(format!("{}[]", path(&index.expr)?)),
        Expr::Paren(paren) => path(&paren.expr),
        _ => None,
    }
}

fn behind_next(place: &str) -> bool {
    place.split(['.', '[']).any(|part| part == "next")
}

/// Whether a place is another or lies in it.
fn within(place: &str, other: &str) -> bool {
    place
        .strip_prefix(other)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(body: &str) -> Vec<String> {
        let text = format!("impl Logic for X {{ #[hdl_gen] fn update(&mut self) {{ {body} }} }}");
        same(&text).into_iter().map(|range| text[range].to_string()).collect()
    }

    #[test]
    fn arguments_that_no_result_depends_on() {
        let text = "fn f() { g(bits_zero::<Word>(0), Vec::with_capacity(n + 1), bits::<8>(0)) }";
        let found: Vec<&str> = same(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["0", "n + 1"]);
    }

    #[test]
    fn an_or_of_comparisons_of_one_value() {
        for alike in ["(op == Op::A) | (op == Op::B)", "(x.val() == 1) | (x.val() == 2)"] {
            assert_eq!(pieces(&format!("c = {alike};")), [" | "], "{alike}");
        }
        assert_eq!(pieces("c = (a == A) | (a == B) | (a == C);"), [" | ", " | "]);
        for different in [
            "(op == Op::A) | (op == Op::A)",
            "(op == Op::A) | (of == Op::B)",
            "(op == Op::A) | (op != Op::B)",
            "(op == a) | (op == b)",
            "(op == Op::A) | b",
            "(op == Op::A) & (op == Op::B)",
        ] {
            assert_eq!(pieces(&format!("c = {different};")), [""; 0], "{different}");
        }
        // of three the last is another: the two before it are still one at most
        assert_eq!(pieces("c = (a == A) | (a == B) | b;").len(), 1);
    }

    #[test]
    fn a_value_that_is_overwritten_on_every_path() {
        let default = "self.a.next = x;";
        for after in [
            "self.b.next = y; self.a.next = z;",
            "if c { self.a.next = y; } else { self.a.next = z; }",
            "if c { self.a.next = y; } else if d { self.a.next = z; } else { self.a.next = w; }",
            "match c { A => self.a.next = y, B => { self.a.next = z; } }",
        ] {
            assert_eq!(pieces(&format!("{default} {after}"))[0], default, "{after}");
        }
        for after in [
            "",
            "if c { self.a.next = y; }",
            "if c { self.a.next = y; } else { self.b.next = z; }",
            "match c { A => self.a.next = y, B => {} }",
            "self.a.next.field = y;",
            "self.b.next = self.a.next; self.a.next = z;",
            "for i in 0..3 { self.a.next = y; }",
        ] {
            assert_eq!(pieces(&format!("{default} {after}")), [""; 0], "{after}");
        }
        assert_eq!(pieces("a = x; if c { a = y; } else { a = z; }"), ["a = x;"]);
        assert_eq!(pieces("self.a[0].next = x; self.a[1].next = y;"), [""; 0]);
    }

    #[test]
    fn a_word_of_zeros_whose_fields_follow() {
        let zero = "self.a.next = bits_zero::<W>(0);";
        let both = [zero, "0"];
        for after in [
            "self.a.next.b = x; self.a.next.c = y;",
            "self.a.next.b = x; if d { self.a.next.b = y; }",
            "self.a.next.b = x; if d { self.a.next = bits_zero::<W>(0); }",
            "self.a.next.b = x; self.a.next.b.c = y;",
        ] {
            let found = pieces(&format!("{zero} {after}"));
            assert!(
                both.iter().all(|piece| found.iter().any(|f| f == piece)),
                "{after}: {found:?}"
            );
        }
        for after in [
            "if d { self.a.next.b = x; }",
            "self.a.next.b = x; if d { self.a.next.c = y; }",
            "self.a.next.b = x; if d { self.a.next = y; }",
            "self.a.next.b[i] = x;",
        ] {
            assert_eq!(pieces(&format!("{zero} {after}"))[0], "0", "{after}");
        }
        assert_eq!(pieces(&format!("self.a.next.b = x; {zero}")), ["0"]);
        // the same in a branch
        assert_eq!(pieces(&format!("if c {{ {zero} self.a.next.b = x; }}")).len(), 2);
    }
}
