//! The Verilog of the requester in lockstep with its RustHDL description.

use hpcc_rtl::prim::uint::U;
use hpcc_rtl::prim::word::Field;
use hpcc_rtl::prim::word::Word;
use hpcc_rtl::sim::{Port, Ports, Stimulus};
use hpcc_rtl::transport::requester::fast::post_entry::PostEntry;
use hpcc_rtl::transport::requester::fast::posts::Posts;
use hpcc_rtl::transport::requester::fast::responses::Responses;
use hpcc_rtl::transport::requester::gather::Gather;
use hpcc_rtl::transport::requester::intake::Intake;
use hpcc_rtl::transport::requester::outlet::Outlet;
use hpcc_rtl::transport::requester::reads::Verdict;
use hpcc_rtl::transport::requester::store::Store;
use hpcc_rtl::transport::requester::{Requester, SEGMENT};
use hpcc_rtl::words::context::{QpContext, Region};
use hpcc_rtl::words::sched::LawEvent;
use hpcc_rtl::words::transport::{Commit, Message, RxPacket};
use hpcc_rtl::words::work::WorkRequest;
use hpcc_testbench::verilated::lockstep::{Drive, Lockstep, Random};
use rust_hdl::prelude::Synth;

#[test]
fn parts_agree_on_random_inputs() {
    fn agrees<B: Ports + Default + 'static>(top: &str) {
        Lockstep::<B, Random>::random(top)
            .clocks(20_000)
            .run()
            .unwrap_or_else(|error| panic!("{error}"));
    }
    agrees::<Store>("requester_store");
    agrees::<PostEntry>("post_entry");
    agrees::<Posts<20>>("requester_posts");
    agrees::<Verdict>("read_verdict");
    agrees::<Responses>("read_responses");
    agrees::<Gather>("answer_gather");
    agrees::<Intake<150, 20>>("requester_intake");
    agrees::<Outlet<U<24>>>("requester_outlet");
}

/// What the driver knows of a queue pair.
#[derive(Clone, Copy, Default)]
struct Known {
    generation: u64,
    /// PSN of its last event, about where it is.
    una: u64,
    /// End of its last message.
    end: u64,
}

/// Work, answers and READ responses near the PSNs that matter, for a few queue pairs; receivers of changing speed.
struct Traffic {
    random: Stimulus,
    ports: Vec<Port>,
    known: [Known; 4],
}

impl Traffic {
    fn new(ports: &[Port], seed: u64) -> Self {
        Self {
            random: Stimulus::new(seed),
            ports: ports.to_vec(),
            known: Default::default(),
        }
    }

    fn at(&self, input: bool, name: &str) -> usize {
        let found = self.ports.iter().find(|port| port.input == input && port.name == name);
        found.unwrap_or_else(|| panic!("{name}")).limb
    }

    fn noise(&mut self, limbs: &mut [u64], bits: usize) {
        for (i, limb) in limbs.iter_mut().enumerate() {
            *limb = self.random.uniform((bits - 64 * i).min(64));
        }
    }

    /// Offers on a stream: a new word, filled by `fill`, when the last one was taken.
    fn stream(
        &mut self,
        stream: &str,
        chance: f64,
        bits: usize,
        outputs: &[u64],
        inputs: &mut [u64],
        fill: impl FnOnce(&mut Self, &mut [u64]),
    ) {
        let (valid, data) = (
            self.at(true, &format!("{stream}_valid")),
            self.at(true, &format!("{stream}_data")),
        );
        let ready = self.at(false, &format!("{stream}_ready"));
        if inputs[valid] == 1 && outputs[ready] == 0 {
            return;
        }
        inputs[valid] = u64::from(self.random.chance(chance));
        let word = &mut inputs[data..data + bits.div_ceil(64)];
        self.noise(word, bits);
        fill(self, word);
    }

    fn qp(&mut self) -> (u64, Known) {
        let qp = self.random.below(4);
        (qp, self.known[qp as usize])
    }

    fn generation(&mut self, known: Known) -> u64 {
        known.generation.wrapping_sub(u64::from(self.random.chance(0.02))) & 0xff
    }

    /// A PSN between a little before `una` and a little after the end.
    fn psn(&mut self, known: Known) -> u64 {
        let span = if self.random.chance(0.7) {
            4
        } else {
            (known.end.wrapping_sub(known.una) & 0xff) + 4
        };
        (known.una + self.random.below(span)).wrapping_sub(u64::from(self.random.chance(0.1))) & 0xff_ffff
    }

    fn put(&mut self, word: &mut [u64], fields: &[(Field, u64)]) {
        fields.iter().for_each(|(field, value)| field.put(word, *value));
    }
}

impl Drive for Traffic {
    fn drive(&mut self, clock: u64, outputs: &[u64], inputs: &mut [u64]) {
        if clock == 0 {
            inputs[self.at(true, "max_reads")] = 3;
            inputs[self.at(true, "speeds")] = 0x01fe;
        }
        inputs[self.at(true, "rst")] = u64::from(clock < 3 || clock.is_multiple_of(30_011));
        inputs[self.at(true, "now")] = 5 * clock;
        // what the block says
        if clock > 3 && outputs[self.at(false, "message_valid")] == 1 {
            let data = self.at(false, "message_data");
            let qp = outputs[self.at(false, "message_address")] >> 4 & 3;
            self.known[qp as usize].end = Message::END_PSN.get(&outputs[data..data + 6]);
        }
        if clock > 3 && outputs[self.at(false, "cc_event_valid")] == 1 {
            let event = LawEvent::from_slice(&outputs[self.at(false, "cc_event_data")..]);
            self.known[(event.flow.0 >> 1 & 3) as usize].una = event.psn_next.0;
        }
        // buses
        let create = clock > 4 && (clock < 9 || self.random.chance(0.0007));
        inputs[self.at(true, "context_valid")] = create.into();
        if create {
            let qp = if clock < 9 { clock - 5 } else { self.random.below(4) };
            let known = &mut self.known[qp as usize];
            known.generation = (known.generation + 1) & 0xff;
            let (generation, first) = (known.generation, self.random.corner(24));
            (self.known[qp as usize].una, self.known[qp as usize].end) = (first, first);
            inputs[self.at(true, "context_qp")] = qp;
            let data = self.at(true, "context_data");
            let (alive, int) = (self.random.chance(0.95), self.random.uniform(1));
            self.put(
                &mut inputs[data..data + 4],
                &[
                    (QpContext::ALIVE, alive.into()),
                    (QpContext::GENERATION, generation),
                    (QpContext::MTU, qp),
                    (QpContext::INT_ON, int),
                    (QpContext::SEND_PSN, first),
                ],
            );
        }
        inputs[self.at(true, "region_valid")] = u64::from(clock == 10);
        let data = self.at(true, "region_data");
        self.put(
            &mut inputs[data..data + 4],
            &[
                (Region::VALID, 1),
                (Region::KEY, 1),
                (Region::BASE, 0),
                (Region::LENGTH, 1 << 40),
            ],
        );
        let (qp, known) = self.qp();
        inputs[self.at(true, "sent_valid")] = u64::from(self.random.chance(0.1));
        inputs[self.at(true, "sent_qp")] = qp;
        inputs[self.at(true, "sent_generation")] = known.generation;
        inputs[self.at(true, "sent_end")] = known.end;
        // streams
        self.stream("work", 0.05, 320, outputs, inputs, |t, word| {
            let (qp, length) = (t.random.below(4), t.random.below(8000));
            let length = if t.random.chance(0.2) {
                t.random.below(2)
            } else {
                length
            };
            let (key, read) = (u64::from(!t.random.chance(0.02)), t.random.uniform(1));
            let address = t.random.uniform(39);
            t.put(
                word,
                &[
                    (WorkRequest::QPN, qp),
                    (WorkRequest::OPERATION, read),
                    (WorkRequest::LOCAL_ADDRESS, address),
                    (WorkRequest::LOCAL_KEY, key),
                    (WorkRequest::LENGTH, length),
                ],
            );
        });
        self.stream("answer", 0.1, 421, outputs, inputs, |t, word| {
            let (qp, known) = t.qp();
            let (generation, psn) = (t.generation(known), t.psn(known));
            let kind = if t.random.chance(0.5) { 0 } else { t.random.below(4) };
            let syndrome = match t.random.below(100) {
                0 => t.random.uniform(8),
                1..=5 => 0x60,
                _ => 0x1f,
            };
            let failed = t.random.chance(0.01);
            t.put(
                word,
                &[
                    (Commit::KIND, 3),
                    (Commit::QP, qp),
                    (Commit::GENERATION, generation),
                    (Commit::PSN, psn),
                    (Commit::SYNDROME, syndrome),
                    (Commit::ANSWER, kind),
                    (Commit::ENDS_OR_FAILED, failed.into()),
                ],
            );
        });
        self.stream("row", 0.1, RxPacket::BITS, outputs, inputs, |t, word| {
            let (qp, known) = t.qp();
            let (generation, psn) = (t.generation(known), t.psn(known));
            let length = if t.random.chance(0.8) {
                256 << qp
            } else {
                t.random.below(2000)
            };
            let (opcode, aeth) = (0x0d + t.random.below(4), u64::from(t.random.chance(0.02)) << 5);
            t.put(
                word,
                &[
                    (RxPacket::OPCODE, opcode),
                    (RxPacket::QP, qp),
                    (RxPacket::PSN, psn),
                    (RxPacket::EXTENSION.part(120, 8), aeth | 0x1f),
                    (RxPacket::PAYLOAD_LENGTH, length),
                    (RxPacket::GENERATION, generation),
                    (RxPacket::MTU, qp),
                ],
            );
        });
        self.stream("read_error", 0.0005, 48, outputs, inputs, |t, word| {
            let (qp, known) = t.qp();
            word[0] = (2 * qp) | (known.generation << 16) | (t.psn(known) << 24);
        });
        self.stream("remove", 0.0005, 16, outputs, inputs, |t, word| {
            let (qp, known) = t.qp();
            word[0] = qp | known.generation << 8;
        });
        let (valid, ready) = (self.at(true, "ended_valid"), self.at(false, "ended_ready"));
        if inputs[valid] == 0 || outputs[ready] == 1 {
            let (qp, known) = self.qp();
            inputs[valid] = u64::from(self.random.chance(0.0005));
            inputs[self.at(true, "ended_flow")] = (2 * qp) | self.random.uniform(1);
            inputs[self.at(true, "ended_generation")] = known.generation;
        }
        let speed = [1.0, 0.5, 0.05][(clock / 2000 % 3) as usize];
        for stream in ["action", "schedule", "cc_event", "completion", "echo", "kill"] {
            inputs[self.at(true, &format!("{stream}_ready"))] = u64::from(self.random.chance(speed));
        }
    }
}

#[test]
fn requester_with_short_messages() {
    Lockstep::new("requester_short", Box::<Requester<150, 3>>::default, Traffic::new)
        .clocks(60_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn requester() {
    Lockstep::new("requester", Box::<Requester<150, SEGMENT>>::default, Traffic::new)
        .clocks(60_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}
