//! Registers between the requester's states and the streams that leave it.

use super::answers::IntFields;
use crate::cc::slot::EventOut;
use crate::emit::naming::named_with;
use crate::nic::words::Commit;
use crate::prim::skid::StreamOut;
use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::prim::word::bit_cast_word;
use crate::words::transport::Commit as CommitWord;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// One item that waits for its receiver.
#[block]
pub struct Outlet<T: Synth> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: drops the item.
    pub reset: Signal<In, Bit>,
    /// Take `data`. Only while `full` is low.
    pub put: Signal<In, Bit>,
    /// Item.
    pub data: Signal<In, T>,
    /// An item waits.
    pub full: Signal<Out, Bit>,
    /// Items out.
    pub down: StreamOut<T>,
    held: DFF<Bit>,
    item: DFF<T>,
}

#[kernel]
impl<T: Synth> Logic for Outlet<T> {
    fn update(&mut self) {
        self.full.next = self.held.q.val();
        self.down.valid.next = self.held.q.val();
        self.down.data.next = self.item.q.val();
        if self.down.ready.val() {
            self.held.d.next = false;
        }
        if self.put.val() {
            self.held.d.next = true;
            self.item.d.next = self.data.val();
        }
        if self.reset.val() {
            self.held.d.next = false;
        }
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_with::<Self>(&[("WIDTH", T::BITS)], &["data", "down_data", "item"])
    }
}

/// Event to the scheduler, which hands it on to congestion control: PSN 23:0, generation 31:24, queue pair 39:32, NAK 40,
/// INT valid 41, switches 45:42, path id 57:46, bytes 89:58, records 409:90, congestion experienced 410.
type EventWord = W<411, 7>;

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
    /// There is an event. Only while `full` is low.
    pub put: Signal<In, Bit>,
    /// It rewinds.
    pub nak: Signal<In, Bit>,
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
    /// An event waits.
    pub full: Signal<Out, Bit>,
    /// With `put`: the INT has more switches than records.
    pub many: Signal<Out, Bit>,
    /// With `put`: the INT has a speed code that is not valid.
    pub bad: Signal<Out, Bit>,
    /// Events out.
    pub cc_event: EventOut,
    #[combinational]
    fields: IntFields,
    outlet: Outlet<EventWord>,
    answer: Signal<Local, CommitWord>,
    use_int: Signal<Local, Bit>,
    word: Signal<Local, EventWord>,
}

#[kernel]
impl Logic for Events {
    fn update(&mut self) {
        self.outlet.reset.next = self.reset.val();
        self.answer.next = bit_cast_word::<CommitWord, Commit>(self.commit.val());
        self.fields.stack.next = self.answer.val().int_stack;
        self.fields.length.next = self.answer.val().int_length;
        self.fields.speeds.next = self.speeds.val();
        self.use_int.next = self.with_int.val() & self.fields.present.val();
        self.many.next = self.put.val() & self.use_int.val() & self.fields.many.val();
        self.bad.next = self.put.val() & self.use_int.val() & !self.fields.valid.val();
        self.word.next = bit_cast_w::<411, 7, 24>(self.psn.val())
            | (bit_cast_w::<411, 7, 8>(self.generation.val()) << 24)
            | (bit_cast_w::<411, 7, 8>(self.qp.val()) << 32)
            | (bit_cast_w::<411, 7, 1>(bit_cast_b(self.nak.val())) << 40)
            | (bit_cast_w::<411, 7, 32>(self.bytes.val()) << 58)
            | (bit_cast_w::<411, 7, 1>(bit_cast_b(self.answer.val().ecn)) << 410);
        self.outlet.data.next = self.word.val();
        if self.use_int.val() {
            self.outlet.data.next = self.word.val()
                | (bit_cast_w::<411, 7, 1>(bit_cast_b(self.fields.valid.val())) << 41)
                | (bit_cast_w::<411, 7, 4>(self.fields.n_hop.val()) << 42)
                | (bit_cast_w::<411, 7, 12>(self.fields.path_id.val()) << 46)
                | (bit_cast_ww::<411, 7, 320, 5>(self.fields.hops.val()) << 90);
        }
        self.outlet.put.next = self.put.val();
        self.full.next = self.outlet.full.val();
        self.outlet.down.ready.next = self.cc_event.ready.val();
        self.cc_event.valid.next = self.outlet.down.valid.val();
        self.cc_event.kind.next = bit_cast_u::<3, 1>(self.outlet.down.data.val().get_bits::<1>(40));
        self.cc_event.flow.next = bit_cast_u::<16, 8>(self.outlet.down.data.val().get_bits::<8>(32)) << 1;
        self.cc_event.generation.next = self.outlet.down.data.val().get_bits::<8>(24);
        self.cc_event.psn_next.next = self.outlet.down.data.val().get_bits::<24>(0);
        // the scheduler knows the next PSN to send
        self.cc_event.snd_nxt.next = self.outlet.down.data.val().get_bits::<24>(0);
        self.cc_event.int_valid.next = self.outlet.down.data.val().get_bit(41);
        self.cc_event.n_hop.next = self.outlet.down.data.val().get_bits::<4>(42);
        self.cc_event.path_id.next = self.outlet.down.data.val().get_bits::<12>(46);
        self.cc_event.hops.next = bit_cast_ww::<320, 5, 411, 7>(self.outlet.down.data.val() >> 90);
        self.cc_event.ecn.next = self.outlet.down.data.val().get_bit(410);
        self.cc_event.bytes.next = self.outlet.down.data.val().get_bits::<32>(58);
        // nobody keeps when each packet left
        self.cc_event.sent_at.next = self.now.val();
        self.cc_event.now.next = self.now.val();
    }
}
