//! Probes of the path of requests (HPCC++, draft-miao-ccwg-hpcc 6.2.1.2): when one leaves, and which response counts.
//! Reference: `probe` of `hpcc_models::nic`, whose rule is [`hpcc_models::cc::Probing`].
//!
//! | clock | does |
//! |---|---|
//! | 0 | the next step: the creation of a queue pair goes first, then a request that has left, then a response |
//! | 0 - 3 | state of its queue pair out of the RAM, with what the steps before it write |
//! | 3 | is a probe due, does the response count? New state; a probe goes into the FIFOs of its frame and of its charge |
//!
//! The rule is asked when a request with payload has left, so there is always payload in flight and no timer is needed. A request that leaves in the
//! clock of a creation is not counted; one that finds no room in the FIFOs asks in vain, and the next asks again. The time of the last probe is
//! kept modulo 2^32 ns: 4.3 s after it, to the interval, a probe may come one interval late. Notices other than responses pass.

use crate::emit::naming::named_inside;
use crate::prim::delay::Delay;
use crate::prim::forward_ram::ForwardRam;
use crate::prim::lut_fifo::LutFifo;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::words::congestion::CcEventKind;
use crate::words::context::QpContext;
use crate::words::flows::{Notice, QpHalf};
use crate::words::requester::PsnDistance;
use crate::words::transport::{AckKind, AckSend, ProbeKind, ProbeState, ProbeStep, ProbeTurn};
use crate::words::tx::GrantFeedback;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Takes a request a clock. Contexts come at most every third clock.
#[block]
pub struct Probes {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: forgets what waits, but no number; the context bus does that.
    pub reset: Signal<In, Bit>,
    /// Time, ns.
    pub now: Signal<In, U<48>>,
    /// Register: least time between two probes of a queue pair, ns; 0: there are none.
    pub interval: Signal<In, U<32>>,
    /// Register: a probe without response for this long no longer holds back the next, ns.
    pub timeout: Signal<In, U<32>>,
    /// Register: least number of requests with payload between two probes.
    pub packets: Signal<In, U<8>>,
    /// A context is written.
    pub context_valid: Signal<In, Bit>,
    /// Queue pair.
    pub context_qp: Signal<In, U<8>>,
    /// Context that is written.
    pub context_data: Signal<In, QpContext>,
    /// A request with payload has left.
    pub left_valid: Signal<In, Bit>,
    /// Queue pair of the request that has left.
    pub left_qp: Signal<In, U<8>>,
    /// Generation of the queue pair whose request has left.
    pub left_generation: Signal<In, U<8>>,
    /// Notices of dispatch, responses among them.
    pub notice: StreamIn<Notice>,
    /// The same without the responses that do not count.
    pub passed: StreamOut<Notice>,
    /// Probes, for the builder of frames without payload.
    pub probe: StreamOut<AckSend>,
    /// What they cost their flows.
    pub charge: StreamOut<GrantFeedback>,
    /// Counter pulse: a response that does not count.
    pub stray: Signal<Out, Bit>,
    steps: Delay<ProbeStep, 3>,
    states: ForwardRam<ProbeState, 8>,
    /// Time of one clock ago, ns, modulo 2^32.
    now_1: DFF<U<32>>,
    #[registers(Bit:
        /// A queue pair was created and takes the next step.
        begins,
        /// The response in front has been given to the rule.
        asked,
        /// The response in front counts, and passes.
        counts,
        /// The response in front does not count, and is taken away in this clock.
        stray_r)]
    /// Creation that takes the next step.
    begun: DFF<ProbeStep>,
    told: Signal<Local, Notice>,
    told_kind: Signal<Local, CcEventKind>,
    #[signals(ProbeStep: step, step_3)]
    #[signals(Bit: is_response, judges, mine, awaited, enough, due, probes, takes)]
    // 3
    #[signals(ProbeState: state, new_state)]
    since: Signal<Local, U<32>>,
    counted: Signal<Local, U<8>>,
    #[signals(PsnDistance: ahead, beyond)]
    /// Clock 4: a probe goes into the FIFOs.
    sends: DFF<Bit>,
    /// Clock 4: the probe, and its number.
    turn: DFF<ProbeTurn>,
    frames: LutFifo<ProbeTurn, 4, 12>,
    charges: LutFifo<ProbeTurn, 4, 12>,
    item: Signal<Local, AckSend>,
    half: Signal<Local, QpHalf>,
    cost: Signal<Local, GrantFeedback>,
}

#[kernel]
impl Logic for Probes {
    fn update(&mut self) {
        inputs!([frames, charges]: reset);
        now_1 = bit_cast_u::<32, 48>(now);

        // 0
        told = notice.data;
        told_kind = bit_cast_word::<CcEventKind, U<3>>(told.event_kind);
        is_response = told_kind == CcEventKind::Probe;
        judges = notice.valid & is_response & !asked & !counts & !stray_r & !left_valid & !begins;
        step = bits_zero::<ProbeStep>(0);
        if judges {
            step.kind = ProbeKind::Answered;
            fields!(step from told: qp, generation, number = psn);
            asked = true;
        }
        if left_valid {
            step.kind = ProbeKind::Left;
            fields!(step: qp = left_qp, generation = left_generation);
        }
        if begins {
            step = begun;
        }
        begins = context_valid;
        if context_valid {
            begun = bits_zero::<ProbeStep>(0);
            begun.kind = ProbeKind::Begins;
            fields!(begun.d: qp = context_qp, generation = context_data.generation, int_on = context_data.int_on);
        }
        steps = step;
        states.raddr = step.qp;

        // 3: `hpcc_models::cc::Probing`
        step_3 = steps;
        state = states.rdata;
        mine = (state.generation == step_3.generation) & state.int_on & interval.any();
        since = now_1 - state.at;
        counted = if state.packets.all() { state.packets } else { state.packets + 1 };
        awaited = (state.accepted != state.sent) & (since < timeout);
        // a queue pair that had nothing to send for 1 ms starts anew
        enough = (counted >= packets) | (since >= 1_000_000);
        due = !state.begun | (!awaited & (since >= interval) & enough);
        probes = (step_3.kind == ProbeKind::Left) & mine & due & !frames.crowded & !charges.crowded;
        ahead = bit_cast_word::<PsnDistance, U<24>>(step_3.number - state.accepted);
        beyond = bit_cast_word::<PsnDistance, U<24>>(step_3.number - state.sent);
        takes = (step_3.kind == ProbeKind::Answered)
            & mine
            & state.begun
            & ahead.magnitude.any()
            & !ahead.negative
            & (!beyond.magnitude.any() | beyond.negative);
        new_state = state;
        if step_3.kind == ProbeKind::Left {
            new_state.packets = counted;
        }
        if probes {
            new_state.begun = true;
            new_state.packets = bits_u::<8>(0);
            new_state.sent = state.sent + 1;
            new_state.at = now_1;
        }
        if takes {
            new_state.accepted = step_3.number;
        }
        if step_3.kind == ProbeKind::Begins {
            new_state = bits_zero::<ProbeState>(0);
            fields!(new_state from step_3: generation, int_on);
        }
        states.we = probes | takes | (step_3.kind == ProbeKind::Begins) | ((step_3.kind == ProbeKind::Left) & mine);
        inputs!(states: waddr = step_3.qp, wdata = new_state);

        // a response waits for its verdict in front, then goes on or is gone
        stray_r = false;
        if step_3.kind == ProbeKind::Answered {
            counts = takes;
            asked = takes;
            stray_r = !takes;
        }
        passed.valid = notice.valid & (!is_response | counts);
        passed.data = notice.data;
        notice.ready = if is_response { (counts & passed.ready) | stray_r } else { passed.ready };
        if counts & passed.ready {
            clear!(counts, asked);
        }
        stray = stray_r;

        // 4
        sends = probes;
        fields!(turn.d: qp = step_3.qp, generation = step_3.generation, number = new_state.sent);
        inputs!(frames: up.data = turn, up.valid = sends);
        inputs!(charges: up.data = turn, up.valid = sends);
        item = bits_zero::<AckSend>(0);
        item.kind = AckKind::Probe;
        item.qp = frames.down.data.val().qp;
        item.generation = frames.down.data.val().generation;
        item.psn = frames.down.data.val().number;
        // a header without records
        item.int_length = bits_u::<6>(2);
        probe.data = item;
        probe.valid = frames.down.valid;
        frames.down.ready = probe.ready;
        half = bits_zero::<QpHalf>(0);
        half.qp = charges.down.data.val().qp;
        cost = bits_zero::<GrantFeedback>(0);
        cost.from.flow = bit_cast_number::<9, QpHalf>(half);
        cost.from.generation = charges.down.data.val().generation;
        // less than nothing was not used: a frame of 60 bytes, FCS, preamble and gap
        cost.value = bits_u::<24>(0) - 84;
        charge.data = cost;
        charge.valid = charges.down.valid;
        charges.down.ready = charge.ready;
        reset!(begins, asked, counts, stray_r, sends);
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
#[path = "probes_tests.rs"]
mod tests;
