//! What holds for every law, golden and in fixed point, under every option: clocks, counters and sequence numbers turn over without a trace;
//! a flow that is created again has forgotten everything; flows do not see each other; old generations are not heard.

use hpcc_models::cc::dcqcn::{Dcqcn, DcqcnParams, IncreaseRule};
use hpcc_models::cc::dctcp::{Dctcp, DctcpParams};
use hpcc_models::cc::hpcc::{Fairness, Hpcc, HpccParams, RateSignal, Reaction};
use hpcc_models::cc::powertcp::{PowerParams, PowerTcp, Profile, Signal};
use hpcc_models::cc::timely::{Timely, TimelyParams};
use hpcc_models::cc::{CcEvent, CongestionControl, EventKind, HopRecord, Update, MAX_HOPS};
use hpcc_models::fixed::dcqcn::DcqcnRegisters;
use hpcc_models::fixed::{FixedDcqcn, FixedHpcc, FixedPower};
use rand::Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;

const LINE: u64 = 100_000_000_000;
const T_NS: u32 = 9_000;
const W_INIT: f64 = 112_500.0;

type Maker = Box<dyn Fn() -> Box<dyn CongestionControl>>;

/// A law under some options.
struct Entry {
    name: String,
    make: Maker,
    /// Sequence numbers may begin anywhere: the law does not compare the first one with 0.
    any_psn: bool,
}

impl Entry {
    /// The law does not count the time from 0 to its first acknowledgement, as theta-PowerTCP's authors do.
    fn any_time(&self) -> bool {
        !self.name.contains("Authors Delay")
    }

    /// The law has clocks and counters of the wire's or the hardware's width.
    fn turns(&self) -> bool {
        !["timely", "dctcp"].contains(&self.name.as_str())
    }
}

fn hpcc_options() -> Vec<(String, HpccParams)> {
    let base = HpccParams::new(LINE, T_NS);
    let mut all = vec![("".to_string(), base.clone())];
    for (what, change) in [
        ("per-ack", (|p| p.reaction = Reaction::PerAck) as fn(&mut HpccParams)),
        ("per-rtt", |p| p.reaction = Reaction::PerRtt),
        ("stage 0", |p| p.max_stage = 0),
        ("multi 4", |p| p.int_multi = 4),
        ("short limit", |p| p.stale_limit_ns = 60_000),
        ("eta 0.5, large step", |p| (p.eta, p.w_ai) = (0.5, 5000.0)),
    ] {
        let mut params = base.clone();
        change(&mut params);
        all.push((what.into(), params));
    }
    all
}

fn dcqcn_options() -> Vec<(String, DcqcnParams)> {
    let mut all = Vec::new();
    for (profile, base) in [
        ("authors", DcqcnParams::new(LINE, W_INIT)),
        ("sigcomm", DcqcnParams::sigcomm(LINE, W_INIT)),
    ] {
        for (what, change) in [
            ("", (|_| ()) as fn(&mut DcqcnParams)),
            ("qcn", |p| p.rule = IncreaseRule::Qcn),
            ("timer", |p| p.rule = IncreaseRule::Timer),
            ("late", |p| p.immediate = false),
            ("clamp", |p| p.clamp_target = true),
            ("marks", |p| p.mark_on_ack = true),
            ("bytes", |p| p.byte_reset = 200_000),
            ("first rate", |p| p.first_rate = LINE / 8),
            ("least", |p| p.min_decrease = 0.5),
        ] {
            let mut params = base;
            change(&mut params);
            all.push((format!("{profile} {what}"), params));
        }
    }
    all
}

fn power_options() -> Vec<(String, PowerParams)> {
    let mut all = Vec::new();
    for signal in [Signal::Int, Signal::Delay] {
        for profile in [Profile::Paper, Profile::Authors] {
            let base = PowerParams::of(profile, signal, LINE, T_NS);
            for (what, change) in [
                ("", (|_| ()) as fn(&mut PowerParams)),
                ("per-ack", |p| p.reaction = hpcc_models::cc::powertcp::Reaction::PerAck),
                ("per-rtt", |p| {
                    p.reaction = hpcc_models::cc::powertcp::Reaction::PerRoundTrip
                }),
                ("smallest rtt", |p| {
                    p.base_rtt = hpcc_models::cc::powertcp::BaseRtt::SmallestSeen
                }),
            ] {
                let mut params = base.clone();
                change(&mut params);
                all.push((format!("{profile:?} {signal:?} {what}"), params));
            }
        }
    }
    all
}

fn boxed<L: CongestionControl + 'static>(law: L) -> Box<dyn CongestionControl> {
    Box::new(law)
}

fn laws() -> Vec<Entry> {
    let mut all = Vec::new();
    let mut add = |name: String, any_psn: bool, make: Maker| all.push(Entry { name, make, any_psn });
    for (what, params) in hpcc_options() {
        let fixed = params.clone();
        add(
            format!("hpcc {what}"),
            true,
            Box::new(move || boxed(Hpcc::<f64>::new(params.clone()).unwrap())),
        );
        add(
            format!("fixed hpcc {what}"),
            true,
            Box::new(move || boxed(FixedHpcc::new(fixed.clone()).unwrap())),
        );
    }
    for (what, change) in [
        (
            "rxrate",
            (|p| p.rate_signal = RateSignal::RxRate) as fn(&mut HpccParams),
        ),
        ("alpha", |p| p.fairness = Fairness::Alpha(1.0)),
        ("n-aware", |p| p.n_aware = true),
    ] {
        let mut params = HpccParams::new(LINE, T_NS);
        change(&mut params);
        add(
            format!("hpcc {what}"),
            true,
            Box::new(move || boxed(Hpcc::<f64>::new(params.clone()).unwrap())),
        );
    }
    for (what, params) in dcqcn_options() {
        add(
            format!("dcqcn {what}"),
            true,
            Box::new(move || boxed(Dcqcn::new(params))),
        );
        for windowed in [false, true] {
            add(
                format!("fixed dcqcn {what} window {windowed}"),
                true,
                Box::new(move || boxed(FixedDcqcn::new(&params, windowed, 1024).unwrap())),
            );
        }
        let mut registers = DcqcnRegisters::new(&params, false).unwrap();
        registers.mode.cut_on_timeout = true;
        add(
            format!("fixed dcqcn {what} timeouts"),
            true,
            Box::new(move || boxed(FixedDcqcn::with_registers(registers.clone(), 1024))),
        );
    }
    for (what, params) in power_options() {
        let any_psn = what.starts_with("Paper");
        let fixed = params.clone();
        add(
            what.clone(),
            any_psn,
            Box::new(move || boxed(PowerTcp::new(params.clone()).unwrap())),
        );
        if FixedPower::new(fixed.clone()).is_ok() {
            add(
                format!("fixed {what}"),
                any_psn,
                Box::new(move || boxed(FixedPower::new(fixed.clone()).unwrap())),
            );
        }
    }
    add(
        "timely".into(),
        true,
        Box::new(|| boxed(Timely::new(TimelyParams::new(LINE, W_INIT)))),
    );
    add(
        "dctcp".into(),
        true,
        Box::new(|| boxed(Dctcp::new(DctcpParams::new(LINE, W_INIT, 1024)))),
    );
    all
}

/// Where clocks and counters stand when a sequence begins.
#[derive(Clone, Copy, Debug)]
struct Origin {
    now: u64,
    tx: u32,
    psn: u32,
}

/// Far from every turn for as long as a sequence takes; a multiple of all units of time.
const FAR: Origin = Origin {
    now: 1 << 26,
    tx: 0,
    psn: 1000,
};
/// What a sequence takes before the turn, ns: whole units of DCQCN's timers.
const BEFORE: u64 = 2000 << 10;

/// Events of a flow of two hops, as they fall at an origin. The same seed, the same sequence.
fn events(seed: u64, count: usize, origin: Origin) -> Vec<CcEvent> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut t, mut sent, mut tx) = (0u64, 40u32, [0u32, 7000]);
    let mut list = Vec::new();
    let mut path = (2, 0x155);
    for _ in 0..count {
        let gap = match rng.random_range(0..20) {
            0 => rng.random_range(0..400_000),
            1 => 0,
            _ => rng.random_range(50..12_000u64),
        };
        t += gap;
        let acknowledged = sent - rng.random_range(0..40);
        sent += rng.random_range(0..30);
        let kind = match rng.random_range(0..20) {
            0 => EventKind::Nak,
            1 => EventKind::Cnp,
            2 => EventKind::Timeout,
            3 => EventKind::Probe,
            4..7 => EventKind::Tick,
            _ => EventKind::Ack,
        };
        if rng.random_range(0..60) == 0 {
            path = (rng.random_range(1..=2), rng.random_range(0..4096));
        }
        let now = origin.now + t;
        let mut hops = [HopRecord::default(); MAX_HOPS];
        for (hop, tx) in hops.iter_mut().zip(&mut tx) {
            *tx += (gap as f64 * rng.random_range(0.2..1.1) * 12.5 / 128.0) as u32;
            *hop = HopRecord {
                speed: 5,
                ts: (now - 2000) as u32 & 0xff_ffff,
                tx_bytes: (origin.tx + *tx) & 0xf_ffff,
                q_len: rng.random_range(0..2000),
            };
        }
        let rtt = rng.random_range(9_000..40_000);
        list.push(CcEvent {
            kind,
            flow: 3,
            generation: 1,
            psn_next: (origin.psn + acknowledged) & 0xff_ffff,
            snd_nxt: (origin.psn + sent) & 0xff_ffff,
            int_valid: true,
            n_hop: path.0,
            path_id: path.1,
            hops,
            ecn: rng.random_range(0..4) == 0,
            sent_at: now - rtt,
            sent_valid: rng.random_range(0..10) > 0,
            bytes: 1024,
            now,
        });
    }
    list
}

/// Answers to events; of ticks also when the next one is due, after the origin.
fn answers(law: &mut dyn CongestionControl, events: &[CcEvent], origin: Origin) -> Vec<(Option<Update>, Option<u64>)> {
    let answer = |event: &CcEvent| {
        let update = law.handle(event);
        (update, law.next_tick(event.flow).map(|at| at - origin.now))
    };
    events.iter().map(answer).collect()
}

fn fresh(entry: &Entry, seed: u64, origin: Origin) -> Vec<(Option<Update>, Option<u64>)> {
    let mut law = (entry.make)();
    law.create(3, 1);
    answers(law.as_mut(), &events(seed, 400, origin), origin)
}

/// Time stamps of INT turn over each 2^24 ns, DCQCN's timers each 2^30, clocks each 2^48; counters of bytes each 2^20 units, sequence numbers
/// each 2^24. A sequence across the turn gives what it gives elsewhere.
#[test]
fn turns_leave_no_trace() {
    for entry in laws().iter().filter(|entry| entry.turns()) {
        for seed in 0..4 {
            let expected = fresh(entry, seed, FAR);
            let said = expected.iter().filter(|(update, _)| update.is_some()).count();
            assert!(said > 5, "{}: {said} answers", entry.name);
            let mut origins = vec![
                Origin {
                    now: (9 << 24) - BEFORE,
                    ..FAR
                },
                Origin {
                    now: (1 << 29) - BEFORE,
                    ..FAR
                },
                Origin {
                    now: (1 << 30) - BEFORE,
                    ..FAR
                },
                Origin {
                    now: (5 << 30) - BEFORE,
                    ..FAR
                },
                Origin {
                    now: (1 << 48) - BEFORE,
                    ..FAR
                },
                Origin {
                    tx: (1 << 20) - 3000,
                    ..FAR
                },
            ];
            origins.retain(|origin| origin.now == FAR.now || entry.any_time());
            if entry.any_psn {
                origins.push(Origin {
                    psn: (1 << 24) - 500,
                    ..FAR
                });
                origins.push(Origin {
                    psn: (1 << 23) - 500,
                    ..FAR
                });
            }
            for origin in origins {
                let got = fresh(entry, seed, origin);
                let differs = got.iter().zip(&expected).position(|(a, b)| a != b);
                assert_eq!(differs, None, "{}, seed {seed}, {origin:?}", entry.name);
            }
        }
    }
}

/// After any history a flow that is created again, with `remove` before or without, answers as one in a new law.
#[test]
fn a_flow_created_again_is_new() {
    for entry in laws() {
        for (seed, removed) in [(0, true), (1, false), (2, true), (3, false)] {
            let expected = fresh(&entry, seed, FAR);
            let first = (entry.make)().create(3, 1);
            let mut law = (entry.make)();
            law.create(3, 0);
            let earlier = Origin { now: 1 << 25, ..FAR };
            for event in events(seed + 10, 300, earlier) {
                law.handle(&CcEvent { generation: 0, ..event });
            }
            law.receiver_counts(3, 0, 7, 1 << 25);
            if removed {
                law.remove(3);
                assert_eq!(law.next_tick(3), None, "{}", entry.name);
            }
            assert_eq!(law.create(3, 1), first, "{}", entry.name);
            let got = answers(law.as_mut(), &events(seed, 400, FAR), FAR);
            let differs = got.iter().zip(&expected).position(|(a, b)| a != b);
            assert_eq!(differs, None, "{}, seed {seed}, removed {removed}", entry.name);
        }
    }
}

/// Between its events a flow's neighbours have theirs, and so has an earlier life of its own, which nobody hears.
#[test]
fn flows_and_lives_do_not_see_each_other() {
    for entry in laws() {
        let expected = fresh(&entry, 5, FAR);
        let mut law = (entry.make)();
        for flow in [2, 3, 4, 3 + (1 << 16)] {
            law.create(flow, 1);
        }
        let (own, others) = (events(5, 400, FAR), events(6, 400, FAR));
        for ((event, other), expected) in own.iter().zip(&others).zip(&expected) {
            for flow in [2, 4, 3 + (1 << 16)] {
                law.handle(&CcEvent {
                    flow,
                    now: event.now,
                    ..*other
                });
            }
            for generation in [0, 2, 255] {
                let old = CcEvent {
                    generation,
                    now: event.now,
                    ..*other
                };
                assert_eq!(law.handle(&old), None, "{}", entry.name);
            }
            assert_eq!(&law.handle(event), &expected.0, "{}", entry.name);
        }
        law.remove(3);
        assert_eq!(law.handle(&own[0]), None, "{}", entry.name);
    }
}

/// DCQCN's timers are compared as serial numbers of 1.07 s: however long nobody was told of congestion, the next CNP cuts within an
/// interval, in both arithmetics. Without a gain alpha stays 1, and a cut halves.
#[test]
fn a_cut_after_any_silence() {
    for (what, mut params) in dcqcn_options() {
        (params.gain, params.alpha_interval, params.increase_interval) = (0.0, 55_000, 300_000);
        let makes: [Maker; 2] = [
            Box::new(move || boxed(Dcqcn::new(params))),
            Box::new(move || boxed(FixedDcqcn::new(&params, false, 1 << 14).unwrap())),
        ];
        for (make, silence_ms) in makes
            .iter()
            .flat_map(|m| [1u64, 300, 530, 545, 800, 1070, 1080, 1700].map(|s| (m, s)))
        {
            let mut law = make();
            let mut rate = law.create(0, 1).rate;
            let event = |kind, now| CcEvent {
                kind,
                generation: 1,
                now,
                ..CcEvent::default()
            };
            let mut now = 1 << 20;
            let end = now + silence_ms * 1_000_000;
            rate = law.handle(&event(EventKind::Cnp, now)).map_or(rate, |u| u.rate);
            while let Some(at) = law.next_tick(0).filter(|&at| at < end) {
                now = at;
                rate = law.handle(&event(EventKind::Tick, at)).map_or(rate, |u| u.rate);
            }
            assert!(now + 3_000_000 > end, "{what}: ticks go on");
            // The authors' simulator cuts when its timer next looks, an interval later at most.
            let mut cut = law.handle(&event(EventKind::Cnp, end)).map(|u| u.rate);
            let late = end + params.decrease_interval + (1 << 15);
            while let Some(at) = law
                .next_tick(0)
                .filter(|&at| cut.is_none_or(|c| c > 0.6 * rate) && at <= late)
            {
                let told = law.handle(&event(EventKind::Tick, at)).map(|u| u.rate);
                rate = rate.max(told.unwrap_or(0.0));
                cut = told.or(cut);
            }
            let cut = cut.unwrap_or_else(|| panic!("{what}, {silence_ms} ms: no cut"));
            assert!(
                (cut / rate - 0.5).abs() < 1e-6,
                "{what}, {silence_ms} ms: from {rate} to {cut}"
            );
        }
    }
}

/// A round trip longer than the 24 bits of the hardware's times counts as the longest that they hold, 16.8 ms, and not as what is left of it.
#[test]
fn round_trips_beyond_24_bits_are_the_longest() {
    for profile in [Profile::Paper, Profile::Authors] {
        let window = |rtts: [u64; 3]| {
            let mut law = FixedPower::new(PowerParams::of(profile, Signal::Delay, LINE, T_NS)).unwrap();
            law.create(0, 1);
            let mut last = None;
            for (i, rtt) in rtts.into_iter().enumerate() {
                let now = (1 << 30) + i as u64 * 9_000;
                let update = law.handle(&CcEvent {
                    generation: 1,
                    psn_next: 10 * i as u32 + 10,
                    snd_nxt: 10 * i as u32 + 20,
                    sent_at: now - rtt,
                    sent_valid: true,
                    now,
                    ..CcEvent::default()
                });
                last = update.map(|u| u.window).or(last);
            }
            last.unwrap()
        };
        let longest = (1 << 24) - 1;
        let expected = window([9_000, longest, longest]);
        for beyond in [0, 1, 9_000, 1 << 23] {
            assert_eq!(
                window([9_000, (1 << 24) + beyond, (1 << 24) + beyond]),
                expected,
                "{profile:?}"
            );
        }
        assert!(window([9_000, 9_000, 9_000]) > 2.0 * expected, "{profile:?}");
    }
}
