//! Doorbell words of programs become doorbells of NICs, and events of NICs go to the programs' pipes.

use crate::client::Device;
use crate::daemon::Daemon;
use crate::verbs;
use hpcc_models::nic::queues::{DoorbellKind, EventKind};

impl Daemon {
    /// Looks at doorbells and rings them at the NICs: completions taken first, then work, then arms. `true` if any was rung.
    pub(crate) fn scan(&mut self) -> bool {
        let ids: Vec<u64> = self.clients.keys().copied().collect();
        let rung = ids.into_iter().fold(false, |rung, id| self.scan_client(id) | rung);
        if rung {
            self.deliver_events();
        }
        rung
    }

    /// Looks at the doorbells of one program.
    pub(crate) fn scan_client(&mut self, id: u64) -> bool {
        let Some(device) = self.clients.get_mut(&id).and_then(|client| client.device.as_mut()) else {
            return false;
        };
        if device.slots.is_empty() {
            return false;
        }
        let words = device.words();
        let nic = &mut self.nics[device.nic];
        let (now, page) = (self.now, device.page);
        let mut rung = false;
        let Device { cqs, qps, seen, .. } = device;
        let mut ring = |number: u32, slot: u32, column: usize, kind: DoorbellKind| {
            let word = words.doorbells[slot as usize][column];
            let known = &mut seen[slot as usize][column];
            if word != *known {
                *known = word;
                let value = number << 16 | word & 0xffff;
                nic.nic.doorbell(now, page, kind.code().into(), value);
                rung = true;
            }
        };
        for (number, cq) in cqs.iter() {
            ring(*number, cq.slot, 0, DoorbellKind::CompletionConsumer);
        }
        for qp in qps.values() {
            ring(qp.place.into(), qp.slot, 1, DoorbellKind::ReceiveQueue);
            ring(qp.place.into(), qp.slot, 0, DoorbellKind::SendQueue);
        }
        for (number, cq) in cqs.iter() {
            ring(*number, cq.slot, 1, DoorbellKind::Arm);
            ring(*number, cq.slot, 2, DoorbellKind::ArmSolicited);
        }
        rung
    }

    /// Hands the NICs' events to the programs' pipes; a full pipe loses them.
    pub(crate) fn deliver_events(&mut self) {
        for number in 0..self.nics.len() {
            let events = self.nics[number].take_events(self.now, &mut self.spaces);
            for event in events {
                let of_cq = event.kind.of_completion_queue();
                let owner = match of_cq {
                    true => self.nics[number].cqs.owner(event.number),
                    false => self.nics[number]
                        .places
                        .owner(self.nics[number].sizes.place(event.number).into()),
                };
                let client = owner.and_then(|owner| self.clients.get(&owner));
                let Some(device) = client.and_then(|client| client.device.as_ref()) else {
                    continue;
                };
                if let Some(kind) = verbs::event_type(event.kind) {
                    let mut record = [0; hpcc_driver::control::EVENT];
                    record[..4].copy_from_slice(&event.number.to_le_bytes());
                    record[4..].copy_from_slice(&kind.to_le_bytes());
                    let _ = rustix::io::write(&device.events, &record);
                    device.program.woken.set(true);
                } else if event.kind == EventKind::Completion {
                    let channel = device.cqs.get(&event.number).and_then(|cq| cq.channel);
                    if let Some(pipe) = channel.and_then(|channel| device.channels.get(&channel)) {
                        let _ = rustix::io::write(pipe, &u64::from(event.number).to_le_bytes());
                        device.program.woken.set(true);
                    }
                }
            }
        }
    }
}
