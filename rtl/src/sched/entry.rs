//! Entry: updates, commands, acknowledgements, feedback, work and the timers' turns, one operation a clock, a flow at most
//! every five clocks.
//!
//! | clock | what |
//! |---|---|
//! | -3 | every source's operation is taken into one of its two [places](super::place) |
//! | -2 | one source is elected of those whose flow is none of three of the last four clocks', and taken if it is not the latest one's either |
//! | -1 | its operation is selected |
//! | 0 | outputs |
//!
//! While a command waits nothing else is taken, so what was offered after a flow was created meets that flow. The other sources meet two by two:
//! which side of each meeting goes first changes from clock to clock, in all eight ways, so none can starve another.
//! Updates meet acknowledgements, feedback meets work; who comes of these meets the timers' walk over the flows, a flow whenever it is due, and
//! who comes of those meets who comes of updates and acknowledgements. After reset every flow is cleared, one a clock, before anything is taken.

use super::place::Place;
use super::ports::{FeedbackIn, FlowCommandIn, WorkIn};
use crate::emit::naming::named_by_size;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_word, bits_zero};
use crate::words::flows::FlowUpdate;
use crate::words::sched::{LawEvent, OpKind, Operation};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks between two operations of one flow.
pub const SAME_FLOW_INTERVAL: usize = 5;

/// Entry for at most 2^`A` flows; a timer looks at a flow every 2^`T` clocks.
#[block]
pub struct Entry<const A: usize, const T: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Rates and windows.
    pub update: StreamIn<FlowUpdate>,
    /// Creation, removal, caps.
    pub command: FlowCommandIn,
    /// Acknowledgements; `snd_nxt` and the telemetry are not used.
    pub event: StreamIn<LawEvent>,
    /// Feedback of the TX pipe: READ requests that left.
    pub feedback: FeedbackIn,
    /// Work.
    pub work: WorkIn,
    /// Constant: the last flow number.
    pub last_flow: Signal<In, U<A>>,
    /// The timers rest from the next clock on.
    pub hold_timers: Signal<In, Bit>,
    /// Clock -1: an acknowledgement was chosen.
    pub event_taken: Signal<Out, Bit>,
    /// Clock 0: an operation.
    pub valid: Signal<Out, Bit>,
    /// Clock 0: flow.
    pub flow: Signal<Out, U<A>>,
    /// Clock 0: operation.
    pub word: Signal<Out, Operation>,
    /// Clock 0, counter pulse: something for a flow number past the configured count was dropped.
    pub out_of_range: Signal<Out, Bit>,
    #[registers(Bit:
        /// After a reset: flows are cleared, one a clock, and nothing else is taken.
        sweeping,
        /// As `sweeping`, so many clocks later as the name says.
        sweeping_1, sweeping_2,
        /// The timer owes the next flow a look.
        timer_due,
        /// Clock 0: an operation.
        valid_r,
        /// Clock 0, counter pulse: the operation chosen names a flow number past the configured count.
        out_of_range_r)]
    #[registers(Bit:
        /// Clock -1: an update of rate and window was chosen.
        update_1,
        /// Clock -1: a command was chosen.
        command_1,
        /// Clock -1: an acknowledgement was chosen.
        event_1,
        /// Clock -1: feedback of the TX pipe was chosen.
        feedback_1,
        /// Clock -1: new work was chosen.
        work_1,
        /// Clock -1: a look of the timer was chosen.
        look_1,
        /// A flow was chosen one clock ago; its number is in `latest`.
        latest_valid,
        /// A flow was chosen two clocks ago; its number is in `second`.
        second_valid,
        /// A flow was chosen three clocks ago; its number is in `third`.
        third_valid)]
    // of a flow that is due, chosen in none of the last clocks but the latest, while timers do not rest
    #[registers(Bit:
        /// The timer may look at its flow: the look is due, timers do not rest, and the flow was chosen in none of the last clocks.
        look_may,
        /// The timer's flow was chosen one (`look_once`) or two (`look_twice`) clocks before the latest.
        look_once, look_twice,
        /// Arbitration: acknowledgements go before updates, and work before feedback, in this clock.
        second_of_pair,
        /// Arbitration: the timer goes before feedback and work in this clock.
        tx_behind,
        /// Arbitration: feedback, work and the timer go before updates and acknowledgements in this clock.
        rx_behind)]
    #[registers(U<A>:
        /// Flow that was chosen one clock ago.
        latest,
        /// Flow that was chosen two clocks ago.
        second,
        /// Flow that was chosen three clocks ago.
        third,
        /// Flow that is cleared next after a reset.
        sweep,
        /// Flow that the timer looks at next.
        timer_flow,
        /// Flow that is cleared after a reset, a clock later.
        sweep_1,
        /// Clock 0: flow of the operation.
        flow_r)]
    #[signals(U<A>: head_update, head_event, head_feedback, head_work, head_look, head_command)]
    #[signals(Bit: update_elected, event_elected, feedback_elected, work_elected, look_elected)]
    #[signals(Bit: closed, look_now, update_first, rx_first, feedback_first, tx_stands, tx_first, in_range)]
    #[signals(Bit: take_update, take_command, take_event, take_feedback, take_work, take_look)]
    #[signals(U<16>: chosen_update, chosen_command, chosen_event, chosen_feedback, chosen_work, chosen_look, chosen)]
    #[signals(Operation: update_word, command_word, event_word, feedback_word, work_word)]
    #[signals(Operation: of_updates, of_commands, of_events, of_feedbacks, of_works)]
    updates: Place<A>,
    commands: Place<A>,
    events: Place<A>,
    feedbacks: Place<A>,
    works: Place<A>,
    /// Clocks since the timer became due last, modulo the interval.
    timer_wait: DFF<U<T>>,
    /// Clock 0: the operation.
    word_r: DFF<Operation>,
}

#[kernel]
impl<const A: usize, const T: usize> Logic for Entry<A, T> {
    fn update(&mut self) {
        // -3: what every source offers, as an operation
        inputs!([updates, commands, events, feedbacks, works]: reset);
        // the first operation after the sweep is five clocks behind the last one of it, which may be on the same flow
        closed = sweeping | sweeping_1 | sweeping_2;
        inputs!([updates, commands, events, feedbacks, works]: closed, last_flow);
        update_word = bits_zero::<Operation>(0);
        update_word.kind = OpKind::Update;
        update_word.generation = update.data.val().generation;
        update_word.window = update.data.val().window;
        update_word.rate = update.data.val().rate;
        updates.up_valid = update.valid;
        updates.up_flow = update.data.val().flow;
        updates.up_word = update_word;
        update.ready = updates.up_ready;

        command_word = bits_zero::<Operation>(0);
        command_word.kind = OpKind::Remove;
        if command.limit {
            command_word.kind = OpKind::Limit;
            command_word.rate = command.rate;
            command_word.window = !bits_u::<34>(0);
        }
        if command.create {
            command_word.kind = OpKind::Create;
            command_word.rate = bits_u::<34>(0);
            command_word.window = bits_u::<34>(0);
        }
        fields!(command_word:
            generation = command.generation, psn = command.psn, mtu = command.mtu, pause_class = command.priority,
            windowless = command.windowless, timerless = command.timerless, group = command.group);
        commands.up_valid = command.valid;
        commands.up_flow = command.flow;
        commands.up_word = command_word;
        command.ready = commands.up_ready;

        event_word = bits_zero::<Operation>(0);
        event_word.kind = OpKind::Notify;
        if event.data.val().telemetry.event_kind == 0 {
            event_word.kind = OpKind::Ack;
        }
        if event.data.val().telemetry.event_kind == 1 {
            event_word.kind = OpKind::Nak;
        }
        if event.data.val().not_ready {
            event_word.kind = OpKind::Wait;
        }
        event_word.rnr_timer = event.data.val().rnr_timer;
        event_word.generation = event.data.val().generation;
        event_word.psn = event.data.val().psn_next;
        events.up_valid = event.valid;
        events.up_flow = event.data.val().flow;
        events.up_word = event_word;
        event.ready = events.up_ready;

        feedback_word = bits_zero::<Operation>(0);
        feedback_word.kind = OpKind::Advance;
        fields!(feedback_word: generation = feedback.generation, psn = feedback.psn, second = feedback.value);
        // bytes that were not used are no operation: `super::refund` takes them in the same clock
        feedbacks.up_valid = feedback.valid & feedback.advance;
        feedbacks.up_flow = feedback.flow;
        feedbacks.up_word = feedback_word;
        feedback.ready = feedbacks.up_ready;

        work_word = bits_zero::<Operation>(0);
        work_word.kind = OpKind::Work;
        if work.restart {
            work_word.kind = OpKind::Restart;
        }
        fields!(work_word: generation = work.generation, psn = work.end, second = work.start);
        works.up_valid = work.valid;
        works.up_flow = work.flow;
        works.up_word = work_word;
        work.ready = works.up_ready;

        // -2: whose turn it is
        inputs!([updates, commands, events, feedbacks, works]: latest_valid, latest, second_valid, second, third_valid, third);
        // a look of the timer is compared as what waits in a place
        look_now = latest_valid & (latest == timer_flow);
        look_may = (timer_due | timer_wait.all()) & !(hold_timers | look_now | look_once | look_twice);
        assign!(look_once.d = look_now, look_twice.d = look_once);
        // who goes first of each meeting; who is elected is taken unless that is the flow of the clock before
        second_of_pair = !second_of_pair;
        tx_behind = tx_behind ^ second_of_pair;
        rx_behind = rx_behind ^ (tx_behind & second_of_pair);
        update_first = updates.stands & (!second_of_pair | !events.stands);
        feedback_first = feedbacks.stands & (!second_of_pair | !works.stands);
        tx_stands = feedbacks.stands | works.stands;
        tx_first = tx_stands & (!tx_behind | !look_may);
        rx_first = (updates.stands | events.stands) & (!rx_behind | !(tx_stands | look_may));
        update_elected = !commands.waits & rx_first & update_first;
        event_elected = !commands.waits & rx_first & !update_first;
        feedback_elected = !commands.waits & !rx_first & tx_first & feedback_first;
        work_elected = !commands.waits & !rx_first & tx_first & !feedback_first;
        look_elected = !commands.waits & !rx_first & !tx_first;
        take_update = update_elected & !updates.repeats;
        take_event = event_elected & !events.repeats;
        take_feedback = feedback_elected & !feedbacks.repeats;
        take_work = work_elected & !works.repeats;
        take_look = look_elected & look_may & !look_now;
        take_command = commands.stands & !commands.repeats;
        updates.take = take_update;
        commands.take = take_command;
        events.take = take_event;
        feedbacks.take = take_feedback;
        works.take = take_work;
        assign! {
            update_1.d = take_update, command_1.d = take_command, event_1.d = take_event,
            feedback_1.d = take_feedback, work_1.d = take_work, look_1.d = take_look
        }
        event_taken = event_1;
        // side by side, not one choice behind another
        head_update = if update_elected { updates.head } else { 0.into() };
        head_event = if event_elected { events.head } else { 0.into() };
        head_feedback = if feedback_elected { feedbacks.head } else { 0.into() };
        head_work = if work_elected { works.head } else { 0.into() };
        head_look = if look_elected { timer_flow } else { 0.into() };
        head_command = if commands.waits { commands.head } else { 0.into() };
        latest = head_update | head_event | head_feedback | head_work | head_look | head_command;
        latest_valid = take_update | take_event | take_feedback | take_work | take_look | take_command;
        timer_wait = timer_wait + 1;
        if take_look {
            timer_due = false;
            timer_flow = if timer_flow == last_flow { 0.into() } else { timer_flow + 1 };
            // when the next flow was chosen is not known before three clocks
            look_may = false;
            look_once = true;
            look_twice = true;
        }
        if timer_wait.all() {
            timer_due = true;
        }
        assign!(
            second.d = latest,
            second_valid.d = latest_valid,
            third.d = second,
            third_valid.d = second_valid
        );

        // -1: the operation
        each!((flow_offered, offers, is_chosen, place) in [
            (chosen_update, of_updates, update_1, updates), (chosen_command, of_commands, command_1, commands),
            (chosen_event, of_events, event_1, events), (chosen_feedback, of_feedbacks, feedback_1, feedbacks),
            (chosen_work, of_works, work_1, works)
        ] {
            flow_offered = bits_u::<16>(0);
            offers = bits_zero::<Operation>(0);
            if is_chosen {
                flow_offered = place.flow;
                offers = place.word;
            }
        });
        chosen_look = if look_1 { bit_cast_u::<16, A>(latest) } else { bits_u::<16>(0) };
        chosen = chosen_update | chosen_command | chosen_event | chosen_feedback | chosen_work | chosen_look;
        word_r = bit_cast_word::<Operation, W<145, 3>>(
            bit_cast_bus::<145, 3, Operation>(of_updates)
                | bit_cast_bus::<145, 3, Operation>(of_commands)
                | bit_cast_bus::<145, 3, Operation>(of_events)
                | bit_cast_bus::<145, 3, Operation>(of_feedbacks)
                | bit_cast_bus::<145, 3, Operation>(of_works),
        );
        if look_1 {
            word_r.kind = OpKind::Tick;
        }
        // the timer looks at no flow past the last one
        in_range = (update_1 & updates.in_range)
            | (command_1 & commands.in_range)
            | (event_1 & events.in_range)
            | (feedback_1 & feedbacks.in_range)
            | (work_1 & works.in_range)
            | look_1;
        valid_r = latest_valid & in_range;
        out_of_range_r = latest_valid & !in_range;
        flow_r = bit_cast_u::<A, 16>(chosen);
        assign!(sweeping_1.d = sweeping, sweeping_2.d = sweeping_1, sweep_1.d = sweep);
        if sweeping_1 {
            valid_r = true;
            word_r = bits_zero::<Operation>(0);
            word_r.kind = OpKind::Clear;
            flow_r = sweep_1;
        }
        if sweeping {
            sweep = sweep + 1;
            if sweep == last_flow {
                sweeping = false;
            }
        }
        if reset {
            clear!(update_1, command_1, event_1, feedback_1, work_1, look_1, latest_valid);
            clear!(sweeping_1, valid_r, out_of_range_r);
            sweeping = true;
            clear!(
                sweep,
                timer_flow,
                timer_due,
                look_may,
                timer_wait,
                second_of_pair,
                tx_behind,
                rx_behind
            );
        }
        assign! {
            valid = valid_r, flow = flow_r, word = word_r, out_of_range = out_of_range_r
        }
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_by_size::<Self>(A > 9)
    }
}
