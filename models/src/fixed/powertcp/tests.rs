//! What leaves the law: hand-worked cases.

use super::*;
use crate::cc::powertcp::Signal;

/// The window that leaves is scaled to the base round-trip time of the flow where that is measured, and only there.
#[test]
fn the_window_leaves_at_the_base_of_the_flow() {
    let mut registers = PowerRegisters::new(&PowerParams::paper(Signal::Int, 25_000_000_000, 16_384)).expect("fits");
    let mut state = registers.start();
    assert_eq!(registers.window_out(&state), state.current);
    for (base, parts) in [(16_384, 4), (8_192, 2), (4_096, 1)] {
        state.base_rtt = base;
        registers.mode.smallest_rtt = true;
        // a share of less than one is cut to 34 bits, the product to 11
        let exact = state.current / 4 * parts;
        let cut = u64::from(parts < 4);
        assert!(
            (exact - cut..=exact).contains(&registers.window_out(&state)),
            "{base} ns"
        );
        registers.mode.smallest_rtt = false;
        assert_eq!(registers.window_out(&state), state.current, "{base} ns");
    }
}
