//! Control packets (HPCC paper, section 4.1): flows created and removed over the network. For trusted networks only.

use super::completion::{Operation, WorkRequest};
use super::counters::Counter;
use super::memory::Memory;
use super::nic::Nic;
use super::qp_config::QpConfig;
use crate::wire::{ControlOp, ControlRepr};
use std::net::Ipv4Addr;

/// Work requests that control packets create have this bit set in their number.
const CONTROL_WORK: u64 = 1 << 63;

/// Compares without an early exit: the time taken tells nothing about where two keys differ.
fn same_key(a: u64, b: u64) -> bool {
    a.to_be_bytes()
        .iter()
        .zip(b.to_be_bytes())
        .fold(0, |differences, (x, y)| differences | (x ^ y))
        == 0
}

impl<M: Memory> Nic<M> {
    /// Carries out a control packet if the registers admit it; every refusal is counted and has no other effect.
    pub(super) fn control(&mut self, now: u64, packet: &ControlRepr, source: Ipv4Addr) -> Result<(), Counter> {
        let control = &self.config.control;
        let key_matches = same_key(packet.key, control.key);
        let admitted = control.enabled
            && control.sources.contains(&source)
            && key_matches
            && packet.sequence > self.control_sequence
            && now >= self.control_next_ns;
        if !admitted {
            return Err(Counter::ControlRefused);
        }
        self.control_next_ns = now + control.interval_ns;
        self.control_sequence = packet.sequence;
        // what the host created, alive or ended, is the host's until it removes it
        if self.qps.get(&packet.qpn).is_some_and(|qp| !qp.by_packet) {
            return Err(Counter::ControlRefused);
        }
        match packet.operation {
            ControlOp::CreateWrite => self.create_flow(now, packet, Operation::Write),
            ControlOp::CreateRead => self.create_flow(now, packet, Operation::Read),
            ControlOp::Remove => self
                .remove_qp(now, packet.qpn)
                .then_some(())
                .ok_or(Counter::ControlRefused),
        }?;
        self.counters.count(Counter::ControlAccepted);
        Ok(())
    }

    fn create_flow(&mut self, now: u64, packet: &ControlRepr, operation: Operation) -> Result<(), Counter> {
        if packet.qpn >= self.config.qp_count {
            return Err(Counter::ControlRefused);
        }
        let config = QpConfig {
            send_psn: packet.first_psn,
            expected_psn: packet.first_psn,
            int: true,
            law: (!self.laws.is_empty()).then_some(self.config.default_law),
            mtu: self.config.mtu,
            ..QpConfig::new(packet.qpn, packet.remote_qpn, packet.remote_ip)
        };
        self.create_qp(config).map_err(|_| Counter::ControlRefused)?;
        if let Some(qp) = self.qps.get_mut(&packet.qpn) {
            qp.by_packet = true;
        }
        let work = WorkRequest {
            id: CONTROL_WORK | self.control_work,
            qpn: packet.qpn,
            operation,
            local_address: packet.local_address,
            local_key: packet.local_key,
            remote_address: packet.remote_address,
            remote_key: packet.remote_key,
            length: packet.length.into(),
        };
        self.control_work += 1;
        self.post(now, work).map_err(|_| Counter::ControlRefused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_in_any_bit() {
        assert!(same_key(0x0123_4567_89ab_cdef, 0x0123_4567_89ab_cdef));
        for bit in 0..64 {
            assert!(!same_key(0, 1 << bit));
        }
    }
}
