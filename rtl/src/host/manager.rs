//! Queue pairs, regions and neighbours: carries out commands of the host and admitted control packets, one at a time.
//!
//! | step | does |
//! |---|---|
//! | 0 | takes a command, or a control packet when there is none |
//! | 1 - 3 | looks the queue pair up, decides |
//! | 4 - 6 | looks for the neighbour (control packets) |
//! | 8 - 13 | removal: context dead, requester, scheduler, congestion control |
//! | 14 | cap and group of a flow |
//! | 16 - 21 | creation: scheduler, then the queue pair's law, or first window and rate where it has none |
//! | 22 | context alive |
//! | 23 | work request of a control packet |
//! | 24 | says how it went |
//!
//! After reset every queue pair is voided on the context bus, one every five clocks: a context that is dead and of generation 0, which
//! no queue pair ever has. Whoever listens writes its own first state, so nothing survives a reset; commands wait meanwhile.
//! A creation is followed by no other command for 31 clocks, in which its listeners are done with it.
//!
//! Reference: `create_qp`, `remove_qp` and `control` of `hpcc_models::nic`. A queue pair one of whose halves has ended is removed by
//! the creation of the next one.

use super::control::ControlGate;
use super::qp_states::QpStates;
use crate::nic::words::{Context, HostCommand, Region, Work};
use crate::prim::ram::RamReg;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_ww, W};
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
use crate::sched::ports::FlowCommandOut;
use crate::words::congestion::LawCommand;
use crate::words::context::{
    AdmittedRequest, ControlWorkId, FlowLimit, HostCommand as Command, Neighbour, QpContext, QpLife, StepPair,
};
use crate::words::flows::{FlowUpdate, QpFlow};
use crate::words::requester::QpOfGeneration;
use crate::words::work::WorkRequest;
use crate::{block, kernel};
use hpcc_models::fixed::LAWS;
use hpcc_models::nic::registers::QP_COUNT;
use rust_hdl::prelude::*;

/// Manager of queue pairs 2 to 149.
#[block]
pub struct Manager {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high, for 256 clocks at least: no queue pair exists. Commands wait for 1280 clocks more.
    pub reset: Signal<In, Bit>,
    /// Every queue pair has been voided since reset.
    pub swept: Signal<Out, Bit>,
    /// Commands of the host.
    pub command: StreamIn<HostCommand>,
    /// The command has been carried out or refused.
    pub command_done: Signal<Out, Bit>,
    /// 0 carried out, else as the register `STATUS` says.
    pub command_code: Signal<Out, U<3>>,
    /// Control packets, as [`ControlGate`] takes them.
    pub packet: StreamIn<W<593, 10>>,
    /// The NIC's clock, ns.
    pub now: Signal<In, U<48>>,
    /// Register: MTU code of queue pairs that control packets create.
    pub cfg_mtu: Signal<In, U<3>>,
    /// Register: law of queue pairs that control packets create.
    pub cfg_default_law: Signal<In, U<3>>,
    /// Bit n: the law of code n is built in; bit 0, none, is high.
    pub laws: Signal<In, U<8>>,
    /// Register: window of plain queue pairs, UQ23.11 bytes.
    pub cfg_window: Signal<In, U<34>>,
    /// Register: their rate, UQ7.27 bytes per ns; 0 is the line rate.
    pub cfg_rate: Signal<In, U<34>>,
    /// Register: line rate.
    pub cfg_line_rate: Signal<In, U<34>>,
    /// Register.
    pub cfg_control_enable: Signal<In, Bit>,
    /// Register.
    pub cfg_control_interval: Signal<In, U<32>>,
    /// Register.
    pub cfg_control_key: Signal<In, U<64>>,
    /// Registers.
    pub cfg_control_sources: Signal<In, W<256, 4>>,
    /// A requester half has ended: `QpOfGeneration`.
    pub requester_ended_valid: Signal<In, Bit>,
    /// Which one.
    pub requester_ended: Signal<In, U<16>>,
    /// A responder half has ended.
    pub responder_ended_valid: Signal<In, Bit>,
    /// Which one.
    pub responder_ended: Signal<In, U<16>>,
    /// Bus: a context is written.
    pub context_valid: Signal<Out, Bit>,
    /// Queue pair.
    pub context_qp: Signal<Out, U<8>>,
    /// It.
    pub context_data: Signal<Out, Context>,
    /// Bus: a region slot is written.
    pub region_valid: Signal<Out, Bit>,
    /// Slot.
    pub region_slot: Signal<Out, U<5>>,
    /// Its content.
    pub region_data: Signal<Out, Region>,
    /// Queue pairs to remove, to the requester: `QpOfGeneration`.
    pub remove: StreamOut<U<16>>,
    /// Flows of the scheduler.
    pub flow: FlowCommandOut,
    /// Flows of the congestion control.
    pub cc: StreamOut<LawCommand>,
    /// Law of the flow that is created or removed.
    pub cc_law: Signal<Out, U<3>>,
    /// First window and rate of queue pairs without a law.
    pub first: StreamOut<FlowUpdate>,
    /// Work requests of control packets.
    pub work: StreamOut<Work>,
    /// A control packet was carried out.
    pub control_accepted: Signal<Out, Bit>,
    /// A control packet was refused.
    pub control_refused: Signal<Out, Bit>,
    gate: ControlGate,
    step: DFF<U<5>>,
    by_packet: DFF<Bit>,
    request: DFF<AdmittedRequest>,
    operation: DFF<U<3>>,
    index: DFF<U<24>>,
    fits: DFF<Bit>,
    body: DFF<W<384, 6>>,
    code: DFF<U<3>>,
    replaces: DFF<Bit>,
    states: QpStates,
    current: DFF<QpLife>,
    neighbours: RamReg<Neighbour, 4>,
    neighbour: DFF<U<5>>,
    ordered: Signal<Local, Command>,
    asked: Signal<Local, QpContext>,
    filled: Signal<Local, QpContext>,
    limit: Signal<Local, FlowLimit>,
    half: Signal<Local, QpFlow>,
    own_flow: Signal<Local, QpFlow>,
    removed: Signal<Local, QpOfGeneration>,
    pairs: Signal<Local, StepPair>,
    work_id: Signal<Local, ControlWorkId>,
    made: Signal<Local, WorkRequest>,
    qp: Signal<Local, U<8>>,
    index_ok: Signal<Local, Bit>,
    exists: Signal<Local, Bit>,
    is_int: Signal<Local, Bit>,
    law: Signal<Local, U<3>>,
    law_ok: Signal<Local, Bit>,
    #[init(Constant::new(U(LAWS.iter().fold(0, |codes, law| codes | u64::from(law.needs_int) << law.code))))]
    need_int: Constant<U<8>>,
    generation: Signal<Local, U<8>>,
    source_port: Signal<Local, U<16>>,
    qpn_mix: Signal<Local, U<24>>,
    rate: Signal<Local, U<34>>,
    flow_step: Signal<Local, Bit>,
    cc_step: Signal<Local, Bit>,
    first_step: Signal<Local, Bit>,
    creating: Signal<Local, Bit>,
    response: Signal<Local, Bit>,
    flow_number: Signal<Local, U<16>>,
    context_r: DFF<QpContext>,
    context_valid_r: DFF<Bit>,
    region_valid_r: DFF<Bit>,
    works: DFF<U<63>>,
    accepted_r: DFF<Bit>,
    refused_r: DFF<Bit>,
    done_r: DFF<Bit>,
    sweeping: DFF<Bit>,
    sweep_step: DFF<U<3>>,
    sweep_qp: DFF<U<8>>,
    /// Clocks until the listeners are done with a creation.
    settle: DFF<U<5>>,
    takes: Signal<Local, Bit>,
    next_generation: Signal<Local, U<8>>,
}

// the literal in the kernel
const _: () = assert!(QP_COUNT == 150);

#[kernel]
impl Logic for Manager {
    fn update(&mut self) {
        self.gate.reset.next = self.reset.val();
        inputs!(states: reset, requester_ended_valid, requester_ended, responder_ended_valid, responder_ended);
        StreamIn::<W<593, 10>>::link(&mut self.packet, &mut self.gate.packet);
        inputs!(gate:
            now, cfg_mtu, cfg_default_law, cfg_control_enable, cfg_control_interval, cfg_control_key,
            cfg_control_sources);

        // 0: the host goes first; a packet's fields take the places of a command's
        if self.settle.q.val().any() {
            self.settle.d.next = self.settle.q.val() - 1;
        }
        self.ordered.next = bit_cast_word::<Command, HostCommand>(self.command.data.val());
        self.takes.next = (self.step.q.val() == 0) & !self.sweeping.q.val() & !self.settle.q.val().any();
        self.command.ready.next = self.takes.val();
        self.gate.request.ready.next = self.takes.val() & !self.command.valid.val();
        self.accepted_r.d.next = false;
        self.refused_r.d.next = self.gate.refused.val();
        self.done_r.d.next = false;
        if self.takes.val() {
            clear!(code, replaces, neighbour);
            self.by_packet.d.next = !self.command.valid.val();
            if self.command.valid.val() {
                self.step.d.next = 1.into();
                assign! {
                    operation.d = ordered.operation, index.d = ordered.index, body.d = ordered.body
                }
                self.fits.d.next = true;
            } else if self.gate.request.valid.val() {
                self.step.d.next = 1.into();
                assign!(request.d = gate.request.data, operation.d = gate.operation);
                self.index.d.next = self.gate.request.data.val().request.qpn;
                assign!(fits.d = gate.fits, body.d = gate.new_context);
            }
        }

        // 1 - 3: what there is
        // a command about a flow has its number, that of the queue pair and which half
        self.half.next = bit_cast_word::<QpFlow, U<16>>(bit_cast_u::<16, 24>(self.index.q.val()));
        self.qp.next = bit_cast_u::<8, 24>(self.index.q.val());
        if self.operation.q.val() == 5 {
            self.qp.next = self.half.val().qp;
        }
        self.states.qp.next = self.qp.val();
        if self.step.q.val() == 1 {
            self.step.d.next = 2.into();
        }
        if self.step.q.val() == 2 {
            self.step.d.next = 3.into();
            self.current.d.next = self.states.word.val();
        }
        self.index_ok.next = self.fits.q.val() & (self.index.q.val() >= 2) & (self.index.q.val() < 150);
        if self.operation.q.val() == 5 {
            self.index_ok.next = (self.index.q.val() >= 4) & (self.index.q.val() < 300);
        }
        self.exists.next = self.index_ok.val() & self.current.q.val().alive;
        self.asked.next = bit_cast_word::<QpContext, W<384, 6>>(self.body.q.val());
        self.law_ok.next = self.laws.val().get_bit(self.asked.val().law.index())
            & (self.asked.val().int_on | !self.need_int.val().get_bit(self.asked.val().law.index()));
        self.region_valid_r.d.next = false;
        self.neighbours.we.next = false;
        if self.step.q.val() == 3 {
            self.step.d.next = 24.into();
            self.code.d.next = 1.into();
            if self.operation.q.val() == 1 {
                if !self.index_ok.val() {
                    self.code.d.next = 2.into();
                } else if self.asked.val().mtu > 4 {
                    self.code.d.next = 3.into();
                } else if !self.law_ok.val() {
                    self.code.d.next = 6.into();
                } else if self.exists.val() & !self.states.ended.val() {
                    self.code.d.next = 4.into();
                } else {
                    self.code.d.next = 0.into();
                    self.replaces.d.next = true;
                    self.step.d.next = 16.into();
                    if self.exists.val() {
                        self.step.d.next = 8.into();
                    }
                    if self.by_packet.q.val() {
                        self.step.d.next = 4.into();
                    }
                }
            }
            if self.operation.q.val() == 2 {
                self.code.d.next = 5.into();
                if self.exists.val() {
                    self.code.d.next = 0.into();
                    self.step.d.next = 8.into();
                }
            }
            if self.operation.q.val() == 3 {
                self.code.d.next = 2.into();
                if self.index.q.val() < 32 {
                    self.code.d.next = 0.into();
                    self.region_valid_r.d.next = true;
                }
            }
            if self.operation.q.val() == 4 {
                self.code.d.next = 2.into();
                if self.index.q.val() < 16 {
                    self.code.d.next = 0.into();
                    self.neighbours.we.next = true;
                }
            }
            if self.operation.q.val() == 5 {
                self.code.d.next = 2.into();
                if self.index_ok.val() {
                    self.code.d.next = 5.into();
                }
                if self.exists.val() {
                    self.code.d.next = 0.into();
                    self.step.d.next = 14.into();
                }
            }
        }

        // 4 - 6: one neighbour every three clocks
        self.neighbours.waddr.next = bit_cast_u::<4, 24>(self.index.q.val());
        self.neighbours.wdata.next = bit_cast_word::<Neighbour, W<384, 6>>(self.body.q.val());
        self.neighbours.raddr.next = bit_cast_u::<4, 5>(self.neighbour.q.val());
        self.filled.next = self.asked.val();
        self.filled.next.remote_mac = self.neighbours.rdata.val().mac;
        if self.step.q.val() == 4 {
            self.step.d.next = 5.into();
        }
        if self.step.q.val() == 5 {
            self.step.d.next = 6.into();
        }
        if self.step.q.val() == 6 {
            self.step.d.next = 4.into();
            self.neighbour.d.next = self.neighbour.q.val() + 1;
            if self.neighbour.q.val() == 16 {
                // none: refused
                self.code.d.next = 2.into();
                self.step.d.next = 24.into();
            } else if (self.neighbours.rdata.val().ip == self.asked.val().remote_ip)
                & self.neighbours.rdata.val().ip.any()
            {
                self.body.d.next = bit_cast_bus::<384, 6, QpContext>(self.filled.val());
                self.step.d.next = 16.into();
                if self.exists.val() {
                    self.step.d.next = 8.into();
                }
            }
        }

        // 8, 22: the context and what is known of it here
        assign! {
            is_int = asked.int_on, law = current.law, generation = current.generation
        }
        self.creating.next = self.step.q.val() >= 16;
        self.next_generation.next = self.current.q.val().generation + 1;
        if self.current.q.val().generation.all() {
            self.next_generation.next = bits_u::<8>(1);
        }
        if self.creating.val() {
            assign!(law = asked.law, generation = next_generation);
        }
        self.qpn_mix.next = self.index.q.val() ^ (self.asked.val().remote_qpn << 5);
        self.source_port.next = self.asked.val().source_port;
        if self.asked.val().source_port == 0 {
            self.source_port.next = bit_cast_u::<16, 14>(bit_cast_u::<14, 24>(self.qpn_mix.val())) | 0xc000;
        }
        self.context_valid_r.d.next = false;
        self.states.write.next = false;
        self.states.new_word.next = bits_zero::<QpLife>(0);
        self.states.new_word.next.generation = self.current.q.val().generation;
        if self.step.q.val() == 8 {
            self.step.d.next = 9.into();
            self.context_valid_r.d.next = true;
            self.context_r.d.next = bits_zero::<QpContext>(0);
            self.context_r.d.next.generation = self.generation.val();
            self.states.write.next = true;
        }
        if self.step.q.val() == 22 {
            self.step.d.next = 24.into();
            self.settle.d.next = bits_u::<5>(31);
            if self.by_packet.q.val() {
                self.step.d.next = 23.into();
            }
            self.context_valid_r.d.next = true;
            self.context_r.d.next = self.asked.val();
            self.context_r.d.next.alive = true;
            fields!(context_r.d: generation, source_port);
            self.states.write.next = true;
            self.states.new_word.next.alive = true;
            self.states.new_word.next.law = self.law.val();
            self.states.new_word.next.generation = self.generation.val();
        }
        // after reset
        self.swept.next = !self.sweeping.q.val();
        self.context_qp.next = self.qp.val();
        if self.sweeping.q.val() {
            self.context_qp.next = self.sweep_qp.q.val();
            self.context_r.d.next = bits_zero::<QpContext>(0);
            self.context_valid_r.d.next = self.sweep_step.q.val() == 0;
            self.neighbours.we.next = true;
            self.neighbours.waddr.next = bit_cast_u::<4, 8>(self.sweep_qp.q.val());
            self.neighbours.wdata.next = bits_zero::<Neighbour>(0);
            self.sweep_step.d.next = self.sweep_step.q.val() + 1;
            if self.sweep_step.q.val() == 4 {
                self.sweep_step.d.next = bits_u::<3>(0);
                self.sweep_qp.d.next = self.sweep_qp.q.val() + 1;
                self.sweeping.d.next = !self.sweep_qp.q.val().all();
            }
        }
        self.context_valid.next = self.context_valid_r.q.val();
        self.context_data.next = bit_cast_bus::<211, 4, QpContext>(self.context_r.q.val());
        self.region_valid.next = self.region_valid_r.q.val();
        self.region_slot.next = bit_cast_u::<5, 24>(self.index.q.val());
        self.region_data.next = bit_cast_ww::<195, 4, 384, 6>(self.body.q.val());

        // 9: the requester completes what it has
        self.remove.valid.next = self.step.q.val() == 9;
        fields!(removed: qp, generation);
        self.remove.data.next = bit_cast_number::<16, QpOfGeneration>(self.removed.val());
        if (self.step.q.val() == 9) & self.remove.ready.val() {
            self.step.d.next = 10.into();
        }

        // 10 - 13 and 16 - 21: request flow on even steps, response flow on odd ones
        self.pairs.next = bit_cast_word::<StepPair, U<5>>(self.step.q.val());
        self.response.next = self.pairs.val().response;
        self.own_flow.next = bits_zero::<QpFlow>(0);
        fields!(own_flow: response, qp);
        self.flow_number.next = bit_cast_number::<16, QpFlow>(self.own_flow.val());
        self.flow_step.next = (self.pairs.val().pair == 5) | (self.pairs.val().pair == 8);
        self.cc_step.next = (self.pairs.val().pair == 6) | (self.pairs.val().pair == 9);
        self.first_step.next = self.pairs.val().pair == 10;
        self.flow.valid.next = self.flow_step.val() | (self.step.q.val() == 14);
        self.flow.create.next = self.creating.val();
        self.flow.limit.next = self.step.q.val() == 14;
        self.limit.next = bit_cast_word::<FlowLimit, W<384, 6>>(self.body.q.val());
        self.flow.rate.next = !bits_u::<34>(0);
        if self.limit.val().limited {
            self.flow.rate.next = self.limit.val().rate;
        }
        assign!(flow.group = limit.group, flow.flow = flow_number);
        if self.step.q.val() == 14 {
            self.flow.flow.next = bit_cast_u::<16, 24>(self.index.q.val());
            if self.flow.ready.val() {
                self.step.d.next = 24.into();
            }
        }
        assign!(flow.generation = generation, flow.psn = asked.send_psn);
        if self.response.val() {
            self.flow.psn.next = self.asked.val().expected_psn;
        }
        assign!(flow.mtu = asked.mtu, flow.priority = asked.pause_class);
        self.flow.windowless.next = self.response.val() & !self.is_int.val();
        assign!(flow.timerless = response, cc.valid = cc_step);
        self.cc.data.next.create = self.creating.val();
        self.cc.data.next.flow = self.flow_number.val();
        self.cc.data.next.generation = self.generation.val();
        assign!(cc_law = law, rate = cfg_rate);
        if self.cfg_rate.val() == 0 {
            self.rate.next = self.cfg_line_rate.val();
        }
        self.first.valid.next = self.first_step.val();
        self.first.data.next.flow = self.flow_number.val();
        self.first.data.next.generation = self.generation.val();
        self.first.data.next.window = self.cfg_window.val();
        self.first.data.next.rate = self.rate.val();
        if (self.flow_step.val() & self.flow.ready.val())
            | (self.cc_step.val() & self.cc.ready.val())
            | (self.first_step.val() & self.first.ready.val())
        {
            self.step.d.next = self.step.q.val() + 1;
            if self.response.val() {
                if self.creating.val() {
                    self.step.d.next = 22.into();
                    if self.flow_step.val() {
                        self.step.d.next = 20.into();
                        if self.law.val().any() {
                            self.step.d.next = 18.into();
                        }
                    }
                } else {
                    // removed; the next one is created in its place, or that was all
                    self.step.d.next = 24.into();
                    if self.replaces.q.val() {
                        self.step.d.next = 16.into();
                    }
                    if self.flow_step.val() & self.law.val().any() {
                        self.step.d.next = 12.into();
                    }
                }
            }
        }

        // 23: the packet's message
        self.work.valid.next = self.step.q.val() == 23;
        self.work_id.next.count = self.works.q.val();
        self.work_id.next.by_packet = true;
        self.made.next.id = bit_cast_number::<64, ControlWorkId>(self.work_id.val());
        self.made.next.qpn = self.index.q.val();
        self.made.next.operation = bit_cast_u::<8, 1>(bit_cast_b(self.request.q.val().operation == 2));
        fields!(made from request:
            local_address = request.local_address, local_key = request.local_key,
            remote_address = request.remote_address, remote_key = request.remote_key, length = request.length);
        self.work.data.next = bit_cast_bus::<320, 5, WorkRequest>(self.made.val());
        if (self.step.q.val() == 23) & self.work.ready.val() {
            self.step.d.next = 24.into();
            self.works.d.next = self.works.q.val() + 1;
        }

        // 24
        if self.step.q.val() == 24 {
            self.step.d.next = 0.into();
            self.done_r.d.next = !self.by_packet.q.val();
            if self.by_packet.q.val() {
                if self.code.q.val() == 0 {
                    self.accepted_r.d.next = true;
                } else {
                    self.refused_r.d.next = true;
                }
            }
        }
        assign! {
            command_done = done_r, command_code = code, control_accepted = accepted_r, control_refused = refused_r
        }

        if self.reset.val() {
            clear! {
                step, context_valid_r, region_valid_r, works, accepted_r, refused_r, done_r, settle
            }
            self.sweeping.d.next = true;
            clear!(sweep_step, sweep_qp);
        }
    }
}
