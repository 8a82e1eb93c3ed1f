//! What goes in and out in a clock, and the registers.

use super::stages::Packet;
use crate::words::flows::FlowUpdate;
use crate::words::sched::LawEvent;
use hpcc_models::sched::{CapControl, Op, SchedRegisters};

/// The sources in their order: updates, commands, events, feedback, work; behind them the timers.
pub const SOURCES: usize = 5;

/// A source's flow, generation and operation.
pub type Offer = (u16, u8, Op);

/// What goes in within a clock.
#[derive(Clone, Copy, Debug)]
pub struct Inputs {
    pub reset: bool,
    pub now: u64,
    pub pause: u8,
    /// Address and value of a register.
    pub parameter: Option<(u64, u64)>,
    /// Group and rate.
    pub level: Option<(u8, u64)>,
    pub limits: CapControl,
    pub look: u8,
    pub update: Option<FlowUpdate>,
    pub command: Option<Offer>,
    pub event_valid: bool,
    /// What lies on the port, valid or not.
    pub event: LawEvent,
    pub feedback: Option<Offer>,
    pub work: Option<Offer>,
    pub send_ready: bool,
    pub cc_ready: bool,
    pub ended_ready: bool,
}

/// What comes out; payloads only where they are valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outputs {
    /// Updates, commands, events, feedback, work.
    pub ready: [bool; SOURCES],
    pub send: Option<Packet>,
    pub cc: Option<LawEvent>,
    /// Flow and generation, and that its receiver was not ready.
    pub ended: Option<(u16, u8, bool)>,
    /// Flows with work and bytes sent.
    pub group: (u64, u64),
    /// Late, beyond, out of range, timeouts, events that the congestion control missed.
    pub counts: [u64; 5],
}

/// The registers as the blocks see them.
pub struct Registers {
    pub words: SchedRegisters,
    pub limits: CapControl,
    pub rnr_retry: u8,
    pub now: u64,
}

impl Registers {
    /// The clock in ticks of 8 ns.
    pub fn tick(&self) -> u32 {
        (self.now >> 3) as u32 & 0xf_ffff
    }
}
