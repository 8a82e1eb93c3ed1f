//! Where Rust source takes a choice between two forms: expressions, statements, and the kernels of RustHDL.

use proc_macro2::Span;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, Stmt};

/// A piece of source that can stand in either branch of an `if`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// Bytes of the file.
    pub range: Range<usize>,
    /// Whether the choice needs parentheses: not where a block or a statement stood.
    pub parentheses: bool,
    /// A text, which says and does not compute.
    text: bool,
}

/// A function under `#[kernel]` or `#[hdl_gen]`. The macro reads it and knows no choices, so they go into a method of the type itself, which Rust prefers
/// to the trait's of the same name: simulation runs the choices, the Verilog stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kernel {
    /// Its body with braces, in bytes of the file.
    pub body: Range<usize>,
    /// End of the implementation of the trait.
    pub end: usize,
    /// Beginning of an implementation of the type itself, as in `#[kernel] impl<const A: usize> Window<A> `.
    pub head: String,
}

/// What of a file can be chosen.
#[derive(Debug, Default)]
pub(super) struct Syntax {
    /// Expressions and statements, none of which is a constant's.
    pub nodes: Vec<Node>,
    /// Kernels.
    pub kernels: Vec<Kernel>,
}

impl Syntax {
    /// Of a file; the error is the parser's.
    pub fn of(text: &str) -> Result<Self, String> {
        let file = syn::parse_file(text).map_err(|error| error.to_string())?;
        let mut finder = Finder {
            text,
            found: Self::default(),
        };
        finder.visit_file(&file);
        Ok(finder.found)
    }

    /// The smallest piece around a range of bytes.
    pub fn around(&self, range: &Range<usize>) -> Option<&Node> {
        self.nodes
            .iter()
            .filter(|node| node.range.start <= range.start && range.end <= node.range.end)
            .min_by_key(|node| node.range.len())
            .filter(|node| !node.text)
    }
}

struct Finder<'a> {
    text: &'a str,
    found: Syntax,
}

impl Finder<'_> {
    fn push(&mut self, span: Span, parentheses: bool) {
        let range = span.byte_range();
        self.found.nodes.push(Node {
            range,
            parentheses,
            text: false,
        });
    }

    /// What is assigned to or borrowed for change stays one place; only what computes an index is a value.
    fn place(&mut self, expr: &Expr) {
        match expr {
            Expr::Field(field) => self.place(&field.base),
            Expr::Index(index) => {
                self.place(&index.expr);
                self.visit_expr(&index.index);
            }
            Expr::Paren(paren) => self.place(&paren.expr),
            Expr::Unary(unary) => self.place(&unary.expr),
            Expr::Path(_) => {}
            other => self.visit_expr(other),
        }
    }
}

/// An expression that ends in a brace and needs no semicolon as a statement.
fn ends_in_a_block(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::If(_)
            | Expr::Match(_)
            | Expr::Block(_)
            | Expr::Unsafe(_)
            | Expr::Loop(_)
            | Expr::ForLoop(_)
            | Expr::While(_)
    )
}

fn assigns(op: &syn::BinOp) -> bool {
    use syn::BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        // `let` of a condition is no value of its own, and a block `const` is computed while compiling.
        match expr {
            Expr::Let(condition) => return self.visit_expr(&condition.expr),
            Expr::Const(_) => return,
            _ => self.push(expr.span(), !ends_in_a_block(expr)),
        }
        if let (Expr::Lit(literal), Some(node)) = (expr, self.found.nodes.last_mut()) {
            node.text = matches!(literal.lit, syn::Lit::Str(_));
        }
        match expr {
            Expr::Assign(assign) => {
                self.place(&assign.left);
                self.visit_expr(&assign.right);
            }
            Expr::Binary(binary) if assigns(&binary.op) => {
                self.place(&binary.left);
                self.visit_expr(&binary.right);
            }
            Expr::Reference(reference) => self.place(&reference.expr),
            Expr::Field(field) => self.place(&field.base),
            Expr::Index(_) => self.place(expr),
            Expr::MethodCall(call) => {
                self.place(&call.receiver);
                call.args.iter().for_each(|argument| self.visit_expr(argument));
            }
            Expr::Repeat(repeat) => self.visit_expr(&repeat.expr),
            // What stands between a macro's parentheses is the macro's.
            Expr::Macro(_) => {}
            other => visit::visit_expr(self, other),
        }
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        match stmt {
            Stmt::Expr(_, Some(_)) | Stmt::Macro(_) => self.push(stmt.span(), false),
            _ => {}
        }
        visit::visit_stmt(self, stmt);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if let Some((_, of, _)) = &item.trait_ {
            let start = item.impl_token.span().byte_range().start;
            let generics = &self.text[start..of.span().byte_range().start];
            let own =
                &self.text[item.self_ty.span().byte_range().start..item.brace_token.span.open().byte_range().start];
            let attribute = item.attrs.iter().any(|attribute| attribute.path().is_ident("kernel"));
            for member in &item.items {
                let syn::ImplItem::Fn(function) = member else { continue };
                let marked = |name: &str| function.attrs.iter().any(|attribute| attribute.path().is_ident(name));
                if attribute && function.sig.ident == "update" || marked("hdl_gen") {
                    self.found.kernels.push(Kernel {
                        body: function.block.span().byte_range(),
                        end: item.brace_token.span.close().byte_range().end,
                        head: format!("{}{generics}{own}", if attribute { "#[kernel] " } else { "" }),
                    });
                }
            }
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if function.sig.constness.is_none() {
            visit::visit_block(self, &function.block);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if function.sig.constness.is_none() {
            visit::visit_block(self, &function.block);
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_macro(&mut self, _: &'ast syn::Macro) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smallest<'a>(text: &'a str, part: &str) -> Option<&'a str> {
        let at = text.find(part).expect("a part of the text");
        let syntax = Syntax::of(text).expect("Rust");
        let node = syntax.around(&(at..at + part.len()))?;
        Some(&text[node.range.clone()])
    }

    #[test]
    fn the_smallest_value_is_found() {
        assert_eq!(smallest("fn f() { g(a + b * 3); }", " * "), Some("b * 3"));
        assert_eq!(smallest("fn f() { g(a + b * 3); }", " + "), Some("a + b * 3"));
        assert_eq!(smallest("fn f() { x[i + 1].y = 2; }", " + "), Some("i + 1"));
        assert_eq!(smallest("fn f() { x.y = 2; }", "x.y = 2;"), Some("x.y = 2;"));
        assert_eq!(smallest("fn f() { if !a { b() } }", "if !"), Some("if !a { b() }"));
    }

    #[test]
    fn what_must_be_constant_or_a_place_is_none() {
        assert_eq!(smallest("const A: u32 = 1 + 2;", " + "), None);
        assert_eq!(smallest("const fn f() -> u32 { 1 + 2 }", " + "), None);
        assert_eq!(smallest("fn f() { g([0; 4 + 1]) }", " + "), Some("[0; 4 + 1]"));
        assert_eq!(smallest("fn f() { a.b = c; }", "a.b"), Some("a.b = c"));
        assert_eq!(smallest("fn f() { g(\"1 + 2\") }", " + "), None);
    }

    #[test]
    fn a_kernel_has_the_head_of_its_type() {
        let text = "impl<const A: usize> Logic for Window<A> {\n    #[hdl_gen]\n    fn update(&mut self) { self.x.next = a + b; }\n}\n";
        let syntax = Syntax::of(text).expect("Rust");
        assert_eq!(syntax.kernels.len(), 1);
        assert_eq!(syntax.kernels[0].head, "impl<const A: usize> Window<A> ");
        assert_eq!(&text[syntax.kernels[0].body.clone()], "{ self.x.next = a + b; }");
        assert_eq!(syntax.kernels[0].end, text.len() - 1);
        let text = "#[kernel]\nimpl Logic for Lane {\n    fn update(&mut self) { self.x.next = a + b; }\n}\n";
        let syntax = Syntax::of(text).expect("Rust");
        assert_eq!(syntax.kernels[0].head, "#[kernel] impl Lane ");
    }
}
