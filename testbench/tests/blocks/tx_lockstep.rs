//! The Verilog of the frame builder and of the arbiter in lockstep with their RustHDL descriptions.

use hpcc_models::nic::{NicConfig, ProbeConfig};
use hpcc_rtl::prim::uint::Limbs;
use hpcc_rtl::sim::{Port, Ports, Stimulus};
use hpcc_rtl::tx::append::IcrcAppend;
use hpcc_rtl::tx::frame_bytes::FrameBytes;
use hpcc_rtl::tx::header::TxHeader;
use hpcc_rtl::tx::stimulus::{acknowledgement, beats, notification, packet, registers, settings, Peer, OPCODES};
use hpcc_rtl::tx::{FrameArbiter, FrameBuilder};
use hpcc_rtl::words::transport::{AckKind, AckSend};
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
fn builder_on_noise() {
    agrees::<FrameBuilder>("frame_builder");
}

/// The ports of the builder by name.
struct Names(Vec<Port>);

impl Names {
    fn limb(&self, input: bool, name: &str) -> usize {
        let port = self.0.iter().find(|port| port.input == input && port.name == name);
        port.unwrap_or_else(|| panic!("no port {name}")).limb
    }
    fn put<T: Limbs>(&self, inputs: &mut [u64], name: &str, value: T) {
        value.to_limbs(&mut inputs[self.limb(true, name)..]);
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

/// An acknowledgement or the like.
fn any_ack(stimulus: &mut Stimulus, peers: &[Peer]) -> AckSend {
    let (qp, stale) = (stimulus.uniform(8) as u8, stimulus.chance(0.1));
    let kind = match stimulus.below(6) {
        0 => AckKind::Echo,
        1 => AckKind::ProbeResponse,
        2 => AckKind::Probe,
        _ => AckKind::Acknowledgement,
    };
    let hops = stimulus.below(6) as usize;
    let peer = &peers[usize::from(qp)];
    match stimulus.chance(0.2) {
        true => notification(stimulus, &registers(), (qp, peer), stale).0,
        false => acknowledgement(stimulus, &registers(), (qp, peer), (kind, hops), stale).0,
    }
}

/// Packets with their payloads, and acknowledgements with this chance a clock; receivers slow and fast in turn.
fn traffic(ports: &[Port], seed: u64, [of_data, of_acks]: [f64; 2]) -> impl Drive {
    let names = Names(ports.to_vec());
    let mut stimulus = Stimulus::new(seed);
    let peers: Vec<Peer> = (0..256).map(|_| Peer::any(&mut stimulus)).collect();
    let (mut packets, mut payloads) = (Offer::new("packet"), Offer::new("payload"));
    let mut acks = Offer::new("ack");
    // every code point is another one, as it is with probes
    let registers_of_half = [false, true].map(|echo_icrc_full| {
        settings(&NicConfig {
            echo_icrc_full,
            probes: Some(ProbeConfig::every(10_000)),
            ..registers()
        })
    });
    move |clock: u64, outputs: &[u64], inputs: &mut [u64]| {
        // in half of the run the ICRC covers INT that is echoed
        names.put(inputs, "settings", registers_of_half[usize::from(clock > 20_000)]);
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
        while acks.items.len() < 2 {
            acks.items.push_back(any_ack(&mut stimulus, &peers));
        }
        let (offers, feeds) = (stimulus.chance(of_data), stimulus.chance(0.9));
        let acknowledges = stimulus.chance(of_acks);
        packets.drive(&names, outputs, inputs, clock > 256 && offers);
        payloads.drive(&names, outputs, inputs, clock > 256 && feeds);
        acks.drive(&names, outputs, inputs, clock > 256 && acknowledges);
        let slow = clock / 3000 % 2 == 1;
        names.put(inputs, "frame_ready", stimulus.chance(if slow { 0.3 } else { 0.95 }));
        names.put(
            inputs,
            "ack_frame_ready",
            stimulus.chance(if slow { 0.2 } else { 0.95 }),
        );
    }
}

#[test]
fn frame_builder() {
    for offers in [[0.9, 0.0], [0.0, 0.9], [0.9, 0.9], [0.9, 0.2]] {
        Lockstep::new(
            "frame_builder",
            Box::<FrameBuilder>::default,
            move |ports: &[Port], seed| traffic(ports, seed, offers),
        )
        .clocks(40_000)
        .run()
        .unwrap_or_else(|error| panic!("{offers:?}: {error}"));
    }
}
