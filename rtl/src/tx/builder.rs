//! Frames: headers in front of payload, pad and ICRC behind it.
//!
//! | clock of a data packet | of an acknowledgement or the like | does |
//! |---|---|---|
//! | 0 - 12 | | [`DataHeader`] |
//! | | 0 - 8 | [`AckBeats`] |
//! | 12 | 7 | a beat of the frame each clock: of an acknowledgement if there is one, or header and payload meet |
//! | 13 - 15 | 8 - 10 | [`FrameBytes`], which hears a clock before how many bytes of payload come |
//! | 14 - 30 | 9 - 25 | [`IcrcAppend`] |
//! | 30 and the frame's beats less one | 25 | its first beat |
//!
//! Acknowledgements and the like come between the beats of a data packet, wherever it is, and leave on a stream of their own.
//!
//! Whether a beat takes payload and whether it is the frame's last is decided the beat before; for the first beat it comes with the
//! plan. The row, of several hundred bits, is read a clock behind the plan.
//!
//! The frame FIFO in [`IcrcAppend`] holds two frames of the largest MTU: memory that stalls makes frames late, but never leaves a
//! gap inside one.

use super::ack::AckBeats;
use super::append::IcrcAppend;
use super::frame_bytes::FrameBytes;
use super::row::DataHeader;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_ww, W};
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word};
use crate::words::context::QpContext;
use crate::words::transport::{AckSend, TxPacket};
use crate::words::tx::{
    AckEnd, BuiltBeat, DataHeaders, FrameBeat, FrameNote, FramePlan, FrameRow, FrameSettings, PayloadBeat, ReadSend,
    StartCode,
};
use crate::words::wire::OuterHeaders;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// A frame takes as many clocks as it has beats, as long as packets, payload and the receiver keep up.
#[block]
pub struct FrameBuilder {
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
    /// Register: acknowledgements may be paused. READ requests, which may not, keep to the frames of data.
    pub ack_pause: Signal<In, Bit>,
    /// Registers that frames are made by.
    pub settings: Signal<In, FrameSettings>,
    /// Packets; one whose queue pair is gone or of another generation is dropped with its payload. READ requests
    /// leave beside acknowledgements, unless a request before them has not left.
    pub packet: StreamIn<TxPacket>,
    /// Their payloads, in the same order; none for a packet without.
    pub payload: StreamIn<PayloadBeat>,
    /// Acknowledgements and the like; an item whose queue pair is gone or of another generation is dropped. With INT it goes to the echo port, a probe to
    /// the one on which INT is collected.
    pub ack: StreamIn<AckSend>,
    /// Pulse: a congestion notification is being built.
    pub notified: Signal<Out, Bit>,
    /// Frames of acknowledgements and the like. In a clock a beat of one of both kinds is taken; frames of this kind go first, whole.
    pub ack_frame: StreamOut<FrameBeat>,
    /// Frames of data packets.
    pub frame: StreamOut<FrameBeat>,
    /// A frame whose payload could not be read has been handed over, marked bad.
    pub read_error: Signal<Out, Bit>,
    /// With `read_error`: the region of the payload stands no longer; low: host memory failed.
    pub note_refused: Signal<Out, Bit>,
    /// The last response of a READ has been handed over, without bus error.
    pub read_left: Signal<Out, Bit>,
    /// A request has been handed over, without bus error.
    pub request_left: Signal<Out, Bit>,
    /// The request has payload.
    pub note_payload: Signal<Out, Bit>,
    /// Queue pair of any of them.
    pub note_qp: Signal<Out, U<8>>,
    /// Generation of the queue pair of the frame.
    pub note_generation: Signal<Out, U<8>>,
    /// The packet was a READ response.
    pub note_response: Signal<Out, Bit>,
    /// PSN of the frame.
    pub note_psn: Signal<Out, U<24>>,
    /// Tag of its READ; of a request its `DepartureKind`.
    pub note_tag: Signal<Out, U<5>>,
    headers: DataHeader,
    acks: AckBeats,
    // 12
    plan: Signal<Local, FramePlan>,
    beat: Signal<Local, PayloadBeat>,
    /// Beats of payload that are left, this one included; 1 or 2, of which this beat's leaves one.
    left_now: Signal<Local, U<7>>,
    leaves_one: Signal<Local, U<7>>,
    spill: Signal<Local, Bit>,
    drop: Signal<Local, Bit>,
    pull: Signal<Local, Bit>,
    last_pull: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    /// An acknowledgement or the like has the clock, or the frame FIFO had no room a clock ago.
    waits: DFF<Bit>,
    error: Signal<Local, Bit>,
    /// Clock 13: number of the next beat: 0, 1, or 2 for all behind.
    number: DFF<U<2>>,
    /// The beat is not its frame's first, and of such a beat: payload left, it takes payload, it is the frame's last.
    begun: DFF<Bit>,
    /// Clock 13: beats of payload left of the frame.
    left: DFF<U<7>>,
    /// Clock 13: the next beat takes payload.
    more: DFF<Bit>,
    /// Clock 13: the next beat is the last one of the frame.
    closes: DFF<Bit>,
    /// Clock 13: payload of the frame could not be read.
    spoiled: DFF<Bit>,
    // 13
    /// Clock 13: a beat of a frame with data.
    go_13: DFF<Bit>,
    /// Clock 13: payload of the beat.
    payload_13: DFF<W<512, 8>>,
    row: Signal<Local, FrameRow>,
    ack_end: Signal<Local, AckEnd>,
    /// Headers of the frame of data, first byte in the highest bits.
    bytes_of_headers: Signal<Local, W<832, 13>>,
    code: Signal<Local, StartCode>,
    /// Those of the beat, of which the outer ones go on with it.
    shown_headers: Signal<Local, W<832, 13>>,
    outer_13: Signal<Local, W<336, 6>>,
    bytes: FrameBytes,
    /// Clock 13: a beat of a frame with data that is sent.
    valid_13: DFF<Bit>,
    /// Clock 13: number of the beat.
    number_13: DFF<U<2>>,
    /// There is a beat of an acknowledgement or the like.
    ack_13: DFF<Bit>,
    // which beat of whose headers
    #[registers(Bit:
        /// Clock 13: first beat of a frame with data.
        first_13,
        /// Clock 13: second beat of a frame with data.
        second_13,
        /// Clock 13: first beat of an acknowledgement.
        ack_first_13,
        /// Clock 13: second beat of an acknowledgement.
        ack_second_13)]
    // what is left of the payload before it goes into the beat
    #[registers(Bit:
        /// Clock 13: bytes left of the payload beat before go into this beat.
        carries_13)]
    #[registers(Bit:
        /// Clock 13: last beat of the frame.
        last_13,
        /// Clock 13: beat before the last one, which has only what is left.
        penultimate_13,
        /// Clock 13: payload of the frame could not be read.
        bad_13)]
    // 14
    /// Clock 14: a beat of any frame.
    valid_14: DFF<Bit>,
    /// Clock 14: place of the beat in its frame, and what its ICRC needs.
    beat_14: DFF<BuiltBeat>,
    append: IcrcAppend<8, 136>,
    // 30
    #[signals(Bit: given, departs)]
    #[signals(FrameBeat: leaving, leaving_aside)]
    note: Signal<Local, FrameNote>,
    #[registers(Bit:
        /// A READ response left as bad, because its payload could not be read.
        error_out,
        /// The last response of a READ has left.
        left_out,
        /// A request has left.
        request_out,
        /// A request with data has left, so that READ requests behind it may go.
        gone)]
    /// What is told of the frame that left a clock ago.
    note_out: DFF<FrameNote>,
}

#[kernel]
impl Logic for FrameBuilder {
    fn update(&mut self) {
        inputs!([headers, acks, append]: reset);
        inputs!([headers, acks]: context_write, context_qp, context_data, settings);
        StreamIn::<TxPacket>::link(&mut self.packet, &mut self.headers.packet);
        StreamIn::<AckSend>::link(&mut self.ack, &mut self.acks.ack);
        StreamOut::<ReadSend>::join(&mut self.headers.read, &mut self.acks.read);
        inputs!(acks: crowded = append.ack_crowded);
        outputs!(acks: notified);

        // 12: a beat of header only, then beats that take payload, then one for what is left if it does not fit
        self.plan.next = self.headers.plan.data.val();
        self.beat.next = self.payload.data.val();
        assign!(spill = plan.spill, drop = plan.drop);
        assign!(left_now = plan.beats, pull = plan.pulls, ends = plan.alone);
        if self.begun.q.val() {
            assign!(left_now = left, pull = more, ends = closes);
        }
        self.last_pull.next = self.pull.val() & (self.left_now.val() == 1);
        self.leaves_one.next = bits_u::<7>(1);
        if self.pull.val() {
            self.leaves_one.next = bits_u::<7>(2);
        }
        self.go.next =
            self.headers.plan.valid.val() & !self.waits.q.val() & (!self.pull.val() | self.payload.valid.val());
        self.waits.d.next = self.acks.comes_next.val() | self.append.crowded.val();
        self.payload.ready.next = self.go.val() & self.pull.val();
        self.headers.plan.ready.next = self.go.val() & self.ends.val();
        inputs!(headers: gone, ack_pause);
        self.error.next = self.spoiled.q.val() | self.plan.val().refused | (self.pull.val() & self.beat.val().failed);
        if self.go.val() {
            if self.number.q.val() != 2 {
                self.number.d.next = self.number.q.val() + 1;
            }
            self.left.d.next = self.left_now.val() - bit_cast_u::<7, 1>(bit_cast_b(self.pull.val()));
            self.more.d.next = self.left_now.val().any() & !self.last_pull.val();
            self.closes.d.next = !self.left_now.val().any()
                | self.last_pull.val()
                | ((self.left_now.val() == self.leaves_one.val()) & (self.drop.val() | !self.spill.val()));
            self.begun.d.next = true;
            self.spoiled.d.next = self.error.val();
            if self.ends.val() {
                clear!(number, begun, spoiled);
            }
        }
        assign!(go_13.d = go, payload_13.d = beat.data);
        self.bytes.count.next = self.beat.val().count;
        self.bytes.counts.next = self.pull.val() & !self.acks.comes.val();
        self.valid_13.d.next = self.go.val() & !self.drop.val();
        assign!(number_13.d = number, last_13.d = ends, bad_13.d = error);
        self.penultimate_13.d.next = self.last_pull.val() & self.spill.val();
        self.ack_13.d.next = self.acks.comes.val();
        self.first_13.d.next = !self.acks.comes.val() & (self.number.q.val() == 0);
        self.second_13.d.next = !self.acks.comes.val() & (self.number.q.val() == 1);
        self.ack_first_13.d.next = self.acks.comes.val() & !self.acks.comes_second.val();
        self.ack_second_13.d.next = self.acks.comes.val() & self.acks.comes_second.val();
        self.carries_13.d.next = !self.acks.comes.val() & self.number.q.val().any();

        // 13
        self.row.next = self.headers.row.val();
        self.ack_end.next = self.acks.frame_end.val();
        self.bytes_of_headers.next =
            bit_cast_ww::<832, 13, 576, 9>(bit_cast_bus::<576, 9, DataHeaders>(self.row.val().headers)) << 256;
        assign!(shown_headers = bytes_of_headers);
        fields!(code from row: extension, int_header = int_on);
        inputs!(bytes: enable = go_13, first = first_13, second = second_13, ack_first = ack_first_13, ack_second = ack_second_13);
        self.bytes.carries.next = self.carries_13.q.val();
        self.valid_14.d.next = self.valid_13.q.val() | self.ack_13.q.val();
        fields!(beat_14.d: number = number_13, last = last_13, penultimate = penultimate_13, bad = bad_13);
        fields!(beat_14.d from row: spill, tail, icrc_lengths, behind_int = int_on, turns, note);
        self.beat_14.d.next.int_code = bit_cast_u::<3, 1>(bit_cast_b(self.row.val().int_on));
        self.beat_14.d.next.ack = self.ack_13.q.val();
        if self.ack_13.q.val() {
            assign!(shown_headers = acks.headers);
            self.beat_14.d.next.number = bit_cast_u::<2, 1>(bit_cast_b(self.acks.second.val()));
            self.beat_14.d.next.bad = false;
            self.beat_14.d.next.last = self.acks.last.val();
            self.beat_14.d.next.penultimate = !self.acks.last.val();
            fields!(beat_14.d from ack_end: spill, tail, icrc_lengths, int_code, behind_int, turns, note);
        }
        inputs!(bytes: header = bytes_of_headers, ack_header = acks.headers, payload = payload_13);
        self.bytes.code.next = bit_cast_number::<3, StartCode>(self.code.val());
        self.outer_13.next = bit_cast_ww::<336, 6, 832, 13>(self.shown_headers.val() >> 496);
        self.beat_14.d.next.outer = bit_cast_word::<OuterHeaders, W<336, 6>>(self.outer_13.val());

        // 14
        inputs!(append: valid = valid_14, beat = beat_14, data = bytes.q);

        // 30
        outputs!(append: frame.data = down.data, frame.valid = down.valid);
        self.append.down.ready.next = self.frame.ready.val();
        StreamOut::<FrameBeat>::link(&mut self.ack_frame, &mut self.append.ack);
        self.leaving_aside.next = self.append.ack.data.val();
        self.departs.next = self.append.ack.valid.val()
            & self.ack_frame.ready.val()
            & self.append.ack_request.val()
            & self.leaving_aside.val().last;
        self.leaving.next = self.append.down.data.val();
        self.given.next = self.append.down.valid.val() & self.frame.ready.val() & self.leaving.val().last;
        self.note.next = self.append.down_note.val();
        if self.departs.val() {
            self.note.next = self.append.ack_note.val();
        }
        self.note_out.d.next = self.note.val();
        self.error_out.d.next = self.given.val() & self.leaving.val().bad;
        self.left_out.d.next = self.given.val() & !self.leaving.val().bad & self.note.val().ends_read;
        self.gone.d.next = self.given.val() & !self.note.val().response;
        self.request_out.d.next =
            self.departs.val() | (self.given.val() & !self.leaving.val().bad & !self.note.val().response);
        assign! {
            read_error = error_out, note_refused = note_out.refused, read_left = left_out, request_left = request_out, note_response = note_out.response, note_payload = note_out.payload, note_qp = note_out.qp,
            note_generation = note_out.generation, note_psn = note_out.psn, note_tag = note_out.tag
        }

        reset!(
            number,
            begun,
            spoiled,
            valid_13,
            ack_13,
            valid_14,
            error_out,
            left_out,
            request_out,
            gone
        );
    }
}
