//! The whole NIC. Wiring, the reset that all blocks share, and counters.
//!
//! | clock after `reset` | |
//! |---|---|
//! | 0 to 400 | every block is in reset; nothing is taken on any port |
//! | 401 | registers can be read and written; commands wait |
//! | to 1682 | the manager voids every queue pair, the scheduler and the laws clear their flows |
//! | then | `STATUS.ready`: work requests and frames are taken, commands carried out |

use super::flows::Flows;
use crate::dma::write::DmaWriter;
use crate::host::manager::Manager;
use crate::host::registers::pulses::CounterPulses;
use crate::host::registers::Registers;
use crate::nic::words::{AckSend, Action, Commit, DmaJob, HostCommand, RxRow, Work};
use crate::prim::fifo::StreamFifo;
use crate::prim::merge::StreamMerge;
use crate::prim::skid::StreamOut;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::rx::pipe::RxPipe;
use crate::transport::commit::CommitStage;
use crate::transport::dispatch::{CommitRow, ControlRow, DispatchEvent};
use crate::transport::notify::Notify;
use crate::transport::requester::{Requester, SEGMENT};
use crate::transport::responder::Responder;
use crate::transport::responses::ResponseQueue;
use crate::tx::pipe::TxPipe;
use crate::words::congestion::LawCommand;
use crate::words::flows::FlowUpdate;
use crate::words::sched::LawEvent;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// NIC of 148 queue pairs (2 to 149), 300 flows. Each law that queue pairs may have is built in 0 or 1 times.
#[block]
pub struct Nic<const HPCC: usize = 1, const DCQCN: usize = 0, const POWERTCP: usize = 0> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high, one clock at least; the NIC holds its own reset for 400 clocks and is ready 1282 later. Also after power-up,
    /// without a reset. What is connected to `m_axi` and `m_axis_tx` must be reset with it.
    pub reset: Signal<In, Bit>,
    /// Time, ns.
    pub now: Signal<In, U<48>>,
    /// Priorities that the MAC pauses.
    pub pause: Signal<In, U<8>>,
    /// AXI4-Lite awaddr.
    pub s_axil_awaddr: Signal<In, U<12>>,
    /// AXI4-Lite awprot.
    pub s_axil_awprot: Signal<In, U<3>>,
    /// AXI4-Lite awvalid.
    pub s_axil_awvalid: Signal<In, Bit>,
    /// AXI4-Lite awready.
    pub s_axil_awready: Signal<Out, Bit>,
    /// AXI4-Lite wdata.
    pub s_axil_wdata: Signal<In, U<32>>,
    /// AXI4-Lite wstrb.
    pub s_axil_wstrb: Signal<In, U<4>>,
    /// AXI4-Lite wvalid.
    pub s_axil_wvalid: Signal<In, Bit>,
    /// AXI4-Lite wready.
    pub s_axil_wready: Signal<Out, Bit>,
    /// AXI4-Lite bresp.
    pub s_axil_bresp: Signal<Out, U<2>>,
    /// AXI4-Lite bvalid.
    pub s_axil_bvalid: Signal<Out, Bit>,
    /// AXI4-Lite bready.
    pub s_axil_bready: Signal<In, Bit>,
    /// AXI4-Lite araddr.
    pub s_axil_araddr: Signal<In, U<12>>,
    /// AXI4-Lite arprot.
    pub s_axil_arprot: Signal<In, U<3>>,
    /// AXI4-Lite arvalid.
    pub s_axil_arvalid: Signal<In, Bit>,
    /// AXI4-Lite arready.
    pub s_axil_arready: Signal<Out, Bit>,
    /// AXI4-Lite rdata.
    pub s_axil_rdata: Signal<Out, U<32>>,
    /// AXI4-Lite rresp.
    pub s_axil_rresp: Signal<Out, U<2>>,
    /// AXI4-Lite rvalid.
    pub s_axil_rvalid: Signal<Out, Bit>,
    /// AXI4-Lite rready.
    pub s_axil_rready: Signal<In, Bit>,
    /// Frames from the MAC: tdata.
    pub s_axis_rx_tdata: Signal<In, W<512, 8>>,
    /// Frames from the MAC: tkeep.
    pub s_axis_rx_tkeep: Signal<In, U<64>>,
    /// Frames from the MAC: tlast.
    pub s_axis_rx_tlast: Signal<In, Bit>,
    /// Frames from the MAC: tuser.
    pub s_axis_rx_tuser: Signal<In, Bit>,
    /// Frames from the MAC: tvalid.
    pub s_axis_rx_tvalid: Signal<In, Bit>,
    /// Frames from the MAC: tready.
    pub s_axis_rx_tready: Signal<Out, Bit>,
    /// Frames to the MAC: tdata.
    pub m_axis_tx_tdata: Signal<Out, W<512, 8>>,
    /// Frames to the MAC: tkeep.
    pub m_axis_tx_tkeep: Signal<Out, U<64>>,
    /// Frames to the MAC: tlast.
    pub m_axis_tx_tlast: Signal<Out, Bit>,
    /// Frames to the MAC: tuser.
    pub m_axis_tx_tuser: Signal<Out, Bit>,
    /// Frames to the MAC: tvalid.
    pub m_axis_tx_tvalid: Signal<Out, Bit>,
    /// Frames to the MAC: tready.
    pub m_axis_tx_tready: Signal<In, Bit>,
    /// Work requests: tdata.
    pub s_axis_work_tdata: Signal<In, W<320, 5>>,
    /// Work requests: tvalid.
    pub s_axis_work_tvalid: Signal<In, Bit>,
    /// Work requests: tready.
    pub s_axis_work_tready: Signal<Out, Bit>,
    /// Completions: tdata.
    pub m_axis_completion_tdata: Signal<Out, W<192, 3>>,
    /// Completions: tvalid.
    pub m_axis_completion_tvalid: Signal<Out, Bit>,
    /// Completions: tready.
    pub m_axis_completion_tready: Signal<In, Bit>,
    /// AXI4 awid.
    pub m_axi_awid: Signal<Out, U<4>>,
    /// AXI4 awaddr.
    pub m_axi_awaddr: Signal<Out, U<64>>,
    /// AXI4 awlen.
    pub m_axi_awlen: Signal<Out, U<8>>,
    /// AXI4 awsize.
    pub m_axi_awsize: Signal<Out, U<3>>,
    /// AXI4 awburst.
    pub m_axi_awburst: Signal<Out, U<2>>,
    /// AXI4 awlock.
    pub m_axi_awlock: Signal<Out, Bit>,
    /// AXI4 awcache.
    pub m_axi_awcache: Signal<Out, U<4>>,
    /// AXI4 awprot.
    pub m_axi_awprot: Signal<Out, U<3>>,
    /// AXI4 awvalid.
    pub m_axi_awvalid: Signal<Out, Bit>,
    /// AXI4 awready.
    pub m_axi_awready: Signal<In, Bit>,
    /// AXI4 wdata.
    pub m_axi_wdata: Signal<Out, W<512, 8>>,
    /// AXI4 wstrb.
    pub m_axi_wstrb: Signal<Out, U<64>>,
    /// AXI4 wlast.
    pub m_axi_wlast: Signal<Out, Bit>,
    /// AXI4 wvalid.
    pub m_axi_wvalid: Signal<Out, Bit>,
    /// AXI4 wready.
    pub m_axi_wready: Signal<In, Bit>,
    /// AXI4 bid.
    pub m_axi_bid: Signal<In, U<4>>,
    /// AXI4 bresp.
    pub m_axi_bresp: Signal<In, U<2>>,
    /// AXI4 bvalid.
    pub m_axi_bvalid: Signal<In, Bit>,
    /// AXI4 bready.
    pub m_axi_bready: Signal<Out, Bit>,
    /// AXI4 arid.
    pub m_axi_arid: Signal<Out, U<4>>,
    /// AXI4 araddr.
    pub m_axi_araddr: Signal<Out, U<64>>,
    /// AXI4 arlen.
    pub m_axi_arlen: Signal<Out, U<8>>,
    /// AXI4 arsize.
    pub m_axi_arsize: Signal<Out, U<3>>,
    /// AXI4 arburst.
    pub m_axi_arburst: Signal<Out, U<2>>,
    /// AXI4 arlock.
    pub m_axi_arlock: Signal<Out, Bit>,
    /// AXI4 arcache.
    pub m_axi_arcache: Signal<Out, U<4>>,
    /// AXI4 arprot.
    pub m_axi_arprot: Signal<Out, U<3>>,
    /// AXI4 arvalid.
    pub m_axi_arvalid: Signal<Out, Bit>,
    /// AXI4 arready.
    pub m_axi_arready: Signal<In, Bit>,
    /// AXI4 rid.
    pub m_axi_rid: Signal<In, U<4>>,
    /// AXI4 rdata.
    pub m_axi_rdata: Signal<In, W<512, 8>>,
    /// AXI4 rresp.
    pub m_axi_rresp: Signal<In, U<2>>,
    /// AXI4 rlast.
    pub m_axi_rlast: Signal<In, Bit>,
    /// AXI4 rvalid.
    pub m_axi_rvalid: Signal<In, Bit>,
    /// AXI4 rready.
    pub m_axi_rready: Signal<Out, Bit>,
    // reset of all blocks, for as long as the longest of them needs
    hold: DFF<U<9>>,
    running: DFF<Bit>,
    asleep: Signal<Local, Bit>,
    ready: DFF<Bit>,
    // a frame has begun at the port and not ended; reset does not change that, the rest of such a frame is ignored
    in_frame: DFF<Bit>,
    ignores: DFF<Bit>,
    rx_taken: Signal<Local, Bit>,
    rx_valid: Signal<Local, Bit>,
    registers: Registers,
    manager: Manager,
    rx: RxPipe,
    responder: Responder,
    notify: Notify,
    writer: DmaWriter,
    commits: StreamFifo<CommitRow, 7, 128>,
    commit: CommitStage,
    queue: ResponseQueue,
    works: StreamMerge<Work>,
    requester: Requester<150, SEGMENT>,
    read_errors: StreamFifo<U<48>, 4, 16>,
    flows: Flows<HPCC, DCQCN, POWERTCP>,
    tx: TxPipe,
    counters: CounterPulses,
    // the scheduler's overhead register, heard on its way
    overhead: DFF<U<10>>,
    // a flow at its retry limit, told to the manager when no other end is
    ended_waits: DFF<Bit>,
    ended_flow: DFF<U<16>>,
    killed: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    left_ends: Signal<Local, Bit>,
    left_waits: DFF<Bit>,
    left_half: DFF<U<16>>,
}

#[kernel]
impl<const HPCC: usize, const DCQCN: usize, const POWERTCP: usize> Logic for Nic<HPCC, DCQCN, POWERTCP> {
    fn update(&mut self) {
        self.running.d.next = self.hold.q.val() == 400;
        self.ready.d.next = self.running.q.val() & self.manager.swept.val();
        if self.hold.q.val() != 400 {
            self.hold.d.next = self.hold.q.val() + 1;
            self.ready.d.next = false;
        }
        if self.reset.val() {
            self.hold.d.next = bits_u::<9>(0);
            self.running.d.next = false;
            self.ready.d.next = false;
        }
        self.asleep.next = !self.running.q.val();
        self.registers.reset.next = self.asleep.val();
        self.manager.reset.next = self.asleep.val();
        self.rx.reset.next = self.asleep.val();
        self.responder.reset.next = self.asleep.val();
        self.notify.reset.next = self.asleep.val();
        self.writer.reset.next = self.asleep.val();
        self.commits.reset.next = self.asleep.val();
        self.commit.reset.next = self.asleep.val();
        self.queue.reset.next = self.asleep.val();
        self.works.reset.next = self.asleep.val();
        self.requester.reset.next = self.asleep.val();
        self.read_errors.reset.next = self.asleep.val();
        self.flows.reset.next = self.asleep.val();
        self.tx.reset.next = self.asleep.val();
        self.counters.reset.next = self.asleep.val();

        // registers and manager
        inputs!(registers, s_axil_awaddr, s_axil_awprot, s_axil_awvalid);
        // blocks hear of a reset one clock late; their outputs do not
        self.s_axil_awready.next = self.registers.s_axil_awready.val() & self.running.q.val();
        inputs!(registers, s_axil_wdata, s_axil_wstrb, s_axil_wvalid);
        self.s_axil_wready.next = self.registers.s_axil_wready.val() & self.running.q.val();
        self.s_axil_bresp.next = self.registers.s_axil_bresp.val();
        self.s_axil_bvalid.next = self.registers.s_axil_bvalid.val() & self.running.q.val();
        inputs!(registers, s_axil_bready, s_axil_araddr, s_axil_arprot, s_axil_arvalid);
        self.s_axil_arready.next = self.registers.s_axil_arready.val() & self.running.q.val();
        outputs!(registers, s_axil_rdata, s_axil_rresp);
        self.s_axil_rvalid.next = self.registers.s_axil_rvalid.val() & self.running.q.val();
        inputs!(registers, s_axil_rready, now, ready);
        self.registers.pulses.next = self.counters.pulses.val();
        self.registers.sched_late.next = self.flows.count_late.val();
        self.registers.sched_beyond.next = self.flows.count_beyond.val();
        self.registers.sched_out_of_range.next = self.flows.count_out_of_range.val();
        self.registers.sched_cc_dropped.next = self.flows.count_cc_dropped.val();
        StreamOut::<HostCommand>::join(&mut self.registers.command, &mut self.manager.command);
        self.registers.command_done.next = self.manager.command_done.val();
        self.registers.command_code.next = self.manager.command_code.val();
        self.flows.sched_param.write.next = self.registers.sched_param.write.val();
        self.flows.sched_param.address.next = self.registers.sched_param.address.val();
        self.flows.sched_param.data.next = self.registers.sched_param.data.val();
        self.flows.level_write.next = self.registers.level_write.val();
        self.flows.level_group.next = self.registers.level_group.val();
        self.flows.level_rate.next = self.registers.level_rate.val();
        self.flows.cap_window.next = self.registers.cfg_cap_window.val();
        self.flows.cap_time.next = self.registers.cfg_cap_time.val();
        self.flows.cap_dither.next = self.registers.cfg_cap_dither.val();
        self.flows.look.next = self.registers.look.val();
        self.registers.active.next = self.flows.active.val();
        self.registers.sent.next = self.flows.sent.val();
        self.registers.laws.next = self.flows.laws.val();
        self.manager.laws.next = self.flows.laws.val();
        self.flows.cc_param_law.next = self.registers.cc_param_law.val();
        self.flows.cc_param.write.next = self.registers.cc_param.write.val();
        self.flows.cc_param.address.next = self.registers.cc_param.address.val();
        self.flows.cc_param.data.next = self.registers.cc_param.data.val();
        if self.registers.sched_param.write.val() & (self.registers.sched_param.address.val() == 0) {
            self.overhead.d.next = self.registers.sched_param.data.val().get_bits::<10>(0);
        }
        self.manager.now.next = self.now.val();
        self.manager.cfg_mtu.next = self.registers.cfg_mtu.val();
        self.manager.cfg_default_law.next = self.registers.cfg_default_law.val();
        self.manager.cfg_window.next = self.registers.cfg_window.val();
        self.manager.cfg_rate.next = self.registers.cfg_rate.val();
        self.manager.cfg_line_rate.next = self.registers.cfg_line_rate.val();
        self.manager.cfg_control_enable.next = self.registers.cfg_control_enable.val();
        self.manager.cfg_control_interval.next = self.registers.cfg_control_interval.val();
        self.manager.cfg_control_key.next = self.registers.cfg_control_key.val();
        self.manager.cfg_control_sources.next = self.registers.cfg_control_sources.val();
        StreamOut::<ControlRow>::join(&mut self.rx.control, &mut self.manager.packet);
        StreamOut::<U<16>>::join(&mut self.manager.remove, &mut self.requester.remove);
        StreamOut::<Work>::join(&mut self.manager.work, &mut self.works.second);
        self.flows.command.valid.next = self.manager.flow.valid.val();
        self.flows.command.create.next = self.manager.flow.create.val();
        self.flows.command.flow.next = self.manager.flow.flow.val();
        self.flows.command.generation.next = self.manager.flow.generation.val();
        self.flows.command.psn.next = self.manager.flow.psn.val();
        self.flows.command.mtu.next = self.manager.flow.mtu.val();
        self.flows.command.priority.next = self.manager.flow.priority.val();
        self.flows.command.windowless.next = self.manager.flow.windowless.val();
        self.flows.command.timerless.next = self.manager.flow.timerless.val();
        self.flows.command.limit.next = self.manager.flow.limit.val();
        self.flows.command.rate.next = self.manager.flow.rate.val();
        self.flows.command.group.next = self.manager.flow.group.val();
        self.manager.flow.ready.next = self.flows.command.ready.val();
        StreamOut::<LawCommand>::join(&mut self.manager.cc, &mut self.flows.cc_command);
        self.flows.cc_command_law.next = self.manager.cc_law.val();
        StreamOut::<FlowUpdate>::join(&mut self.manager.first, &mut self.flows.first);

        // receive
        self.rx.s_axis_tdata.next = self.s_axis_rx_tdata.val();
        self.rx.s_axis_tkeep.next = self.s_axis_rx_tkeep.val();
        self.rx.s_axis_tlast.next = self.s_axis_rx_tlast.val();
        self.rx.s_axis_tuser.next = self.s_axis_rx_tuser.val();
        self.s_axis_rx_tready.next = self.ready.q.val();
        self.rx_taken.next = self.s_axis_rx_tvalid.val() & self.ready.q.val();
        self.rx_valid.next = self.rx_taken.val() & !self.ignores.q.val();
        self.rx.s_axis_tvalid.next = self.rx_valid.val();
        if self.rx_taken.val() {
            self.in_frame.d.next = !self.s_axis_rx_tlast.val();
            if self.s_axis_rx_tlast.val() {
                self.ignores.d.next = false;
            }
        }
        if !self.ready.q.val() {
            self.ignores.d.next = self.in_frame.q.val();
        }
        self.rx.cfg_mac.next = self.registers.cfg_mac.val();
        self.rx.cfg_ip.next = self.registers.cfg_ip.val();
        self.rx.cfg_port_roce.next = self.registers.cfg_port_roce.val();
        self.rx.cfg_port_int.next = self.registers.cfg_port_int.val();
        self.rx.cfg_port_echo.next = self.registers.cfg_port_echo.val();
        self.rx.cfg_port_control.next = self.registers.cfg_port_control.val();
        self.rx.cfg_pkey.next = self.registers.cfg_pkey.val();
        self.rx.context_valid.next = self.manager.context_valid.val();
        self.rx.context_qp.next = self.manager.context_qp.val();
        self.rx.context_data.next = self.manager.context_data.val();
        StreamOut::<W<520, 9>>::join(&mut self.rx.payload, &mut self.writer.payload);
        StreamOut::<DmaJob>::join(&mut self.rx.job, &mut self.writer.job);
        StreamOut::<CommitRow>::join(&mut self.rx.commit, &mut self.commits.up);
        StreamOut::<RxRow>::join(&mut self.rx.request, &mut self.responder.row);
        StreamOut::<Action>::join(&mut self.responder.action, &mut self.rx.request_action);
        StreamOut::<RxRow>::join(&mut self.rx.response, &mut self.requester.row);
        StreamOut::<Action>::join(&mut self.requester.action, &mut self.rx.response_action);
        StreamOut::<DispatchEvent>::join(&mut self.rx.notice, &mut self.flows.notice);
        self.responder.context_valid.next = self.manager.context_valid.val();
        self.responder.context_qp.next = self.manager.context_qp.val();
        self.responder.context_data.next = self.manager.context_data.val();
        self.responder.region_valid.next = self.manager.region_valid.val();
        self.responder.region_slot.next = self.manager.region_slot.val();
        self.responder.region_data.next = self.manager.region_data.val();
        self.responder.cfg_reads.next = self.registers.cfg_reads.val();
        self.responder.full.next = self.queue.full.val();
        self.responder.left_valid.next = self.queue.left_valid.val();
        self.responder.left_qp.next = self.queue.left_qp.val();
        self.responder.left_generation.next = self.queue.left_generation.val();
        self.responder.left_what.next = self.queue.left_what.val();
        self.responder.fail_valid.next = self.commit.fail_valid.val();
        self.responder.fail_qp.next = self.commit.fail_qp.val();
        self.responder.fail_generation.next = self.commit.fail_generation.val();

        // marked packets
        inputs!(notify, now);
        self.notify.enable.next = self.registers.cfg_cnp_enable.val();
        self.notify.hold.next = self.registers.cfg_ack_pause.val()
            & self.pause.val().get_bit(self.registers.cfg_ack_priority.val().index());
        self.notify.interval.next = self.registers.cfg_cnp_interval.val();
        self.notify.context_valid.next = self.manager.context_valid.val();
        self.notify.context_qp.next = self.manager.context_qp.val();
        self.notify.context_data.next = self.manager.context_data.val();
        self.notify.mark_valid.next = self.rx.mark_valid.val();
        self.notify.mark.next = self.rx.mark.val();
        StreamOut::<AckSend>::join(&mut self.notify.send, &mut self.tx.notify);

        // memory before acknowledgement
        outputs!(
            writer,
            m_axi_awid,
            m_axi_awaddr,
            m_axi_awlen,
            m_axi_awsize,
            m_axi_awburst,
            m_axi_awlock,
            m_axi_awcache,
            m_axi_awprot
        );
        self.m_axi_awvalid.next = self.writer.m_axi_awvalid.val() & self.running.q.val();
        self.writer.m_axi_awready.next = self.m_axi_awready.val();
        outputs!(writer, m_axi_wdata, m_axi_wstrb, m_axi_wlast);
        self.m_axi_wvalid.next = self.writer.m_axi_wvalid.val() & self.running.q.val();
        inputs!(writer, m_axi_wready, m_axi_bid, m_axi_bresp, m_axi_bvalid);
        self.m_axi_bready.next = self.writer.m_axi_bready.val();
        StreamOut::<CommitRow>::join(&mut self.commits.down, &mut self.commit.up);
        StreamOut::<U<1>>::join(&mut self.writer.written, &mut self.commit.written);
        StreamOut::<Commit>::join(&mut self.commit.response, &mut self.queue.up);
        StreamOut::<Commit>::join(&mut self.commit.answer, &mut self.requester.answer);
        self.commit.context_valid.next = self.manager.context_valid.val();
        self.commit.context_qp.next = self.manager.context_qp.val();
        self.queue.context_valid.next = self.manager.context_valid.val();
        self.queue.context_qp.next = self.manager.context_qp.val();
        self.queue.context_data.next = self.manager.context_data.val();
        self.queue.gone_valid.next = self.tx.read_left.val() | (self.tx.read_error.val() & self.tx.note_response.val());
        self.queue.gone_failed.next = self.tx.read_error.val();
        self.queue.gone_qp.next = self.tx.note_qp.val();
        self.queue.gone_generation.next = self.tx.note_generation.val();
        self.queue.gone_psn.next = self.tx.note_psn.val();
        self.queue.gone_tag.next = self.tx.note_tag.val();
        StreamOut::<AckSend>::join(&mut self.queue.ack, &mut self.tx.ack);
        self.flows.responses.valid.next = self.queue.work.valid.val();
        self.flows.responses.restart.next = self.queue.work.restart.val();
        self.flows.responses.start.next = self.queue.work.start.val();
        self.flows.responses.flow.next = self.queue.work.flow.val();
        self.flows.responses.generation.next = self.queue.work.generation.val();
        self.flows.responses.end.next = self.queue.work.end.val();
        self.queue.work.ready.next = self.flows.responses.ready.val();

        // requester
        self.requester.now.next = self.now.val();
        self.requester.max_reads.next = self.registers.cfg_max_rd_atomic.val().get_bits::<5>(0);
        if self.registers.cfg_max_rd_atomic.val() > 31 {
            // a ring has 16 messages, so more than that is no limit
            self.requester.max_reads.next = bits_u::<5>(31);
        }
        self.requester.speeds.next = self.registers.cfg_speed_valid.val();
        self.requester.context_valid.next = self.manager.context_valid.val();
        self.requester.context_qp.next = self.manager.context_qp.val();
        self.requester.context_data.next = self.manager.context_data.val();
        self.requester.region_valid.next = self.manager.region_valid.val();
        self.requester.region_slot.next = self.manager.region_slot.val();
        self.requester.region_data.next = self.manager.region_data.val();
        self.requester.sent_valid.next = self.tx.sent_valid.val();
        self.requester.sent_qp.next = self.tx.sent_qp.val();
        self.requester.sent_generation.next = self.tx.sent_generation.val();
        self.requester.sent_end.next = self.tx.sent_end.val();
        self.requester.ended.valid.next = self.flows.ended.valid.val();
        self.requester.ended.flow.next = self.flows.ended.flow.val();
        self.requester.ended.generation.next = self.flows.ended.generation.val();
        self.flows.ended.ready.next = self.requester.ended.ready.val();
        self.read_errors.up.valid.next = self.tx.read_error.val() & !self.tx.note_response.val();
        self.read_errors.up.data.next = (bit_cast_u::<48, 8>(self.tx.note_qp.val()) << 1)
            | (bit_cast_u::<48, 8>(self.tx.note_generation.val()) << 16)
            | (bit_cast_u::<48, 24>(self.tx.note_psn.val()) << 24);
        StreamOut::<U<48>>::join(&mut self.read_errors.down, &mut self.requester.read_error);
        self.works.first.valid.next = self.s_axis_work_tvalid.val() & self.ready.q.val();
        self.works.first.data.next = self.s_axis_work_tdata.val();
        self.s_axis_work_tready.next = self.works.first.ready.val() & self.ready.q.val();
        StreamOut::<Work>::join(&mut self.works.down, &mut self.requester.work);
        self.m_axis_completion_tdata.next = self.requester.completion.data.val();
        self.m_axis_completion_tvalid.next = self.requester.completion.valid.val() & self.running.q.val();
        self.requester.completion.ready.next = self.m_axis_completion_tready.val();
        StreamOut::<U<48>>::join(&mut self.requester.schedule, &mut self.flows.requests);
        StreamOut::<U<24>>::join(&mut self.requester.kill, &mut self.flows.kill);
        StreamOut::<AckSend>::join(&mut self.requester.echo, &mut self.tx.echo);
        StreamOut::<LawEvent>::join(&mut self.requester.cc_event, &mut self.flows.answered);

        // flows
        inputs!(flows, now, pause);
        self.flows.speeds.next = self.registers.cfg_speed_valid.val();
        self.tx.send.valid.next = self.flows.send.valid.val();
        self.tx.send.flow.next = self.flows.send.flow.val();
        self.tx.send.generation.next = self.flows.send.generation.val();
        self.tx.send.psn.next = self.flows.send.psn.val();
        self.tx.send.kind.next = self.flows.send.kind.val();
        self.flows.send.ready.next = self.tx.send.ready.val();
        self.flows.feedback.valid.next = self.tx.feedback.valid.val();
        self.flows.feedback.advance.next = self.tx.feedback.advance.val();
        self.flows.feedback.flow.next = self.tx.feedback.flow.val();
        self.flows.feedback.generation.next = self.tx.feedback.generation.val();
        self.flows.feedback.psn.next = self.tx.feedback.psn.val();
        self.flows.feedback.value.next = self.tx.feedback.value.val();
        self.tx.feedback.ready.next = self.flows.feedback.ready.val();

        // transmit
        inputs!(tx, overhead, pause);
        self.tx.cfg_mac.next = self.registers.cfg_mac.val();
        self.tx.cfg_ip.next = self.registers.cfg_ip.val();
        self.tx.cfg_port_roce.next = self.registers.cfg_port_roce.val();
        self.tx.cfg_port_int.next = self.registers.cfg_port_int.val();
        self.tx.cfg_port_echo.next = self.registers.cfg_port_echo.val();
        self.tx.cfg_pkey.next = self.registers.cfg_pkey.val();
        self.tx.cfg_dscp.next = self.registers.cfg_dscp.val();
        self.tx.cfg_ecn.next = self.registers.cfg_ecn.val();
        self.tx.cfg_cnp_dscp.next = self.registers.cfg_cnp_dscp.val();
        self.tx.cfg_ttl.next = self.registers.cfg_ttl.val();
        self.tx.cfg_ack_req_interval.next = self.registers.cfg_ack_req_interval.val();
        self.tx.cfg_ack_priority.next = self.registers.cfg_ack_priority.val();
        self.tx.cfg_ack_pause.next = self.registers.cfg_ack_pause.val();
        self.tx.context_valid.next = self.manager.context_valid.val();
        self.tx.context_qp.next = self.manager.context_qp.val();
        self.tx.context_data.next = self.manager.context_data.val();
        self.tx.message_valid.next = self.requester.message_valid.val();
        self.tx.message_address.next = self.requester.message_address.val();
        self.tx.message_data.next = self.requester.message_data.val();
        self.tx.read_valid.next = self.queue.read_valid.val();
        self.tx.read_qp.next = self.queue.read_qp.val();
        self.tx.read_data.next = self.queue.read_data.val();
        self.m_axis_tx_tdata.next = self.tx.m_axis_tdata.val();
        self.m_axis_tx_tkeep.next = self.tx.m_axis_tkeep.val();
        self.m_axis_tx_tlast.next = self.tx.m_axis_tlast.val();
        self.m_axis_tx_tuser.next = self.tx.m_axis_tuser.val();
        self.m_axis_tx_tvalid.next = self.tx.m_axis_tvalid.val() & self.running.q.val();
        self.tx.m_axis_tready.next = self.m_axis_tx_tready.val();
        outputs!(
            tx,
            m_axi_arid,
            m_axi_araddr,
            m_axi_arlen,
            m_axi_arsize,
            m_axi_arburst,
            m_axi_arlock,
            m_axi_arcache,
            m_axi_arprot
        );
        self.m_axi_arvalid.next = self.tx.m_axi_arvalid.val() & self.running.q.val();
        inputs!(
            tx,
            m_axi_arready,
            m_axi_rid,
            m_axi_rdata,
            m_axi_rresp,
            m_axi_rlast,
            m_axi_rvalid
        );
        self.m_axi_rready.next = self.tx.m_axi_rready.val();

        // either half of a queue pair may end; the manager then lets it be created again
        self.killed.next = self.requester.kill.valid.val() & self.requester.kill.ready.val();
        self.manager.requester_ended_valid.next = self.killed.val() | self.ended_waits.q.val();
        self.manager.requester_ended.next = self.ended_flow.q.val();
        if self.killed.val() {
            self.manager.requester_ended.next = bit_cast_u::<16, 8>(self.requester.kill.data.val().get_bits::<8>(1))
                | (bit_cast_u::<16, 8>(self.requester.kill.data.val().get_bits::<8>(16)) << 8);
        } else {
            self.ended_waits.d.next = false;
        }
        if self.flows.ended.valid.val() & self.requester.ended.ready.val() {
            self.ended_waits.d.next = true;
            self.ended_flow.d.next = bit_cast_u::<16, 8>(self.flows.ended.flow.val().get_bits::<8>(1))
                | (bit_cast_u::<16, 8>(self.flows.ended.generation.val()) << 8);
        }
        // a negative acknowledgement other than sequence error ends the responder
        self.refused.next = self.queue.up.valid.val()
            & self.queue.up.ready.val()
            & (self.queue.up.data.val().get_bits::<2>(0) == 1)
            & (self.queue.up.data.val().get_bits::<8>(42) > 0x60);
        self.left_ends.next = self.queue.left_valid.val() & self.queue.left_what.val().get_bit(2);
        self.manager.responder_ended_valid.next = self.refused.val() | self.left_waits.q.val();
        self.manager.responder_ended.next = self.left_half.q.val();
        if self.refused.val() {
            self.manager.responder_ended.next = self.queue.up.data.val().get_bits::<16>(2);
        } else {
            self.left_waits.d.next = false;
        }
        if self.left_ends.val() {
            self.left_waits.d.next = true;
            self.left_half.d.next = bit_cast_u::<16, 8>(self.queue.left_qp.val())
                | (bit_cast_u::<16, 8>(self.queue.left_generation.val()) << 8);
        }

        // counters
        self.counters.rx_frame.next = self.rx_valid.val() & self.s_axis_rx_tlast.val();
        self.counters.lost.next = self.rx.lost.val();
        self.counters.marked.next = self.rx.mark_valid.val();
        self.counters.notified.next = self.tx.notified.val();
        self.counters.tx_frame.next =
            self.tx.m_axis_tvalid.val() & self.m_axis_tx_tready.val() & self.tx.m_axis_tlast.val();
        self.counters.dispatch.next = self.rx.counts.val();
        self.counters.responder.next = self.responder.count.val();
        self.counters.requester.next = self.requester.counts.val();
        self.counters.failed.next = self.commit.fail_valid.val() | self.left_ends.val();
        self.counters.timeout.next = self.flows.timeout.val();
        self.counters.repeated.next = self.tx.repeated.val();
        self.counters.many_hops.next = self.flows.many_hops.val();
        self.counters.bad_speed.next = self.flows.bad_speed.val();
        self.counters.accepted.next = self.manager.control_accepted.val();
        self.counters.refused.next = self.manager.control_refused.val();
        if self.asleep.val() {
            self.overhead.d.next = bits_u::<10>(124);
            self.ended_waits.d.next = false;
            self.left_waits.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::init;
    use crate::sim::on_a_large_stack;

    #[test]
    fn every_signal_is_driven_once_and_no_loop_closes() {
        let built = on_a_large_stack(|| init(Box::<Nic>::default().as_mut()));
        built.expect("a thread").expect("complete block");
    }
}
