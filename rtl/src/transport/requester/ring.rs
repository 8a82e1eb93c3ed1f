//! The messages of all queue pairs: the requester's own copy, and the bus that tells Select.

use super::store::OwnMessage;
use crate::nic::words::{Message, Work};
use crate::prim::ram::Ram;
use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Rings of 16 messages.
#[block]
pub struct Ring {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Queue pair.
    pub qp: Signal<In, U<8>>,
    /// Place to read.
    pub place: Signal<In, U<5>>,
    /// The message there, one clock later; a message written in the clock of the read or before shows.
    pub message: Signal<Out, OwnMessage>,
    /// A message is made in this clock; it is written in the next.
    pub push: Signal<In, Bit>,
    /// Its place.
    pub tail: Signal<In, U<5>>,
    /// Its work request.
    pub work: Signal<In, Work>,
    /// Its first PSN.
    pub start: Signal<In, U<24>>,
    /// One past its last.
    pub finish: Signal<In, U<24>>,
    /// The work request ends with it.
    pub last: Signal<In, Bit>,
    /// Generation.
    pub generation: Signal<In, U<8>>,
    /// Local address.
    pub local_address: Signal<In, U<64>>,
    /// Remote address.
    pub remote_address: Signal<In, U<64>>,
    /// Bytes.
    pub length: Signal<In, U<32>>,
    /// Bus: a message is written.
    pub bus_valid: Signal<Out, Bit>,
    /// Bus: queue pair 11:4, place 3:0.
    pub bus_address: Signal<Out, U<12>>,
    /// Bus: the message.
    pub bus_data: Signal<Out, Message>,
    memory: Ram<OwnMessage, 12>,
    valid: DFF<Bit>,
    address: DFF<U<12>>,
    data: DFF<Message>,
}

#[kernel]
impl Logic for Ring {
    fn update(&mut self) {
        self.memory.raddr.next =
            bit_cast_u::<12, 4>(self.place.val().get_bits::<4>(0)) | (bit_cast_u::<12, 8>(self.qp.val()) << 4);
        self.message.next = self.memory.rdata.val();
        self.valid.d.next = self.push.val();
        self.address.d.next =
            bit_cast_u::<12, 4>(self.tail.val().get_bits::<4>(0)) | (bit_cast_u::<12, 8>(self.qp.val()) << 4);
        self.data.d.next = bit_cast_w::<384, 6, 24>(self.start.val())
            | (bit_cast_w::<384, 6, 24>(self.finish.val()) << 24)
            | (bit_cast_w::<384, 6, 1>(self.work.val().get_bits::<1>(88)) << 48)
            | (bit_cast_w::<384, 6, 1>(bit_cast_b(self.last.val())) << 49)
            | (bit_cast_w::<384, 6, 8>(self.generation.val()) << 50)
            | (bit_cast_w::<384, 6, 64>(self.local_address.val()) << 58)
            | (bit_cast_w::<384, 6, 64>(self.remote_address.val()) << 122)
            | (bit_cast_w::<384, 6, 32>(self.work.val().get_bits::<32>(256)) << 186)
            | (bit_cast_w::<384, 6, 32>(self.length.val()) << 218)
            | (bit_cast_w::<384, 6, 64>(self.work.val().get_bits::<64>(0)) << 250)
            | (bit_cast_w::<384, 6, 32>(self.work.val().get_bits::<32>(288)) << 314);
        self.bus_valid.next = self.valid.q.val();
        self.bus_address.next = self.address.q.val();
        self.bus_data.next = self.data.q.val();
        self.memory.we.next = self.valid.q.val();
        self.memory.waddr.next = self.address.q.val();
        self.memory.wdata.next = bit_cast_w::<242, 4, 50>(self.data.q.val().get_bits::<50>(0))
            | (bit_cast_w::<242, 4, 64>(self.data.q.val().get_bits::<64>(58)) << 50)
            | (bit_cast_ww::<242, 4, 384, 6>(self.data.q.val() >> 218) << 114);
    }
}
