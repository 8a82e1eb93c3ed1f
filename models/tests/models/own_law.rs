//! The book's example of a law of one's own: a delay target as Swift's, golden and fixed point, one compared with the other.

use hpcc_models::cc::{psn_after, CcEvent, CongestionControl, EventKind, FlowTable, Update};
use hpcc_models::fixed::arithmetic::rate;
use hpcc_models::fixed::hpcc::{rate_bits_per_second, window_bytes};
use hpcc_models::fixed::law::{Answer, FixedLaw};
use hpcc_models::fixed::reciprocal::reciprocal_mantissa;
use proptest::prelude::*;

/// Target delay and base round-trip time, ns; window in bytes; step of an increase in bytes; strength of a decrease.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Params {
    pub(crate) target_ns: u32,
    pub(crate) tau_ns: u32,
    pub(crate) w_init: f64,
    pub(crate) step: f64,
    pub(crate) beta: f64,
}

/// Window in bytes (golden) or in UQ23.11 (fixed), and the end of the round trip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State<W> {
    w: W,
    snap: u32,
}

/// Both forms: what one round trip does to a window is all that differs.
pub(crate) trait Form: Copy {
    type Window: Copy;
    fn start(&self) -> Self::Window;
    fn react(&self, w: Self::Window, rtt_ns: u32) -> Self::Window;
    fn bytes(&self, w: Self::Window) -> f64;
    fn rate(&self, w: Self::Window) -> f64;
}

#[derive(Clone, Copy)]
pub(crate) struct Golden(Params);

impl Form for Golden {
    type Window = f64;
    fn start(&self) -> f64 {
        self.0.w_init
    }
    fn react(&self, w: f64, rtt_ns: u32) -> f64 {
        let p = &self.0;
        let excess = f64::from(rtt_ns) - f64::from(p.target_ns);
        let new = if excess <= 0.0 {
            w + p.step
        } else {
            w * (1.0 - (p.beta * excess / f64::from(rtt_ns)).min(0.5))
        };
        new.clamp(1.0, p.w_init)
    }
    fn bytes(&self, w: f64) -> f64 {
        w
    }
    fn rate(&self, w: f64) -> f64 {
        w * 8e9 / f64::from(self.0.tau_ns)
    }
}

/// Registers: target in ns, step and first window in UQ23.11, beta in UQ0.16, 1 / tau in UQ0.43.
#[derive(Clone, Copy)]
pub(crate) struct Fixed {
    target_ns: u32,
    step: u64,
    w_init: u64,
    beta: u64,
    per_window: u64,
}

impl Fixed {
    pub(crate) fn new(p: Params) -> Self {
        let bits = |value: f64, fraction: i32| (value * 2f64.powi(fraction)).round() as u64;
        Self {
            target_ns: p.target_ns,
            step: bits(p.step, 11),
            w_init: bits(p.w_init, 11),
            beta: bits(p.beta, 16).min(0xffff),
            per_window: bits(1.0 / f64::from(p.tau_ns), 43),
        }
    }
}

impl Form for Fixed {
    type Window = u64;
    fn start(&self) -> u64 {
        self.w_init
    }
    fn react(&self, w: u64, rtt_ns: u32) -> u64 {
        let new = match rtt_ns.checked_sub(self.target_ns) {
            None | Some(0) => w + self.step,
            Some(excess) => {
                // excess / RTT in UQ0.18, truncated: both shifted up as the table of 1/n wants its divisor, then times 1/n
                let shift = rtt_ns.leading_zeros() - 8;
                let y = (1 << 17) | u64::from(reciprocal_mantissa(rtt_ns << shift));
                let share = ((u64::from(excess) << shift) * y) >> 23;
                let cut = ((share * self.beta) >> 16).min(1 << 17);
                w - ((w * cut + (1 << 17)) >> 18)
            }
        };
        new.clamp(1 << 11, self.w_init)
    }
    fn bytes(&self, w: u64) -> f64 {
        window_bytes(w)
    }
    fn rate(&self, w: u64) -> f64 {
        rate_bits_per_second(rate(w, self.per_window))
    }
}

pub(crate) struct DelayTarget<F: Form> {
    form: F,
    flows: FlowTable<State<F::Window>>,
}

impl<F: Form> DelayTarget<F> {
    pub(crate) fn new(form: F) -> Self {
        let flows = FlowTable::default();
        Self { form, flows }
    }
    fn update(&self, flow: u32, generation: u8, w: F::Window) -> Update {
        let (window, rate) = (self.form.bytes(w), self.form.rate(w));
        Update {
            flow,
            generation,
            window,
            rate,
        }
    }
}

impl<F: Form> CongestionControl for DelayTarget<F> {
    fn name(&self) -> &'static str {
        "delay-target"
    }
    fn create(&mut self, flow: u32, generation: u8) -> Update {
        let w = self.form.start();
        self.flows.insert(flow, generation, State { w, snap: 0 });
        self.update(flow, generation, w)
    }
    fn remove(&mut self, flow: u32) {
        self.flows.remove(flow);
    }
    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        let form = self.form;
        let state = self.flows.get_mut(event.flow, event.generation)?;
        if event.kind != EventKind::Ack || !event.sent_valid || !psn_after(event.psn_next, state.snap) {
            return None;
        }
        let rtt = event.now.saturating_sub(event.sent_at).clamp(1, 0xff_ffff) as u32;
        *state = State {
            w: form.react(state.w, rtt),
            snap: event.snd_nxt,
        };
        let w = state.w;
        Some(self.update(event.flow, event.generation, w))
    }
}

impl FixedLaw for DelayTarget<Fixed> {
    fn writes(&self) -> Vec<(u8, u64)> {
        let f = &self.form;
        vec![
            (0, f.target_ns.into()),
            (1, f.step),
            (2, f.w_init),
            (3, f.beta),
            (4, f.per_window),
        ]
    }
    fn answer(&self, flow: u32) -> Option<Answer> {
        self.flows.get(flow).map(|state| Answer {
            window: state.w,
            rate: rate(state.w, self.form.per_window),
            signal: state.w,
        })
    }
}

fn params() -> impl Strategy<Value = Params> {
    (
        2_000u32..200_000,
        1_000u32..100_000,
        1e3f64..4e6,
        1f64..5e3,
        0.01f64..1.0,
    )
        .prop_map(|(target_ns, tau_ns, w_init, step, beta)| Params {
            target_ns,
            tau_ns,
            w_init,
            step,
            beta,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// One round trip from the same window: within 2^-11, over the whole range.
    #[test]
    fn fixed_point_follows_golden(p in params(), share in 0f64..1.0, rtt in 1u32..1 << 24) {
        let (golden, fixed) = (Golden(p), Fixed::new(p));
        let w = ((share * fixed.w_init as f64) as u64).max(1 << 11);
        let (want, got) = (golden.react(window_bytes(w), rtt), window_bytes(fixed.react(w, rtt)));
        prop_assert!((got / want - 1.0).abs() <= 1.0 / 2048.0, "{p:?} w {w} rtt {rtt}: golden {want}, fixed {got}");
    }
}

#[test]
fn the_window_moves_once_a_round_trip() {
    let p = Params {
        target_ns: 20_000,
        tau_ns: 10_000,
        w_init: 125_000.0,
        step: 1000.0,
        beta: 0.8,
    };
    let mut law = DelayTarget::new(Fixed::new(p));
    assert_eq!(law.create(0, 1).window, 125_000.0);
    let ack = |psn_next, rtt: u64| CcEvent {
        generation: 1,
        psn_next,
        snd_nxt: psn_next + 50,
        sent_at: 1_000_000,
        sent_valid: true,
        now: 1_000_000 + rtt,
        ..CcEvent::default()
    };
    // Twice the target: 0.8 / 2 less.
    let down = law.handle(&ack(1, 40_000)).unwrap().window;
    assert!((down / 75_000.0 - 1.0).abs() < 1e-4, "{down}");
    assert!(law.handle(&ack(2, 40_000)).is_none());
    let up = law.handle(&ack(52, 10_000)).unwrap().window;
    assert_eq!(up, down + 1000.0);
    assert_eq!(
        (law.name(), law.writes().len(), law.answer(0).is_some()),
        ("delay-target", 5, true)
    );
}
