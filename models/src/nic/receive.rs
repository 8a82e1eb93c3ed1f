//! From an accepted frame to the half of the queue pair that it concerns.

use super::acceptance::{accept, Accepted};
use super::counters::Counter;
use super::format::translate;
use super::keyed::checked;
use super::memory::Memory;
use super::nic::Nic;
use super::qp::Marked;
use crate::cc::Carrier;
use crate::wire::{Opcode, PortRole, RocePacket, ATOMIC_ACKNOWLEDGE};

impl<M: Memory> Nic<M> {
    /// Takes a frame (without FCS) that has arrived whole at `now`.
    pub fn receive(&mut self, now: u64, frame: &[u8]) {
        self.counters.count(Counter::RxFrames);
        let translated = translate(&self.config, frame);
        let result = match accept(&self.config, frame, translated.as_ref()) {
            Ok(Accepted::Transport(role, packet)) => {
                let unusable = translated.as_ref().is_some_and(|translated| !translated.usable);
                self.feedback_counters.int_bad_format += u64::from(unusable);
                self.transport(now, role, &packet)
            }
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
        let atomic_answer = opcode == Opcode::OtherResponse(ATOMIC_ACKNOWLEDGE) && self.host.has(qpn);
        let expected = match atomic_answer {
            // INT of an atomic operation comes back as an acknowledgement's
            true => Opcode::Acknowledge.port_role(qp.config.int),
            false => opcode.port_role(qp.config.int),
        };
        if opcode != Opcode::Cnp && expected != Some(role) {
            return Err(Counter::WrongPort);
        }
        let mut packet = *packet;
        if let Some(&key) = self.config.echo_keys.get(&qpn).filter(|_| role == PortRole::IntEcho) {
            packet.payload = checked(key, &packet).ok_or(Counter::Icrc)?;
        }
        let packet = &packet;
        self.communication_established(qpn);
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
            // Who owns the queue pair answers at once (HPCC++, 7.1). Nothing else changes, an ended half does not matter, and a payload is not
            // looked at.
            Opcode::Probe => {
                self.echo(packet, Opcode::ProbeResponse);
                Ok(())
            }
            Opcode::ProbeResponse
                if self.config.probes.is_none() && self.config.feedback.carrier == Carrier::Notification =>
            {
                self.int_notification(now, packet)
            }
            Opcode::ProbeResponse => self.probe_response(now, packet),
            Opcode::Notification => self.notification(now, packet),
            Opcode::NotificationAck => self.acknowledging_notification(now, packet),
            Opcode::OtherResponse(_) if atomic_answer => self.atomic_answer(now, packet),
            Opcode::OtherResponse(_) => Err(Counter::Stray),
        }
    }
}
