//! One NIC of the daemon: the NIC itself, its event queue, and who has what of it.

use crate::events::Events;
use crate::space::Spaces;
use crate::tables::Numbers;
use hpcc_driver::commands::{CommandError, Commands, Registers};
use hpcc_models::nic::queues::{QueueNic, QueueSizes};
use hpcc_models::nic::Nic;
use hpcc_models::wire::{wire_occupancy, Ports, INT_EMPTY};

/// Protection domains of a NIC.
const DOMAINS: u32 = 1 << 16;

/// A NIC with a port.
pub trait HostNic: QueueNic {
    /// Pause of the port: bit n stops data of priority n.
    fn set_pause(&mut self, priorities: u8);
}

impl HostNic for Nic<Spaces> {
    fn set_pause(&mut self, priorities: u8) {
        Nic::set_pause(self, priorities);
    }
}

/// The registers of a NIC at one time.
struct At<'a> {
    nic: &'a mut dyn HostNic,
    now: u64,
}

impl Registers for At<'_> {
    fn read(&mut self, offset: u32) -> u32 {
        let offset = u16::try_from(offset).ok();
        offset.and_then(|offset| self.nic.read_register(offset)).unwrap_or(0)
    }

    fn write(&mut self, offset: u32, value: u32) {
        if let Ok(offset) = u16::try_from(offset) {
            self.nic.write_register(self.now, offset, value);
        }
    }
}

/// Gives commands to a NIC, by the driver and the NIC's registers.
pub fn commands<T>(
    nic: &mut dyn HostNic,
    now: u64,
    give: impl FnOnce(&mut Commands) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    give(&mut Commands::new(&mut At { nic, now }))
}

/// A NIC and its tables.
pub struct HostedNic {
    /// The NIC.
    pub nic: Box<dyn HostNic>,
    /// Its event queue.
    pub events: Events,
    /// Sizes of its tables.
    pub sizes: QueueSizes,
    /// Places of queue pairs.
    pub places: Numbers,
    /// Completion queues.
    pub cqs: Numbers,
    /// Entries of the table of regions.
    pub regions: Numbers,
    /// Protection domains.
    pub domains: Numbers,
    /// Queue pairs created so far.
    generations: u32,
    /// What it has sent.
    pub sent: Traffic,
}

/// What a NIC has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Messages: packets that end a SEND or WRITE, READ requests and atomics.
    pub messages: u64,
    /// Frames.
    pub frames: u64,
    /// Bytes on the wire, preamble, check sequence and gap included.
    pub bytes: u64,
    /// When the first frame left, ns.
    pub first_ns: Option<u64>,
    /// When the last frame left, ns.
    pub last_ns: u64,
}

impl HostedNic {
    /// A NIC without anything.
    pub fn new(mut nic: Box<dyn HostNic>, sizes: QueueSizes, number: usize) -> Self {
        Self {
            events: Events::new(nic.as_mut(), number),
            nic,
            sizes,
            // Places 0 and 1 are for management.
            places: Numbers::new(2, 1 << sizes.place_bits),
            cqs: Numbers::new(1, sizes.completion_queues.into()),
            regions: Numbers::new(1, 1 << sizes.region_bits),
            domains: Numbers::new(1, DOMAINS),
            generations: 0,
            sent: Traffic::default(),
        }
    }

    /// A number for the bits of a queue pair's number that are above its place.
    pub fn next_generation(&mut self) -> u32 {
        self.generations = self.generations.wrapping_add(1);
        self.generations
    }

    /// Takes what the event queue has.
    pub fn take_events(&mut self, now: u64, memory: &mut Spaces) -> Vec<hpcc_models::nic::queues::EventEntry> {
        if self.nic.take_interrupts().is_empty() {
            return Vec::new();
        }
        self.events.take(self.nic.as_mut(), now, memory)
    }
}

impl Traffic {
    /// Counts a frame.
    pub fn count(&mut self, now: u64, frame: &[u8]) {
        self.frames += 1;
        self.bytes += wire_occupancy(frame.len());
        self.messages += u64::from(ends_message(frame));
        self.first_ns.get_or_insert(now);
        self.last_ns = now;
    }

    /// What several have sent.
    pub fn together<'a>(all: impl Iterator<Item = &'a Self>) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            messages: sum.messages + one.messages,
            frames: sum.frames + one.frames,
            bytes: sum.bytes + one.bytes,
            first_ns: sum.first_ns.into_iter().chain(one.first_ns).min(),
            last_ns: sum.last_ns.max(one.last_ns),
        })
    }

    /// From the first frame to the last, ns.
    pub fn duration_ns(&self) -> u64 {
        self.last_ns - self.first_ns.unwrap_or(self.last_ns)
    }

    /// Rate in that time, Gb/s.
    pub fn gbps(&self) -> f64 {
        let time = self.duration_ns();
        if time == 0 {
            0.0
        } else {
            self.bytes as f64 * 8.0 / time as f64
        }
    }
}

/// The frame ends a SEND or WRITE, or asks for a READ or an atomic operation (opcodes of reliable connections, IBTA 9.2.1).
fn ends_message(frame: &[u8]) -> bool {
    const UDP_PORT: usize = 14 + 20 + 2;
    const BTH_OPCODE: usize = 14 + 20 + 8;
    let ports = Ports::default();
    let port = frame
        .get(UDP_PORT..UDP_PORT + 2)
        .map(|port| u16::from_be_bytes([port[0], port[1]]));
    // INT stands before the base transport header, and has no record yet.
    let at = match port {
        Some(port) if port == ports.roce => BTH_OPCODE,
        Some(port) if port == ports.int_collect => BTH_OPCODE + INT_EMPTY.len(),
        _ => return false,
    };
    let opcode = frame.get(at).copied().unwrap_or(0xff);
    matches!(opcode, 0x02..=0x05 | 0x08..=0x0c | 0x13 | 0x14 | 0x16 | 0x17)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_counted_at_their_ends() {
        let frame = |opcode: u8| {
            let mut frame = vec![0; 100];
            frame[36..38].copy_from_slice(&4791u16.to_be_bytes());
            frame[42] = opcode;
            frame
        };
        let mut traffic = Traffic::default();
        // WRITE First, Middle, Last; READ request; acknowledgement.
        for (i, opcode) in [0x06, 0x07, 0x08, 0x0c, 0x11].into_iter().enumerate() {
            traffic.count(100 + 100 * i as u64, &frame(opcode));
        }
        assert_eq!((traffic.messages, traffic.frames, traffic.bytes), (2, 5, 5 * 124));
        let other = Traffic {
            first_ns: Some(50),
            last_ns: 60,
            ..traffic
        };
        let both = Traffic::together([Traffic::default(), traffic, other].iter());
        assert_eq!((both.messages, both.duration_ns()), (4, 450));
        let mut with_int = frame(0);
        with_int[36..38].copy_from_slice(&54791u16.to_be_bytes());
        with_int[44] = 0x0a;
        assert!(ends_message(&with_int) && !ends_message(&frame(0x07)));
        assert!((traffic.gbps() - 5.0 * 124.0 * 8.0 / 400.0).abs() < 1e-9);
    }
}
