//! The models that co-simulation knows.

use super::replay::{Replay, Seen};
use super::rtl::Rtl;
use hpcc_models::cc::hpcc::{Hpcc, HpccParams, Observation, StepOptions};
use hpcc_models::cc::trace::Trace;
use hpcc_models::cc::{CcEvent, CongestionControl};
use hpcc_models::fixed::FixedHpcc;

/// Golden first; every later one is compared with the one before it.
pub fn all(params: &HpccParams, rtl: Rtl) -> Result<Vec<Box<dyn Replay>>, String> {
    let golden = Hpcc::<f64>::new(params.clone()).map_err(|error| error.to_string())?;
    let fixed = FixedHpcc::new(params.clone()).map_err(|error| error.to_string())?;
    Ok(vec![
        Box::new(Law {
            name: "golden",
            law: golden,
            last: |law| law.last().copied(),
        }),
        Box::new(Law {
            name: "fixed",
            law: fixed,
            last: |law| law.last().copied(),
        }),
        Box::new(rtl),
    ])
}

/// Golden on the trace's own 17-bit queues, to be compared with the trace's own columns.
pub fn golden_at_full_width(trace: &Trace, flows: u32, events: &[CcEvent]) -> Result<Vec<Option<Seen>>, String> {
    let mut law = Hpcc::<f64>::new(trace.header.params.clone()).map_err(|error| error.to_string())?;
    (0..flows).for_each(|flow| {
        law.create(flow, 0);
    });
    let step = |(row, event)| {
        let options = StepOptions {
            queues: Some(trace.queues(row)),
            ..StepOptions::default()
        };
        law.handle_with(event, &options);
        law.last().copied().map(Seen::from)
    };
    Ok(trace.rows.iter().zip(events).map(step).collect())
}

impl From<Observation<f64>> for Seen {
    fn from(seen: Observation<f64>) -> Self {
        Self {
            u: seen.u,
            w: seen.w,
            wc: Some(seen.wc),
            inc_stage: Some(seen.inc_stage),
            branch: Some(seen.branch),
        }
    }
}

/// A law of `hpcc-models` with a way to look at its last step.
struct Law<L> {
    name: &'static str,
    law: L,
    last: fn(&L) -> Option<Observation<f64>>,
}

impl<L: CongestionControl> Replay for Law<L> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn replay(&mut self, flows: u32, events: &[CcEvent]) -> Result<Vec<Option<Seen>>, String> {
        for flow in 0..flows {
            self.law.create(flow, 0);
        }
        let step = |event| {
            self.law.handle(event);
            (self.last)(&self.law).map(Seen::from)
        };
        Ok(events.iter().map(step).collect())
    }
}
