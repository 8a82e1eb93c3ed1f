//! A program's connection, and what the program has.

use crate::gate::Gate;
use crate::shared_file::Words;
use crate::space::Program;
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::rc::Rc;

/// A completion queue of a program.
#[derive(Debug)]
pub struct OwnCq {
    /// Record of its doorbells.
    pub slot: u32,
    /// Channel of its events.
    pub channel: Option<u32>,
}

/// A queue pair of a program.
#[derive(Debug)]
pub struct OwnQp {
    /// Record of its doorbells.
    pub slot: u32,
    /// Low bits of its number.
    pub place: u16,
    /// Key of its inline data.
    pub inline_key: Option<u32>,
}

/// An open device.
pub struct Device {
    /// Number of the NIC.
    pub nic: usize,
    /// The program's memory.
    pub program: Rc<Program>,
    /// Address spaces: of its own memory, of the shared memory.
    pub spaces: [u16; 2],
    /// Doorbell page.
    pub page: u32,
    /// Wakes the daemon.
    pub wake: OwnedFd,
    /// Writing end of the pipe of asynchronous events.
    pub events: OwnedFd,
    /// Channels: number and writing end.
    pub channels: BTreeMap<u32, OwnedFd>,
    /// Completion queues by number.
    pub cqs: BTreeMap<u32, OwnCq>,
    /// Queue pairs by number.
    pub qps: BTreeMap<u32, OwnQp>,
    /// Protection domains.
    pub pds: Vec<u32>,
    /// Keys.
    pub keys: Vec<u32>,
    /// Records of doorbells in use.
    pub slots: Vec<bool>,
    /// Doorbell words that the NIC knows.
    pub seen: Vec<[u32; 3]>,
    /// Virtual time, if the program asked for it.
    pub gate: Option<Gate>,
    /// Clock that the program sees, ns.
    pub clock: u64,
}

impl Device {
    /// The program's words now.
    pub fn words(&self) -> Words {
        self.program.shared.words(self.slots.len())
    }

    /// A free record of doorbells. What was rung there before does not count.
    pub fn take_slot(&mut self, most: usize) -> Option<u32> {
        let slot = match self.slots.iter().position(|used| !used) {
            Some(slot) => slot,
            None if self.slots.len() < most => {
                self.slots.push(false);
                self.seen.push([0; 3]);
                self.slots.len() - 1
            }
            None => return None,
        };
        self.slots[slot] = true;
        self.forget_doorbells(slot as u32);
        Some(slot as u32)
    }

    /// What was rung for a record up to now does not count.
    pub fn forget_doorbells(&mut self, slot: u32) {
        let words = self.words();
        self.seen[slot as usize] = words.doorbells[slot as usize];
    }

    /// Gives a record back.
    pub fn release_slot(&mut self, slot: u32) {
        self.slots[slot as usize] = false;
    }
}

/// A connection.
pub struct Client {
    /// Its socket.
    pub socket: OwnedFd,
    /// The device that it opened.
    pub device: Option<Device>,
}
