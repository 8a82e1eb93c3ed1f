//! Laws side by side: every flow's events go to the law that its creation named, and the updates of all laws meet on one port.
//!
//! | clock | does |
//! |---|---|
//! | 0 | an event waits at the port; the table is asked for its flow's law |
//! | 1 | it is offered to that law, until taken |
//!
//! One event every two clocks at most. Acknowledgements with INT are three beats of 64 bytes at least, so more than one every three clocks never come.
//! Codes of laws: [`hpcc_models::fixed::LAWS`]; one that is not built in costs nothing.

use super::hpcc::HpccSlot;
use super::powertcp::PowerSlot;
use super::slot::{CommandIn, ConfigIn, EventIn, UpdateOut};
use crate::emit::naming::named_as;
use crate::prim::lut_ram::LutRam;
use crate::prim::merge::StreamMerge;
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::word::{bit_cast_number, bits_zero};
use crate::words::congestion::{BuiltLaws, LawCode, LawUpdate};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// The laws that are built in, each 0 or 1 times, for `FLOWS` flows (2^`A` at most).
#[block(check(HPCC <= 1 && POWERTCP <= 1, "a law is there once or not at all"))]
pub struct LawChoice<const FLOWS: usize, const A: usize, const HPCC: usize, const POWERTCP: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high. Nothing is taken for 2^`A` clocks after it.
    pub reset: Signal<In, Bit>,
    /// Bit n: the law of code n is built in; bit 0, no law, is high.
    pub built: Signal<Out, U<8>>,
    /// Write port of the laws' registers.
    pub param: ConfigIn,
    /// Law whose register is written.
    pub param_law: Signal<In, LawCode>,
    /// Creation and removal of flows.
    pub command: CommandIn,
    /// Law of the flow that is created or removed.
    pub command_law: Signal<In, LawCode>,
    /// Events. Those of a flow without a law are taken and forgotten.
    pub event: EventIn,
    /// Updates of all laws; those of one law in the order of its events.
    pub update: UpdateOut,
    hpcc: [HpccSlot<FLOWS, A>; HPCC],
    powertcp: [PowerSlot<FLOWS, A>; POWERTCP],
    powertcp_update: [StreamMerge<LawUpdate>; POWERTCP],
    laws: LutRam<LawCode, A>,
    // the table has been asked for the event's flow
    known: DFF<Bit>,
    law: Signal<Local, LawCode>,
    taken: Signal<Local, Bit>,
    command_taken: Signal<Local, Bit>,
    // updates of the laws so far
    hpcc_valid: Signal<Local, Bit>,
    hpcc_update: Signal<Local, LawUpdate>,
    hpcc_ready: Signal<Local, Bit>,
    power_update: Signal<Local, LawUpdate>,
    all_valid: Signal<Local, Bit>,
    all_update: Signal<Local, LawUpdate>,
    codes: Signal<Local, BuiltLaws>,
}

#[kernel]
impl<const FLOWS: usize, const A: usize, const HPCC: usize, const POWERTCP: usize> Logic
    for LawChoice<FLOWS, A, HPCC, POWERTCP>
{
    fn update(&mut self) {
        self.codes.next = bits_zero::<BuiltLaws>(0);
        self.codes.next.none = true;
        for _i in 0..HPCC {
            self.codes.next.hpcc = true;
        }
        for _i in 0..POWERTCP {
            self.codes.next.powertcp = true;
        }
        self.built.next = bit_cast_number::<8, BuiltLaws>(self.codes.val());

        // events: the head of the port waits until its law is known
        self.laws.raddr.next = bit_cast_u::<A, 16>(self.event.flow.val());
        self.law.next = self.laws.rdata.val();
        self.taken.next = self.known.q.val();
        // commands: a law that is not built in is never asked for
        self.command_taken.next = true;

        // updates: HPCC's as they are, taken by the port itself or by the first merge
        self.hpcc_ready.next = self.update.ready.val();
        for i in 0..POWERTCP {
            self.hpcc_ready.next = self.powertcp_update[i].first.ready.val();
        }
        self.hpcc_valid.next = false;
        self.hpcc_update.next = bits_zero::<LawUpdate>(0);
        for i in 0..HPCC {
            self.hpcc[i].reset.next = self.reset.val();
            self.hpcc[i].param.write.next = self.param.write.val() & (self.param_law.val() == LawCode::Hpcc);
            self.hpcc[i].param.address.next = self.param.address.val();
            self.hpcc[i].param.data.next = self.param.data.val();
            self.hpcc[i].command.valid.next = self.command.valid.val() & (self.command_law.val() == LawCode::Hpcc);
            self.hpcc[i].command.create.next = self.command.create.val();
            self.hpcc[i].command.flow.next = self.command.flow.val();
            self.hpcc[i].command.generation.next = self.command.generation.val();
            if self.command_law.val() == LawCode::Hpcc {
                self.command_taken.next = self.hpcc[i].command.ready.val();
            }
            self.hpcc[i].event.valid.next = self.known.q.val() & (self.law.val() == LawCode::Hpcc);
            self.hpcc[i].event.kind.next = self.event.kind.val();
            self.hpcc[i].event.flow.next = self.event.flow.val();
            self.hpcc[i].event.generation.next = self.event.generation.val();
            self.hpcc[i].event.psn_next.next = self.event.psn_next.val();
            self.hpcc[i].event.snd_nxt.next = self.event.snd_nxt.val();
            self.hpcc[i].event.int_valid.next = self.event.int_valid.val();
            self.hpcc[i].event.n_hop.next = self.event.n_hop.val();
            self.hpcc[i].event.path_id.next = self.event.path_id.val();
            self.hpcc[i].event.hops.next = self.event.hops.val();
            self.hpcc[i].event.ecn.next = self.event.ecn.val();
            self.hpcc[i].event.sent_at.next = self.event.sent_at.val();
            self.hpcc[i].event.bytes.next = self.event.bytes.val();
            self.hpcc[i].event.now.next = self.event.now.val();
            if self.law.val() == LawCode::Hpcc {
                self.taken.next = self.known.q.val() & self.hpcc[i].event.ready.val();
            }
            self.hpcc_valid.next = self.hpcc[i].update.valid.val();
            self.hpcc_update.next.flow = self.hpcc[i].update.flow.val();
            self.hpcc_update.next.generation = self.hpcc[i].update.generation.val();
            self.hpcc_update.next.window = self.hpcc[i].update.window.val();
            self.hpcc_update.next.rate = self.hpcc[i].update.rate.val();
            self.hpcc_update.next.signal = self.hpcc[i].update.utilisation.val();
            self.hpcc[i].update.ready.next = self.hpcc_ready.val();
        }

        // of each further law, turn about with those before
        self.all_valid.next = self.hpcc_valid.val();
        self.all_update.next = self.hpcc_update.val();
        self.power_update.next = bits_zero::<LawUpdate>(0);
        for i in 0..POWERTCP {
            self.powertcp[i].reset.next = self.reset.val();
            self.powertcp[i].param.write.next = self.param.write.val() & (self.param_law.val() == LawCode::PowerTcp);
            self.powertcp[i].param.address.next = self.param.address.val();
            self.powertcp[i].param.data.next = self.param.data.val();
            self.powertcp[i].command.valid.next =
                self.command.valid.val() & (self.command_law.val() == LawCode::PowerTcp);
            self.powertcp[i].command.create.next = self.command.create.val();
            self.powertcp[i].command.flow.next = self.command.flow.val();
            self.powertcp[i].command.generation.next = self.command.generation.val();
            if self.command_law.val() == LawCode::PowerTcp {
                self.command_taken.next = self.powertcp[i].command.ready.val();
            }
            self.powertcp[i].event.valid.next = self.known.q.val() & (self.law.val() == LawCode::PowerTcp);
            self.powertcp[i].event.kind.next = self.event.kind.val();
            self.powertcp[i].event.flow.next = self.event.flow.val();
            self.powertcp[i].event.generation.next = self.event.generation.val();
            self.powertcp[i].event.psn_next.next = self.event.psn_next.val();
            self.powertcp[i].event.snd_nxt.next = self.event.snd_nxt.val();
            self.powertcp[i].event.int_valid.next = self.event.int_valid.val();
            self.powertcp[i].event.n_hop.next = self.event.n_hop.val();
            self.powertcp[i].event.path_id.next = self.event.path_id.val();
            self.powertcp[i].event.hops.next = self.event.hops.val();
            self.powertcp[i].event.ecn.next = self.event.ecn.val();
            self.powertcp[i].event.sent_at.next = self.event.sent_at.val();
            self.powertcp[i].event.bytes.next = self.event.bytes.val();
            self.powertcp[i].event.now.next = self.event.now.val();
            if self.law.val() == LawCode::PowerTcp {
                self.taken.next = self.known.q.val() & self.powertcp[i].event.ready.val();
            }
            self.powertcp_update[i].reset.next = self.reset.val();
            self.powertcp_update[i].first.valid.next = self.hpcc_valid.val();
            self.powertcp_update[i].first.data.next = self.hpcc_update.val();
            self.powertcp_update[i].second.valid.next = self.powertcp[i].update.valid.val();
            self.powertcp[i].update.ready.next = self.powertcp_update[i].second.ready.val();
            self.power_update.next.flow = self.powertcp[i].update.flow.val();
            self.power_update.next.generation = self.powertcp[i].update.generation.val();
            self.power_update.next.window = self.powertcp[i].update.window.val();
            self.power_update.next.rate = self.powertcp[i].update.rate.val();
            self.power_update.next.signal = self.powertcp[i].update.utilisation.val();
            self.powertcp_update[i].second.data.next = self.power_update.val();
            self.all_valid.next = self.powertcp_update[i].down.valid.val();
            self.all_update.next = self.powertcp_update[i].down.data.val();
            self.powertcp_update[i].down.ready.next = self.update.ready.val();
        }
        self.update.valid.next = self.all_valid.val();
        self.update.flow.next = self.all_update.val().flow;
        self.update.generation.next = self.all_update.val().generation;
        self.update.window.next = self.all_update.val().window;
        self.update.rate.next = self.all_update.val().rate;
        self.update.utilisation.next = self.all_update.val().signal;

        self.command.ready.next = self.command_taken.val();
        self.event.ready.next = self.taken.val();
        self.known.d.next = self.event.valid.val() & !self.taken.val();
        // written when the law has taken the creation, before any event of the new flow
        self.laws.we.next = self.command.valid.val() & self.command.create.val() & self.command_taken.val();
        self.laws.waddr.next = bit_cast_u::<A, 16>(self.command.flow.val());
        self.laws.wdata.next = self.command_law.val();
        if self.reset.val() {
            self.known.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        // HPCC alone, or with what else is built
        named_as::<Self>(if POWERTCP > 0 { "cc_choice_laws" } else { "cc_choice" })
    }
}

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;
