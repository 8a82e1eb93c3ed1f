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
use crate::words::tx::{BuiltBeat, TypeOfService};
use crate::words::wire::{BaseTransportHeader, IcrcLengths, IntStack, OuterHeaders};
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
    beat_9: DFF<BuiltBeat>,
    append: IcrcAppend<6, 28>,
}

#[kernel]
impl Logic for AckBuilder {
    fn update(&mut self) {
        self.append.reset.next = self.reset.val();
        inputs!(header: context_write, context_qp, context_data, own_mac, own_ip, port_roce);
        self.header.port_int.next = self.port_echo.val();
        inputs!(header: port_echo, pkey, ttl);

        // 0: every second clock, so that each has room for two beats
        self.word.next = bit_cast_word::<Ack, AckSend>(self.ack.data.val());
        self.ack.ready.next = !self.busy.q.val() & !self.append.crowded.val();
        self.take.next = self.ack.valid.val() & !self.busy.q.val() & !self.append.crowded.val();
        self.busy.d.next = self.take.val();
        inputs!(header from word: qp, generation, psn);
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
        fields!(plan: taken = take);
        fields!(plan from word: echo, notifies, syndrome, msn, int_length, int_stack);
        fields!(plan: int_code = given_code);
        self.beside.d.next = self.plan.val();

        // 7: BTH and AETH move up behind INT
        self.old.next = self.beside.q.val();
        assign!(int_bytes = old.int_length, code = old.int_code);
        self.headers.next = bits_zero::<AckHeaders>(0);
        self.headers.next.bth = self.header.bth.val();
        if !self.old.val().echo {
            fields!(headers from old: syndrome, msn);
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
        fields!(int_0: headers, int_header = stack.header);
        if self.code.val() == 1 {
            self.behind.next = bit_cast_bus::<496, 8, AckBehindInt0>(self.int_0.val());
        }
        self.int_1.next = bits_zero::<AckBehindInt1>(0);
        fields!(int_1: headers, int_header = stack.header, hop_1 = stack.hop_1);
        if self.code.val() == 2 {
            self.behind.next = bit_cast_bus::<496, 8, AckBehindInt1>(self.int_1.val());
        }
        self.int_2.next = bits_zero::<AckBehindInt2>(0);
        fields!(int_2: headers);
        fields!(int_2 from stack: int_header = header, hop_1, hop_2);
        if self.code.val() == 3 {
            self.behind.next = bit_cast_bus::<496, 8, AckBehindInt2>(self.int_2.val());
        }
        self.int_3.next = bits_zero::<AckBehindInt3>(0);
        fields!(int_3: headers);
        fields!(int_3 from stack: int_header = header, hop_1, hop_2, hop_3);
        if self.code.val() == 4 {
            self.behind.next = bit_cast_bus::<496, 8, AckBehindInt3>(self.int_3.val());
        }
        self.int_4.next = bits_zero::<AckBehindInt4>(0);
        fields!(int_4: headers);
        fields!(int_4 from stack: int_header = header, hop_1, hop_2, hop_3, hop_4);
        if self.code.val() == 5 {
            self.behind.next = bit_cast_bus::<496, 8, AckBehindInt4>(self.int_4.val());
        }
        self.int_5.next = bits_zero::<AckBehindInt5>(0);
        fields!(int_5: headers);
        fields!(int_5 from stack: int_header = header, hop_1, hop_2, hop_3, hop_4, hop_5);
        if self.code.val() == 6 {
            self.behind.next = bit_cast_bus::<496, 8, AckBehindInt5>(self.int_5.val());
        }
        self.notified_8.d.next = self.old.val().taken & self.header.alive.val() & self.old.val().notifies;
        self.notified.next = self.notified_8.q.val();
        self.valid_8.d.next = self.old.val().taken & self.header.alive.val();
        if self.old.val().taken {
            fields!(header_8.d: outer = header.outer, behind);
            assign!(short_8.d = header.icrc_lengths, code_8.d = code);
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
        self.beat_9.d.next = bits_zero::<BuiltBeat>(0);
        self.beat_9.d.next.number = bit_cast_u::<2, 1>(bit_cast_b(self.second.q.val()));
        self.beat_9.d.next.last = self.second.q.val() | !self.spill.val();
        self.beat_9.d.next.penultimate = self.spill.val() & !self.second.q.val();
        fields!(beat_9.d: spill, tail = tail_8);
        self.beat_9.d.next.outer = bit_cast_word::<OuterHeaders, W<336, 6>>(self.header_8.q.val().outer);
        self.beat_9.d.next.icrc_lengths = bit_cast_word::<IcrcLengths, U<32>>(self.short_8.q.val());
        self.beat_9.d.next.int_code = self.code_8.q.val();
        inputs!(append: valid = valid_9, beat = beat_9, data = bytes.q);
        outputs!(append: frame.data = down.data, frame.valid = down.valid);
        self.append.down.ready.next = self.frame.ready.val();

        if self.reset.val() {
            self.busy.d.next = true;
            clear!(valid_8, notified_8, second, valid_9);
        }
    }
}
