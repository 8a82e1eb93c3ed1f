//! `#[interface]`: a bundle of ports, or both sides of it from one.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::visit_mut::VisitMut;
use syn::{parse2, parse_quote, Ident, ItemStruct, LitStr, Token};

/// Name and comment of the other side.
struct Other(Ident, LitStr);

impl Parse for Other {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![,]>()?;
        Ok(Self(name, input.parse()?))
    }
}

/// Turns inputs into outputs and back.
struct Reverse;

impl VisitMut for Reverse {
    fn visit_ident_mut(&mut self, name: &mut Ident) {
        if name == "In" {
            *name = Ident::new("Out", name.span());
        } else if name == "Out" {
            *name = Ident::new("In", name.span());
        }
    }
}

pub fn expand(arguments: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let one: ItemStruct = parse2(item)?;
    if arguments.is_empty() {
        return Ok(side(&one, None));
    }
    let Other(other_name, comment) = parse2(arguments)?;
    let mut other = one.clone();
    other.ident = other_name;
    other.attrs.retain(|attr| !attr.path().is_ident("doc"));
    other.attrs.push(parse_quote!(#[doc = #comment]));
    for field in &mut other.fields {
        Reverse.visit_type_mut(&mut field.ty);
    }
    let (one, other) = (side(&one, Some(&other.ident)), side(&other, Some(&one.ident)));
    Ok(quote!(#one #other))
}

/// One side, which joins the `other` if there is one.
fn side(item: &ItemStruct, other: Option<&Ident>) -> TokenStream {
    let name = &item.ident;
    let join = other.map(|other| {
        let other = other.to_string();
        quote!(#[join = #other])
    });
    let (generics, arguments, _) = item.generics.split_for_impl();
    let parameters = item.generics.type_params().map(|parameter| &parameter.ident);
    let fields: Vec<_> = item.fields.iter().map(|field| &field.ident).collect();
    quote! {
        #[derive(Clone, Debug, Default, ::rust_hdl::prelude::LogicInterface)]
        #join
        #item
        impl #generics ::hpcc_rtl::sim::PortField for #name #arguments
        where #(#parameters: ::hpcc_rtl::prim::uint::Limbs,)* {
            #[inline(always)]
            fn set_inputs(&mut self, limbs: &mut [u64]) -> usize {
                let mut at = 0;
                #(at += ::hpcc_rtl::sim::PortField::set_inputs(&mut self.#fields, &mut limbs[at..]);)*
                at
            }
            #[inline(always)]
            fn get_outputs(&self, limbs: &mut [u64]) -> usize {
                let mut at = 0;
                #(at += ::hpcc_rtl::sim::PortField::get_outputs(&self.#fields, &mut limbs[at..]);)*
                at
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_alone_joins_nothing() {
        let item = quote! {
            pub struct AxiOut {
                pub aw: AxiAddressOut,
            }
        };
        let text = expand(quote!(), item).unwrap().to_string();
        assert!(!text.contains("join") && text.matches("struct").count() == 1, "{text}");
    }

    #[test]
    fn the_other_side_is_reversed() {
        let item = quote! {
            /// Work.
            pub struct WorkIn {
                /// Offered.
                pub valid: Signal<In, Bit>,
                /// Taken.
                pub ready: Signal<Out, Bit>,
            }
        };
        let text = expand(quote!(WorkOut, "Work, sending side."), item)
            .unwrap()
            .to_string();
        let (one, other) = text.split_at(text.find("struct WorkOut").unwrap());
        assert!(one.contains("pub valid : Signal < In , Bit >") && one.contains("join = \"WorkOut\""));
        assert!(
            other.contains("pub valid : Signal < Out , Bit >") && other.contains("pub ready : Signal < In , Bit >")
        );
        assert!(
            one.contains("Work, sending side.") && other.contains("= r\" Offered.\"")
                || other.contains("\" Offered.\"")
        );
    }
}
