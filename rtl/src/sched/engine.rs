//! One engine: active flows wait for their turn, one visit a clock.
//!
//! | clock | what |
//! |---|---|
//! | -2 | a flow leaves [`super::waiting`] (the ring), or the row of woken flows, which goes first |
//! | -1 | its cap and pacing are read, at 1 the level of its group |
//! | 0 | its other words are read: sender state, visit state |
//! | 2 - 13 | [`super::visit`] |
//! | 13 | visit state written; grant to the FIFO |
//! | 15 | the flow waits again, unless it is idle |
//!
//! A flow is waiting, in the woken row or in the pipeline, never in two of them, so a short ring cannot visit a flow
//! in flight. An idle flow is in none, and costs nothing.
//!
//! Whether a flow is out is the exclusive or of two bits, one that visits flip when the flow leaves, one that wakes flip
//! when it comes back: each bit has one writer. A wake waits until every visit that may have missed its event has ended:
//!
//! | clock after the event is written | what |
//! |---|---|
//! | 14 | the last visit that read the old pacing, which visits read a clock before the sender state, writes its visit state |
//! | 14, 15 | both bits are read |
//! | 17 | a flow that is out is woken |
//!
//! A flow that is cleared is as after power-up: every word of it is zero, both bits equal, hence out. Only the clearing after
//! reset does that, when no visit is under way.

use super::choice::Choice;
use super::visit::Visit;
use super::waiting::Waiting;
use crate::emit::naming::named_by_size;
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::forward_ram::ForwardRam;
use crate::prim::lut_ram::LutRam;
use crate::prim::skid::StreamOut;
use crate::prim::table_ram::TableRam;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::sched::{FlowCap, FlowPlace, FlowShared, Grant, GroupLevel, PacingState, VisitFlow, Visited, Wake};
use crate::words::visit::{RingEntry, TagDistance, WholeCredit};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks from a visit's reads to its writes.
pub const VISIT_LATENCY: usize = 13;

/// Engine for 2^`I` flows of 2^`A` in all, with `ROWS` waiting rows: 1 is a ring.
#[block]
pub struct Engine<const A: usize, const I: usize, const ROWS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// A flow of this engine has changed.
    pub notify: Signal<In, Bit>,
    /// Index of the flow.
    pub index: Signal<In, U<I>>,
    /// Number of the flow.
    pub flow: Signal<In, U<A>>,
    /// Sender state of the flow.
    pub sender: Signal<In, FlowShared>,
    /// Its pacing, if `paced`; zero if it is cleared.
    pub pacing: Signal<In, PacingState>,
    /// A flow's packets have used fewer bytes than full ones.
    pub adjusted: Signal<In, Bit>,
    /// Index of the flow whose bytes are adjusted.
    pub adjusted_index: Signal<In, U<I>>,
    /// How many fewer, all together.
    pub adjust: Signal<In, U<20>>,
    /// Pacing is written.
    pub paced: Signal<In, Bit>,
    /// Its cap and group, if `limited`; zero if it is cleared.
    pub cap: Signal<In, FlowCap>,
    /// Cap and group are written.
    pub limited: Signal<In, Bit>,
    /// A level is written; after a reset, none in every group.
    pub level_write: Signal<In, Bit>,
    /// Group whose level is written.
    pub level_group: Signal<In, U<4>>,
    /// The level.
    pub level: Signal<In, GroupLevel>,
    /// Register: flows that become active start after a random part of a packet time.
    pub dither: Signal<In, Bit>,
    /// Random number.
    pub random: Signal<In, U<16>>,
    /// The flow may have something to send.
    pub wake: Signal<In, Bit>,
    /// It is cleared; its sender state is zero then. Only with `notify`.
    pub clear: Signal<In, Bit>,
    /// Index whose visited word is wanted.
    pub asked: Signal<In, U<I>>,
    /// The visited word of two clocks ago's index.
    pub visited: Signal<Out, Visited>,
    /// Tick now.
    pub tick: Signal<In, U<20>>,
    /// Paused priorities.
    pub pause: Signal<In, U<8>>,
    /// Register: wire bytes of a packet beside its payload.
    pub overhead: Signal<In, U<10>>,
    /// Service tag of the grant in service.
    pub tag: Signal<In, U<6>>,
    /// Grants.
    pub grants: StreamOut<Grant>,
    #[signals(Bit: is_out, waking, open, granted)]
    // other flows waited a clock ago
    #[registers(Bit:
        /// Clock -1: a flow was chosen for a visit.
        chosen_valid,
        /// Clock 0: a visit.
        valid_0,
        /// Clock 12: a visit.
        valid_12,
        /// Clock 12: a visit ends in the next clock, and was not begun before a reset.
        ends,
        /// Clock 13: a visit ends: its state is written.
        ending,
        /// All visits that were under way at the last reset have left the pipeline.
        settled,
        /// Flows were waiting for their visits a clock ago.
        crowded)]
    // a flow was cleared a clock ago
    #[registers(Bit:
        /// A flow was cleared a clock ago.
        cleared)]
    /// Index of the flow that was cleared a clock ago.
    cleared_index: DFF<U<I>>,
    // what is written into `adjust_ram`: of all engines' bytes, which come from far away
    /// The running total of refunds of a flow is written.
    adjusts: DFF<Bit>,
    /// Index of that flow.
    adjusts_at: DFF<U<I>>,
    /// Running total of refunds, bytes.
    adjusts_to: DFF<U<20>>,
    #[signals(RingEntry: entry, back)]
    tag_now: Signal<Local, U<6>>,
    sender_ram: TableRam<FlowShared, I>,
    pacing_ram: TableRam<PacingState, I>,
    cap_ram: TableRam<FlowCap, I>,
    level_ram: LutRam<GroupLevel, 4>,
    state_ram: TableRam<VisitFlow, I>,
    adjust_ram: TableRam<U<20>, I>,
    visited_ram: TableRam<Visited, I>,
    out_ram: TableRam<Bit, I>,
    back_ram: ForwardRam<Bit, I>,
    wake_14: Delay<Wake, 14>,
    wake_17: Delay<Wake, 2>,
    woken: StreamFifo<FlowPlace, I, 1>,
    waiting: Waiting<I, ROWS>,
    choice: Choice,
    fifo: StreamFifo<Grant, 5, 4>,
    valid_11: Delay<Bit, 11>,
    entry_13: Delay<RingEntry, 13>,
    visit: Visit,
    #[registers(RingEntry:
        /// Clock 14: flow that was visited, with the tag of the grant in service or its own, whichever is later.
        back_14,
        /// Clock 15: flow that was visited, as it goes back to the ring.
        back_15)]
    /// Clock 14: the visit granted packets.
    granted_14: DFF<Bit>,
    back_valid_15: Delay<Bit, 2>,
    #[registers(PacingState:
        /// Clock 2: cap of the flow.
        cap_2,
        /// Clock 2: pacing of the flow.
        pacing_2)]
    /// Clock 14 after an event: what the event means to the flow's visits.
    wake_15: DFF<Wake>,
    /// Clocks until all visits that were under way at the last reset have left the pipeline.
    settle: DFF<U<5>>,
    credit: Signal<Local, WholeCredit>,
    #[registers(RingEntry:
        /// Clock -1: flow that is visited.
        chosen,
        /// Clock 0: flow that is visited.
        entry_0)]
    ends_at: Signal<Local, U<I>>,
    after: Signal<Local, VisitFlow>,
    lag: Signal<Local, TagDistance>,
}

#[kernel]
impl<const A: usize, const I: usize, const ROWS: usize> Logic for Engine<A, I, ROWS> {
    fn update(&mut self) {
        inputs!([woken, waiting, fifo]: reset);
        // visits that were in flight at reset end without a trace
        settled = !settle.any() | (settle == 1);
        if settle.any() {
            settle = settle - 1;
        }
        if reset {
            settle = bits_u::<5>(31);
            settled = false;
        }

        // events
        inputs!(sender_ram: we = notify, waddr = index, wdata = sender);
        pacing_ram.we = clear | (notify & paced);
        inputs!(pacing_ram: waddr = index, wdata = pacing);
        cap_ram.we = clear | (notify & limited);
        inputs!(cap_ram: waddr = index, wdata = cap);
        cleared = clear;
        cleared_index = index;
        adjusts = cleared | adjusted;
        assign!(adjusts_at.d = adjusted_index, adjusts_to.d = adjust);
        if cleared {
            adjusts_at = cleared_index;
            adjusts_to = bits_u::<20>(0);
        }
        inputs!(adjust_ram: we = adjusts, waddr = adjusts_at, wdata = adjusts_to);
        inputs!(level_ram: we = level_write, waddr = level_group, wdata = level);
        visited_ram.raddr = asked;
        visited = visited_ram.rdata;

        // wakes
        wake_14 = bits_zero::<Wake>(0);
        wake_14.place.index = bit_cast_u::<16, I>(index);
        wake_14.place.flow = bit_cast_u::<16, A>(flow);
        wake_14.wake = notify & wake;
        wake_14.clear = clear;
        wake_15 = wake_14;
        wake_17 = wake_15;
        back_ram.raddr = bit_cast_u::<I, 16>(wake_14.place.index);
        out_ram.raddr = bit_cast_u::<I, 16>(wake_15.place.index);
        is_out = out_ram.rdata == back_ram.rdata;
        // a wake that was under way at reset ends without a trace too
        waking = wake_17.wake & is_out & settled;
        back_ram.we = waking | wake_17.clear;
        back_ram.waddr = bit_cast_u::<I, 16>(wake_17.place.index);
        back_ram.wdata = (out_ram.rdata ^ waking) & !wake_17.clear;
        woken.up.valid = waking;
        woken.up.data = wake_17.place;

        // -2: who is next
        open = settled & !fifo.crowded;
        woken.down.ready = open;
        waiting.down.ready = open & !woken.down.valid;
        chosen_valid = open & (woken.down.valid | waiting.down.valid);
        entry = waiting.down.data;
        if woken.down.valid {
            fields!(entry: place = woken.down.data, tag);
        }
        // a register of its own, because the block RAMs lie far from those of the two queues
        chosen = entry;
        assign!(entry_0.d = chosen, valid_0.d = chosen_valid);
        crowded = woken.down.valid | waiting.down.valid;

        // -1 to 2: pacing and cap, then the level of its group; both into registers, because the visit compares them as soon as they show
        pacing_ram.raddr = bit_cast_u::<I, 16>(chosen.place.index);
        pacing_2 = pacing_ram.rdata;
        cap_ram.raddr = bit_cast_u::<I, 16>(chosen.place.index);
        level_ram.raddr = cap_ram.rdata.val().group;
        cap_2 = cap_ram.rdata.val().pacing;
        inputs!(visit: cap = cap_2, pacing = pacing_2, level = level_ram.rdata);
        inputs!(visit: dither, random);

        // 0 to 13
        sender_ram.raddr = bit_cast_u::<I, 16>(entry_0.place.index);
        state_ram.raddr = bit_cast_u::<I, 16>(entry_0.place.index);
        adjust_ram.raddr = bit_cast_u::<I, 16>(entry_0.place.index);
        inputs!(visit: sender = sender_ram.rdata, state = state_ram.rdata);
        inputs!(visit: adjust = adjust_ram.rdata, tick, pause, overhead, crowded);
        valid_11 = valid_0;
        valid_12 = valid_11;
        // when no visit ends there is no state after it, which is what a flow that is cleared gets
        // out of a register of its own, as it clears the whole state
        ends = valid_11 & settled;
        visit.ends = ends;
        entry_13 = entry_0;

        // 13: write back, grant, return
        // a register of its own: it enables memories that lie far apart
        ending = valid_12 & settled;
        reset!(ending);
        ends_at = bit_cast_u::<I, 16>(entry_13.place.index);
        after = visit.state_after;
        if clear {
            ends_at = index;
        }
        state_ram.we = ending | clear;
        inputs!(state_ram: waddr = ends_at, wdata = after);
        visited_ram.we = ending | clear;
        visited_ram.waddr = ends_at;
        visited_ram.wdata = bits_zero::<Visited>(0);
        visited_ram.wdata.next.nxt = after.nxt;
        visited_ram.wdata.next.max = after.max;
        visited_ram.wdata.next.seen = after.seen;
        visited_ram.wdata.next.generation = after.generation;
        visited_ram.wdata.next.restarts = after.restarts;
        visited_ram.wdata.next.stopped = after.stopped;
        out_ram.we = ending | clear;
        inputs!(out_ram: waddr = ends_at, wdata = after.parked);
        lag = bit_cast_word::<TagDistance, U<6>>(tag - entry_13.tag);
        tag_now = if !lag.negative { tag } else { entry_13.tag };
        granted = visit.grant.val().count.any();
        back_valid_15 = ending & !visit.idle;
        fields!(back_14.d: place = entry_13.place, tag = tag_now);
        granted_14 = granted;
        // 14: who got a grant goes behind it; counted behind a register, because whose tag it is comes late
        back = back_14;
        if granted_14 {
            back.tag = back_14.tag + 1;
        }
        back_15 = back;
        waiting.tick = tick;
        waiting.enter = back_valid_15 & settled;
        inputs!(waiting: flow = back_15, row = choice.row);
        choice.rate = visit.rate;
        choice.mtu = sender_ram.rdata.val().mtu;
        choice.pause_bit = sender_ram.rdata.val().pause_class;
        choice.pause = pause;
        credit = bit_cast_word::<WholeCredit, U<37>>(visit.state_after.val().credit);
        choice.credit = credit.bytes;
        fifo.up.valid = ending & granted;
        fifo.up.data = visit.grant;
        fifo.up.data.next.flow = bit_cast_u::<13, 16>(entry_13.place.flow);
        fifo.up.data.next.tag = tag_now;
        StreamOut::<Grant>::link(&mut grants, &mut fifo.down);
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_by_size::<Self>(ROWS > 1)
    }
}
