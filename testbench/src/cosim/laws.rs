//! The models that co-simulation knows.

use super::replay::{Replay, Seen};
use super::rtl::{Rtl, RtlLaw};
use super::source::Source;
use hpcc_models::cc::hpcc::{Hpcc, HpccParams, Observation, StepOptions};
use hpcc_models::cc::powertcp::{PowerObservation, PowerParams, PowerTcp};
use hpcc_models::cc::{CcEvent, CongestionControl};
use hpcc_models::fixed::{FixedHpcc, FixedPower};

/// Golden first; every later one is compared with the one before it.
pub fn all(source: &Source, rtl: impl FnOnce(RtlLaw) -> Rtl) -> Result<Vec<Box<dyn Replay>>, String> {
    let mut models = match source {
        Source::Hpcc(trace) => hpcc(&trace.header.params)?,
        Source::Power(trace) => power(&trace.header.params)?,
    };
    models.push(Box::new(rtl(RtlLaw::of(source)?)));
    Ok(models)
}

fn hpcc(params: &HpccParams) -> Result<Vec<Box<dyn Replay>>, String> {
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
    ])
}

/// The models of PowerTCP and theta-PowerTCP.
fn power(params: &PowerParams) -> Result<Vec<Box<dyn Replay>>, String> {
    let golden = PowerTcp::new(params.clone()).map_err(|error| error.to_string())?;
    let fixed = FixedPower::new(params.clone()).map_err(|error| error.to_string())?;
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
    ])
}

/// Golden on the trace's own 17-bit queues, to be compared with the trace's own columns.
pub fn golden_at_full_width(source: &Source, flows: u32, events: &[CcEvent]) -> Result<Vec<Option<Seen>>, String> {
    let with = |queues| StepOptions {
        queues: Some(queues),
        ..StepOptions::default()
    };
    match source {
        Source::Hpcc(trace) => {
            let mut law = Hpcc::<f64>::new(trace.header.params.clone()).map_err(|error| error.to_string())?;
            (0..flows).for_each(|flow| {
                law.create(flow, 0);
            });
            let step = |(row, event)| {
                law.handle_with(event, &with(trace.queues(row)));
                law.last().copied().map(Seen::from)
            };
            Ok(trace.rows.iter().zip(events).map(step).collect())
        }
        Source::Power(trace) => {
            let mut law = PowerTcp::new(trace.header.params.clone()).map_err(|error| error.to_string())?;
            (0..flows).for_each(|flow| {
                law.create(flow, 0);
            });
            let step = |(row, event)| {
                law.handle_with(event, &with(trace.queues(row)));
                law.last().copied().map(Seen::from)
            };
            Ok(trace.rows.iter().zip(events).map(step).collect())
        }
    }
}

impl From<PowerObservation> for Seen {
    fn from(seen: PowerObservation) -> Self {
        Self {
            u: seen.power,
            w: seen.w,
            wc: Some(seen.old),
            inc_stage: None,
            branch: None,
            rates: Some((seen.rate, seen.reference_rate)),
        }
    }
}

impl From<Observation<f64>> for Seen {
    fn from(seen: Observation<f64>) -> Self {
        Self {
            u: seen.u,
            w: seen.w,
            wc: Some(seen.wc),
            inc_stage: Some(seen.inc_stage),
            branch: Some(seen.branch),
            rates: None,
        }
    }
}

/// A law of `hpcc-models` with a way to look at its last step.
struct Law<L, O> {
    name: &'static str,
    law: L,
    last: fn(&L) -> Option<O>,
}

impl<L: CongestionControl, O: Into<Seen>> Replay for Law<L, O> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn replay(&mut self, flows: u32, events: &[CcEvent]) -> Result<Vec<Option<Seen>>, String> {
        for flow in 0..flows {
            self.law.create(flow, 0);
        }
        let step = |event| {
            self.law.handle(event);
            (self.last)(&self.law).map(O::into)
        };
        Ok(events.iter().map(step).collect())
    }
}
