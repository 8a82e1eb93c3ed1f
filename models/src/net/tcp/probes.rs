//! HPCC on probes for TCP connections (draft-miao-ccwg-hpcc, 7.2): data are never stamped, so segmentation at the sender and coalescing at the
//! receiver may do with them what they like; a probe of the same 5-tuple collects the records, and the receiver's host answers it at once.
//!
//! The rule of [`super::super::probe`] says when one leaves, asked after each segment, acknowledgement and response. Each response is one full
//! update (event [`EventKind::Probe`]) and acknowledges nothing; nothing else moves the window. It counts bytes of payload, one segment at least,
//! and the rate `R = W / T` paces the segments, so that a window below one segment still means a lower rate. TCP's part is which data are lost and
//! when they are sent again: a loss, or a timeout, leaves window and rate as HPCC last said.

use super::config::{TcpConfig, TcpLaw};
use super::connection::{Probed, TcpHosts};
use crate::cc::{CcEvent, EventKind, Probing};
use crate::net::clock::PS_PER_NS;
use crate::net::engine::{SetupError, Simulator};
use crate::net::flow::FlowSpec;
use crate::net::host::{whole_rate, whole_window};
use crate::net::packet::Packet;
use crate::net::slot::{fill, SlotFactory, SlotParams};
use crate::wire::MASK_24;

impl TcpHosts {
    /// Whether a flow is a TCP connection that has started.
    pub(in crate::net) fn is_connection(&self, flow: u32) -> bool {
        self.connection(flow).is_some()
    }
}

impl Simulator {
    /// What HPCC is told of a connection's port.
    fn probed_params(&self, flow: &FlowSpec, config: &TcpConfig) -> SlotParams {
        SlotParams {
            mtu: config.mss,
            ..self.slot_params(flow)
        }
    }

    /// Makes the slot that serves a TCP flow of that number, if its law needs one.
    pub(in crate::net) fn make_tcp_slot(
        &mut self,
        index: usize,
        flow: &FlowSpec,
        factory: &mut SlotFactory,
    ) -> Result<(), SetupError> {
        let stack = self.config.tcp.as_ref().and_then(|t| t.stack(index));
        let Some(stack) = stack.filter(|s| s.law == TcpLaw::HpccProbes) else {
            return Ok(());
        };
        if self.config.probes.is_none() || !self.config.int {
            return Err(SetupError::Slot(format!(
                "expected probes, and switches that write INT, with {}",
                stack.law.name()
            )));
        }
        let params = self.probed_params(flow, stack);
        fill(&mut self.tcp.slots, &mut self.tcp.slot_of, params, factory).map_err(SetupError::Slot)
    }

    /// A connection starts with HPCC's first window and rate, or goes on with those of `earlier`.
    pub(super) fn start_probed(&mut self, index: usize, earlier: Option<usize>) {
        if let Some(earlier) = earlier {
            self.tcp.connections[index].probed = self.tcp.connections[earlier].probed;
            return;
        }
        let flow = self.tcp.connections[index].flow as usize;
        let stack = self.config.tcp.as_ref().and_then(|t| t.stack(flow));
        let Some(params) = stack.map(|stack| self.probed_params(&self.flows[flow], stack)) else {
            return;
        };
        let slot = self.tcp.slot_of[&params];
        let first = self.tcp.slots[slot as usize].create(index as u32, 0);
        self.tcp.connections[index].probed = Some(Probed {
            slot,
            flow: index as u32,
            probing: Probing::default(),
        });
        let now = self.now;
        self.with_sender(index, |sender, config| {
            sender.command(config, now, whole_rate(first.rate), whole_window(first.window));
        });
    }

    /// A segment of a connection leaves.
    pub(super) fn note_segment(&mut self, index: usize) {
        if let Some(probed) = &mut self.tcp.connections[index].probed {
            probed.probing.data();
        }
    }

    /// Sends a connection's probe behind its last segment, if one is due. It is charged to the pacing and does not wait for it.
    pub(super) fn probe_if_due(&mut self, index: usize, config: &TcpConfig) {
        let (now, framing) = (self.now, &self.config.framing);
        let connection = &mut self.tcp.connections[index];
        let (Some(rule), Some(probed)) = (&self.config.probes, &mut connection.probed) else {
            return;
        };
        if !probed.probing.due(rule, connection.sender.in_flight(config) > 0, now) {
            return;
        }
        let count = probed.probing.send(now);
        let size = config.wire_bytes(0, 0) + framing.int_base;
        connection.sender.charge(now, framing.charged(size));
        let packet = Packet {
            flow: connection.flow,
            context: index as u32,
            src: connection.src,
            dst: connection.dst,
            ports: connection.ports,
            size,
            seq: u64::from(count),
            ..Packet::default()
        };
        self.counters.probes += 1;
        self.counters.probe_bytes += u64::from(size);
        self.enqueue(packet, None);
    }

    /// A connection's probe has arrived at its receiver's host.
    pub(in crate::net) fn answer_probe_of_connection(&mut self, port: u32, index: u32) {
        let p = self.packets[index];
        let stack = self.config.tcp.as_ref().and_then(|t| t.stack(p.flow as usize));
        let header = stack.map_or(0, |stack| stack.wire_bytes(0, 0));
        let size = header + self.echo_bytes(&p);
        self.answer_probe(port, index, size);
    }

    /// A response reaches its connection's sender: one full update of the law.
    pub(in crate::net) fn response_of_connection(&mut self, p: &Packet) {
        let now = self.now;
        let index = p.context as usize;
        let connection = &mut self.tcp.connections[index];
        let over = connection.sender.snd_una() >= connection.bytes;
        let Some(probed) = connection.probed.as_mut().filter(|_| !over) else {
            return;
        };
        if !probed.probing.accept(p.seq as u32) {
            self.counters.probe_stray += 1;
            return;
        }
        let (slot, mss) = (probed.slot as usize, connection.sender.window.mss);
        let number = |byte: u64| byte.div_ceil(mss) as u32 & MASK_24;
        let event = CcEvent {
            kind: EventKind::Probe,
            flow: probed.flow,
            psn_next: number(connection.sender.snd_una()),
            snd_nxt: number(connection.sender.snd_max()),
            int_valid: true,
            n_hop: p.n_hop,
            path_id: p.path_id,
            hops: p.hops,
            now: now / PS_PER_NS,
            ..CcEvent::default()
        };
        self.tcp.slots[slot].submit(&event);
        let update = self.tcp.slots[slot].collect();
        // Without an update, too: the next probe may be due.
        self.with_sender(index, |sender, config| {
            if let Some(update) = update {
                sender.command(config, now, whole_rate(update.rate), whole_window(update.window));
            }
        });
    }
}
