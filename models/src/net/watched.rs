//! HPCC in tests, with somebody who listens.

use crate::cc::hpcc::Hpcc;
use crate::cc::{CcEvent, CongestionControl, Update};

/// HPCC, and whoever hears its events and answers, with the law as it is then.
pub(in crate::net) struct Watched<F> {
    pub law: Hpcc,
    pub hear: F,
}

impl<F: FnMut(&Hpcc, &CcEvent, Option<Update>)> CongestionControl for Watched<F> {
    fn name(&self) -> &'static str {
        "hpcc"
    }
    fn create(&mut self, flow: u32, generation: u8) -> Update {
        self.law.create(flow, generation)
    }
    fn remove(&mut self, flow: u32) {
        self.law.remove(flow);
    }
    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        let update = self.law.handle(event);
        (self.hear)(&self.law, event, update);
        update
    }
}
