//! The packet selector in RustHDL and in Verilog, every output in every clock, under random tables, grants and stalls.

use hpcc_rtl::prim::word::Field;
use hpcc_rtl::sim::{Port, Stimulus};
use hpcc_rtl::tx::select::Select;
use hpcc_rtl::words::context::{QpContext, Region};
use hpcc_rtl::words::transport::{Message, ReadState};
use hpcc_testbench::verilated::lockstep::{Drive, Lockstep};
use rust_hdl::prelude::Synth;
use std::collections::BTreeMap;

type Block = Select<3, 7, 6, 6>;

/// Few generations and short PSN ranges, so that every comparison goes both ways.
struct Traffic {
    random: Stimulus,
    limbs: BTreeMap<String, usize>,
    accept: f64,
}

impl Traffic {
    fn new(ports: &[Port], seed: u64) -> Self {
        Self {
            random: Stimulus::new(seed),
            limbs: ports.iter().map(|port| (port.name.clone(), port.limb)).collect(),
            accept: 1.0,
        }
    }

    /// Noise, then the fields that matter.
    fn word(&mut self, inputs: &mut [u64], port: &str, bits: usize, fields: &[(Field, u64)]) {
        let at = self.limbs[port];
        let limbs = &mut inputs[at..at + bits.div_ceil(64)];
        for (limb, word) in limbs.iter_mut().enumerate() {
            *word = self.random.corner((bits - 64 * limb).min(64));
        }
        for (field, value) in fields {
            field.put(limbs, *value);
        }
    }

    fn tables(&mut self, clock: u64, inputs: &mut [u64]) {
        let often = if clock < 2_000 { 0.5 } else { 0.02 };
        for port in ["context", "message", "read"] {
            inputs[self.limbs[&format!("{port}_valid")]] = self.random.chance(often).into();
        }
        inputs[self.limbs["context_qp"]] = self.random.below(8);
        inputs[self.limbs["read_qp"]] = self.random.below(8);
        inputs[self.limbs["message_address"]] = self.random.below(128);
        let alive = self.random.chance(0.95).into();
        let (generation, mtu) = (self.random.below(2), self.random.below(5));
        self.word(
            inputs,
            "context_data",
            QpContext::BITS,
            &[
                (QpContext::ALIVE, alive),
                (QpContext::GENERATION, generation),
                (QpContext::MTU, mtu),
            ],
        );
        // few entries of regions, written a few times, so that guards stand and do not
        let write = clock.is_multiple_of(3) && self.random.chance(if clock < 100 { 0.3 } else { 0.0003 });
        inputs[self.limbs["region_valid"]] = write.into();
        let (entry, valid) = (self.random.below(4) << 8, self.random.chance(0.9).into());
        self.word(
            inputs,
            "region_data",
            Region::BITS,
            &[(Region::KEY, entry), (Region::VALID, valid)],
        );
        let guard = self.random.below(4) | self.random.below(6) << 5;
        let (start, count) = (self.random.below(60), self.random.below(9));
        let (generation, epoch) = (self.random.below(2), u64::from(self.random.chance(0.02)));
        self.word(
            inputs,
            "message_data",
            Message::BITS,
            &[
                (Message::FIRST_PSN, start),
                (Message::END_PSN, start + count),
                (Message::GENERATION, generation),
                (Message::GUARD, guard),
            ],
        );
        self.word(
            inputs,
            "read_data",
            ReadState::BITS,
            &[
                (ReadState::FIRST_PSN, start),
                (ReadState::COUNT, 4 * count),
                (ReadState::GENERATION, generation),
                (ReadState::EPOCH, epoch),
                (ReadState::GUARD, guard),
            ],
        );
    }
}

impl Drive for Traffic {
    fn drive(&mut self, clock: u64, outputs: &[u64], inputs: &mut [u64]) {
        self.tables(clock, inputs);
        let limbs = self.limbs.clone();
        let at = |name: &str| limbs[name];
        inputs[at("rst")] = u64::from(clock < 2 || self.random.chance(0.0003));
        if clock.is_multiple_of(512) {
            self.accept = [1.0, 0.7, 0.2, 0.02][self.random.below(4) as usize];
            inputs[at("overhead")] = self.random.corner(10);
            inputs[at("ack_interval")] = 1 + self.random.below(20);
        }
        let waits = inputs[at("send_valid")] == 1 && outputs[at("send_ready")] == 0;
        if !waits {
            inputs[at("send_valid")] = self.random.chance(0.8).into();
            inputs[at("send_flow")] = self.random.below(16);
            inputs[at("send_generation")] = self.random.below(2);
            inputs[at("send_psn")] = self.random.below(64);
            inputs[at("send_kind")] = self.random.below(8);
        }
        for ready in ["packet_ready", "job_ready", "feedback_ready"] {
            inputs[at(ready)] = self.random.chance(self.accept).into();
        }
    }
}

#[test]
fn select() {
    Lockstep::<Block, Traffic>::new("packet_select", Box::default, Traffic::new)
        .clocks(100_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}
