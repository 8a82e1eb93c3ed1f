//! Bytes that packets used less than a full one, summed by flow: what TX finds out costs no operation of the entry.
//!
//! A grant is charged as full packets. What a packet was shorter, or a grant that was void, comes back as bytes. They are
//! summed here, flow by flow, and each new sum goes to the flow's engine, whose next visit takes the difference to the sum
//! that it knows. Sums go on when a flow is created anew, as those that visits know do; bytes of a generation that has ended,
//! or of no flow, count as late and change nothing.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | inputs | is there such a flow |
//! | 1 | flow, generation, bytes | sum and generation of the flow are addressed; flow / engines |
//! | 3 | `live`, `index` | are the bytes of that generation |
//! | 4 | `sums` | the new sum, written back and forwarded, so that a flow may come in every clock |
//! | 5 | outputs | to the engine, and to the bytes of its group |

use super::engine_of::EngineOf;
use crate::emit::naming::named_inside;
use crate::prim::delay::Delay;
use crate::prim::forward_ram::ForwardRam;
use crate::prim::table_ram::TableRam;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::words::sched::{FlowShared, LiveFlow};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Sums of 2^`A` flows; an engine's index has `I` bits.
#[block]
pub struct Refund<const A: usize, const I: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: what is on its way ends without a trace.
    pub reset: Signal<In, Bit>,
    /// Clock 0: bytes.
    pub valid: Signal<In, Bit>,
    /// Clock 0: flow.
    pub flow: Signal<In, U<16>>,
    /// Clock 0: its generation.
    pub generation: Signal<In, U<8>>,
    /// Clock 0: bytes, two's complement.
    pub bytes: Signal<In, U<20>>,
    /// Constant: the last flow number.
    pub last_flow: Signal<In, U<A>>,
    /// Constant: number of engines.
    pub engines: Signal<In, U<3>>,
    /// Constant: 2^18 / engines, rounded up.
    pub inverse: Signal<In, U<17>>,
    /// A flow's sender state is written.
    pub written: Signal<In, Bit>,
    /// Flow whose sum is written.
    pub written_flow: Signal<In, U<A>>,
    /// The sender state.
    pub sender: Signal<In, FlowShared>,
    /// With it, the flow is cleared: its sum is zero.
    pub clear: Signal<In, Bit>,
    /// Clock 3: flow.
    pub flow_3: Signal<Out, U<A>>,
    /// Clock 5: a sum has changed.
    pub changed: Signal<Out, Bit>,
    /// Clock 5: in which engine.
    pub engine: Signal<Out, U<3>>,
    /// Clock 5: index in that engine.
    pub index: Signal<Out, U<I>>,
    /// Clock 5: the sum.
    pub sum: Signal<Out, U<20>>,
    /// Clock 5: bytes by which it has changed, two's complement.
    pub added: Signal<Out, U<20>>,
    /// Clock 5, counter pulse: a flow that does not exist, or an earlier generation.
    pub late: Signal<Out, Bit>,
    /// Clock 1, counter pulse: a flow number past the configured count.
    pub out_of_range: Signal<Out, Bit>,
    #[registers(Bit:
        /// Clock 1: bytes of a flow within the configured count.
        valid_1,
        /// As `valid_1`, in the clock of the name.
        valid_2, valid_3, valid_4,
        /// Clock 4: the bytes are of the flow's generation.
        own_4,
        /// Clock 5: the flow's running total has changed.
        changed_5,
        /// Clock 5, counter pulse: bytes of a flow that does not exist, or of an earlier generation.
        late_5,
        /// Clock 1, counter pulse: a flow number past the configured count.
        out_of_range_1)]
    #[registers(U<8>:
        /// Generation that the bytes are of, in the clock of the name.
        generation_1, generation_2, generation_3)]
    #[registers(U<20>:
        /// Bytes to refund, two's complement, in the clock of the name.
        bytes_1, bytes_2, bytes_3, bytes_4, bytes_5,
        /// Clock 5: running total of refunded bytes of this flow, modulo 2^20.
        sum_5)]
    #[registers(U<A>:
        /// Clock 1: flow.
        flow_1)]
    #[registers(Bit:
        /// A flow was cleared a clock ago: its total is zero.
        cleared)]
    #[signals(Bit: exists, owns, adds, clears)]
    #[signals(U<20>: gained, new_sum)]
    flow_in_3: Delay<U<A>, 2>,
    index_5: Delay<U<I>, 2>,
    owner: EngineOf<A, I>,
    live: TableRam<LiveFlow, A>,
    sums: ForwardRam<U<20>, A, 1>,
}

#[kernel]
impl<const A: usize, const I: usize> Logic for Refund<A, I> {
    fn update(&mut self) {
        // 0
        exists = flow <= bit_cast_u::<16, A>(last_flow);
        valid_1 = valid & exists;
        out_of_range_1 = valid & !exists;
        flow_1 = bit_cast_u::<A, 16>(flow);
        assign!(generation_1.d = generation, bytes_1.d = bytes);

        // 1 to 3: the flow's sum and generation, its engine and its index there
        inputs!(owner: flow = flow_1, engines, inverse);
        sums.raddr = flow_1;
        live.raddr = flow_1;
        live.we = written;
        live.waddr = written_flow;
        live.wdata.next.alive = sender.alive;
        live.wdata.next.generation = sender.generation;
        flow_in_3 = flow_1;
        advance!(
            valid_2,
            generation_2,
            bytes_2,
            valid_3,
            generation_3,
            bytes_3,
            valid_4,
            bytes_4
        );
        index_5 = owner.index;
        owns = live.rdata.val().alive & (live.rdata.val().generation == generation_3);
        own_4 = owns;
        clears = written & clear;
        // a clock before the sum, which is late: where it is written. What is not the flow's is written too, as a sum that has not changed: whose the bytes
        // are is late as well
        sums.we = valid_3 | clears;
        sums.waddr = if clears { written_flow } else { flow_in_3 };

        // 4: summed
        adds = valid_4 & own_4;
        gained = if own_4 { bytes_4 } else { bits_u::<20>(0) };
        new_sum = sums.rdata + gained;
        cleared = clears;
        sums.wdata = new_sum;
        if cleared {
            sums.wdata = bits_u::<20>(0);
        }
        late_5 = valid_4 & !own_4;
        assign!(changed_5.d = adds, sum_5.d = new_sum, bytes_5.d = bytes_4);

        // 5
        assign! {
            flow_3 = flow_in_3, changed = changed_5, engine = owner.engine, index = index_5, sum = sum_5, added = bytes_5,
            late = late_5, out_of_range = out_of_range_1
        }
        reset!(valid_1, valid_2, valid_3, valid_4, changed_5, late_5, out_of_range_1);
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
#[path = "tests/refund.rs"]
mod tests;
