//! Frames and noise for the INT stamper: what lockstep and mutation feed it.

use crate::verilated::lockstep::Drive;
use hpcc_rtl::prim::uint::mask;
use hpcc_rtl::sim::{Port, Stimulus};
use hpcc_rtl::switch::stimulus::any_frame;

/// Offers frames beat by beat; every other input is noise that changes in every clock, registers a few times.
pub struct Frames {
    stimulus: Stimulus,
    ports: Vec<Port>,
    ready: usize,
    frame: Vec<u8>,
    at: usize,
    offered: bool,
}

impl Frames {
    /// A drive of the stamper with these ports.
    ///
    /// # Panics
    /// If the block is no INT stamper.
    pub fn new(ports: &[Port], seed: u64) -> Self {
        let ready = ports
            .iter()
            .find(|port| port.name == "s_axis_tready")
            .expect("port")
            .limb;
        let (ports, stimulus) = (ports.to_vec(), Stimulus::new(seed));
        Self {
            stimulus,
            ports,
            ready,
            frame: vec![],
            at: 0,
            offered: false,
        }
    }

    fn limb(&self, name: &str) -> usize {
        self.ports
            .iter()
            .find(|port| port.input && port.name == name)
            .expect("port")
            .limb
    }

    fn set(&self, inputs: &mut [u64], name: &str, value: u64) {
        inputs[self.limb(name)] = value;
    }
}

impl Drive for Frames {
    fn drive(&mut self, clock: u64, outputs: &[u64], inputs: &mut [u64]) {
        // the reset clock takes nothing in: ready is judged from the clock before this one
        if self.offered && outputs[self.ready] == 1 {
            self.at += 64;
            self.offered = false;
        }
        if self.at >= self.frame.len() {
            self.frame = any_frame(&mut self.stimulus);
            self.at = 0;
        }
        if clock.is_multiple_of(5000) {
            self.set(inputs, "cfg_int_port", 54791);
            self.set(inputs, "cfg_dscp", 26);
            let (id, speed, shift) = (
                self.stimulus.uniform(12),
                self.stimulus.uniform(4),
                self.stimulus.uniform(2),
            );
            self.set(inputs, "cfg_switch_id", id);
            self.set(inputs, "cfg_speed", speed);
            self.set(inputs, "cfg_unit_shift", shift);
        }
        let (now, queued) = (self.stimulus.uniform(24), self.stimulus.corner(32));
        self.set(inputs, "rst", u64::from(clock < 2));
        self.set(inputs, "now_ns", now);
        self.set(inputs, "queued_bytes", queued);
        let ready = self.stimulus.chance(0.8);
        self.set(inputs, "m_axis_tready", u64::from(ready));
        self.offered = clock >= 2 && (self.offered || self.stimulus.chance(0.8));
        self.set(inputs, "s_axis_tvalid", u64::from(self.offered));
        let beat = &self.frame[self.at..self.frame.len().min(self.at + 64)];
        let first = self.limb("s_axis_tdata");
        for limb in 0..8 {
            let bytes = beat.get(8 * limb..).unwrap_or(&[]);
            inputs[first + limb] = bytes
                .iter()
                .take(8)
                .rev()
                .fold(0, |word, byte| word << 8 | u64::from(*byte));
        }
        self.set(inputs, "s_axis_tkeep", mask(beat.len()));
        self.set(inputs, "s_axis_tlast", u64::from(self.at + 64 >= self.frame.len()));
        self.set(inputs, "s_axis_tuser", u64::from(self.frame[0] & 31 == 0));
    }
}
