//! The work that goes on beside the attack, and what memory must hold after it.

use super::world::*;
use crate::config::NicSetup;
use crate::nic::device::Device;
use hpcc_models::nic::{Completion, Operation, Status, WorkRequest};
use hpcc_rtl::sim::Stimulus;
use std::collections::BTreeMap;

/// Longest message, bytes; four of them share a target region.
const LONGEST: u64 = HONEST_LENGTH / 4;

/// Work and memory of both hosts. Hosts are 0 (the NIC under fire) and 1 (the peer).
pub struct Honest {
    open: BTreeMap<u64, (usize, WorkRequest)>,
    next: u64,
    /// What each target region must hold once everything is done.
    targets: [Vec<u8>; 2],
    /// All blocks of the NIC under fire that nobody may change, and where they begin.
    fixed: Vec<(u64, Vec<u8>)>,
    /// Where a region ends and its guard begins, for regions that the attacker writes.
    guards: Vec<(u64, usize, Vec<u8>)>,
}

impl Honest {
    /// Before any work.
    pub fn new(setup: &NicSetup) -> Self {
        let block = |address: u64| {
            let found = setup.memory.iter().find(|block| block.region.address == address);
            found.map(|block| block.bytes.clone()).unwrap_or_default()
        };
        let fixed = setup.memory.iter().filter(|block| {
            let at = block.region.address;
            at != ATTACK[0] && at != HONEST_AT[1]
        });
        let attacked = block(ATTACK[0]);
        let end = ATTACK_LENGTH as usize;
        Self {
            open: BTreeMap::new(),
            next: 0,
            targets: [block(HONEST_AT[1]), block(HONEST_AT[1])],
            fixed: fixed.map(|block| (block.region.address, block.bytes.clone())).collect(),
            guards: vec![(ATTACK[0], end, attacked[end..].to_vec())],
        }
    }

    /// One WRITE and one READ of each host on each queue pair; work of the two hosts.
    pub fn work(&mut self, stimulus: &mut Stimulus) -> (Vec<WorkRequest>, Vec<WorkRequest>) {
        let mut lists = [Vec::new(), Vec::new()];
        for (half, qpn) in (0..).zip(HONEST) {
            for (host, list) in lists.iter_mut().enumerate() {
                for operation in [Operation::Write, Operation::Read] {
                    let work = self.request(host, half, qpn, operation, stimulus);
                    list.push(work);
                }
            }
        }
        let [device, peer] = lists;
        (device, peer)
    }

    fn request(
        &mut self,
        host: usize,
        half: u64,
        qpn: u32,
        operation: Operation,
        stimulus: &mut Stimulus,
    ) -> WorkRequest {
        let read = operation == Operation::Read;
        let most = LONGEST.min(2048);
        let length = stimulus.below(most + 1);
        let source = stimulus.below(HONEST_LENGTH - length);
        // Writes of the other host and own READs share a target region: a quarter for each.
        let target = (2 * half + u64::from(read)) * LONGEST + stimulus.below(LONGEST - length);
        let bytes: Vec<u8> = (0..length).map(|i| first_byte(HONEST_AT[0] + source + i)).collect();
        let changed = if read { host } else { 1 - host };
        self.targets[changed][target as usize..(target + length) as usize].copy_from_slice(&bytes);
        let (source, target) = (
            (HONEST_AT[0] + source, HONEST_KEYS[0]),
            (HONEST_AT[1] + target, HONEST_KEYS[1]),
        );
        let (local, remote) = if read { (target, source) } else { (source, target) };
        let work = WorkRequest {
            id: self.next,
            qpn,
            operation,
            local_address: local.0,
            local_key: local.1,
            remote_address: remote.0,
            remote_key: remote.1,
            length,
        };
        self.open.insert(self.next, (host, work));
        self.next += 1;
        work
    }

    /// Work without a completion.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// What has not completed.
    pub fn missing(&self) -> String {
        let list = self.open.values().map(|(host, work)| {
            let host = ["the NIC's", "the peer's"][*host];
            format!(
                "{host} {:?} of {} bytes on queue pair {} has no completion",
                work.operation, work.length, work.qpn
            )
        });
        list.collect::<Vec<_>>().join(", ")
    }

    /// A completion at a host.
    pub fn completed(&mut self, host: usize, done: &Completion) -> Result<(), String> {
        let Some((owner, work)) = self.open.remove(&done.work) else {
            return Err(format!("a completion of nothing: {done:?}"));
        };
        let right = owner == host
            && (done.qpn, done.operation, done.bytes) == (work.qpn, work.operation, work.length)
            && done.status == Status::Ok;
        match right {
            true => Ok(()),
            false => Err(format!("honest work {work:?} ended with {done:?}")),
        }
    }

    /// Memory of both hosts, byte for byte.
    pub fn check(&self, device: &impl Device, peer: &impl Device) -> Result<(), String> {
        let differs = |name: &str, base: u64, expected: &[u8], found: &[u8]| {
            let wrong = (0..).zip(expected.iter().zip(found)).find(|(_, (a, b))| a != b);
            match wrong {
                None if expected.len() == found.len() => Ok(()),
                None => Err(format!("{name}: the block at 0x{base:x} is not there")),
                Some((i, (expected, found))) => Err(format!(
                    "{name} at 0x{:x}: expected 0x{expected:02x}, got 0x{found:02x}",
                    base + i
                )),
            }
        };
        let at = HONEST_AT[1];
        differs("honest memory", at, &self.targets[0], device.memory(at).unwrap_or(&[]))?;
        differs(
            "the peer's memory",
            at,
            &self.targets[1],
            peer.memory(at).unwrap_or(&[]),
        )?;
        for (base, bytes) in &self.fixed {
            differs(
                "memory without writes",
                *base,
                bytes,
                device.memory(*base).unwrap_or(&[]),
            )?;
        }
        for (base, end, bytes) in &self.guards {
            let found = device.memory(*base).and_then(|found| found.get(*end..)).unwrap_or(&[]);
            differs("guard", base + *end as u64, bytes, found)?;
        }
        Ok(())
    }
}
