//! One step of fixed-point PowerTCP and theta-PowerTCP against golden, from the same state, over the whole range of parameters, states
//! and acknowledgements: the window within 2^-11 on every legal acknowledgement. And the fixed-point laws on the recorded traces.
//!
//! Legal: a power below 2^20 and a current below 2^14 times the link, where the formats end. Where two hops' powers lie within 2^-13 of
//! each other, golden takes the one that fixed point chose.

use hpcc_models::cc::hpcc::{Link, StepOptions};
use hpcc_models::cc::powertcp::{Beta, PowerLaw, PowerParams, PowerState, Reaction, Signal};
use hpcc_models::cc::trace::PowerTrace;
use hpcc_models::cc::{CcEvent, CongestionControl, HopRecord, MAX_HOPS};
use hpcc_models::fixed::hpcc::window_bytes;
use hpcc_models::fixed::powertcp::{power_value, FixedPower, FixedPowerState, PowerRegisters};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

const BOUND: f64 = 1.0 / 2048.0;
const TIE: f64 = 1.0 / 8192.0;

fn log_uniform(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low.ln()..=high.ln()).prop_map(f64::exp)
}

/// A value of some bits with its corners far above their share.
fn corner(bits: u32) -> impl Strategy<Value = u32> {
    let max = (1u64 << bits) as u32 - 1;
    prop_oneof![3 => 0..=max, 2 => (0..=max, 0..bits).prop_map(|(v, s)| v >> s), 1 => Just(0), 1 => Just(max), 1 => Just(1)]
}

/// Parameters over the promised range: 10 to 800 Gb/s, `tau` 1 to 100 us, line rate x `tau` at most 4 MiB, gamma from 0.1.
fn params(signal: Signal) -> impl Strategy<Value = PowerParams> {
    let rate = prop_oneof![
        3 => prop::sample::select(vec![10u64, 25, 40, 50, 100, 200, 400, 800]).prop_map(|g| g * 1_000_000_000),
        1 => 10_000_000_000u64..=800_000_000_000,
    ];
    let t = prop_oneof![4 => log_uniform(1000.0, 100_000.0).prop_map(|t| t as u32), 1 => Just(1000), 1 => Just(100_000), 1 => Just(65_536)];
    let gamma = prop_oneof![2 => Just(0.9), 1 => 0.1f64..=1.0, 1 => Just(1.0)];
    let rest = (1u32..=16, 0u64..=1_000_000_000, log_uniform(1.0, 10_000.0));
    let reaction =
        prop_oneof![3 => Just(None), 1 => Just(Some(Reaction::PerRoundTrip)), 1 => Just(Some(Reaction::PerAck))];
    (rate, t, gamma, rest, reaction).prop_map(move |(line, t, gamma, (int_multi, min_rate, n), reaction)| {
        let largest = 4.0 * 1024.0 * 1024.0;
        let t = t.min((largest * 8e9 / line as f64) as u32).max(1000);
        let line = line.min((largest * 8e9 / f64::from(t)) as u64);
        let mut p = PowerParams::paper(signal, line, t);
        (p.gamma, p.one_minus_gamma) = (gamma, 1.0 - gamma);
        p.beta = Beta::Flows(n);
        p.int_multi = int_multi;
        p.min_rate = min_rate.min(line);
        p.reaction = reaction.unwrap_or(p.reaction);
        p
    })
}

#[derive(Clone, Debug)]
struct HopCase {
    record: HopRecord,
    elapsed: u32,
    /// Bytes sent, as a share of what the link carries.
    share: f64,
    q_len: u16,
}

fn hop() -> impl Strategy<Value = HopCase> {
    let elapsed = prop_oneof![
        6 => log_uniform(1.0, 200_000.0).prop_map(|e| e as u32),
        2 => corner(24),
        1 => prop::sample::select(vec![0u32, 1, 2, (1 << 23) - 1, 1 << 23, 999_999, 1_000_000, 1_000_001]),
    ];
    let share = prop_oneof![4 => 0f64..=1.0, 2 => 0.9f64..=1.0, 1 => Just(0.0), 1 => Just(1.0)];
    // Queues that hardly change, or anything.
    let queue = (
        corner(16),
        -40i32..=40,
        corner(16),
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.3),
    );
    (1u8..=8, corner(24), corner(20), queue, elapsed, share).prop_map(
        |(speed, ts, tx_bytes, (before, change, other, jump, empty), elapsed, share)| {
            let before = if empty { 0 } else { before as i32 };
            let after = if jump { other as i32 } else { before + change };
            HopCase {
                record: HopRecord {
                    speed,
                    ts,
                    tx_bytes,
                    q_len: before as u16,
                },
                elapsed,
                share,
                q_len: after.clamp(0, 65_535) as u16,
            }
        },
    )
}

#[derive(Clone, Debug)]
struct Case {
    params: PowerParams,
    hops: [HopCase; MAX_HOPS],
    n_hop: u8,
    power: f64,
    windows: [f64; 3],
    psn: (u32, u32, u32),
    same_hops: bool,
    /// theta: round-trip time before and now, time between the acknowledgements, ns.
    times: (u32, u32, u32),
}

fn case(signal: Signal) -> impl Strategy<Value = Case> {
    let state = (log_uniform(1e-3, 5000.0), prop::array::uniform3(0f64..=1.0));
    let psn = prop_oneof![
        2 => (corner(24), corner(24), corner(24)),
        1 => (corner(24), corner(24)).prop_map(|(at, next)| (at, at, next)),
    ];
    let rtt = || log_uniform(1000.0, 4e6).prop_map(|t| t as u32);
    let times = (
        rtt(),
        rtt(),
        prop_oneof![4 => log_uniform(1.0, 1e6).prop_map(|t| t as u32), 1 => 0u32..4],
        any::<bool>(),
        -400i32..400,
    )
        .prop_map(|(before, other, dt, near, change)| {
            let now = if near {
                before.saturating_add_signed(change)
            } else {
                other
            };
            (before, now, dt)
        });
    let hops = (prop::array::uniform5(hop()), 0u8..=7, prop::bool::weighted(0.1));
    (params(signal), hops, state, psn, times).prop_map(
        |(params, (hops, n_hop, same_hops), (power, windows), psn, times)| {
            // log-uniform between the clamps
            let (low, high) = (params.w_min().ln(), params.w_init.ln());
            let windows = windows.map(|w| (low + w * (high - low)).exp());
            Case {
                params,
                hops,
                n_hop,
                power,
                windows,
                psn,
                same_hops,
                times,
            }
        },
    )
}

const NOW: u64 = 1 << 40;

impl Case {
    fn states(&self, registers: &PowerRegisters, law: &PowerLaw) -> (FixedPowerState, PowerState, CcEvent) {
        let mut hops = self.hops.clone();
        if self.same_hops {
            hops = std::array::from_fn(|_| self.hops[0].clone());
        }
        let unit = 128.0 * f64::from(self.params.int_multi);
        let fresh = std::array::from_fn(|i| {
            let hop = &hops[i];
            let speed = self.params.port_speeds[usize::from(hop.record.speed)] as f64 / 8e9;
            let most = (1.05 * speed * f64::from(hop.elapsed) + unit) / unit;
            HopRecord {
                speed: hop.record.speed,
                ts: hop.record.ts.wrapping_add(hop.elapsed) & 0xff_ffff,
                tx_bytes: hop.record.tx_bytes.wrapping_add((most * hop.share) as u32) & 0xf_ffff,
                q_len: hop.q_len,
            }
        });
        let bits = self
            .windows
            .map(|w| ((w * 2048.0) as u64).clamp(registers.w_min, registers.w_init));
        let fixed = FixedPowerState {
            has_records: true,
            hops: std::array::from_fn(|i| hops[i].record),
            n_hop: self.n_hop,
            path_id: 7,
            prev_rtt: self.times.0,
            last_ack_ns: NOW - u64::from(self.times.2),
            snap_seq: self.psn.0,
            power: (self.power * 2f64.powi(31)) as u64,
            current: bits[0],
            old: bits[1],
            stored: bits[2],
            ..registers.start()
        };
        let mut golden = law.start();
        golden.has_records = true;
        golden.links = fixed.hops.map(|r| Link {
            speed: r.speed,
            ts: r.ts,
            tx_bytes: r.tx_bytes,
            q_len: r.q_len.into(),
        });
        (golden.n_hop, golden.path_id) = (self.n_hop, 7);
        (golden.prev_rtt, golden.last_ack_ns) = (self.times.0.into(), fixed.last_ack_ns);
        golden.snap_seq = self.psn.0;
        golden.power = power_value(fixed.power, self.params.eta);
        (golden.current, golden.old, golden.stored) =
            (window_bytes(bits[0]), window_bytes(bits[1]), window_bytes(bits[2]));
        let event = CcEvent {
            psn_next: self.psn.1,
            snd_nxt: self.psn.2,
            int_valid: true,
            n_hop: self.n_hop,
            path_id: 7,
            hops: fresh,
            sent_at: NOW - u64::from(self.times.1),
            sent_valid: true,
            now: NOW,
            ..CcEvent::default()
        };
        (fixed, golden, event)
    }

    /// Relative error of the window after one step; `None` beyond the formats.
    fn error(&self) -> Result<Option<f64>, TestCaseError> {
        let Ok(registers) = PowerRegisters::new(&self.params) else {
            return Err(TestCaseError::fail(
                "parameters within the promised range do not fit the registers",
            ));
        };
        let law = PowerLaw::new(self.params.clone()).expect("validated by the registers");
        let (mut fixed, before, event) = self.states(&registers, &law);
        let step = registers.step(&mut fixed, &event);
        let mut golden = before.clone();
        let mut seen = law.step(&mut golden, &event, &StepOptions::default());
        let largest = seen
            .hop_power
            .iter()
            .flatten()
            .copied()
            .fold(seen.norm_power.unwrap_or(0.0), f64::max);
        if largest > 1e6 || largest / self.voltage(&event) > 16_000.0 {
            return Ok(None);
        }
        if let (Some(ours), Some(theirs)) = (step.winner, seen.winner) {
            let power = |i: usize| seen.hop_power[i].unwrap_or(f64::NAN);
            if ours != theirs && (power(ours) / power(theirs) - 1.0).abs() <= TIE {
                golden = before;
                let forced = StepOptions {
                    forced_hop: Some(ours),
                    ..StepOptions::default()
                };
                seen = law.step(&mut golden, &event, &forced);
            }
        }
        prop_assert_eq!(
            (step.winner, step.full, step.branch),
            (seen.winner, seen.full, seen.branch)
        );
        prop_assert_eq!(fixed.snap_seq, golden.snap_seq);
        let records: Vec<u32> = golden.links.iter().map(|l| l.ts).collect();
        prop_assert_eq!(fixed.hops.iter().map(|h| h.ts).collect::<Vec<_>>(), records);
        prop_assert_eq!(
            (u64::from(fixed.prev_rtt), fixed.last_ack_ns),
            (golden.prev_rtt, golden.last_ack_ns)
        );
        Ok(Some((window_bytes(fixed.current) / seen.w - 1.0).abs()))
    }

    /// Smallest voltage of the hops, or of the round-trip time: what the power is over the current.
    fn voltage(&self, event: &CcEvent) -> f64 {
        if self.params.signal == Signal::Delay {
            return (f64::from(self.times.1) / f64::from(self.params.base_rtt_ns)).min(1.0);
        }
        let _ = event;
        1.0
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn powertcp_is_within_its_bound_after_any_legal_acknowledgement(case in case(Signal::Int)) {
        if let Some(error) = case.error()? {
            prop_assert!(error <= BOUND, "relative error {error:e}");
        }
    }

    #[test]
    fn theta_is_within_its_bound_after_any_legal_acknowledgement(case in case(Signal::Delay)) {
        if let Some(error) = case.error()? {
            prop_assert!(error <= BOUND, "relative error {error:e}");
        }
    }
}

/// The hardware in the authors' setting, free running over their traces: the window against the recorded one, mean at most 0.1 %, 99th
/// percentile at most 0.5 %.
#[test]
fn recorded_traces_are_followed_in_the_authors_setting() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testbench/data/powertcp");
    let mut files: Vec<PathBuf> = ["power_two_to_one", "power_incast10_25g", "theta_incast10_25g"]
        .map(|name| folder.join(format!("{name}.csv")))
        .to_vec();
    if let Some(more) = std::env::var_os("POWERTCP_TRACES") {
        let entries = std::fs::read_dir(more).unwrap().map(|entry| entry.unwrap().path());
        files.extend(entries.filter(|f| f.extension().is_some_and(|e| e == "csv") && PowerTrace::read(f).is_ok()));
    }
    for file in files {
        let trace = PowerTrace::read(&file).unwrap();
        let mut law = FixedPower::new(trace.header.params.clone()).unwrap();
        trace.flows().iter().for_each(|&flow| {
            law.create(flow, 0);
        });
        let mut errors: Vec<f64> = Vec::new();
        for row in &trace.rows {
            law.handle(&trace.event(row));
            errors.push((law.last().unwrap().w / row.cwnd - 1.0).abs());
        }
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        errors.sort_by(f64::total_cmp);
        let p99 = errors[errors.len() * 99 / 100];
        println!(
            "{}: mean {mean:.2e}, p99 {p99:.2e}, max {:.2e}",
            file.display(),
            errors[errors.len() - 1]
        );
        assert!(
            mean <= 1e-3 && p99 <= 5e-3,
            "{}: mean {mean:e}, p99 {p99:e}",
            file.display()
        );
    }
}
