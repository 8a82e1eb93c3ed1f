//! What a field of a block is, told from its type, and the list of fields that travels from `#[block]` to `#[kernel]`.

use proc_macro2::TokenStream;
use quote::{quote, ToTokens};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{bracketed, parenthesized, Expr, Field, GenericArgument, Ident, PathArguments, Token, Type};

/// What a field is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `Signal<In, ..>` or `Signal<Out, ..>`.
    Port,
    /// A public bundle of ports.
    Bundle,
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

/// The n-th generic argument of a type.
fn argument_type(ty: &Type, n: usize) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    match path.path.segments.last().map(|last| &last.arguments) {
        Some(PathArguments::AngleBracketed(all)) => match all.args.iter().nth(n) {
            Some(GenericArgument::Type(ty)) => Some(ty),
            _ => None,
        },
        _ => None,
    }
}

/// Its name.
fn argument(ty: &Type, n: usize) -> String {
    argument_type(ty, n).map(type_name).unwrap_or_default()
}

/// The type of an array's items, and its length.
pub fn array(ty: &Type) -> (&Type, Option<&Expr>) {
    match ty {
        Type::Array(array) => (&array.elem, Some(&array.len)),
        _ => (ty, None),
    }
}

fn is_combinational(field: &Field) -> bool {
    field.attrs.iter().any(|attr| attr.path().is_ident("combinational"))
}

/// What a field is.
pub fn kind(field: &Field) -> Kind {
    let name = field.ident.as_ref().map(Ident::to_string).unwrap_or_default();
    let (ty, _) = array(&field.ty);
    if name.starts_with('_') || is_combinational(field) {
        return Kind::Other;
    }
    match (type_name(ty).as_str(), argument(ty, 0).as_str()) {
        ("Signal", "In") if argument(ty, 1) == "Clock" => Kind::Clock,
        ("Signal", "In" | "Out") => Kind::Port,
        ("Signal" | "Constant", _) => Kind::Other,
        ("DFF", _) => Kind::Register,
        _ if matches!(field.vis, syn::Visibility::Public(_)) => Kind::Bundle,
        _ => Kind::Child,
    }
}

/// What the kernel knows of a field by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A register of one bit.
    Flag,
    /// A register of a number.
    Number,
    /// Any other register.
    Register,
    /// A `Delay`, which reads and is written like a register.
    Delay,
    /// A block.
    Child,
    /// A bundle of ports, or a block without a clock.
    Bundle,
    /// A signal or output of one bit.
    Bit,
    /// A signal or output of a number.
    Value,
    /// A signal or output of any other type: a word, a value of an enumeration.
    Word,
    /// An input or a constant.
    Signal,
}

impl Role {
    const NAMES: [(Self, &'static str); 10] = [
        (Self::Flag, "flag"),
        (Self::Number, "number"),
        (Self::Register, "register"),
        (Self::Delay, "delay"),
        (Self::Child, "child"),
        (Self::Bundle, "bundle"),
        (Self::Bit, "bit"),
        (Self::Value, "value"),
        (Self::Word, "word"),
        (Self::Signal, "signal"),
    ];

    fn of(field: &Field) -> Option<Self> {
        let (ty, _) = array(&field.ty);
        let stored = argument(ty, 0);
        let written = type_name(ty) == "Signal" && stored != "In";
        Some(match kind(field) {
            Kind::Port | Kind::Other if written && argument(ty, 1) == "Bit" => Self::Bit,
            Kind::Port | Kind::Other if written && argument(ty, 1) == "U" => Self::Value,
            Kind::Port | Kind::Other if written => Self::Word,
            Kind::Register if stored == "Bit" => Self::Flag,
            Kind::Register if stored == "U" => Self::Number,
            Kind::Register => Self::Register,
            Kind::Child if type_name(ty) == "Delay" => Self::Delay,
            Kind::Child => Self::Child,
            Kind::Bundle => Self::Bundle,
            // a child without a clock
            Kind::Other if is_combinational(field) => Self::Bundle,
            Kind::Port | Kind::Clock => Self::Signal,
            Kind::Other if matches!(type_name(ty).as_str(), "Signal" | "Constant") => Self::Signal,
            Kind::Other => return None,
        })
    }

    /// It keeps its value by itself.
    pub fn is_register(self) -> bool {
        matches!(self, Self::Flag | Self::Number | Self::Register)
    }

    /// It has an input `d` and shows at `q` what that was before.
    pub fn is_stored(self) -> bool {
        self.is_register() || self == Self::Delay
    }
}

/// A field or an array of them, as the kernel needs it.
pub struct Clocked {
    /// Field.
    pub name: Ident,
    /// What it is.
    pub role: Role,
    /// Length of the array.
    pub length: Option<Expr>,
    /// What is kept or carried, where that is neither a bit nor a number.
    pub holds: Option<Type>,
}

impl ToTokens for Clocked {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let name = &self.name;
        let word = Role::NAMES.iter().find(|(role, _)| *role == self.role);
        let word = Ident::new(word.map_or("", |(_, word)| word), name.span());
        let length = self.length.as_ref().map(|length| quote!([#length]));
        let holds = self.holds.as_ref().map(|ty| quote!((#ty)));
        tokens.extend(quote!(#name: #word #length #holds));
    }
}

impl Parse for Clocked {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let word: Ident = input.parse()?;
        let role = Role::NAMES.iter().find(|(_, name)| word == name);
        let (role, _) = *role.ok_or_else(|| syn::Error::new(word.span(), "no role of a field"))?;
        let length = if input.peek(syn::token::Bracket) {
            let inside;
            bracketed!(inside in input);
            Some(inside.parse()?)
        } else {
            None
        };
        let holds = if input.peek(syn::token::Paren) {
            let inside;
            parenthesized!(inside in input);
            Some(inside.parse()?)
        } else {
            None
        };
        Ok(Self {
            name,
            role,
            length,
            holds,
        })
    }
}

/// What a kernel can name: registers, children, bundles, signals and ports.
pub fn clocked<'a>(fields: impl Iterator<Item = &'a Field>) -> Punctuated<Clocked, Token![,]> {
    let each = |field: &Field| {
        let role = Role::of(field)?;
        let held = match role {
            Role::Register => argument_type(array(&field.ty).0, 0),
            Role::Word => argument_type(array(&field.ty).0, 1),
            _ => None,
        };
        Some(Clocked {
            name: field.ident.clone()?,
            role,
            length: array(&field.ty).1.cloned(),
            holds: held.cloned(),
        })
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
                step: DFF<Step>,
                row: [DFF<Bit>; N],
                lane: [Lane<4>; 5],
                #[combinational]
                decode: Decode,
                _model: Vec<u64>,
            }
        };
        let kinds: Vec<_> = block.fields.iter().map(kind).collect();
        use Kind::*;
        let expected = [
            Clock, Port, Bundle, Other, Other, Register, Register, Register, Child, Other, Other,
        ];
        assert_eq!(kinds, expected);
        let list = clocked(block.fields.iter()).to_token_stream().to_string();
        assert_eq!(
            list,
            "clock : signal , q : value , up : bundle , inside : bit , limit : signal , value : flag , step : register (Step) , row : flag [N] , \
             lane : child [5] , decode : bundle"
        );
    }
}
