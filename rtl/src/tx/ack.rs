//! Acknowledgements, negative acknowledgements, READ echoes and congestion notifications: frames of one or two beats, one every two clocks.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 7 | [`TxHeader`] |
//! | 7 | header whole, INT in its midst |
//! | 8, 9 | its beats |
//! | 8 - 10 | [`FrameBytes`] |
//! | 9 - 25 | [`IcrcAppend`] |

use super::append::IcrcAppend;
use super::frame_bytes::FrameBytes;
use super::header::TxHeader;
use super::Beat;
use crate::nic::words::{AckSend, Context};
use crate::prim::delay::Delay;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, W};
use crate::prim::word::{bit_cast_bus, bit_cast_word, bits_zero};
use crate::words::ack::{
    AckBehind, AckBehindInt0, AckBehindInt1, AckBehindInt2, AckBehindInt3, AckBehindInt4, AckBehindInt5,
    AckFrameHeaders, AckHeaders, AckPlan,
};
use crate::words::transport::AckSend as Ack;
use crate::words::tx::{FrameNote, TypeOfService};
use crate::words::wire::{BaseTransportHeader, IntStack};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Builder of frames without payload.
#[block]
pub struct AckBuilder {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high for at least 32 clocks.
    pub reset: Signal<In, Bit>,
    /// A context is written.
    pub context_write: Signal<In, Bit>,
    /// Its queue pair.
    pub context_qp: Signal<In, U<8>>,
    /// It.
    pub context_data: Signal<In, Context>,
    /// Register: own Ethernet address, first byte in the highest bits.
    pub own_mac: Signal<In, U<48>>,
    /// Register: own IPv4 address.
    pub own_ip: Signal<In, U<32>>,
    /// Register: UDP port of plain RoCEv2.
    pub port_roce: Signal<In, U<16>>,
    /// Register: UDP port of INT echoed.
    pub port_echo: Signal<In, U<16>>,
    /// Register: partition key.
    pub pkey: Signal<In, U<16>>,
    /// Register: DSCP.
    pub dscp: Signal<In, U<6>>,
    /// Register: DSCP of congestion notifications.
    pub cnp_dscp: Signal<In, U<6>>,
    /// Register: time to live.
    pub ttl: Signal<In, U<8>>,
    /// What is to be sent; an item whose queue pair is gone or of another generation is dropped. With INT it goes to the echo port.
    pub ack: StreamIn<AckSend>,
    /// Pulse: a congestion notification is being built.
    pub notified: Signal<Out, Bit>,
    /// Frames.
    pub frame: StreamOut<Beat>,
    busy: DFF<Bit>,
    take: Signal<Local, Bit>,
    word: Signal<Local, Ack>,
    header: TxHeader,
    service: Signal<Local, TypeOfService>,
    transport: Signal<Local, BaseTransportHeader>,
    notified_8: DFF<Bit>,
    given: Signal<Local, U<6>>,
    given_code: Signal<Local, U<3>>,
    plan: Signal<Local, AckPlan>,
    beside: Delay<AckPlan, 7>,
    // 7
    old: Signal<Local, AckPlan>,
    headers: Signal<Local, AckHeaders>,
    int_bytes: Signal<Local, U<6>>,
    code: Signal<Local, U<3>>,
    stack: Signal<Local, IntStack>,
    plain: Signal<Local, AckBehind>,
    int_0: Signal<Local, AckBehindInt0>,
    int_1: Signal<Local, AckBehindInt1>,
    int_2: Signal<Local, AckBehindInt2>,
    int_3: Signal<Local, AckBehindInt3>,
    int_4: Signal<Local, AckBehindInt4>,
    int_5: Signal<Local, AckBehindInt5>,
    behind: Signal<Local, W<496, 8>>,
    header_8: DFF<AckFrameHeaders>,
    short_8: DFF<U<32>>,
    code_8: DFF<U<3>>,
    tail_8: DFF<U<7>>,
    valid_8: DFF<Bit>,
    spill: Signal<Local, Bit>,
    second: DFF<Bit>,
    bytes: FrameBytes,
    valid_9: DFF<Bit>,
    number_9: DFF<U<2>>,
    last_9: DFF<Bit>,
    spill_9: DFF<Bit>,
    tail_9: DFF<U<7>>,
    outer_9: DFF<W<336, 6>>,
    short_9: DFF<U<32>>,
    code_9: DFF<U<3>>,
    append: IcrcAppend<6, 28>,
}

#[kernel]
impl Logic for AckBuilder {
    fn update(&mut self) {
        self.append.reset.next = self.reset.val();
        inputs!(
            header,
            context_write,
            context_qp,
            context_data,
            own_mac,
            own_ip,
            port_roce
        );
        self.header.port_int.next = self.port_echo.val();
        inputs!(header, port_echo, pkey, ttl);

        // 0: every second clock, so that each has room for two beats
        self.word.next = bit_cast_word::<Ack, AckSend>(self.ack.data.val());
        self.ack.ready.next = !self.busy.q.val() & !self.append.crowded.val();
        self.take.next = self.ack.valid.val() & !self.busy.q.val() & !self.append.crowded.val();
        self.busy.d.next = self.take.val();
        self.header.qp.next = self.word.val().qp;
        self.header.generation.next = self.word.val().generation;
        self.header.psn.next = self.word.val().psn;
        self.header.ack_req.next = false;
        self.header.pad.next = bits_u::<2>(0);
        self.header.echoes.next = true;
        self.header.int_given.next = self.word.val().int_length;
        if self.word.val().echo {
            self.header.opcode.next = bits_u::<8>(0xd1);
            self.header.body.next = bits_u::<13>(4);
        } else {
            self.header.opcode.next = bits_u::<8>(0x11);
            self.header.body.next = bits_u::<13>(8);
        }
        self.service.next = bits_zero::<TypeOfService>(0);
        self.service.next.dscp = self.dscp.val();
        if self.word.val().notifies {
            self.header.opcode.next = bits_u::<8>(0x81);
            self.header.psn.next = bits_u::<24>(0);
            self.header.int_given.next = bits_u::<6>(0);
            // sixteen zero bytes and ICRC
            self.header.body.next = bits_u::<13>(20);
            self.service.next.dscp = self.cnp_dscp.val();
        }
        self.header.service.next = self.service.val();
        self.given.next = self.word.val().int_length;
        self.given_code.next = bits_u::<3>(0);
        if self.given.val() != 0 {
            self.given_code.next = bit_cast_u::<3, 6>((self.given.val() + 6) >> 3);
        }
        self.plan.next.taken = self.take.val();
        self.plan.next.echo = self.word.val().echo;
        self.plan.next.notifies = self.word.val().notifies;
        self.plan.next.syndrome = self.word.val().syndrome;
        self.plan.next.msn = self.word.val().msn;
        self.plan.next.int_length = self.word.val().int_length;
        self.plan.next.int_stack = self.word.val().int_stack;
        self.plan.next.int_code = self.given_code.val();
        self.beside.d.next = self.plan.val();

        // 7: BTH and AETH move up behind INT
        self.old.next = self.beside.q.val();
        self.int_bytes.next = self.old.val().int_length;
        self.code.next = self.old.val().int_code;
        self.headers.next = bits_zero::<AckHeaders>(0);
        self.headers.next.bth = self.header.bth.val();
        if !self.old.val().echo {
            self.headers.next.syndrome = self.old.val().syndrome;
            self.headers.next.msn = self.old.val().msn;
        }
        // of a notification the flags are zero, backward congestion notification is set, zeros follow
        self.transport.next = bit_cast_word::<BaseTransportHeader, W<96, 2>>(self.header.bth.val());
        self.transport.next.migrated = false;
        self.transport.next.pad = bits_u::<2>(0);
        self.transport.next.becn = true;
        if self.old.val().notifies {
            self.headers.next = bits_zero::<AckHeaders>(0);
            self.headers.next.bth = bit_cast_bus::<96, 2, BaseTransportHeader>(self.transport.val());
        }
        self.stack.next = bit_cast_word::<IntStack, W<336, 6>>(self.old.val().int_stack);
        self.plain.next = bits_zero::<AckBehind>(0);
        self.plain.next.headers = self.headers.val();
        self.behind.next = bit_cast_bus::<496, 8, AckBehind>(self.plain.val());
        self.int_0.next = bits_zero::<AckBehindInt0>(0);
        self.int_0.next.headers = self.headers.val();
        self.int_0.next.int_header = self.stack.val().header;
        if self.code.val() == 1 {
            self.behind.next = bit_cast_bus::<496, 8, AckBehindInt0>(self.int_0.val());
        }
        self.int_1.next = bits_zero::<AckBehindInt1>(0);
        self.int_1.next.headers = self.headers.val();
        self.int_1.next.int_header = self.stack.val().header;
        self.int_1.next.hop_1 = self.stack.val().hop_1;
        if self.code.val() == 2 {
            self.behind.next = bit_cast_bus::<496, 8, AckBehindInt1>(self.int_1.val());
        }
        self.int_2.next = bits_zero::<AckBehindInt2>(0);
        self.int_2.next.headers = self.headers.val();
        self.int_2.next.int_header = self.stack.val().header;
        self.int_2.next.hop_1 = self.stack.val().hop_1;
        self.int_2.next.hop_2 = self.stack.val().hop_2;
        if self.code.val() == 3 {
            self.behind.next = bit_cast_bus::<496, 8, AckBehindInt2>(self.int_2.val());
        }
        self.int_3.next = bits_zero::<AckBehindInt3>(0);
        self.int_3.next.headers = self.headers.val();
        self.int_3.next.int_header = self.stack.val().header;
        self.int_3.next.hop_1 = self.stack.val().hop_1;
        self.int_3.next.hop_2 = self.stack.val().hop_2;
        self.int_3.next.hop_3 = self.stack.val().hop_3;
        if self.code.val() == 4 {
            self.behind.next = bit_cast_bus::<496, 8, AckBehindInt3>(self.int_3.val());
        }
        self.int_4.next = bits_zero::<AckBehindInt4>(0);
        self.int_4.next.headers = self.headers.val();
        self.int_4.next.int_header = self.stack.val().header;
        self.int_4.next.hop_1 = self.stack.val().hop_1;
        self.int_4.next.hop_2 = self.stack.val().hop_2;
        self.int_4.next.hop_3 = self.stack.val().hop_3;
        self.int_4.next.hop_4 = self.stack.val().hop_4;
        if self.code.val() == 5 {
            self.behind.next = bit_cast_bus::<496, 8, AckBehindInt4>(self.int_4.val());
        }
        self.int_5.next = bits_zero::<AckBehindInt5>(0);
        self.int_5.next.headers = self.headers.val();
        self.int_5.next.int_header = self.stack.val().header;
        self.int_5.next.hop_1 = self.stack.val().hop_1;
        self.int_5.next.hop_2 = self.stack.val().hop_2;
        self.int_5.next.hop_3 = self.stack.val().hop_3;
        self.int_5.next.hop_4 = self.stack.val().hop_4;
        self.int_5.next.hop_5 = self.stack.val().hop_5;
        if self.code.val() == 6 {
            self.behind.next = bit_cast_bus::<496, 8, AckBehindInt5>(self.int_5.val());
        }
        self.notified_8.d.next = self.old.val().taken & self.header.alive.val() & self.old.val().notifies;
        self.notified.next = self.notified_8.q.val();
        self.valid_8.d.next = self.old.val().taken & self.header.alive.val();
        if self.old.val().taken {
            self.header_8.d.next.outer = self.header.outer.val();
            self.header_8.d.next.behind = self.behind.val();
            self.short_8.d.next = self.header.icrc_lengths.val();
            self.code_8.d.next = self.code.val();
            self.tail_8.d.next = bit_cast_u::<7, 6>(self.int_bytes.val()) + 58;
            if self.old.val().echo {
                self.tail_8.d.next = bit_cast_u::<7, 6>(self.int_bytes.val()) + 54;
            }
            if self.old.val().notifies {
                self.tail_8.d.next = bits_u::<7>(70);
            }
        }

        // 8: the first beat, a clock later the second
        self.spill.next = self.tail_8.q.val() > 60;
        self.second.d.next = self.valid_8.q.val() & self.spill.val();
        self.bytes.enable.next = true;
        self.bytes.number.next = bit_cast_u::<2, 1>(bit_cast_b(self.second.q.val()));
        self.bytes.header.next = bit_cast_bus::<832, 13, AckFrameHeaders>(self.header_8.q.val());
        self.bytes.payload.next = bit_cast_w::<512, 8, 1>(bits_u::<1>(0));
        self.bytes.count.next = bits_u::<7>(0);
        self.bytes.code.next = bits_u::<3>(0);
        self.valid_9.d.next = self.valid_8.q.val() | self.second.q.val();
        self.number_9.d.next = bit_cast_u::<2, 1>(bit_cast_b(self.second.q.val()));
        self.last_9.d.next = self.second.q.val() | !self.spill.val();
        self.spill_9.d.next = self.spill.val();
        self.tail_9.d.next = self.tail_8.q.val();
        self.outer_9.d.next = self.header_8.q.val().outer;
        self.short_9.d.next = self.short_8.q.val();
        self.code_9.d.next = self.code_8.q.val();
        self.append.valid.next = self.valid_9.q.val();
        self.append.number.next = self.number_9.q.val();
        self.append.last.next = self.last_9.q.val();
        self.append.penultimate.next = !self.last_9.q.val();
        self.append.spill.next = self.spill_9.q.val();
        self.append.tail.next = self.tail_9.q.val();
        self.append.outer.next = self.outer_9.q.val();
        self.append.icrc_lengths.next = self.short_9.q.val();
        self.append.int_code.next = self.code_9.q.val();
        self.append.bad.next = false;
        self.append.note.next = bits_zero::<FrameNote>(0);
        self.append.data.next = self.bytes.q.val();
        self.frame.data.next = self.append.down.data.val();
        self.frame.valid.next = self.append.down.valid.val();
        self.append.down.ready.next = self.frame.ready.val();

        if self.reset.val() {
            self.busy.d.next = true;
            self.valid_8.d.next = false;
            self.notified_8.d.next = false;
            self.second.d.next = false;
            self.valid_9.d.next = false;
        }
    }
}
