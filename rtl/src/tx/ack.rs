//! Acknowledgements, negative acknowledgements, READ echoes, probes, answers to them, congestion notifications and READ requests: headers of frames of one or two
//! beats, one every two clocks.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 7 | [`TxHeader`] |
//! | 6 | whether a first beat comes, two clocks later |
//! | 7 | header whole, INT in its midst; whether a second beat comes |
//! | 8, 9 | its beats |

use super::header::TxHeader;
use crate::prim::delay::Delay;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_word, bits_zero};
use crate::words::ack::{
    AckBehind, AckBehindInt0, AckBehindInt1, AckBehindInt2, AckBehindInt3, AckBehindInt4, AckBehindInt5,
    AckFrameHeaders, AckHeaders, AckPlan, RequestBehind, RequestExtension,
};
use crate::words::context::QpContext;
use crate::words::transport::{AckKind, AckSend};
use crate::words::tx::{AckEnd, CollectingHeaders, FrameNote, FrameSettings, PlainHeaders, ReadSend, TypeOfService};
use crate::words::wire::{BaseTransportHeader, Extension, IcrcLengths, IntStack, Opcode};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Beats of frames without payload that do not stand in the order of data packets. They cannot be held up: who takes an item has room for its frame.
#[block]
pub struct AckBeats {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high for at least 32 clocks.
    pub reset: Signal<In, Bit>,
    /// A context is written.
    pub context_write: Signal<In, Bit>,
    /// Queue pair whose context is written.
    pub context_qp: Signal<In, U<8>>,
    /// Context that is written.
    pub context_data: Signal<In, QpContext>,
    /// Registers that frames are made by.
    pub settings: Signal<In, FrameSettings>,
    /// What is to be sent, except for READ requests; an item whose queue pair is gone or of another generation is dropped. With INT it goes to the echo port, a probe to the one on which INT is collected.
    pub ack: StreamIn<AckSend>,
    /// READ requests, in turns with the others; dropped likewise.
    pub read: StreamIn<ReadSend>,
    /// Pulse: a congestion notification is being built.
    pub notified: Signal<Out, Bit>,
    /// No item is taken.
    pub crowded: Signal<In, Bit>,
    /// 6: a beat comes in the clock after the next.
    pub comes_next: Signal<Out, Bit>,
    /// 7: a beat comes in the next clock.
    pub comes: Signal<Out, Bit>,
    /// 7: it is the second one, in the clock behind the first.
    pub comes_second: Signal<Out, Bit>,
    /// 8: the beat is the second one.
    pub second: Signal<Out, Bit>,
    /// 8: it is the last.
    pub last: Signal<Out, Bit>,
    /// 8: headers, first byte in the highest bits, zero behind their end.
    pub headers: Signal<Out, W<832, 13>>,
    /// 8: where the frame ends and what its ICRC covers.
    pub frame_end: Signal<Out, AckEnd>,
    #[registers(Bit:
        /// A frame of one or two beats was taken a clock ago, so that none is taken in this clock.
        busy,
        /// READ requests go before acknowledgements this time.
        read_next,
        /// Clock 8: the frame is a congestion notification.
        notified_8)]
    #[signals(Bit: free, picks_read, given_spill)]
    header: TxHeader,
    beside: Delay<AckPlan, 7>,
    taken_6: Delay<Bit, 6>,
    take: Signal<Local, Bit>,
    #[signals(AckSend: given_word, word)]
    asked: Signal<Local, ReadSend>,
    #[signals(RequestExtension: extension, old_extension)]
    note: Signal<Local, FrameNote>,
    service: Signal<Local, TypeOfService>,
    transport: Signal<Local, BaseTransportHeader>,
    given: Signal<Local, U<6>>,
    given_code: Signal<Local, U<3>>,
    plan: Signal<Local, AckPlan>,
    // 7
    #[registers(Bit:
        /// Clock 7: first beat of a frame.
        begins_7,
        /// Clock 8: the frame has a second beat.
        goes_on_8,
        /// Clock 8: second beat of a frame.
        second_8)]
    #[signals(Bit: begins, goes_on)]
    old: Signal<Local, AckPlan>,
    headers_behind: Signal<Local, AckHeaders>,
    int_bytes: Signal<Local, U<6>>,
    /// End of what the ICRC covers, unless it is a READ request.
    ack_tail: Signal<Local, U<7>>,
    code: Signal<Local, U<3>>,
    stack: Signal<Local, IntStack>,
    plain: Signal<Local, AckBehind>,
    int_0: Signal<Local, AckBehindInt0>,
    int_1: Signal<Local, AckBehindInt1>,
    int_2: Signal<Local, AckBehindInt2>,
    int_3: Signal<Local, AckBehindInt3>,
    int_4: Signal<Local, AckBehindInt4>,
    int_5: Signal<Local, AckBehindInt5>,
    request_plain: Signal<Local, PlainHeaders>,
    request_int: Signal<Local, CollectingHeaders>,
    request_behind: Signal<Local, RequestBehind>,
    #[signals(Bit: is_request, has_int)]
    behind: Signal<Local, W<496, 8>>,
    /// Clock 8: headers of the frame.
    header_8: DFF<AckFrameHeaders>,
    end_7: Signal<Local, AckEnd>,
    /// Clock 8: where the frame and what its ICRC covers end.
    end_8: DFF<AckEnd>,
}

#[kernel]
impl Logic for AckBeats {
    fn update(&mut self) {
        inputs!(header: context_write, context_qp, context_data, settings);

        // 0: every second clock, so that each has room for two beats
        picks_read = read.valid & (read_next | !ack.valid);
        free = !busy & !crowded;
        ack.ready = free & !picks_read;
        read.ready = free & picks_read;
        take = (ack.valid | read.valid) & free;
        busy = take;
        if take {
            read_next = !picks_read;
        }
        assign!(given_word = ack.data, word = given_word, asked = read.data);
        extension = bit_cast_word::<RequestExtension, W<336, 6>>(given_word.int_stack);
        if picks_read {
            word.kind = AckKind::ReadRequest;
            fields!(word from asked: qp, generation, psn);
            word.int_length = bits_u::<6>(0);
            extension.reth = asked.reth;
        }
        word.int_stack = bit_cast_bus::<336, 6, RequestExtension>(extension);
        note = bits_zero::<FrameNote>(0);
        fields!(note from asked: qp, generation, psn, tag = departure_kind);
        inputs!(header from word: qp, generation, psn);
        header.ack_req = picks_read & asked.ack_req;
        header.pad = bits_u::<2>(0);
        header.echoes = true;
        header.int_given = word.int_length;
        // behind the BTH: the ICRC, and the AETH of an acknowledgement before it
        header.opcode = Opcode::Acknowledge;
        header.body = bits_u::<13>(8);
        if word.kind == AckKind::Echo {
            header.opcode = Opcode::ReadEcho;
            header.body = bits_u::<13>(4);
        }
        if word.kind == AckKind::ProbeResponse {
            header.opcode = Opcode::ProbeResponse;
            header.body = bits_u::<13>(4);
        }
        if word.kind == AckKind::Probe {
            header.opcode = Opcode::Probe;
            header.body = bits_u::<13>(4);
            header.echoes = false;
        }
        service = bits_zero::<TypeOfService>(0);
        service.dscp = settings.dscp;
        if word.kind == AckKind::Notification {
            header.opcode = Opcode::Cnp;
            header.psn = bits_u::<24>(0);
            header.int_given = bits_u::<6>(0);
            // sixteen zero bytes and ICRC
            header.body = bits_u::<13>(20);
            service.dscp = settings.cnp_dscp;
        }
        header.dscp_int = service.dscp;
        if picks_read {
            header.opcode = Opcode::ReadRequest;
            header.echoes = false;
            // RETH and ICRC
            header.body = bits_u::<13>(20);
            service.ecn = settings.ecn;
            header.dscp_int = settings.dscp_request;
        }
        header.service = service;
        given = word.int_length;
        given_code = if given != 0 { bit_cast_u::<3, 6>((given + 6) >> 3) } else { bits_u::<3>(0) };
        fields!(plan: taken = take);
        fields!(plan from word: kind, syndrome, msn, int_length, int_stack);
        // headers take 54 bytes, with an AETH 58; behind at most 60 the ICRC fits into the first beat
        given_spill = picks_read | (word.kind == AckKind::Notification) | (given > 6);
        if word.kind == AckKind::Acknowledgement {
            given_spill = given > 2;
        }
        fields!(plan: int_code = given_code, spill = given_spill, note);
        beside = plan;
        taken_6 = take;

        // 6: a clock before it is needed, because who makes beats of data waits for it
        begins = taken_6 & header.alive_next;
        begins_7 = begins;

        // 7: BTH and AETH move up behind INT
        old = beside;
        assign!(int_bytes = old.int_length, code = old.int_code);
        headers_behind = bits_zero::<AckHeaders>(0);
        headers_behind.bth = header.bth;
        if old.kind == AckKind::Acknowledgement {
            fields!(headers_behind from old: syndrome, msn);
        }
        // of a notification the flags are zero, backward congestion notification is set, zeros follow
        transport = bit_cast_word::<BaseTransportHeader, W<96, 2>>(header.bth);
        transport.migrated = false;
        transport.pad = bits_u::<2>(0);
        transport.becn = true;
        if old.kind == AckKind::Notification {
            headers_behind = bits_zero::<AckHeaders>(0);
            headers_behind.bth = bit_cast_bus::<96, 2, BaseTransportHeader>(transport);
        }
        stack = bit_cast_word::<IntStack, W<336, 6>>(old.int_stack);
        old_extension = bit_cast_word::<RequestExtension, W<336, 6>>(old.int_stack);
        plain = bits_zero::<AckBehind>(0);
        plain.headers = headers_behind;
        behind = bit_cast_bus::<496, 8, AckBehind>(plain);
        int_0 = bits_zero::<AckBehindInt0>(0);
        fields!(int_0: headers = headers_behind, int_header = stack.header);
        if code == 1 {
            behind = bit_cast_bus::<496, 8, AckBehindInt0>(int_0);
        }
        int_1 = bits_zero::<AckBehindInt1>(0);
        fields!(int_1: headers = headers_behind, int_header = stack.header, hop_1 = stack.hop_1);
        if code == 2 {
            behind = bit_cast_bus::<496, 8, AckBehindInt1>(int_1);
        }
        int_2 = bits_zero::<AckBehindInt2>(0);
        fields!(int_2: headers = headers_behind);
        fields!(int_2 from stack: int_header = header, hop_1, hop_2);
        if code == 3 {
            behind = bit_cast_bus::<496, 8, AckBehindInt2>(int_2);
        }
        int_3 = bits_zero::<AckBehindInt3>(0);
        fields!(int_3: headers = headers_behind);
        fields!(int_3 from stack: int_header = header, hop_1, hop_2, hop_3);
        if code == 4 {
            behind = bit_cast_bus::<496, 8, AckBehindInt3>(int_3);
        }
        int_4 = bits_zero::<AckBehindInt4>(0);
        fields!(int_4: headers = headers_behind);
        fields!(int_4 from stack: int_header = header, hop_1, hop_2, hop_3, hop_4);
        if code == 5 {
            behind = bit_cast_bus::<496, 8, AckBehindInt4>(int_4);
        }
        int_5 = bits_zero::<AckBehindInt5>(0);
        fields!(int_5: headers = headers_behind);
        fields!(int_5 from stack: int_header = header, hop_1, hop_2, hop_3, hop_4, hop_5);
        if code == 6 {
            behind = bit_cast_bus::<496, 8, AckBehindInt5>(int_5);
        }
        request_plain = bits_zero::<PlainHeaders>(0);
        request_plain.extension = bit_cast_word::<Extension, W<128, 2>>(old_extension.reth);
        request_plain.bth = header.bth;
        request_int = bits_zero::<CollectingHeaders>(0);
        fields!(request_int: extension = request_plain.extension, bth = header.bth);
        is_request = old.kind == AckKind::ReadRequest;
        has_int = header.int_bytes != 0;
        request_behind = bits_zero::<RequestBehind>(0);
        request_behind.headers = bit_cast_bus::<240, 4, PlainHeaders>(request_plain);
        if has_int {
            request_behind.headers = bit_cast_bus::<240, 4, CollectingHeaders>(request_int);
        }
        if is_request {
            behind = bit_cast_bus::<496, 8, RequestBehind>(request_behind);
        }
        end_7.icrc_lengths = bit_cast_word::<IcrcLengths, U<32>>(header.icrc_lengths);
        end_7.int_code = code;
        end_7.behind_int = (code != 0) & !(settings.echo_icrc_full & (old.kind != AckKind::Probe));
        ack_tail = bit_cast_u::<7, 6>(int_bytes) + 54;
        if old.kind == AckKind::Acknowledgement {
            ack_tail = bit_cast_u::<7, 6>(int_bytes) + 58;
        }
        if old.kind == AckKind::Notification {
            ack_tail = bits_u::<7>(70);
        }
        fields!(end_7 from old: spill, note);
        end_7.turns = is_request;
        end_7.tail = ack_tail;
        if is_request {
            // an empty INT header is two bytes
            end_7.int_code = bit_cast_u::<3, 1>(bit_cast_b(has_int));
            end_7.behind_int = has_int;
            end_7.tail = if has_int { bits_u::<7>(72) } else { bits_u::<7>(70) };
        }
        notified_8 = begins_7 & (old.kind == AckKind::Notification);
        notified = notified_8;
        if old.taken {
            fields!(header_8.d: outer = header.outer, behind);
            end_8 = end_7;
        }

        // 8: the first beat, a clock later the second
        goes_on = begins_7 & old.spill;
        goes_on_8 = goes_on;
        comes_next = begins | goes_on;
        second_8 = goes_on_8;
        comes = begins_7 | goes_on_8;
        comes_second = goes_on_8;
        second = second_8;
        last = second_8 | !end_8.spill;
        headers = bit_cast_bus::<832, 13, AckFrameHeaders>(header_8);
        frame_end = end_8;

        if reset {
            busy = true;
            clear!(read_next, begins_7, goes_on_8, notified_8, second_8);
        }
    }
}
