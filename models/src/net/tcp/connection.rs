//! The connections of a network, and what of them is on its way.

use super::header::{Acknowledgement, Segment};
use super::receiver::Receiver;
use super::sender::Sender;
use super::trace::TcpTrace;
use crate::cc::Probing;
use crate::net::packet::NIL;
use crate::net::slot::{CcSlot, SlotParams};
use std::collections::BTreeMap;

/// What a packet carries.
#[derive(Clone, Copy, Debug)]
pub(super) enum Header {
    Data(Segment),
    Ack(Acknowledgement),
}

/// The timers of a connection; the number goes into the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    Retransmission,
    Acknowledgement,
    Pace,
    Start,
}

pub(super) const TIMERS: [Timer; 4] = [Timer::Retransmission, Timer::Acknowledgement, Timer::Pace, Timer::Start];

/// A connection's HPCC and its probes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probed {
    /// Which slot has its law.
    pub slot: u32,
    /// Its number there; a message that goes on with a connection's window has the earlier one's.
    pub flow: u32,
    pub probing: Probing,
}

/// A connection with its one message.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    pub flow: u32,
    pub stack: u8,
    pub src: u32,
    pub dst: u32,
    pub ports: u32,
    pub bytes: u64,
    pub sender: Sender,
    pub receiver: Receiver,
    /// With law [`super::TcpLaw::HpccProbes`].
    pub probed: Option<Probed>,
    /// Time of the earliest event of each timer in the queue, ps.
    pub armed: [u64; TIMERS.len()],
}

/// All connections of a network.
#[derive(Default)]
pub struct TcpHosts {
    pub(super) connections: Vec<Connection>,
    /// By flow: its connection.
    pub(super) of_flow: Vec<u32>,
    /// What the packet at the same place of the slab carries.
    pub(super) headers: Vec<Option<Header>>,
    /// HPCC for connections of law [`super::TcpLaw::HpccProbes`]. They have slots of their own: their numbers are not those of the other flows.
    pub(super) slots: Vec<Box<dyn CcSlot>>,
    pub(super) slot_of: BTreeMap<SlotParams, u32>,
    /// Filled when asked for.
    pub(in crate::net) trace: Option<TcpTrace>,
}

impl TcpHosts {
    pub(super) fn connection(&self, flow: u32) -> Option<usize> {
        let index = self.of_flow.get(flow as usize).copied().unwrap_or(NIL);
        (index != NIL).then_some(index as usize)
    }

    /// Running flows: number, window and bytes delivered.
    pub(in crate::net) fn points(&self) -> impl Iterator<Item = (u32, u64, u64)> + '_ {
        let running = |c: &&Connection| c.receiver.next < c.bytes;
        let connections = self.connections.iter().filter(running);
        connections.map(|c| (c.flow, c.sender.cwnd(), c.receiver.next))
    }
}
