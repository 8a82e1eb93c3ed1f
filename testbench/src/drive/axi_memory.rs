//! Behavioural AXI4 memory of 512 bits: regions of bytes, a latency, stalls on every channel, bus errors elsewhere.
//!
//! It knows values of signals only, so it serves RustHDL blocks and Verilated models alike: [`AxiMemory::clock`] takes what the master
//! drove in a clock and returns what the memory drives in the next one. [`super::axi_ports::AxiPorts`] finds the signals in a block.

use hpcc_rtl::sim::Stimulus;
use std::collections::{BTreeMap, VecDeque};

/// Bytes of a beat.
pub const LINE: usize = 64;
/// Response without error.
pub const OKAY: u8 = 0;
/// Response of an address that nothing answers at.
pub const DECERR: u8 = 3;

/// A burst that the master asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// First byte.
    pub address: u64,
    /// Beats less one.
    pub len: u8,
    /// log2 of the bytes of a beat.
    pub size: u8,
    /// 1 is INCR.
    pub kind: u8,
}

/// A beat of write data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteBeat {
    /// Data.
    pub data: [u64; 8],
    /// Bytes to write.
    pub strobe: u64,
    /// Last of its burst.
    pub last: bool,
}

/// A beat of read data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadBeat {
    /// Data.
    pub data: [u64; 8],
    /// Response.
    pub response: u8,
    /// Last of its burst.
    pub last: bool,
}

/// What the master drives in a clock; `None` is a low `valid`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Master {
    /// Write address.
    pub aw: Option<Burst>,
    /// Write data.
    pub w: Option<WriteBeat>,
    /// Takes a write response.
    pub b_ready: bool,
    /// Read address.
    pub ar: Option<Burst>,
    /// Takes read data.
    pub r_ready: bool,
}

/// What the memory drives in a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slave {
    /// Takes a write address.
    pub aw_ready: bool,
    /// Takes write data.
    pub w_ready: bool,
    /// Write response.
    pub b: Option<u8>,
    /// Takes a read address.
    pub ar_ready: bool,
    /// Read data.
    pub r: Option<ReadBeat>,
}

/// How fast a memory is.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// Clocks from a read's address to its first data, and from a write's last data to its response, at least.
    pub latency: u64,
    /// Up to this many clocks more, drawn anew for each burst.
    pub jitter: u64,
    /// Chance of `ready` in each clock and on each channel.
    pub ready: f64,
    /// Chance that what is due is offered in a clock.
    pub offer: f64,
}

impl Speed {
    /// Without stalls.
    pub const fn constant(latency: u64) -> Self {
        Self {
            latency,
            jitter: 0,
            ready: 1.0,
            offer: 1.0,
        }
    }
}

struct Write {
    due: u64,
    address: u64,
    beats: Vec<WriteBeat>,
}

struct Read {
    due: u64,
    address: u64,
    left: u16,
}

/// The memory.
pub struct AxiMemory {
    /// How fast it is; may change at any time.
    pub speed: Speed,
    regions: BTreeMap<u64, Vec<u8>>,
    stimulus: Stimulus,
    now: u64,
    slave: Slave,
    last: Master,
    /// AW, W and AR were ready in the clock of `last`.
    last_ready: (bool, bool, bool),
    addresses: VecDeque<Burst>,
    beats: VecDeque<WriteBeat>,
    writes: VecDeque<Write>,
    reads: VecDeque<Read>,
    outside: Vec<u64>,
    faults: Vec<String>,
}

impl AxiMemory {
    /// A memory without regions.
    pub fn new(speed: Speed, seed: u64) -> Self {
        Self {
            speed,
            regions: BTreeMap::new(),
            stimulus: Stimulus::new(seed),
            now: 0,
            slave: Slave::default(),
            last: Master::default(),
            last_ready: (true, true, true),
            addresses: VecDeque::new(),
            beats: VecDeque::new(),
            writes: VecDeque::new(),
            reads: VecDeque::new(),
            outside: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// Adds a region that begins at `address`.
    pub fn add(&mut self, address: u64, bytes: Vec<u8>) {
        self.regions.insert(address, bytes);
    }

    /// The region that begins at `address`.
    pub fn region(&self, address: u64) -> Option<&[u8]> {
        self.regions.get(&address).map(Vec::as_slice)
    }

    /// The region that begins at `address`, for the host to change.
    pub fn region_mut(&mut self, address: u64) -> Option<&mut Vec<u8>> {
        self.regions.get_mut(&address)
    }

    /// The byte at `address`, if it is in a region.
    pub fn byte(&self, address: u64) -> Option<u8> {
        self.rest(address)?.first().copied()
    }

    /// What is left, from `address` on, of the region that the address is in.
    fn rest(&self, address: u64) -> Option<&[u8]> {
        let (base, bytes) = self.regions.range(..=address).next_back()?;
        bytes.get(usize::try_from(address - base).ok()?..)
    }

    fn rest_mut(&mut self, address: u64) -> Option<&mut [u8]> {
        let (base, bytes) = self.regions.range_mut(..=address).next_back()?;
        bytes.get_mut(usize::try_from(address - base).ok()?..)
    }

    /// Addresses outside all regions that a strobe pointed at, in order.
    pub fn outside(&self) -> &[u64] {
        &self.outside
    }

    /// Violations of AXI by the master, in order.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// Nothing is outstanding.
    pub fn idle(&self) -> bool {
        self.addresses.is_empty()
            && self.beats.is_empty()
            && self.writes.is_empty()
            && self.reads.is_empty()
            && self.slave.b.is_none()
            && self.slave.r.is_none()
    }

    /// A clock edge: `master` is what the master drove before it; returns what the memory drives after it.
    pub fn clock(&mut self, master: &Master) -> Slave {
        self.now += 1;
        self.check_stable(master);
        self.take(master);
        self.assemble();
        self.answer_writes(master);
        self.answer_reads(master);
        let ready = self.speed.ready;
        self.slave.aw_ready = self.stimulus.chance(ready);
        self.slave.w_ready = self.stimulus.chance(ready);
        self.slave.ar_ready = self.stimulus.chance(ready);
        self.last = *master;
        self.slave
    }

    /// What was offered and not taken must still be offered.
    fn check_stable(&mut self, master: &Master) {
        let waits = |offered: bool, ready: bool| offered && !ready;
        let changed = [
            (
                "AW",
                waits(self.last.aw.is_some(), self.last_ready.0) && master.aw != self.last.aw,
            ),
            (
                "W",
                waits(self.last.w.is_some(), self.last_ready.1) && master.w != self.last.w,
            ),
            (
                "AR",
                waits(self.last.ar.is_some(), self.last_ready.2) && master.ar != self.last.ar,
            ),
        ];
        for (channel, changed) in changed {
            if changed {
                self.fault(format!("{channel} changed before it was taken"));
            }
        }
        self.last_ready = (self.slave.aw_ready, self.slave.w_ready, self.slave.ar_ready);
    }

    fn take(&mut self, master: &Master) {
        if let Some(burst) = master.aw.filter(|_| self.slave.aw_ready) {
            self.check_burst("AW", &burst);
            self.addresses.push_back(burst);
        }
        if let Some(beat) = master.w.filter(|_| self.slave.w_ready) {
            self.beats.push_back(beat);
        }
        if let Some(burst) = master.ar.filter(|_| self.slave.ar_ready) {
            self.check_burst("AR", &burst);
            let due = self.due(self.reads.back().map(|read| read.due));
            self.reads.push_back(Read {
                due,
                address: burst.address & !(LINE as u64 - 1),
                left: u16::from(burst.len) + 1,
            });
        }
    }

    fn check_burst(&mut self, channel: &str, burst: &Burst) {
        if burst.size != 6 || burst.kind != 1 {
            self.fault(format!("{channel}: not 64-byte INCR: {burst:?}"));
        }
        let last = (burst.address & !(LINE as u64 - 1)) + LINE as u64 * u64::from(burst.len);
        if burst.address >> 12 != last >> 12 {
            self.fault(format!("{channel}: crosses 4 KiB: {burst:?}"));
        }
    }

    /// When a burst that comes now is answered; never before the one ahead of it.
    fn due(&mut self, ahead: Option<u64>) -> u64 {
        let jitter = self.stimulus.below(self.speed.jitter + 1);
        (self.now + self.speed.latency + jitter).max(ahead.unwrap_or(0))
    }

    /// Data and address meet, whichever came first.
    fn assemble(&mut self) {
        while let Some(burst) = self.addresses.front().copied() {
            let count = usize::from(burst.len) + 1;
            if self.beats.len() < count {
                return;
            }
            let beats: Vec<_> = self.beats.drain(..count).collect();
            if beats.iter().enumerate().any(|(i, beat)| beat.last != (i + 1 == count)) {
                self.fault(format!("W: WLAST in the wrong place of {burst:?}"));
            }
            self.addresses.pop_front();
            let due = self.due(self.writes.back().map(|write| write.due));
            self.writes.push_back(Write {
                due,
                address: burst.address & !(LINE as u64 - 1),
                beats,
            });
        }
    }

    /// The bytes change when the response is offered, as late as AXI allows.
    fn answer_writes(&mut self, master: &Master) {
        if self.slave.b.is_some() && master.b_ready {
            self.slave.b = None;
        }
        let due = self.writes.front().is_some_and(|write| write.due <= self.now);
        if self.slave.b.is_some() || !due || !self.stimulus.chance(self.speed.offer) {
            return;
        }
        let Some(write) = self.writes.pop_front() else { return };
        let mut response = OKAY;
        for (i, beat) in write.beats.iter().enumerate() {
            // most beats move a line as a whole, without a search for each byte
            let line = self.rest_mut(write.address + (i * LINE) as u64);
            let line = line.and_then(|bytes| bytes.get_mut(..LINE));
            if let Some(line) = line.filter(|_| beat.strobe == u64::MAX) {
                for (bytes, word) in line.as_chunks_mut().0.iter_mut().zip(beat.data) {
                    *bytes = word.to_le_bytes();
                }
                continue;
            }
            for at in (0..LINE).filter(|at| beat.strobe >> at & 1 == 1) {
                let address = write.address + (i * LINE + at) as u64;
                let value = (beat.data[at / 8] >> (8 * (at % 8))) as u8;
                if !self.store(address, value) {
                    self.outside.push(address);
                    response = DECERR;
                }
            }
        }
        self.slave.b = Some(response);
    }

    fn store(&mut self, address: u64, value: u8) -> bool {
        let place = self.rest_mut(address).and_then(<[u8]>::first_mut);
        place.map(|place| *place = value).is_some()
    }

    /// A line none of whose bytes is in a region is an error.
    fn answer_reads(&mut self, master: &Master) {
        if self.slave.r.is_some() && master.r_ready {
            self.slave.r = None;
        }
        let due = self.reads.front().is_some_and(|read| read.due <= self.now);
        if self.slave.r.is_some() || !due || !self.stimulus.chance(self.speed.offer) {
            return;
        }
        let Some(read) = self.reads.front_mut() else { return };
        let address = read.address;
        read.address += LINE as u64;
        read.left -= 1;
        let last = read.left == 0;
        if last {
            self.reads.pop_front();
        }
        let (mut data, mut response) = ([0xeeee_eeee_eeee_eeee; 8], DECERR);
        if let Some(line) = self.rest(address).and_then(|bytes| bytes.get(..LINE)) {
            for (word, bytes) in data.iter_mut().zip(line.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            response = OKAY;
        } else {
            for at in 0..LINE {
                if let Some(byte) = self.byte(address + at as u64) {
                    let shift = 8 * (at % 8);
                    data[at / 8] = data[at / 8] & !(0xff << shift) | u64::from(byte) << shift;
                    response = OKAY;
                }
            }
        }
        self.slave.r = Some(ReadBeat { data, response, last });
    }

    fn fault(&mut self, text: String) {
        self.faults.push(format!("clock {}: {text}", self.now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn burst(address: u64, len: u8) -> Burst {
        Burst {
            address,
            len,
            size: 6,
            kind: 1,
        }
    }

    /// Drives until the channel's answer comes.
    fn run(memory: &mut AxiMemory, first: Master) -> Vec<Slave> {
        let idle = Master {
            b_ready: true,
            r_ready: true,
            ..Master::default()
        };
        // ready is low before the first clock
        memory.clock(&idle);
        let mut seen = vec![memory.clock(&first)];
        seen.extend((0..20).map(|_| memory.clock(&idle)));
        seen
    }

    #[test]
    fn strobes_errors_and_latency() {
        let mut memory = AxiMemory::new(Speed::constant(5), 1);
        memory.add(0x1000, vec![0; 70]);
        let beat = WriteBeat {
            data: [u64::from_le_bytes([1, 2, 3, 4, 5, 6, 7, 8]); 8],
            strobe: 0b1010,
            last: true,
        };
        let seen = run(
            &mut memory,
            Master {
                aw: Some(burst(0x1000, 0)),
                w: Some(beat),
                b_ready: true,
                ..Master::default()
            },
        );
        assert_eq!(seen.iter().position(|slave| slave.b == Some(OKAY)), Some(5));
        assert_eq!(
            memory.region(0x1000).map(|bytes| &bytes[..5]),
            Some(&[0, 2, 0, 4, 0][..])
        );
        let seen = run(
            &mut memory,
            Master {
                aw: Some(burst(0x1040, 0)),
                w: Some(WriteBeat { strobe: 0x41, ..beat }),
                b_ready: true,
                ..Master::default()
            },
        );
        assert!(seen.iter().any(|slave| slave.b == Some(DECERR)));
        assert_eq!(memory.outside(), [0x1046]);
        let seen = run(
            &mut memory,
            Master {
                ar: Some(burst(0x1040, 1)),
                r_ready: true,
                ..Master::default()
            },
        );
        let beats: Vec<_> = seen.iter().filter_map(|slave| slave.r).collect();
        assert_eq!(
            (beats[0].response, beats[0].data[0] as u8, beats[0].last),
            (OKAY, 1, false)
        );
        assert_eq!((beats[1].response, beats[1].last), (DECERR, true));
        assert!(memory.idle() && memory.faults().is_empty(), "{:?}", memory.faults());
    }

    #[test]
    fn violations_are_named() {
        let mut memory = AxiMemory::new(Speed::constant(1), 1);
        run(
            &mut memory,
            Master {
                ar: Some(burst(0x1fc0, 1)),
                ..Master::default()
            },
        );
        assert!(memory.faults()[0].contains("crosses 4 KiB"));
        memory.speed.ready = 0.0;
        memory.clock(&Master::default());
        let offer = |address| Master {
            ar: Some(burst(address, 0)),
            ..Master::default()
        };
        memory.clock(&offer(0));
        memory.clock(&offer(64));
        assert!(memory.faults()[1].contains("AR changed"), "{:?}", memory.faults());
    }
}
