//! Jobs for the memory reader and writer, and what must come of them.

use hpcc_rtl::rx::stimulus::{memory_lines, MemoryLine};
use hpcc_rtl::sim::{Port, Stimulus};
use hpcc_testbench::drive::axi_memory::{AxiMemory, Speed};
use hpcc_testbench::drive::axi_ports::AxiPorts;
use hpcc_testbench::verilated::lockstep::Drive;
use std::collections::VecDeque;

/// First address of the first region.
pub const BASE: u64 = 0x7f01_2340_0000;
/// Between the regions lies a page without memory.
pub const GAP: u64 = BASE + 0x8000;
/// End of the second region.
const END: u64 = BASE + 0x10000;

/// Jobs in order, and the chance that the next one is offered in a clock.
#[derive(Clone)]
pub struct Jobs {
    list: VecDeque<(u64, u64)>,
    offer: f64,
}

impl Jobs {
    /// Jobs that wait all the time.
    pub fn always(list: Vec<(u64, u64)>) -> Self {
        Self {
            list: list.into(),
            offer: 1.0,
        }
    }
}

/// Lengths of random jobs.
#[derive(Clone, Copy)]
pub enum Shape {
    /// 1 to 4096 bytes.
    Any,
    /// Less than four lines.
    Short,
}

/// Random jobs, some of which leave the regions.
pub fn job_list(seed: u64, count: usize, shape: Shape, offer: f64) -> Jobs {
    let mut stimulus = Stimulus::new(seed);
    let mut job = || {
        let length = match (shape, stimulus.below(5)) {
            (Shape::Short, _) => 1 + stimulus.below(200),
            (_, 0) => 1 + stimulus.below(130),
            (_, 1) => 256 << stimulus.below(5),
            (_, 2) => 4096 - stimulus.below(70),
            _ => 1 + stimulus.below(4096),
        };
        let mut address = BASE + stimulus.below(END - BASE - length + 1);
        if stimulus.chance(0.2) {
            address &= !63;
        }
        (address, length)
    };
    Jobs {
        list: (0..count).map(|_| job()).collect(),
        offer,
    }
}

/// How a run went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// Jobs finished.
    pub jobs: u64,
    /// Of which with an error.
    pub errors: u64,
    /// Clocks from the first job's first beat to the last one's last, both included.
    pub clocks: u64,
}

/// What the halves have in common: jobs on their way in, the memory, the summary.
struct Common {
    ports: Vec<Port>,
    axi: AxiPorts,
    memory: AxiMemory,
    stimulus: Stimulus,
    jobs: Jobs,
    offered: bool,
    taken: usize,
    total: usize,
    accept: f64,
    first_beat: Option<u64>,
    summary: Summary,
}

impl Common {
    fn new(ports: &[Port], jobs: Jobs, speed: Speed, accept: f64) -> Self {
        let mut stimulus = Stimulus::new(77);
        let mut memory = AxiMemory::new(speed, 5);
        for (address, end) in [(BASE, GAP), (GAP + 0x1000, END)] {
            memory.add(address, (address..end).map(|_| stimulus.uniform(8) as u8).collect());
        }
        Self {
            ports: ports.to_vec(),
            axi: AxiPorts::new(ports, "m_axi"),
            memory,
            stimulus,
            total: jobs.list.len(),
            jobs,
            offered: false,
            taken: 0,
            accept,
            first_beat: None,
            summary: Summary::default(),
        }
    }

    fn limb(&self, name: &str) -> usize {
        let port = self.ports.iter().find(|port| port.name == name);
        port.unwrap_or_else(|| panic!("no port {name}")).limb
    }

    /// Memory, reset and jobs of this clock; the job that was taken in the last one.
    fn drive(&mut self, clock: u64, outputs: &[u64], inputs: &mut [u64]) -> Option<(u64, u64)> {
        let slave = self.memory.clock(&self.axi.master(outputs));
        self.axi.apply(&slave, inputs);
        assert!(self.memory.faults().is_empty(), "{:?}", self.memory.faults());
        let (valid, data, reset) = (self.limb("job_valid"), self.limb("job_data"), self.limb("rst"));
        inputs[reset] = u64::from(clock < 3);
        let moved = self.offered && outputs[self.limb("job_ready")] == 1;
        let taken = if moved { self.jobs.list.pop_front() } else { None };
        self.offered = clock > 3
            && !self.jobs.list.is_empty()
            && (self.offered && !moved || self.stimulus.chance(self.jobs.offer));
        inputs[valid] = self.offered.into();
        // junk while nothing is offered
        let (address, length) = self
            .jobs
            .list
            .front()
            .filter(|_| self.offered)
            .copied()
            .unwrap_or((!0, 0x1fff));
        (inputs[data], inputs[data + 1]) = (address, length);
        self.taken += usize::from(moved);
        taken
    }

    fn done(&self) -> bool {
        self.summary.jobs == self.total as u64
    }
}

/// The job in words.
fn name(job: (u64, u64)) -> String {
    format!("{} bytes at 0x{:x}", job.1, job.0)
}

/// Takes the payload of the reader and compares it with the memory.
pub struct ReadTraffic {
    common: Common,
    waiting: VecDeque<(u64, u64)>,
    accepting: bool,
    at: u64,
}

impl ReadTraffic {
    pub fn new(ports: &[Port], jobs: Jobs, speed: Speed, accept: f64) -> Self {
        Self {
            common: Common::new(ports, jobs, speed, accept),
            waiting: VecDeque::new(),
            accepting: false,
            at: 0,
        }
    }

    pub fn done(&self) -> bool {
        self.common.done()
    }

    pub fn finish(self) -> Summary {
        assert!(self.common.memory.idle());
        self.common.summary
    }

    fn beat(&mut self, clock: u64, data: &[u64]) {
        let job = *self.waiting.front().expect("payload without a job");
        let first = *self.common.first_beat.get_or_insert(clock);
        let (bytes, last, error) = (data[8] & 0x7f, data[8] >> 7 & 1 == 1, data[8] >> 8 & 1 == 1);
        assert_eq!(bytes, (job.1 - self.at).min(64), "{} from {}", name(job), self.at);
        for i in 0..bytes {
            let got = (data[i as usize / 8] >> (8 * (i % 8))) as u8;
            let address = job.0 + self.at + i;
            if let Some(expected) = self.common.memory.byte(address) {
                assert_eq!(got, expected, "{}: byte at 0x{address:x}", name(job));
            }
        }
        self.at += bytes;
        assert_eq!(last, self.at == job.1, "{}: last", name(job));
        let outside = last && (job.0..job.0 + job.1).any(|address| self.common.memory.byte(address).is_none());
        assert_eq!(error, outside, "{}: error", name(job));
        if last {
            self.at = 0;
            self.waiting.pop_front();
            self.common.summary.jobs += 1;
            self.common.summary.errors += u64::from(error);
            self.common.summary.clocks = clock - first + 1;
        }
    }
}

impl Drive for ReadTraffic {
    fn drive(&mut self, clock: u64, outputs: &[u64], inputs: &mut [u64]) {
        let taken = self.common.drive(clock, outputs, inputs);
        self.waiting.extend(taken);
        let data = self.common.limb("payload_data");
        if self.accepting && outputs[self.common.limb("payload_valid")] == 1 {
            self.beat(clock, &outputs[data..data + 9]);
        }
        self.accepting = self.common.stimulus.chance(self.common.accept);
        inputs[self.common.limb("payload_ready")] = self.accepting.into();
    }
}

/// Offers lines of payload to the writer and compares the memory with what it must hold.
pub struct WriteTraffic {
    common: Common,
    /// Lines on their way in; a job's are made when it is taken.
    sending: VecDeque<MemoryLine>,
    offered: bool,
    /// Written, not yet answered.
    waiting: VecDeque<((u64, u64), Vec<u8>)>,
    accepting: bool,
    expected: Vec<Option<u8>>,
    outside: Vec<u64>,
}

impl WriteTraffic {
    pub fn new(ports: &[Port], jobs: Jobs, speed: Speed, accept: f64) -> Self {
        let common = Common::new(ports, jobs, speed, accept);
        let expected = (BASE..END).map(|address| common.memory.byte(address)).collect();
        Self {
            common,
            sending: VecDeque::new(),
            offered: false,
            waiting: VecDeque::new(),
            accepting: false,
            expected,
            outside: Vec::new(),
        }
    }

    pub fn done(&self) -> bool {
        self.common.done()
    }

    /// # Panics
    /// If the memory holds anything but what the jobs wrote.
    pub fn finish(self) -> Summary {
        assert!(self.common.memory.idle());
        for (at, expected) in self.expected.iter().enumerate() {
            let address = BASE + at as u64;
            assert_eq!(self.common.memory.byte(address), *expected, "at 0x{address:x}");
        }
        assert_eq!(self.common.memory.outside(), self.outside, "strobes outside");
        self.common.summary
    }

    fn token(&mut self, clock: u64, error: bool) {
        let (job, bytes) = self.waiting.pop_front().expect("token without a job");
        let mut outside = false;
        for (address, byte) in (job.0..).zip(&bytes) {
            let written_again = self
                .waiting
                .iter()
                .any(|((start, length), _)| (*start..start + length).contains(&address));
            match self.common.memory.byte(address) {
                Some(_) if written_again => {}
                Some(value) => assert_eq!(value, *byte, "{}: 0x{address:x} when acknowledged", name(job)),
                None => outside = true,
            }
        }
        assert_eq!(error, outside, "{}: error", name(job));
        let first = self.common.first_beat.unwrap_or(clock);
        self.common.summary.jobs += 1;
        self.common.summary.errors += u64::from(error);
        self.common.summary.clocks = clock - first + 1;
    }

    fn begin(&mut self, job: (u64, u64)) {
        let stimulus = &mut self.common.stimulus;
        let bytes: Vec<u8> = (0..job.1).map(|_| stimulus.uniform(8) as u8).collect();
        for (address, byte) in (job.0..).zip(&bytes) {
            match &mut self.expected[(address - BASE) as usize] {
                Some(place) => *place = *byte,
                None => self.outside.push(address),
            }
        }
        self.sending.extend(memory_lines(job.0, &bytes));
        self.waiting.push_back((job, bytes));
    }
}

impl Drive for WriteTraffic {
    fn drive(&mut self, clock: u64, outputs: &[u64], inputs: &mut [u64]) {
        if self.accepting && outputs[self.common.limb("written_valid")] == 1 {
            self.token(clock, outputs[self.common.limb("written_data")] == 1);
        }
        if self.offered && outputs[self.common.limb("payload_ready")] == 1 {
            self.common.first_beat.get_or_insert(clock);
            self.offered = false;
            self.sending.pop_front();
        }
        if let Some(job) = self.common.drive(clock, outputs, inputs) {
            self.begin(job);
        }
        self.accepting = self.common.stimulus.chance(self.common.accept);
        inputs[self.common.limb("written_ready")] = self.accepting.into();
        let gap = !self.offered && self.common.stimulus.chance(1.0 - self.common.jobs.offer);
        self.offered = !self.sending.is_empty() && !gap;
        inputs[self.common.limb("payload_valid")] = self.offered.into();
        let data = self.common.limb("payload_data");
        // what is not written, and all of it while nothing is offered, is no byte of a payload
        inputs[data..data + 8].fill(0x5555_5555_5555_5555);
        inputs[data + 8] = self.common.stimulus.uniform(64);
        if let Some(line) = self.sending.front().filter(|_| self.offered) {
            for byte in (0..64).filter(|byte| line.strobe >> byte & 1 == 1) {
                let (limb, lane) = (byte / 8, 0xff << (8 * (byte % 8)));
                inputs[data + limb] = inputs[data + limb] & !lane | line.data[limb] & lane;
            }
            inputs[data + 8] = line.strobe;
            inputs[data + 9] = line.last.into();
        }
    }
}
