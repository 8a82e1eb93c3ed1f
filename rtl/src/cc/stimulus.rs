//! Random events for tests of the slot: flows whose counters move plausibly, with every corner far above its natural share.

use crate::sim::Stimulus;
use hpcc_models::cc::{CcEvent, EventKind, HopRecord, MAX_HOPS};

/// One flow's imagined path and sender.
#[derive(Clone, Copy, Debug, Default)]
struct Path {
    hops: [HopRecord; MAX_HOPS],
    n_hop: u8,
    path_id: u16,
    psn: u32,
}

/// Source of events for flows `0..flows`, all under generation `generation(flow)`.
#[derive(Clone, Debug)]
pub struct EventSource {
    stimulus: Stimulus,
    paths: Vec<Path>,
    now: u64,
}

impl EventSource {
    /// Events of `flows` flows from `seed`.
    pub fn new(seed: u64, flows: usize) -> Self {
        let mut source = Self {
            stimulus: Stimulus::new(seed),
            paths: vec![Path::default(); flows],
            now: 1 << 40,
        };
        for flow in 0..flows {
            source.move_path(flow);
        }
        source
    }

    /// The random source, for stalls and choices of the same run.
    pub fn stimulus(&mut self) -> &mut Stimulus {
        &mut self.stimulus
    }

    fn move_path(&mut self, flow: usize) {
        let s = &mut self.stimulus;
        let path = &mut self.paths[flow];
        path.n_hop = if s.chance(0.02) { s.uniform(4) as u8 } else { 1 + s.below(5) as u8 };
        path.path_id = s.uniform(12) as u16;
        for hop in &mut path.hops {
            *hop = HopRecord {
                speed: 1 + s.below(8) as u8,
                ts: s.uniform(24) as u32,
                tx_bytes: s.uniform(20) as u32,
                q_len: s.uniform(16) as u16 >> s.below(16),
            };
        }
    }

    /// Elapsed time of one hop: mostly up to some T, sometimes none, one, the rules' limits or anything.
    fn elapsed(&mut self) -> u32 {
        let s = &mut self.stimulus;
        match s.below(40) {
            0 => 0,
            1 => 1,
            2 => (1 << 23) - 1 + s.below(3) as u32,
            3 => 1_000_000 - 1 + s.below(3) as u32,
            4 => s.uniform(24) as u32,
            5..=9 => s.corner(20) as u32,
            _ => (1 + s.below(30_000) as u32) >> s.below(12),
        }
    }

    /// The next event of `flow`.
    pub fn next(&mut self, flow: usize, generation: u8) -> CcEvent {
        if self.stimulus.chance(0.01) {
            self.move_path(flow);
        }
        for i in 0..MAX_HOPS {
            let elapsed = self.elapsed();
            let s = &mut self.stimulus;
            let hop = &mut self.paths[flow].hops[i];
            hop.ts = hop.ts.wrapping_add(elapsed) & 0xff_ffff;
            // up to the link's rate and a little more, at 100 Gb/s; sometimes anything
            let most = u64::from(elapsed) / 10 + 1;
            let sent = if s.chance(0.05) { s.corner(20) } else { s.below(most + 1) };
            hop.tx_bytes = (hop.tx_bytes + sent as u32) & 0xf_ffff;
            if s.chance(0.7) {
                hop.q_len = if s.chance(0.5) { 0 } else { s.corner(16) as u16 >> s.below(10) };
            }
        }
        let s = &mut self.stimulus;
        self.now += match s.below(200) {
            0 => 999_990 + s.below(20),
            1 => 1 << s.below(44),
            _ => s.below(4000),
        };
        let path = &mut self.paths[flow];
        path.psn = path
            .psn
            .wrapping_add(if s.chance(0.1) { s.below(64) as u32 } else { 1 })
            & 0xff_ffff;
        // mostly round trips of 256 ns to 8 ms, longer ones less often; sometimes any time, or none
        let sent = s.uniform(48);
        let way = (sent >> 10) & ((1 << (8 + (sent & 31) / 2)) - 1);
        let snd_nxt = path
            .psn
            .wrapping_add(if s.chance(0.02) { s.uniform(24) as u32 } else { s.below(40) as u32 });
        let mut event = CcEvent {
            kind: match s.below(20) {
                0 | 1 => EventKind::Nak,
                2 => EventKind::Probe,
                _ => EventKind::Ack,
            },
            flow: flow as u32,
            generation,
            psn_next: path.psn,
            snd_nxt: snd_nxt & 0xff_ffff,
            int_valid: !s.chance(0.01),
            n_hop: path.n_hop,
            path_id: path.path_id,
            hops: path.hops,
            ecn: s.chance(0.1),
            sent_at: if sent & 31 == 31 { sent } else { self.now.wrapping_sub(way) & 0xffff_ffff_ffff },
            sent_valid: sent >> 5 & 31 != 0,
            bytes: s.uniform(32) as u32,
            now: self.now & 0xffff_ffff_ffff,
        };
        match s.below(400) {
            0 => {
                event.kind = [EventKind::Cnp, EventKind::Timeout, EventKind::Tick, EventKind::Sent][s.below(4) as usize]
            }
            1 => event.generation = generation.wrapping_add(1),
            2 => event.hops[s.below(5) as usize].speed = s.uniform(4) as u8,
            3 => event.n_hop = s.uniform(4) as u8,
            4 => {
                event.hops = std::array::from_fn(|_| HopRecord {
                    speed: 1 + s.below(8) as u8,
                    ts: s.corner(24) as u32,
                    tx_bytes: s.corner(20) as u32,
                    q_len: s.corner(16) as u16,
                })
            }
            // two hops alike in everything: a tie
            5..=12 => {
                for i in 1..MAX_HOPS {
                    self.paths[flow].hops[i] = self.paths[flow].hops[0];
                }
                event.hops = self.paths[flow].hops;
            }
            _ => {}
        }
        event
    }
}
