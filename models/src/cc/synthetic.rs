//! Synthetic ACK traces for what recordings lack: wraps of every counter, five hops, mixed port speeds, many senders, other
//! parameters. Seeded; the state columns are golden's own, so that co-simulation can be tried on the result.
//!
//! Ports are fluid queues: each has a load that changes now and then; above one it builds a queue and sends at its
//! speed, below it drains. Counters therefore move as those of a real port: never faster than the link.

use super::hpcc::{Hpcc, HpccParams, ParamError, StepOptions, Q_UNIT, TS_WRAP, TX_UNIT, TX_WRAP};
use super::trace::{Trace, TraceHeader, TraceHop, TraceRow, MAX_TRACE_QUEUE};
use super::{CongestionControl, MAX_HOPS};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// What to generate.
#[derive(Clone, Debug)]
pub struct Synthetic {
    /// Seed of everything random.
    pub seed: u64,
    /// ACKs.
    pub rows: usize,
    /// Senders, numbered from 0.
    pub flows: u32,
    /// Hops of every path, 0 to 5.
    pub hops: usize,
    /// Port speeds to draw from, bits per second; all in the parameters' table.
    pub speeds: Vec<u64>,
    /// Parameters of the law.
    pub params: HpccParams,
    /// Payload bytes of a packet.
    pub mtu_payload: u32,
    /// Silences longer than the stale limit occur.
    pub silences: bool,
}

/// A port as a fluid queue.
struct Port {
    code: u8,
    bytes_per_ns: f64,
    /// Added to the common clock: every port wraps at a time of its own.
    clock_offset: u64,
    at: u64,
    sent: f64,
    queue: f64,
    load: f64,
}

/// A sender: its path and where its byte stream stands.
struct Sender {
    path: Vec<usize>,
    acknowledged: u64,
}

impl Port {
    fn advance(&mut self, now: u64, most: f64, rng: &mut ChaCha8Rng) {
        let room = self.bytes_per_ns * (now - self.at) as f64;
        let offered = self.queue + self.load * room;
        let sent = offered.min(room);
        self.sent += sent;
        self.queue = (offered - sent).min(most);
        self.at = now;
        // Mostly a little under or over the target; bursts are short, floods rare, and a queue may be dropped at once.
        if rng.random_bool(if self.load > 1.0 { 0.3 } else { 0.02 }) {
            self.load = *[0.0, 0.3, 0.7, 0.9, 0.94, 0.95, 0.96, 1.0, 1.2, 40.0]
                .choose(rng)
                .unwrap_or(&1.0);
            if rng.random_bool(0.5) {
                self.queue = 0.0;
            }
        }
    }
}

impl Synthetic {
    /// Generates the trace. Errors if the law refuses the parameters.
    ///
    /// # Panics
    /// If a speed is not in the parameters' table, or there are more than five hops.
    pub fn trace(&self) -> Result<Trace, ParamError> {
        assert!(self.hops <= MAX_HOPS, "at most five hops");
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let (mut ports, mut senders) = self.network(&mut rng);
        let mut law: Hpcc = Hpcc::new(self.params.clone())?;
        for flow in 0..self.flows {
            law.create(flow, 0);
        }
        let notes = BTreeMap::from([("source".into(), format!("synthetic, seed {}", self.seed))]);
        let header = TraceHeader {
            params: self.params.clone(),
            mtu_payload: self.mtu_payload,
            notes,
        };
        let mut trace = Trace {
            header,
            rows: Vec::with_capacity(self.rows),
        };
        let gap = f64::from(self.mtu_payload) * 8e9 / self.params.line_rate as f64;
        let mut now = 2_000_000_000;
        for line in 0..self.rows {
            now += (1.0 + rng.random_range(0.0..2.0) * gap) as u64;
            if self.silences && rng.random_bool(0.005) {
                now += u64::from(self.params.stale_limit_ns) * rng.random_range(1..30) / 10;
            }
            let flow = if line < self.flows as usize {
                line as u32
            } else {
                rng.random_range(0..self.flows)
            };
            let row = self.row(&mut ports, &mut senders[flow as usize], flow, now, &mut rng);
            trace.rows.push(observed(&mut law, &trace, row));
        }
        Ok(trace)
    }

    fn network(&self, rng: &mut ChaCha8Rng) -> (Vec<Port>, Vec<Sender>) {
        let multi = u64::from(self.params.int_multi);
        let ports: Vec<Port> = (0..self.hops * 4)
            .map(|i| {
                let speed = self.speeds[i % self.speeds.len()];
                Port {
                    code: self.params.speed_code(speed).expect("every speed is in the table"),
                    bytes_per_ns: speed as f64 / 8e9,
                    clock_offset: rng.random_range(0..u64::from(TS_WRAP)),
                    at: 2_000_000_000,
                    sent: (rng.random_range(1..=u64::from(TX_WRAP)) * TX_UNIT * multi) as f64,
                    queue: 0.0,
                    load: 0.9,
                }
            })
            .collect();
        let senders = (0..self.flows)
            .map(|_| {
                let start = rng.random_range(0..4) * ((1 << 23) - 64) + rng.random_range(1..64);
                let path = rand::seq::index::sample(rng, ports.len(), self.hops).into_vec();
                Sender {
                    path,
                    acknowledged: start * u64::from(self.mtu_payload),
                }
            })
            .collect();
        (ports, senders)
    }

    /// Inputs of one ACK.
    fn row(&self, ports: &mut [Port], sender: &mut Sender, flow: u32, now: u64, rng: &mut ChaCha8Rng) -> TraceRow {
        let multi = u64::from(self.params.int_multi);
        let most = (u64::from(MAX_TRACE_QUEUE) * Q_UNIT * multi) as f64;
        let mut hops = [TraceHop::default(); MAX_HOPS];
        for (hop, &index) in hops.iter_mut().zip(&sender.path) {
            let port = &mut ports[index];
            port.advance(now, most, rng);
            *hop = TraceHop {
                speed: port.code,
                ts: ((now + port.clock_offset) % u64::from(TS_WRAP)) as u32,
                tx: (port.sent as u64 / (TX_UNIT * multi) % u64::from(TX_WRAP)) as u32,
                q: (port.queue as u64 / (Q_UNIT * multi)) as u32,
            };
        }
        // A NAK repeats the sequence number and rewinds; every other ACK is one packet further.
        let rewound = rng.random_bool(0.01);
        let mtu = u64::from(self.mtu_payload);
        sender.acknowledged += if rewound { 0 } else { mtu };
        let flight = if rewound {
            0
        } else {
            rng.random_range(1..=(self.params.w_init as u64 / mtu).max(1))
        };
        TraceRow {
            t_ns: now,
            flow,
            ack_seq: sender.acknowledged,
            snd_nxt: sender.acknowledged + flight * mtu,
            n_hop: self.hops as u8,
            hops,
            ..TraceRow::default()
        }
    }
}

/// The row with golden's state after it.
fn observed(law: &mut Hpcc, trace: &Trace, row: TraceRow) -> TraceRow {
    let options = StepOptions {
        queues: Some(trace.queues(&row)),
        ..StepOptions::default()
    };
    let update = law.handle_with(&trace.event(&row), &options);
    match (law.last(), update) {
        (Some(seen), Some(update)) => TraceRow {
            u: seen.u,
            w_bytes: seen.w,
            rate_bps: update.rate,
            wc_bytes: seen.wc,
            inc_stage: seen.inc_stage,
            ..row
        },
        _ => row,
    }
}

/// Named settings that together cover what recordings lack.
pub fn settings() -> Vec<(&'static str, Synthetic)> {
    const G: u64 = 1_000_000_000;
    let base = Synthetic {
        seed: 1,
        rows: 5000,
        flows: 8,
        hops: 5,
        speeds: vec![10 * G, 25 * G, 40 * G, 50 * G, 100 * G, 200 * G, 400 * G],
        params: HpccParams::new(100 * G, 9000),
        mtu_payload: 1000,
        silences: false,
    };
    let with = |change: &dyn Fn(&mut Synthetic)| {
        let mut setting = base.clone();
        change(&mut setting);
        setting
    };
    vec![
        ("mixed_speeds", base.clone()),
        (
            "senders_64",
            with(&|s| (s.flows, s.hops, s.speeds) = (64, 1, vec![100 * G])),
        ),
        ("max_stage_0", with(&|s| s.params.max_stage = 0)),
        ("int_multi_4", with(&|s| s.params.int_multi = 4)),
        ("silences", with(&|s| (s.silences, s.flows) = (true, 2))),
        (
            "slow_nic",
            with(&|s| {
                s.params = HpccParams {
                    w_ai: 1.0,
                    ..HpccParams::new(10 * G, 100_000)
                }
            }),
        ),
        (
            "fast_nic",
            with(&|s| {
                s.params = HpccParams::new(800 * G, 1000);
                s.speeds = vec![400 * G, 800 * G];
                s.mtu_payload = 4096;
            }),
        ),
        ("two_times", with(&|s| s.params.w_init = 77_250.0)),
        ("per_rtt", with(&|s| s.params.reaction = super::hpcc::Reaction::PerRtt)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::hpcc::Branch;
    use std::path::Path;

    #[test]
    fn same_seed_same_trace_and_the_file_says_the_same() {
        for (name, setting) in settings() {
            let trace = setting.trace().unwrap();
            assert_eq!(trace.rows, setting.trace().unwrap().rows, "{name}");
            let mut text = Vec::new();
            trace.write(&mut text).unwrap();
            let mut read = Trace::parse(&text[..], Path::new(name)).unwrap();
            read.rows.iter_mut().for_each(|row| row.line = 0);
            assert_eq!(read, trace, "{name}");
        }
    }

    #[test]
    fn settings_reach_every_wrap_and_branch() {
        let mut branches = std::collections::BTreeSet::new();
        let (mut ts, mut tx, mut psn, mut saturated) = (false, false, false, false);
        for (_, setting) in settings() {
            let trace = setting.trace().unwrap();
            let mut law: Hpcc = Hpcc::new(setting.params.clone()).unwrap();
            let mut last: BTreeMap<u32, TraceRow> = BTreeMap::new();
            for row in &trace.rows {
                if !last.contains_key(&row.flow) {
                    law.create(row.flow, 0);
                }
                law.handle(&trace.event(row));
                branches.extend(law.last().map(|seen| seen.branch));
                if let Some(before) = last.insert(row.flow, *row) {
                    ts |= row.hops[0].ts < before.hops[0].ts;
                    tx |= row.hops[0].tx < before.hops[0].tx;
                    psn |= trace.psn(row.ack_seq) < trace.psn(before.ack_seq);
                }
                saturated |= row.hops.iter().any(|hop| hop.q > u32::from(u16::MAX));
            }
        }
        assert!(
            ts && tx && psn && saturated,
            "ts {ts} tx {tx} psn {psn} queue {saturated}"
        );
        use Branch::*;
        assert!([First, StaleFlow, Multiplicative, Additive, Unchanged]
            .iter()
            .all(|b| branches.contains(b)));
    }

    #[test]
    fn counters_never_run_faster_than_the_link() {
        for (name, setting) in settings() {
            let trace = setting.trace().unwrap();
            let mut last: BTreeMap<u32, TraceRow> = BTreeMap::new();
            for row in &trace.rows {
                let Some(before) = last.insert(row.flow, *row) else {
                    continue;
                };
                let elapsed = (row.t_ns - before.t_ns) as f64;
                if elapsed > 1e6 {
                    continue;
                }
                for (hop, old) in row.hops.iter().zip(&before.hops).take(usize::from(row.n_hop)) {
                    let unit = 128.0 * f64::from(setting.params.int_multi);
                    let sent = f64::from(hop.tx.wrapping_sub(old.tx) % TX_WRAP) * unit;
                    let link = setting.params.port_speeds[usize::from(hop.speed)] as f64 / 8e9 * elapsed;
                    assert!(sent <= link + unit, "{name}: {sent} bytes in {elapsed} ns");
                }
            }
        }
    }
}
