//! Sums of unused bytes against a plain table of flows: every output in every clock.

use super::Refund;
use crate::prim::uint::U;
use crate::sim::{init, step, Stimulus};
use crate::words::sched::FlowShared;
use std::collections::VecDeque;

/// Flows of three engines; numbers up to 15 may be asked for.
const FLOWS: u64 = 9;

/// A flow, as the table has it.
#[derive(Clone, Copy, Default)]
struct Flow {
    alive: bool,
    generation: u64,
    sum: u64,
}

/// Bytes on their way.
#[derive(Clone, Copy)]
struct Bytes {
    flow: u64,
    generation: u64,
    bytes: u64,
    own: bool,
}

#[test]
fn every_sum_leaves_once_and_late_bytes_count() {
    let mut block: Box<Refund<4, 2>> = Box::default();
    init(block.as_mut()).expect("complete block");
    block.last_flow.next = U(FLOWS - 1);
    block.engines.next = U(3);
    block.inverse.next = U((1u64 << 18).div_ceil(3));
    let mut random = Stimulus::new(3);
    let mut flows = [Flow::default(); FLOWS as usize];
    // by the clocks since they came, the latest first
    let mut line: VecDeque<Option<Bytes>> = VecDeque::from(vec![None; 5]);
    let mut numbers = VecDeque::from(vec![0u64; 5]);
    let (mut changed, mut late, mut out_of_range) = (None, false, false);
    let mut seen = [0u32; 4];
    // after a reset every flow is cleared before anything comes
    let mut sweep = 0..0;
    for clock in 0..200_000u64 {
        let reset = clock == 0 || random.chance(0.0005);
        let swept = sweep.next();
        let valid = swept.is_none() && random.chance(0.8);
        // often the same flow again
        let flow = if random.chance(0.5) { numbers[0] } else { random.below(16) };
        let known = flows.get(flow as usize).map_or(0, |flow| flow.generation);
        let generation = if random.chance(0.9) { known } else { random.uniform(8) };
        let bytes = random.corner(20);
        (block.reset.next, block.valid.next) = (reset, valid);
        (block.flow.next, block.generation.next, block.bytes.next) = (U(flow), U(generation), U(bytes));
        let (written, clear) = (swept.is_some() || random.chance(0.1), swept.is_some());
        let written_flow = swept.unwrap_or_else(|| random.below(FLOWS));
        let sender = FlowShared {
            alive: random.chance(0.9) && !clear,
            generation: U(random.uniform(8)),
            ..FlowShared::default()
        };
        (block.written.next, block.written_flow.next) = (written, U(written_flow));
        (block.sender.next, block.clear.next) = (sender, clear);
        step(block.as_mut(), |b| {
            assert_eq!(b.out_of_range.val(), out_of_range, "clock {clock}: out of range");
            assert_eq!(b.late.val(), late, "clock {clock}: late");
            assert_eq!(b.changed.val(), changed.is_some(), "clock {clock}: changed");
            if clock > 8 {
                assert_eq!(b.flow_3.val().0, numbers[2] & 15, "clock {clock}: flow");
            }
            if let Some((flow, sum, bytes)) = changed {
                let got = (b.engine.val().0, b.index.val().0, b.sum.val().0, b.added.val().0);
                assert_eq!(got, (flow % 3, flow / 3, sum, bytes), "clock {clock}: flow {flow}");
            }
        });
        (changed, late) = (None, false);
        if let Some(bytes) = line[3] {
            late = !bytes.own;
            if bytes.own {
                let flow = &mut flows[bytes.flow as usize];
                flow.sum = (flow.sum + bytes.bytes) % (1 << 20);
                changed = Some((bytes.flow, flow.sum, bytes.bytes));
            }
        }
        if let Some(bytes) = &mut line[0] {
            let flow = flows[bytes.flow as usize];
            bytes.own = flow.alive && flow.generation == bytes.generation;
        }
        if written {
            let flow = &mut flows[written_flow as usize];
            (flow.alive, flow.generation) = (sender.alive, sender.generation.0);
            if clear {
                flow.sum = 0;
            }
        }
        out_of_range = valid && flow >= FLOWS;
        let came = (valid && flow < FLOWS).then_some(Bytes {
            flow,
            generation,
            bytes,
            own: false,
        });
        line.push_front(came);
        line.pop_back();
        numbers.push_front(flow);
        numbers.pop_back();
        if reset {
            line = VecDeque::from(vec![None; 5]);
            (changed, late, out_of_range) = (None, false, false);
            sweep = 0..FLOWS;
        }
        let again = line[3]
            .zip(line[2])
            .is_some_and(|(one, two)| one.own && one.flow == two.flow);
        for (count, flag) in seen.iter_mut().zip([changed.is_some(), late, out_of_range, again]) {
            *count += u32::from(flag);
        }
    }
    assert!(seen.iter().all(|count| *count > 2000), "{seen:?}");
}
