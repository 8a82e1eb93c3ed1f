//! Bytes that packets used less than a full one: sums by flow, five clocks after the bytes came.

use super::events::Effect;
use super::ports::Offer;
use hpcc_models::sched::Op;

/// Bytes on their way.
#[derive(Clone, Copy)]
struct Bytes {
    flow: u16,
    generation: u8,
    bytes: u32,
    own: bool,
}

#[derive(Clone, Copy, Default)]
struct Flow {
    alive: bool,
    generation: u8,
    sum: u32,
}

pub struct Refund {
    flows: Vec<Flow>,
    /// Bytes by the clocks since they came, less one.
    line: [Option<Bytes>; 4],
    /// Flow and sum, as the engines hear of it.
    pub changed: Option<(u16, u32)>,
    pub late: bool,
    pub out_of_range: bool,
}

impl Refund {
    pub fn new(flows: u16) -> Self {
        Self {
            flows: vec![Flow::default(); flows.into()],
            line: [None; 4],
            changed: None,
            late: false,
            out_of_range: false,
        }
    }

    /// Flow and bytes whose group is looked for in this clock.
    pub fn named(&self) -> Option<(u16, u32)> {
        let named = self.line[2].filter(|bytes| bytes.own);
        named.map(|bytes| (bytes.flow, bytes.bytes))
    }

    pub fn clock(&mut self, feedback: Option<Offer>, effect: Option<&Effect>, reset: bool) {
        (self.changed, self.late) = (None, false);
        if let Some(bytes) = self.line[3] {
            self.late = !bytes.own;
            if bytes.own {
                let flow = &mut self.flows[usize::from(bytes.flow)];
                flow.sum = (flow.sum + bytes.bytes) & 0xf_ffff;
                self.changed = Some((bytes.flow, flow.sum));
            }
        }
        // an event that ends in this clock is not seen
        if let Some(bytes) = &mut self.line[0] {
            let flow = self.flows[usize::from(bytes.flow)];
            bytes.own = flow.alive && flow.generation == bytes.generation;
        }
        if let Some(effect) = effect {
            let flow = &mut self.flows[usize::from(effect.taken.flow)];
            (flow.alive, flow.generation) = (effect.after.alive, effect.after.generation);
            if effect.clears() {
                flow.sum = 0;
            }
        }
        let came = match feedback {
            Some((flow, generation, Op::Adjust(bytes))) => Some(Bytes {
                flow,
                generation,
                bytes: bytes & 0xf_ffff,
                own: false,
            }),
            _ => None,
        };
        let exists = |bytes: &Bytes| usize::from(bytes.flow) < self.flows.len();
        self.out_of_range = came.is_some_and(|bytes| !exists(&bytes));
        self.line.rotate_right(1);
        self.line[0] = came.filter(exists);
        if reset {
            self.line = [None; 4];
            (self.changed, self.late, self.out_of_range) = (None, false, false);
        }
    }
}
