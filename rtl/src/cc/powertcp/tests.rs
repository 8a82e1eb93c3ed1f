//! The module against the fixed-point law, in both profiles, in all modes, over random and recorded events.

use super::top::{PowerSlot, LATENCY};
use crate::cc::bench::{law_module, Bench};
use crate::cc::slot::pack_hops;
use hpcc_models::cc::powertcp::{Current, OldWindow, PowerParams, Reaction, SecondTerm, Signal};
use hpcc_models::fixed::FixedPower;

type Slot = PowerSlot<50, 6>;
law_module!(Slot);

fn bench(params: PowerParams) -> Bench<Slot, FixedPower> {
    Bench::new(FixedPower::new(params).expect("parameters"), LATENCY)
}

fn paper() -> PowerParams {
    PowerParams::paper(Signal::Int, 100_000_000_000, 13_000)
}

#[test]
fn first_update_comes_after_the_latency() {
    const { assert!(LATENCY <= 80, "what the slot promises to the NIC") };
    bench(paper()).first_update_comes_after_the_latency();
}

#[test]
fn random_events_agree_bit_for_bit_in_both_profiles() {
    bench(paper()).random_events(1, 15_000);
    bench(PowerParams::authors(Signal::Int, 25_000_000_000, 9_000)).random_events(2, 15_000);
}

/// Each mode bit and each limit on its own.
#[test]
fn random_events_agree_bit_for_bit_in_every_mode() {
    let changes: [fn(&mut PowerParams); 10] = [
        |p| p.current = Current::Arrivals,
        |p| p.second_term = SecondTerm::Old,
        |p| p.old_window = OldWindow::LastFull,
        |p| p.reaction = Reaction::WindowPerRoundTrip,
        |p| p.reaction = Reaction::PerRoundTrip,
        |p| p.stale_limit_ns = None,
        |p| p.current_floor = 0.5,
        |p| (p.gamma, p.one_minus_gamma) = (1.0, 0.0),
        |p| (p.smallest_power, p.eta, p.init_power) = (0.9, 0.95, 2.0),
        |p| (p.base_rtt_ns, p.w_init, p.int_multi) = (1_000, 12_500.0, 16),
    ];
    for (seed, change) in (3..).zip(changes) {
        let mut params = paper();
        change(&mut params);
        bench(params).random_events(seed, 4_000);
    }
}

#[test]
fn one_event_a_clock_and_one_every_six_for_one_flow() {
    bench(paper()).keeps_its_pace();
}

#[test]
fn flow_numbers_past_the_count_are_dropped_and_counted() {
    let mut bench = bench(paper());
    let dropped = bench.drops_flow_numbers_past_the_count();
    assert_eq!(bench.slot.count_out_of_range.val().0, dropped);
}

#[test]
fn after_reset_the_registers_hold_the_papers_profile() {
    use crate::prim::uint::Limbs;
    use crate::sim::{init, step};
    let mut block: Box<super::registers::PowerRegisterBlock> = Box::default();
    init(block.as_mut()).expect("complete block");
    block.reset.next = true;
    step(block.as_mut(), |_| {});
    block.reset.next = false;
    let seen = step(block.as_mut(), |b| b.scalars.val());
    let law = FixedPower::new(paper()).expect("parameters");
    let r = law.registers();
    assert_eq!(
        (
            seen.w_init.0,
            seen.gamma.0,
            seen.beta.0,
            seen.inverse_base_rtt.0,
            seen.rate_per_window.0
        ),
        (r.w_init, r.gamma, r.beta, r.inverse_base_rtt, r.rate_per_window)
    );
    let mut mode = [0];
    seen.mode.to_limbs(&mut mode);
    assert_eq!(mode[0], r.mode.bits());
    // the words lie as the port of the slot packs them
    let hops = hpcc_models::cc::HopRecord {
        speed: 5,
        ts: 0x123456,
        tx_bytes: 0x789ab,
        q_len: 0xcdef,
    };
    assert_eq!(pack_hops(&[hops; 5]).0[0], 0x5123_4567_89ab_cdef);
}
