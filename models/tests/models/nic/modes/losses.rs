//! Every mode without faults, under losses and under reordering.

use super::*;
use hpcc_models::seeds::seed;
use proptest::prelude::*;

/// Without faults: everything arrives, no packet is sent twice, nothing is dropped, nobody waits for a timeout although windows shrink below what is
/// in flight.
#[test]
fn no_mode_needs_a_timeout() {
    for (name, config) in modes() {
        let mut star = Star::new(8, 250_000, 1000, &config, NONE);
        assert!(star.run(100_000_000), "{name}");
        star.completed();
        for nic in &star.nics {
            let counters = nic.counters();
            let bad = (
                counters.get(Counter::Timeouts),
                counters.get(Counter::Retransmitted),
                counters.dropped(),
                counters.get(Counter::IntBadSpeed),
            );
            assert_eq!(bad, (0, 0, 0, 0), "{name}");
            assert!(nic.idle());
        }
        let windows = star.heard.borrow().iter().filter(|heard| heard.3.is_some()).count();
        assert!(windows > 16, "{name}: the law acted {windows} times");
    }
}

/// One frame in twenty lost in each direction, feedback of every kind as well.
#[test]
fn lost_feedback_never_blocks() {
    for (name, config) in modes() {
        let faults = Faults {
            loss: 0.05,
            late: 0.0,
            seed: seed(7),
        };
        let mut star = Star::new(4, 200_000, 2000, &config, faults);
        assert!(star.run(400_000_000), "{name}");
        star.completed();
        assert!(star.lost > 50, "{name}: {}", star.lost);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Any mode, any seed, losses and reordering: what completes has arrived, byte for byte. A notification that completed a lost packet would leave a
    /// hole.
    #[test]
    fn what_completes_has_arrived(mode in 0..17usize, seed in any::<u64>(), loss in 0.0f64..0.08, late in 0.0f64..0.2) {
        let (_, config) = modes().remove(mode);
        let mut star = Star::new(2, 60_000, 1000, &config, Faults { loss, late, seed });
        prop_assert!(star.run(400_000_000));
        star.completed();
    }
}
