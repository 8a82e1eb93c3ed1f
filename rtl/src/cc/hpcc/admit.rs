//! Entry of the pipeline: one event or command a clock, a flow at most every six clocks, nothing while the exit is crowded.
//!
//! Three loops of the pipeline (records, average, window) read and write a flow's state within six clocks. An event of a
//! flow that entered less than six clocks ago waits here, and what stands behind it waits too; other flows' events pass
//! at one a clock. Commands go before events. After reset all flows are removed, one a clock, before anything is taken.
//!
//! Offered in clock 0, an event is in the skid buffer in clock 1 and enters the pipeline (its clock 0) one clock later.

use super::records::EventWord;
use crate::cc::slot::{CommandIn, EventIn};
use crate::emit::naming::named;
use crate::prim::skid::Skid;
use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use rust_hdl::prelude::*;

/// Clocks between two entries of one flow: the longest of the loops.
pub const SAME_FLOW_INTERVAL: usize = 6;

type Item = W<458, 8>;

/// Entry of the pipeline for `FLOWS` flows, 2^`A` of them at most.
#[derive(LogicBlock)]
pub struct Admit<const FLOWS: usize, const A: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Events.
    pub event: EventIn,
    /// Creations and removals.
    pub command: CommandIn,
    /// The exit holds many updates: take nothing.
    pub crowded: Signal<In, Bit>,
    /// Clock 0: something enters.
    pub valid: Signal<Out, Bit>,
    /// Clock 0: it is a command.
    pub is_command: Signal<Out, Bit>,
    /// Clock 0: the command creates.
    pub create: Signal<Out, Bit>,
    /// Clock 0: flow.
    pub flow: Signal<Out, U<A>>,
    /// Clock 0: generation.
    pub generation: Signal<Out, U<8>>,
    /// Clock 0: event word.
    pub word: Signal<Out, EventWord>,
    /// Clock 0, counter pulse: an event of a flow number past the configured count was dropped.
    pub out_of_range: Signal<Out, Bit>,
    events: Skid<Item>,
    commands: Skid<U<25>>,
    limit: Constant<U<17>>,
    sweeping: DFF<Bit>,
    sweep: DFF<U<A>>,
    recent_valid: [DFF<Bit>; 5],
    recent_flow: [DFF<U<A>>; 5],
    offered_flow: Signal<Local, U<A>>,
    commanded_flow: Signal<Local, U<A>>,
    event_busy: Signal<Local, Bit>,
    command_busy: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    take_event: Signal<Local, Bit>,
    take_command: Signal<Local, Bit>,
    entering: Signal<Local, Bit>,
    entering_flow: Signal<Local, U<A>>,
    known_kind: Signal<Local, Bit>,
    valid_r: DFF<Bit>,
    is_command_r: DFF<Bit>,
    create_r: DFF<Bit>,
    flow_r: DFF<U<A>>,
    generation_r: DFF<U<8>>,
    word_r: DFF<EventWord>,
    out_of_range_r: DFF<Bit>,
}

impl<const FLOWS: usize, const A: usize> Default for Admit<FLOWS, A> {
    fn default() -> Self {
        const { assert!(FLOWS <= 1 << A && A <= 16, "2^A flows at most, A of 16 at most") };
        Self {
            clock: Default::default(),
            reset: Default::default(),
            event: Default::default(),
            command: Default::default(),
            crowded: Default::default(),
            valid: Default::default(),
            is_command: Default::default(),
            create: Default::default(),
            flow: Default::default(),
            generation: Default::default(),
            word: Default::default(),
            out_of_range: Default::default(),
            events: Default::default(),
            commands: Default::default(),
            limit: Constant::new(U(FLOWS as u64)),
            sweeping: Default::default(),
            sweep: Default::default(),
            recent_valid: Default::default(),
            recent_flow: Default::default(),
            offered_flow: Default::default(),
            commanded_flow: Default::default(),
            event_busy: Default::default(),
            command_busy: Default::default(),
            open: Default::default(),
            take_event: Default::default(),
            take_command: Default::default(),
            entering: Default::default(),
            entering_flow: Default::default(),
            known_kind: Default::default(),
            valid_r: Default::default(),
            is_command_r: Default::default(),
            create_r: Default::default(),
            flow_r: Default::default(),
            generation_r: Default::default(),
            word_r: Default::default(),
            out_of_range_r: Default::default(),
        }
    }
}

impl<const FLOWS: usize, const A: usize> Logic for Admit<FLOWS, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            sweeping,
            sweep,
            flow_r,
            generation_r,
            word_r,
            is_command_r,
            create_r
        );
        clock!(self, clock, events, commands, valid_r, out_of_range_r);
        self.events.reset.next = self.reset.val();
        self.commands.reset.next = self.reset.val();

        // into the skid buffers: the event word, flow 448:433, generation 456:449, acknowledgement of either kind 457
        self.known_kind.next = (self.event.kind.val() == 0) | (self.event.kind.val() == 1);
        self.events.up.valid.next = self.event.valid.val();
        self.event.ready.next = self.events.up.ready.val();
        self.events.up.data.next = (bit_cast_w::<458, 8, 1>(bit_cast_b(self.known_kind.val())) << 457)
            | (bit_cast_w::<458, 8, 8>(self.event.generation.val()) << 449)
            | (bit_cast_w::<458, 8, 16>(self.event.flow.val()) << 433)
            | (bit_cast_w::<458, 8, 1>(bit_cast_b(self.event.int_valid.val())) << 432)
            | (bit_cast_w::<458, 8, 24>(self.event.psn_next.val()) << 408)
            | (bit_cast_w::<458, 8, 24>(self.event.snd_nxt.val()) << 384)
            | (bit_cast_w::<458, 8, 4>(self.event.n_hop.val()) << 380)
            | (bit_cast_w::<458, 8, 12>(self.event.path_id.val()) << 368)
            | (bit_cast_w::<458, 8, 48>(self.event.now.val()) << 320)
            | bit_cast_ww::<458, 8, 320, 5>(self.event.hops.val());
        // create 24, generation 23:16, flow 15:0
        self.commands.up.valid.next = self.command.valid.val();
        self.command.ready.next = self.commands.up.ready.val();
        self.commands.up.data.next = (bit_cast_u::<25, 1>(bit_cast_b(self.command.create.val())) << 24)
            | (bit_cast_u::<25, 8>(self.command.generation.val()) << 16)
            | bit_cast_u::<25, 16>(self.command.flow.val());

        self.offered_flow.next = bit_cast_u::<A, 16>(self.events.down.data.val().get_bits::<16>(433));
        self.commanded_flow.next = bit_cast_u::<A, 16>(self.commands.down.data.val().get_bits::<16>(0));
        self.event_busy.next = false;
        self.command_busy.next = false;
        for i in 0..5 {
            if self.recent_valid[i].q.val() & (self.recent_flow[i].q.val() == self.offered_flow.val()) {
                self.event_busy.next = true;
            }
            if self.recent_valid[i].q.val() & (self.recent_flow[i].q.val() == self.commanded_flow.val()) {
                self.command_busy.next = true;
            }
        }
        self.open.next = !self.crowded.val() & !self.sweeping.q.val();
        self.take_command.next = self.open.val() & self.commands.down.valid.val() & !self.command_busy.val();
        self.take_event.next =
            self.open.val() & self.events.down.valid.val() & !self.commands.down.valid.val() & !self.event_busy.val();
        self.commands.down.ready.next = self.take_command.val();
        self.events.down.ready.next = self.take_event.val();

        self.entering.next = self.take_event.val() | self.take_command.val();
        self.entering_flow.next = self.offered_flow.val();
        if self.commands.down.valid.val() {
            self.entering_flow.next = self.commanded_flow.val();
        }
        for i in 0..5 {
            self.recent_valid[i].clock.next = self.clock.val();
            self.recent_flow[i].clock.next = self.clock.val();
        }
        for i in 0..4 {
            self.recent_valid[i + 1].d.next = self.recent_valid[i].q.val();
            self.recent_flow[i + 1].d.next = self.recent_flow[i].q.val();
        }
        self.recent_valid[0].d.next = self.entering.val();
        self.recent_flow[0].d.next = self.entering_flow.val();

        self.valid_r.d.next = false;
        self.out_of_range_r.d.next = false;
        self.is_command_r.d.next = self.commands.down.valid.val() | self.sweeping.q.val();
        self.create_r.d.next = self.commands.down.data.val().get_bit(24);
        self.flow_r.d.next = self.entering_flow.val();
        self.generation_r.d.next = self.events.down.data.val().get_bits::<8>(449);
        if self.commands.down.valid.val() {
            self.generation_r.d.next = self.commands.down.data.val().get_bits::<8>(16);
        }
        self.word_r.d.next = bit_cast_ww::<433, 7, 458, 8>(self.events.down.data.val());
        if self.take_event.val() {
            self.valid_r.d.next = self.events.down.data.val().get_bit(457)
                & (bit_cast_u::<17, 16>(self.events.down.data.val().get_bits::<16>(433)) < self.limit.val());
            self.out_of_range_r.d.next = self.events.down.data.val().get_bit(457)
                & (bit_cast_u::<17, 16>(self.events.down.data.val().get_bits::<16>(433)) >= self.limit.val());
        }
        if self.take_command.val() {
            self.valid_r.d.next =
                bit_cast_u::<17, 16>(self.commands.down.data.val().get_bits::<16>(0)) < self.limit.val();
        }
        if self.sweeping.q.val() {
            self.valid_r.d.next = true;
            self.create_r.d.next = false;
            self.flow_r.d.next = self.sweep.q.val();
            self.sweep.d.next = self.sweep.q.val() + 1;
            if self.sweep.q.val().all() {
                self.sweeping.d.next = false;
            }
        }
        if self.reset.val() {
            self.valid_r.d.next = false;
            self.out_of_range_r.d.next = false;
            self.sweeping.d.next = true;
            self.sweep.d.next = 0.into();
            self.recent_valid[0].d.next = false;
        }
        self.valid.next = self.valid_r.q.val();
        self.is_command.next = self.is_command_r.q.val();
        self.create.next = self.create_r.q.val();
        self.flow.next = self.flow_r.q.val();
        self.generation.next = self.generation_r.q.val();
        self.word.next = self.word_r.q.val();
        self.out_of_range.next = self.out_of_range_r.q.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}

crate::has_clock! { [const FLOWS: usize, const A: usize] Admit<FLOWS, A> }
