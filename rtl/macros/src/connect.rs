//! What a kernel says shortly: connections, fields and values by name, registers that follow or are cleared, statements that stand
//! for several names.

use crate::fields::{Clocked, Role};
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{quote, ToTokens};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{braced, bracketed, parenthesized, parse_quote, Block, Expr, Ident, Stmt, Token};

/// Replaces the macros of a kernel by statements, also inside conditions and loops.
pub fn connect(block: &mut Block, fields: &[Clocked], own: Span) -> syn::Result<()> {
    let mut stmts = vec![];
    for mut stmt in std::mem::take(&mut block.stmts) {
        match &mut stmt {
            Stmt::Macro(call) => {
                let Some(name) = call.mac.path.get_ident().map(Ident::to_string) else {
                    stmts.push(stmt);
                    continue;
                };
                let given = Given { fields, own };
                let tokens = call.mac.tokens.clone();
                match name.as_str() {
                    "inputs" => given.inputs(Ports::parse.parse2(tokens)?, &mut stmts),
                    "fields" => given.fields(Ports::parse.parse2(tokens)?, &mut stmts)?,
                    "outputs" => given.outputs(Ports::parse.parse2(tokens)?, &mut stmts)?,
                    "assign" => given.assign(list(tokens)?, &mut stmts)?,
                    "advance" => given.advance(list(tokens)?, &mut stmts)?,
                    "clear" => given.clear(list(tokens)?, &mut stmts)?,
                    "reset" => {
                        let (mut cleared, this) = (vec![], given.this());
                        given.clear(list(tokens)?, &mut cleared)?;
                        stmts.push(parse_quote!(if #this.reset.val() { #(#cleared)* }));
                    }
                    "each" => {
                        for body in Each::parse.parse2(tokens)?.bodies()? {
                            let mut body = Block {
                                brace_token: Default::default(),
                                stmts: Block::parse_within.parse2(body)?,
                            };
                            connect(&mut body, fields, own)?;
                            stmts.extend(body.stmts);
                        }
                    }
                    _ => stmts.push(stmt),
                }
                continue;
            }
            Stmt::Expr(Expr::ForLoop(each), _) => connect(&mut each.body, fields, own)?,
            Stmt::Expr(Expr::If(choice), _) => branches(choice, fields, own)?,
            Stmt::Expr(Expr::Match(choice), _) => {
                for arm in &mut choice.arms {
                    if let Expr::Block(body) = arm.body.as_mut() {
                        connect(&mut body.block, fields, own)?;
                    }
                }
            }
            _ => {}
        }
        stmts.push(stmt);
    }
    block.stmts = stmts;
    Ok(())
}

fn branches(choice: &mut syn::ExprIf, fields: &[Clocked], own: Span) -> syn::Result<()> {
    connect(&mut choice.then_branch, fields, own)?;
    match choice.else_branch.as_mut().map(|(_, other)| other.as_mut()) {
        Some(Expr::Block(other)) => connect(&mut other.block, fields, own),
        Some(Expr::If(other)) => branches(other, fields, own),
        _ => Ok(()),
    }
}

fn list<T: Parse>(tokens: TokenStream) -> syn::Result<Vec<T>> {
    let items = Punctuated::<T, Token![,]>::parse_terminated.parse2(tokens)?;
    Ok(items.into_iter().collect())
}

/// `a` or `a.b`.
#[derive(Clone)]
struct Path(Vec<Ident>);

impl Parse for Path {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let parts = Punctuated::<Ident, Token![.]>::parse_separated_nonempty(input)?;
        Ok(Self(parts.into_iter().collect()))
    }
}

/// `a`, or `a = b.c`.
struct Pair {
    to: Path,
    from: Path,
}

impl Parse for Pair {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let to: Path = input.parse()?;
        let equal: Option<Token![=]> = input.parse()?;
        let from = equal.map(|_| input.parse()).transpose()?.unwrap_or_else(|| to.clone());
        Ok(Self { to, from })
    }
}

/// `child: a, b = c`, `[one, two]: a`, `child from other: a`, or with a comma for the colon.
struct Ports {
    children: Vec<Expr>,
    other: Option<Ident>,
    pairs: Vec<Pair>,
}

impl Parse for Ports {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let children = match input.parse()? {
            Expr::Array(all) => all.elems.into_iter().collect(),
            one => vec![one],
        };
        let from: Option<Ident> = input.parse()?;
        let other = match from {
            Some(word) if word == "from" => Some(input.parse()?),
            Some(word) => return Err(syn::Error::new(word.span(), "expected `from`, a colon or a comma")),
            None => None,
        };
        if input.parse::<Option<Token![:]>>()?.is_none() {
            input.parse::<Token![,]>()?;
        }
        let pairs = Punctuated::<Pair, Token![,]>::parse_terminated(input)?;
        if pairs.is_empty() {
            return Err(input.error("at least one port"));
        }
        Ok(Self {
            children,
            other,
            pairs: pairs.into_iter().collect(),
        })
    }
}

impl Ports {
    /// Where a value is, with the `other` it is of.
    fn source(&self, from: &Path) -> Vec<Ident> {
        self.other.iter().chain(&from.0).cloned().collect()
    }
}

/// The fields of the block, and the place of its `self`.
struct Given<'a> {
    fields: &'a [Clocked],
    own: Span,
}

impl Given<'_> {
    fn this(&self) -> Ident {
        Ident::new("self", self.own)
    }

    fn field(&self, name: impl ToString) -> Option<&Clocked> {
        let name = name.to_string();
        self.fields.iter().find(|field| field.name == name)
    }

    /// The place that a path is written to; a register's says that it is its input.
    fn target(&self, path: &[Ident]) -> syn::Result<TokenStream> {
        let (this, head, rest) = (self.this(), &path[0], &path[1..]);
        Ok(match self.field(head).map(|field| field.role) {
            Some(Role::Child | Role::Bundle) => quote!(#this.#head #(.#rest)*.next),
            Some(role) if role.is_stored() => match rest {
                [d, rest @ ..] if d == "d" => quote!(#this.#head.d.next #(.#rest)*),
                _ => {
                    let about = format!("a register is written at its input: `{head}.d`");
                    return Err(syn::Error::new(head.span(), about));
                }
            },
            _ => quote!(#this.#head.next #(.#rest)*),
        })
    }

    /// The value of a path: a signal or register and its fields, or a port of a child.
    fn value(&self, path: &[Ident]) -> TokenStream {
        let (this, head, rest) = (self.this(), &path[0], &path[1..]);
        match self.field(head).map(|field| field.role) {
            Some(Role::Child | Role::Bundle) => quote!(#this.#head #(.#rest)*.val()),
            Some(Role::Delay) if rest.first().is_some_and(|q| q == "q") => {
                let rest = &rest[1..];
                quote!(#this.#head.q.val() #(.#rest)*)
            }
            Some(role) if role.is_stored() => quote!(#this.#head.q.val() #(.#rest)*),
            _ => quote!(#this.#head.val() #(.#rest)*),
        }
    }

    /// Connects inputs of children.
    fn inputs(&self, ports: Ports, stmts: &mut Vec<Stmt>) {
        let this = self.this();
        for child in &ports.children {
            for Pair { to, from } in &ports.pairs {
                let (to, value) = (&to.0, self.value(&ports.source(from)));
                stmts.push(parse_quote!(#this.#child #(.#to)*.next = #value;));
            }
        }
    }

    /// Gives fields of words their values.
    fn fields(&self, ports: Ports, stmts: &mut Vec<Stmt>) -> syn::Result<()> {
        for word in &ports.children {
            let word = Path::parse.parse2(word.to_token_stream())?;
            for Pair { to, from } in &ports.pairs {
                let place = self.target(&[&word.0[..], &to.0[..]].concat())?;
                let value = self.value(&ports.source(from));
                stmts.push(parse_quote!(#place = #value;));
            }
        }
        Ok(())
    }

    fn outputs(&self, ports: Ports, stmts: &mut Vec<Stmt>) -> syn::Result<()> {
        let this = self.this();
        for child in &ports.children {
            for Pair { to, from } in &ports.pairs {
                let (place, from) = (self.target(&to.0)?, &from.0);
                stmts.push(parse_quote!(#place = #this.#child #(.#from)*.val();));
            }
        }
        Ok(())
    }

    fn assign(&self, pairs: Vec<Pair>, stmts: &mut Vec<Stmt>) -> syn::Result<()> {
        for Pair { to, from } in &pairs {
            let (place, value) = (self.target(&to.0)?, self.value(&from.0));
            stmts.push(parse_quote!(#place = #value;));
        }
        Ok(())
    }

    fn advance(&self, names: Vec<Ident>, stmts: &mut Vec<Stmt>) -> syn::Result<()> {
        let this = self.this();
        for name in names {
            let text = name.to_string();
            let before = text
                .rsplit_once('_')
                .and_then(|(what, clock)| Some(format!("{what}_{}", clock.parse::<u32>().ok()?.checked_sub(1)?)))
                .ok_or_else(|| syn::Error::new(name.span(), "a register that ends in the number of its clock"))?;
            let before = Ident::new(&before, name.span());
            stmts.push(parse_quote!(#this.#name.d.next = #this.#before.q.val();));
        }
        Ok(())
    }

    fn clear(&self, names: Vec<Ident>, stmts: &mut Vec<Stmt>) -> syn::Result<()> {
        let this = self.this();
        for name in names {
            let field = self.field(&name);
            let holds = field.and_then(|field| field.holds.as_ref());
            let (next, zero) = match field.map(|field| field.role) {
                Some(Role::Flag) => (quote!(d.next), quote!(false)),
                Some(Role::Number) => (quote!(d.next), quote!(0.into())),
                Some(Role::Register) => (quote!(d.next), quote!(bits_zero::<#holds>(0))),
                Some(Role::Bit) => (quote!(next), quote!(false)),
                Some(Role::Value) => (quote!(next), quote!(0.into())),
                Some(Role::Word) => (quote!(next), quote!(bits_zero::<#holds>(0))),
                _ => {
                    let about = "a register, signal or output is cleared";
                    return Err(syn::Error::new(name.span(), about));
                }
            };
            stmts.push(match field.and_then(|field| field.length.as_ref()) {
                None => parse_quote!(#this.#name.#next = #zero;),
                Some(length) => {
                    let i = Ident::new("i", self.own);
                    parse_quote!(for #i in 0..#length { #this.#name[#i].#next = #zero; })
                }
            });
        }
        Ok(())
    }
}

/// `(a, b) in [(x, y), ..] { statements }`.
struct Each {
    names: Vec<Ident>,
    values: Vec<Vec<Expr>>,
    body: TokenStream,
}

impl Parse for Each {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let (names, all, body);
        parenthesized!(names in input);
        let names = Punctuated::<Ident, Token![,]>::parse_terminated(&names)?;
        input.parse::<Token![in]>()?;
        bracketed!(all in input);
        let mut values = vec![];
        while !all.is_empty() {
            let one;
            parenthesized!(one in all);
            let one = Punctuated::<Expr, Token![,]>::parse_terminated(&one)?;
            values.push(one.into_iter().collect::<Vec<_>>());
            if !all.is_empty() {
                all.parse::<Token![,]>()?;
            }
        }
        braced!(body in input);
        Ok(Self {
            names: names.into_iter().collect(),
            values,
            body: body.parse()?,
        })
    }
}

impl Each {
    /// The statements for each of the values.
    fn bodies(&self) -> syn::Result<Vec<TokenStream>> {
        let one = |values: &Vec<Expr>| {
            if values.len() != self.names.len() {
                let about = "as many as there are names";
                return Err(syn::Error::new_spanned(quote!(#(#values),*), about));
            }
            Ok(self.with(values, self.body.clone()))
        };
        self.values.iter().map(one).collect()
    }

    fn with(&self, values: &[Expr], tokens: TokenStream) -> TokenStream {
        let replaced = |tree| match tree {
            TokenTree::Ident(name) => match self.names.iter().position(|own| name == *own) {
                Some(at) => values[at].to_token_stream(),
                None => TokenTree::Ident(name).into(),
            },
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), self.with(values, group.stream()));
                inside.set_span(group.span());
                TokenTree::Group(inside).into()
            }
            other => other.into(),
        };
        tokens
            .into_iter()
            .map(replaced)
            .collect::<Vec<TokenStream>>()
            .into_iter()
            .collect()
    }
}
