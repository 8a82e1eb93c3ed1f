//! Two NICs on a wire that loses, duplicates, reorders and corrupts: the memories end as on a perfect wire, or a completion says
//! otherwise. Never silent damage.

mod directed;
mod generated;

use hpcc_models::cc::{CcEvent, CongestionControl, Update};
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use std::net::Ipv4Addr;

pub const IPS: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 0, 0, 10), Ipv4Addr::new(10, 0, 0, 11)];
pub const MACS: [MacAddr; 2] = [MacAddr([2, 0, 0, 0, 0, 10]), MacAddr([2, 0, 0, 0, 0, 11])];
pub const QPNS: [u32; 2] = [0x11, 0x22];
pub const KEY: u32 = 0x1234;
pub const BASE: u64 = 0x1000_0000;
/// Each side's memory: the first half is its own to send from, the second is where data arrives.
pub const HALF: u64 = 3 << 20;

/// A law that halves its window at each loss and opens it again: windows and rates move all the time.
#[derive(Default)]
pub struct Sawtooth {
    windows: std::collections::BTreeMap<u32, (u8, f64)>,
}

impl CongestionControl for Sawtooth {
    fn name(&self) -> &'static str {
        "sawtooth"
    }

    fn create(&mut self, flow: u32, generation: u8) -> Update {
        self.windows.insert(flow, (generation, 20_000.0));
        Update {
            flow,
            generation,
            window: 20_000.0,
            rate: 50e9,
        }
    }

    fn remove(&mut self, flow: u32) {
        self.windows.remove(&flow);
    }

    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        use hpcc_models::cc::EventKind::*;
        let (generation, window) = self.windows.get_mut(&event.flow)?;
        *window = match event.kind {
            Ack => (*window + 500.0).min(160_000.0),
            Nak | Timeout => (*window / 2.0).max(1.0),
            _ => return None,
        };
        Some(Update {
            flow: event.flow,
            generation: *generation,
            window: *window,
            rate: *window * 8.0 / 5e-6,
        })
    }
}

/// With INT or without, collected by data or by probes.
pub const MODES: [(bool, bool); 3] = [(false, false), (true, false), (true, true)];

#[derive(Clone, Debug)]
pub struct Job {
    from: usize,
    operation: Operation,
    local: u64,
    remote: u64,
    length: u64,
}

#[derive(Clone, Debug)]
pub struct Plan {
    mtu: u32,
    int: bool,
    /// INT is left to probes, every 2 us.
    probes: bool,
    first_psn: u32,
    link: LinkConfig,
    seed: u64,
    jobs: Vec<Job>,
}

pub fn byte(side: usize, address: u64) -> u8 {
    let x = (address as u32).wrapping_mul(0x9e37_79b1) ^ (side as u32 * 0x55);
    (x >> 24) as u8
}

pub fn nic(side: usize, plan: &Plan) -> Nic<BlockMemory> {
    let config = NicConfig {
        mac: MACS[side],
        ip: IPS[side],
        neighbours: [(IPS[1 - side], MACS[1 - side])].into(),
        retry_timeout_ns: 100_000,
        retry_limit: 50,
        probes: plan.probes.then(|| ProbeConfig::every(2000)),
        ..NicConfig::default()
    };
    let mut memory = BlockMemory::default();
    memory.add(BASE, (0..2 * HALF).map(|i| byte(side, i)).collect());
    let mut nic = Nic::new(config, memory, Some(Box::new(Sawtooth::default())));
    nic.add_region(Region {
        key: KEY,
        address: BASE,
        length: 2 * HALF,
        remote_write: true,
        remote_read: true,
    });
    nic.create_qp(QpConfig {
        send_psn: plan.first_psn.wrapping_add(side as u32 * 1000) & MASK_24,
        expected_psn: plan.first_psn.wrapping_add((1 - side) as u32 * 1000) & MASK_24,
        int: plan.int,
        mtu: plan.mtu,
        ..QpConfig::new(QPNS[side], QPNS[1 - side], IPS[1 - side])
    })
    .unwrap();
    nic
}

/// Runs the plan; memories of both sides, completions per side, frames retransmitted.
pub fn run(plan: &Plan) -> ([Vec<u8>; 2], [Vec<Completion>; 2], u64) {
    let mut pair = Pair::new([nic(0, plan), nic(1, plan)], plan.link, plan.seed);
    for (id, job) in plan.jobs.iter().enumerate() {
        let work = WorkRequest {
            id: id as u64,
            qpn: QPNS[job.from],
            operation: job.operation,
            local_address: BASE + job.local,
            local_key: KEY,
            remote_address: BASE + job.remote,
            remote_key: KEY,
            length: job.length,
        };
        pair.nics[job.from].post(0, work).unwrap();
    }
    assert!(pair.run(30_000_000_000), "still busy after 30 s: {plan:?}");
    let [mut a, mut b] = pair.nics;
    assert!(a.idle() && b.idle(), "at rest with work left: {plan:?}");
    let completions = [a.take_completions(), b.take_completions()];
    let retransmitted = a.counters().get(Counter::Retransmitted) + b.counters().get(Counter::Retransmitted);
    let memory = |nic: &Nic<BlockMemory>| nic.memory().block(BASE).unwrap().to_vec();
    ([memory(&a), memory(&b)], completions, retransmitted)
}

/// Memories after every job in turn on each side; sources and targets of one plan never overlap.
pub fn expected(plan: &Plan) -> [Vec<u8>; 2] {
    let mut memories = [0, 1].map(|side| (0..2 * HALF).map(|i| byte(side, i)).collect::<Vec<u8>>());
    for job in &plan.jobs {
        let (from, to, source, target) = match job.operation {
            Operation::Read => (1 - job.from, job.from, job.remote, job.local),
            _ => (job.from, 1 - job.from, job.local, job.remote),
        };
        let data = memories[from][source as usize..(source + job.length) as usize].to_vec();
        memories[to][target as usize..(target + job.length) as usize].copy_from_slice(&data);
    }
    memories
}

pub fn check(plan: &Plan) -> u64 {
    let (memories, completions, retransmitted) = run(plan);
    for (side, completions) in completions.iter().enumerate() {
        let ids: Vec<u64> = completions.iter().map(|completion| completion.work).collect();
        let posted: Vec<u64> = (0..)
            .zip(&plan.jobs)
            .filter(|(_, job)| job.from == side)
            .map(|(id, _)| id)
            .collect();
        assert_eq!(ids, posted, "one completion for each request, in order");
        for completion in completions {
            assert_eq!(completion.status, Status::Ok, "{completion:?}");
        }
    }
    let expected = expected(plan);
    for side in 0..2 {
        let first = memories[side]
            .iter()
            .zip(&expected[side])
            .position(|(got, want)| got != want);
        assert_eq!(first, None, "first wrong byte of side {side}");
    }
    retransmitted
}

pub fn link(loss: f64, others: f64) -> LinkConfig {
    LinkConfig {
        loss,
        duplicate: others,
        reorder: others,
        bit_error: others,
        ..LinkConfig::default()
    }
}

/// Jobs whose targets lie one behind the other in the second half, with odd gaps.
pub fn jobs(list: &[(usize, Operation, u64)]) -> Vec<Job> {
    let mut next = [HALF + 1; 2];
    list.iter()
        .enumerate()
        .map(|(i, (from, operation, length))| {
            let target_side = if *operation == Operation::Write {
                1 - from
            } else {
                *from
            };
            let target = next[target_side];
            next[target_side] += length + 3;
            let source = i as u64 * 13 % 64;
            let (local, remote) = if *operation == Operation::Write {
                (source, target)
            } else {
                (target, source)
            };
            Job {
                from: *from,
                operation: *operation,
                local,
                remote,
                length: *length,
            }
        })
        .collect()
}
