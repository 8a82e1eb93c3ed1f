//! The Verilog of the responder's blocks in lockstep with their RustHDL descriptions.

use hpcc_rtl::host::regions::RegionCheck;
use hpcc_rtl::prim::word::Field;
use hpcc_rtl::sim::{Port, Stimulus};
use hpcc_rtl::transport::notify::Notify;
use hpcc_rtl::transport::responder::Responder;
use hpcc_rtl::transport::responses::pool::NodePool;
use hpcc_rtl::transport::responses::ResponseQueue;
use hpcc_rtl::words::context::{QpContext, Region};
use hpcc_rtl::words::transport::{Action, Commit, CommitKind, ReadState, RxPacket};
use hpcc_testbench::verilated::lockstep::{Drive, Lockstep, Random};
use rust_hdl::prelude::Synth;
use std::collections::VecDeque;

fn place(ports: &[Port], input: bool, name: &str) -> usize {
    let found = ports.iter().find(|port| port.input == input && port.name == name);
    found.unwrap_or_else(|| panic!("{name}")).limb
}

fn limb(ports: &[Port], name: &str) -> usize {
    place(ports, true, name)
}

/// Few keys and addresses, so that requests and slots meet.
fn region_traffic(ports: &[Port], seed: u64) -> impl Drive {
    let (valid, data) = (limb(ports, "region_valid"), limb(ports, "region_data"));
    let (goes_on, guard, next, domain) = (
        limb(ports, "goes_on"),
        limb(ports, "next_guard"),
        limb(ports, "next_address"),
        limb(ports, "domain"),
    );
    let (key, address, length, access) = (
        limb(ports, "key"),
        limb(ports, "address"),
        limb(ports, "length"),
        limb(ports, "needed"),
    );
    let mut stimulus = Stimulus::new(seed);
    move |clock: u64, _: &[u64], inputs: &mut [u64]| {
        inputs[valid] = u64::from(clock.is_multiple_of(3) && stimulus.chance(0.2));
        let mut word = [
            stimulus.corner(64),
            stimulus.corner(64),
            stimulus.corner(64),
            stimulus.uniform(52),
        ];
        let mut any_key = || stimulus.below(3) << 8 | stimulus.below(2);
        Region::KEY.put(&mut word, any_key());
        let asked = any_key();
        Region::DOMAIN.put(&mut word, stimulus.uniform(1));
        inputs[data..data + 4].copy_from_slice(&word);
        inputs[key] = asked;
        inputs[goes_on] = stimulus.uniform(1);
        // few writes, so that counts meet
        inputs[guard] = stimulus.below(3) | stimulus.below(1 + clock / 20) << 5;
        inputs[next] = stimulus.corner(64);
        inputs[domain] = stimulus.uniform(1);
        inputs[address] = stimulus.corner(64);
        inputs[length] = stimulus.corner(32);
        inputs[access] = stimulus.uniform(2);
    }
}

#[test]
fn region_check() {
    Lockstep::new("region_check", Box::<RegionCheck>::default, region_traffic)
        .clocks(40_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Ports by name, and what both drivers below need.
struct Pins {
    ports: Vec<Port>,
    random: Stimulus,
}

impl Pins {
    fn set(&self, inputs: &mut [u64], name: &str, value: u64) {
        inputs[limb(&self.ports, name)] = value;
    }

    /// An input of the clock before.
    fn given(&self, inputs: &[u64], name: &str) -> u64 {
        inputs[limb(&self.ports, name)]
    }

    fn get(&self, outputs: &[u64], name: &str) -> u64 {
        outputs[place(&self.ports, false, name)]
    }

    fn words<'a>(&self, outputs: &'a [u64], name: &str) -> &'a [u64] {
        &outputs[place(&self.ports, false, name)..]
    }

    /// Noise on an input of `bits` bits, then the given fields.
    fn word(&mut self, inputs: &mut [u64], name: &str, bits: usize, fields: &[(Field, u64)]) {
        let first = limb(&self.ports, name);
        let limbs = &mut inputs[first..first + bits.div_ceil(64)];
        for (i, limb) in limbs.iter_mut().enumerate() {
            *limb = self.random.uniform((bits - 64 * i).min(64));
        }
        for (field, value) in fields {
            field.put(limbs, *value);
        }
    }

    /// Offers an item until it is taken; true in the clock in which a new one may be made.
    fn offers(&mut self, inputs: &mut [u64], outputs: &[u64], stream: &str, chance: f64) -> bool {
        let valid = format!("{stream}_valid");
        if inputs[limb(&self.ports, &valid)] == 1 && self.get(outputs, &format!("{stream}_ready")) == 0 {
            return false;
        }
        let offered = self.random.chance(chance);
        self.set(inputs, &valid, offered.into());
        offered
    }

    /// A queue pair is created or removed now and then.
    fn context(&mut self, inputs: &mut [u64], expected: &mut [(u64, u64); 4], chance: f64) {
        let write = self.random.chance(chance);
        self.set(inputs, "context_valid", write.into());
        if write {
            let index = self.random.below(4);
            let known = &mut expected[index as usize];
            known.0 = (known.0 + 1) & 255;
            known.1 = [0, 0xff_fffa, self.random.uniform(24)][self.random.below(3) as usize];
            let fields = [
                (QpContext::ALIVE, u64::from(self.random.chance(0.9))),
                (QpContext::GENERATION, known.0),
                (QpContext::EXPECTED_PSN, known.1),
            ];
            self.set(inputs, "context_qp", 2 + 49 * index);
            self.word(inputs, "context_data", 211, &fields);
        }
    }
}

/// Requests near the expected PSN of four queue pairs, most of them well formed.
fn requests(ports: &[Port], seed: u64) -> impl Drive {
    let mut pins = Pins {
        ports: ports.to_vec(),
        random: Stimulus::new(seed),
    };
    // generation and about the expected PSN
    let mut known = [(0, 0); 4];
    let keys = [0x11, 0x22, 0x33];
    // of the rows that were taken and have no action yet, the oldest first; actions come in their order
    let mut inside: VecDeque<usize> = VecDeque::new();
    let mut offered = 0;
    move |clock: u64, outputs: &[u64], inputs: &mut [u64]| {
        // what moved in the clock before
        if pins.given(inputs, "rst") == 1 {
            inside.clear();
        } else if pins.given(inputs, "row_valid") == 1 && pins.get(outputs, "row_ready") == 1 {
            inside.push_back(offered);
        }
        let decided = pins.get(outputs, "action_valid") == 1;
        if let Some(index) = inside.front().copied().filter(|_| decided) {
            let word = pins.words(outputs, "action_data");
            if Action::COMMITS.get(word) == 1 && Action::SYNDROME.get(word) == 0x1f {
                let read = Action::KIND.get(word) == CommitKind::Read as u64;
                let step = if read { Action::COUNT.get(word) } else { 1 };
                known[index].1 = (Action::PSN.get(word) + step) & 0xff_ffff;
            }
            if pins.given(inputs, "action_ready") == 1 {
                inside.pop_front();
            }
        }
        pins.set(inputs, "rst", u64::from(clock < 2 || clock.is_multiple_of(29_989)));
        pins.set(inputs, "cfg_reads", 4);
        let full = u64::from(pins.random.chance(0.02));
        pins.set(inputs, "full", full);
        pins.context(inputs, &mut known, if clock < 40 { 1.0 } else { 0.004 });
        let write = clock > 2 && (clock < 10 || pins.random.chance(0.001));
        pins.set(inputs, "region_valid", write.into());
        let slot = pins.random.below(3);
        let rights = (pins.random.uniform(1), pins.random.uniform(1));
        let fields = [
            (Region::VALID, 1),
            (Region::KEY, keys[slot as usize]),
            (Region::BASE, 0x1000),
            (Region::LENGTH, 0x10_0000),
            (Region::REMOTE_WRITE, rights.0),
            (Region::REMOTE_READ, rights.1),
        ];
        pins.word(inputs, "region_data", 244, &fields);
        for bus in ["left", "fail"] {
            let index = pins.random.below(4) as usize;
            let generation = known[index].0.wrapping_sub(pins.random.below(2)) & 255;
            let valid = clock.is_multiple_of(2) && pins.random.chance(if bus == "left" { 0.1 } else { 0.002 });
            pins.set(inputs, &format!("{bus}_valid"), valid.into());
            pins.set(inputs, &format!("{bus}_qp"), 2 + 49 * index as u64);
            pins.set(inputs, &format!("{bus}_generation"), generation);
        }
        let what = if pins.random.chance(0.99) {
            1 + pins.random.below(2)
        } else {
            4
        };
        pins.set(inputs, "left_what", what);
        let ready = u64::from(pins.random.chance(0.7));
        pins.set(inputs, "action_ready", ready);
        if pins.offers(inputs, outputs, "row", 0.8) {
            let random = &mut pins.random;
            let index = random.below(4);
            let (generation, psn) = known[index as usize];
            let length = [0, 1, 256, 300, 512, 0x8000_0000][random.below(6) as usize];
            let payload = [0, 1, 256, 44, 256, 256][random.below(6) as usize];
            let opcode = [0x06, 0x07, 0x08, 0x0a, 0x0a, 0x0c, 0x0c, 0x00][random.below(8) as usize];
            let fields = [
                (RxPacket::OPCODE, opcode),
                (RxPacket::QP, 2 + 49 * index),
                (
                    RxPacket::PSN,
                    psn.wrapping_add(random.below(8)).wrapping_sub(random.below(6)) & 0xff_ffff,
                ),
                (RxPacket::EXTENSION.part(64, 64), 0x1000 + random.below(0x10_0000)),
                (RxPacket::EXTENSION.part(32, 32), keys[random.below(3) as usize]),
                (RxPacket::EXTENSION.part(0, 32), length),
                (
                    RxPacket::PAYLOAD_LENGTH,
                    if opcode == 0x0a { length & 0xffff } else { payload },
                ),
                (RxPacket::GENERATION, generation),
                (RxPacket::MTU, 0),
            ];
            pins.word(inputs, "row_data", RxPacket::BITS, &fields);
            offered = index as usize;
        }
    }
}

#[test]
fn responder() {
    Lockstep::new("responder", Box::<Responder>::default, requests)
        .clocks(60_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Acknowledgements and READs in order, some repeated, and the ends of those that become active.
fn answers(ports: &[Port], seed: u64) -> impl Drive {
    let mut pins = Pins {
        ports: ports.to_vec(),
        random: Stimulus::new(seed),
    };
    let mut known = [(0, 0); 4];
    let mut active = [(0, 0); 4];
    move |clock: u64, outputs: &[u64], inputs: &mut [u64]| {
        pins.set(inputs, "rst", u64::from(clock < 2 || clock == 30_000));
        pins.context(inputs, &mut known, if clock < 1100 { 0.05 } else { 0.002 });
        if pins.get(outputs, "read_valid") == 1 {
            let word = pins.words(outputs, "read_data");
            let last = ReadState::FIRST_PSN.get(word) + ReadState::COUNT.get(word) - 1;
            active[(pins.get(outputs, "read_qp") / 49) as usize & 3] = (last & 0xff_ffff, ReadState::TAG.get(word));
        }
        // the ends come slowly at first, so that lists grow
        let often = if (clock / 8000).is_multiple_of(2) { 0.01 } else { 0.15 };
        let (gone, index) = (pins.random.chance(often), pins.random.below(4) as usize);
        let failed = pins.random.chance(0.02);
        pins.set(inputs, "gone_valid", gone.into());
        pins.set(inputs, "gone_failed", failed.into());
        pins.set(inputs, "gone_qp", 2 + 49 * index as u64);
        pins.set(inputs, "gone_generation", known[index].0);
        pins.set(inputs, "gone_psn", active[index].0);
        let behind = if pins.random.chance(0.1) {
            pins.random.below(9)
        } else {
            0
        };
        pins.set(inputs, "gone_tag", active[index].1.wrapping_sub(behind) & 31);
        let (ack, work) = (pins.random.chance(0.5), pins.random.chance(0.6));
        pins.set(inputs, "ack_ready", ack.into());
        pins.set(inputs, "work_ready", work.into());
        if pins.offers(inputs, outputs, "up", 0.5) {
            let random = &mut pins.random;
            let index = random.below(4) as usize;
            let (generation, psn) = known[index];
            let count = 1 + random.below(4);
            let (mut read, mut repeats, mut first) = (random.chance(0.4), false, psn);
            let syndrome = if random.chance(0.05) { 0x60 } else { 0x1f };
            if random.chance(0.05) {
                (read, repeats, first) = (true, true, psn.wrapping_sub(count + random.below(8)) & 0xff_ffff);
            } else {
                known[index].1 = (psn + if read { count } else { 1 }) & 0xff_ffff;
            }
            let mut fields = vec![
                (Commit::KIND, 1 + u64::from(read)),
                (Commit::QP, 2 + 49 * index as u64),
                (
                    Commit::GENERATION,
                    generation.wrapping_sub(u64::from(random.chance(0.02))) & 255,
                ),
                (Commit::PSN, first),
                (Commit::SYNDROME, syndrome),
            ];
            if read {
                fields.push((Commit::INT_STACK.part(96, 24), count));
                fields.push((Commit::INT_STACK.part(120, 1), repeats.into()));
            }
            pins.word(inputs, "up_data", 421, &fields);
        }
    }
}

#[test]
fn response_queue() {
    Lockstep::new("response_queue", Box::<ResponseQueue>::default, answers)
        .clocks(60_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn node_pool() {
    Lockstep::<NodePool, Random>::random("node_pool")
        .clocks(20_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Marks of few queue pairs, contexts now and then, time in leaps, pause and registers that change.
fn marks(ports: &[Port], seed: u64) -> impl Drive {
    let at = |name: &str| limb(ports, name);
    let (reset, now, enable, hold) = (at("rst"), at("now"), at("enable"), at("hold"));
    let (interval, ready) = (at("interval"), at("send_ready"));
    let (context_valid, context_qp, context_data) = (at("context_valid"), at("context_qp"), at("context_data"));
    let (mark_valid, mark) = (at("mark_valid"), at("mark"));
    let mut stimulus = Stimulus::new(seed);
    let mut time = 0;
    move |clock: u64, _: &[u64], inputs: &mut [u64]| {
        time += if stimulus.chance(0.1) {
            stimulus.below(40_000)
        } else {
            5
        };
        inputs[reset] = u64::from(clock < 2 || clock.is_multiple_of(9973));
        inputs[now] = time;
        inputs[enable] = u64::from(!clock.is_multiple_of(4000));
        inputs[hold] = u64::from((clock / 500).is_multiple_of(3));
        inputs[interval] = [0, 1, 49, 200][(clock / 3000 % 4) as usize];
        inputs[ready] = u64::from(stimulus.chance(0.8));
        inputs[context_valid] = u64::from(clock.is_multiple_of(4) && (clock < 400 || stimulus.chance(0.01)));
        inputs[context_qp] = stimulus.below(8);
        let mut word = [
            stimulus.uniform(64),
            stimulus.uniform(64),
            stimulus.uniform(64),
            stimulus.uniform(18),
        ];
        QpContext::GENERATION.put(&mut word, stimulus.below(2));
        inputs[context_data..context_data + 4].copy_from_slice(&word);
        inputs[mark_valid] = u64::from(stimulus.chance(0.4));
        // queue pair, generation, kind
        inputs[mark] = stimulus.below(8) | stimulus.below(2) << 8 | stimulus.below(2) << 16;
    }
}

#[test]
fn notification_point() {
    Lockstep::new("notify", Box::<Notify>::default, marks)
        .clocks(40_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}
