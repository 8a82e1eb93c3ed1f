//! The transmit pipe: from grants and acknowledgements to frames. Wiring only.

use super::ack_merge::AckMerge;
use super::arbiter::FrameArbiter;
use super::builder::FrameBuilder;
use super::select::Select;
use crate::dma::read::DmaReader;
use crate::prim::axi::{AxiReadOut, AxisFrameOut};
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::U;
use crate::sched::ports::{FeedbackOut, SendIn};
use crate::words::context::{QpContext, Region};
use crate::words::dma::DmaJob;
use crate::words::transport::{AckSend, Message, ReadState, TxPacket};
use crate::words::tx::{FrameBeat, FrameSettings, PayloadBeat};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Transmit pipe of one port. Reset for at least 32 clocks.
#[block]
pub struct TxPipe {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Wire bytes of a packet beside its payload, as the scheduler charges them.
    pub overhead: Signal<In, U<10>>,
    /// Paused priorities: they stop acknowledgements, if so configured; grants stop in the scheduler.
    pub pause: Signal<In, U<8>>,
    /// Registers that frames are made by.
    pub settings: Signal<In, FrameSettings>,
    /// Register: packets from one acknowledge request to the next.
    pub cfg_ack_req_interval: Signal<In, U<8>>,
    /// Register: the last of every 2^n packet numbers of a queue pair's requests is timed.
    pub cfg_times_spacing: Signal<In, U<4>>,
    /// Register: they are timed at all.
    pub cfg_times_enable: Signal<In, Bit>,
    /// Register: priority of acknowledgements.
    pub cfg_ack_priority: Signal<In, U<3>>,
    /// Register: its pause stops them.
    pub cfg_ack_pause: Signal<In, Bit>,
    /// Bus: a context is written.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair.
    pub context_qp: Signal<In, U<8>>,
    /// Context that is written.
    pub context_data: Signal<In, QpContext>,
    /// Bus: the entry of a region's key is written.
    pub region_valid: Signal<In, Bit>,
    /// Region that is written.
    pub region_data: Signal<In, Region>,
    /// Bus: a message is written.
    pub message_valid: Signal<In, Bit>,
    /// Queue pair and place in its ring.
    pub message_address: Signal<In, U<12>>,
    /// Message that is written.
    pub message_data: Signal<In, Message>,
    /// Bus: a READ begins to be answered.
    pub read_valid: Signal<In, Bit>,
    /// Queue pair.
    pub read_qp: Signal<In, U<8>>,
    /// READ that begins to be answered.
    pub read_data: Signal<In, ReadState>,
    /// Grants.
    pub send: SendIn,
    /// What became of them.
    pub feedback: FeedbackOut,
    /// Acknowledgements.
    pub ack: StreamIn<AckSend>,
    /// READ echoes.
    pub echo: StreamIn<AckSend>,
    /// Answers to probes.
    pub answer: StreamIn<AckSend>,
    /// Congestion notifications.
    pub notify: StreamIn<AckSend>,
    /// Probes.
    pub probe: StreamIn<AckSend>,
    /// Pulse: one is being built.
    pub notified: Signal<Out, Bit>,
    /// Bus: first transmissions.
    pub sent_valid: Signal<Out, Bit>,
    /// Queue pair.
    pub sent_qp: Signal<Out, U<8>>,
    /// Generation.
    pub sent_generation: Signal<Out, U<8>>,
    /// One past the highest PSN sent.
    pub sent_end: Signal<Out, U<24>>,
    /// Pulse: a packet was sent that was sent before.
    pub repeated: Signal<Out, Bit>,
    /// Pulse: the payload of a packet could not be read.
    pub read_error: Signal<Out, Bit>,
    /// With `read_error`: its region stands no longer; low: host memory failed.
    pub note_refused: Signal<Out, Bit>,
    /// Pulse: the last response of a READ has left.
    pub read_left: Signal<Out, Bit>,
    /// Pulse: a request has left.
    pub request_left: Signal<Out, Bit>,
    /// The request has payload.
    pub note_payload: Signal<Out, Bit>,
    /// Queue pair of the pulse.
    pub note_qp: Signal<Out, U<8>>,
    /// Generation of the queue pair of the frame.
    pub note_generation: Signal<Out, U<8>>,
    /// The frame was a READ response.
    pub note_response: Signal<Out, Bit>,
    /// PSN of the frame.
    pub note_psn: Signal<Out, U<24>>,
    /// Tag of its READ; of a request its `DepartureKind`.
    pub note_tag: Signal<Out, U<5>>,
    /// Pulse: memory is to be read, once more than before.
    pub read_made: Signal<Out, Bit>,
    /// Pulse: memory has given all of what was to be read.
    pub read_done: Signal<Out, Bit>,
    /// Frames.
    pub m_axis: AxisFrameOut,
    /// Memory, read by [`DmaReader`].
    pub m_axi: AxiReadOut,
    select: Select<8, 12, 11, 9>,
    reader: DmaReader,
    without_payload: AckMerge,
    builder: FrameBuilder,
    arbiter: FrameArbiter,
}

#[kernel]
impl Logic for TxPipe {
    fn update(&mut self) {
        inputs!([select, reader, without_payload, builder, arbiter]: reset);
        inputs!(select:
            overhead, ack_interval = cfg_ack_req_interval, times_spacing = cfg_times_spacing,
            times_enable = cfg_times_enable);
        inputs!(select:
            context_valid, context_qp, context_data, region_valid, region_data, message_valid, message_address, message_data,
            read_valid, read_qp, read_data);
        SendIn::link(&mut self.send, &mut self.select.send);
        FeedbackOut::link(&mut self.feedback, &mut self.select.feedback);
        outputs!(select: sent_valid, sent_qp, sent_generation, sent_end, repeated);
        self.read_made.next = self.select.job_made.val();
        self.read_done.next = self.reader.job_done.val();
        StreamOut::<TxPacket>::join(&mut self.select.packet, &mut self.builder.packet);
        StreamOut::<DmaJob>::join(&mut self.select.job, &mut self.reader.job);
        StreamOut::<PayloadBeat>::join(&mut self.reader.payload, &mut self.builder.payload);

        self.builder.context_write.next = self.context_valid.val();
        inputs!(builder: context_qp, context_data, settings, ack_pause = cfg_ack_pause);
        outputs!(builder:
            notified, read_error, note_refused, read_left, request_left, note_payload, note_qp, note_generation, note_response, note_psn, note_tag);

        StreamIn::<AckSend>::link(&mut self.ack, &mut self.without_payload.ack);
        StreamIn::<AckSend>::link(&mut self.echo, &mut self.without_payload.echo);
        StreamIn::<AckSend>::link(&mut self.answer, &mut self.without_payload.answer);
        StreamIn::<AckSend>::link(&mut self.notify, &mut self.without_payload.notify);
        StreamIn::<AckSend>::link(&mut self.probe, &mut self.without_payload.probe);
        StreamOut::<AckSend>::join(&mut self.without_payload.down, &mut self.builder.ack);
        StreamOut::<FrameBeat>::join(&mut self.builder.ack_frame, &mut self.arbiter.ack);
        StreamOut::<FrameBeat>::join(&mut self.builder.frame, &mut self.arbiter.data);
        self.arbiter.data_hold.next = false;
        self.arbiter.ack_hold.next =
            self.cfg_ack_pause.val() & self.pause.val().get_bit(self.cfg_ack_priority.val().index());
        AxisFrameOut::link(&mut self.m_axis, &mut self.arbiter.m_axis);
        AxiReadOut::link(&mut self.m_axi, &mut self.reader.m_axi);
    }
}
