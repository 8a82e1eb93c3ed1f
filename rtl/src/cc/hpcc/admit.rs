//! Entry of the pipeline: one event or command a clock, a flow at most every six clocks, nothing while the exit is crowded.
//!
//! Three loops of the pipeline (records, average, window) read and write a flow's state within six clocks. An event of a
//! flow that entered less than six clocks ago waits here, and what stands behind it waits too; other flows' events pass
//! at one a clock. Commands go before events. After reset all flows are removed, one a clock, before anything is taken.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | -3 | ports | |
//! | -2 | `heads`, `commands`, `ring` | skid buffers for what the interlock looks at; the wide rest in distributed RAM |
//! | -1 | `next_*`, `hold_off` | compared with the five that entered before: clocks left to wait |
//! | 0 | outputs | enters once nothing is left to wait |
//!
//! The ring is read every clock, so the interlock drives a four-bit pointer and no wide enable.

use super::records::EventWord;
use crate::cc::slot::{CommandIn, EventIn};
use crate::prim::lut_ram::LutRam;
use crate::prim::skid::Skid;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks between two entries of one flow: the longest of the loops.
pub const SAME_FLOW_INTERVAL: usize = 6;

/// Flow 15:0, generation 23:16, acknowledgement of either kind 24.
type Head = U<25>;

/// Entry of the pipeline for `FLOWS` flows, 2^`A` of them at most.
#[block(check(FLOWS <= 1 << A && A <= 16, "2^A flows at most, A of 16 at most"))]
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
    heads: Skid<Head>,
    ring: LutRam<EventWord, 4>,
    write_place: DFF<U<4>>,
    read_place: DFF<U<4>>,
    commands: Skid<U<25>>,
    #[init(Constant::new(U(FLOWS as u64)))]
    limit: Constant<U<17>>,
    sweeping: DFF<Bit>,
    sweep: DFF<U<A>>,
    recent_valid: [DFF<Bit>; 4],
    recent_flow: [DFF<U<A>>; 4],
    next_valid: DFF<Bit>,
    next_command: DFF<Bit>,
    next_create: DFF<Bit>,
    next_good: DFF<Bit>,
    next_past: DFF<Bit>,
    next_flow: DFF<U<A>>,
    next_generation: DFF<U<8>>,
    hold_off: DFF<U<3>>,
    offered_flow: Signal<Local, U<A>>,
    commanded_flow: Signal<Local, U<A>>,
    event_wait: Signal<Local, U<3>>,
    command_wait: Signal<Local, U<3>>,
    in_range: Signal<Local, Bit>,
    enter: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    known_kind: Signal<Local, Bit>,
    valid_r: DFF<Bit>,
    is_command_r: DFF<Bit>,
    create_r: DFF<Bit>,
    flow_r: DFF<U<A>>,
    generation_r: DFF<U<8>>,
    out_of_range_r: DFF<Bit>,
}

#[kernel]
impl<const FLOWS: usize, const A: usize> Logic for Admit<FLOWS, A> {
    fn update(&mut self) {
        inputs!([heads, commands], reset);

        // the head into the skid buffer, the event word into the ring
        self.known_kind.next = (self.event.kind.val() == 0) | (self.event.kind.val() == 1);
        self.heads.up.valid.next = self.event.valid.val();
        self.event.ready.next = self.heads.up.ready.val();
        self.heads.up.data.next = (bit_cast_u::<25, 1>(bit_cast_b(self.known_kind.val())) << 24)
            | (bit_cast_u::<25, 8>(self.event.generation.val()) << 16)
            | bit_cast_u::<25, 16>(self.event.flow.val());
        self.ring.we.next = self.event.valid.val() & self.heads.up.ready.val();
        self.ring.waddr.next = self.write_place.q.val();
        self.ring.wdata.next = (bit_cast_w::<433, 7, 1>(bit_cast_b(self.event.int_valid.val())) << 432)
            | (bit_cast_w::<433, 7, 24>(self.event.psn_next.val()) << 408)
            | (bit_cast_w::<433, 7, 24>(self.event.snd_nxt.val()) << 384)
            | (bit_cast_w::<433, 7, 4>(self.event.n_hop.val()) << 380)
            | (bit_cast_w::<433, 7, 12>(self.event.path_id.val()) << 368)
            | (bit_cast_w::<433, 7, 48>(self.event.now.val()) << 320)
            | bit_cast_ww::<433, 7, 320, 5>(self.event.hops.val());
        if self.event.valid.val() & self.heads.up.ready.val() {
            self.write_place.d.next = self.write_place.q.val() + 1;
        }
        self.ring.raddr.next = self.read_place.q.val();
        // create 24, generation 23:16, flow 15:0
        self.commands.up.valid.next = self.command.valid.val();
        self.command.ready.next = self.commands.up.ready.val();
        self.commands.up.data.next = (bit_cast_u::<25, 1>(bit_cast_b(self.command.create.val())) << 24)
            | (bit_cast_u::<25, 8>(self.command.generation.val()) << 16)
            | bit_cast_u::<25, 16>(self.command.flow.val());

        self.enter.next =
            self.next_valid.q.val() & (self.hold_off.q.val() == 0) & !self.crowded.val() & !self.sweeping.q.val();
        self.load.next = self.enter.val() | !self.next_valid.q.val();
        self.commands.down.ready.next = self.load.val();
        self.heads.down.ready.next = self.load.val() & !self.commands.down.valid.val();

        // clocks to wait: the loaded flow may follow the one that enters now after six clocks, earlier ones after fewer
        self.offered_flow.next = bit_cast_u::<A, 16>(self.heads.down.data.val().get_bits::<16>(0));
        self.commanded_flow.next = bit_cast_u::<A, 16>(self.commands.down.data.val().get_bits::<16>(0));
        self.event_wait.next = bits_u::<3>(0);
        self.command_wait.next = bits_u::<3>(0);
        if self.recent_valid[3].q.val() & (self.recent_flow[3].q.val() == self.offered_flow.val()) {
            self.event_wait.next = bits_u::<3>(1);
        }
        if self.recent_valid[3].q.val() & (self.recent_flow[3].q.val() == self.commanded_flow.val()) {
            self.command_wait.next = bits_u::<3>(1);
        }
        if self.recent_valid[2].q.val() & (self.recent_flow[2].q.val() == self.offered_flow.val()) {
            self.event_wait.next = bits_u::<3>(2);
        }
        if self.recent_valid[2].q.val() & (self.recent_flow[2].q.val() == self.commanded_flow.val()) {
            self.command_wait.next = bits_u::<3>(2);
        }
        if self.recent_valid[1].q.val() & (self.recent_flow[1].q.val() == self.offered_flow.val()) {
            self.event_wait.next = bits_u::<3>(3);
        }
        if self.recent_valid[1].q.val() & (self.recent_flow[1].q.val() == self.commanded_flow.val()) {
            self.command_wait.next = bits_u::<3>(3);
        }
        if self.recent_valid[0].q.val() & (self.recent_flow[0].q.val() == self.offered_flow.val()) {
            self.event_wait.next = bits_u::<3>(4);
        }
        if self.recent_valid[0].q.val() & (self.recent_flow[0].q.val() == self.commanded_flow.val()) {
            self.command_wait.next = bits_u::<3>(4);
        }
        if self.next_valid.q.val() & (self.next_flow.q.val() == self.offered_flow.val()) {
            self.event_wait.next = bits_u::<3>(5);
        }
        if self.next_valid.q.val() & (self.next_flow.q.val() == self.commanded_flow.val()) {
            self.command_wait.next = bits_u::<3>(5);
        }
        self.hold_off.d.next = self.hold_off.q.val();
        if self.hold_off.q.val().any() {
            self.hold_off.d.next = self.hold_off.q.val() - 1;
        }
        self.in_range.next = bit_cast_u::<17, 16>(self.heads.down.data.val().get_bits::<16>(0)) < self.limit.val();
        if self.load.val() {
            self.next_valid.d.next = self.heads.down.valid.val() | self.commands.down.valid.val();
            self.next_command.d.next = self.commands.down.valid.val();
            self.next_create.d.next = self.commands.down.data.val().get_bit(24);
            if self.commands.down.valid.val() {
                self.next_good.d.next =
                    bit_cast_u::<17, 16>(self.commands.down.data.val().get_bits::<16>(0)) < self.limit.val();
                self.next_past.d.next = false;
                self.next_flow.d.next = self.commanded_flow.val();
                self.next_generation.d.next = self.commands.down.data.val().get_bits::<8>(16);
                self.hold_off.d.next = self.command_wait.val();
            } else {
                self.next_good.d.next = self.heads.down.data.val().get_bit(24) & self.in_range.val();
                self.next_past.d.next = self.heads.down.data.val().get_bit(24) & !self.in_range.val();
                self.next_flow.d.next = self.offered_flow.val();
                self.next_generation.d.next = self.heads.down.data.val().get_bits::<8>(16);
                self.hold_off.d.next = self.event_wait.val();
            }
        }
        for i in 0..3 {
            self.recent_valid[i + 1].d.next = self.recent_valid[i].q.val();
            self.recent_flow[i + 1].d.next = self.recent_flow[i].q.val();
        }
        self.recent_valid[0].d.next = self.enter.val();
        self.recent_flow[0].d.next = self.next_flow.q.val();
        if self.enter.val() & !self.next_command.q.val() {
            self.read_place.d.next = self.read_place.q.val() + 1;
        }

        self.valid_r.d.next = self.enter.val() & self.next_good.q.val();
        self.out_of_range_r.d.next = self.enter.val() & self.next_past.q.val();
        self.is_command_r.d.next = self.next_command.q.val();
        self.create_r.d.next = self.next_create.q.val();
        self.flow_r.d.next = self.next_flow.q.val();
        self.generation_r.d.next = self.next_generation.q.val();
        if self.sweeping.q.val() {
            self.valid_r.d.next = true;
            self.is_command_r.d.next = true;
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
            self.next_valid.d.next = false;
            self.hold_off.d.next = 0.into();
            self.recent_valid[0].d.next = false;
            self.write_place.d.next = 0.into();
            self.read_place.d.next = 0.into();
        }
        self.valid.next = self.valid_r.q.val();
        self.is_command.next = self.is_command_r.q.val();
        self.create.next = self.create_r.q.val();
        self.flow.next = self.flow_r.q.val();
        self.generation.next = self.generation_r.q.val();
        self.word.next = self.ring.rdata.val();
        self.out_of_range.next = self.out_of_range_r.q.val();
    }
}
