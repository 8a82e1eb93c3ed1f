//! Laws side by side: every flow's events go to the law that its creation named, and the updates of all laws meet on one port.
//!
//! | clock | does |
//! |---|---|
//! | 0 | an event waits at the port; the table is asked for its flow's law |
//! | 1 | it is offered to that law, until taken |
//!
//! One event every two clocks at most. Acknowledgements with INT are three beats of 64 bytes at least, so more than one every three clocks never come.
//! Codes of laws: [`hpcc_models::fixed::LAWS`]; one that is not built in costs nothing. Updates of the first law go through as they are, those
//! of each further law join them in a merge, turn about.

use super::dcqcn::DcqcnSlot;
use super::hpcc::HpccSlot;
use super::powertcp::PowerSlot;
use super::slot::ConfigIn;
use crate::emit::naming::named_as;
use crate::prim::lut_ram::LutRam;
use crate::prim::merge::StreamMerge;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::word::{bit_cast_number, bits_zero};
use crate::words::congestion::{BuiltLaws, LawCode, LawCommand, LawUpdate};
use crate::words::sched::LawEvent;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// The laws that are built in, each 0 or 1 times, for `FLOWS` flows (2^`A` at most).
#[block(check(HPCC <= 1 && DCQCN <= 1 && POWERTCP <= 1, "a law is there once or not at all"))]
pub struct LawChoice<const FLOWS: usize, const A: usize, const HPCC: usize, const DCQCN: usize, const POWERTCP: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high. Nothing is taken for 2^`A` clocks after it.
    pub reset: Signal<In, Bit>,
    /// The NIC's clock, ns, for laws with timers.
    pub now: Signal<In, U<48>>,
    /// Bit n: the law of code n is built in; bit 0, no law, is high.
    pub built: Signal<Out, U<8>>,
    /// Write port of the laws' registers.
    pub param: ConfigIn,
    /// Law whose register is written.
    pub param_law: Signal<In, LawCode>,
    /// Creation and removal of flows.
    pub command: StreamIn<LawCommand>,
    /// Law of the flow that is created or removed.
    pub command_law: Signal<In, LawCode>,
    /// Events. Those of a flow without a law are taken and forgotten.
    pub event: StreamIn<LawEvent>,
    /// Updates of all laws; those of one law in the order of its events.
    pub update: StreamOut<LawUpdate>,
    hpcc: [HpccSlot<FLOWS, A>; HPCC],
    powertcp: [PowerSlot<FLOWS, A>; POWERTCP],
    powertcp_update: [StreamMerge<LawUpdate>; POWERTCP],
    dcqcn: [DcqcnSlot<FLOWS, A>; DCQCN],
    dcqcn_update: [StreamMerge<LawUpdate>; DCQCN],
    laws: LutRam<LawCode, A>,
    // the table has been asked for the event's flow
    known: DFF<Bit>,
    law: Signal<Local, LawCode>,
    taken: Signal<Local, Bit>,
    command_taken: Signal<Local, Bit>,
    // updates of HPCC, of it and PowerTCP, and of all
    hpcc_valid: Signal<Local, Bit>,
    hpcc_data: Signal<Local, LawUpdate>,
    hpcc_ready: Signal<Local, Bit>,
    power_valid: Signal<Local, Bit>,
    power_data: Signal<Local, LawUpdate>,
    power_ready: Signal<Local, Bit>,
    all_valid: Signal<Local, Bit>,
    all_data: Signal<Local, LawUpdate>,
    codes: Signal<Local, BuiltLaws>,
}

#[kernel]
impl<const FLOWS: usize, const A: usize, const HPCC: usize, const DCQCN: usize, const POWERTCP: usize> Logic
    for LawChoice<FLOWS, A, HPCC, DCQCN, POWERTCP>
{
    fn update(&mut self) {
        // events: the head of the port waits until its law is known
        self.laws.raddr.next = bit_cast_u::<A, 16>(self.event.data.val().flow);
        self.law.next = self.laws.rdata.val();
        self.taken.next = self.known.q.val();
        // commands: a law that is not built in is never asked for
        self.command_taken.next = true;
        // updates: who takes them, from the port backwards
        self.power_ready.next = self.update.ready.val();
        for i in 0..DCQCN {
            self.power_ready.next = self.dcqcn_update[i].first.ready.val();
        }
        self.hpcc_ready.next = self.power_ready.val();
        for i in 0..POWERTCP {
            self.hpcc_ready.next = self.powertcp_update[i].first.ready.val();
        }
        self.codes.next = bits_zero::<BuiltLaws>(0);
        self.codes.next.none = true;

        self.hpcc_valid.next = false;
        self.hpcc_data.next = bits_zero::<LawUpdate>(0);
        for i in 0..HPCC {
            self.codes.next.hpcc = true;
            self.hpcc[i].reset.next = self.reset.val();
            self.hpcc[i].param.write.next = self.param.write.val() & (self.param_law.val() == LawCode::Hpcc);
            self.hpcc[i].param.address.next = self.param.address.val();
            self.hpcc[i].param.data.next = self.param.data.val();
            self.hpcc[i].command.valid.next = self.command.valid.val() & (self.command_law.val() == LawCode::Hpcc);
            self.hpcc[i].command.data.next = self.command.data.val();
            if self.command_law.val() == LawCode::Hpcc {
                self.command_taken.next = self.hpcc[i].command.ready.val();
            }
            self.hpcc[i].event.valid.next = self.known.q.val() & (self.law.val() == LawCode::Hpcc);
            self.hpcc[i].event.data.next = self.event.data.val();
            if self.law.val() == LawCode::Hpcc {
                self.taken.next = self.known.q.val() & self.hpcc[i].event.ready.val();
            }
            self.hpcc_valid.next = self.hpcc[i].update.valid.val();
            self.hpcc_data.next = self.hpcc[i].update.data.val();
            self.hpcc[i].update.ready.next = self.hpcc_ready.val();
        }

        self.power_valid.next = self.hpcc_valid.val();
        self.power_data.next = self.hpcc_data.val();
        for i in 0..POWERTCP {
            self.codes.next.powertcp = true;
            self.powertcp[i].reset.next = self.reset.val();
            self.powertcp[i].param.write.next = self.param.write.val() & (self.param_law.val() == LawCode::PowerTcp);
            self.powertcp[i].param.address.next = self.param.address.val();
            self.powertcp[i].param.data.next = self.param.data.val();
            self.powertcp[i].command.valid.next =
                self.command.valid.val() & (self.command_law.val() == LawCode::PowerTcp);
            self.powertcp[i].command.data.next = self.command.data.val();
            if self.command_law.val() == LawCode::PowerTcp {
                self.command_taken.next = self.powertcp[i].command.ready.val();
            }
            self.powertcp[i].event.valid.next = self.known.q.val() & (self.law.val() == LawCode::PowerTcp);
            self.powertcp[i].event.data.next = self.event.data.val();
            if self.law.val() == LawCode::PowerTcp {
                self.taken.next = self.known.q.val() & self.powertcp[i].event.ready.val();
            }
            self.powertcp_update[i].reset.next = self.reset.val();
            self.powertcp_update[i].first.valid.next = self.hpcc_valid.val();
            self.powertcp_update[i].first.data.next = self.hpcc_data.val();
            StreamOut::<LawUpdate>::join(&mut self.powertcp[i].update, &mut self.powertcp_update[i].second);
            self.power_valid.next = self.powertcp_update[i].down.valid.val();
            self.power_data.next = self.powertcp_update[i].down.data.val();
            self.powertcp_update[i].down.ready.next = self.power_ready.val();
        }

        self.all_valid.next = self.power_valid.val();
        self.all_data.next = self.power_data.val();
        for i in 0..DCQCN {
            self.codes.next.dcqcn = true;
            self.dcqcn[i].now.next = self.now.val();
            self.dcqcn[i].reset.next = self.reset.val();
            self.dcqcn[i].param.write.next = self.param.write.val() & (self.param_law.val() == LawCode::Dcqcn);
            self.dcqcn[i].param.address.next = self.param.address.val();
            self.dcqcn[i].param.data.next = self.param.data.val();
            self.dcqcn[i].command.valid.next = self.command.valid.val() & (self.command_law.val() == LawCode::Dcqcn);
            self.dcqcn[i].command.data.next = self.command.data.val();
            if self.command_law.val() == LawCode::Dcqcn {
                self.command_taken.next = self.dcqcn[i].command.ready.val();
            }
            self.dcqcn[i].event.valid.next = self.known.q.val() & (self.law.val() == LawCode::Dcqcn);
            self.dcqcn[i].event.data.next = self.event.data.val();
            if self.law.val() == LawCode::Dcqcn {
                self.taken.next = self.known.q.val() & self.dcqcn[i].event.ready.val();
            }
            self.dcqcn_update[i].reset.next = self.reset.val();
            self.dcqcn_update[i].first.valid.next = self.power_valid.val();
            self.dcqcn_update[i].first.data.next = self.power_data.val();
            StreamOut::<LawUpdate>::join(&mut self.dcqcn[i].update, &mut self.dcqcn_update[i].second);
            self.all_valid.next = self.dcqcn_update[i].down.valid.val();
            self.all_data.next = self.dcqcn_update[i].down.data.val();
            self.dcqcn_update[i].down.ready.next = self.update.ready.val();
        }
        self.update.valid.next = self.all_valid.val();
        self.update.data.next = self.all_data.val();

        self.built.next = bit_cast_number::<8, BuiltLaws>(self.codes.val());
        self.command.ready.next = self.command_taken.val();
        self.event.ready.next = self.taken.val();
        self.known.d.next = self.event.valid.val() & !self.taken.val();
        // written when the law has taken the creation, before any event of the new flow
        self.laws.we.next = self.command.valid.val() & self.command.data.val().create & self.command_taken.val();
        self.laws.waddr.next = bit_cast_u::<A, 16>(self.command.data.val().flow);
        self.laws.wdata.next = self.command_law.val();
        if self.reset.val() {
            self.known.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        // HPCC alone, or with what else is built
        named_as::<Self>(if DCQCN + POWERTCP > 0 {
            "cc_choice_laws"
        } else {
            "cc_choice"
        })
    }
}

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;
