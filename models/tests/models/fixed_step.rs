//! One step of the fixed-point law against the golden one, from the same state, over the whole range of parameters,
//! states and acknowledgements: the window within 2^-11 on every legal acknowledgement.
//!
//! Legal: a hop reports at most 1.05 times what its link carries in the time between the stamps, and one unit more.
//! Where two hops are equally congested within 2^-13, golden takes the one that fixed point chose.

use hpcc_models::cc::hpcc::{Branch, FlowState, HpccLaw, HpccParams, Link, Reaction, StepOptions};
use hpcc_models::cc::{CcEvent, HopRecord, MAX_HOPS};
use hpcc_models::fixed::hpcc::{utilisation, window_bytes, FixedState};
use hpcc_models::fixed::HpccRegisters;
use proptest::prelude::*;

const BOUND: f64 = 1.0 / 2048.0;
const TIE: f64 = 1.0 / 8192.0;

fn log_uniform(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low.ln()..=high.ln()).prop_map(f64::exp)
}

/// Parameters over the promised range: 10 to 800 Gb/s, `T` 1 to 100 us, line rate x `T` at most 4 MiB, `W_AI` from 1 byte.
fn params() -> impl Strategy<Value = HpccParams> {
    let rate = prop_oneof![
        3 => prop::sample::select(vec![10u64, 25, 40, 50, 100, 200, 400, 800]).prop_map(|g| g * 1_000_000_000),
        1 => 10_000_000_000u64..=800_000_000_000,
    ];
    let t = prop_oneof![4 => log_uniform(1000.0, 100_000.0).prop_map(|t| t as u32), 1 => Just(1000), 1 => Just(100_000), 1 => Just(65_536)];
    let scalars = (
        0.5f64..=1.0,
        prop_oneof![Just(0u8), Just(5), Just(255), any::<u8>()],
        1u32..=16,
        0u64..=1_000_000_000,
    );
    let shares = (prop_oneof![2 => Just(1.0), 1 => 0.6f64..=1.0], 0f64..=1.0);
    let reaction = prop_oneof![4 => Just(Reaction::Hpcc), 1 => Just(Reaction::PerAck), 1 => Just(Reaction::PerRtt)];
    (rate, t, scalars, shares, reaction).prop_map(
        |(line, t, (eta, max_stage, int_multi, min_rate), (w_share, ai_share), reaction)| {
            let largest = 4.0 * 1024.0 * 1024.0;
            let t = t.min((largest * 8e9 / line as f64) as u32).max(1000);
            let line = line.min((largest * 8e9 / f64::from(t)) as u64);
            let mut p = HpccParams::new(line, t);
            // a T_W below 600 ns is outside the registers
            p.w_init = (p.w_init * w_share).max(line as f64 * 600.0 / 8e9);
            p.eta = eta;
            p.max_stage = max_stage;
            // the deepest queue that INT can tell is below 2^17, at the slowest port
            let deepest = (65_535.0 * 80.0 / (1.25 * p.t_w_ns()) + 128.0 / 1.25) / eta;
            p.int_multi = int_multi.min(((131_072.0 - 1.05 / eta) / deepest) as u32);
            p.min_rate = min_rate.min(line);
            p.w_ai = 1.0 + ai_share.powi(4) * (p.w_init / 4.0 - 1.0);
            p.reaction = reaction;
            p
        },
    )
}

/// A value of some bits with its corners far above their share.
fn corner(bits: u32) -> impl Strategy<Value = u32> {
    let max = (1u64 << bits) as u32 - 1;
    prop_oneof![3 => 0..=max, 2 => (0..=max, 0..bits).prop_map(|(v, s)| v >> s), 1 => Just(0), 1 => Just(max), 1 => Just(1)]
}

#[derive(Clone, Debug)]
struct HopCase {
    record: HopRecord,
    elapsed: u32,
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
    (
        1u8..=8,
        corner(24),
        corner(20),
        corner(16),
        elapsed,
        share,
        corner(16),
        0u32..6,
    )
        .prop_map(|(speed, ts, tx_bytes, q, elapsed, share, q_now, empty)| HopCase {
            record: HopRecord {
                speed,
                ts,
                tx_bytes,
                q_len: if empty < 2 { 0 } else { q as u16 },
            },
            elapsed,
            share,
            q_len: if empty == 0 { 0 } else { q_now as u16 },
        })
}

#[derive(Clone, Debug)]
struct Case {
    params: HpccParams,
    hops: [HopCase; MAX_HOPS],
    n_hop: u8,
    c: f64,
    wc: f64,
    inc_stage: u8,
    psn: (u32, u32, u32),
    same_hops: bool,
}

fn case() -> impl Strategy<Value = Case> {
    let hops = prop::array::uniform5(hop());
    let state = (log_uniform(1e-6, 8000.0), 0f64..=1.0, prop_oneof![0u8..=6, any::<u8>()]);
    let psn = (corner(24), corner(24), corner(24));
    (params(), hops, 0u8..=7, state, psn, prop::bool::weighted(0.1)).prop_map(
        |(params, hops, n_hop, (c, wc, inc_stage), psn, same_hops)| {
            // log-uniform between the clamps
            let (low, high) = (params.w_min(), params.w_init);
            let wc = (low.ln() + wc * (high.ln() - low.ln())).exp().clamp(low, high);
            Case {
                params,
                hops,
                n_hop,
                c,
                wc,
                inc_stage,
                psn,
                same_hops,
            }
        },
    )
}

impl Case {
    /// Most units that a hop may legally report: `128 m dtx <= 1.05 B dts + 128 m`.
    fn most_units(&self, hop: &HopCase) -> u32 {
        let unit = 128.0 * f64::from(self.params.int_multi);
        let bytes = 1.05 * self.params.port_speeds[usize::from(hop.record.speed)] as f64 / 8e9 * f64::from(hop.elapsed);
        ((bytes + unit) / unit) as u32
    }

    fn states(&self, registers: &HpccRegisters) -> (FixedState, FlowState<f64>, CcEvent) {
        let mut hops = self.hops.clone();
        if self.same_hops {
            hops = std::array::from_fn(|_| self.hops[0].clone());
        }
        let fresh = std::array::from_fn(|i| {
            let hop = &hops[i];
            let sent = (f64::from(self.most_units(hop)) * hop.share) as u32;
            HopRecord {
                speed: hop.record.speed,
                ts: hop.record.ts.wrapping_add(hop.elapsed) & 0xff_ffff,
                tx_bytes: hop.record.tx_bytes.wrapping_add(sent) & 0xf_ffff,
                q_len: hop.q_len,
            }
        });
        let records: [HopRecord; MAX_HOPS] = std::array::from_fn(|i| hops[i].record);
        let fixed = FixedState {
            has_records: true,
            hops: records,
            n_hop: self.n_hop,
            path_id: 7,
            last_update_seq: self.psn.0,
            last_ack_ns: 0,
            c: (self.c * 2f64.powi(34)) as u64,
            wc: ((self.wc * 2048.0) as u64).clamp(registers.w_min, registers.w_init),
            w: registers.w_init,
            inc_stage: self.inc_stage,
        };
        let mut golden = FlowState::new(&self.params);
        golden.has_records = true;
        golden.links = records.map(|r| Link {
            speed: r.speed,
            ts: r.ts,
            tx_bytes: r.tx_bytes,
            q_len: r.q_len.into(),
        });
        golden.n_hop = self.n_hop;
        golden.path_id = 7;
        golden.last_update_seq = self.psn.0;
        golden.u = utilisation(fixed.c, self.params.eta);
        golden.wc = window_bytes(fixed.wc);
        golden.w = window_bytes(fixed.w);
        golden.inc_stage = self.inc_stage;
        let event = CcEvent {
            psn_next: self.psn.1,
            snd_nxt: self.psn.2,
            int_valid: true,
            n_hop: self.n_hop,
            path_id: 7,
            hops: fresh,
            now: 1000,
            ..CcEvent::default()
        };
        (fixed, golden, event)
    }

    /// Relative error of the window after one step.
    fn error(&self) -> Result<f64, TestCaseError> {
        let Ok(registers) = HpccRegisters::new(&self.params) else {
            return Err(TestCaseError::fail(
                "parameters within the promised range do not fit the registers",
            ));
        };
        let law = HpccLaw::<f64>::new(self.params.clone()).expect("validated by the registers");
        let (mut fixed, golden_before, event) = self.states(&registers);
        let step = registers.step(&mut fixed, &event);
        let mut golden = golden_before;
        let mut seen = law.step(&mut golden, &event, &StepOptions::default());
        if let (Some(ours), Some(theirs)) = (step.winner, seen.winner) {
            let u = |i: usize| seen.hop_u[i].unwrap_or(f64::NAN);
            if ours != theirs && (u(ours) / u(theirs) - 1.0).abs() <= TIE {
                golden = golden_before;
                let forced = StepOptions {
                    forced_hop: Some(ours),
                    ..StepOptions::default()
                };
                seen = law.step(&mut golden, &event, &forced);
            }
        }
        prop_assert_eq!(step.winner, seen.winner);
        prop_assert_eq!(step.full, seen.full);
        prop_assert_eq!(step.branch == Branch::Unchanged, seen.branch == Branch::Unchanged);
        prop_assert_eq!(fixed.last_update_seq, golden.last_update_seq);
        let records: Vec<u32> = golden.links.iter().map(|l| l.ts).collect();
        prop_assert_eq!(fixed.hops.iter().map(|h| h.ts).collect::<Vec<_>>(), records);
        Ok((window_bytes(fixed.w) / seen.w - 1.0).abs())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300_000,
        failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn window_is_within_its_bound_after_any_legal_acknowledgement(case in case()) {
        let error = case.error()?;
        prop_assert!(error <= BOUND, "relative error {error:e}");
    }
}
