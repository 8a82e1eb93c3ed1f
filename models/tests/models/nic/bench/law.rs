//! Laws that write down what they hear.

use hpcc_models::cc::hpcc::Hpcc;
use hpcc_models::cc::{CcEvent, CongestionControl, EventKind, Update};
use std::cell::RefCell;
use std::rc::Rc;

/// What a receiver told a law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Told {
    /// So many flows, at this time.
    Flows(u16, u64),
    Window(f64),
}

/// A law that records its events and what receivers tell it, and never changes window and rate.
#[derive(Default)]
pub struct Recorder {
    pub events: Rc<RefCell<Vec<CcEvent>>>,
    pub told: Rc<RefCell<Vec<Told>>>,
    pub window: f64,
    pub rate: f64,
}

impl CongestionControl for Recorder {
    fn name(&self) -> &'static str {
        "recorder"
    }

    fn create(&mut self, flow: u32, generation: u8) -> Update {
        Update {
            flow,
            generation,
            window: self.window,
            rate: self.rate,
        }
    }

    fn remove(&mut self, _flow: u32) {}

    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        self.events.borrow_mut().push(*event);
        None
    }

    fn receiver_counts(&mut self, _flow: u32, _generation: u8, flows: u16, now: u64) {
        self.told.borrow_mut().push(Told::Flows(flows, now));
    }

    fn receiver_window(&mut self, _flow: u32, _generation: u8, window: f64) -> Option<Update> {
        self.told.borrow_mut().push(Told::Window(window));
        None
    }
}

/// HPCC, and whoever listens to what it hears and answers.
pub struct Watched<F> {
    pub law: Hpcc,
    pub hear: F,
}

impl<F: FnMut(&CcEvent, Option<Update>)> CongestionControl for Watched<F> {
    fn name(&self) -> &'static str {
        self.law.name()
    }
    fn create(&mut self, flow: u32, generation: u8) -> Update {
        self.law.create(flow, generation)
    }
    fn remove(&mut self, flow: u32) {
        self.law.remove(flow);
    }
    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        let update = self.law.handle(event);
        (self.hear)(event, update);
        update
    }
    fn receiver_counts(&mut self, flow: u32, generation: u8, flows: u16, now: u64) {
        self.law.receiver_counts(flow, generation, flows, now);
    }
    fn receiver_window(&mut self, flow: u32, generation: u8, window: f64) -> Option<Update> {
        let update = self.law.receiver_window(flow, generation, window);
        // no event brings it; it is heard as one without INT
        let told = CcEvent {
            kind: EventKind::Probe,
            flow,
            generation,
            ..CcEvent::default()
        };
        (self.hear)(&told, update);
        update
    }
}
