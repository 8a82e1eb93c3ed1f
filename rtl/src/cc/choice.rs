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
use super::theta::ThetaSlot;
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
#[block(check(HPCC <= 1 && DCQCN <= 1 && POWERTCP <= 1 && THETA <= 1, "a law is there once or not at all"))]
pub struct LawChoice<
    const FLOWS: usize,
    const A: usize,
    const HPCC: usize,
    const DCQCN: usize,
    const POWERTCP: usize,
    const THETA: usize,
> {
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
    theta: [ThetaSlot<FLOWS, A>; THETA],
    theta_update: [StreamMerge<LawUpdate>; THETA],
    dcqcn: [DcqcnSlot<FLOWS, A>; DCQCN],
    dcqcn_update: [StreamMerge<LawUpdate>; DCQCN],
    laws: LutRam<LawCode, A>,
    // the table has been asked for the event's flow
    /// The command names a law that is built in.
    known: DFF<Bit>,
    law: Signal<Local, LawCode>,
    taken: Signal<Local, Bit>,
    command_taken: Signal<Local, Bit>,
    // updates of HPCC, of it and PowerTCP, of these and theta-PowerTCP, and of all
    hpcc_valid: Signal<Local, Bit>,
    hpcc_data: Signal<Local, LawUpdate>,
    hpcc_ready: Signal<Local, Bit>,
    power_valid: Signal<Local, Bit>,
    power_data: Signal<Local, LawUpdate>,
    power_ready: Signal<Local, Bit>,
    delay_valid: Signal<Local, Bit>,
    delay_data: Signal<Local, LawUpdate>,
    delay_ready: Signal<Local, Bit>,
    all_valid: Signal<Local, Bit>,
    all_data: Signal<Local, LawUpdate>,
    all_ready: Signal<Local, Bit>,
    codes: Signal<Local, BuiltLaws>,
}

#[kernel]
impl<
        const FLOWS: usize,
        const A: usize,
        const HPCC: usize,
        const DCQCN: usize,
        const POWERTCP: usize,
        const THETA: usize,
    > Logic for LawChoice<FLOWS, A, HPCC, DCQCN, POWERTCP, THETA>
{
    fn update(&mut self) {
        // events: the head of the port waits until its law is known
        self.laws.raddr.next = bit_cast_u::<A, 16>(self.event.data.val().flow);
        self.law.next = self.laws.rdata.val();
        self.taken.next = self.known.q.val();
        // commands: a law that is not built in is never asked for
        self.command_taken.next = true;
        // updates: who takes them, from the port backwards
        self.all_ready.next = self.update.ready.val();
        self.delay_ready.next = self.all_ready.val();
        for i in 0..DCQCN {
            self.delay_ready.next = self.dcqcn_update[i].first.ready.val();
        }
        self.power_ready.next = self.delay_ready.val();
        for i in 0..THETA {
            self.power_ready.next = self.theta_update[i].first.ready.val();
        }
        self.hpcc_ready.next = self.power_ready.val();
        for i in 0..POWERTCP {
            self.hpcc_ready.next = self.powertcp_update[i].first.ready.val();
        }
        self.codes.next = bits_zero::<BuiltLaws>(0);
        self.codes.next.none = true;

        // each law that is built in hears what is for it
        each!((slot, code, count) in [
            (hpcc, LawCode::Hpcc, HPCC), (powertcp, LawCode::PowerTcp, POWERTCP), (theta, LawCode::Theta, THETA),
            (dcqcn, LawCode::Dcqcn, DCQCN)
        ] {
            for i in 0..count {
                self.codes.next.slot = true;
                inputs!(slot[i]: reset, param.address, param.data, command.data, event.data);
                self.slot[i].param.write.next = self.param.write.val() & (self.param_law.val() == code);
                self.slot[i].command.valid.next = self.command.valid.val() & (self.command_law.val() == code);
                if self.command_law.val() == code {
                    self.command_taken.next = self.slot[i].command.ready.val();
                }
                self.slot[i].event.valid.next = self.known.q.val() & (self.law.val() == code);
                if self.law.val() == code {
                    self.taken.next = self.known.q.val() & self.slot[i].event.ready.val();
                }
            }
        });
        for i in 0..DCQCN {
            inputs!(dcqcn[i]: now);
        }

        // updates: HPCC's as they are, those of each further law through its merge
        self.hpcc_valid.next = false;
        self.hpcc_data.next = bits_zero::<LawUpdate>(0);
        for i in 0..HPCC {
            self.hpcc_valid.next = self.hpcc[i].update.valid.val();
            self.hpcc_data.next = self.hpcc[i].update.data.val();
            inputs!(hpcc[i]: update.ready = hpcc_ready);
        }
        each!((slot, merge, count, before_valid, before_data, out_valid, out_data, out_ready) in [
            (powertcp, powertcp_update, POWERTCP, hpcc_valid, hpcc_data, power_valid, power_data, power_ready),
            (theta, theta_update, THETA, power_valid, power_data, delay_valid, delay_data, delay_ready),
            (dcqcn, dcqcn_update, DCQCN, delay_valid, delay_data, all_valid, all_data, all_ready)
        ] {
            assign!(out_valid = before_valid, out_data = before_data);
            for i in 0..count {
                inputs!(merge[i]: reset, first.valid = before_valid, first.data = before_data, down.ready = out_ready);
                StreamOut::<LawUpdate>::join(&mut self.slot[i].update, &mut self.merge[i].second);
                self.out_valid.next = self.merge[i].down.valid.val();
                self.out_data.next = self.merge[i].down.data.val();
            }
        });
        assign!(update.valid = all_valid, update.data = all_data);

        self.built.next = bit_cast_number::<8, BuiltLaws>(self.codes.val());
        assign!(command.ready = command_taken, event.ready = taken);
        self.known.d.next = self.event.valid.val() & !self.taken.val();
        // written when the law has taken the creation, before any event of the new flow
        self.laws.we.next = self.command.valid.val() & self.command.data.val().create & self.command_taken.val();
        self.laws.waddr.next = bit_cast_u::<A, 16>(self.command.data.val().flow);
        self.laws.wdata.next = self.command_law.val();
        reset!(known);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        // HPCC alone, or with what else is built
        named_as::<Self>(if DCQCN + POWERTCP + THETA == 0 { "cc_choice_hpcc" } else { "cc_choice" })
    }
}

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;
