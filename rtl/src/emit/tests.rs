//! What is refused, how modules are named and shared, and what the folder looks like. That the emitted text means the
//! same as the simulation is proven in the test bench, against Verilator.

use super::*;
use crate::prim::delay::Delay;
use crate::prim::uint::*;
use rust_hdl::prelude::*;

/// Declares a block of two 8-bit inputs, a condition, an output, and whatever else it needs.
macro_rules! block {
    ($name:ident { $($field:ident : $ty:ty),* }) => {
        #[derive(LogicBlock, Default)]
        struct $name {
            clock: Signal<In, Clock>,
            a: Signal<In, U<8>>,
            b: Signal<In, U<8>>,
            c: Signal<In, Bit>,
            o: Signal<Out, U<8>>,
            $($field: $ty,)*
        }
    };
}

fn text<B: Block + Default>() -> String {
    let mut library = Library::new();
    library.add_top("top", &mut B::default()).expect("emits");
    library.module_text("top").expect("module").to_string()
}

fn fault<B: Block + Default>() -> Fault {
    match Library::new().add_top("top", &mut B::default()) {
        Err(EmitError::Fault { fault, .. }) => fault,
        other => panic!("expected a fault, got {other:?}"),
    }
}

block!(Latch {});
impl Logic for Latch {
    #[hdl_gen]
    fn update(&mut self) {
        if self.c.val() {
            self.o.next = self.a.val();
        }
    }
}
block!(HalfLatch { t: Signal<Local, U<8>> });
impl Logic for HalfLatch {
    #[hdl_gen]
    fn update(&mut self) {
        self.t.next = 0.into();
        if self.c.val() {
            self.o.next = self.a.val();
        } else {
            self.t.next = self.b.val();
        }
    }
}
block!(Complete {});
impl Logic for Complete {
    #[hdl_gen]
    fn update(&mut self) {
        if self.c.val() {
            self.o.next = self.a.val();
        } else {
            self.o.next = self.b.val();
        }
    }
}

#[test]
fn latches_are_refused() {
    assert_eq!(fault::<Latch>(), Fault::Latch("o".into()));
    assert_eq!(fault::<HalfLatch>(), Fault::Latch("o".into()));
    assert!(text::<Complete>().contains("if (c) begin\n      o = a;\n    end else begin\n      o = b;\n    end"));
}

block!(ReadBetween { r: DFF<U<8>> });
impl Logic for ReadBetween {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.clock.next = self.clock.val();
        self.r.d.next = self.a.val();
        self.o.next = self.r.d.val();
        if self.c.val() {
            self.r.d.next = self.b.val();
        }
    }
}
block!(ReadAfter { r: DFF<U<8>> });
impl Logic for ReadAfter {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.clock.next = self.clock.val();
        self.r.d.next = self.a.val();
        if self.c.val() {
            self.r.d.next = self.b.val();
        }
        self.o.next = self.r.d.val() + self.r.q.val();
    }
}

#[test]
fn reading_a_childs_input_between_assignments_is_refused() {
    assert_eq!(fault::<ReadBetween>(), Fault::ReadEarly("r_d".into()));
    assert!(text::<ReadAfter>().contains("assign o = r_d + r_q;"));
}

block!(TooWide {});
impl Logic for TooWide {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val() & 0x100;
    }
}
block!(Ambiguous {});
impl Logic for Ambiguous {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val();
        if self.a.val().get_bit((self.b.val() + 1).index()) {
            self.o.next = 0.into();
        }
    }
}
block!(Scaled {});
impl Logic for Scaled {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val().get_bits::<8>(self.b.val().index() * 2 + 1);
    }
}
block!(SignedNumber { s: Signal<Local, Signed<8>> });
impl Logic for SignedNumber {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val();
        self.s.next = 1.into();
    }
}
block!(Reserved { bit: Signal<Local, Bit> });
impl Logic for Reserved {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val();
        self.bit.next = self.c.val();
    }
}
block!(Twice { x_0: Signal<Local, Bit>, x: [Signal<Local, Bit>; 1] });
impl Logic for Twice {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val();
        self.x_0.next = self.c.val();
        self.x[0].next = self.c.val();
    }
}

#[test]
fn what_verilog_would_compute_differently_is_refused() {
    assert_eq!(fault::<TooWide>(), Fault::LiteralTooWide("32'h100".into(), 8));
    assert!(matches!(fault::<Ambiguous>(), Fault::AmbiguousPosition(_)));
    assert!(text::<Scaled>().contains("a >> ({1'd0, ({2'd0, b} * {8'd0, 2'd2})} + {10'd0, 1'd1})"));
    assert_eq!(fault::<SignedNumber>(), Fault::Signed);
    assert_eq!(fault::<Reserved>(), Fault::BadName("bit".into()));
    assert_eq!(fault::<Twice>(), Fault::DuplicateName("x_0".into()));
}

const HIDDEN: u64 = 7;

/// The description of `o = HIDDEN`, which the macro records as a signal of that name.
#[derive(LogicBlock, Default)]
struct Unknown {
    clock: Signal<In, Clock>,
    o: Signal<Out, U<8>>,
}
impl Logic for Unknown {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = HIDDEN.into();
    }
}

#[test]
fn constants_of_rust_are_refused_with_a_remedy() {
    let error = Library::new()
        .add_top("top", &mut Unknown::default())
        .expect_err("refused")
        .to_string();
    assert!(
        error.starts_with("top: `HIDDEN` is not a signal") && error.contains("`Constant`"),
        "{error}"
    );
}

#[test]
fn undriven_inputs_are_reported() {
    block!(Undriven { r: DFF<U<8>> });
    impl Logic for Undriven {
        #[hdl_gen]
        fn update(&mut self) {
            self.o.next = self.r.q.val();
            self.r.d.next = self.a.val();
        }
    }
    let result = Library::new().add_top("top", &mut Undriven::default());
    assert!(matches!(result, Err(EmitError::Check { .. })));
}

/// Three delays, two of them alike.
#[derive(LogicBlock, Default)]
struct Delays {
    clock: Signal<In, Clock>,
    a: Signal<In, U<8>>,
    o: Signal<Out, U<8>>,
    first: Delay<U<8>, 3>,
    second: Delay<U<8>, 4>,
    third: Delay<U<8>, 3>,
}
impl Logic for Delays {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.clock.next = self.clock.val();
        self.second.clock.next = self.clock.val();
        self.third.clock.next = self.clock.val();
        self.first.d.next = self.a.val();
        self.second.d.next = self.first.q.val();
        self.third.d.next = self.second.q.val();
        self.o.next = self.third.q.val();
    }
}

#[test]
fn equal_blocks_share_a_module_across_tops() {
    let mut library = Library::new();
    library.add_top("delays", &mut Delays::default()).expect("emits");
    library.add_top("again", &mut Delays::default()).expect("emits");
    assert_eq!(library.modules_of("delays"), ["hpcc_delay", "delays"]);
    assert_eq!(library.module_order(), ["hpcc_delay", "delays", "again"]);
    let top = library.module_text("delays").expect("module");
    assert!(
        top.contains("hpcc_delay #(.WIDTH(8), .DEPTH(3)) u_first (\n    .clk(clk),\n    .d(a),\n    .q(first_q)\n  );"),
        "{top}"
    );
    assert!(matches!(
        library.add_top("delays", &mut Delay::<U<8>, 9>::default()),
        Err(EmitError::DuplicateTop(name)) if name == "delays"
    ));
}

#[test]
fn the_folder_is_compared_and_cleaned() {
    let mut library = Library::new();
    library.add_top("delays", &mut Delays::default()).expect("emits");
    let tree = Tree::new(&library);
    let dir = std::env::temp_dir().join(format!("hpcc-emit-{}", std::process::id()));
    tree.write(&dir).expect("written");
    assert_eq!(tree.differences(&dir).expect("readable"), []);
    assert_eq!(
        tree.0["hpcc_nic.f"].lines().skip(1).collect::<Vec<_>>(),
        ["rtl/hpcc_delay.sv", "rtl/delays.sv"]
    );

    let stale = dir.join("rtl/old.sv");
    std::fs::copy(dir.join("rtl/delays.sv"), &stale).expect("copied");
    std::fs::write(dir.join("rtl/by_hand.sv"), "module by_hand; endmodule\n").expect("written");
    std::fs::remove_file(dir.join("hpcc_nic.f")).expect("removed");
    let changed = tree.0["rtl/delays.sv"].replace("u_first", "u_last");
    std::fs::write(dir.join("rtl/delays.sv"), changed).expect("written");
    let found: Vec<String> = tree
        .differences(&dir)
        .expect("readable")
        .iter()
        .map(|d| d.to_string())
        .collect();
    assert_eq!(found[0], "rtl/old.sv: no block emits this file any more");
    assert_eq!(found[1], "hpcc_nic.f: missing");
    assert!(found[2].starts_with("rtl/delays.sv:1") && found[2].contains("u_first") && found[2].contains("u_last"));
    assert_eq!(found.len(), 3, "files written by hand are nobody's business: {found:?}");

    tree.write(&dir).expect("written");
    assert!(!stale.exists() && dir.join("rtl/by_hand.sv").exists());
    assert_eq!(tree.differences(&dir).expect("readable"), []);
    std::fs::remove_dir_all(&dir).expect("removed");
}

#[test]
fn name_comment_and_parameters_survive_the_trip() {
    let timing = naming::named_with::<crate::prim::skid::Skid<U<64>>>(&[("WIDTH", 64)], &["item"]);
    assert_eq!(naming::name_of(&timing), Some("skid"));
    let comment = naming::comment_of(&timing).expect("the sources say what a skid buffer is");
    assert!(
        comment.starts_with("Stream stage with every output registered"),
        "{comment}"
    );
    assert!(comment.contains("\n\nSkid buffer: `down` follows `up`"), "{comment}");
    assert_eq!(
        naming::parameters_of(&timing),
        (vec![("WIDTH".into(), 64)], vec!["item".to_string()])
    );
    assert_eq!(naming::name_of(&[]), None);
}

/// A part with a register, a memory, a constant and a signal of its own.
#[derive(LogicBlock)]
struct Part {
    clock: Signal<In, Clock>,
    a: Signal<In, U<8>>,
    b: Signal<In, U<8>>,
    o: Signal<Out, U<8>>,
    step: Constant<U<8>>,
    sum: Signal<Local, U<8>>,
    last: DFF<U<8>>,
    late: Delay<U<8>, 3>,
}
impl Default for Part {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            a: Default::default(),
            b: Default::default(),
            o: Default::default(),
            step: Constant::new(U(3)),
            sum: Default::default(),
            last: Default::default(),
            late: Default::default(),
        }
    }
}
impl Logic for Part {
    #[hdl_gen]
    fn update(&mut self) {
        self.last.clock.next = self.clock.val();
        self.late.clock.next = self.clock.val();
        self.sum.next = self.a.val() + self.b.val() + self.step.val();
        self.last.d.next = self.sum.val();
        self.late.d.next = self.last.q.val();
        self.o.next = self.late.q.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        naming::named_inside::<Self>()
    }
}
block!(Holder { part: Part });
impl Logic for Holder {
    #[hdl_gen]
    fn update(&mut self) {
        self.part.clock.next = self.clock.val();
        self.part.a.next = self.a.val();
        self.part.b.next = 0.into();
        if self.c.val() {
            self.part.b.next = self.b.val();
        }
        self.o.next = self.part.o.val();
    }
}

#[test]
fn a_part_that_asks_for_it_stands_in_its_user() {
    let mut library = Library::new();
    library.add_top("top", &mut Holder::default()).expect("emits");
    assert_eq!(library.module_order(), ["hpcc_delay", "top"]);
    let text = library.module_text("top").expect("module");
    for line in [
        "localparam [7:0] part_step = 8'd3;",
        "hpcc_delay #(.WIDTH(8), .DEPTH(3)) u_part_late (\n    .clk(clk),\n    .d(part_last_q),\n    .q(part_late_q)\n  );",
        // the user's signal in the place of an input that is nothing else, an input of its own where it is chosen
        "assign part_sum = (a + part_b) + part_step;",
        "part_last_q <= part_sum;",
        "assign o = part_o;",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(!text.contains("part_a") && !text.contains("part_clk"), "{text}");
    // alone it is a module as ever
    library.add_top("part", &mut Part::default()).expect("emits");
    assert!(library
        .module_text("part")
        .expect("module")
        .contains("assign sum = (a + b) + step;"));
}
