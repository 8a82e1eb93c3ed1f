//! `#[kernel]`: clocks, registers that keep their value, connections by name, and the module's name.

use crate::connect::connect;
use crate::fields::{list_name, Clocked, Role};
use crate::names::names;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use std::collections::BTreeSet;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    bracketed, parse2, parse_quote, parse_quote_spanned, Block, Expr, Ident, ImplItem, ImplItemFn, ItemImpl, Stmt,
    Token, Type,
};

/// Hands the `impl` to the macro that `#[block]` left.
pub fn expand(arguments: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    if !arguments.is_empty() {
        return Err(syn::Error::new_spanned(arguments, "#[kernel] takes no arguments"));
    }
    let logic: ItemImpl = parse2(item.clone())?;
    let Type::Path(block) = logic.self_ty.as_ref() else {
        return Err(syn::Error::new_spanned(
            &logic.self_ty,
            "#[kernel] stands on `impl Logic for` a block",
        ));
    };
    let name = &block.path.segments.last().expect("a path has a last part").ident;
    let list = list_name(name);
    Ok(quote!(#list! { #item }))
}

/// `[fields] impl ..`.
struct Kernel {
    fields: Vec<Clocked>,
    logic: ItemImpl,
}

impl Parse for Kernel {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let inside;
        bracketed!(inside in input);
        let fields = Punctuated::<Clocked, Token![,]>::parse_terminated(&inside)?;
        Ok(Self {
            fields: fields.into_iter().collect(),
            logic: input.parse()?,
        })
    }
}

/// Writes the kernel.
pub fn expand_with_fields(item: TokenStream) -> syn::Result<TokenStream> {
    let Kernel { fields, mut logic } = parse2(item)?;
    // An implementation of the type itself is simulated only: `hpcc-nic mutate` puts one in the place of the trait's.
    let simulated_only = logic.trait_.is_none();
    let own_timing = simulated_only || function(&mut logic, "timing").is_some();
    let whole = logic.self_ty.clone();
    let Some(update) = function(&mut logic, "update") else {
        return Err(syn::Error::new_spanned(whole, "a kernel has a function `update`"));
    };
    let Some(own) = update.sig.receiver().map(|receiver| receiver.self_token.span) else {
        return Err(syn::Error::new_spanned(&update.sig, "`update` takes `&mut self`"));
    };
    connect(&mut update.block, &fields, own)?;
    names(&mut update.block, &fields, own);
    let assigned = assigned(&update.block);
    let is_clocked = |field: &&Clocked| field.role.is_stored() || field.role == Role::Child;
    let clocked = fields.iter().filter(is_clocked);
    let setup = clocked.map(|field| set_up(field, &assigned, own));
    let body = &update.block.stmts;
    update.block = parse_quote!({ #(#setup)* #(#body)* });
    let described = (!simulated_only).then(|| described(&mut logic, own));
    if !own_timing {
        logic.items.push(parse_quote! {
            fn timing(&self) -> ::std::vec::Vec<::rust_hdl::prelude::TimingInfo> {
                ::hpcc_rtl::emit::naming::named::<Self>()
            }
        });
    }
    Ok(match described {
        None => quote!(#logic),
        Some(described) => quote!(#logic #described),
    })
}

/// Takes the kernel out of the `impl` and gives it to `#[hdl_gen]`, with other names for the syntax tree (`hpcc_rtl::emit::kernel` says why);
/// what `#[hdl_gen]` writes is called instead.
fn described(logic: &mut ItemImpl, own: Span) -> TokenStream {
    let update = function(logic, "update").expect("looked for before");
    // with the place of `self`, which `#[hdl_gen]` writes once more
    let mut kernel = update.clone();
    kernel.attrs.push(parse_quote_spanned!(own=> #[hdl_gen]));
    let trait_ = quote!(::hpcc_rtl::emit::kernel::Described);
    let this = Ident::new("self", own);
    update.block = parse_quote!({ <Self as #trait_>::update(#this) });
    logic.items.push(parse_quote! {
        fn connect(&mut self) {
            <Self as #trait_>::connect(self)
        }
    });
    logic.items.push(parse_quote! {
        fn hdl(&self) -> ::rust_hdl::prelude::Verilog {
            ::hpcc_rtl::emit::kernel::tree(<Self as #trait_>::hdl(self))
        }
    });
    let ItemImpl { generics, self_ty, .. } = logic;
    let (_, _, bounds) = generics.split_for_impl();
    quote! {
        const _: () = {
            use ::hpcc_rtl::emit::kernel::{ast, Box};
            use ::hpcc_rtl::kernel_list as vec;
            #[automatically_derived]
            impl #generics #trait_ for #self_ty #bounds {
                #kernel
            }
        };
    }
}

fn function<'a>(logic: &'a mut ItemImpl, name: &str) -> Option<&'a mut ImplItemFn> {
    logic.items.iter_mut().find_map(|item| match item {
        ImplItem::Fn(function) if function.sig.ident == name => Some(function),
        _ => None,
    })
}

/// The clock of a register or child, and the value that a register keeps; without the latter if the kernel always gives one.
fn set_up(field: &Clocked, assigned: &BTreeSet<String>, own: Span) -> TokenStream {
    let name = &field.name;
    let this = Ident::new("self", own);
    let place = match field.length {
        None => quote!(#this.#name),
        Some(_) => quote_spanned!(own=> #this.#name[i]),
    };
    let keep = field.role.is_register() && !assigned.contains(&name.to_string());
    let keep = keep.then(|| quote_spanned!(own=> #place.d.next = #place.q.val();));
    let both = quote_spanned!(own=> #place.clock.next = #this.clock.val(); #keep);
    match &field.length {
        None => both,
        Some(length) => {
            let i = Ident::new("i", own);
            quote_spanned!(own=> for #i in 0..#length { #both })
        }
    }
}

/// Registers whose next value the kernel assigns whole and without condition.
fn assigned(body: &Block) -> BTreeSet<String> {
    let target = |stmt: &Stmt| {
        let Stmt::Expr(Expr::Assign(assign), _) = stmt else {
            return None;
        };
        // self . name . d . next
        let text = {
            let left = &assign.left;
            quote!(#left).to_string()
        };
        let name = text.strip_prefix("self . ")?.strip_suffix(" . d . next")?;
        name.chars()
            .all(|c| c.is_alphanumeric() || c == '_')
            .then(|| name.to_string())
    };
    body.stmts.iter().filter_map(target).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(body: TokenStream) -> String {
        let item = quote! {
            [total: register, row: register[4], items: child, up: bundle, valid_2: flag, valid_3: flag, number_3: number, high: bit]
            impl Logic for Stage { fn update(&mut self) { #body } }
        };
        expand_with_fields(item).unwrap().to_string().replace(' ', "")
    }

    #[test]
    fn an_implementation_of_the_type_itself_has_no_verilog() {
        let item = quote! {
            [total: register]
            impl Stage { fn update(&mut self) { self.total.d.next = pick(1, 2); } }
        };
        let text = expand_with_fields(item).unwrap().to_string();
        assert!(text.contains("self . total . clock . next"), "{text}");
        assert!(!text.contains("hdl_gen") && !text.contains("timing"), "{text}");
    }

    #[test]
    fn registers_and_children_get_the_clock() {
        let text = kernel(quote!(self.q.next = self.total.q.val();));
        for piece in [
            "#[hdl_gen]fnupdate",
            "self.total.clock.next=self.clock.val();self.total.d.next=self.total.q.val();",
            "foriin0..4{self.row[i].clock.next=self.clock.val();self.row[i].d.next=self.row[i].q.val();}",
            "self.items.clock.next=self.clock.val();",
            "named::<Self>()",
        ] {
            assert!(text.contains(piece), "{piece} in {text}");
        }
        assert!(!text.contains("items.d"));
    }

    #[test]
    fn a_register_that_is_always_assigned_has_no_default() {
        let text = kernel(quote!(self.total.d.next = self.a.val();));
        assert!(!text.contains("self.total.q"), "{text}");
        let text = kernel(quote!(if self.c.val() {
            self.total.d.next = self.a.val();
        }));
        assert!(text.contains("self.total.d.next=self.total.q.val()"), "{text}");
        let text = kernel(quote!(self.total.d.next.field = self.a.val();));
        assert!(text.contains("self.total.d.next=self.total.q.val()"), "{text}");
    }

    #[test]
    fn ports_are_connected_by_name() {
        let text = kernel(quote! {
            inputs!(items, reset, total);
            if self.c.val() { outputs!(items, count); }
            for i in 0..3 { inputs!([a[i], b], reset); }
        });
        for piece in [
            "self.items.reset.next=self.reset.val();self.items.total.next=self.total.q.val();",
            "{self.count.next=self.items.count.val();}",
            "self.a[i].reset.next=self.reset.val();self.b.reset.next=self.reset.val();",
        ] {
            assert!(text.contains(piece), "{piece} in {text}");
        }
    }

    #[test]
    fn values_are_given_by_name() {
        let text = kernel(quote! {
            inputs!(items: enable = total, code = row_out.kind, reset = up.valid);
            inputs!(items from other_block: limit, first = second);
            fields!(total.d: enable, kind = valid_3);
            fields!(total.d from beat: last);
            outputs!(items: count, crowded = full);
            assign!(valid = valid_3, up.ready = go, number_3.d = count);
            advance!(valid_3);
            if self.reset.val() { clear!(valid_3, number_3, valid_2); }
            clear!(high);
            reset!(valid_2);
        });
        for piece in [
            "self.items.enable.next=self.total.q.val();self.items.code.next=self.row_out.val().kind;",
            "self.items.reset.next=self.up.valid.val();",
            "self.items.limit.next=self.other_block.val().limit;self.items.first.next=self.other_block.val().second;",
            "self.total.d.next.enable=self.enable.val();self.total.d.next.kind=self.valid_3.q.val();",
            "self.total.d.next.last=self.beat.val().last;",
            "self.count.next=self.items.count.val();self.crowded.next=self.items.full.val();",
            "self.valid.next=self.valid_3.q.val();self.up.ready.next=self.go.val();self.number_3.d.next=self.count.val();",
            "self.valid_3.d.next=self.valid_2.q.val();",
            "{self.valid_3.d.next=false;self.number_3.d.next=0.into();self.valid_2.d.next=false;}",
            "self.high.next=false;ifself.reset.val(){self.valid_2.d.next=false;}",
        ] {
            assert!(text.contains(piece), "{piece} in {text}");
        }
    }

    #[test]
    fn names_are_values_and_what_is_written() {
        let item = quote! {
            [total: register, row: register[4], items: child, up: bundle, late: delay, code: signal, high: bit, taken: bit]
            impl Logic for Stage { fn update(&mut self) {
                high = total.enable & !up.valid | (row[code.index()] == late.kind);
                total = pick::<4>(code) + 1;
                total.length = items.count;
                late = code;
                items.word.next.first = items.data.val().last;
                link(&mut up, &mut items.up);
                high = if code.any() { taken } else { false };
                for taken in 0..4 { row[taken] = self.code.val(); }
            } }
        };
        let text = expand_with_fields(item).unwrap().to_string().replace(' ', "");
        for piece in [
            "self.high.next=self.total.q.val().enable&!self.up.valid.val()|(self.row[self.code.val().index()].q.val()==self.late.q.val().kind);",
            "self.total.d.next=pick::<4>(self.code.val())+1;self.total.d.next.length=self.items.count.val();self.late.d.next=self.code.val();",
            "self.items.word.next.first=self.items.data.val().last;link(&mutself.up,&mutself.items.up);",
            "self.high.next=false;ifself.code.val().any(){self.high.next=taken;}",
            "fortakenin0..4{self.row[taken].d.next=self.code.val();}",
            "self.late.clock.next=self.clock.val();self.high",
        ] {
            assert!(text.contains(piece), "{piece} in {text}");
        }
    }

    #[test]
    fn statements_are_written_once_for_several_names() {
        let text = kernel(quote! {
            each!((law, code) in [(hpcc, Law::Hpcc), (dcqcn, Law::Dcqcn)] {
                self.law.valid.next = self.chosen.val() == code;
                inputs!(law: reset);
            });
        });
        for piece in [
            "self.hpcc.valid.next=self.chosen.val()==Law::Hpcc;self.hpcc.reset.next=self.reset.val();",
            "self.dcqcn.valid.next=self.chosen.val()==Law::Dcqcn;",
        ] {
            assert!(text.contains(piece), "{piece} in {text}");
        }
    }

    #[test]
    fn mistakes_are_told() {
        let error = expand_with_fields(quote!([] impl Logic for Stage {})).unwrap_err();
        assert_eq!(error.to_string(), "a kernel has a function `update`");
        let none = quote!([] impl Logic for Stage { fn update(&mut self) { inputs!(items,); } });
        assert!(expand_with_fields(none)
            .unwrap_err()
            .to_string()
            .contains("at least one port"));
        assert!(expand(quote!(x), quote!(impl Logic for A {})).is_err());
        for (body, said) in [
            (quote!(advance!(first);), "ends in the number of its clock"),
            (quote!(assign!(total = count);), "written at its input: `total.d`"),
            (quote!(clear!(up);), "a register, signal or output is cleared"),
            (quote!(each!((a, b) in [(x)] { }); ), "as many as there are names"),
        ] {
            let item = quote!([up: bundle, total: register] impl Logic for Stage { fn update(&mut self) { #body } });
            let error = expand_with_fields(item).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
