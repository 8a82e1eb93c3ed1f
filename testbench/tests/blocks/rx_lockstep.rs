//! The Verilog of the RX parser and of its primitives in lockstep with their RustHDL descriptions.

use hpcc_rtl::prim::crc::{CrcFold, CrcResidue, CrcState, CrcUnroll};
use hpcc_rtl::prim::uint::mask;
use hpcc_rtl::rx::align::HeaderAlign;
use hpcc_rtl::rx::buffer::PacketBuffer;
use hpcc_rtl::rx::covered::CoveredBytes;
use hpcc_rtl::rx::icrc_bytes::IcrcBytes;
use hpcc_rtl::rx::lookup::QpLookup;
use hpcc_rtl::rx::pipe::RxPipe;
use hpcc_rtl::rx::stimulus::{aim, any_frame, registers};
use hpcc_rtl::rx::udp_sum::BeatSum;
use hpcc_rtl::rx::RxParser;
use hpcc_rtl::sim::{Port, Ports, Stimulus};
use hpcc_rtl::words::context::QpContext;
use hpcc_rtl::words::transport::Action;
use hpcc_testbench::verilated::lockstep::{Drive, Lockstep, Random};
use rust_hdl::prelude::Synth;

/// Random inputs on a default block.
fn agrees<B: Ports + Default + 'static>(top: &str) {
    Lockstep::<B, Random>::random(top)
        .clocks(20_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn crc_parts() {
    agrees::<CrcFold>("crc_fold");
    agrees::<CrcState>("crc_state");
    agrees::<CrcResidue>("crc_residue");
    agrees::<CrcUnroll>("crc_unroll");
}

#[test]
fn byte_blocks() {
    agrees::<HeaderAlign>("header_align");
    agrees::<CoveredBytes>("covered_bytes");
    agrees::<IcrcBytes>("icrc_bytes");
    agrees::<BeatSum>("beat_sum");
}

/// Frames of the parser's tests beat by beat, with gaps in which every input is noise.
struct Frames {
    stimulus: Stimulus,
    ports: Vec<Port>,
    frame: Vec<u8>,
    at: usize,
}

impl Frames {
    fn new(ports: &[Port], seed: u64) -> Self {
        Self {
            stimulus: Stimulus::new(seed),
            ports: ports.to_vec(),
            frame: Vec::new(),
            at: 0,
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
    fn drive(&mut self, clock: u64, _outputs: &[u64], inputs: &mut [u64]) {
        let config = registers();
        if clock == 0 {
            self.set(inputs, "cfg_mac", config.mac.number());
            self.set(inputs, "cfg_ip", u32::from(config.ip).into());
            self.set(inputs, "cfg_port_roce", config.ports.roce.into());
            self.set(inputs, "cfg_port_int", config.ports.int_collect.into());
            self.set(inputs, "cfg_port_echo", config.ports.int_echo.into());
            self.set(inputs, "cfg_port_control", config.ports.control.into());
            self.set(inputs, "cfg_pkey", config.pkey.into());
        }
        self.set(inputs, "rst", u64::from(clock < 2 || clock.is_multiple_of(9973)));
        let valid = self.stimulus.chance(0.8);
        self.set(inputs, "s_axis_tvalid", u64::from(valid));
        let first = self.limb("s_axis_tdata");
        if !valid {
            for limb in 0..8 {
                inputs[first + limb] = self.stimulus.uniform(64);
            }
            let (keep, last) = (self.stimulus.uniform(64), self.stimulus.uniform(1));
            self.set(inputs, "s_axis_tkeep", keep);
            self.set(inputs, "s_axis_tlast", last);
            return;
        }
        if self.at >= self.frame.len() {
            self.frame = any_frame(&mut self.stimulus, &config);
            self.at = 0;
        }
        let beat = &self.frame[self.at..self.frame.len().min(self.at + 64)];
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
        let bad = self.stimulus.chance(0.05);
        self.set(inputs, "s_axis_tuser", u64::from(bad));
        self.at += 64;
    }
}

#[test]
fn parser() {
    Lockstep::<RxParser, Frames>::new("rx_parser", Box::default, Frames::new)
        .clocks(60_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Frames of random beats, commands of random content, receivers of changing speed.
fn buffer_traffic(ports: &[Port], seed: u64) -> impl Drive {
    let limb = |input: bool, name: &str| {
        ports
            .iter()
            .find(|port| port.input == input && port.name == name)
            .unwrap_or_else(|| panic!("{name}"))
            .limb
    };
    let (data, last, valid) = (
        limb(true, "beat_data"),
        limb(true, "beat_last"),
        limb(true, "beat_valid"),
    );
    let (command, command_valid) = (limb(true, "command_data"), limb(true, "command_valid"));
    let (reset, ready, command_ready) = (
        limb(true, "rst"),
        limb(true, "payload_ready"),
        limb(false, "command_ready"),
    );
    let mut stimulus = Stimulus::new(seed);
    let mut left = 0;
    move |clock: u64, outputs: &[u64], inputs: &mut [u64]| {
        // Slow and fast receivers in turn, so that the buffer fills and empties.
        let slow = clock / 3000 % 2 == 1;
        inputs[reset] = u64::from(clock < 3 || clock.is_multiple_of(20_011));
        inputs[valid] = u64::from(stimulus.chance(0.8));
        for limb in 0..8 {
            inputs[data + limb] = stimulus.uniform(64);
        }
        if inputs[valid] == 1 {
            left = if left == 0 { stimulus.below(20) } else { left - 1 };
        }
        inputs[last] = u64::from(left == 0);
        inputs[ready] = u64::from(stimulus.chance(if slow { 0.3 } else { 0.9 }));
        if inputs[command_valid] == 0 || outputs[command_ready] == 1 {
            inputs[command_valid] = u64::from(stimulus.chance(0.7));
            let (take, at, length) = (stimulus.chance(0.7), stimulus.below(56), stimulus.below(700));
            inputs[command] = u64::from(take) | at << 2 | length << 8 | stimulus.below(4096) << 24;
        }
    }
}

#[test]
fn packet_buffer() {
    Lockstep::new("packet_buffer", Box::<PacketBuffer>::default, buffer_traffic)
        .clocks(60_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Contexts of few places with few tags, whose numbers are asked for. Resets now and then.
fn lookup_traffic(ports: &[Port], seed: u64) -> impl Drive {
    let limb = |name: &str| {
        let port = ports.iter().find(|port| port.input && port.name == name);
        port.unwrap_or_else(|| panic!("{name}")).limb
    };
    let (reset, valid, qp) = (limb("rst"), limb("context_valid"), limb("context_qp"));
    let (data, key) = (limb("context_data"), limb("in_number"));
    let mut stimulus = Stimulus::new(seed);
    move |clock: u64, _outputs: &[u64], inputs: &mut [u64]| {
        let mut place = || [0, 2, 3, 0x82, 0x95, 254][stimulus.below(6) as usize];
        let (lives, asked) = (place(), place());
        let mut tag = || [0, 1, 0x8000, 0xffff][stimulus.below(4) as usize] << 8;
        let (own, asked) = (lives | tag(), asked | tag());
        inputs[reset] = u64::from(clock % 2503 < 1 + clock % 3);
        inputs[valid] = u64::from(stimulus.chance(if clock % 500 < 100 { 0.1 } else { 0.01 }));
        inputs[qp] = lives;
        let mut word = [0; 4];
        QpContext::ALIVE.put(&mut word, u64::from(stimulus.chance(0.7)));
        QpContext::LOCAL_QPN.put(&mut word, own);
        inputs[data..data + 4].copy_from_slice(&word);
        inputs[key] = asked;
    }
}

#[test]
fn qp_lookup() {
    Lockstep::new("rx_qp_lookup", Box::<QpLookup>::default, lookup_traffic)
        .clocks(60_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

/// The parser's frames, most of them for queue pairs 2 (plain) and 3 (INT); engines, memory and manager of changing speed that
/// answer with noise.
fn pipe_traffic(ports: &[Port], seed: u64) -> impl Drive {
    let mut frames = Frames::new(ports, seed);
    let config = registers();
    let peer = std::net::Ipv4Addr::new(10, 0, 3, 12);
    let ports = ports.to_vec();
    let mut stimulus = Stimulus::new(seed + 1);
    move |clock: u64, outputs: &[u64], inputs: &mut [u64]| {
        if frames.at >= frames.frame.len() {
            frames.frame = any_frame(&mut frames.stimulus, &config);
            if stimulus.chance(0.8) {
                aim(&mut frames.frame, &config, 2 + stimulus.below(3) as u32, peer);
            }
            frames.at = 0;
        }
        frames.drive(clock, outputs, inputs);
        frames.set(inputs, "rst", u64::from(clock < 20));
        let slow = clock / 5000 % 3 == 2;
        for port in &ports {
            if port.input && port.name.ends_with("_ready") {
                inputs[port.limb] = u64::from(stimulus.chance(if slow { 0.2 } else { 0.9 }));
            }
        }
        for engine in ["request_action", "response_action"] {
            let valid = frames.limb(&format!("{engine}_valid"));
            let data = frames.limb(&format!("{engine}_data"));
            let ready = ports.iter().find(|port| port.name == format!("{engine}_ready"));
            if inputs[valid] == 0 || outputs[ready.expect("port").limb] == 1 {
                inputs[valid] = u64::from(stimulus.chance(0.4));
                for limb in 0..Action::BITS.div_ceil(64) {
                    inputs[data + limb] = stimulus.uniform((Action::BITS - 64 * limb).min(64));
                }
            }
        }
        frames.set(inputs, "context_valid", u64::from(clock == 23 || clock == 25));
        let mut word = [0; 4];
        QpContext::ALIVE.put(&mut word, 1);
        QpContext::REMOTE_IP.put(&mut word, u32::from(peer).into());
        QpContext::INT_ON.put(&mut word, u64::from(clock == 25));
        frames.set(inputs, "context_qp", 2 + u64::from(clock == 25));
        let data = frames.limb("context_data");
        inputs[data..data + 4].copy_from_slice(&word);
    }
}

#[test]
fn rx_pipe() {
    Lockstep::new("rx_pipe", Box::<RxPipe>::default, pipe_traffic)
        .clocks(20_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}
