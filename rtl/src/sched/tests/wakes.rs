//! Nobody who may send is forgotten.

use crate::prim::uint::U;
use crate::sched::Scheduler;
use crate::sim::{init, on_a_large_stack, step};
use crate::words::flows::FlowUpdate;

const FLOW: u64 = 4;
const GENERATION: u64 = 9;

/// A flow is created, gets work for a packet, and so many clocks later its first window and rate; whether the packet leaves.
fn leaves(clocks: u64) -> bool {
    let mut block: Box<Scheduler<3, 5, 4, 3, 3, 6>> = Box::default();
    init(block.as_mut()).expect("complete block");
    block.send.ready.next = true;
    block.cc.ready.next = true;
    let (mut worked, mut left) = (None, false);
    for clock in 0..400u64 {
        block.reset.next = clock < 2;
        block.now.next = U(clock * 5);
        let created = clock >= 60;
        block.command.valid.next = clock == 60;
        block.command.create.next = true;
        block.command.flow.next = U(FLOW);
        block.command.generation.next = U(GENERATION);
        block.work.valid.next = created && clock >= 90 && worked.is_none();
        block.work.flow.next = U(FLOW);
        block.work.generation.next = U(GENERATION);
        block.work.end.next = U(1);
        block.update.valid.next = worked.is_some_and(|at| clock == at + clocks);
        block.update.data.next = FlowUpdate {
            flow: U(FLOW),
            generation: U(GENERATION),
            window: U(1 << 30),
            rate: U(1 << 30),
        };
        let offered = block.work.valid.next;
        let (taken, sent) = step(block.as_mut(), |block| (block.work.ready.val(), block.send.valid.val()));
        if offered && taken {
            worked = Some(clock);
        }
        left |= sent;
    }
    left
}

/// Whatever lies between the work and the first window and rate: a visit that has still seen none of them does not end the flow's way.
#[test]
fn a_flow_with_work_is_woken_by_its_first_rate() {
    on_a_large_stack(|| {
        let forgotten: Vec<u64> = (1..60).filter(|clocks| !leaves(*clocks)).collect();
        assert!(forgotten.is_empty(), "clocks from work to rate: {forgotten:?}");
    })
    .expect("a thread");
}
