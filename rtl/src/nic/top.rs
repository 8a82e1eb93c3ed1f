//! The whole NIC. Wiring, the reset that all blocks share, and counters.
//!
//! | clock after `reset` | |
//! |---|---|
//! | 0 to 400 | every block is in reset; nothing is taken on any port |
//! | 401 | registers can be read and written; commands wait |
//! | to 1682 | the manager voids every queue pair, the scheduler and the laws clear their flows |
//! | then | `STATUS.ready`: work requests and frames are taken, commands carried out |

use super::flows::Flows;
use crate::cc::slot::ConfigOut;
use crate::dma::write::DmaWriter;
use crate::host::fence::Fence;
use crate::host::manager::Manager;
use crate::host::registers::pulses::CounterPulses;
use crate::host::registers::Registers;
use crate::prim::axi::{
    AxiAddressOut, AxiLiteIn, AxiOut, AxiReadDataIn, AxiWriteDataOut, AxiWriteResponseIn, AxisFrameIn, AxisFrameOut,
    AxisWordIn, AxisWordOut,
};
use crate::prim::lut_fifo::LutFifo;
use crate::prim::merge::StreamMerge;
use crate::prim::skid::StreamOut;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
use crate::rx::pipe::RxPipe;
use crate::sched::ports::{EndedOut, FeedbackOut, FlowCommandOut, SendOut, WorkOut};
use crate::transport::commit::CommitStage;
use crate::transport::notify::Notify;
use crate::transport::requester::{Requester, SEGMENT};
use crate::transport::responder::Responder;
use crate::transport::responses::ResponseQueue;
use crate::tx::pipe::TxPipe;
use crate::words::congestion::LawCommand;
use crate::words::context::HostCommand;
use crate::words::dma::{DmaJob, WriteLine};
use crate::words::flows::{FailedPacket, FlowOfGeneration, FlowPacket, FlowUpdate, Notice, QpFlow};
use crate::words::requester::QpOfGeneration;
use crate::words::responder::ResponseNotice;
use crate::words::rx::{CommitEntry, ControlPacket};
use crate::words::sched::LawEvent;
use crate::words::transport::{AckSend, Action, Commit, CommitKind, RxPacket};
use crate::words::wire::AethSyndrome;
use crate::words::work::{Completion, WorkRequest};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// NIC of 148 queue pairs (2 to 149), 300 flows. Each law that queue pairs may have is built in 0 or 1 times.
#[block]
pub struct Nic<const HPCC: usize = 1, const DCQCN: usize = 1, const POWERTCP: usize = 1, const THETA: usize = 1> {
    /// The NIC's only clock: every port is synchronous to its rising edge. 200 MHz carry 100 Gb/s.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high, one clock at least; the NIC holds its own reset for 400 clocks and is ready 1282 later. Also after power-up,
    /// without a reset. What is connected to `m_axi` and `m_axis_tx` must be reset with it.
    pub reset: Signal<In, Bit>,
    /// Time, ns: counts on, about one clock period each clock, and wraps at 2^48. Stamps, pacing, timers and COMPLETION.completed_at are in it.
    pub now: Signal<In, U<48>>,
    /// Bit n is high while the other end of the link has paused priority n (PFC); of global pause all are.
    pub pause: Signal<In, U<8>>,
    /// Registers, 4 KiB, AXI4-Lite: map in `hpcc_nic_regs.md` and `hpcc_nic.h`. One read and one write at a time; SLVERR where there is
    /// no register. `awprot` and `arprot` are not looked at.
    pub s_axil: AxiLiteIn,
    /// Frames from the MAC without preamble and FCS, first byte in the lowest bits; `tkeep` says the bytes of the last beat, `tuser` with
    /// `tlast` marks a frame as bad (wrong FCS). Once STATUS.ready is set, `tready` is always high.
    pub s_axis_rx: AxisFrameIn,
    /// Frames to the MAC without preamble and FCS, first byte in the lowest bits, no gap inside a frame while `tready` is high; `tuser` with
    /// `tlast` asks the MAC to spoil the FCS (host memory failed under the frame).
    pub m_axis_tx: AxisFrameOut,
    /// Work requests from software: `work_request_t`.
    pub s_axis_work: AxisWordIn<W<320, 5>>,
    /// Completions to software: `completion_t`.
    pub m_axis_completion: AxisWordOut<W<192, 3>>,
    /// Host memory, AXI4, 512 bits, at the addresses that work requests and registered regions give. Bursts are INCR, of whole 64-byte
    /// lines, and cross no 4 KiB; all carry identifier 0, so that responses come in order (`bid`, `rid` and `rlast` are not looked at).
    /// Bit 1 of `bresp` and `rresp` is an error. At most 64 bursts of writes and 32 KiB of reads are outstanding.
    pub m_axi: AxiOut,
    /// Clocks since the reset, up to 400: as long as the block that needs longest is held in reset.
    hold: DFF<U<9>>,
    /// The blocks are out of reset: registers can be accessed.
    running: DFF<Bit>,
    /// Reset of all blocks.
    asleep: Signal<Local, Bit>,
    /// Every table is cleared: STATUS.ready.
    ready: DFF<Bit>,
    /// A frame has begun at `s_axis_rx` and not ended. Reset does not change that.
    in_frame: DFF<Bit>,
    /// The rest of a frame that a reset has cut is dropped.
    ignores: DFF<Bit>,
    /// A beat of a frame is taken.
    rx_taken: Signal<Local, Bit>,
    /// It goes to the RX pipe.
    rx_valid: Signal<Local, Bit>,
    /// Register file, counters, AXI4-Lite.
    registers: Registers,
    /// Creates and removes queue pairs and regions, and tells all blocks of them.
    manager: Manager,
    /// Frames to verdicts, payload and rows.
    rx: RxPipe,
    /// Judges requests.
    responder: Responder,
    /// Congestion notifications for marked frames.
    notify: Notify,
    /// Payload to memory.
    writer: DmaWriter,
    /// What is to happen when memory has the payload.
    commit: CommitStage,
    /// READs that wait for their responses, and acknowledgements behind them.
    queue: ResponseQueue,
    /// Work requests of software, and the manager's own.
    works: StreamMerge<WorkRequest>,
    /// Owns messages: work requests to completions.
    requester: Requester<150, SEGMENT>,
    /// Packets of requests whose payload could not be read, for the requester.
    read_errors: LutFifo<FailedPacket, 4, 16>,
    /// Scheduler and congestion control.
    flows: Flows<HPCC, DCQCN, POWERTCP, THETA>,
    /// Grants to frames.
    tx: TxPipe,
    /// Pulses of all blocks for the counters.
    counters: CounterPulses,
    /// What is on its way to memory, for removals.
    fence: Fence,
    /// The scheduler's register OVERHEAD, which Select needs too: bytes of a frame beside its payload.
    overhead: DFF<U<10>>,
    /// A flow at its retry limit waits to be told to the manager; the requester's own ends go first.
    ended_waits: DFF<Bit>,
    /// That queue pair.
    ended_qp: DFF<QpOfGeneration>,
    /// The flow that the scheduler reports, by queue pair.
    ended_half: Signal<Local, QpFlow>,
    /// The requester ends a queue pair.
    killed: Signal<Local, Bit>,
    /// Its flow.
    killed_flow: Signal<Local, FlowOfGeneration>,
    /// Its number.
    killed_half: Signal<Local, QpFlow>,
    /// What the manager is told.
    requester_end: Signal<Local, QpOfGeneration>,
    /// The responder ends a queue pair.
    refused: Signal<Local, Bit>,
    /// A READ's last response has left that ends its queue pair.
    left_ends: Signal<Local, Bit>,
    /// That queue pair waits to be told to the manager; the responder's own ends go first.
    left_waits: DFF<Bit>,
    /// Queue pair of the request that has left.
    left_qp: DFF<QpOfGeneration>,
    /// What the response queue says of a queue pair.
    left: Signal<Local, ResponseNotice>,
    /// What the commit stage hands to the response queue.
    answered: Signal<Local, Commit>,
    /// What the manager is told.
    responder_end: Signal<Local, QpOfGeneration>,
    /// The packet of a request whose payload could not be read.
    failed_packet: Signal<Local, FlowPacket>,
    /// Its flow.
    failed_half: Signal<Local, QpFlow>,
}

#[kernel]
impl<const HPCC: usize, const DCQCN: usize, const POWERTCP: usize, const THETA: usize> Logic
    for Nic<HPCC, DCQCN, POWERTCP, THETA>
{
    fn update(&mut self) {
        self.running.d.next = self.hold.q.val() == 400;
        self.ready.d.next = self.running.q.val() & self.manager.swept.val();
        if self.hold.q.val() != 400 {
            self.hold.d.next = self.hold.q.val() + 1;
            self.ready.d.next = false;
        }
        reset!(hold, running, ready);
        self.asleep.next = !self.running.q.val();
        inputs!([
            registers, manager, rx, responder, notify, writer, commit, queue, works, requester, read_errors, flows,
            tx, counters, fence
        ]: reset = asleep);

        // registers and manager; blocks hear of a reset one clock late, so what they offer and take at the ports is held back here
        AxiLiteIn::link(&mut self.s_axil, &mut self.registers.s_axil);
        self.s_axil.aw.ready.next = self.registers.s_axil.aw.ready.val() & self.running.q.val();
        self.s_axil.w.ready.next = self.registers.s_axil.w.ready.val() & self.running.q.val();
        self.s_axil.b.valid.next = self.registers.s_axil.b.valid.val() & self.running.q.val();
        self.s_axil.ar.ready.next = self.registers.s_axil.ar.ready.val() & self.running.q.val();
        self.s_axil.r.valid.next = self.registers.s_axil.r.valid.val() & self.running.q.val();
        inputs!(registers: now, ready);
        inputs!(registers from counters: pulses);
        inputs!(registers from flows:
            sched_late = count_late, sched_beyond = count_beyond, sched_out_of_range = count_out_of_range,
            sched_cc_dropped = count_cc_dropped);
        StreamOut::<HostCommand>::join(&mut self.registers.command, &mut self.manager.command);
        inputs!(registers from manager: command_done, command_code);
        ConfigOut::join(&mut self.registers.sched_param, &mut self.flows.sched_param);
        inputs!(flows from registers:
            level_write, level_group, level_rate,
            cap_window = cfg.cap_window, cap_time = cfg.cap_time, cap_dither = cfg.cap_dither, look);
        inputs!(registers from flows: active, sent, laws);
        self.manager.laws.next = self.flows.laws.val();
        ConfigOut::join(&mut self.registers.cc_param, &mut self.flows.cc_param);
        inputs!(flows from registers: cc_param_law);
        if self.registers.sched_param.write.val() & (self.registers.sched_param.address.val() == 0) {
            self.overhead.d.next = self.registers.sched_param.data.val().get_bits::<10>(0);
        }
        inputs!(manager: now);
        inputs!(manager from registers:
            cfg_mtu = cfg.mtu, cfg_default_law = cfg.default_law, cfg_window = cfg.window, cfg_rate = cfg.rate,
            cfg_line_rate = cfg.line_rate, cfg_control_enable = cfg.control_enable,
            cfg_control_interval = cfg.control_interval, cfg_control_key = cfg.control_key,
            cfg_control_sources = cfg.control_sources);
        StreamOut::<ControlPacket>::join(&mut self.rx.control, &mut self.manager.packet);
        StreamOut::<QpOfGeneration>::join(&mut self.manager.remove, &mut self.requester.remove);
        StreamOut::<WorkRequest>::join(&mut self.manager.work, &mut self.works.second);
        FlowCommandOut::join(&mut self.manager.flow, &mut self.flows.command);
        StreamOut::<LawCommand>::join(&mut self.manager.cc, &mut self.flows.cc_command);
        self.flows.cc_command_law.next = self.manager.cc_law.val();
        StreamOut::<FlowUpdate>::join(&mut self.manager.first, &mut self.flows.first);

        // receive
        AxisFrameIn::link(&mut self.s_axis_rx, &mut self.rx.s_axis);
        self.s_axis_rx.tready.next = self.ready.q.val();
        self.rx_taken.next = self.s_axis_rx.tvalid.val() & self.ready.q.val();
        self.rx_valid.next = self.rx_taken.val() & !self.ignores.q.val();
        self.rx.s_axis.tvalid.next = self.rx_valid.val();
        if self.rx_taken.val() {
            self.in_frame.d.next = !self.s_axis_rx.tlast.val();
            if self.s_axis_rx.tlast.val() {
                self.ignores.d.next = false;
            }
        }
        if !self.ready.q.val() {
            self.ignores.d.next = self.in_frame.q.val();
        }
        inputs!(rx from registers:
            cfg_mac = cfg.mac, cfg_ip = cfg.ip, cfg_port_roce = cfg.port_roce, cfg_port_int = cfg.port_int,
            cfg_port_echo = cfg.port_echo, cfg_port_control = cfg.port_control,
            cfg_echo_icrc_full = cfg.echo_icrc_full, cfg_pkey = cfg.pkey);
        inputs!(rx: now);
        inputs!(rx from manager: context_valid, context_qp, context_data);
        StreamOut::<WriteLine>::join(&mut self.rx.payload, &mut self.writer.payload);
        StreamOut::<DmaJob>::join(&mut self.rx.job, &mut self.writer.job);
        StreamOut::<CommitEntry>::join(&mut self.rx.commit, &mut self.commit.up);
        StreamOut::<RxPacket>::join(&mut self.rx.request, &mut self.responder.row);
        StreamOut::<Action>::join(&mut self.responder.action, &mut self.rx.request_action);
        StreamOut::<RxPacket>::join(&mut self.rx.response, &mut self.requester.row);
        StreamOut::<Action>::join(&mut self.requester.action, &mut self.rx.response_action);
        StreamOut::<Notice>::join(&mut self.rx.notice, &mut self.flows.notice);
        inputs!(responder from manager:
            context_valid, context_qp, context_data, region_valid, region_data);
        inputs!(responder from registers: cfg_reads = cfg.reads);
        inputs!(responder from queue: full, left_valid, left_qp, left_generation, left_what);
        inputs!(responder from commit: fail_valid, fail_qp, fail_generation);

        // marked packets
        inputs!(notify: now);
        self.notify.enable.next = self.registers.cfg.cnp_enable.val();
        self.notify.hold.next = self.registers.cfg.ack_pause.val()
            & self.pause.val().get_bit(self.registers.cfg.ack_priority.val().index());
        inputs!(notify from registers: interval = cfg.cnp_interval);
        inputs!(notify from manager: context_valid, context_qp, context_data);
        inputs!(notify from rx: mark_valid, mark);
        StreamOut::<AckSend>::join(&mut self.notify.send, &mut self.tx.notify);

        // memory before acknowledgement
        AxiAddressOut::link(&mut self.m_axi.aw, &mut self.writer.m_axi.aw);
        AxiWriteDataOut::link(&mut self.m_axi.w, &mut self.writer.m_axi.w);
        AxiWriteResponseIn::link(&mut self.m_axi.b, &mut self.writer.m_axi.b);
        self.m_axi.aw.valid.next = self.writer.m_axi.aw.valid.val() & self.running.q.val();
        self.m_axi.w.valid.next = self.writer.m_axi.w.valid.val() & self.running.q.val();
        StreamOut::<U<1>>::join(&mut self.writer.written, &mut self.commit.written);
        StreamOut::<Commit>::join(&mut self.commit.response, &mut self.queue.up);
        StreamOut::<Commit>::join(&mut self.commit.answer, &mut self.requester.answer);
        inputs!(commit from manager: context_valid, context_qp);
        inputs!(queue from manager: context_valid, context_qp, context_data);
        self.queue.gone_valid.next = self.tx.read_left.val() | (self.tx.read_error.val() & self.tx.note_response.val());
        inputs!(queue from tx:
            gone_failed = read_error, gone_refused = note_refused, gone_qp = note_qp, gone_generation = note_generation, gone_psn = note_psn,
            gone_tag = note_tag);
        StreamOut::<AckSend>::join(&mut self.queue.ack, &mut self.tx.ack);
        WorkOut::join(&mut self.queue.work, &mut self.flows.responses);

        // requester
        self.requester.now.next = self.now.val();
        self.requester.max_reads.next = self.registers.cfg.max_rd_atomic.val().get_bits::<5>(0);
        inputs!(requester from registers: speeds = cfg.speed_valid);
        self.requester.probing.next = self.registers.cfg.probe_interval.val().any();
        inputs!(requester from manager:
            context_valid, context_qp, context_data, region_valid, region_data);
        inputs!(requester from tx: sent_valid, sent_qp, sent_generation, sent_end);
        EndedOut::join(&mut self.flows.ended, &mut self.requester.ended);
        self.read_errors.up.valid.next = self.tx.read_error.val() & !self.tx.note_response.val();
        self.failed_half.next = bits_zero::<QpFlow>(0);
        self.failed_half.next.qp = self.tx.note_qp.val();
        self.failed_packet.next.flow = bit_cast_number::<16, QpFlow>(self.failed_half.val());
        fields!(failed_packet from tx: generation = note_generation, psn = note_psn);
        self.read_errors.up.data.next.packet = self.failed_packet.val();
        self.read_errors.up.data.next.refused = self.tx.note_refused.val();
        StreamOut::<FailedPacket>::join(&mut self.read_errors.down, &mut self.requester.read_error);
        self.works.first.valid.next = self.s_axis_work.tvalid.val() & self.ready.q.val();
        self.works.first.data.next = bit_cast_word::<WorkRequest, W<320, 5>>(self.s_axis_work.tdata.val());
        self.s_axis_work.tready.next = self.works.first.ready.val() & self.ready.q.val();
        StreamOut::<WorkRequest>::join(&mut self.works.down, &mut self.requester.work);
        self.m_axis_completion.tdata.next = bit_cast_bus::<192, 3, Completion>(self.requester.completion.data.val());
        self.m_axis_completion.tvalid.next = self.requester.completion.valid.val() & self.running.q.val();
        self.requester.completion.ready.next = self.m_axis_completion.tready.val();
        StreamOut::<FlowPacket>::join(&mut self.requester.schedule, &mut self.flows.requests);
        StreamOut::<FlowOfGeneration>::join(&mut self.requester.kill, &mut self.flows.kill);
        StreamOut::<AckSend>::join(&mut self.requester.echo, &mut self.tx.echo);
        StreamOut::<AckSend>::join(&mut self.rx.answer, &mut self.tx.answer);
        StreamOut::<LawEvent>::join(&mut self.requester.cc_event, &mut self.flows.answered);

        // flows
        inputs!(flows: now, pause);
        self.flows.speeds.next = self.registers.cfg.speed_valid.val();
        SendOut::join(&mut self.flows.send, &mut self.tx.send);
        FeedbackOut::join(&mut self.tx.feedback, &mut self.flows.feedback);
        inputs!(flows from registers: times_spacing = cfg.times_spacing, rnr_retry = cfg.rnr_retry);
        inputs!(flows from manager: context_valid, context_qp, context_data);
        inputs!(flows from tx:
            left_valid = request_left, left_qp = note_qp, left_generation = note_generation, left_psn = note_psn,
            left_payload = note_payload);
        self.flows.left_departure.next = bit_cast_u::<2, 5>(self.tx.note_tag.val());
        inputs!(flows from registers:
            probe_interval = cfg.probe_interval, probe_timeout = cfg.probe_timeout, probe_packets = cfg.probe_packets);
        StreamOut::<AckSend>::join(&mut self.flows.probe, &mut self.tx.probe);
        inputs!(flows from requester: asked_qp, asked_psn);
        inputs!(requester from flows: asked_known, asked_sent_at);

        // transmit
        inputs!(tx: overhead, pause);
        self.tx.settings.next.mac = self.registers.cfg.mac.val();
        self.tx.settings.next.ip = self.registers.cfg.ip.val();
        self.tx.settings.next.port_roce = self.registers.cfg.port_roce.val();
        self.tx.settings.next.port_int = self.registers.cfg.port_int.val();
        self.tx.settings.next.port_echo = self.registers.cfg.port_echo.val();
        self.tx.settings.next.echo_icrc_full = self.registers.cfg.echo_icrc_full.val();
        self.tx.settings.next.pkey = self.registers.cfg.pkey.val();
        self.tx.settings.next.dscp = self.registers.cfg.dscp.val();
        self.tx.settings.next.dscp_request = self.registers.cfg.dscp.val();
        if self.registers.cfg.probe_interval.val().any() {
            self.tx.settings.next.dscp_request = self.registers.cfg.dscp_unstamped.val();
        }
        self.tx.settings.next.cnp_dscp = self.registers.cfg.cnp_dscp.val();
        self.tx.settings.next.ecn = self.registers.cfg.ecn.val();
        self.tx.settings.next.ttl = self.registers.cfg.ttl.val();
        inputs!(tx from registers:
            cfg_ack_req_interval = cfg.ack_req_interval, cfg_ack_priority = cfg.ack_priority, cfg_ack_pause = cfg.ack_pause,
            cfg_times_spacing = cfg.times_spacing, cfg_times_enable = cfg.times_enable);
        inputs!(tx from manager: context_valid, context_qp, context_data, region_valid, region_data);
        inputs!(tx from requester: message_valid, message_address, message_data);
        inputs!(tx from queue: read_valid, read_qp, read_data);
        AxisFrameOut::link(&mut self.m_axis_tx, &mut self.tx.m_axis);
        self.m_axis_tx.tvalid.next = self.tx.m_axis.tvalid.val() & self.running.q.val();
        AxiAddressOut::link(&mut self.m_axi.ar, &mut self.tx.m_axi.ar);
        AxiReadDataIn::link(&mut self.m_axi.r, &mut self.tx.m_axi.r);
        self.m_axi.ar.valid.next = self.tx.m_axi.ar.valid.val() & self.running.q.val();

        // either half of a queue pair may end; the manager then lets it be created again
        self.killed.next = self.requester.kill.valid.val() & self.requester.kill.ready.val();
        self.killed_flow.next = self.requester.kill.data.val();
        self.killed_half.next = bit_cast_word::<QpFlow, U<16>>(self.killed_flow.val().flow);
        self.requester_end.next = self.ended_qp.q.val();
        if self.killed.val() {
            fields!(requester_end: qp = killed_half.qp, generation = killed_flow.generation);
        } else {
            self.ended_waits.d.next = false;
        }
        self.manager.requester_ended_valid.next = self.killed.val() | self.ended_waits.q.val();
        self.manager.requester_ended.next = self.requester_end.val();
        self.ended_half.next = bit_cast_word::<QpFlow, U<16>>(self.flows.ended.flow.val());
        if self.flows.ended.valid.val() & self.requester.ended.ready.val() {
            self.ended_waits.d.next = true;
            fields!(ended_qp.d: qp = ended_half.qp, generation = flows.ended.generation);
        }
        // a negative acknowledgement other than sequence error ends the responder
        self.answered.next = self.queue.up.data.val();
        self.refused.next = self.queue.up.valid.val()
            & self.queue.up.ready.val()
            & (self.answered.val().kind == CommitKind::Acknowledge)
            & ((self.answered.val().syndrome == AethSyndrome::NakInvalidRequest)
                | (self.answered.val().syndrome == AethSyndrome::NakRemoteAccess)
                | (self.answered.val().syndrome == AethSyndrome::NakRemoteOperation));
        self.left.next = bit_cast_word::<ResponseNotice, U<3>>(self.queue.left_what.val());
        self.left_ends.next = self.queue.left_valid.val() & self.left.val().ended;
        self.responder_end.next = self.left_qp.q.val();
        if self.refused.val() {
            fields!(responder_end from answered: qp, generation);
        } else {
            self.left_waits.d.next = false;
        }
        self.manager.responder_ended_valid.next = self.refused.val() | self.left_waits.q.val();
        self.manager.responder_ended.next = self.responder_end.val();
        if self.left_ends.val() {
            self.left_waits.d.next = true;
            fields!(left_qp.d from queue: qp = left_qp, generation = left_generation);
        }

        // removals wait for what memory has to do
        inputs!(fence from manager: start = fence);
        inputs!(fence from rx: frame_enters, frame_done, write_made);
        inputs!(fence from writer: write_done = job_done);
        inputs!(fence from tx: read_made, read_done);
        inputs!(manager from fence: quiet);

        // counters
        self.counters.rx_frame.next = self.rx_valid.val() & self.s_axis_rx.tlast.val();
        inputs!(counters: lost = rx.lost, unfair = rx.unfair, marked = rx.mark_valid, notified = tx.notified, stray = flows.stray);
        self.counters.tx_frame.next =
            self.tx.m_axis.tvalid.val() & self.m_axis_tx.tready.val() & self.tx.m_axis.tlast.val();
        inputs!(counters: dispatch = rx.counts, responder = responder.count, requester = requester.counts);
        self.counters.failed.next = self.commit.fail_valid.val() | self.left_ends.val();
        inputs!(counters:
            timeout = flows.timeout, repeated = tx.repeated, many_hops = flows.many_hops, bad_speed = flows.bad_speed,
            accepted = manager.control_accepted, refused = manager.control_refused, died = manager.qp_died);
        if self.asleep.val() {
            self.overhead.d.next = bits_u::<10>(124);
            clear!(ended_waits, left_waits);
        }
    }
}
