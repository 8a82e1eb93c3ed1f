//! From the place of a PSN in its message to the packet, its memory job and what the scheduler hears of it.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | inputs | bytes before the packet: place x MTU |
//! | 1 | `bytes_before` | address; bytes of the message from here on |
//! | 2 | `address`, `left` | payload; extension |
//! | 3 | `length`, `extension` | the words; what a full packet has more than the payload, and the payload |
//! | 4 | packet and job in their FIFOs | bytes on the wire less than a full packet |
//! | 5 | feedback in its FIFO | a READ request has two feedbacks, the second one clock later |
//!
//! Nothing stops on the way: who feeds it looks at `room` first, and not more often than every second clock.

use crate::nic::words::{DmaJob, TxPacket};
use crate::prim::delay::Delay;
use crate::prim::fifo::StreamFifo;
use crate::prim::skid::StreamOut;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
use crate::sched::ports::FeedbackOut;
use crate::words::dma::DmaJob as Job;
use crate::words::flows::QpFlow;
use crate::words::transport::{ExtensionKind, TxPacket as Packet};
use crate::words::tx::{FeedbackFrom, GrantFeedback};
use crate::words::wire::{AckHeader, Extension, RdmaHeader};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Codes of [`Form::form`].
pub mod code {
    /// Nothing leaves; the scheduler gets the bytes of a full packet back.
    pub const VOID: u64 = 0;
    /// WRITE packet.
    pub const WRITE: u64 = 1;
    /// READ request.
    pub const READ: u64 = 2;
    /// READ response.
    pub const RESPONSE: u64 = 3;
}

/// Forms packets.
#[block]
pub struct Form {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Register: wire bytes of a packet beside its payload, as the scheduler charges them.
    pub overhead: Signal<In, U<10>>,
    /// Clock 0: a grant.
    pub valid: Signal<In, Bit>,
    /// What becomes of it, one of [`code`].
    pub form: Signal<In, U<2>>,
    /// Flow.
    pub flow: Signal<In, U<9>>,
    /// Generation.
    pub generation: Signal<In, U<8>>,
    /// PSN.
    pub psn: Signal<In, U<24>>,
    /// Place of the PSN in its message.
    pub place: Signal<In, U<24>>,
    /// Last packet of its message.
    pub last: Signal<In, Bit>,
    /// Acknowledge request.
    pub ack_req: Signal<In, Bit>,
    /// One past the last PSN of the message.
    pub end_psn: Signal<In, U<24>>,
    /// Address that the place counts from: local, of a READ request remote.
    pub base: Signal<In, U<64>>,
    /// Remote address of the message.
    pub remote: Signal<In, U<64>>,
    /// Remote key; of READ responses their MSN.
    pub key: Signal<In, U<32>>,
    /// Tag of the READ that is answered.
    pub tag: Signal<In, U<2>>,
    /// Bytes of the message.
    pub total: Signal<In, U<32>>,
    /// MTU code.
    pub mtu: Signal<In, U<3>>,
    /// The queue pair collects INT.
    pub int_on: Signal<In, Bit>,
    /// Room for four more.
    pub room: Signal<Out, Bit>,
    /// Packets.
    pub packet: StreamOut<TxPacket>,
    /// Payload to fetch, in the order of the packets that have some.
    pub job: StreamOut<DmaJob>,
    /// To the scheduler.
    pub feedback: FeedbackOut,
    bytes_before: DFF<U<36>>,
    base_1: DFF<U<64>>,
    total_1: DFF<U<32>>,
    remaining: Signal<Local, U<37>>,
    address: DFF<U<64>>,
    left: DFF<U<32>>,
    address_3: DFF<U<64>>,
    payload: Signal<Local, U<32>>,
    length: DFF<U<13>>,
    extension: DFF<W<128, 2>>,
    extension_kind: DFF<ExtensionKind>,
    reth: Signal<Local, RdmaHeader>,
    aeth: Signal<Local, AckHeader>,
    answer: Signal<Local, Extension>,
    half: Signal<Local, QpFlow>,
    opcode: DFF<U<8>>,
    full_3: DFF<U<13>>,
    place_2: Delay<U<24>, 2>,
    remote_2: Delay<U<64>, 2>,
    key_2: Delay<U<32>, 2>,
    total_2: DFF<U<32>>,
    mtu_2: Delay<U<3>, 2>,
    last_2: Delay<Bit, 2>,
    last_3: DFF<Bit>,
    form_2: Delay<U<2>, 2>,
    form_3: DFF<U<2>>,
    valid_3: Delay<Bit, 3>,
    ack_req_3: Delay<Bit, 3>,
    int_on_3: Delay<Bit, 3>,
    psn_3: Delay<U<24>, 3>,
    end_3: Delay<U<24>, 3>,
    flow_3: Delay<U<9>, 3>,
    generation_3: Delay<U<8>, 3>,
    tag_3: Delay<U<2>, 3>,
    full: Signal<Local, U<13>>,
    first: Signal<Local, Bit>,
    /// Two's complement.
    beside: Signal<Local, U<24>>,
    valid_4: DFF<Bit>,
    form_4: DFF<U<2>>,
    word_4: DFF<Packet>,
    job_4: DFF<Job>,
    has_payload: DFF<Bit>,
    allowed_4: DFF<U<24>>,
    padded_4: DFF<U<13>>,
    end_4: DFF<U<24>>,
    from_4: DFF<FeedbackFrom>,
    valid_5: DFF<Bit>,
    advances_5: DFF<Bit>,
    spared_5: DFF<U<24>>,
    end_5: DFF<U<24>>,
    from_5: DFF<FeedbackFrom>,
    again: DFF<Bit>,
    spared_6: DFF<U<24>>,
    from_6: DFF<FeedbackFrom>,
    packets: StreamFifo<TxPacket, 6, 56>,
    jobs: StreamFifo<DmaJob, 3, 3>,
    feedbacks: StreamFifo<GrantFeedback, 4, 6>,
}

#[kernel]
impl Logic for Form {
    fn update(&mut self) {
        inputs!([packets, jobs, feedbacks]: reset);
        self.room.next = !self.packets.crowded.val() & !self.jobs.crowded.val() & !self.feedbacks.crowded.val();
        self.place_2.d.next = self.place.val();
        self.remote_2.d.next = self.remote.val();
        self.key_2.d.next = self.key.val();
        self.mtu_2.d.next = self.mtu.val();
        self.last_2.d.next = self.last.val();
        self.form_2.d.next = self.form.val();
        self.valid_3.d.next = self.valid.val();
        self.ack_req_3.d.next = self.ack_req.val();
        self.int_on_3.d.next = self.int_on.val();
        self.psn_3.d.next = self.psn.val();
        self.end_3.d.next = self.end_psn.val();
        self.flow_3.d.next = self.flow.val();
        self.generation_3.d.next = self.generation.val();
        self.tag_3.d.next = self.tag.val();

        // 0
        self.bytes_before.d.next = (bit_cast_u::<36, 24>(self.place.val()) << 8) << self.mtu.val();
        assign!(base_1.d = base, total_1.d = total);

        // 1
        self.address.d.next = self.base_1.q.val() + bit_cast_u::<64, 36>(self.bytes_before.q.val());
        self.remaining.next =
            bit_cast_u::<37, 32>(self.total_1.q.val()) - bit_cast_u::<37, 36>(self.bytes_before.q.val());
        self.left.d.next = bit_cast_u::<32, 37>(self.remaining.val());
        if self.remaining.val().get_bit(36) {
            self.left.d.next = bits_u::<32>(0);
        }
        self.total_2.d.next = self.total_1.q.val();

        // 2: payload; a READ request has none
        self.full.next = bits_u::<13>(4096);
        if self.mtu_2.q.val() == 0 {
            self.full.next = bits_u::<13>(256);
        }
        if self.mtu_2.q.val() == 1 {
            self.full.next = bits_u::<13>(512);
        }
        if self.mtu_2.q.val() == 2 {
            self.full.next = bits_u::<13>(1024);
        }
        if self.mtu_2.q.val() == 3 {
            self.full.next = bits_u::<13>(2048);
        }
        assign!(full_3.d = full, payload = left);
        if self.left.q.val() > bit_cast_u::<32, 13>(self.full.val()) {
            self.payload.next = bit_cast_u::<32, 13>(self.full.val());
        }
        self.length.d.next = bit_cast_u::<13, 32>(self.payload.val());
        assign!(address_3.d = address, last_3.d = last_2.q, form_3.d = form_2.q);
        self.first.next = !self.place_2.q.val().any();
        self.extension_kind.d.next = ExtensionKind::None;
        fields!(reth: length = total_2, key = key_2.q, address = remote_2.q);
        if self.form_2.q.val() == 2 {
            // what is left of the READ
            fields!(reth: length = left, address);
        }
        self.aeth.next.msn = bit_cast_u::<24, 32>(self.key_2.q.val());
        self.aeth.next.syndrome = bits_u::<8>(0x1f);
        self.answer.next = bits_zero::<Extension>(0);
        self.answer.next.aeth = bit_cast_number::<32, AckHeader>(self.aeth.val());
        self.extension.d.next = bit_cast_bus::<128, 2, RdmaHeader>(self.reth.val());
        // First, Middle, Last, Only
        self.opcode.d.next = bits_u::<8>(0x07);
        if self.last_2.q.val() {
            self.opcode.d.next = bits_u::<8>(0x08);
        }
        if self.first.val() {
            self.extension_kind.d.next = ExtensionKind::Reth;
            self.opcode.d.next = bits_u::<8>(0x06);
            if self.last_2.q.val() {
                self.opcode.d.next = bits_u::<8>(0x0a);
            }
        }
        if self.form_2.q.val() == 2 {
            self.length.d.next = bits_u::<13>(0);
            self.opcode.d.next = bits_u::<8>(0x0c);
            self.extension_kind.d.next = ExtensionKind::Reth;
        }
        if self.form_2.q.val() == 3 {
            self.extension.d.next = bit_cast_bus::<128, 2, Extension>(self.answer.val());
            self.opcode.d.next = bits_u::<8>(0x0e);
            self.extension_kind.d.next = ExtensionKind::None;
            if self.last_2.q.val() {
                self.opcode.d.next = bits_u::<8>(0x0f);
                self.extension_kind.d.next = ExtensionKind::Aeth;
            }
            if self.first.val() {
                self.opcode.d.next = bits_u::<8>(0x0d);
                self.extension_kind.d.next = ExtensionKind::Aeth;
                if self.last_2.q.val() {
                    self.opcode.d.next = bits_u::<8>(0x10);
                }
            }
        }

        // 3: a full packet has a full payload and a full INT stack of 42 bytes and no extension
        self.padded_4.d.next = (self.length.q.val() + 3) & 0x1ffc;
        self.beside.next = bits_u::<24>(0);
        if self.extension_kind.q.val() == ExtensionKind::Reth {
            self.beside.next = bits_u::<24>(0xfffff0);
        }
        if self.extension_kind.q.val() == ExtensionKind::Aeth {
            self.beside.next = bits_u::<24>(0xfffffc);
        }
        if !self.int_on_3.q.val() {
            self.beside.next = bits_u::<24>(42);
            if self.extension_kind.q.val() == ExtensionKind::Reth {
                self.beside.next = bits_u::<24>(42 - 16);
            }
            if self.extension_kind.q.val() == ExtensionKind::Aeth {
                self.beside.next = bits_u::<24>(42 - 4);
            }
        }
        if self.form_3.q.val() == 0 {
            self.padded_4.d.next = bits_u::<13>(0);
            self.beside.next = bit_cast_u::<24, 10>(self.overhead.val());
        }
        self.allowed_4.d.next = bit_cast_u::<24, 13>(self.full_3.q.val()) + self.beside.val();
        self.valid_4.d.next = self.valid_3.q.val();
        self.form_4.d.next = self.form_3.q.val();
        self.end_4.d.next = self.end_3.q.val();
        self.has_payload.d.next = self.length.q.val().any() & (self.form_3.q.val() != 0);
        fields!(job_4.d: address = address_3, length);
        self.half.next = bit_cast_word::<QpFlow, U<16>>(bit_cast_u::<16, 9>(self.flow_3.q.val()));
        fields!(word_4.d:
            qp = half.qp, generation = generation_3.q, opcode, psn = psn_3.q, ack_req = ack_req_3.q, extension_kind,
            extension, length);
        self.word_4.d.next.ends_read = (self.form_3.q.val() == 3) & self.last_3.q.val();
        self.word_4.d.next.response = self.form_3.q.val() == 3;
        self.word_4.d.next.tag = self.tag_3.q.val();
        fields!(from_4.d: psn = psn_3.q, flow = flow_3.q, generation = generation_3.q);

        // 4
        self.packets.up.valid.next = self.valid_4.q.val() & (self.form_4.q.val() != 0);
        self.packets.up.data.next = bit_cast_bus::<196, 4, Packet>(self.word_4.q.val());
        self.jobs.up.valid.next = self.valid_4.q.val() & self.has_payload.q.val();
        self.jobs.up.data.next = bit_cast_bus::<77, 2, Job>(self.job_4.q.val());
        self.valid_5.d.next = self.valid_4.q.val();
        self.advances_5.d.next = self.form_4.q.val() == 2;
        self.spared_5.d.next = self.allowed_4.q.val() - bit_cast_u::<24, 13>(self.padded_4.q.val());
        advance!(end_5, from_5);

        // 5, and 6 for the bytes of a READ request
        self.again.d.next = self.valid_5.q.val() & self.advances_5.q.val();
        advance!(spared_6, from_6);
        self.feedbacks.up.valid.next =
            (self.valid_5.q.val() & (self.advances_5.q.val() | self.spared_5.q.val().any())) | self.again.q.val();
        self.feedbacks.up.data.next.from = self.from_5.q.val();
        self.feedbacks.up.data.next.value = self.spared_5.q.val();
        self.feedbacks.up.data.next.advance = false;
        if self.advances_5.q.val() {
            self.feedbacks.up.data.next.value = self.end_5.q.val();
            self.feedbacks.up.data.next.advance = true;
        }
        if self.again.q.val() {
            self.feedbacks.up.data.next.from = self.from_6.q.val();
            self.feedbacks.up.data.next.value = self.spared_6.q.val();
            self.feedbacks.up.data.next.advance = false;
        }
        StreamOut::<TxPacket>::link(&mut self.packet, &mut self.packets.down);
        StreamOut::<DmaJob>::link(&mut self.job, &mut self.jobs.down);
        self.feedback.valid.next = self.feedbacks.down.valid.val();
        self.feedbacks.down.ready.next = self.feedback.ready.val();
        self.feedback.psn.next = self.feedbacks.down.data.val().from.psn;
        self.feedback.flow.next = bit_cast_u::<16, 9>(self.feedbacks.down.data.val().from.flow);
        self.feedback.generation.next = self.feedbacks.down.data.val().from.generation;
        self.feedback.value.next = self.feedbacks.down.data.val().value;
        self.feedback.advance.next = self.feedbacks.down.data.val().advance;
    }
}
