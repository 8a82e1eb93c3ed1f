//! The walk over the flows that gives a law its ticks.
//!
//! Every flow that has been notified gets a tick, one after another, at most one in `WALK` clocks; a flow that has not is passed over in
//! one clock. Of `N` flows with `k` notified a round takes between `N` and `N + k (WALK - 1)` clocks: 300 flows, all notified, `WALK` 4:
//! 1200 clocks. A timer is late by one round at most, and by what a crowded exit holds back.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | `pointer`, `after`, table of flows | has the flow been notified; the pointer stays or goes on |
//! | 1 | `offered`, `tick_flow` | a tick of that flow, until it is taken |

use crate::emit::naming::named_inside;
use crate::prim::lut_ram::LutRam;
use crate::prim::uint::{bits_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Ticks of `FLOWS` flows, 2^`A` at most.
#[block(check(FLOWS <= 2usize.pow(A as u32) && FLOWS > 1, "2 to 2^A flows"))]
pub struct Walk<const FLOWS: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Register: clocks from one tick to the next, 2 at least; 0: no ticks.
    pub interval: Signal<In, U<8>>,
    /// A flow begins, ends or is notified.
    pub write: Signal<In, Bit>,
    /// That flow.
    pub write_flow: Signal<In, U<A>>,
    /// Its timers run.
    pub write_started: Signal<In, Bit>,
    /// A tick is offered.
    pub valid: Signal<Out, Bit>,
    /// Flow of the entry.
    pub flow: Signal<Out, U<A>>,
    /// It has waited for 15 clocks: it goes before events, so that no load stops the timers.
    pub overdue: Signal<Out, Bit>,
    /// The tick is taken.
    pub taken: Signal<In, Bit>,
    #[registers(U<A>:
        /// Flow that the walk is at.
        pointer,
        /// Flow behind that one.
        after,
        /// Flow of the tick that is offered.
        tick_flow,
        /// Flow whose timers were written a clock ago.
        written_flow)]
    #[registers(Bit:
        /// Ticks are wanted: their interval is not 0.
        walks,
        /// The next tick is not due yet.
        rests,
        /// The walk went on to another flow a clock ago, so that the table shows it.
        moved,
        /// The timers of the flow that the walk stays at run.
        kept,
        /// Timers of a flow were written a clock ago.
        written,
        /// Those timers run.
        written_started)]
    #[signals(Bit: shown, goes_on)]
    started: LutRam<Bit, A>,
    #[init(Constant::new(U(FLOWS as u64 - 1)))]
    last: Constant<U<A>>,
    following: Signal<Local, U<A>>,
    /// Clocks until the next tick is due.
    pause: DFF<U<8>>,
    /// A tick is offered.
    offered: DFF<Bit>,
    /// Clocks that the tick has waited, saturated at 15.
    waited: DFF<U<4>>,
    visit: Signal<Local, Bit>,
}

#[kernel]
impl<const FLOWS: usize, const A: usize> Logic for Walk<FLOWS, A> {
    fn update(&mut self) {
        inputs!(started: we = write, waddr = write_flow, wdata = write_started);

        // the table shows the flow behind the pointer, for the case that it goes on; that of a flow at which it stays is kept, and what is
        // written meanwhile counts when it would show in the table
        walks = interval.any();
        shown = if moved { started.rdata } else { kept };
        visit = shown & walks & !rests & !offered;
        goes_on = visit | !shown;
        following = if goes_on { after } else { pointer };
        pointer = following;
        after = if following == last { bits_u::<A>(0) } else { following + 1 };
        started.raddr = after;
        moved = goes_on;
        assign!(
            written.d = write,
            written_flow.d = write_flow,
            written_started.d = write_started
        );
        kept = if written & (written_flow == pointer) { written_started } else { shown };

        if pause.any() {
            pause = pause - 1;
        }
        rests = pause > 1;
        if offered & !waited.all() {
            waited = waited + 1;
        }
        if taken {
            offered = false;
        }
        if visit {
            offered = true;
            tick_flow = pointer;
            pause = interval - 1;
            rests = interval > 1;
            waited = bits_u::<4>(0);
        }
        // the pointer may begin anywhere: no flow is notified then
        reset!(offered, pause, rests);
        assign!(valid = offered, flow = tick_flow);
        overdue = waited.all();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
