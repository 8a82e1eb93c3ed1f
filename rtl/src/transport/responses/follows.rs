//! Which READ may become active behind those that are being answered.

use crate::emit::naming::named_inside;
use crate::prim::uint::U;
use crate::words::responses::{QueuedAnswer, ResponseList};
use crate::words::transport::CommitKind;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Combinational. A READ goes on where the last active one ends, unless too much of the flow is on its way already.
#[block]
pub struct Follows {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// List of the queue pair.
    pub list: Signal<In, ResponseList>,
    /// An answer.
    pub answer: Signal<In, QueuedAnswer>,
    /// It is a READ that may become active behind the last active one: it begins there, and is not too far.
    pub follows: Signal<Out, Bit>,
    /// It is a READ that begins where the last active one ends.
    pub begins_there: Signal<Out, Bit>,
    /// So much of the flow is on its way that nothing becomes active behind it.
    pub too_far: Signal<Out, Bit>,
    count: Signal<Local, U<24>>,
    #[signals(Bit: above_16, begins, far)]
    /// READs that are being answered before the last active one.
    ahead: Signal<Local, U<4>>,
}

#[kernel]
impl Logic for Follows {
    fn update(&mut self) {
        count = answer.asked.count;
        // no flow goes on for 2^22 PSNs without a restart
        ahead = list.ahead;
        // not compared with 17, which would be a carry through all bits
        above_16 = (count >= 16) & (count != 16);
        far = (ahead.any() & (count >= 32))
            | ((ahead > 1) & above_16)
            | ahead.all()
            | (list.reach >= 0x20_0000)
            | (count >= 0x20_0000);
        begins = (answer.kind == CommitKind::Read) & (answer.psn == list.end_psn);
        assign!(begins_there = begins, too_far = far);
        follows = begins & !far;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};
    use crate::words::transport::ReadRequest;

    /// Numbers around every limit: READs of 17 and of 32 packets, fifteen READs before it, 2^21 PSNs.
    #[test]
    fn a_read_goes_on_unless_too_much_is_on_its_way() {
        let mut block: Box<Follows> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut random = Stimulus::new(31);
        let mut seen = [0u32; 2];
        let near = |random: &mut Stimulus, limits: &[u64]| match random.below(4) {
            0 => random.uniform(24),
            1 => random.below(40),
            _ => limits[random.below(limits.len() as u64) as usize] + random.below(3) - 1,
        };
        for case in 0..50_000 {
            let (count, reach) = (near(&mut random, &[17, 32, 1 << 21]), near(&mut random, &[1, 1 << 21]));
            let ahead = random.below(16);
            let (is_read, behind) = (random.chance(0.9), random.chance(0.9));
            let end_psn = random.uniform(24);
            let asked = ReadRequest {
                count: U(count),
                ..ReadRequest::default()
            };
            let answer = &mut block.answer.next;
            answer.asked = asked;
            answer.kind = if is_read { CommitKind::Read } else { CommitKind::Acknowledge };
            answer.psn = U((end_psn + u64::from(!behind)) & 0xff_ffff);
            let list = &mut block.list.next;
            (list.ahead, list.reach, list.end_psn) = (U(ahead), U(reach), U(end_psn));
            let far = match ahead {
                0 => false,
                1 => count >= 32,
                2..=14 => count >= 17,
                _ => true,
            };
            let (begins, far) = (is_read && behind, far || reach >= 1 << 21 || count >= 1 << 21);
            let follows = begins && !far;
            let got = step(block.as_mut(), |block| {
                [block.follows.val(), block.begins_there.val(), block.too_far.val()]
            });
            assert_eq!(
                got,
                [follows, begins, far],
                "case {case}: {count} packets, {ahead} READs before it, {reach} PSNs"
            );
            seen[usize::from(follows)] += 1;
        }
        assert!(seen.iter().all(|count| *count > 1000), "{seen:?}");
    }
}
