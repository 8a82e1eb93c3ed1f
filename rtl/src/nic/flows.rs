//! Flows: scheduler and congestion control, with everything that reaches them from several blocks merged. Wiring only.

use crate::cc::hpcc::HpccSlot;
use crate::cc::slot::{CommandIn, ConfigIn, EventIn, EventOut, UpdateIn};
use crate::prim::merge::StreamMerge;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::sched::ports::{EndedOut, FeedbackIn, FlowCommandIn, SendOut, WorkIn};
use crate::sched::PaperScheduler;
use crate::transport::dispatch::DispatchEvent;
use crate::transport::requester::answers::IntFields;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// An event on its way to the scheduler: hops 319:0, path id 331:320, hop count 335:332, INT valid 336, ECN 337, PSN 361:338,
/// generation 369:362, flow 378:370, kind 381:379.
type EventWord = W<382, 6>;

/// Work on its way to the scheduler: flow 8:0, generation 16:9, end 40:17, start 64:41, restart 65.
type WorkWord = W<66, 2>;

/// A command on its way to the scheduler: create 0, flow 9:1, generation 17:10, PSN 41:18, MTU code 44:42, priority 47:45,
/// windowless 48, timerless 49, limit 50, rate 84:51, group 88:85.
type CommandWord = W<89, 2>;

/// An update: flow 15:0, generation 23:16, window 57:24, rate 91:58.
type UpdateWord = W<92, 2>;

/// Scheduler and congestion control of 300 flows.
#[block]
pub struct Flows {
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
    /// Registers of the law.
    pub cc_param: ConfigIn,
    /// A level is written.
    pub level_write: Signal<In, Bit>,
    /// Its group.
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
    /// The same for the law.
    pub cc_command: CommandIn,
    /// First window and rate of flows without the law.
    pub first: UpdateIn,
    /// Flows to stop, from the requester: flow 15:0, generation 23:16.
    pub kill: StreamIn<U<24>>,
    /// Acknowledgements, from the requester.
    pub answered: EventIn,
    /// READ echoes and notifications, from dispatch.
    pub notice: StreamIn<DispatchEvent>,
    /// Work of requests: flow 15:0, generation 23:16, end 47:24.
    pub requests: StreamIn<U<48>>,
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
    law: HpccSlot<300, 9>,
    #[combinational]
    fields: IntFields,
    events: StreamMerge<EventWord>,
    works: StreamMerge<WorkWord>,
    commands: StreamMerge<CommandWord>,
    updates: StreamMerge<UpdateWord>,
    timeouts: DFF<U<32>>,
    is_echo: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Flows {
    fn update(&mut self) {
        inputs!([scheduler, law, events, works, commands, updates], reset);
        inputs!(scheduler, now, pause);
        ConfigIn::link(&mut self.sched_param, &mut self.scheduler.param);
        inputs!(
            scheduler,
            level_write,
            level_group,
            level_rate,
            cap_window,
            cap_time,
            cap_dither,
            look
        );
        outputs!(scheduler, active, sent);
        ConfigIn::link(&mut self.cc_param, &mut self.law.param);
        CommandIn::link(&mut self.cc_command, &mut self.law.command);
        FeedbackIn::link(&mut self.feedback, &mut self.scheduler.feedback);
        SendOut::link(&mut self.send, &mut self.scheduler.send);
        EndedOut::link(&mut self.ended, &mut self.scheduler.ended);
        EventOut::join(&mut self.scheduler.cc, &mut self.law.event);

        // events
        self.events.first.valid.next = self.answered.valid.val();
        self.answered.ready.next = self.events.first.ready.val();
        self.events.first.data.next = bit_cast_ww::<382, 6, 320, 5>(self.answered.hops.val())
            | (bit_cast_w::<382, 6, 12>(self.answered.path_id.val()) << 320)
            | (bit_cast_w::<382, 6, 4>(self.answered.n_hop.val()) << 332)
            | (bit_cast_w::<382, 6, 1>(bit_cast_b(self.answered.int_valid.val())) << 336)
            | (bit_cast_w::<382, 6, 1>(bit_cast_b(self.answered.ecn.val())) << 337)
            | (bit_cast_w::<382, 6, 24>(self.answered.psn_next.val()) << 338)
            | (bit_cast_w::<382, 6, 8>(self.answered.generation.val()) << 362)
            | (bit_cast_w::<382, 6, 9>(bit_cast_u::<9, 16>(self.answered.flow.val())) << 370)
            | (bit_cast_w::<382, 6, 3>(self.answered.kind.val()) << 379);
        self.fields.stack.next = bit_cast_ww::<336, 6, 387, 7>(self.notice.data.val() >> 51);
        self.fields.length.next = self.notice.data.val().get_bits::<6>(45);
        self.fields.speeds.next = self.speeds.val();
        self.is_echo.next = self.notice.data.val().get_bits::<3>(0) == 0;
        self.events.second.valid.next = self.notice.valid.val();
        self.notice.ready.next = self.events.second.ready.val();
        // an echo of PSN n says that n + 1 is expected
        self.events.second.data.next = bit_cast_ww::<382, 6, 320, 5>(self.fields.hops.val())
            | (bit_cast_w::<382, 6, 12>(self.fields.path_id.val()) << 320)
            | (bit_cast_w::<382, 6, 4>(self.fields.n_hop.val()) << 332)
            | (bit_cast_w::<382, 6, 1>(bit_cast_b(self.fields.valid.val())) << 336)
            | (bit_cast_w::<382, 6, 1>(self.notice.data.val().get_bits::<1>(44)) << 337)
            | (bit_cast_w::<382, 6, 24>(self.notice.data.val().get_bits::<24>(20) + 1) << 338)
            | (bit_cast_w::<382, 6, 8>(self.notice.data.val().get_bits::<8>(12)) << 362)
            | (bit_cast_w::<382, 6, 1>(self.notice.data.val().get_bits::<1>(3)) << 370)
            | (bit_cast_w::<382, 6, 8>(self.notice.data.val().get_bits::<8>(4)) << 371)
            | (bit_cast_w::<382, 6, 3>(self.notice.data.val().get_bits::<3>(0)) << 379);
        self.many_hops.next =
            self.notice.valid.val() & self.events.second.ready.val() & self.is_echo.val() & self.fields.many.val();
        self.bad_speed.next = self.notice.valid.val()
            & self.events.second.ready.val()
            & self.is_echo.val()
            & self.fields.present.val()
            & !self.fields.valid.val();
        self.scheduler.event.valid.next = self.events.down.valid.val();
        self.events.down.ready.next = self.scheduler.event.ready.val();
        self.scheduler.event.hops.next = bit_cast_ww::<320, 5, 382, 6>(self.events.down.data.val());
        self.scheduler.event.path_id.next = self.events.down.data.val().get_bits::<12>(320);
        self.scheduler.event.n_hop.next = self.events.down.data.val().get_bits::<4>(332);
        self.scheduler.event.int_valid.next = self.events.down.data.val().get_bit(336);
        self.scheduler.event.ecn.next = self.events.down.data.val().get_bit(337);
        self.scheduler.event.psn_next.next = self.events.down.data.val().get_bits::<24>(338);
        self.scheduler.event.generation.next = self.events.down.data.val().get_bits::<8>(362);
        self.scheduler.event.flow.next = bit_cast_u::<16, 9>(self.events.down.data.val().get_bits::<9>(370));
        self.scheduler.event.kind.next = self.events.down.data.val().get_bits::<3>(379);
        self.scheduler.event.snd_nxt.next = bits_u::<24>(0);
        // the scheduler knows what is acknowledged newly; when a packet was sent is not kept
        self.scheduler.event.sent_at.next = bits_u::<48>(0);
        self.scheduler.event.bytes.next = bits_u::<32>(0);
        self.scheduler.event.now.next = self.now.val();

        // work
        self.works.first.valid.next = self.requests.valid.val();
        self.requests.ready.next = self.works.first.ready.val();
        self.works.first.data.next = bit_cast_w::<66, 2, 9>(self.requests.data.val().get_bits::<9>(0))
            | (bit_cast_w::<66, 2, 8>(self.requests.data.val().get_bits::<8>(16)) << 9)
            | (bit_cast_w::<66, 2, 24>(self.requests.data.val().get_bits::<24>(24)) << 17);
        self.works.second.valid.next = self.responses.valid.val();
        self.responses.ready.next = self.works.second.ready.val();
        self.works.second.data.next = bit_cast_w::<66, 2, 9>(bit_cast_u::<9, 16>(self.responses.flow.val()))
            | (bit_cast_w::<66, 2, 8>(self.responses.generation.val()) << 9)
            | (bit_cast_w::<66, 2, 24>(self.responses.end.val()) << 17)
            | (bit_cast_w::<66, 2, 24>(self.responses.start.val()) << 41)
            | (bit_cast_w::<66, 2, 1>(bit_cast_b(self.responses.restart.val())) << 65);
        self.scheduler.work.valid.next = self.works.down.valid.val();
        self.works.down.ready.next = self.scheduler.work.ready.val();
        self.scheduler.work.flow.next = bit_cast_u::<16, 9>(self.works.down.data.val().get_bits::<9>(0));
        self.scheduler.work.generation.next = self.works.down.data.val().get_bits::<8>(9);
        self.scheduler.work.end.next = self.works.down.data.val().get_bits::<24>(17);
        self.scheduler.work.start.next = self.works.down.data.val().get_bits::<24>(41);
        self.scheduler.work.restart.next = self.works.down.data.val().get_bit(65);

        // commands
        self.commands.first.valid.next = self.command.valid.val();
        self.command.ready.next = self.commands.first.ready.val();
        self.commands.first.data.next = bit_cast_w::<89, 2, 1>(bit_cast_b(self.command.create.val()))
            | (bit_cast_w::<89, 2, 9>(bit_cast_u::<9, 16>(self.command.flow.val())) << 1)
            | (bit_cast_w::<89, 2, 8>(self.command.generation.val()) << 10)
            | (bit_cast_w::<89, 2, 24>(self.command.psn.val()) << 18)
            | (bit_cast_w::<89, 2, 3>(self.command.mtu.val()) << 42)
            | (bit_cast_w::<89, 2, 3>(self.command.priority.val()) << 45)
            | (bit_cast_w::<89, 2, 1>(bit_cast_b(self.command.windowless.val())) << 48)
            | (bit_cast_w::<89, 2, 1>(bit_cast_b(self.command.timerless.val())) << 49)
            | (bit_cast_w::<89, 2, 1>(bit_cast_b(self.command.limit.val())) << 50)
            | (bit_cast_w::<89, 2, 34>(self.command.rate.val()) << 51)
            | (bit_cast_w::<89, 2, 4>(self.command.group.val()) << 85);
        self.commands.second.valid.next = self.kill.valid.val();
        self.kill.ready.next = self.commands.second.ready.val();
        self.commands.second.data.next = (bit_cast_w::<89, 2, 9>(self.kill.data.val().get_bits::<9>(0)) << 1)
            | (bit_cast_w::<89, 2, 8>(self.kill.data.val().get_bits::<8>(16)) << 10);
        self.scheduler.command.valid.next = self.commands.down.valid.val();
        self.commands.down.ready.next = self.scheduler.command.ready.val();
        self.scheduler.command.create.next = self.commands.down.data.val().get_bit(0);
        self.scheduler.command.flow.next = bit_cast_u::<16, 9>(self.commands.down.data.val().get_bits::<9>(1));
        self.scheduler.command.generation.next = self.commands.down.data.val().get_bits::<8>(10);
        self.scheduler.command.psn.next = self.commands.down.data.val().get_bits::<24>(18);
        self.scheduler.command.mtu.next = self.commands.down.data.val().get_bits::<3>(42);
        self.scheduler.command.priority.next = self.commands.down.data.val().get_bits::<3>(45);
        self.scheduler.command.windowless.next = self.commands.down.data.val().get_bit(48);
        self.scheduler.command.timerless.next = self.commands.down.data.val().get_bit(49);
        self.scheduler.command.limit.next = self.commands.down.data.val().get_bit(50);
        self.scheduler.command.rate.next = self.commands.down.data.val().get_bits::<34>(51);
        self.scheduler.command.group.next = self.commands.down.data.val().get_bits::<4>(85);

        // updates
        self.updates.first.valid.next = self.law.update.valid.val();
        self.law.update.ready.next = self.updates.first.ready.val();
        self.updates.first.data.next = bit_cast_w::<92, 2, 16>(self.law.update.flow.val())
            | (bit_cast_w::<92, 2, 8>(self.law.update.generation.val()) << 16)
            | (bit_cast_w::<92, 2, 34>(self.law.update.window.val()) << 24)
            | (bit_cast_w::<92, 2, 34>(self.law.update.rate.val()) << 58);
        // a first window must not overtake the creation of its flow
        self.updates.second.valid.next = self.first.valid.val() & !self.commands.down.valid.val();
        self.first.ready.next = self.updates.second.ready.val() & !self.commands.down.valid.val();
        self.updates.second.data.next = bit_cast_w::<92, 2, 16>(self.first.flow.val())
            | (bit_cast_w::<92, 2, 8>(self.first.generation.val()) << 16)
            | (bit_cast_w::<92, 2, 34>(self.first.window.val()) << 24)
            | (bit_cast_w::<92, 2, 34>(self.first.rate.val()) << 58);
        self.scheduler.update.valid.next = self.updates.down.valid.val();
        self.updates.down.ready.next = self.scheduler.update.ready.val();
        self.scheduler.update.flow.next = self.updates.down.data.val().get_bits::<16>(0);
        self.scheduler.update.generation.next = self.updates.down.data.val().get_bits::<8>(16);
        self.scheduler.update.window.next = self.updates.down.data.val().get_bits::<34>(24);
        self.scheduler.update.rate.next = self.updates.down.data.val().get_bits::<34>(58);
        self.scheduler.update.utilisation.next = bits_u::<51>(0);

        outputs!(
            scheduler,
            count_late,
            count_beyond,
            count_out_of_range,
            count_cc_dropped
        );
        self.timeouts.d.next = self.scheduler.count_timeout.val();
        self.timeout.next = self.timeouts.q.val() != self.scheduler.count_timeout.val();
    }
}
