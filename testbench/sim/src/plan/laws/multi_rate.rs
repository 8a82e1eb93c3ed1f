//! HPCC with a rate for each hop, as the authors' ns-3 simulator has it at `MULTI_RATE 1` (its default, in the configuration that comes with
//! it as well).
//!
//! Every hop keeps an average of its own inflight bytes, a reference rate and a stage, all moved by Algorithm 1's rules; the flow sends at the
//! smallest rate that they give. With one hop this is HPCC, but for acknowledgements of an idle link. Order of operations and rounding are that
//! simulator's.

use hpcc_models::cc::hpcc::{HpccParams, ParamError, Reaction, Q_UNIT, TX_UNIT};
use hpcc_models::cc::{psn_after, CcEvent, CongestionControl, FlowTable, HopRecord, Update, MAX_HOPS};

/// What a flow keeps of a hop.
#[derive(Clone, Copy)]
struct Hop {
    /// Its INT in the last acknowledgement.
    record: HopRecord,
    /// Normalised inflight bytes, moving average.
    u: f64,
    /// Reference rate, bits per second.
    rate: u64,
    /// Additive rounds since the last multiplicative one.
    stage: u8,
}

#[derive(Clone, Copy)]
struct Flow {
    started: bool,
    last_update_seq: u32,
    hops: [Hop; MAX_HOPS],
}

/// HPCC with a rate per hop, for all flows of a NIC.
pub struct MultiRateHpcc {
    params: HpccParams,
    flows: FlowTable<Flow>,
}

impl MultiRateHpcc {
    /// No flows yet.
    pub fn new(params: HpccParams) -> Result<Self, ParamError> {
        params.validate_law()?;
        Ok(Self {
            params,
            flows: FlowTable::default(),
        })
    }

    fn window(&self, rate: u64) -> f64 {
        rate as f64 * self.params.w_init / self.params.line_rate as f64
    }

    /// Rate that a hop allows, and its next stage.
    fn react(&self, hop: &Hop) -> (u64, u8) {
        let p = &self.params;
        let step = (p.w_ai * p.line_rate as f64 / p.w_init).round() as u64;
        let c = hop.u / p.eta;
        let (rate, stage) = if c >= 1.0 || hop.stage >= p.max_stage {
            // Cut to whole bits per second; an idle hop gives infinity, which the clamp takes.
            (((hop.rate as f64 / c) as u64).saturating_add(step), 0)
        } else {
            (hop.rate.saturating_add(step), hop.stage.saturating_add(1))
        };
        (rate.max(p.min_rate).min(p.line_rate), stage)
    }

    /// Moves a hop's average by what passed since the record, and takes the new one.
    fn measure(&self, hop: &mut Hop, link: &HopRecord) {
        let p = &self.params;
        let (line, multi, t) = (p.line_rate as f64, f64::from(p.int_multi), f64::from(p.base_rtt_ns));
        let speed = p.port_speeds[usize::from(link.speed & 15)] as f64;
        let tau = f64::from(link.ts.wrapping_sub(hop.record.ts) & 0xff_ffff);
        let sent = f64::from(link.tx_bytes.wrapping_sub(hop.record.tx_bytes) & 0xf_ffff) * TX_UNIT as f64 * multi;
        let queue = f64::from(link.q_len.min(hop.record.q_len)) * Q_UNIT as f64 * multi;
        hop.record = *link;
        if tau > 0.0 {
            let u = sent * 8.0 / (tau * 1e-9) / speed + queue * line / speed / p.w_init;
            let tau = tau.min(t);
            hop.u = (hop.u * (t - tau) + u * tau) / t;
        }
    }
}

impl CongestionControl for MultiRateHpcc {
    fn name(&self) -> &'static str {
        "hpcc"
    }

    fn create(&mut self, flow: u32, generation: u8) -> Update {
        let rate = self.params.line_rate;
        let hop = Hop {
            record: HopRecord::default(),
            u: 1.0,
            rate,
            stage: 0,
        };
        let state = Flow {
            started: false,
            last_update_seq: 0,
            hops: [hop; MAX_HOPS],
        };
        self.flows.insert(flow, generation, state);
        Update {
            flow,
            generation,
            window: self.params.w_init,
            rate: rate as f64,
        }
    }

    fn remove(&mut self, flow: u32) {
        self.flows.remove(flow);
    }

    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        if !event.kind.acknowledges() || !event.int_valid {
            return None;
        }
        let mut state = *self.flows.get_mut(event.flow, event.generation)?;
        let count = usize::from(event.n_hop).min(MAX_HOPS);
        let links = &event.hops[..count];
        if links
            .iter()
            .any(|l| self.params.port_speeds[usize::from(l.speed & 15)] == 0)
        {
            return None;
        }
        let full = psn_after(event.psn_next, state.last_update_seq);
        let mut rate = None;
        if !state.started {
            state.started = true;
            state.last_update_seq = event.snd_nxt;
            for (hop, link) in state.hops.iter_mut().zip(links) {
                hop.record = *link;
            }
        } else if full || self.params.reaction != Reaction::PerRtt {
            let mut lowest = self.params.line_rate;
            for (hop, link) in state.hops.iter_mut().zip(links) {
                self.measure(hop, link);
                let (allowed, stage) = self.react(hop);
                lowest = lowest.min(allowed);
                if full {
                    (hop.rate, hop.stage) = (allowed, stage);
                }
            }
            rate = Some(lowest);
            if full && psn_after(event.snd_nxt, state.last_update_seq) {
                state.last_update_seq = event.snd_nxt;
            }
        }
        *self.flows.get_mut(event.flow, event.generation)? = state;
        rate.map(|rate| Update {
            flow: event.flow,
            generation: event.generation,
            window: self.window(rate),
            rate: rate as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::laws::whole_rate::WholeRateHpcc;
    use hpcc_models::cc::EventKind;

    fn params() -> HpccParams {
        HpccParams::new(100_000_000_000, 4160)
    }

    /// Acknowledgement number `i` of a path of `hops` links that carry 1090 bytes each 100 ns before a queue of `queue` units.
    fn ack(i: u32, hops: u8, queue: u16) -> CcEvent {
        let link = |h: u32| HopRecord {
            speed: 5,
            ts: 1000 + 100 * i + 50 * h,
            tx_bytes: i * 1090 / 128,
            q_len: if h == 0 { queue } else { 0 },
        };
        CcEvent {
            kind: EventKind::Ack,
            flow: 0,
            generation: 1,
            psn_next: i + 1,
            snd_nxt: i + 40,
            int_valid: true,
            n_hop: hops,
            hops: std::array::from_fn(|h| link(h as u32)),
            now: u64::from(5000 + 100 * i),
            ..CcEvent::default()
        }
    }

    /// But for the additive step, which is a whole number of bits per second here.
    #[test]
    fn one_hop_is_hpcc() {
        let (mut single, mut multi) = (
            WholeRateHpcc::new(params()).unwrap(),
            MultiRateHpcc::new(params()).unwrap(),
        );
        single.create(0, 1);
        multi.create(0, 1);
        let mut moved = 0;
        for i in 0..2000 {
            let event = ack(i, 1, (i / 10 % 700) as u16);
            match (single.handle(&event), multi.handle(&event)) {
                (None, None) => {}
                (Some(a), Some(b)) => {
                    assert!(
                        (a.rate / b.rate - 1.0).abs() < 1e-6,
                        "ACK {i}: {} and {}",
                        a.rate,
                        b.rate
                    );
                    moved += 1;
                }
                (a, b) => panic!("ACK {i}: {a:?} and {b:?}"),
            }
        }
        assert_eq!(moved, 1999);
    }

    /// The second hop is free; its reference rate stays at the line rate while the first one's falls, and the flow obeys the first.
    #[test]
    fn the_slowest_hop_decides() {
        let mut law = MultiRateHpcc::new(params()).unwrap();
        law.create(0, 1);
        let mut last = f64::NAN;
        for i in 0..400 {
            if let Some(update) = law.handle(&ack(i, 2, 900)) {
                last = update.rate;
            }
        }
        let hops = law.flows.get_mut(0, 1).unwrap().hops;
        assert!(last < 20e9, "{last}");
        assert!(hops[0].rate < 20_000_000_000 && hops[1].rate == 100_000_000_000);
        assert!(hops[0].u > 1.0 && hops[1].u < 0.95);
    }
}
