//! The RTL of the congestion-control slot in the loop: driven as RustHDL in this thread, or Verilated.
//!
//! One instance serves every sender with the same parameters. Acknowledgements enter the pipeline when they are submitted, one clock each, and
//! leave it when the network collects them, so those that arrive within the window latency share its clocks. Idle clocks of the network
//! are not simulated: the module keeps its time from the events. So the walk of a law with timers stands, and the network brings its ticks as
//! events. The fixed-point law beside the module says when it asks for them, and which events are answered at all; what the module answers
//! is what counts.

use std::collections::VecDeque;

use hpcc_models::cc::{CcEvent, Update};
use hpcc_models::fixed::hpcc::{rate_bits_per_second, window_bytes};
use hpcc_models::net::CcSlot;
use hpcc_rtl::cc::dcqcn::DcqcnSlot;
use hpcc_rtl::cc::hpcc::HpccSlot;
use hpcc_rtl::cc::powertcp::PowerSlot;
use hpcc_rtl::cc::slot::{LawSlot, RawUpdate};
use hpcc_rtl::cc::theta::ThetaSlot;
use hpcc_sim::plan::laws::cc_rtl::{Beside, Driver};

use crate::drive::clocked::{Clocked, RustHdl};
use crate::drive::slot::{Offer, SlotDriver, Taken};
use crate::verilated::{self, Model};

/// Longest wait for anything, clocks: after reset the module removes all of its flows first.
const MAX_WAIT: u64 = 1 << 17;

/// Flows that can run at once: the paper's number where RustHDL is driven, more where the Verilog is.
const RUSTHDL_FLOWS: usize = 300;
const VERILATED_FLOWS: usize = 4096;

/// Makes the slot of a law with the registers that its parameters give, and the law in fixed point beside it.
pub fn make(law: &str, writes: &[(u8, u64)], driver: Driver, beside: Beside) -> Result<Box<dyn CcSlot>, String> {
    match law {
        "hpcc" => sized::<HpccSlot<RUSTHDL_FLOWS, 9>, HpccSlot<VERILATED_FLOWS, 12>>(writes, driver, beside),
        "dcqcn" => sized::<DcqcnSlot<RUSTHDL_FLOWS, 9>, DcqcnSlot<VERILATED_FLOWS, 12>>(writes, driver, beside),
        "powertcp" => sized::<PowerSlot<RUSTHDL_FLOWS, 9>, PowerSlot<VERILATED_FLOWS, 12>>(writes, driver, beside),
        "theta-powertcp" => {
            sized::<ThetaSlot<RUSTHDL_FLOWS, 9>, ThetaSlot<VERILATED_FLOWS, 12>>(writes, driver, beside)
        }
        _ => Err("fidelity: expected golden or fixed for a law whose RTL does not exist".into()),
    }
}

fn sized<R: LawSlot + 'static, V: LawSlot>(
    writes: &[(u8, u64)],
    driver: Driver,
    beside: Beside,
) -> Result<Box<dyn CcSlot>, String> {
    Ok(match driver {
        Driver::Rusthdl => {
            let device = RustHdl::new(Box::<R>::default()).map_err(|e| e.to_string())?;
            Box::new(RtlSlot::new(device, R::LAW, writes, RUSTHDL_FLOWS, beside))
        }
        Driver::Verilated => {
            let mut block: Box<V> = Box::default();
            let top = format!("{}_slot_{VERILATED_FLOWS}", V::LAW);
            let sources = verilated::sources(&top, block.as_mut()).map_err(|e| e.to_string())?;
            let device = Model::new(&sources).map_err(|e| e.to_string())?;
            Box::new(RtlSlot::new(device, V::LAW, writes, VERILATED_FLOWS, beside))
        }
    })
}

struct RtlSlot<C: Clocked> {
    law: &'static str,
    driver: SlotDriver<C>,
    beside: Beside,
    /// Flows at once.
    flows: u32,
    /// For each submitted event not yet collected: will it be answered.
    submitted: VecDeque<bool>,
    /// Answers that have left the module.
    answers: VecDeque<RawUpdate>,
}

impl<C: Clocked> RtlSlot<C> {
    fn new(device: C, law: &'static str, writes: &[(u8, u64)], flows: usize, beside: Beside) -> Self {
        Self {
            law,
            driver: SlotDriver::new(device, writes),
            beside,
            flows: flows as u32,
            submitted: VecDeque::new(),
            answers: VecDeque::new(),
        }
    }

    fn step(&mut self, offer: Offer<'_>) -> Taken {
        let taken = self.driver.step(offer);
        self.answers.extend(taken.update);
        taken
    }

    /// Offers until taken.
    fn offer(&mut self, offer: Offer<'_>) {
        let give_up = self.driver.clock() + MAX_WAIT;
        loop {
            let taken = self.step(offer);
            if taken.event || taken.command {
                return;
            }
            assert!(self.driver.clock() < give_up, "the slot takes nothing");
        }
    }

    /// Clocks until `count` answers are there.
    fn await_answers(&mut self, count: usize) {
        let give_up = self.driver.clock() + MAX_WAIT;
        while self.answers.len() < count {
            self.step(Offer::default());
            assert!(self.driver.clock() < give_up, "the slot does not answer");
        }
    }

    /// A command would overtake events that still wait at the entry, so everything leaves first.
    fn drain(&mut self) {
        let answered = self.submitted.iter().filter(|&&answered| answered).count();
        self.await_answers(answered);
    }
}

fn update(raw: RawUpdate) -> Update {
    Update {
        flow: raw.flow.into(),
        generation: raw.generation,
        window: window_bytes(raw.window),
        rate: rate_bits_per_second(raw.rate),
    }
}

impl<C: Clocked> CcSlot for RtlSlot<C> {
    fn name(&self) -> &'static str {
        self.law
    }

    fn capacity(&self) -> u32 {
        self.flows
    }

    fn create(&mut self, flow: u32, generation: u8) -> Update {
        self.drain();
        let before = self.answers.len();
        self.offer(Offer {
            command: Some((true, flow as u16, generation)),
            ..Offer::default()
        });
        self.await_answers(before + 1);
        self.beside.create(flow, generation);
        // The newest answer is the creation's: everything before it has left.
        let raw = self.answers.pop_back();
        update(raw.unwrap_or_else(|| unreachable!("awaited above")))
    }

    fn remove(&mut self, flow: u32) {
        self.drain();
        self.offer(Offer {
            command: Some((false, flow as u16, 0)),
            ..Offer::default()
        });
        self.beside.remove(flow);
    }

    fn submit(&mut self, event: &CcEvent) {
        let answered = self.beside.handle(event).is_some();
        self.submitted.push_back(answered);
        self.offer(Offer {
            event: Some(event),
            ..Offer::default()
        });
    }

    fn collect(&mut self) -> Option<Update> {
        if !self.submitted.pop_front()? {
            return None;
        }
        self.await_answers(1);
        self.answers.pop_front().map(update)
    }

    fn next_tick(&self, flow: u32) -> Option<u64> {
        self.beside.next_tick(flow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hpcc_sim::plan::laws::cc_rtl::latency_clocks;

    /// The network's crate, which has no RTL, knows how long the RTL takes.
    #[test]
    fn the_latencies_are_those_of_the_modules() {
        let modules = [
            ("hpcc", HpccSlot::<RUSTHDL_FLOWS, 9>::LATENCY),
            ("dcqcn", DcqcnSlot::<RUSTHDL_FLOWS, 9>::LATENCY),
            ("powertcp", PowerSlot::<RUSTHDL_FLOWS, 9>::LATENCY),
            ("theta-powertcp", ThetaSlot::<RUSTHDL_FLOWS, 9>::LATENCY),
        ];
        for (law, clocks) in modules {
            assert_eq!(latency_clocks(law), clocks as u64, "{law}");
        }
    }
}
