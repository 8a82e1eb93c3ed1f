//! The Verilog of the frame builders and of the arbiter in lockstep with their RustHDL descriptions.

use hpcc_rtl::prim::uint::Limbs;
use hpcc_rtl::sim::{Port, Ports, Stimulus};
use hpcc_rtl::tx::append::IcrcAppend;
use hpcc_rtl::tx::frame_bytes::FrameBytes;
use hpcc_rtl::tx::header::TxHeader;
use hpcc_rtl::tx::stimulus::{acknowledgement, beats, notification, packet, registers, Peer, OPCODES};
use hpcc_rtl::tx::{AckBuilder, DataBuilder, FrameArbiter};
use hpcc_rtl::words::transport::AckKind;
use hpcc_testbench::verilated::lockstep::{Drive, Lockstep, Random};
use std::collections::VecDeque;

/// Random inputs on a default block.
fn agrees<B: Ports + Default + 'static>(top: &str) {
    Lockstep::<B, Random>::random(top)
        .clocks(20_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn parts() {
    agrees::<TxHeader>("tx_header");
    agrees::<FrameBytes>("frame_bytes");
    agrees::<IcrcAppend<8, 136>>("icrc_append");
}

#[test]
fn arbiter() {
    agrees::<FrameArbiter>("frame_arbiter");
}

/// Random values on every input, holding or not what the streams' rules ask for.
#[test]
fn builders_on_noise() {
    agrees::<DataBuilder>("data_builder");
    agrees::<AckBuilder>("ack_builder");
}

/// The ports of a builder by name.
struct Names(Vec<Port>);

impl Names {
    fn limb(&self, input: bool, name: &str) -> usize {
        let port = self.0.iter().find(|port| port.input == input && port.name == name);
        port.unwrap_or_else(|| panic!("no port {name}")).limb
    }
    fn put<T: Limbs>(&self, inputs: &mut [u64], name: &str, value: T) {
        value.to_limbs(&mut inputs[self.limb(true, name)..]);
    }
    /// Registers of the builders, those that exist.
    fn registers(&self, inputs: &mut [u64]) {
        let config = registers();
        let mac = config.mac.0.iter().fold(0, |mac, byte| mac << 8 | u64::from(*byte));
        let values = [
            ("own_mac", mac),
            ("own_ip", u32::from(config.ip).into()),
            ("port_roce", config.ports.roce.into()),
            ("port_int", config.ports.int_collect.into()),
            ("port_echo", config.ports.int_echo.into()),
            ("pkey", config.pkey.into()),
            ("dscp", config.dscp.into()),
            ("dscp_request", config.dscp_unstamped.into()),
            ("ecn", config.ecn.into()),
            ("cnp_dscp", config.cnp.dscp.into()),
            ("ttl", config.ttl.into()),
        ];
        for (name, value) in values {
            if let Some(port) = self.0.iter().find(|port| port.input && port.name == name) {
                inputs[port.limb] = value;
            }
        }
    }
}

/// One stream into a block: items, each offered until it is taken.
struct Offer<T> {
    name: &'static str,
    items: VecDeque<T>,
    offered: bool,
}

impl<T: Limbs> Offer<T> {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            items: VecDeque::new(),
            offered: false,
        }
    }
    fn drive(&mut self, names: &Names, outputs: &[u64], inputs: &mut [u64], now: bool) {
        if self.offered && outputs[names.limb(false, &format!("{}_ready", self.name))] == 1 {
            self.items.pop_front();
            self.offered = false;
        }
        self.offered = (self.offered || now) && !self.items.is_empty();
        names.put(inputs, &format!("{}_valid", self.name), self.offered);
        if let Some(item) = self.items.front().filter(|_| self.offered) {
            names.put(inputs, &format!("{}_data", self.name), *item);
        }
    }
}

/// Contexts first, with reset, and a new one now and then.
fn contexts(names: &Names, stimulus: &mut Stimulus, peers: &[Peer], clock: u64, inputs: &mut [u64]) {
    names.put(inputs, "rst", clock < 40);
    let writes = clock < 256 || stimulus.chance(0.01);
    names.put(inputs, "context_write", writes);
    if writes {
        let qp = if clock < 256 { clock } else { stimulus.uniform(8) };
        let context = peers[qp as usize].context(stimulus);
        names.put(inputs, "context_qp", hpcc_rtl::prim::uint::U::<8>(qp));
        names.put(inputs, "context_data", context);
    }
}

/// Packets with their payloads, receivers slow and fast in turn.
fn data_traffic(ports: &[Port], seed: u64) -> impl Drive {
    let names = Names(ports.to_vec());
    let mut stimulus = Stimulus::new(seed);
    let peers: Vec<Peer> = (0..256).map(|_| Peer::any(&mut stimulus)).collect();
    let (mut packets, mut payloads) = (Offer::new("packet"), Offer::new("payload"));
    move |clock: u64, outputs: &[u64], inputs: &mut [u64]| {
        if clock == 0 {
            names.registers(inputs);
        }
        contexts(&names, &mut stimulus, &peers, clock, inputs);
        while packets.items.len() < 4 {
            let opcode = OPCODES[stimulus.below(OPCODES.len() as u64) as usize];
            let length = match opcode {
                0x0c => 0,
                _ if stimulus.chance(0.2) => 256 << stimulus.below(5),
                _ => stimulus.below(400) as usize,
            };
            let (qp, stale) = (stimulus.uniform(8) as u8, stimulus.chance(0.1));
            let peer = &peers[usize::from(qp)];
            let packet = packet(&mut stimulus, &registers(), (qp, peer), (opcode, length), stale);
            packets.items.push_back(packet.word);
            payloads.items.extend(beats(&mut stimulus, &packet));
        }
        let (offers, feeds) = (stimulus.chance(0.9), stimulus.chance(0.9));
        packets.drive(&names, outputs, inputs, clock > 256 && offers);
        payloads.drive(&names, outputs, inputs, clock > 256 && feeds);
        let slow = clock / 3000 % 2 == 1;
        names.put(inputs, "frame_ready", stimulus.chance(if slow { 0.3 } else { 0.95 }));
    }
}

#[test]
fn data_builder() {
    Lockstep::new("data_builder", Box::<DataBuilder>::default, data_traffic)
        .clocks(40_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Acknowledgements and echoes, receivers slow and fast in turn.
fn ack_traffic(ports: &[Port], seed: u64) -> impl Drive {
    let names = Names(ports.to_vec());
    let mut stimulus = Stimulus::new(seed);
    let peers: Vec<Peer> = (0..256).map(|_| Peer::any(&mut stimulus)).collect();
    let mut acks = Offer::new("ack");
    move |clock: u64, outputs: &[u64], inputs: &mut [u64]| {
        if clock == 0 {
            names.registers(inputs);
        }
        contexts(&names, &mut stimulus, &peers, clock, inputs);
        while acks.items.len() < 2 {
            let (qp, stale) = (stimulus.uniform(8) as u8, stimulus.chance(0.1));
            let kind = match stimulus.below(6) {
                0 => AckKind::Echo,
                1 => AckKind::ProbeResponse,
                2 => AckKind::Probe,
                _ => AckKind::Acknowledgement,
            };
            let hops = stimulus.below(6) as usize;
            let peer = &peers[usize::from(qp)];
            let word = match stimulus.chance(0.2) {
                true => notification(&mut stimulus, &registers(), (qp, peer), stale).0,
                false => acknowledgement(&mut stimulus, &registers(), (qp, peer), (kind, hops), stale).0,
            };
            acks.items.push_back(word);
        }
        let offers = stimulus.chance(0.9);
        acks.drive(&names, outputs, inputs, clock > 256 && offers);
        let slow = clock / 3000 % 2 == 1;
        names.put(inputs, "frame_ready", stimulus.chance(if slow { 0.2 } else { 0.95 }));
    }
}

#[test]
fn ack_builder() {
    Lockstep::new("ack_builder", Box::<AckBuilder>::default, ack_traffic)
        .clocks(40_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}
