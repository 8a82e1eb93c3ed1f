//! The module against the fixed-point law, in both profiles, in all modes, over random events.

use super::top::{ThetaSlot, LATENCY};
use crate::cc::bench::{law_module, Bench};
use hpcc_models::cc::powertcp::{
    Arithmetic, BaseRtt, FirstAck, MissingRtt, OldWindow, PowerParams, Reaction, SecondTerm, Signal,
};
use hpcc_models::cc::{CcEvent, EventKind};
use hpcc_models::fixed::FixedPower;

type Slot = ThetaSlot<50, 6>;
law_module!(Slot);

fn bench(params: PowerParams) -> Bench<Slot, FixedPower> {
    Bench::new(FixedPower::new(params).expect("parameters"), LATENCY)
}

fn paper() -> PowerParams {
    PowerParams::paper(Signal::Delay, 100_000_000_000, 13_000)
}

fn authors() -> PowerParams {
    PowerParams::authors(Signal::Delay, 25_000_000_000, 9_000)
}

#[test]
fn first_update_comes_after_the_latency() {
    const { assert!(LATENCY <= 80, "what the slot promises to the NIC") };
    bench(paper()).first_update_comes_after_the_latency();
}

#[test]
fn random_events_agree_bit_for_bit_in_both_profiles() {
    bench(paper()).random_events(1, 15_000);
    bench(authors()).random_events(2, 15_000);
}

/// Each mode bit and each limit on its own, in both profiles.
#[test]
fn random_events_agree_bit_for_bit_in_every_mode() {
    let changes: [fn(&mut PowerParams); 15] = [
        |p| p.second_term = SecondTerm::Old,
        |p| p.old_window = OldWindow::LastFull,
        |p| p.reaction = Reaction::PerAck,
        |p| p.reaction = Reaction::WindowPerRoundTrip,
        |p| p.reaction = Reaction::PerRoundTrip,
        |p| p.stale_limit_ns = Some(200_000),
        |p| p.base_rtt = BaseRtt::SmallestSeen,
        |p| p.missing_rtt = MissingRtt::Base,
        |p| p.missing_rtt = MissingRtt::Skipped,
        |p| p.missing_rtt = MissingRtt::Last,
        |p| p.first_ack = FirstAck::Update,
        |p| p.arithmetic = Arithmetic::WholeRates,
        |p| (p.gamma, p.one_minus_gamma, p.current_floor) = (1.0, 0.0, 0.25),
        |p| (p.smallest_power, p.eta, p.init_power) = (0.9, 0.95, 2.0),
        |p| (p.base_rtt_ns, p.w_init) = (100_000, 1_250_000.0),
    ];
    for (seed, change) in (3..).zip(changes) {
        for mut params in [paper(), authors()] {
            change(&mut params);
            bench(params).random_events(seed, 3_000);
        }
    }
}

/// Times at the edges of the formats: a packet that leaves when it is acknowledged, one that left half the clock ago, a silence of any length.
#[test]
fn corners_of_the_clock_agree_bit_for_bit() {
    const CLOCK: u64 = (1 << 48) - 1;
    for params in [paper(), authors()] {
        let mut bench = bench(params);
        bench.command(true, 7, 3);
        let mut now: u64 = CLOCK - 40_000;
        let mut psn = 0xff_fff0;
        let ways = [
            0,
            1,
            12_999,
            13_000,
            13_001,
            (1 << 17) - 1,
            1 << 17,
            (1 << 24) - 1,
            1 << 24,
            1 << 47,
            CLOCK,
        ];
        let silences = [
            0,
            1,
            5,
            8_999,
            9_000,
            13_000,
            999_999,
            1_000_001,
            1 << 24,
            1 << 32,
            1 << 40,
        ];
        for way in ways {
            for silence in silences {
                for sent_valid in [true, false] {
                    now = (now + silence) & CLOCK;
                    psn = (psn + 1) & 0xff_ffff;
                    bench.event(&CcEvent {
                        kind: EventKind::Ack,
                        flow: 7,
                        generation: 3,
                        psn_next: psn,
                        snd_nxt: (psn + 2) & 0xff_ffff,
                        now,
                        sent_at: now.wrapping_sub(way) & CLOCK,
                        sent_valid,
                        ..CcEvent::default()
                    });
                }
            }
        }
        bench.drain();
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
