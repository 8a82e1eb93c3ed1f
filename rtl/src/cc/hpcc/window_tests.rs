//! The window loop by numbers worked out by hand: stages, clamps and overflow, whatever the registers say.

use super::WindowUpdate;
use crate::prim::uint::U;
use crate::sim::{init, step};

/// One byte of a window, UQ23.11.
const BYTE: u64 = 1 << 11;
/// One in the format of the reciprocal, UQ22.29.
const ONE: u64 = 1 << 29;

struct Bench {
    block: Box<WindowUpdate<3>>,
}

impl Bench {
    /// Registers in bytes.
    fn new(max_stage: u64, w_init: u64, w_min: u64, w_ai: u64) -> Self {
        let mut block: Box<WindowUpdate<3>> = Box::default();
        init(block.as_mut()).expect("complete block");
        block.max_stage.next = U(max_stage);
        block.w_init.next = U(w_init * BYTE);
        block.w_min.next = U(w_min * BYTE);
        block.w_ai.next = U(w_ai << 14);
        block.flow.next = U(5);
        block.inverse.next = U(ONE);
        let mut bench = Self { block };
        bench.once(true);
        bench
    }

    /// One event once everything before it has come to rest; the window that comes out, in bytes.
    fn once(&mut self, create: bool) -> f64 {
        let b = self.block.as_mut();
        for clock in 0..24 {
            b.valid.next = clock == 12;
            b.create.next = create && clock == 12;
            b.measured.next = !create && clock == 12;
            b.update_reference.next = !create && clock == 12;
            step(b, |_| {});
        }
        step(b, |b| b.window.val().0) as f64 / BYTE as f64
    }

    fn event(&mut self, inverse: u64, congested: bool) -> f64 {
        self.block.inverse.next = U(inverse);
        self.block.congested.next = congested;
        self.once(false)
    }
}

/// Additive rounds before a multiplicative one are `maxStage`, from 0 to the largest: with 1 / c of a half a multiplicative round halves.
#[test]
fn max_stage_additive_rounds() {
    for max_stage in [0, 1, 3, 5, 8, 255] {
        let mut bench = Bench::new(max_stage, 100_000, 100, 10);
        let mut window = bench.event(ONE / 2, true);
        assert_eq!(window, 50_010.0);
        for round in 0..2 {
            for stage in 0..max_stage {
                let next = bench.event(ONE / 2, false);
                assert_eq!(
                    next,
                    window + 10.0,
                    "maxStage {max_stage}, round {round}, stage {stage}"
                );
                window = next;
            }
            let next = bench.event(ONE / 2, false);
            assert_eq!(next, window / 2.0 + 10.0, "maxStage {max_stage}, round {round}");
            window = next;
        }
    }
}

/// A product beyond the window's format is above `W_init`, also where its low bits are all zero.
#[test]
fn a_product_that_overflows_is_the_largest_window() {
    let mut bench = Bench::new(5, 65_536, 100, 10);
    // 2^16 bytes x 2^7 is 2^23: one past UQ23.14
    for shift in [1, 6, 7, 8, 14, 20] {
        assert_eq!(bench.event(ONE << shift, true), 65_536.0, "x 2^{shift}");
    }
}

/// Both branches stay within both clamps, also when a register has moved under a window that was legal before.
#[test]
fn both_branches_are_clamped_at_both_ends() {
    for congested in [false, true] {
        let mut bench = Bench::new(5, 10_000, 1_000, 50);
        assert_eq!(bench.event(ONE, congested), 10_000.0, "above: {congested}");
        assert_eq!(bench.event(ONE / 100, true), 1_000.0, "below");
        bench.block.w_min.next = U(4_000 * BYTE);
        assert_eq!(bench.event(ONE, congested), 4_000.0, "under the new W_min: {congested}");
        bench.block.w_init.next = U(3_000 * BYTE);
        bench.block.w_min.next = U(1_000 * BYTE);
        assert_eq!(bench.event(ONE, congested), 3_000.0, "over the new W_init: {congested}");
        assert_eq!(bench.event(ONE / 2, true), 1_550.0, "within: no clamp");
        assert_eq!(bench.event(ONE, congested), 1_600.0, "within: {congested}");
    }
}
