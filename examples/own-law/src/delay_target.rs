//! A delay target with Swift's core: below the target the window grows by a step a round trip, above it the window shrinks in proportion to the
//! excess, at most by half.

use hpcc_sim::models::cc::{psn_after, CcEvent, CongestionControl, EventKind, FlowTable, Update};
use hpcc_sim::models::net::SlotParams;
use hpcc_sim::plan::laws::own::{OwnKey, OwnLaw, Values};

/// The law as scenarios name it, with its keys in the table `[cc]`.
pub const LAW: OwnLaw = OwnLaw {
    name: "delay-target",
    keys: &[
        OwnKey {
            name: "target_us",
            unit: "us",
            default: 20.0,
            range: (1.0, 1000.0),
            meaning: "Round-trip time that the law steers to.",
        },
        OwnKey {
            name: "step_bytes",
            unit: "bytes",
            default: 1000.0,
            range: (1.0, 100_000.0),
            meaning: "Growth of the window in a round trip below the target.",
        },
        OwnKey {
            name: "strength",
            unit: "",
            default: 0.8,
            range: (0.01, 1.0),
            meaning: "Share of the excess delay by which the window shrinks.",
        },
    ],
    ..OwnLaw::new(make)
};

/// The law with the values of its keys, for flows of one kind of port.
fn make(values: &Values, port: &SlotParams) -> Result<Box<dyn CongestionControl>, String> {
    let rules = Rules {
        target_ns: values.number("target_us") * 1000.0,
        step: values.number("step_bytes"),
        strength: values.number("strength"),
        first_window: port.w_init_bytes as f64,
        base_rtt_ns: port.base_rtt_ns as f64,
    };
    Ok(Box::new(DelayTarget {
        rules,
        flows: FlowTable::default(),
    }))
}

/// The law's constants.
#[derive(Clone, Copy)]
struct Rules {
    target_ns: f64,
    step: f64,
    strength: f64,
    first_window: f64,
    base_rtt_ns: f64,
}

/// What the law keeps of a flow.
struct State {
    /// Window, bytes.
    window: f64,
    /// Sequence number at which the present round trip ends.
    round_trip_ends: u32,
}

struct DelayTarget {
    rules: Rules,
    flows: FlowTable<State>,
}

impl Rules {
    /// The window after a round trip that took `rtt_ns`.
    fn react(self, window: f64, rtt_ns: f64) -> f64 {
        let excess = rtt_ns - self.target_ns;
        let new = match excess <= 0.0 {
            true => window + self.step,
            false => window * (1.0 - (self.strength * excess / rtt_ns).min(0.5)),
        };
        new.clamp(1.0, self.first_window)
    }

    /// The answer: a window, and the rate that sends it in one base round-trip time.
    fn update(self, flow: u32, generation: u8, window: f64) -> Update {
        let rate = window * 8e9 / self.base_rtt_ns;
        Update {
            flow,
            generation,
            window,
            rate,
        }
    }
}

impl CongestionControl for DelayTarget {
    fn name(&self) -> &'static str {
        LAW.name
    }

    fn create(&mut self, flow: u32, generation: u8) -> Update {
        let window = self.rules.first_window;
        let state = State {
            window,
            round_trip_ends: 0,
        };
        self.flows.insert(flow, generation, state);
        self.rules.update(flow, generation, window)
    }

    fn remove(&mut self, flow: u32) {
        self.flows.remove(flow);
    }

    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        // An event of an earlier life of the flow finds no state of its generation.
        let state = self.flows.get_mut(event.flow, event.generation)?;
        let timed = event.kind == EventKind::Ack && event.sent_valid;
        if !timed || !psn_after(event.psn_next, state.round_trip_ends) {
            return None;
        }
        let rtt_ns = event.now.saturating_sub(event.sent_at).max(1) as f64;
        state.window = self.rules.react(state.window, rtt_ns);
        state.round_trip_ends = event.snd_nxt;
        Some(self.rules.update(event.flow, event.generation, state.window))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules {
        target_ns: 20_000.0,
        step: 1000.0,
        strength: 0.8,
        first_window: 162_500.0,
        base_rtt_ns: 13_000.0,
    };

    /// At twice the target the excess is half of the round trip: the window loses 0.8 of a half.
    #[test]
    fn the_window_follows_the_delay() {
        assert_eq!(RULES.react(100_000.0, 20_000.0), 101_000.0);
        assert!((RULES.react(100_000.0, 40_000.0) - 60_000.0).abs() < 1e-6);
        assert_eq!(RULES.react(100_000.0, 1e9), 50_000.0);
    }
}
