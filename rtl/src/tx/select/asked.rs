//! READs that were asked for: does a grant lie in the last one of its queue pair?
//!
//! The scheduler grants PSNs within a READ until it hears what the READ covers. Such grants are void and count no packet. Grants of a flow come
//! in the order of their PSNs, so what lies before the end of the READ that was asked for last is void; but for a rewind, which asks again.
//!
//! What is told here is a hint, known of a grant that was offered for two clocks at least before it waits: one that is taken for void by mistake is looked up
//! as any other.
//!
//! | clock | what |
//! |---|---|
//! | 0 | a grant is offered: the end of its queue pair's READ is addressed |
//! | 1 | offered still, it is taken: its PSN is compared |
//! | 2 | it waits: `inside_read`, until another one is taken |

use crate::emit::naming::named_inside;
use crate::prim::lut_ram::LutRam;
use crate::prim::uint::U;
use crate::prim::word::bit_cast_word;
use crate::words::requester::PsnDistance;
use crate::words::tx::{AskedEnd, LookedGrant};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Ends of READs by queue pair.
#[block]
pub struct AskedReads {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A grant is found: of the request of a READ, or the first one after a rewind.
    pub writes: Signal<In, Bit>,
    /// It.
    pub grant: Signal<In, LookedGrant>,
    /// One past the last PSN of the READ; of a rewind that is no READ its own PSN.
    pub end_psn: Signal<In, U<24>>,
    /// Otherwise: this queue pair is created, nothing was asked for.
    pub voids: Signal<In, Bit>,
    /// Which.
    pub voided: Signal<In, U<8>>,
    /// Another grant.
    pub offered: Signal<In, LookedGrant>,
    /// That of one clock ago was not taken then, so it is offered still.
    pub still: Signal<In, Bit>,
    /// A grant waits, none is taken.
    pub waiting: Signal<In, Bit>,
    /// The grant that waits lies in the READ that was asked for last.
    pub inside_read: Signal<Out, Bit>,
    #[registers(Bit:
        /// The grant offered lies within the READ that was asked for last.
        inside_r)]
    offered_1: DFF<LookedGrant>,
    from_end: Signal<Local, PsnDistance>,
    /// What is written, a clock later: `writes` is late in its clock and the table is wide.
    #[registers(Bit: writes_1, voids_1)]
    /// Queue pair whose READ is written.
    qp_1: DFF<U<8>>,
    /// End of the READ that was asked for, with its generation.
    end_1: DFF<AskedEnd>,
    ends: LutRam<AskedEnd, 8>,
}

#[kernel]
impl Logic for AskedReads {
    fn update(&mut self) {
        ends.raddr = offered.flow.qp;
        offered_1 = offered;
        from_end = bit_cast_word::<PsnDistance, U<24>>(offered_1.psn - ends.rdata.val().end_psn);
        if !waiting {
            inside_r = still
                & !offered_1.flow.response
                & ends.rdata.val().known
                & (ends.rdata.val().generation == offered_1.generation)
                & from_end.negative;
        }
        inside_read = inside_r;
        assign!(writes_1.d = writes, voids_1.d = voids);
        qp_1 = if writes { grant.flow.qp } else { voided };
        fields!(end_1.d: known = writes, generation = grant.generation, end_psn);
        ends.we = writes_1 | voids_1;
        ends.waddr = qp_1;
        ends.wdata = end_1;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};

    /// The end of a READ as a plain table keeps it, by queue pair: generation and PSN.
    #[test]
    fn what_lies_before_the_end_of_the_last_read_is_inside() {
        let mut block: Box<AskedReads> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut random = Stimulus::new(9);
        let mut ends: [Option<(u64, u64)>; 4] = [None; 4];
        let (mut inside, mut seen) = (false, [0u32; 4]);
        // what was written a clock ago shows in this one
        let mut written: Option<(usize, Option<(u64, u64)>)> = None;
        // what a grant of one clock ago would be, if it is offered still
        let mut known = false;
        for clock in 0..100_000 {
            let near = |random: &mut Stimulus| (0xff_fff0 + random.below(32)) & 0xff_ffff;
            let (writes, voids) = (random.chance(0.1), random.chance(0.02));
            let (qp, voided, generation) = (random.below(4), random.below(4), random.below(3));
            let end = near(&mut random);
            (block.writes.next, block.voids.next) = (writes, voids);
            (block.grant.next.flow.qp, block.grant.next.generation) = (U(qp), U(generation));
            (block.end_psn.next, block.voided.next) = (U(end), U(voided));
            let (asked, asked_generation, psn) = (random.below(4), random.below(3), near(&mut random));
            let (response, still, waiting) = (random.chance(0.2), random.chance(0.8), random.chance(0.5));
            let offered = &mut block.offered.next;
            (offered.flow.qp, offered.flow.response) = (U(asked), response);
            (offered.generation, offered.psn) = (U(asked_generation), U(psn));
            (block.still.next, block.waiting.next) = (still, waiting);
            let got = step(block.as_mut(), |b| b.inside_read.val());
            assert_eq!(got, inside, "clock {clock}");
            if !waiting {
                inside = still && known;
            }
            // less than half of all PSNs before the end
            let before = |end: u64| psn.wrapping_sub(end) & 0x80_0000 != 0;
            let last = ends[asked as usize];
            known = !response && last.is_some_and(|(of, end)| of == asked_generation && before(end));
            if let Some((qp, end)) = written {
                ends[qp] = end;
            }
            written = match (writes, voids) {
                (true, _) => Some((qp as usize, Some((generation, end)))),
                (false, true) => Some((voided as usize, None)),
                (false, false) => None,
            };
            for (count, flag) in seen.iter_mut().zip([inside, writes && voids, last.is_none(), response]) {
                *count += u32::from(flag);
            }
        }
        assert!(seen.iter().all(|count| *count > 100), "{seen:?}");
    }
}
