//! Fields of a block by their names: in a kernel `a` is the value of signal or register `a`, and `a = b` gives it its next value.

use crate::fields::{Clocked, Role};
use proc_macro2::Span;
use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote, Arm, Block, Expr, FieldValue, Ident, Member, Pat, PatIdent, Stmt};

/// Writes out every name of a field that stands alone, and `a = if c { b } else { d }`.
pub fn names(block: &mut Block, fields: &[Clocked], own: Span) {
    let mut locals = Locals(vec![]);
    locals.visit_block_mut(block);
    let fields = fields.iter().filter(|field| !locals.0.contains(&field.name));
    let mut names = Names {
        fields: fields.collect(),
        own,
    };
    names.visit_block_mut(block);
}

/// Variables of the kernel, which hide fields of the same name.
struct Locals(Vec<Ident>);

impl VisitMut for Locals {
    fn visit_pat_ident_mut(&mut self, pattern: &mut PatIdent) {
        self.0.push(pattern.ident.clone());
    }
}

struct Names<'a> {
    fields: Vec<&'a Clocked>,
    own: Span,
}

/// What follows the name of a field: `.b` or `[i]`.
enum Part {
    Member(Member),
    Index(Expr),
}

fn with(place: Expr, parts: impl IntoIterator<Item = Part>) -> Expr {
    parts.into_iter().fold(place, |place, part| match part {
        Part::Member(member) => parse_quote!(#place.#member),
        Part::Index(index) => parse_quote!(#place[#index]),
    })
}

impl Names<'_> {
    /// The field whose name an expression is.
    fn root(&self, expr: &Expr) -> Option<(Role, Ident)> {
        let Expr::Path(path) = expr else { return None };
        let name = path.path.get_ident()?;
        let field = self.fields.iter().find(|field| field.name == *name)?;
        Some((field.role, name.clone()))
    }

    /// The field that a place begins with, and what follows; names inside an index are written out.
    fn parts(&mut self, expr: &Expr) -> Option<(Role, Ident, Vec<Part>)> {
        match expr {
            Expr::Field(field) => {
                let (role, root, mut parts) = self.parts(&field.base)?;
                parts.push(Part::Member(field.member.clone()));
                Some((role, root, parts))
            }
            Expr::Index(item) => {
                let (role, root, mut parts) = self.parts(&item.expr)?;
                let mut index = (*item.index).clone();
                self.visit_expr_mut(&mut index);
                parts.push(Part::Index(index));
                Some((role, root, parts))
            }
            _ => self.root(expr).map(|(role, root)| (role, root, vec![])),
        }
    }

    /// `self.a[i]` and what follows it.
    fn split(&self, root: &Ident, mut parts: Vec<Part>) -> (Expr, Vec<Part>) {
        let this = Ident::new("self", self.own);
        let rest = parts.split_off(
            parts
                .iter()
                .position(|part| matches!(part, Part::Member(_)))
                .unwrap_or(parts.len()),
        );
        (with(parse_quote!(#this.#root), parts), rest)
    }

    /// A place of the block, as it stands.
    fn place(&mut self, expr: &mut Expr) {
        match self.parts(expr) {
            Some((_, root, parts)) => {
                let (place, rest) = self.split(&root, parts);
                *expr = with(place, rest);
            }
            None => visit_mut::visit_expr_mut(self, expr),
        }
    }

    /// What is written.
    fn target(&mut self, expr: &mut Expr) {
        let Some((role, root, parts)) = self.parts(expr) else {
            return visit_mut::visit_expr_mut(self, expr);
        };
        let says = |part: &Part| matches!(part, Part::Member(Member::Named(name)) if name == "next");
        let said = parts.iter().any(says);
        let (place, rest) = self.split(&root, parts);
        *expr = match role {
            _ if said => with(place, rest),
            role if role.is_stored() => with(parse_quote!(#place.d.next), rest),
            Role::Child | Role::Bundle => {
                let port = with(place, rest);
                parse_quote!(#port.next)
            }
            _ => with(parse_quote!(#place.next), rest),
        };
    }

    /// What is read.
    fn value(&mut self, expr: &mut Expr) -> bool {
        let Some((role, root, parts)) = self.parts(expr) else {
            return false;
        };
        let (place, rest) = self.split(&root, parts);
        *expr = match role {
            role if role.is_stored() => with(parse_quote!(#place.q.val()), rest),
            Role::Child | Role::Bundle => {
                let port = with(place, rest);
                parse_quote!(#port.val())
            }
            _ => with(parse_quote!(#place.val()), rest),
        };
        true
    }
}

/// `a = if c { b } else { d }` as statements: `a = d; if c { a = b }`.
fn choice(expr: &Expr) -> Option<[Stmt; 2]> {
    let Expr::Assign(assign) = expr else { return None };
    let Expr::If(choice) = assign.right.as_ref() else {
        return None;
    };
    let (target, condition) = (&assign.left, &choice.cond);
    let only = |block: &Block| match block.stmts.as_slice() {
        [Stmt::Expr(value, None)] => Some(value.clone()),
        _ => None,
    };
    let chosen = only(&choice.then_branch)?;
    let other = match choice.else_branch.as_ref()?.1.as_ref() {
        Expr::Block(block) => only(&block.block)?,
        _ => return None,
    };
    Some([
        parse_quote!(#target = #other;),
        parse_quote!(if #condition { #target = #chosen; }),
    ])
}

impl VisitMut for Names<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut stmts = vec![];
        for stmt in std::mem::take(&mut block.stmts) {
            let both = match &stmt {
                Stmt::Expr(expr, _) => choice(expr),
                _ => None,
            };
            match both {
                Some(both) => stmts.extend(both),
                None => stmts.push(stmt),
            }
        }
        block.stmts = stmts;
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        if let Some(both) = choice(&arm.body) {
            *arm.body = parse_quote!({ #(#both)* });
        }
        visit_mut::visit_arm_mut(self, arm);
    }

    fn visit_field_value_mut(&mut self, field: &mut FieldValue) {
        field.colon_token.get_or_insert_default();
        visit_mut::visit_field_value_mut(self, field);
    }

    // names in patterns are no values
    fn visit_pat_mut(&mut self, _: &mut Pat) {}

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if matches!(expr, Expr::Path(_) | Expr::Field(_) | Expr::Index(_)) && self.value(expr) {
            return;
        }
        match expr {
            Expr::Assign(assign) => {
                self.visit_expr_mut(&mut assign.right);
                self.target(&mut assign.left);
            }
            Expr::Reference(reference) if reference.mutability.is_some() => self.place(&mut reference.expr),
            Expr::MethodCall(call) if call.method == "val" && call.args.is_empty() => self.place(&mut call.receiver),
            Expr::Call(call) => call.args.iter_mut().for_each(|argument| self.visit_expr_mut(argument)),
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }
}
