//! The receive pipe: parser, lookup of the queue pair, packet buffer and dispatch on one AXI4-Stream port. Wiring only.

use super::buffer::PacketBuffer;
use super::lookup::{QpLookup, LOOKUP_LATENCY};
use super::{RxParser, QP_EARLIER};
use crate::prim::axi::AxisFrameIn;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::U;
use crate::prim::word::bit_cast_word;
use crate::transport::dispatch::Dispatch;
use crate::words::context::QpContext;
use crate::words::dma::{DmaJob, WriteLine};
use crate::words::flows::Notice;
use crate::words::rx::{BufferCommand, CommitEntry, ControlPacket, JudgedFrame};
use crate::words::transport::{AckSend, Action, RxPacket};
use crate::words::transport::{CongestionMark, FrameRole};
use crate::{block, kernel};
use rust_hdl::prelude::*;

const _: () = assert!(LOOKUP_LATENCY == QP_EARLIER);

/// Receive pipe of one port. Reset for at least sixteen clocks.
#[block]
pub struct RxPipe {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// The NIC's clock, ns.
    pub now: Signal<In, U<48>>,
    /// Frames; `tready` is always high.
    pub s_axis: AxisFrameIn,
    /// Register: own Ethernet address, first byte in the highest bits.
    pub cfg_mac: Signal<In, U<48>>,
    /// Register: own IPv4 address.
    pub cfg_ip: Signal<In, U<32>>,
    /// Register: UDP port of plain RoCEv2.
    pub cfg_port_roce: Signal<In, U<16>>,
    /// Register: UDP port of INT being collected.
    pub cfg_port_int: Signal<In, U<16>>,
    /// Register: UDP port of INT echoed.
    pub cfg_port_echo: Signal<In, U<16>>,
    /// Register: UDP port of control packets.
    pub cfg_port_control: Signal<In, U<16>>,
    /// Register: the ICRC of what echoes INT covers the INT too.
    pub cfg_echo_icrc_full: Signal<In, Bit>,
    /// Register: partition key.
    pub cfg_pkey: Signal<In, U<16>>,
    /// A context is written.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair.
    pub context_qp: Signal<In, U<8>>,
    /// Context that is written.
    pub context_data: Signal<In, QpContext>,
    /// Payload of taken frames, in the lines of memory that it goes to.
    pub payload: StreamOut<WriteLine>,
    /// Jobs of the memory writer, one for each payload.
    pub job: StreamOut<DmaJob>,
    /// What is to happen when memory has the payload.
    pub commit: StreamOut<CommitEntry>,
    /// Requests, to the responder.
    pub request: StreamOut<RxPacket>,
    /// Decisions of the responder.
    pub request_action: StreamIn<Action>,
    /// READ responses, to the requester.
    pub response: StreamOut<RxPacket>,
    /// Decisions of the requester.
    pub response_action: StreamIn<Action>,
    /// READ echoes and congestion notifications.
    pub notice: StreamOut<Notice>,
    /// Control packets.
    pub control: StreamOut<ControlPacket>,
    /// Answers to probes.
    pub answer: StreamOut<AckSend>,
    /// A request or READ response came with the mark "congestion experienced".
    pub mark_valid: Signal<Out, Bit>,
    /// Queue pair and direction of the marked packet.
    pub mark: Signal<Out, CongestionMark>,
    /// Pulses in the order of `hpcc_models::nic::Counter::ALL`.
    pub counts: Signal<Out, U<50>>,
    /// A frame was lost because the packet buffer was full.
    pub lost: Signal<Out, Bit>,
    /// A frame was dropped because its queue pair had its share of the packet buffer.
    pub unfair: Signal<Out, Bit>,
    /// Pulse: a frame has come to where its queue pair is looked up.
    pub frame_enters: Signal<Out, Bit>,
    /// Pulse: a frame that has entered is done with, the oldest first.
    pub frame_done: Signal<Out, Bit>,
    /// With `frame_done`: memory is to be written.
    pub write_made: Signal<Out, Bit>,
    parser: RxParser,
    lookup: QpLookup,
    store: PacketBuffer,
    dispatch: Dispatch,
    verdict: Signal<Local, JudgedFrame>,
}

#[kernel]
impl Logic for RxPipe {
    fn update(&mut self) {
        inputs!([parser, lookup, store, dispatch]: reset);
        AxisFrameIn::link(&mut s_axis, &mut parser.s_axis);
        inputs!(parser: cfg_mac, cfg_ip, cfg_port_roce, cfg_port_int, cfg_port_echo, cfg_port_control, cfg_echo_icrc_full, cfg_pkey);
        inputs!(store from s_axis: beat_data = tdata, beat_last = tlast, beat_valid = tvalid);
        lost = store.lost;
        StreamOut::<BufferCommand>::join(&mut dispatch.command, &mut store.command);
        StreamOut::<WriteLine>::link(&mut payload, &mut store.payload);

        fields!(verdict from parser: body = out_body, source_ip = out_src_ip, drop_code = out_drop);
        verdict.role = bit_cast_word::<FrameRole, U<2>>(parser.out_role);
        fields!(verdict from parser:
            ecn = out_ecn, int_length = out_int_len, opcode = out_opcode, ack_req = out_ack_req,
            payload_at = out_payload_at, psn = out_psn, payload_length = out_payload_len,
            extension = out_extension, control_length = out_control_length);
        // the place comes with the rest of the verdict
        lookup.in_number = parser.out_dest_qp;
        verdict.qp = lookup.out_place;
        dispatch.next_qp = lookup.out_next_place;
        inputs!(lookup: context_valid, context_qp, context_data);
        inputs!(dispatch: verdict, verdict_valid = parser.out_valid);
        dispatch.lost = store.lost;
        dispatch.free = store.free;
        inputs!(dispatch: now, context_valid, context_qp, context_data);
        StreamOut::<DmaJob>::link(&mut job, &mut dispatch.job);
        StreamOut::<CommitEntry>::link(&mut commit, &mut dispatch.commit);
        StreamOut::<RxPacket>::link(&mut request, &mut dispatch.request);
        StreamIn::<Action>::link(&mut request_action, &mut dispatch.request_action);
        StreamOut::<RxPacket>::link(&mut response, &mut dispatch.response);
        StreamIn::<Action>::link(&mut response_action, &mut dispatch.response_action);
        StreamOut::<Notice>::link(&mut notice, &mut dispatch.notice);
        StreamOut::<ControlPacket>::link(&mut control, &mut dispatch.control);
        StreamOut::<AckSend>::link(&mut answer, &mut dispatch.answer);
        outputs!(dispatch: mark_valid, mark, unfair, frame_enters, frame_done, write_made);
        counts = dispatch.counts;
    }
}
