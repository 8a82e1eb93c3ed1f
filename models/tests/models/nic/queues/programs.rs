//! Random programs of two hosts on a wire that loses, doubles, reorders and corrupts. Each host sleeps until an interrupt comes, so a lost event is a
//! completion that nobody takes. A reference of some lines says what must be in both memories and all four completion queues in the end.

use super::bench::*;
use super::two::Two;
use hpcc_models::nic::queues::*;
use hpcc_models::nic::{LinkConfig, Status};
use proptest::prelude::*;
use std::collections::VecDeque;

/// Areas of each side's data: what is only read, targets of its own READs and atomic operations, targets of the peer's WRITEs, receives, a counter.
const OWN: u64 = 0x4_0000;
const WRITTEN: u64 = 0x8_0000;
const RECEIVED: u64 = 0xc_0000;
const COUNTER: u64 = 0xf_0000;
/// Bytes of a place in an area.
const PLACE: u64 = 8192;
const MOST: usize = 20;

#[derive(Clone, Debug)]
struct Job {
    from: usize,
    opcode: SendOpcode,
    length: u64,
    signaled: bool,
    fence: bool,
    /// Pieces of its local memory.
    pieces: usize,
    operands: [u64; 2],
    inline: bool,
}

#[derive(Clone, Debug)]
struct Plan {
    mtu: u32,
    first_psn: u32,
    link: LinkConfig,
    seed: u64,
    jobs: Vec<Job>,
    /// Every so many nanoseconds a host posts receives, this many.
    receives: (u64, usize),
    /// Every so many nanoseconds a host posts work, this many.
    posts: (u64, usize),
    int: bool,
}

/// A side's part of a plan, ready to be posted, and what must come of it.
#[derive(Default)]
struct Expected {
    work: VecDeque<SendEntry>,
    receives: VecDeque<ReceiveEntry>,
    /// Numbers of completions of the send queue.
    sent: Vec<u64>,
    /// Number, opcode, length and immediate data of completions of the receive queue.
    received: Vec<(u64, CompletionOpcode, u32, [u8; 4])>,
    memory: Vec<u8>,
}

/// Cuts `length` bytes at `at` into pieces.
fn pieces(at: u64, length: u64, count: usize) -> Vec<Segment> {
    let each = length / count as u64;
    let mut list: Vec<Segment> = (0..count as u64).map(|i| piece(at + i * each, each as u32)).collect();
    if let Some(last) = list.last_mut() {
        last.length += (length - each * count as u64) as u32;
    }
    list
}

fn expect(plan: &Plan) -> [Expected; 2] {
    let mut sides = [0, 1].map(|side| Expected {
        memory: (0..DATA_LEN).map(|at| data_byte(side, at)).collect(),
        ..Expected::default()
    });
    for (id, job) in plan.jobs.iter().enumerate() {
        let (from, to, id) = (job.from, 1 - job.from, id as u64);
        let reads = job.opcode == SendOpcode::Read || job.opcode.is_atomic();
        let (source, place) = (id * 13 % 64, id * PLACE % (0x4_0000 - PLACE));
        let immediate = (id as u32 * 0x0101 + 7).to_be_bytes();
        let with_immediate = matches!(job.opcode, SendOpcode::WriteImmediate | SendOpcode::SendImmediate);
        let inline = job.inline && !reads && job.length <= MAX_INLINE as u64;
        let local = if reads { OWN + place } else { source };
        let remote = match job.opcode {
            SendOpcode::Read => source,
            opcode if opcode.is_atomic() => COUNTER,
            _ => WRITTEN + place + 1,
        };
        let data = sides[from].memory[source as usize..(source + job.length) as usize].to_vec();
        sides[from].work.push_back(SendEntry {
            work: id,
            opcode: job.opcode,
            flags: if job.signaled { SEND_SIGNALED } else { 0 } | if job.fence { SEND_FENCE } else { 0 },
            remote_address: WIRE + remote,
            remote_key: KEY,
            immediate,
            data: match inline {
                true => Data::Inline(data.clone()),
                false => Data::Segments(pieces(local, job.length, job.pieces)),
            },
            operands: job.operands,
        });
        if job.signaled {
            sides[from].sent.push(id);
        }
        match job.opcode {
            SendOpcode::Write | SendOpcode::WriteImmediate => {
                sides[to].memory[remote as usize..][..data.len()].copy_from_slice(&data);
            }
            SendOpcode::Read => {
                let data = sides[to].memory[source as usize..(source + job.length) as usize].to_vec();
                sides[from].memory[local as usize..][..data.len()].copy_from_slice(&data);
            }
            SendOpcode::CompareSwap | SendOpcode::FetchAdd => {
                let at = COUNTER as usize..COUNTER as usize + 8;
                let old = u64::from_le_bytes(sides[to].memory[at.clone()].try_into().unwrap());
                let [first, second] = job.operands;
                let new = match job.opcode {
                    SendOpcode::FetchAdd => old.wrapping_add(first),
                    _ if old == first => second,
                    _ => old,
                };
                sides[to].memory[at].copy_from_slice(&new.to_le_bytes());
                sides[from].memory[local as usize..][..8].copy_from_slice(&old.to_le_bytes());
            }
            _ => {}
        }
        if job.opcode.takes_receive() {
            let at = RECEIVED + place + 3;
            let write = job.opcode == SendOpcode::WriteImmediate;
            sides[to].receives.push_back(ReceiveEntry {
                work: 1000 + id,
                segments: match write {
                    true => vec![],
                    false => pieces(at, job.length + 5, job.pieces),
                },
            });
            if !write {
                sides[to].memory[at as usize..][..data.len()].copy_from_slice(&data);
            }
            let opcode = if write {
                CompletionOpcode::ReceiveWrite
            } else {
                CompletionOpcode::Receive
            };
            let told = if with_immediate { immediate } else { [0; 4] };
            sides[to].received.push((1000 + id, opcode, job.length as u32, told));
        }
    }
    sides
}

/// What a host does when it is woken: takes events, then what its completion queues have, and arms them for more.
fn wake(host: &mut Host, now: u64, taken: &mut [Vec<CompletionEntry>; 2]) {
    while !host.nic.take_interrupts().is_empty() {
        for event in host.events(now) {
            let queue = CQS.iter().position(|number| u32::from(*number) == event.number);
            let queue = queue.filter(|_| event.kind == EventKind::Completion);
            let queue = queue.unwrap_or_else(|| panic!("{event:?}"));
            taken[queue].extend(host.poll(now, queue));
            host.arm(now, queue, false);
        }
    }
}

fn check(plan: &Plan) -> u64 {
    let hosts = [0, 1].map(|side| {
        let (mut rtr, mut rts) = (to_rtr(side), to_rts(side));
        rtr.mtu = Some(plan.mtu);
        rtr.expected_psn = Some(plan.first_psn.wrapping_add(9 * (1 - side as u32)) & 0xff_ffff);
        rts.send_psn = Some(plan.first_psn.wrapping_add(9 * side as u32) & 0xff_ffff);
        rtr.path = rtr.path.map(|path| Path { int: plan.int, ..path });
        Host::new(side).moved_to(State::ReadyToSend, rtr, rts)
    });
    let mut two = Two::on(hosts, plan.link, plan.seed);
    let mut expected = expect(plan);
    let mut taken: [[Vec<CompletionEntry>; 2]; 2] = Default::default();
    for host in &mut two.hosts {
        host.events(0);
        host.arm(0, 0, false);
        host.arm(0, 1, false);
    }
    let (mut post_at, mut receive_at) = (0, 0);
    loop {
        let left = |list: &[Expected; 2]| {
            list.iter()
                .any(|side| !side.work.is_empty() || !side.receives.is_empty())
        };
        let limit = if left(&expected) {
            post_at.min(receive_at)
        } else {
            u64::MAX
        };
        let moved = two.step(limit);
        let now = two.now;
        for (host, taken) in two.hosts.iter_mut().zip(&mut taken) {
            wake(host, now, taken);
        }
        if moved {
            assert!(now < 10_000_000_000, "still busy after 10 s: {plan:?}");
            continue;
        }
        if !left(&expected) {
            break;
        }
        for (host, side) in two.hosts.iter_mut().zip(&mut expected) {
            if now >= post_at {
                let count = plan.posts.1.min(side.work.len());
                let batch: Vec<SendEntry> = side.work.drain(..count).collect();
                host.post(now, &batch);
            }
            if now >= receive_at {
                let count = plan.receives.1.min(side.receives.len());
                let batch: Vec<ReceiveEntry> = side.receives.drain(..count).collect();
                host.receive(now, &batch);
            }
        }
        post_at = if now >= post_at { now + plan.posts.0 } else { post_at };
        receive_at = if now >= receive_at {
            now + plan.receives.0
        } else {
            receive_at
        };
    }
    for side in [0, 1] {
        let (host, expected) = (&mut two.hosts[side], &expected[side]);
        let sent: Vec<(u64, Status)> = taken[side][0].iter().map(|entry| (entry.work, entry.status)).collect();
        let wanted: Vec<(u64, Status)> = expected.sent.iter().map(|id| (*id, Status::Ok)).collect();
        assert_eq!(sent, wanted, "send queue of side {side}");
        let received: Vec<_> = taken[side][1]
            .iter()
            .map(|entry| (entry.work, entry.opcode, entry.length, entry.immediate))
            .collect();
        assert_eq!(received, expected.received, "receive queue of side {side}");
        assert!(taken[side][1].iter().all(|entry| entry.status == Status::Ok));
        let first = (host.data(0, DATA_LEN).iter().zip(&expected.memory)).position(|(got, want)| got != want);
        assert_eq!(first, None, "first wrong byte of side {side}");
        let info = host.query();
        assert_eq!(
            (info.state, info.send_consumer),
            (State::ReadyToSend, info.send_producer)
        );
        assert_eq!(info.receive_consumer, info.receive_producer, "receives are taken once");
        assert_eq!(host.nic.queue_counters().receives_taken, expected.received.len() as u64);
        assert_eq!(host.nic.queue_counters().doorbells_ignored, 0);
    }
    two.hosts
        .iter()
        .map(|host| host.nic.queue_counters().not_ready_sent)
        .sum()
}

fn jobs() -> impl Strategy<Value = Vec<Job>> {
    use SendOpcode::*;
    let opcodes = vec![Write, WriteImmediate, Send, SendImmediate, Read, CompareSwap, FetchAdd];
    let length = prop_oneof![0..40u64, 1000..1100u64, 0..4000u64];
    let operands = prop_oneof![Just([1, 2]), Just([2, 3]), any::<[u64; 2]>()];
    let job = (
        0..2usize,
        proptest::sample::select(opcodes),
        length,
        operands,
        any::<[bool; 3]>(),
        1..=4usize,
    );
    let job = job.prop_map(
        |(from, opcode, length, operands, [signaled, fence, inline], pieces)| Job {
            from,
            opcode,
            length: if opcode.is_atomic() { 8 } else { length },
            signaled,
            fence,
            pieces,
            operands,
            inline,
        },
    );
    proptest::collection::vec(job, 1..=MOST)
}

fn plans() -> impl Strategy<Value = Plan> {
    let faults = prop_oneof![Just(0.0), Just(0.01), Just(0.08)];
    let pace = || (prop_oneof![Just(1000u64), Just(30_000), Just(200_000)], 1..=MOST);
    let wire = (faults.clone(), faults, any::<u64>(), any::<bool>());
    let numbers = (
        proptest::sample::select(vec![256u32, 1024, 4096]),
        prop_oneof![Just(5u32), Just(0xff_fff0)],
    );
    (numbers, wire, jobs(), pace(), pace()).prop_map(
        |((mtu, first_psn), (loss, others, seed, int), jobs, receives, posts)| Plan {
            mtu,
            first_psn,
            link: LinkConfig {
                loss,
                duplicate: others,
                reorder: others,
                bit_error: others / 2.0,
                ..LinkConfig::default()
            },
            seed: seed >> 8,
            jobs,
            receives,
            posts,
            int,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    #[test]
    fn programs_on_a_bad_wire(plan in plans()) {
        check(&plan);
    }
}

/// Receives that come late make peers wait: the random plans do contain that case.
#[test]
fn late_receives_make_peers_wait() {
    let job = Job {
        from: 0,
        opcode: SendOpcode::Send,
        length: 3000,
        signaled: true,
        fence: false,
        pieces: 1,
        operands: [0; 2],
        inline: false,
    };
    let plan = Plan {
        mtu: 1024,
        first_psn: 5,
        link: LinkConfig::default(),
        seed: 1,
        jobs: vec![job; 6],
        receives: (30_000, 1),
        posts: (1000, 6),
        int: false,
    };
    assert!(check(&plan) >= 5);
}
