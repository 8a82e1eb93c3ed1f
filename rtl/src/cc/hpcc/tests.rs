//! The module against the fixed-point law.

use super::top::{HpccSlot, LATENCY};
use crate::cc::bench::{law_module, Bench};
use hpcc_models::cc::hpcc::{HpccParams, Reaction};
use hpcc_models::fixed::FixedHpcc;

type Slot = HpccSlot<50, 6>;
law_module!(Slot);

fn bench(reaction: Reaction) -> Bench<Slot, FixedHpcc> {
    let params = HpccParams {
        reaction,
        ..HpccParams::new(100_000_000_000, 13_000)
    };
    Bench::new(FixedHpcc::new(params).expect("parameters"), LATENCY)
}

#[test]
fn first_update_comes_after_the_latency() {
    bench(Reaction::Hpcc).first_update_comes_after_the_latency();
}

#[test]
fn random_events_agree_bit_for_bit_for_every_reaction() {
    for (seed, reaction) in [(1, Reaction::Hpcc), (2, Reaction::PerAck), (3, Reaction::PerRtt)] {
        bench(reaction).random_events(seed, 20_000);
    }
}

#[test]
fn one_event_a_clock_and_one_every_six_for_one_flow() {
    bench(Reaction::Hpcc).keeps_its_pace();
}

#[test]
fn flow_numbers_past_the_count_are_dropped_and_counted() {
    let mut bench = bench(Reaction::Hpcc);
    let dropped = bench.drops_flow_numbers_past_the_count();
    assert_eq!(bench.slot.count_out_of_range.val().0, dropped);
}
