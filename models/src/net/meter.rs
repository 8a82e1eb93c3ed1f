//! Meters: per interval, what each switch port sent and each flow delivered.

use super::engine::{encode, Kind, Simulator};
use super::observe::interface;

/// One interval at one port of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortMeter {
    /// End of the interval, ps.
    pub t_ps: u64,
    /// Node number.
    pub node: u32,
    /// Interface number on the node, from 1.
    pub interface: u32,
    /// Sent in the interval, wire bytes.
    pub wire_bytes: u64,
    /// Packets waiting at its end.
    pub queue_packets: u32,
    /// Bytes waiting at its end.
    pub queue_bytes: u64,
}

/// One interval of one flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowMeter {
    /// End of the interval, ps.
    pub t_ps: u64,
    /// Flow number.
    pub flow: u32,
    /// Payload delivered in order in the interval, bytes.
    pub delivered_bytes: u64,
}

/// State of the meters.
#[derive(Debug, Default)]
pub(super) struct Meters {
    /// By port: bytes sent until the last reading.
    sent: Vec<u64>,
    /// By flow: payload delivered since the last reading.
    delivered: Vec<u64>,
    /// Flows that delivered anything since then.
    touched: Vec<u32>,
}

impl Simulator {
    /// Payload of a flow was delivered in order.
    pub(super) fn note_delivered(&mut self, flow: u32, bytes: u64) {
        if self.plan.meter_ps == 0 {
            return;
        }
        let meters = &mut self.meters;
        if meters.delivered.len() <= flow as usize {
            meters.delivered.resize(flow as usize + 1, 0);
        }
        let sum = &mut meters.delivered[flow as usize];
        if *sum == 0 {
            meters.touched.push(flow);
        }
        *sum += bytes;
    }

    /// Reads all meters and schedules the next reading. Ports and flows at rest have no reading.
    pub(super) fn read_meters(&mut self) {
        let t_ps = self.now;
        self.meters.sent.resize(self.ports.len(), 0);
        for (index, port) in self.ports.iter().enumerate().filter(|(_, p)| p.on_switch) {
            let wire_bytes = port.tx_bytes - std::mem::replace(&mut self.meters.sent[index], port.tx_bytes);
            if wire_bytes > 0 || port.waiting > 0 {
                self.samples.port_meters.push(PortMeter {
                    t_ps,
                    node: port.node,
                    interface: interface(&self.ports, index),
                    wire_bytes,
                    queue_packets: port.waiting,
                    queue_bytes: port.queued_bytes,
                });
            }
        }
        let mut touched = std::mem::take(&mut self.meters.touched);
        touched.sort_unstable();
        for flow in touched {
            let delivered_bytes = std::mem::take(&mut self.meters.delivered[flow as usize]);
            self.samples.flow_meters.push(FlowMeter {
                t_ps,
                flow,
                delivered_bytes,
            });
        }
        let next = self.now + self.plan.meter_ps;
        if next <= self.plan.end_ps {
            self.events.push(next, encode(Kind::Sample, 1, 0));
        }
    }
}
