//! Attributes that write what every RustHDL block repeats: `#[block]` on its struct, `#[kernel]` on its logic, `#[interface]`
//! on one side of a bundle of ports.
//!
//! ```text
//! #[block]
//! pub struct Stage {
//!     pub clock: Signal<In, Clock>,
//!     pub reset: Signal<In, Bit>,
//!     pub up: StreamIn<Beat>,
//!     pub count: Signal<Out, U<8>>,
//!     #[init(Constant::new(U(9)))]
//!     limit: Constant<U<8>>,
//!     total: DFF<U<8>>,
//!     items: StreamFifo<Beat, 4, 4>,
//!     #[combinational]
//!     decode: Decode,
//! }
//!
//! #[kernel]
//! impl Logic for Stage {
//!     fn update(&mut self) {
//!         inputs!(items, reset);
//!         ..
//!     }
//! }
//! ```
//!
//! A macro of `macro_rules!` cannot tell a register from a port, and `#[hdl_gen]` knows no macros but its own; so these are
//! procedural. `#[block]` leaves a list of the block's registers and children under the name `__Stage_fields`, a macro that
//! hands the list to the `#[kernel]` of the same name; the kernel stands below its struct.

mod block;
mod connect;
mod fields;
mod interface;
mod kernel;
mod names;

use proc_macro::TokenStream;

fn done(result: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    result.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// On the struct of a block: derives RustHDL's `LogicBlock`, writes `Default`, and makes the block one that the test benches
/// drive (`HasClock` and `Ports`), if it has a port `clock`.
///
/// * `#[init(value)]` on a field: what `Default` gives it, if not the default of its type. Arrays may have any length.
/// * `#[combinational]` on a field: a child without a clock.
/// * `#[registers(U<8>: a, b)]` and `#[signals(Bit: c, d)]` on a field: private registers `DFF` and signals `Signal<Local, ..>` of one type,
///   declared before that field. A comment over the list is that of the names in it; a name may have one of its own before it.
/// * `#[block(check(N > 1, "two stages at least"))]`: checked while compiling, for every size in which the block is used.
/// * `#[block(no_default)]`: a block that is made by a function of its own.
#[proc_macro_attribute]
pub fn block(arguments: TokenStream, item: TokenStream) -> TokenStream {
    done(block::expand(arguments.into(), item.into()))
}

/// On `impl Logic for` a [`macro@block`] that is converted to Verilog: makes `update` the kernel of `#[hdl_gen]`, gives every
/// register and every child the block's clock, lets every register keep its value where the kernel assigns none, and
/// names the module after the block, unless the `impl` has its own `timing`. Inside `update`:
///
/// * `inputs!(child: a, b = c)` connects inputs `a` and `b` of a child to the port, signal or register `a` and `c`;
///   `inputs!([one, two]: reset)` does so for several children, `inputs!(child from other: a, b)` to outputs of another child.
/// * `outputs!(child: a, b = c)` connects outputs `a` and `c` of a child to the ports, signals or registers `a` and `b`.
/// * `fields!(word: a, b = c)` gives fields of a signal, or with `word.d` of a register, the values of the port, signal or register `a`
///   and `c`, and `fields!(word from other: a, b)` those of the fields of another.
/// * `assign!(a = b, c.d = word.field, up.ready = e)` gives ports, signals and registers (at their input `d`) the values of others.
/// * `advance!(data_3, last_3)` gives each register the value of the one a clock before it, `data_2` and `last_2`.
/// * `clear!(a, b)` gives registers, signals and outputs of a bit or a number zero; `reset!(a, b)` does so while `reset` is high.
/// * `each!((a, b) in [(x, y), (z, w)] { .. });` writes its statements once for every row, with the row's words for the names.
///
/// A name of the block that stands alone in an expression is the value of that signal, port or register, and the left side of an assignment
/// is what it gets next: `a = b & !c.valid` is `self.a.next = self.b.val() & !self.c.valid.val()`, with `d` and `q` where `a` or `b` is a
/// register or a `Delay`. A field `b.c` of a word follows its name. A port of a child that is a word is read with `child.port.val().field` and
/// written with `child.port.next.field`; where `next` or `val` is written, they say it. `a = if c { b } else { d }` chooses. A variable of
/// the kernel hides a field of its name.
///
/// A path `a.b` in these lists is field `b` of signal or register `a`, or port `b` of child or interface `a`.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    done(kernel::expand(arguments.into(), item.into()))
}

/// A kernel together with the fields of its block: what [`macro@kernel`] becomes.
#[doc(hidden)]
#[proc_macro]
pub fn kernel_of(item: TokenStream) -> TokenStream {
    done(kernel::expand_with_fields(item.into()))
}

/// On a bundle of ports, which may hold other bundles. `#[interface(WorkOut, "Work, sending side.")]` on `struct WorkIn` makes the other
/// side too: it declares `WorkOut` with every direction reversed, and the two join.
#[proc_macro_attribute]
pub fn interface(arguments: TokenStream, item: TokenStream) -> TokenStream {
    done(interface::expand(arguments.into(), item.into()))
}
