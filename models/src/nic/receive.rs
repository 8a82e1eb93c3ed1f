//! From an accepted frame to the half of the queue pair that it concerns.

use super::acceptance::{accept, Accepted};
use super::counters::Counter;
use super::keyed::echo_tag;
use super::memory::Memory;
use super::nic::{Echo, Marked, Nic};
use crate::wire::{Opcode, PortRole, RocePacket};

impl<M: Memory> Nic<M> {
    /// Takes a frame (without FCS) that has arrived whole at `now`.
    pub fn receive(&mut self, now: u64, frame: &[u8]) {
        self.counters.count(Counter::RxFrames);
        let result = match accept(&self.config, frame) {
            Ok(Accepted::Transport(role, packet)) => self.transport(now, role, &packet),
            Ok(Accepted::Control(control, source)) => self.control(now, &control, source),
            Err(reason) => Err(reason),
        };
        if let Err(reason) = result {
            self.counters.count(reason);
        }
    }

    fn transport(&mut self, now: u64, role: PortRole, packet: &RocePacket) -> Result<(), Counter> {
        let qpn = packet.bth.dest_qp;
        let qp = self.qps.get(&qpn).ok_or(Counter::UnknownQp)?;
        if packet.ipv4.src != qp.config.remote_ip {
            return Err(Counter::WrongPeer);
        }
        let opcode = packet.bth.opcode;
        let right_port = match (qp.config.int, opcode) {
            (_, Opcode::Cnp) => true,
            (false, Opcode::ReadEcho | Opcode::Probe | Opcode::ProbeResponse) => false,
            (false, _) => role == PortRole::Roce,
            (true, Opcode::Acknowledge | Opcode::ReadEcho | Opcode::ProbeResponse) => role == PortRole::IntEcho,
            (true, _) => role == PortRole::IntCollect,
        };
        if !right_port {
            return Err(Counter::WrongPort);
        }
        if let Some(&key) = self.config.echo_keys.get(&qpn).filter(|_| role == PortRole::IntEcho) {
            if packet.payload != echo_tag(key, &packet.bth, &packet.extension, packet.int) {
                return Err(Counter::Icrc);
            }
        }
        if packet.ipv4.congestion_experienced() {
            match opcode {
                Opcode::ReadResponse(_) => self.marked(now, qpn, Marked::Response),
                _ if opcode.is_request() => self.marked(now, qpn, Marked::Request),
                _ => {}
            }
        }
        match opcode {
            Opcode::Write(_) | Opcode::ReadRequest | Opcode::OtherRequest(_) => self.request(now, packet),
            Opcode::Acknowledge => self.acknowledgement(now, packet),
            Opcode::ReadResponse(position) => self.read_response(now, packet, position),
            Opcode::ReadEcho => self.read_echo(now, packet),
            Opcode::Cnp => {
                self.congestion_notification(now, qpn);
                Ok(())
            }
            Opcode::Probe => {
                self.probe(packet);
                Ok(())
            }
            Opcode::ProbeResponse | Opcode::OtherResponse(_) => Err(Counter::Stray),
        }
    }

    /// Who owns the queue pair answers at once with what the probe collected, under the probe's number (HPCC++, 7.1). Nothing else changes, an
    /// ended half does not matter, and a payload is not looked at.
    fn probe(&mut self, packet: &RocePacket) {
        if let Some(qp) = self.qps.get_mut(&packet.bth.dest_qp) {
            qp.echoes.push_back(Echo {
                opcode: Opcode::ProbeResponse,
                psn: packet.bth.psn,
                int: packet.int.to_vec(),
            });
        }
    }
}
