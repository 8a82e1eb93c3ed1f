//! Closed loops in the network: which message starts when, and which flow it is.

use rand::Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{ClosedLoop, Running};
use crate::net::engine::{encode, Kind, SetupError, Simulator};
use crate::net::flow::{FlowRecord, FlowSpec};
use crate::net::slot::SlotFactory;
use crate::net::start_rules::Moment;

/// In an event of a loop: it is the response's and not the request's.
const RESPONSE: u32 = 1;

/// A number of the standard normal distribution, by Marsaglia's polar method.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    loop {
        let (x, y) = (2.0 * rng.random::<f64>() - 1.0, 2.0 * rng.random::<f64>() - 1.0);
        let s = x * x + y * y;
        if s > 0.0 && s < 1.0 {
            return x * (-2.0 * s.ln() / s).sqrt();
        }
    }
}

impl Simulator {
    /// Adds a closed loop; before running only. The factory makes the congestion-control slots that its flows need.
    pub fn add_closed_loop(&mut self, spec: ClosedLoop, factory: &mut SlotFactory) -> Result<(), SetupError> {
        let number = self.loops.len() as u32;
        for (src, dst, bytes) in [
            (spec.client, spec.server, spec.request_bytes),
            (spec.server, spec.client, spec.response_bytes),
        ] {
            let flow = FlowSpec {
                src,
                dst,
                bytes,
                start_ps: spec.start_ps,
                dst_port: FlowSpec::DST_PORT,
            };
            self.check_flow(self.flows.len(), &flow)?;
            self.make_slot(usize::MAX, &flow, factory)?;
        }
        self.loops.push(Running {
            spec,
            rng: ChaCha8Rng::seed_from_u64(spec.seed),
            request: None,
            response: None,
            earlier: None,
        });
        self.unfinished += 1;
        self.events.push(spec.start_ps, encode(Kind::Request, 0, number));
        Ok(())
    }

    /// A flow that starts now.
    fn add_flow(&mut self, flow: FlowSpec) -> u32 {
        let number = self.flows.len() as u32;
        self.flows.push(flow);
        self.records.push(FlowRecord::default());
        self.note_ns3_ideal(number as usize);
        self.unfinished += 1;
        self.start_flow(number);
        number
    }

    fn message(&mut self, number: usize, response: bool) {
        let running = &mut self.loops[number];
        let spec = running.spec;
        let (src, dst, bytes) = if response {
            (spec.server, spec.client, spec.response_bytes)
        } else {
            (spec.client, spec.server, spec.request_bytes)
        };
        let earlier = if response { running.response } else { running.request };
        running.earlier = earlier.filter(|_| spec.keep_window);
        self.starting = Some(number);
        let flow = self.add_flow(FlowSpec {
            src,
            dst,
            bytes,
            start_ps: self.now,
            dst_port: FlowSpec::DST_PORT,
        });
        self.starting = None;
        let running = &mut self.loops[number];
        if response {
            running.response = Some(flow);
        } else {
            running.request = Some(flow);
        }
        self.loop_of.insert(flow, (number as u32, response));
    }

    /// The flow whose window a flow that starts goes on with.
    pub(in crate::net) fn continued_from(&self, flow: u32) -> Option<u32> {
        let running = &self.loops[self.starting?];
        running.earlier.filter(|&earlier| earlier != flow)
    }

    /// The time for a loop's next request.
    fn request(&mut self, number: u32) {
        let number = number as usize;
        if self.now >= self.loops[number].spec.until_ps {
            self.unfinished -= 1;
        } else {
            self.message(number, false);
        }
    }

    /// A flow has delivered everything (TCP) or has everything acknowledged.
    pub(in crate::net) fn finish_flow(&mut self, flow: u32) {
        self.records[flow as usize].finished_ps = Some(self.now);
        self.unfinished -= 1;
        self.moment(flow, Moment::Sent);
        self.received(flow);
        self.moment(flow, Moment::Acknowledged);
        self.flow_over(flow);
        // Of a TCP flow this moment is the arrival itself.
        match self.loop_of.remove(&flow) {
            Some((number, false)) => self.message(number as usize, true),
            Some((number, true)) => self.pause(number),
            None => {}
        }
    }

    /// The last byte of a flow is at its destination, which answers a request, or pauses after a response. The answer is an event of its own, so
    /// that the acknowledgement of the request leaves first.
    pub(in crate::net) fn message_arrived(&mut self, flow: u32) {
        match self.loop_of.remove(&flow) {
            Some((number, false)) => self.events.push(self.now, encode(Kind::Request, RESPONSE, number)),
            Some((number, true)) => self.pause(number),
            None => {}
        }
    }

    /// The time for a message of a loop, as its event says it.
    pub(in crate::net) fn loop_message(&mut self, what: u32, number: u32) {
        match what {
            RESPONSE => self.message(number as usize, true),
            _ => self.request(number),
        }
    }

    /// A client has its response: the next request comes after a pause.
    fn pause(&mut self, number: u32) {
        let running = &mut self.loops[number as usize];
        let pause = running.spec.pause_ps + running.spec.pause_deviation_ps * normal(&mut running.rng);
        let at = self.now + pause.max(0.0) as u64;
        self.events.push(at, encode(Kind::Request, 0, number));
    }
}
