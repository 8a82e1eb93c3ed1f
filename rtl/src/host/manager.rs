//! Queue pairs, regions and neighbours: carries out commands of the host and admitted control packets, one at a time.
//!
//! | step | does |
//! |---|---|
//! | `Idle` | takes a command, or a control packet when there is none |
//! | `ReadState`, `AwaitState`, `Decide` | looks the queue pair up, decides |
//! | `AddressNeighbour`, `AwaitNeighbour`, `CompareNeighbour`, `TakeNeighbour` | looks for the neighbour (control packets), one every four clocks |
//! | `Void`, `RemoveWork`, `RemoveFlow`, `RemoveLaw` | removal: context dead, requester, scheduler, congestion control |
//! | `Settle`, `AwaitQuiet` | waits until memory has answered what was issued before: for the queue pair that is removed, or for the old content of a region's entry |
//! | `Limit` | cap and group of a flow |
//! | `CreateFlow`, `CreateLaw`, `FirstRate` | creation: scheduler, then the queue pair's law, or first window and rate where it has none |
//! | `Publish` | context alive |
//! | `PostWork` | work request of a control packet, once the listeners are done with the creation |
//! | `Report` | says how it went, once the listeners are done with a creation |
//!
//! What concerns flows is done twice, for the flow of requests and for that of READ responses.
//!
//! After reset every queue pair is voided on the context bus, one every five clocks: a context that is dead and of generation 0, which
//! no queue pair ever has. Whoever listens writes its own first state, so nothing survives a reset; commands wait meanwhile. The entries of regions and
//! neighbours are emptied beside it.
//! A creation is followed by no report, work request or other command for 31 clocks, in which its listeners are done with it.
//!
//! Reference: `create_qp`, `remove_qp` and `control` of `hpcc_models::nic`. A queue pair one of whose halves has ended is removed by
//! the creation of the next one; one that the host created is neither replaced nor removed by a control packet.

// The file is longer than others: it is one automaton, whose steps are read in their order, and a quarter of it are the ports' comments.

use super::control::ControlGate;
use super::qp_states::QpStates;
use crate::prim::lut_ram::LutRam;
use crate::prim::ram::RamReg;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
use crate::sched::ports::FlowCommandOut;
use crate::words::congestion::LawCommand;
use crate::words::context::{
    AdmittedRequest, CommandResult, ControlWorkId, FlowLimit, HostCommand, HostOperation, KnownRegion, ManagerStep,
    Neighbour, QpContext, QpLife, Region, RegionKey,
};
use crate::words::flows::{FlowUpdate, QpFlow};
use crate::words::requester::QpOfGeneration;
use crate::words::rx::{ControlPacket, QpNumber};
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
    /// How it went.
    pub command_code: Signal<Out, CommandResult>,
    /// Control packets, as [`ControlGate`] takes them.
    pub packet: StreamIn<ControlPacket>,
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
    /// Queue pair whose requester half has ended.
    pub requester_ended: Signal<In, QpOfGeneration>,
    /// A responder half has ended.
    pub responder_ended_valid: Signal<In, Bit>,
    /// Queue pair whose responder half has ended.
    pub responder_ended: Signal<In, QpOfGeneration>,
    /// Bus: a context is written.
    pub context_valid: Signal<Out, Bit>,
    /// Queue pair.
    pub context_qp: Signal<Out, U<8>>,
    /// Context that is written.
    pub context_data: Signal<Out, QpContext>,
    /// Bus: the entry of a region's key is written.
    pub region_valid: Signal<Out, Bit>,
    /// Region that is written.
    pub region_data: Signal<Out, Region>,
    /// Queue pairs to remove, to the requester: `QpOfGeneration`.
    pub remove: StreamOut<QpOfGeneration>,
    /// Flows of the scheduler.
    pub flow: FlowCommandOut,
    /// Flows of the congestion control.
    pub cc: StreamOut<LawCommand>,
    /// Law of the flow that is created or removed.
    pub cc_law: Signal<Out, U<3>>,
    /// First window and rate of queue pairs without a law.
    pub first: StreamOut<FlowUpdate>,
    /// Pulse: what is on its way is waited for.
    pub fence: Signal<Out, Bit>,
    /// What was on its way with the last one has ended; low from two clocks after it on.
    pub quiet: Signal<In, Bit>,
    /// Work requests of control packets.
    pub work: StreamOut<WorkRequest>,
    /// A control packet was carried out.
    pub control_accepted: Signal<Out, Bit>,
    /// A control packet was refused.
    pub control_refused: Signal<Out, Bit>,
    /// One of the halves of a queue pair has ended, and none before; one pulse for each.
    pub qp_died: Signal<Out, Bit>,
    #[registers(U<5>:
        /// Entry of the table of neighbours that is compared.
        neighbour)]
    #[registers(ManagerStep:
        /// Step of the command that is carried out.
        step)]
    #[registers(HostOperation:
        /// What the command asks for.
        operation)]
    #[registers(CommandResult:
        /// How the command went, as far as is known.
        code)]
    #[registers(Bit:
        /// The number of the queue pair or flow exists.
        index_ok,
        /// The law that the command asks for is built in, and has the INT that it needs.
        law_ok,
        /// The MTU code that the command asks for exists.
        mtu_ok,
        /// Another region has the entry of the key.
        entry_taken,
        /// The entry holds the region of the key.
        region_known,
        /// The entry of the table of neighbours exists.
        neighbour_ok,
        /// The entry that is compared is the peer's.
        found)]
    #[registers(Bit:
        /// The command came as a control packet.
        by_packet,
        /// The numbers and PSNs of the control packet have 24 bits.
        fits,
        /// The number that the queue pair is to have is its place's.
        number_ok,
        /// The command creates a queue pair; one that has ended is removed first.
        replaces,
        /// A context is written, for one clock.
        context_valid_r,
        /// The entry of a region is written, for one clock.
        region_valid_r,
        /// A control packet was carried out, for one clock.
        accepted_r,
        /// A control packet was refused, for one clock.
        refused_r,
        /// The command has ended, for one clock.
        done_r)]
    #[registers(Bit:
        /// After a reset: queue pairs are voided one after the other, and commands wait.
        sweeping,
        /// The flow of READ responses is configured or removed, after that of requests.
        response,
        /// A command or control packet is taken in this clock if there is one.
        open,
        /// The work request of a control packet was taken one clock ago.
        posted,
        /// What is on its way is waited for from this clock on, for one clock.
        fence_r)]
    /// Clocks until no job is made any more for what has been removed.
    calm: DFF<U<6>>,
    #[registers(U<3>:
        /// Clocks since the last queue pair was voided; one is voided every five clocks.
        sweep_step)]
    #[signals(QpContext: asked, filled)]
    #[signals(QpFlow: half, own_flow)]
    #[signals(U<8>: generation, next_generation)]
    #[signals(Bit: exists, is_int, flow_step, cc_step, first_step, creating, takes, arrived, hosts)]
    #[signals(U<16>: source_port, flow_number)]
    gate: ControlGate,
    states: QpStates,
    neighbours: RamReg<Neighbour, 4>,
    /// Keys of the regions, by entry.
    regions: LutRam<KnownRegion, 5>,
    #[signals(Region: region, swept_region)]
    #[signals(RegionKey: region_key, swept_key)]
    written_region: Signal<Local, KnownRegion>,
    #[init(Constant::new(U(LAWS.iter().fold(0, |codes, law| codes | u64::from(law.needs_int) << law.code))))]
    need_int: Constant<U<8>>,
    /// Clocks until the listeners are done with a creation, and frames find the queue pair.
    settle: DFF<U<5>>,
    /// The control packet, admitted.
    request: DFF<AdmittedRequest>,
    /// Number that the command names: of a queue pair, flow or neighbour.
    index: DFF<U<24>>,
    /// What the command writes: a context, region, neighbour or limit.
    body: DFF<W<384, 6>>,
    /// The queue pair that the command is about.
    qp: DFF<U<8>>,
    /// What is known of the queue pair: life, law, generation.
    current: DFF<QpLife>,
    ordered: Signal<Local, HostCommand>,
    limit: Signal<Local, FlowLimit>,
    removed: Signal<Local, QpOfGeneration>,
    work_id: Signal<Local, ControlWorkId>,
    number: Signal<Local, QpNumber>,
    made: Signal<Local, WorkRequest>,
    law: Signal<Local, U<3>>,
    qpn_mix: Signal<Local, U<24>>,
    rate: Signal<Local, U<34>>,
    /// The context that is written.
    context_r: DFF<QpContext>,
    /// Number of the next work request of a control packet.
    works: DFF<U<63>>,
    /// Queue pair that is voided next after a reset.
    sweep_qp: DFF<U<8>>,
}

// the literal in the kernel
const _: () = assert!(QP_COUNT == 150);

#[kernel]
impl Logic for Manager {
    fn update(&mut self) {
        gate.reset = reset;
        inputs!(states: reset, requester_ended_valid, requester_ended, responder_ended_valid, responder_ended);
        qp_died = states.died;
        StreamIn::<ControlPacket>::link(&mut packet, &mut gate.packet);
        inputs!(gate:
            now, cfg_mtu, cfg_default_law, cfg_control_enable, cfg_control_interval, cfg_control_key,
            cfg_control_sources);

        // `Idle`: the host goes first; a packet's fields take the places of a command's
        if settle.any() {
            settle = settle - 1;
        }
        ordered = command.data;
        // a command about a flow has its number, that of the queue pair and which half
        half = bit_cast_word::<QpFlow, U<16>>(bit_cast_u::<16, 24>(ordered.index));
        // a register, because it enables all that is taken; closed by what it takes
        open = (step == ManagerStep::Idle) & !sweeping & !settle.any() & !(open & (command.valid | gate.request.valid));
        takes = open;
        command.ready = takes;
        gate.request.ready = takes & !command.valid;
        accepted_r = false;
        refused_r = gate.refused;
        done_r = false;
        if takes {
            code = CommandResult::Done;
            clear!(replaces, response, neighbour);
            by_packet = !command.valid;
            if command.valid {
                step = ManagerStep::ReadState;
                assign! {
                    index.d = ordered.index, body.d = ordered.body
                }
                operation = HostOperation::Nothing;
                qp = bit_cast_u::<8, 24>(ordered.index);
                if ordered.operation <= 5 {
                    operation = bit_cast_word::<HostOperation, U<3>>(ordered.operation);
                }
                if ordered.operation == bit_cast_number::<3, HostOperation>(HostOperation::LimitFlow) {
                    qp = half.qp;
                }
                fits = true;
            } else if gate.request.valid {
                step = ManagerStep::ReadState;
                assign!(request.d = gate.request.data, operation.d = gate.operation);
                index = gate.request.data.val().request.qpn;
                qp = bit_cast_u::<8, 24>(gate.request.data.val().request.qpn);
                assign!(fits.d = gate.fits, body.d = gate.new_context);
            }
        }

        // what there is; the command itself is looked at meanwhile
        states.qp = qp;
        if step == ManagerStep::ReadState {
            step = ManagerStep::AwaitState;
        }
        if step == ManagerStep::AwaitState {
            step = ManagerStep::Decide;
            current = states.word;
        }
        index_ok = if operation == HostOperation::LimitFlow {
            (index >= 4) & (index < 300)
        } else {
            fits & (index >= 2) & (index < 150)
        };
        // the entry is read while the queue pair's state is
        region = bit_cast_word::<Region, W<384, 6>>(body);
        region_key = bit_cast_word::<RegionKey, U<32>>(region.key);
        regions.raddr = region_key.entry;
        regions.we = false;
        regions.waddr = region_key.entry;
        fields!(written_region from region: valid, key);
        regions.wdata = written_region;
        region_known = regions.rdata.val().valid & (regions.rdata.val().key == region.key);
        entry_taken = regions.rdata.val().valid & (regions.rdata.val().key != region.key);
        neighbour_ok = index < 16;
        exists = index_ok & current.alive;
        // control packets leave alone what the host created, alive or ended
        hosts = by_packet & !current.by_packet;
        asked = bit_cast_word::<QpContext, W<384, 6>>(body);
        // the lowest bits of a queue pair's number are its place; zero stands for the place itself
        number = bit_cast_word::<QpNumber, U<24>>(asked.local_qpn);
        number_ok = (number.place == qp) | (asked.local_qpn == 0);
        mtu_ok = asked.mtu <= 4;
        law_ok = laws.get_bit(asked.law.index()) & (asked.int_on | !need_int.get_bit(asked.law.index()));
        region_valid_r = false;
        neighbours.we = false;
        if step == ManagerStep::Decide {
            step = ManagerStep::Report;
            code = CommandResult::BadOperation;
            if operation == HostOperation::CreateQp {
                if !(index_ok & number_ok) {
                    code = CommandResult::BadNumber;
                } else if !mtu_ok {
                    code = CommandResult::BadMtu;
                } else if !law_ok {
                    code = CommandResult::BadLaw;
                } else if exists & (hosts | !states.ended) {
                    code = CommandResult::Exists;
                } else {
                    code = CommandResult::Done;
                    replaces = true;
                    step = if exists { ManagerStep::Void } else { ManagerStep::CreateFlow };
                    if by_packet {
                        step = ManagerStep::AddressNeighbour;
                    }
                }
            }
            if operation == HostOperation::RemoveQp {
                code = CommandResult::Absent;
                if exists & !hosts {
                    code = CommandResult::Done;
                    step = ManagerStep::Void;
                }
            }
            if operation == HostOperation::WriteRegion {
                code = if region.valid { CommandResult::Exists } else { CommandResult::Absent };
                if region_known | (region.valid & !entry_taken) {
                    code = CommandResult::Done;
                    regions.we = true;
                    region_valid_r = true;
                    step = ManagerStep::Settle;
                }
            }
            if operation == HostOperation::WriteNeighbour {
                code = CommandResult::BadNumber;
                if neighbour_ok {
                    code = CommandResult::Done;
                    neighbours.we = true;
                }
            }
            if operation == HostOperation::LimitFlow {
                code = if index_ok { CommandResult::Absent } else { CommandResult::BadNumber };
                if exists {
                    code = CommandResult::Done;
                    step = ManagerStep::Limit;
                }
            }
        }

        // the neighbour
        neighbours.waddr = bit_cast_u::<4, 24>(index);
        neighbours.wdata = bit_cast_word::<Neighbour, W<384, 6>>(body);
        neighbours.raddr = bit_cast_u::<4, 5>(neighbour);
        filled = asked;
        filled.remote_mac = neighbours.rdata.val().mac;
        if step == ManagerStep::AddressNeighbour {
            step = ManagerStep::AwaitNeighbour;
        }
        if step == ManagerStep::AwaitNeighbour {
            step = ManagerStep::CompareNeighbour;
        }
        found = (neighbours.rdata.val().ip == asked.remote_ip) & neighbours.rdata.val().ip.any();
        if step == ManagerStep::CompareNeighbour {
            step = ManagerStep::TakeNeighbour;
        }
        if step == ManagerStep::TakeNeighbour {
            step = ManagerStep::AddressNeighbour;
            neighbour = neighbour + 1;
            if neighbour == 16 {
                // none: refused
                code = CommandResult::BadNumber;
                step = ManagerStep::Report;
            } else if found {
                body = bit_cast_bus::<384, 6, QpContext>(filled);
                step = if exists { ManagerStep::Void } else { ManagerStep::CreateFlow };
            }
        }

        // `Void`, `Publish`: the context and what is known of it here
        assign! {
            is_int = asked.int_on, law = current.law, generation = current.generation
        }
        creating = (step == ManagerStep::CreateFlow)
            | (step == ManagerStep::CreateLaw)
            | (step == ManagerStep::FirstRate)
            | (step == ManagerStep::Publish);
        next_generation = if current.generation.all() { bits_u::<8>(1) } else { current.generation + 1 };
        if creating {
            assign!(law = asked.law, generation = next_generation);
        }
        qpn_mix = index ^ (asked.remote_qpn << 5);
        source_port = asked.source_port;
        if asked.source_port == 0 {
            source_port = bit_cast_u::<16, 14>(bit_cast_u::<14, 24>(qpn_mix)) | 0xc000;
        }
        // counts in the clock of its pulse alone
        context_r = bits_zero::<QpContext>(0);
        context_r.generation = generation;
        context_valid_r = false;
        states.write = false;
        states.new_word = bits_zero::<QpLife>(0);
        states.new_word.next.generation = current.generation;
        if step == ManagerStep::Void {
            step = ManagerStep::RemoveWork;
            context_valid_r = true;
            states.write = true;
        }
        if step == ManagerStep::Publish {
            step = ManagerStep::Report;
            settle = bits_u::<5>(31);
            if by_packet {
                step = ManagerStep::PostWork;
            }
            context_valid_r = true;
            context_r = asked;
            context_r.alive = true;
            fields!(context_r.d: generation, source_port);
            states.write = true;
            states.new_word.next.alive = true;
            states.new_word.next.by_packet = by_packet;
            states.new_word.next.law = law;
            states.new_word.next.generation = generation;
        }
        // after reset
        swept_key = bits_zero::<RegionKey>(0);
        swept_key.entry = bit_cast_u::<5, 8>(sweep_qp);
        swept_region = bits_zero::<Region>(0);
        swept_region.key = bit_cast_number::<32, RegionKey>(swept_key);
        swept = !sweeping;
        context_qp = qp;
        if sweeping {
            context_qp = sweep_qp;
            context_r = bits_zero::<QpContext>(0);
            context_valid_r = sweep_step == 0;
            neighbours.we = true;
            neighbours.waddr = bit_cast_u::<4, 8>(sweep_qp);
            neighbours.wdata = bits_zero::<Neighbour>(0);
            // every entry of the regions too, several times
            body = bit_cast_bus::<384, 6, Region>(swept_region);
            region_valid_r = sweep_step == 0;
            regions.we = true;
            regions.waddr = swept_key.entry;
            regions.wdata = bits_zero::<KnownRegion>(0);
            sweep_step = sweep_step + 1;
            if sweep_step == 4 {
                sweep_step = bits_u::<3>(0);
                sweep_qp = sweep_qp + 1;
                sweeping = !sweep_qp.all();
            }
        }
        context_valid = context_valid_r;
        context_data = context_r;
        region_valid = region_valid_r;
        region_data = region;

        // `RemoveWork`: the requester completes what it has
        remove.valid = step == ManagerStep::RemoveWork;
        fields!(removed: qp, generation);
        remove.data = removed;
        if (step == ManagerStep::RemoveWork) & remove.ready {
            step = ManagerStep::RemoveFlow;
        }

        // the flows, that of requests first
        own_flow = bits_zero::<QpFlow>(0);
        fields!(own_flow: response, qp);
        flow_number = bit_cast_number::<16, QpFlow>(own_flow);
        flow_step = (step == ManagerStep::RemoveFlow) | (step == ManagerStep::CreateFlow);
        cc_step = (step == ManagerStep::RemoveLaw) | (step == ManagerStep::CreateLaw);
        first_step = step == ManagerStep::FirstRate;
        flow.valid = flow_step | (step == ManagerStep::Limit);
        flow.create = creating;
        flow.limit = step == ManagerStep::Limit;
        limit = bit_cast_word::<FlowLimit, W<384, 6>>(body);
        flow.rate = if limit.limited { limit.rate } else { !bits_u::<34>(0) };
        assign!(flow.group = limit.group, flow.flow = flow_number);
        if step == ManagerStep::Limit {
            flow.flow = bit_cast_u::<16, 24>(index);
            if flow.ready {
                step = ManagerStep::Report;
            }
        }
        assign!(flow.generation = generation, flow.psn = asked.send_psn);
        if response {
            flow.psn = asked.expected_psn;
        }
        assign!(flow.mtu = asked.mtu, flow.priority = asked.pause_class);
        flow.windowless = response & !is_int;
        assign!(flow.timerless = response, cc.valid = cc_step);
        cc.data.next.create = creating;
        cc.data.next.flow = flow_number;
        cc.data.next.generation = generation;
        assign!(cc_law = law, rate = cfg_rate);
        if cfg_rate == 0 {
            rate = cfg_line_rate;
        }
        first.valid = first_step;
        first.data.next.flow = flow_number;
        first.data.next.generation = generation;
        first.data.next.window = cfg_window;
        first.data.next.rate = rate;
        if (flow_step & flow.ready) | (cc_step & cc.ready) | (first_step & first.ready) {
            response = !response;
            if response {
                if creating {
                    step = ManagerStep::Publish;
                    if flow_step {
                        step = if asked.law.any() { ManagerStep::CreateLaw } else { ManagerStep::FirstRate };
                    }
                } else {
                    // removed, but for what memory still has to do
                    step = ManagerStep::Settle;
                    if flow_step & current.law.any() {
                        step = ManagerStep::RemoveLaw;
                    }
                }
            }
        }

        // done means quiet: what was issued before has been answered; the next queue pair is created in its place, or that was all
        if calm.any() {
            calm = calm - 1;
        }
        if (step == ManagerStep::Decide) | (step == ManagerStep::Void) {
            calm = bits_u::<6>(63);
        }
        fence_r = false;
        if (step == ManagerStep::Settle) & !calm.any() {
            step = ManagerStep::AwaitQuiet;
            fence_r = true;
        }
        if (step == ManagerStep::AwaitQuiet) & quiet & !fence_r {
            step = if replaces { ManagerStep::CreateFlow } else { ManagerStep::Report };
        }
        fence = fence_r;

        // answers to what is posted, and frames that a peer sends to a queue pair that was reported, are to find it
        arrived = !settle.any();

        // `PostWork`: the packet's message
        work.valid = (step == ManagerStep::PostWork) & arrived;
        work_id.count = works;
        work_id.by_packet = true;
        made.id = bit_cast_number::<64, ControlWorkId>(work_id);
        made.qpn = index;
        made.operation = bit_cast_u::<8, 1>(bit_cast_b(request.operation == 2));
        fields!(made from request:
            local_address = request.local_address, local_key = request.local_key,
            remote_address = request.remote_address, remote_key = request.remote_key, length = request.length);
        work.data = made;
        if work.valid & work.ready {
            step = ManagerStep::Report;
        }
        // counted a clock later: no message is posted in the next one
        posted = work.valid & work.ready;
        if posted {
            works = works + 1;
        }

        if (step == ManagerStep::Report) & arrived {
            step = ManagerStep::Idle;
            done_r = !by_packet;
            if by_packet {
                if code == CommandResult::Done {
                    accepted_r = true;
                } else {
                    refused_r = true;
                }
            }
        }
        assign! {
            command_done = done_r, command_code = code, control_accepted = accepted_r, control_refused = refused_r
        }

        if reset {
            clear! {
                context_valid_r, region_valid_r, open, posted, works, accepted_r, refused_r, done_r, settle, step, sweep_step, sweep_qp, calm, fence_r
            }
            sweeping = true;
        }
    }
}
