//! Acknowledgements, negative acknowledgements, READ echoes, probes, answers to them and congestion notifications: frames of one or two beats, one every two clocks.
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
use crate::prim::delay::Delay;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, W};
use crate::prim::word::{bit_cast_bus, bit_cast_word, bits_zero};
use crate::words::ack::{
    AckBehind, AckBehindInt0, AckBehindInt1, AckBehindInt2, AckBehindInt3, AckBehindInt4, AckBehindInt5,
    AckFrameHeaders, AckHeaders, AckPlan,
};
use crate::words::context::QpContext;
use crate::words::transport::{AckKind, AckSend};
use crate::words::tx::{BuiltBeat, FrameBeat, TypeOfService};
use crate::words::wire::{BaseTransportHeader, IcrcLengths, IntStack, Opcode, OuterHeaders};
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
    pub context_data: Signal<In, QpContext>,
    /// Register: own Ethernet address, first byte in the highest bits.
    pub own_mac: Signal<In, U<48>>,
    /// Register: own IPv4 address.
    pub own_ip: Signal<In, U<32>>,
    /// Register: UDP port of plain RoCEv2.
    pub port_roce: Signal<In, U<16>>,
    /// Register: UDP port of INT being collected.
    pub port_int: Signal<In, U<16>>,
    /// Register: UDP port of INT echoed.
    pub port_echo: Signal<In, U<16>>,
    /// Register: the ICRC of what echoes INT covers the INT too.
    pub echo_icrc_full: Signal<In, Bit>,
    /// Register: partition key.
    pub pkey: Signal<In, U<16>>,
    /// Register: DSCP.
    pub dscp: Signal<In, U<6>>,
    /// Register: DSCP of congestion notifications.
    pub cnp_dscp: Signal<In, U<6>>,
    /// Register: time to live.
    pub ttl: Signal<In, U<8>>,
    /// What is to be sent; an item whose queue pair is gone or of another generation is dropped. With INT it goes to the echo port, a probe to the one on which INT is collected.
    pub ack: StreamIn<AckSend>,
    /// Pulse: a congestion notification is being built.
    pub notified: Signal<Out, Bit>,
    /// Frames.
    pub frame: StreamOut<FrameBeat>,
    #[registers(Bit: busy, notified_8)]
    header: TxHeader,
    beside: Delay<AckPlan, 7>,
    take: Signal<Local, Bit>,
    word: Signal<Local, AckSend>,
    service: Signal<Local, TypeOfService>,
    transport: Signal<Local, BaseTransportHeader>,
    given: Signal<Local, U<6>>,
    given_code: Signal<Local, U<3>>,
    plan: Signal<Local, AckPlan>,
    // 7
    #[registers(Bit: valid_8, covered_8, second, valid_9)]
    bytes: FrameBytes,
    append: IcrcAppend<6, 28>,
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
    spill: Signal<Local, Bit>,
    beat_9: DFF<BuiltBeat>,
}

#[kernel]
impl Logic for AckBuilder {
    fn update(&mut self) {
        append.reset = reset;
        inputs!(header:
            context_write, context_qp, context_data, own_mac, own_ip, port_roce, port_int, port_echo, pkey, ttl,
            echo_icrc_full);

        // 0: every second clock, so that each has room for two beats
        word = ack.data;
        ack.ready = !busy & !append.crowded;
        take = ack.valid & !busy & !append.crowded;
        busy = take;
        inputs!(header from word: qp, generation, psn);
        header.ack_req = false;
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
        service.dscp = dscp;
        if word.kind == AckKind::Notification {
            header.opcode = Opcode::Cnp;
            header.psn = bits_u::<24>(0);
            header.int_given = bits_u::<6>(0);
            // sixteen zero bytes and ICRC
            header.body = bits_u::<13>(20);
            service.dscp = cnp_dscp;
        }
        header.service = service;
        header.dscp_int = service.dscp;
        given = word.int_length;
        given_code = if given != 0 { bit_cast_u::<3, 6>((given + 6) >> 3) } else { bits_u::<3>(0) };
        fields!(plan: taken = take);
        fields!(plan from word: kind, syndrome, msn, int_length, int_stack);
        fields!(plan: int_code = given_code);
        beside = plan;

        // 7: BTH and AETH move up behind INT
        old = beside;
        assign!(int_bytes = old.int_length, code = old.int_code);
        headers = bits_zero::<AckHeaders>(0);
        headers.bth = header.bth;
        if old.kind == AckKind::Acknowledgement {
            fields!(headers from old: syndrome, msn);
        }
        // of a notification the flags are zero, backward congestion notification is set, zeros follow
        transport = bit_cast_word::<BaseTransportHeader, W<96, 2>>(header.bth);
        transport.migrated = false;
        transport.pad = bits_u::<2>(0);
        transport.becn = true;
        if old.kind == AckKind::Notification {
            headers = bits_zero::<AckHeaders>(0);
            headers.bth = bit_cast_bus::<96, 2, BaseTransportHeader>(transport);
        }
        stack = bit_cast_word::<IntStack, W<336, 6>>(old.int_stack);
        plain = bits_zero::<AckBehind>(0);
        plain.headers = headers;
        behind = bit_cast_bus::<496, 8, AckBehind>(plain);
        int_0 = bits_zero::<AckBehindInt0>(0);
        fields!(int_0: headers, int_header = stack.header);
        if code == 1 {
            behind = bit_cast_bus::<496, 8, AckBehindInt0>(int_0);
        }
        int_1 = bits_zero::<AckBehindInt1>(0);
        fields!(int_1: headers, int_header = stack.header, hop_1 = stack.hop_1);
        if code == 2 {
            behind = bit_cast_bus::<496, 8, AckBehindInt1>(int_1);
        }
        int_2 = bits_zero::<AckBehindInt2>(0);
        fields!(int_2: headers);
        fields!(int_2 from stack: int_header = header, hop_1, hop_2);
        if code == 3 {
            behind = bit_cast_bus::<496, 8, AckBehindInt2>(int_2);
        }
        int_3 = bits_zero::<AckBehindInt3>(0);
        fields!(int_3: headers);
        fields!(int_3 from stack: int_header = header, hop_1, hop_2, hop_3);
        if code == 4 {
            behind = bit_cast_bus::<496, 8, AckBehindInt3>(int_3);
        }
        int_4 = bits_zero::<AckBehindInt4>(0);
        fields!(int_4: headers);
        fields!(int_4 from stack: int_header = header, hop_1, hop_2, hop_3, hop_4);
        if code == 5 {
            behind = bit_cast_bus::<496, 8, AckBehindInt4>(int_4);
        }
        int_5 = bits_zero::<AckBehindInt5>(0);
        fields!(int_5: headers);
        fields!(int_5 from stack: int_header = header, hop_1, hop_2, hop_3, hop_4, hop_5);
        if code == 6 {
            behind = bit_cast_bus::<496, 8, AckBehindInt5>(int_5);
        }
        notified_8 = old.taken & header.alive & (old.kind == AckKind::Notification);
        notified = notified_8;
        valid_8 = old.taken & header.alive;
        if old.taken {
            fields!(header_8.d: outer = header.outer, behind);
            assign!(short_8.d = header.icrc_lengths, code_8.d = code);
            covered_8 = echo_icrc_full & (old.kind != AckKind::Probe);
            tail_8 = bit_cast_u::<7, 6>(int_bytes) + 54;
            if old.kind == AckKind::Acknowledgement {
                tail_8 = bit_cast_u::<7, 6>(int_bytes) + 58;
            }
            if old.kind == AckKind::Notification {
                tail_8 = bits_u::<7>(70);
            }
        }

        // 8: the first beat, a clock later the second
        spill = tail_8 > 60;
        second = valid_8 & spill;
        bytes.enable = true;
        bytes.number = bit_cast_u::<2, 1>(bit_cast_b(second));
        bytes.header = bit_cast_bus::<832, 13, AckFrameHeaders>(header_8);
        bytes.payload = bit_cast_w::<512, 8, 1>(bits_u::<1>(0));
        bytes.count = bits_u::<7>(0);
        bytes.counts = false;
        bytes.code = bits_u::<3>(0);
        valid_9 = valid_8 | second;
        beat_9 = bits_zero::<BuiltBeat>(0);
        beat_9.number = bit_cast_u::<2, 1>(bit_cast_b(second));
        beat_9.last = second | !spill;
        beat_9.penultimate = spill & !second;
        fields!(beat_9.d: spill, tail = tail_8);
        beat_9.outer = bit_cast_word::<OuterHeaders, W<336, 6>>(header_8.outer);
        beat_9.icrc_lengths = bit_cast_word::<IcrcLengths, U<32>>(short_8);
        beat_9.int_code = code_8;
        beat_9.behind_int = (code_8 != 0) & !covered_8;
        inputs!(append: valid = valid_9, beat = beat_9, data = bytes.q);
        outputs!(append: frame.data = down.data, frame.valid = down.valid);
        append.down.ready = frame.ready;

        if reset {
            busy = true;
            clear!(valid_8, notified_8, second, valid_9);
        }
    }
}
