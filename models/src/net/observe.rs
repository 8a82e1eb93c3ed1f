//! Sampling queues and flows, and reading the meters, while the simulation runs.

use super::engine::{encode, Kind, Simulator};
use super::meter::{FlowMeter, PortMeter};
use super::sample::{add, FlowPoint, QueuePoint};

impl Simulator {
    /// Takes one sample and schedules the next.
    pub(super) fn take_samples(&mut self) {
        let series = self
            .sample_count
            .is_multiple_of(u64::from(self.plan.series_every.max(1)));
        self.sample_count += 1;
        self.held.fill((0, false));
        for (index, port) in self.ports.iter().enumerate().filter(|(_, p)| p.on_switch) {
            let to_host = !self.ports[port.peer as usize].on_switch;
            let histogram = if to_host {
                &mut self.samples.to_host
            } else {
                &mut self.samples.fabric
            };
            histogram.add(port.egress_bytes);
            let node = port.node as usize;
            if self.held.len() <= node {
                self.held.resize(node + 1, (0, false));
            }
            self.held[node].0 += port.egress_bytes;
            self.held[node].1 |= to_host;
            if port.busy_until > self.now || port.queued_bytes > 0 {
                self.samples.busy.add(port.egress_bytes);
            }
            for (class, bytes) in port.classes.iter().flat_map(|c| c.lengths()).enumerate() {
                if self.samples.classes.len() <= class {
                    self.samples.classes.resize_with(class + 1, Default::default);
                }
                self.samples.classes[class].add(bytes);
            }
            if series && self.plan.queue_series && self.last_queue[index] != port.egress_bytes {
                self.last_queue[index] = port.egress_bytes;
                let point = QueuePoint {
                    t_ps: self.now,
                    node: port.node,
                    interface: interface(&self.ports, index),
                    bytes: port.egress_bytes,
                };
                add(&mut self.samples.queues, &mut self.samples.full_ps, self.now, point);
            }
        }
        if series {
            self.sample_voq();
        }
        for &(bytes, _) in self.held.iter().filter(|(_, leaf)| *leaf) {
            self.samples.racks.add(bytes);
        }
        if series && self.plan.flow_series > 0 {
            for context in &self.contexts {
                let running = !context.finished && context.size > 0;
                if running && context.flow < self.plan.flow_series {
                    self.samples.add_flow(FlowPoint {
                        t_ps: self.now,
                        flow: context.flow,
                        rate_bps: context.rate_bps,
                        window_bytes: context.window,
                        delivered_bytes: context.expected,
                    });
                }
            }
        }
        if series && self.plan.flow_series > 0 {
            for (flow, window_bytes, delivered_bytes) in self.tcp.points() {
                if flow < self.plan.flow_series {
                    self.samples.add_flow(FlowPoint {
                        t_ps: self.now,
                        flow,
                        rate_bps: 0,
                        window_bytes,
                        delivered_bytes,
                    });
                }
            }
        }
        if let Some(hosts) = self.homa.as_ref().filter(|_| series) {
            let points = hosts.points().filter(|p| p.0 < self.plan.flow_series);
            for (flow, delivered_bytes) in points {
                self.samples.add_flow(FlowPoint {
                    t_ps: self.now,
                    flow,
                    rate_bps: 0,
                    window_bytes: u64::MAX,
                    delivered_bytes,
                });
            }
        }
        let next = self.now + self.plan.interval_ps;
        if next <= self.plan.end_ps {
            self.events.push(next, encode(Kind::Sample, 0, 0));
        }
    }

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

    /// Reads all meters and schedules the next reading.
    pub(super) fn read_meters(&mut self) {
        self.read_ports_and_flows();
        self.meter_voq();
        let next = self.now + self.plan.meter_ps;
        if next <= self.plan.end_ps {
            self.events.push(next, encode(Kind::Sample, 1, 0));
        }
    }

    /// Reads the meters once more at the end of a run that falls into an interval.
    pub(super) fn read_last_meters(&mut self) {
        let plan = &self.plan;
        let into = self.now.saturating_sub(plan.start_ps);
        if plan.meter_ps > 0 && !into.is_multiple_of(plan.meter_ps) && self.now <= plan.end_ps {
            self.read_ports_and_flows();
        }
    }

    /// Reads all meters. Ports and flows at rest have no reading.
    fn read_ports_and_flows(&mut self) {
        let t_ps = self.now;
        self.meters.sent.resize(self.ports.len(), 0);
        for (index, port) in self.ports.iter().enumerate().filter(|(_, p)| p.on_switch) {
            let wire_bytes = port.tx_bytes - std::mem::replace(&mut self.meters.sent[index], port.tx_bytes);
            if wire_bytes > 0 || port.waiting > 0 {
                let reading = PortMeter {
                    t_ps,
                    node: port.node,
                    interface: interface(&self.ports, index),
                    wire_bytes,
                    queue_packets: port.waiting,
                    queue_bytes: port.queued_bytes,
                };
                add(&mut self.samples.port_meters, &mut self.samples.full_ps, t_ps, reading);
            }
        }
        let mut touched = std::mem::take(&mut self.meters.touched);
        touched.sort_unstable();
        for flow in touched {
            let delivered_bytes = std::mem::take(&mut self.meters.delivered[flow as usize]);
            let reading = FlowMeter {
                t_ps,
                flow,
                delivered_bytes,
            };
            add(&mut self.samples.flow_meters, &mut self.samples.full_ps, t_ps, reading);
        }
    }
}

/// Number of a port among those of its node, from 1.
pub(super) fn interface(ports: &[super::port::Port], index: usize) -> u32 {
    let node = ports[index].node;
    ports[..=index].iter().filter(|p| p.node == node).count() as u32
}
