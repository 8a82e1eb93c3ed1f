//! `#[block]`: `LogicBlock`, `Default`, ports for test benches, and the list of fields for `#[kernel]`.

use crate::fields::{array, clocked, kind, list_name, Kind};
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{
    parenthesized, parse2, parse_quote, Attribute, Expr, Field, Fields, FieldsNamed, Ident, ItemStruct, LitStr, Token,
    Type,
};

/// An argument of `#[block]`.
enum Argument {
    /// `check(condition, "text")`.
    Check(Box<Expr>, LitStr),
    /// `no_default`.
    NoDefault,
}

impl Parse for Argument {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let word: Ident = input.parse()?;
        if word == "no_default" {
            return Ok(Self::NoDefault);
        }
        if word != "check" {
            return Err(syn::Error::new(
                word.span(),
                "expected check(condition, \"text\") or no_default",
            ));
        }
        let inside;
        parenthesized!(inside in input);
        let condition = inside.parse()?;
        inside.parse::<Token![,]>()?;
        let check = Self::Check(condition, inside.parse()?);
        inside.parse::<Option<Token![,]>>()?;
        Ok(check)
    }
}

/// `U<8>: a, b`: fields of one type, each with the comment over it.
struct Group {
    ty: Type,
    names: Punctuated<Named, Token![,]>,
}

struct Named {
    docs: Vec<Attribute>,
    name: Ident,
}

impl Parse for Named {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let docs = input.call(Attribute::parse_outer)?;
        if let Some(other) = docs.iter().find(|attr| !attr.path().is_ident("doc")) {
            return Err(syn::Error::new_spanned(other, "a name in a list has a comment at most"));
        }
        Ok(Self {
            docs,
            name: input.parse()?,
        })
    }
}

impl Parse for Group {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let ty = input.parse()?;
        input.parse::<Token![:]>()?;
        let names = Punctuated::parse_terminated(input)?;
        Ok(Self { ty, names })
    }
}

/// Declares the fields that `#[registers(..)]` and `#[signals(..)]` list, before the field that these stand on. A comment over a list is
/// that of the list.
fn declare(fields: &mut FieldsNamed) -> syn::Result<()> {
    let mut declared = Punctuated::new();
    for mut field in std::mem::take(&mut fields.named) {
        for attr in std::mem::take(&mut field.attrs) {
            let register = attr.path().is_ident("registers");
            if !register && !attr.path().is_ident("signals") {
                field.attrs.push(attr);
                continue;
            }
            let Group { ty, names } = attr.parse_args()?;
            field.attrs.retain(|attr| !attr.path().is_ident("doc"));
            for Named { docs, name } in names {
                declared.push(match register {
                    true => parse_quote!(#(#docs)* #name: DFF<#ty>),
                    false => parse_quote!(#(#docs)* #name: Signal<Local, #ty>),
                });
            }
        }
        declared.push(field);
    }
    fields.named = declared;
    Ok(())
}

/// What `Default` gives a field.
fn value(field: &Field) -> syn::Result<TokenStream> {
    let given = field.attrs.iter().find(|attr| attr.path().is_ident("init"));
    Ok(match (given, array(&field.ty).1) {
        (Some(given), _) => given.parse_args::<TokenStream>()?,
        (None, Some(_)) => quote!(::std::array::from_fn(|_| ::core::default::Default::default())),
        (None, None) => quote!(::core::default::Default::default()),
    })
}

pub fn expand(arguments: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let given = Punctuated::<Argument, Token![,]>::parse_terminated.parse2(arguments)?;
    let mut item: ItemStruct = parse2(item)?;
    if let Fields::Named(fields) = &mut item.fields {
        declare(fields)?;
    }
    let (name, list) = (&item.ident, list_name(&item.ident));
    let (generics, arguments, bounds) = item.generics.split_for_impl();
    let fields: Vec<_> = item.fields.iter().cloned().collect();
    let names: Vec<_> = fields.iter().map(|field| &field.ident).collect();
    let values = fields.iter().map(value).collect::<syn::Result<Vec<_>>>()?;
    let clocked = clocked(fields.iter());
    let checks = given.iter().filter_map(|argument| match argument {
        Argument::Check(condition, text) => Some(quote!(const { ::core::assert!(#condition, #text) };)),
        Argument::NoDefault => None,
    });
    let default = quote! {
        impl #generics ::core::default::Default for #name #arguments #bounds {
            fn default() -> Self {
                #(#checks)*
                Self { #(#names: #values,)* }
            }
        }
    };
    let default = given
        .iter()
        .all(|argument| !matches!(argument, Argument::NoDefault))
        .then_some(default);

    let is = |wanted: Kind| fields.iter().filter(move |field| kind(field) == wanted);
    let clock = is(Kind::Clock).filter(|field| field.ident.as_ref().is_some_and(|name| name == "clock"));
    let driven = clock.map(|clock| {
        let clock = &clock.ident;
        let is_port = |field: &&Field| matches!(kind(field), Kind::Port | Kind::Bundle);
        let ports: Vec<_> = fields.iter().filter(is_port).map(|port| &port.ident).collect();
        // a port of a type that is a parameter can be driven if that type can
        let parameters: Vec<_> = item.generics.type_params().map(|parameter| &parameter.ident).collect();
        quote! {
            impl #generics ::hpcc_rtl::sim::HasClock for #name #arguments #bounds {
                #[inline(always)]
                fn clock_port(
                    &mut self
                ) -> &mut ::rust_hdl::prelude::Signal<::rust_hdl::prelude::In, ::rust_hdl::prelude::Clock> {
                    &mut self.#clock
                }
            }
            impl #generics ::hpcc_rtl::sim::Ports for #name #arguments
            where #(#parameters: ::hpcc_rtl::prim::uint::Limbs,)* {
                #[allow(unused_assignments, unused_mut, unused_variables)]
                fn set_inputs(&mut self, limbs: &mut [u64]) {
                    let mut at = 0;
                    #(at += ::hpcc_rtl::sim::PortField::set_inputs(&mut self.#ports, &mut limbs[at..]);)*
                }
                #[allow(unused_assignments, unused_mut, unused_variables)]
                fn get_outputs(&self, limbs: &mut [u64]) {
                    let mut at = 0;
                    #(at += ::hpcc_rtl::sim::PortField::get_outputs(&self.#ports, &mut limbs[at..]);)*
                }
            }
        }
    });
    let written = quote! {
        #default
        #(#driven)*
        #[allow(unused_macros)]
        macro_rules! #list {
            ($($kernel:tt)*) => { ::hpcc_rtl::kernel_of! { [#clocked] $($kernel)* } };
        }
    };
    for field in &mut item.fields {
        let own = |attr: &syn::Attribute| attr.path().is_ident("init") || attr.path().is_ident("combinational");
        field.attrs.retain(|attr| !own(attr));
    }
    Ok(quote! {
        #[derive(::rust_hdl::prelude::LogicBlock)]
        #item
        #written
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_the_values_given_or_those_of_the_types() {
        let item = quote! {
            pub struct Row<const N: usize> {
                pub clock: Signal<In, Clock>,
                #[init(Constant::new(U(N as u64)))]
                limit: Constant<U<8>>,
                row: [DFF<Bit>; N],
            }
        };
        let text = expand(quote!(check(N > 1, "two at least")), item).unwrap().to_string();
        for piece in [
            "const { :: core :: assert ! (N > 1 , \"two at least\") }",
            "limit : Constant :: new (U (N as u64))",
            "row : :: std :: array :: from_fn",
            "clock : :: core :: default :: Default :: default ()",
            "kernel_of ! { [clock : signal , limit : signal , row : flag [N]]",
        ] {
            assert!(text.contains(piece), "{piece} in {text}");
        }
        assert!(!text.contains("init"), "{text}");
    }

    #[test]
    fn fields_of_one_type_are_declared_in_a_line() {
        let item = quote! {
            struct Stage {
                #[registers(U<8>: count_1, count_2)]
                #[signals(Bit: full)]
                items: Fifo<4>,
            }
        };
        let text = expand(quote!(), item).unwrap().to_string();
        let fields = "count_1 : DFF < U < 8 > > , count_2 : DFF < U < 8 > > , full : Signal < Local , Bit > , items : Fifo < 4 >";
        assert!(text.contains(fields), "{text}");
        assert!(text.contains("kernel_of ! { [count_1 : number , count_2 : number , full : bit , items : child]"));
    }

    #[test]
    fn a_comment_stands_with_its_name() {
        let item = quote! {
            struct Stage {
                /// Of the list.
                #[registers(U<8>:
                    /// One.
                    count_1,
                    count_2)]
                /// Of the field.
                items: Fifo<4>,
            }
        };
        let text = expand(quote!(), item).unwrap().to_string();
        let order = ["One.", "count_1 :", "count_2 :", "Of the field.", "items :"].map(|piece| text.find(piece));
        assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{text}");
        assert!(!text.contains("Of the list"), "{text}");
        let wrong = quote! { struct Stage { #[registers(U<8>: #[init(U(1))] count_1)] items: Fifo<4> } };
        let error = expand(quote!(), wrong).unwrap_err().to_string();
        assert_eq!(error, "a name in a list has a comment at most");
    }

    #[test]
    fn a_wrong_argument_is_told() {
        let error = expand(
            quote!(limit(3)),
            quote!(
                struct A {}
            ),
        )
        .unwrap_err();
        assert_eq!(error.to_string(), "expected check(condition, \"text\") or no_default");
    }
}
