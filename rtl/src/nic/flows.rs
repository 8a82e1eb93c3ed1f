//! Flows: scheduler and congestion control, with everything that reaches them from several blocks merged. Wiring only.

use crate::cc::choice::LawChoice;
use crate::cc::slot::ConfigIn;
use crate::emit::naming::named_as;
use crate::prim::merge::StreamMerge;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::sched::ports::{EndedOut, FeedbackIn, FlowCommandIn, SendOut, WorkIn};
use crate::sched::PaperScheduler;
use crate::transport::probes::Probes;
use crate::transport::requester::answers::IntFields;
use crate::transport::send_times::SendTimes;
use crate::words::congestion::{CcEventKind, LawCode, LawCommand, LawUpdate};
use crate::words::context::QpContext;
use crate::words::flows::{FlowCommand, FlowEvent, FlowOfGeneration, FlowPacket, FlowUpdate, FlowWork, Notice, QpHalf};
use crate::words::sched::LawEvent;
use crate::words::transport::AckSend;
use crate::words::tx::GrantFeedback;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Scheduler and congestion control of 300 flows, with the laws that are built in.
#[block]
pub struct Flows<const HPCC: usize, const DCQCN: usize, const POWERTCP: usize, const THETA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// The NIC's clock, ns.
    pub now: Signal<In, U<48>>,
    /// Paused priorities.
    pub pause: Signal<In, U<8>>,
    /// Speed codes that are valid.
    pub speeds: Signal<In, U<16>>,
    /// Registers of the scheduler.
    pub sched_param: ConfigIn,
    /// Bit n: the law of code n is built in.
    pub laws: Signal<Out, U<8>>,
    /// Registers of the laws.
    pub cc_param: ConfigIn,
    /// Law whose register is written.
    pub cc_param_law: Signal<In, LawCode>,
    /// A level is written.
    pub level_write: Signal<In, Bit>,
    /// Group whose level is written.
    pub level_group: Signal<In, U<4>>,
    /// Rate, UQ7.27 bytes per ns.
    pub level_rate: Signal<In, U<34>>,
    /// Register: limits bound the window too.
    pub cap_window: Signal<In, Bit>,
    /// Register: to their rate times this, ns.
    pub cap_time: Signal<In, U<16>>,
    /// Register: a random wait before the first packet.
    pub cap_dither: Signal<In, Bit>,
    /// Group to look at.
    pub look: Signal<In, U<4>>,
    /// One clock later: its flows with work.
    pub active: Signal<Out, U<16>>,
    /// One clock later: bytes that it has sent.
    pub sent: Signal<Out, U<64>>,
    /// Creation, removal and caps, from the manager.
    pub command: FlowCommandIn,
    /// The same for the flow's law.
    pub cc_command: StreamIn<LawCommand>,
    /// Code of that law.
    pub cc_command_law: Signal<In, U<3>>,
    /// First window and rate of flows without the law.
    pub first: StreamIn<FlowUpdate>,
    /// Flows to stop, from the requester: `FlowOfGeneration`.
    pub kill: StreamIn<FlowOfGeneration>,
    /// Acknowledgements, from the requester.
    pub answered: StreamIn<LawEvent>,
    /// Register: the last of every 2^n packet numbers of a queue pair's requests is timed.
    pub times_spacing: Signal<In, U<4>>,
    /// Bus: a context is written.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair.
    pub context_qp: Signal<In, U<8>>,
    /// Context that is written.
    pub context_data: Signal<In, QpContext>,
    /// Bus: a request has left.
    pub left_valid: Signal<In, Bit>,
    /// Queue pair.
    pub left_qp: Signal<In, U<8>>,
    /// Generation of the queue pair whose request has left.
    pub left_generation: Signal<In, U<8>>,
    /// PSN of the request that has left.
    pub left_psn: Signal<In, U<24>>,
    /// What that means for send times, a `DepartureKind`.
    pub left_departure: Signal<In, U<2>>,
    /// The request that has left has payload.
    pub left_payload: Signal<In, Bit>,
    /// Register: least time between two probes of a queue pair, ns; 0: there are none.
    pub probe_interval: Signal<In, U<32>>,
    /// Register: a probe without response for this long no longer holds back the next, ns.
    pub probe_timeout: Signal<In, U<32>>,
    /// Register: least number of requests with payload between two probes.
    pub probe_packets: Signal<In, U<8>>,
    /// Register: waits for a receiver that is not ready; 7 is no limit.
    pub rnr_retry: Signal<In, U<3>>,
    /// Probes.
    pub probe: StreamOut<AckSend>,
    /// Pulse: a response to a probe did not count.
    pub stray: Signal<Out, Bit>,
    /// Queue pair of an acknowledgement, from the requester.
    pub asked_qp: Signal<In, U<8>>,
    /// PSN that it names.
    pub asked_psn: Signal<In, U<24>>,
    /// Four clocks later: when that packet left is known.
    pub asked_known: Signal<Out, Bit>,
    /// When that was, ns.
    pub asked_sent_at: Signal<Out, U<48>>,
    /// READ echoes, responses to probes and notifications, from dispatch.
    pub notice: StreamIn<Notice>,
    /// Work of requests: `FlowPacket`.
    pub requests: StreamIn<FlowPacket>,
    /// Work of READ responses.
    pub responses: WorkIn,
    /// What became of grants.
    pub feedback: FeedbackIn,
    /// Grants.
    pub send: SendOut,
    /// Flows at their retry limit.
    pub ended: EndedOut,
    /// Events too late.
    pub count_late: Signal<Out, U<32>>,
    /// Acknowledgements beyond what was sent.
    pub count_beyond: Signal<Out, U<32>>,
    /// Events of flows past the count.
    pub count_out_of_range: Signal<Out, U<32>>,
    /// Events that the law missed.
    pub count_cc_dropped: Signal<Out, U<32>>,
    /// Pulse: a retransmission timeout.
    pub timeout: Signal<Out, Bit>,
    /// Pulse: an echo had more hops than records.
    pub many_hops: Signal<Out, Bit>,
    /// Pulse: an echo had a speed code that is not valid.
    pub bad_speed: Signal<Out, Bit>,
    scheduler: PaperScheduler,
    law: LawChoice<300, 9, HPCC, DCQCN, POWERTCP, THETA>,
    times: [SendTimes; THETA],
    probes: Probes,
    feedbacks: StreamMerge<GrantFeedback>,
    adjusted: Signal<Local, GrantFeedback>,
    #[combinational]
    fields: IntFields,
    events: StreamMerge<FlowEvent>,
    works: StreamMerge<FlowWork>,
    commands: StreamMerge<FlowCommand>,
    updates: StreamMerge<FlowUpdate>,
    timeouts: DFF<U<32>>,
    is_cnp: Signal<Local, Bit>,
    /// Of the notification at hand the flow of requests has heard; that of READ responses is next.
    heard: DFF<Bit>,
    told: Signal<Local, Notice>,
    told_kind: Signal<Local, CcEventKind>,
    told_flow: Signal<Local, QpHalf>,
    happened: Signal<Local, FlowEvent>,
    asked: Signal<Local, FlowPacket>,
    more: Signal<Local, FlowWork>,
    killed: Signal<Local, FlowOfGeneration>,
    order: Signal<Local, FlowCommand>,
    decided: Signal<Local, LawUpdate>,
}

#[kernel]
impl<const HPCC: usize, const DCQCN: usize, const POWERTCP: usize, const THETA: usize> Logic
    for Flows<HPCC, DCQCN, POWERTCP, THETA>
{
    fn update(&mut self) {
        inputs!([scheduler, law, probes, events, feedbacks, works, commands, updates]: reset);
        inputs!(scheduler: now, pause, rnr_retry);
        ConfigIn::link(&mut self.sched_param, &mut self.scheduler.param);
        inputs!(scheduler: level_write, level_group, level_rate, cap_window, cap_time, cap_dither, look);
        outputs!(scheduler: active, sent);
        ConfigIn::link(&mut self.cc_param, &mut self.law.param);
        self.laws.next = self.law.built.val();
        inputs!(law: now);
        self.law.param_law.next = self.cc_param_law.val();
        StreamIn::<LawCommand>::link(&mut self.cc_command, &mut self.law.command);
        self.law.command_law.next = bit_cast_word::<LawCode, U<3>>(self.cc_command_law.val());
        SendOut::link(&mut self.send, &mut self.scheduler.send);
        EndedOut::link(&mut self.ended, &mut self.scheduler.ended);
        StreamOut::<LawEvent>::join(&mut self.scheduler.cc, &mut self.law.event);

        // send times, for the law that measures round trips
        self.asked_known.next = false;
        self.asked_sent_at.next = bits_u::<48>(0);
        for i in 0..THETA {
            inputs!(times[i]:
                reset, now, spacing = times_spacing, context_valid, context_qp, context_data, left_valid, left_qp,
                left_generation, left_psn, left_departure, asked_qp, asked_psn);
            self.asked_known.next = self.times[i].known.val();
            self.asked_sent_at.next = self.times[i].sent_at.val();
        }

        // probes: their responses among the notices, their cost among what became of grants
        inputs!(probes:
            now, interval = probe_interval, timeout = probe_timeout, packets = probe_packets, context_valid, context_qp,
            context_data, left_qp, left_generation);
        self.probes.left_valid.next = self.left_valid.val() & self.left_payload.val();
        StreamIn::<Notice>::link(&mut self.notice, &mut self.probes.notice);
        StreamOut::<AckSend>::link(&mut self.probe, &mut self.probes.probe);
        self.stray.next = self.probes.stray.val();
        self.feedbacks.first.valid.next = self.feedback.valid.val();
        self.feedback.ready.next = self.feedbacks.first.ready.val();
        self.feedbacks.first.data.next.from.psn = self.feedback.psn.val();
        self.feedbacks.first.data.next.from.flow = bit_cast_u::<9, 16>(self.feedback.flow.val());
        self.feedbacks.first.data.next.from.generation = self.feedback.generation.val();
        self.feedbacks.first.data.next.value = self.feedback.value.val();
        self.feedbacks.first.data.next.advance = self.feedback.advance.val();
        StreamOut::<GrantFeedback>::join(&mut self.probes.charge, &mut self.feedbacks.second);
        self.scheduler.feedback.valid.next = self.feedbacks.down.valid.val();
        self.feedbacks.down.ready.next = self.scheduler.feedback.ready.val();
        self.adjusted.next = self.feedbacks.down.data.val();
        self.scheduler.feedback.flow.next = bit_cast_u::<16, 9>(self.adjusted.val().from.flow);
        self.scheduler.feedback.psn.next = self.adjusted.val().from.psn;
        self.scheduler.feedback.generation.next = self.adjusted.val().from.generation;
        self.scheduler.feedback.value.next = self.adjusted.val().value;
        self.scheduler.feedback.advance.next = self.adjusted.val().advance;

        // events
        self.events.first.valid.next = self.answered.valid.val();
        self.answered.ready.next = self.events.first.ready.val();
        self.events.first.data.next.hops = self.answered.data.val().telemetry.hops;
        self.events.first.data.next.path_id = self.answered.data.val().telemetry.path_id;
        self.events.first.data.next.n_hop = self.answered.data.val().telemetry.n_hop;
        self.events.first.data.next.int_valid = self.answered.data.val().telemetry.int_valid;
        self.events.first.data.next.ecn = self.answered.data.val().telemetry.ecn;
        self.events.first.data.next.psn_next = self.answered.data.val().psn_next;
        self.events.first.data.next.generation = self.answered.data.val().generation;
        self.events.first.data.next.flow = bit_cast_u::<9, 16>(self.answered.data.val().flow);
        self.events.first.data.next.event_kind = self.answered.data.val().telemetry.event_kind;
        self.events.first.data.next.now = self.answered.data.val().telemetry.now;
        self.events.first.data.next.sent_at = self.answered.data.val().telemetry.sent_at;
        self.events.first.data.next.sent_valid = self.answered.data.val().telemetry.sent_valid;
        self.events.first.data.next.not_ready = self.answered.data.val().not_ready;
        self.events.first.data.next.rnr_timer = self.answered.data.val().rnr_timer;
        self.told.next = self.probes.passed.data.val();
        inputs!(fields: stack = told.int_stack, length = told.int_length, speeds);
        self.told_kind.next = bit_cast_word::<CcEventKind, U<3>>(self.told.val().event_kind);
        self.is_cnp.next = self.told_kind.val() == CcEventKind::Cnp;
        fields!(told_flow from told: response, qp);
        self.events.second.valid.next = self.probes.passed.valid.val();
        self.probes.passed.ready.next = self.events.second.ready.val();
        // a notification does not say which direction was marked: both flows hear of it
        if self.is_cnp.val() {
            self.told_flow.next.response = self.heard.q.val();
            self.probes.passed.ready.next = self.events.second.ready.val() & self.heard.q.val();
            if self.probes.passed.valid.val() & self.events.second.ready.val() {
                self.heard.d.next = !self.heard.q.val();
            }
        }
        // an echo of PSN n says that n + 1 is expected; what a response to a probe has there nobody reads
        self.events.second.data.next.hops = self.fields.hops.val();
        self.events.second.data.next.path_id = self.fields.path_id.val();
        self.events.second.data.next.n_hop = self.fields.n_hop.val();
        self.events.second.data.next.int_valid = self.fields.valid.val();
        self.events.second.data.next.ecn = self.told.val().ecn;
        self.events.second.data.next.psn_next = self.told.val().psn + 1;
        self.events.second.data.next.generation = self.told.val().generation;
        self.events.second.data.next.flow = bit_cast_number::<9, QpHalf>(self.told_flow.val());
        self.events.second.data.next.event_kind = self.told.val().event_kind;
        self.events.second.data.next.now = self.now.val();
        // READ responses are not timed
        self.events.second.data.next.sent_at = bits_u::<48>(0);
        self.events.second.data.next.sent_valid = false;
        self.events.second.data.next.not_ready = false;
        self.events.second.data.next.rnr_timer = bits_u::<5>(0);
        self.many_hops.next = self.probes.passed.valid.val()
            & self.events.second.ready.val()
            & !self.is_cnp.val()
            & self.fields.many.val();
        self.bad_speed.next = self.probes.passed.valid.val()
            & self.events.second.ready.val()
            & !self.is_cnp.val()
            & self.fields.present.val()
            & !self.fields.valid.val();
        self.scheduler.event.valid.next = self.events.down.valid.val();
        self.events.down.ready.next = self.scheduler.event.ready.val();
        self.happened.next = self.events.down.data.val();
        // the scheduler knows what is acknowledged newly and what comes next
        self.scheduler.event.data.next = bits_zero::<LawEvent>(0);
        self.scheduler.event.data.next.psn_next = self.happened.val().psn_next;
        self.scheduler.event.data.next.generation = self.happened.val().generation;
        self.scheduler.event.data.next.flow = bit_cast_u::<16, 9>(self.happened.val().flow);
        self.scheduler.event.data.next.not_ready = self.happened.val().not_ready;
        self.scheduler.event.data.next.rnr_timer = self.happened.val().rnr_timer;
        self.scheduler.event.data.next.telemetry.now = self.happened.val().now;
        self.scheduler.event.data.next.telemetry.sent_at = self.happened.val().sent_at;
        self.scheduler.event.data.next.telemetry.sent_valid = self.happened.val().sent_valid;
        self.scheduler.event.data.next.telemetry.ecn = self.happened.val().ecn;
        self.scheduler.event.data.next.telemetry.hops = self.happened.val().hops;
        self.scheduler.event.data.next.telemetry.path_id = self.happened.val().path_id;
        self.scheduler.event.data.next.telemetry.n_hop = self.happened.val().n_hop;
        self.scheduler.event.data.next.telemetry.int_valid = self.happened.val().int_valid;
        self.scheduler.event.data.next.telemetry.event_kind = self.happened.val().event_kind;

        // work
        self.works.first.valid.next = self.requests.valid.val();
        self.requests.ready.next = self.works.first.ready.val();
        self.asked.next = self.requests.data.val();
        self.works.first.data.next = bits_zero::<FlowWork>(0);
        self.works.first.data.next.flow = bit_cast_u::<9, 16>(self.asked.val().flow);
        self.works.first.data.next.generation = self.asked.val().generation;
        self.works.first.data.next.end_psn = self.asked.val().psn;
        self.works.second.valid.next = self.responses.valid.val();
        self.responses.ready.next = self.works.second.ready.val();
        self.works.second.data.next.flow = bit_cast_u::<9, 16>(self.responses.flow.val());
        self.works.second.data.next.generation = self.responses.generation.val();
        self.works.second.data.next.end_psn = self.responses.end.val();
        self.works.second.data.next.start_psn = self.responses.start.val();
        self.works.second.data.next.restart = self.responses.restart.val();
        self.scheduler.work.valid.next = self.works.down.valid.val();
        self.works.down.ready.next = self.scheduler.work.ready.val();
        self.more.next = self.works.down.data.val();
        self.scheduler.work.flow.next = bit_cast_u::<16, 9>(self.more.val().flow);
        inputs!(scheduler from more:
            work.generation = generation, work.end = end_psn, work.start = start_psn, work.restart = restart);

        // commands
        self.commands.first.valid.next = self.command.valid.val();
        self.command.ready.next = self.commands.first.ready.val();
        self.commands.first.data.next.create = self.command.create.val();
        self.commands.first.data.next.flow = bit_cast_u::<9, 16>(self.command.flow.val());
        self.commands.first.data.next.generation = self.command.generation.val();
        self.commands.first.data.next.psn = self.command.psn.val();
        self.commands.first.data.next.mtu = self.command.mtu.val();
        self.commands.first.data.next.pause_class = self.command.priority.val();
        self.commands.first.data.next.windowless = self.command.windowless.val();
        self.commands.first.data.next.timerless = self.command.timerless.val();
        self.commands.first.data.next.limit = self.command.limit.val();
        self.commands.first.data.next.rate = self.command.rate.val();
        self.commands.first.data.next.group = self.command.group.val();
        self.commands.second.valid.next = self.kill.valid.val();
        self.kill.ready.next = self.commands.second.ready.val();
        self.killed.next = self.kill.data.val();
        self.commands.second.data.next = bits_zero::<FlowCommand>(0);
        self.commands.second.data.next.flow = bit_cast_u::<9, 16>(self.killed.val().flow);
        self.commands.second.data.next.generation = self.killed.val().generation;
        self.scheduler.command.valid.next = self.commands.down.valid.val();
        self.commands.down.ready.next = self.scheduler.command.ready.val();
        self.order.next = self.commands.down.data.val();
        self.scheduler.command.create.next = self.order.val().create;
        self.scheduler.command.flow.next = bit_cast_u::<16, 9>(self.order.val().flow);
        inputs!(scheduler from order:
            command.generation = generation, command.psn = psn, command.mtu = mtu, command.priority = pause_class,
            command.windowless = windowless, command.timerless = timerless, command.limit = limit, command.rate = rate,
            command.group = group);

        // updates
        self.updates.first.valid.next = self.law.update.valid.val();
        self.law.update.ready.next = self.updates.first.ready.val();
        self.decided.next = self.law.update.data.val();
        self.updates.first.data.next.flow = self.decided.val().flow;
        self.updates.first.data.next.generation = self.decided.val().generation;
        self.updates.first.data.next.window = self.decided.val().window;
        self.updates.first.data.next.rate = self.decided.val().rate;
        // a first window must not overtake the creation of its flow
        self.updates.second.valid.next = self.first.valid.val() & !self.commands.down.valid.val();
        self.first.ready.next = self.updates.second.ready.val() & !self.commands.down.valid.val();
        self.updates.second.data.next = self.first.data.val();
        StreamOut::<FlowUpdate>::join(&mut self.updates.down, &mut self.scheduler.update);

        outputs!(scheduler: count_late, count_beyond, count_out_of_range, count_cc_dropped);
        self.timeouts.d.next = self.scheduler.count_timeout.val();
        self.timeout.next = self.timeouts.q.val() != self.scheduler.count_timeout.val();
        reset!(heard);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_as::<Self>(if DCQCN + POWERTCP + THETA == 0 { "nic_flows_hpcc" } else { "nic_flows" })
    }
}
