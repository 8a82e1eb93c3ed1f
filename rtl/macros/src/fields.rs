//! What a field of a block is, told from its type, and the list of fields that travels from `#[block]` to `#[kernel]`.

use proc_macro2::TokenStream;
use quote::{quote, ToTokens};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{bracketed, Expr, Field, GenericArgument, Ident, PathArguments, Token, Type};

/// What a field is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `Signal<In, ..>`, `Signal<Out, ..>` or a public bundle of them.
    Port,
    /// The block's clock.
    Clock,
    /// `DFF<..>`.
    Register,
    /// Any other block.
    Child,
    /// A signal inside, a constant, state of a simulation model, or a child without clock.
    Other,
}

/// Name of the last part of a path: `DFF` for `rust_hdl::prelude::DFF<Bit>`.
fn type_name(ty: &Type) -> String {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .map_or(String::new(), |last| last.ident.to_string()),
        _ => String::new(),
    }
}

/// The n-th generic argument of a type as text.
fn argument(ty: &Type, n: usize) -> String {
    let Type::Path(path) = ty else { return String::new() };
    match path.path.segments.last().map(|last| &last.arguments) {
        Some(PathArguments::AngleBracketed(all)) => match all.args.iter().nth(n) {
            Some(GenericArgument::Type(ty)) => type_name(ty),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

/// The type of an array's items, and its length.
pub fn array(ty: &Type) -> (&Type, Option<&Expr>) {
    match ty {
        Type::Array(array) => (&array.elem, Some(&array.len)),
        _ => (ty, None),
    }
}

/// What a field is.
pub fn kind(field: &Field) -> Kind {
    let name = field.ident.as_ref().map(Ident::to_string).unwrap_or_default();
    let (ty, _) = array(&field.ty);
    if name.starts_with('_') || field.attrs.iter().any(|attr| attr.path().is_ident("combinational")) {
        return Kind::Other;
    }
    match (type_name(ty).as_str(), argument(ty, 0).as_str()) {
        ("Signal", "In") if argument(ty, 1) == "Clock" => Kind::Clock,
        ("Signal", "In" | "Out") => Kind::Port,
        ("Signal" | "Constant", _) => Kind::Other,
        ("DFF", _) => Kind::Register,
        _ if matches!(field.vis, syn::Visibility::Public(_)) => Kind::Port,
        _ => Kind::Child,
    }
}

/// A register or child, or an array of them, as the kernel needs it.
pub struct Clocked {
    /// Field.
    pub name: Ident,
    /// It keeps its value by itself.
    pub register: bool,
    /// Length of the array.
    pub length: Option<Expr>,
}

impl ToTokens for Clocked {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let name = &self.name;
        let word = Ident::new(if self.register { "register" } else { "child" }, name.span());
        let length = self.length.as_ref().map(|length| quote!([#length]));
        tokens.extend(quote!(#name: #word #length));
    }
}

impl Parse for Clocked {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let register = input.parse::<Ident>()? == "register";
        let length = if input.peek(syn::token::Bracket) {
            let inside;
            bracketed!(inside in input);
            Some(inside.parse()?)
        } else {
            None
        };
        Ok(Self { name, register, length })
    }
}

/// All registers and children of a block.
pub fn clocked<'a>(fields: impl Iterator<Item = &'a Field>) -> Punctuated<Clocked, Token![,]> {
    let each = |field: &Field| {
        let kind = kind(field);
        let (_, length) = array(&field.ty);
        let clocked = Clocked {
            name: field.ident.clone()?,
            register: kind == Kind::Register,
            length: length.cloned(),
        };
        matches!(kind, Kind::Register | Kind::Child).then_some(clocked)
    };
    fields.filter_map(each).collect()
}

/// The name of the macro that holds a block's list.
pub fn list_name(block: &Ident) -> Ident {
    Ident::new(&format!("__{block}_fields"), block.span())
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::{parse_quote, ItemStruct};

    #[test]
    fn fields_are_told_by_their_types() {
        let block: ItemStruct = parse_quote! {
            struct Block<const N: usize> {
                pub clock: Signal<In, Clock>,
                pub q: Signal<Out, U<8>>,
                pub up: StreamIn<Bit>,
                inside: Signal<Local, Bit>,
                limit: Constant<U<8>>,
                value: DFF<Bit>,
                row: [DFF<Bit>; N],
                lane: [Lane<4>; 5],
                #[combinational]
                decode: Decode,
                _model: Vec<u64>,
            }
        };
        let kinds: Vec<_> = block.fields.iter().map(kind).collect();
        use Kind::*;
        let expected = [Clock, Port, Port, Other, Other, Register, Register, Child, Other, Other];
        assert_eq!(kinds, expected);
        let list = clocked(block.fields.iter()).to_token_stream().to_string();
        assert_eq!(list, "value : register , row : register [N] , lane : child [5]");
    }
}
