//! Membership of flows against [`hpcc_models::sched::Membership`]: counts and bytes of every group under random events.

use super::visits::sender_word;
use crate::prim::uint::U;
use crate::sched::entry::SAME_FLOW_INTERVAL;
use crate::sched::members::Members;
use crate::sim::{init, step, Stimulus};
use crate::words::sched::FlowShared;
use hpcc_models::sched::{FlowSettings, Membership, Op, Outcome, SchedRegisters, SenderState};
use std::collections::VecDeque;

const FLOWS: usize = 12;

#[derive(Clone, Copy)]
struct Event {
    flow: usize,
    op: Op,
    sender: SenderState,
    outcome: Outcome,
}

fn shared(sender: &SenderState) -> FlowShared {
    sender_word(sender)
}

/// An event with an outcome that an event of its kind may have.
fn event(random: &mut Stimulus, flow: usize) -> Event {
    let near = |random: &mut Stimulus| random.below(3) as u32;
    let mut sender = SenderState {
        una: near(random),
        end: near(random),
        mtu: random.below(5) as u8,
        alive: random.chance(0.9),
        windowless: random.chance(0.3),
        ..SenderState::default()
    };
    let op = match random.below(4) {
        0 => Op::Create(0, FlowSettings::default()),
        1 => Op::Limit(7, random.below(16) as u8),
        2 => Op::Work(9),
        _ => Op::Notify,
    };
    let created = matches!(op, Op::Create(..));
    if created {
        sender.end = sender.una;
    }
    let late = !created && random.chance(0.2);
    let outcome = Outcome {
        late,
        limited: !late && matches!(op, Op::Create(..) | Op::Limit(..)),
        snd_nxt: sender.una + if created { 0 } else { near(random) },
        ..Outcome::default()
    };
    Event {
        flow,
        op,
        sender,
        outcome,
    }
}

#[test]
fn counts_and_bytes_of_every_group_agree() {
    let registers = SchedRegisters::default();
    let mut block: Box<Members<4>> = Box::default();
    init(block.as_mut()).expect("complete block");
    let mut random = Stimulus::new(8);
    block.overhead.next = U(registers.overhead.into());
    block.reset.next = true;
    step(block.as_mut(), |_| ());
    block.reset.next = false;
    (0..16).for_each(|_| step(block.as_mut(), |_| ()));
    let mut members = [Membership::default(); FLOWS];
    let mut mtu = [0u8; FLOWS];
    let mut sent = [0i64; 16];
    let mut last_used = [0usize; FLOWS];
    let mut waiting: Option<Event> = None;
    let mut corrections = VecDeque::from(vec![(false, 0); 2]);
    for clock in 20..60_020usize {
        // groups' bytes are looked at when all has settled
        let quiet = clock % 1000 >= 900;
        let flow = random.below(FLOWS as u64) as usize;
        let free = clock - last_used[flow] >= SAME_FLOW_INTERVAL && !quiet && random.chance(0.8);
        let next = free.then(|| event(&mut random, flow));
        if next.is_some() {
            last_used[flow] = clock;
        }
        block.flow_next.next = U(flow as u64);
        let now = std::mem::replace(&mut waiting, next);
        block.notify.next = now.is_some();
        if let Some(e) = now {
            let member = &mut members[e.flow];
            block.late.next = e.outcome.late;
            block.sender.next = shared(&e.sender);
            block.snd_nxt.next = U(e.outcome.snd_nxt.into());
            block.worked.next = matches!(e.op, Op::Work(_) | Op::Create(..));
            block.limited.next = e.outcome.limited;
            block.group.next = U(match e.op {
                Op::Limit(_, group) => group.into(),
                _ => 0,
            });
            member.handle(e.op, &e.sender, &e.outcome);
            if !e.outcome.late {
                mtu[e.flow] = e.sender.mtu;
            }
        }
        // bytes of a flow that no event changes meanwhile, two clocks after it is named
        let short = random.below(FLOWS as u64) as usize;
        let corrects = clock - last_used[short] > 6 && !quiet && random.chance(0.5);
        let bytes = random.corner(20);
        block.corrected_flow.next = U(short as u64);
        if corrects {
            sent[usize::from(members[short].group)] -= ((bytes as i64) << 44) >> 44;
            last_used[short] = last_used[short].max(clock - 2);
        }
        corrections.push_back((corrects, bytes));
        let (corrected, bytes) = corrections.pop_front().unwrap_or_default();
        (block.corrected.next, block.refund.next) = (corrected, U(bytes));
        // a packet of a flow that no event changes meanwhile
        let leaving = random.below(FLOWS as u64) as usize;
        let leaves = clock - last_used[leaving] > 6 && !quiet && random.chance(0.5);
        (block.leaves.next, block.leaving.next) = (leaves, U(leaving as u64));
        if leaves {
            sent[usize::from(members[leaving].group)] += i64::from(registers.wire_bytes(mtu[leaving]));
            last_used[leaving] = last_used[leaving].max(clock - 2);
        }
        let look = clock % 16;
        block.look.next = U(look as u64);
        let got = step(block.as_mut(), |b| (b.active.val().0, b.sent.val().0));
        if clock % 1000 > 960 {
            let looked = (clock - 1) % 16;
            let active = members
                .iter()
                .filter(|m| m.active && usize::from(m.group) == looked)
                .count();
            assert_eq!(
                got,
                (active as u64, sent[looked] as u64),
                "clock {clock}, group {looked}"
            );
        }
    }
}
