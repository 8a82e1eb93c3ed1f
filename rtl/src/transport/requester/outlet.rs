//! Registers between the requester's states and the streams that leave it.

use super::answers::IntFields;
use crate::emit::naming::named_inside;
use crate::prim::short_fifo::ShortFifo;
use crate::prim::skid::StreamOut;
use crate::prim::uint::U;
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::words::congestion::CcEventKind;
use crate::words::flows::QpFlow;
use crate::words::requester::{AnswerEvent, ClockHalves, ClockLower, Syndrome};
use crate::words::sched::LawEvent;
use crate::words::transport::Commit;
use crate::words::wire::AethSyndrome;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// One item that waits for its receiver.
#[block]
pub struct Outlet<T: Synth> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: drops the item.
    pub reset: Signal<In, Bit>,
    /// `data` is an item. Only while `full` is low.
    pub put: Signal<In, Bit>,
    /// Item.
    pub data: Signal<In, T>,
    /// An item waits.
    pub full: Signal<Out, Bit>,
    /// Items out.
    pub down: StreamOut<T>,
    /// An item waits at the output.
    held: DFF<Bit>,
    /// Item that waits at the output.
    item: DFF<T>,
}

#[kernel]
impl<T: Synth> Logic for Outlet<T> {
    fn update(&mut self) {
        assign!(full = held, down.valid = held, down.data = item);
        // whether there is an item is known late, and would enable all its bits: an empty place takes whatever shows
        if !held {
            item = data;
        }
        if down.ready {
            held = false;
        }
        if put {
            held = true;
        }
        reset!(held);
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

/// Events to the scheduler.
#[block]
pub struct Events {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Time, ns.
    pub now: Signal<In, U<48>>,
    /// Speed codes that are valid.
    pub speeds: Signal<In, U<16>>,
    /// The INT of requests is left to probes.
    pub probing: Signal<In, Bit>,
    /// There is an event. Only while `full` is low.
    pub put: Signal<In, Bit>,
    /// The acknowledgement is negative, so that the flow goes back.
    pub nak: Signal<In, Bit>,
    /// The receiver was not ready, as the answer's syndrome says.
    pub not_ready: Signal<In, Bit>,
    /// Queue pair.
    pub qp: Signal<In, U<8>>,
    /// Generation.
    pub generation: Signal<In, U<8>>,
    /// PSN up to which everything is acknowledged, exclusive.
    pub psn: Signal<In, U<24>>,
    /// Bytes acknowledged.
    pub bytes: Signal<In, U<32>>,
    /// Answer with the INT.
    pub commit: Signal<In, Commit>,
    /// Its INT counts.
    pub with_int: Signal<In, Bit>,
    /// It says when it came: an acknowledgement.
    pub with_time: Signal<In, Bit>,
    /// When the acknowledged packet left, ns.
    pub sent_at: Signal<In, U<48>>,
    /// The time at which the packet left is known.
    pub sent_valid: Signal<In, Bit>,
    /// Events wait; six more may come.
    pub full: Signal<Out, Bit>,
    /// With `put`: the INT has more switches than records.
    pub many: Signal<Out, Bit>,
    /// With `put`: the INT has a speed code that is not valid.
    pub bad: Signal<Out, Bit>,
    /// Events out.
    pub cc_event: StreamOut<LawEvent>,
    #[combinational]
    fields: IntFields,
    fifo: ShortFifo<AnswerEvent, 4, 8>,
    use_int: Signal<Local, Bit>,
    word: Signal<Local, AnswerEvent>,
    syndrome: Signal<Local, Syndrome>,
    clock_now: Signal<Local, ClockHalves>,
    came: Signal<Local, ClockHalves>,
    #[signals(ClockLower: clock_lower, arrival)]
    leaving: Signal<Local, AnswerEvent>,
    half: Signal<Local, QpFlow>,
    kind: Signal<Local, CcEventKind>,
}

#[kernel]
impl Logic for Events {
    fn update(&mut self) {
        self.fifo.reset.next = self.reset.val();
        inputs!(fields: stack = commit.int_stack, length = commit.int_length, speeds);
        self.use_int.next = self.with_int.val() & self.fields.present.val();
        self.many.next = self.put.val() & self.use_int.val() & self.fields.many.val();
        self.bad.next = self.put.val() & self.use_int.val() & !self.fields.valid.val();
        self.word.next = bits_zero::<AnswerEvent>(0);
        self.syndrome.next = bit_cast_word::<Syndrome, AethSyndrome>(self.commit.val().syndrome);
        fields!(word: not_ready, rnr_timer = syndrome.value);
        fields!(word: psn, generation, qp, nak, bytes, ecn = commit.ecn, sent_at, sent_valid);
        // of the time of arrival the lower half is there, and it is no longer ago than half of what that lasts (8 ms), so that the highest bits of both tell
        // whether it has wrapped since
        self.clock_now.next = bit_cast_word::<ClockHalves, U<48>>(self.now.val());
        self.clock_lower.next = bit_cast_word::<ClockLower, U<24>>(self.clock_now.val().lower);
        self.arrival.next = bit_cast_word::<ClockLower, U<24>>(self.commit.val().msn);
        self.came.next = self.clock_now.val();
        if self.with_time.val() {
            self.came.next.lower = self.commit.val().msn;
            if self.arrival.val().top & !self.clock_lower.val().top {
                self.came.next.upper = self.clock_now.val().upper - 1;
            }
        }
        self.word.next.now = bit_cast_number::<48, ClockHalves>(self.came.val());
        // what is not valid is looked at by nobody
        fields!(word from fields: n_hop, path_id, hops);
        self.word.next.int_valid = self.with_int.val() & self.fields.valid.val();
        // an empty stack then says nothing about the path
        if self.probing.val() & (self.fields.n_hop.val() == 0) {
            self.word.next.int_valid = false;
        }
        inputs!(fifo: up.data = word, up.valid = put);
        self.full.next = self.fifo.crowded.val();
        self.fifo.down.ready.next = self.cc_event.ready.val();
        outputs!(fifo: cc_event.valid = down.valid, leaving = down.data);
        self.cc_event.data.next = bits_zero::<LawEvent>(0);
        self.kind.next = CcEventKind::Ack;
        if self.leaving.val().nak {
            self.kind.next = CcEventKind::Nak;
        }
        self.cc_event.data.next.telemetry.event_kind = bit_cast_number::<3, CcEventKind>(self.kind.val());
        self.half.next = bits_zero::<QpFlow>(0);
        self.half.next.qp = self.leaving.val().qp;
        self.cc_event.data.next.flow = bit_cast_number::<16, QpFlow>(self.half.val());
        self.cc_event.data.next.generation = self.leaving.val().generation;
        self.cc_event.data.next.psn_next = self.leaving.val().psn;
        self.cc_event.data.next.not_ready = self.leaving.val().not_ready;
        self.cc_event.data.next.rnr_timer = self.leaving.val().rnr_timer;
        // the scheduler knows the next PSN to send
        self.cc_event.data.next.snd_nxt = self.leaving.val().psn;
        self.cc_event.data.next.telemetry.int_valid = self.leaving.val().int_valid;
        self.cc_event.data.next.telemetry.n_hop = self.leaving.val().n_hop;
        self.cc_event.data.next.telemetry.path_id = self.leaving.val().path_id;
        self.cc_event.data.next.telemetry.hops = self.leaving.val().hops;
        self.cc_event.data.next.telemetry.ecn = self.leaving.val().ecn;
        self.cc_event.data.next.telemetry.bytes = self.leaving.val().bytes;
        self.cc_event.data.next.telemetry.now = self.leaving.val().now;
        self.cc_event.data.next.telemetry.sent_at = self.leaving.val().sent_at;
        self.cc_event.data.next.telemetry.sent_valid = self.leaving.val().sent_valid;
    }
}
