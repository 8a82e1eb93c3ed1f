//! A peer made by hand: its packets, a script of what happens to one NIC, and the same script on the model and on the RTL.

use hpcc_models::nic::queues::MemoryRegion;
use hpcc_models::nic::{Counter, NicConfig, Operation, QpConfig, Region, Status, WorkRequest};
use hpcc_models::wire::*;
use hpcc_testbench::config::{pattern_byte, Limits, MemoryBlock, NicSetup};
use hpcc_testbench::nic::{Device, ModelNic, RtlNic};
use hpcc_testbench::verilated::Model;
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

pub const OWN: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 10);
pub const PEER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 11);
pub const OWN_MAC: MacAddr = MacAddr([2, 0, 0, 0, 0, 10]);
pub const PEER_MAC: MacAddr = MacAddr([2, 0, 0, 0, 0, 11]);
/// Queue pairs of the NIC; the odd ones collect INT.
pub const QPS: usize = 24;
/// Added to a queue pair's number at the peer.
pub const REMOTE: u32 = 0x700;
/// First PSN of both directions: a few packets in front of the wrap.
pub const FIRST: u32 = 0xff_fffc;
/// Regions: the peer may write, read, do both.
pub const WRITE_KEY: u32 = 0x1d0;
pub const READ_KEY: u32 = 0x50;
pub const BOTH_KEY: u32 = 0x2b0;
pub const WRITE_AT: u64 = 0x20_0005;
pub const READ_AT: u64 = 0x10_0003;
pub const BOTH_AT: u64 = 0x30_0000;
pub const LENGTH: u64 = 12_000;
/// A region behind whose first bytes there is no memory: the bus answers with an error.
pub const HOLE_KEY: u32 = 0x340;
pub const HOLE_AT: u64 = 0x40_0000;
pub const HOLE_MEMORY: u64 = 512;
/// Bytes behind a region that nobody may touch.
const GUARD: u64 = 200;
/// Longest time that a NIC is busy with one input, ns.
pub const PACE_NS: u64 = 3000;

/// Counters that the model and the RTL keep differently: see the book.
const MAY_DIFFER: &[&str] = &["retransmitted"];
/// More of it for a burst.
const BURST_NS: u64 = 20_000;

/// Number of a queue pair.
pub fn qpn(qp: usize) -> u32 {
    2 + qp as u32
}

/// It collects INT.
pub fn is_int(qp: usize) -> bool {
    qp % 2 == 1
}

/// Its path MTU.
pub fn mtu(qp: usize) -> u64 {
    [256, 256, 1024, 1024][qp % 4]
}

/// The NIC.
pub fn setup() -> NicSetup {
    let nic = NicConfig {
        mac: OWN_MAC,
        ip: OWN,
        // Never within a script, unless it says otherwise.
        retry_timeout_ns: 60_000_000,
        neighbours: [(PEER, PEER_MAC)].into(),
        ..NicConfig::default()
    };
    let qps = (0..QPS).map(|qp| QpConfig {
        send_psn: FIRST,
        expected_psn: FIRST,
        int: is_int(qp),
        mtu: mtu(qp) as u32,
        ..QpConfig::new(qpn(qp), REMOTE + qpn(qp), PEER)
    });
    let block = |key, address, remote_write, remote_read, memory: u64| MemoryBlock {
        region: Region {
            key,
            address,
            length: LENGTH,
            remote_write,
            remote_read,
        }
        .into(),
        bytes: (0..memory).map(|i| pattern_byte(i ^ address)).collect(),
    };
    NicSetup {
        nic,
        base_rtt_ns: 13_000,
        hpcc: None,
        dcqcn: None,
        power: None,
        queues: Default::default(),
        qps: qps.collect(),
        memory: vec![
            block(READ_KEY, READ_AT, false, true, LENGTH + GUARD),
            block(WRITE_KEY, WRITE_AT, true, false, LENGTH + GUARD),
            block(BOTH_KEY, BOTH_AT, true, true, LENGTH + GUARD),
            block(HOLE_KEY, HOLE_AT, true, true, HOLE_MEMORY),
        ],
        work: Vec::new(),
        limits: Limits::default(),
    }
}

/// Byte that memory holds at the start.
pub fn at_first(block: u64, offset: u64) -> u8 {
    pattern_byte(offset ^ block)
}

/// What happens to the NIC; after each it has [`PACE_NS`].
#[derive(Clone, Debug)]
pub enum Input {
    Frame(Vec<u8>),
    /// Back to back.
    Burst(Vec<Vec<u8>>),
    Work(WorkRequest),
    /// Time passes, ns.
    Wait(u64),
    /// Pause from the MAC.
    Pause(u8),
    /// The host writes a region.
    Region(MemoryRegion),
    /// The host removes the region of a key.
    Remove(u32),
}

/// What came of a script. Queue pairs are named by their number at the peer.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    /// Frames sent, and the input after which they were.
    pub sent: BTreeMap<u32, Vec<(usize, Vec<u8>)>>,
    /// Completions per queue pair.
    pub completions: BTreeMap<u32, Vec<(u64, Operation, Status, u64)>>,
    /// Memory, block by block in the order of their keys in [`setup`].
    pub memory: Vec<Vec<u8>>,
    /// Counters.
    pub counters: BTreeMap<&'static str, u64>,
}

/// One NIC plays a script.
pub fn play<D: Device>(setup: &NicSetup, script: &[Input]) -> Outcome {
    let mut device = D::create(setup).unwrap();
    let mut outcome = Outcome::default();
    let mut now = device.now_ns() + 5000;
    device.advance(now).unwrap();
    for (at, input) in script.iter().enumerate() {
        match input {
            Input::Frame(frame) => device.offer(now, frame.clone()),
            Input::Burst(frames) => {
                frames.iter().for_each(|frame| device.offer(now, frame.clone()));
                now += BURST_NS;
            }
            Input::Work(work) => device.post(*work),
            Input::Wait(time) => now += time,
            Input::Pause(priorities) => device.set_pause(*priorities),
            Input::Region(region) => device.write_region(region).unwrap(),
            Input::Remove(key) => device.remove_region(*key).unwrap(),
        }
        now += PACE_NS;
        device.advance(now).unwrap();
        if at + 1 == script.len() {
            device.advance(now + 5 * PACE_NS).unwrap();
        }
        for frame in device.take_sent() {
            let mut packet = RocePacket::parse(&frame.bytes, &Ports::default());
            if setup.nic.echo_icrc_full {
                packet = packet.or_else(|_| RocePacket::parse_with_int_covered(&frame.bytes, &Ports::default()));
            }
            let packet = packet.unwrap();
            let list = outcome.sent.entry(packet.bth.dest_qp).or_default();
            list.push((at, frame.bytes));
        }
    }
    for done in device.take_completions() {
        let list = outcome.completions.entry(done.qpn).or_default();
        list.push((done.work, done.operation, done.status, done.bytes));
    }
    let blocks = setup.memory.iter().map(|block| block.place());
    outcome.memory = blocks.map(|at| device.memory(at).unwrap().to_vec()).collect();
    outcome.counters = device.counters().unwrap().into_iter().collect();
    outcome
}

/// What the model and the RTL make of a script in which timers expire, which they do at different times.
pub fn both(setup: &NicSetup, script: &[Input]) -> (Outcome, Outcome) {
    (play::<ModelNic>(setup, script), play::<RtlNic<Model>>(setup, script))
}

/// What the RTL makes of a script, once the model has been found to do the same: frames byte for byte per queue pair, after which
/// input each left, completions, memory, counters.
pub fn agreed(name: &str, setup: &NicSetup, script: &[Input]) -> Outcome {
    agreed_but(name, setup, script, &[])
}

/// The same, some counters apart.
pub fn agreed_but(name: &str, setup: &NicSetup, script: &[Input], but: &[&str]) -> Outcome {
    let model = play::<ModelNic>(setup, script);
    let rtl = play::<RtlNic<Model>>(setup, script);
    let none = Vec::new();
    let peers: std::collections::BTreeSet<&u32> = model.sent.keys().chain(rtl.sent.keys()).collect();
    for peer in peers {
        let [a, b] = [&model, &rtl].map(|side| side.sent.get(peer).unwrap_or(&none));
        for i in 0..a.len().max(b.len()) {
            assert!(
                a.get(i) == b.get(i),
                "{name}: queue pair {}, frame {i}\nmodel: {}\n  rtl: {}",
                peer.wrapping_sub(REMOTE),
                describe(a.get(i)),
                describe(b.get(i))
            );
        }
    }
    assert_eq!(model.completions, rtl.completions, "{name}");
    for ((model, rtl), block) in model.memory.iter().zip(&rtl.memory).zip(&setup.memory) {
        let wrong = model.iter().zip(rtl).position(|(a, b)| a != b);
        assert_eq!(wrong, None, "{name}: memory at 0x{:x}", block.region.address);
    }
    let compared = |name: &str| !MAY_DIFFER.contains(&name) && !but.contains(&name);
    for (counter, value) in model.counters.iter().filter(|(name, _)| compared(name)) {
        assert_eq!(rtl.counters.get(counter), Some(value), "{name}: counter {counter}");
    }
    rtl
}

fn describe(frame: Option<&(usize, Vec<u8>)>) -> String {
    let Some((at, frame)) = frame else {
        return "nothing".into();
    };
    format!("after input {at}: {} = {frame:02x?}", brief(frame))
}

/// Offset of a PSN from the first one.
fn plus(psn: u32) -> String {
    format!("{:+}", psn_diff(psn, FIRST))
}

/// A frame in few words: PSNs count from the first, lengths are payload.
pub fn brief(frame: &[u8]) -> String {
    let packet = RocePacket::parse(frame, &Ports::default()).unwrap();
    let psn = plus(packet.bth.psn);
    let len = packet.payload.len();
    let req = if packet.bth.ack_req { " req" } else { "" };
    match (packet.bth.opcode, packet.extension) {
        (Opcode::Acknowledge, Extension::Aeth(aeth)) => match aeth.syndrome.emit() {
            SYNDROME_ACK => format!("ack {psn} msn {}", aeth.msn),
            syndrome => format!("nak {syndrome:02x} {psn} msn {}", aeth.msn),
        },
        (Opcode::ReadResponse(position), Extension::Aeth(aeth)) => {
            format!("response {position:?} {psn} {len} msn {}", aeth.msn)
        }
        (Opcode::ReadResponse(position), _) => format!("response {position:?} {psn} {len}"),
        (Opcode::Write(position), _) => format!("write {position:?} {psn} {len}{req}"),
        (Opcode::ReadRequest, Extension::Reth(reth)) => {
            format!("read {psn} at {:x} {}{req}", reth.address, reth.length)
        }
        (Opcode::ReadEcho, _) => format!("echo {psn}"),
        (opcode, _) => format!("{opcode:?} {psn} {len}{req}"),
    }
}

impl Outcome {
    /// What was sent for a queue pair, in few words.
    pub fn brief(&self, qp: usize) -> Vec<String> {
        let list = self.sent.get(&(REMOTE + qpn(qp)));
        list.map_or(Vec::new(), |list| list.iter().map(|(_, frame)| brief(frame)).collect())
    }

    /// Payloads sent for a queue pair, one after the other.
    pub fn payload(&self, qp: usize) -> Vec<u8> {
        let list = self.sent.get(&(REMOTE + qpn(qp))).map_or(&[][..], Vec::as_slice);
        let payload = |frame: &[u8]| {
            let packet = RocePacket::parse(frame, &Ports::default()).unwrap();
            packet.payload.to_vec()
        };
        list.iter().flat_map(|(_, frame)| payload(frame)).collect()
    }

    /// How the work of a queue pair ended.
    pub fn statuses(&self, qp: usize) -> Vec<(u64, Status)> {
        let list = self.completions.get(&qpn(qp)).map_or(&[][..], Vec::as_slice);
        list.iter().map(|(id, _, status, _)| (*id, *status)).collect()
    }

    /// A counter.
    pub fn count(&self, counter: Counter) -> u64 {
        self.counters[counter.name()]
    }
}

/// INT of two idle hops of 100 Gb/s.
pub fn two_hops() -> Vec<u8> {
    let mut int = vec![0; INT_FIXED_LEN + 2 * INT_RECORD_LEN];
    int[0] = 0x20;
    for record in 0..2 {
        int[INT_FIXED_LEN + record * INT_RECORD_LEN] = 0x50;
    }
    int
}

/// A packet of the peer, changed before it is put together.
pub fn altered(
    qp: usize,
    opcode: Opcode,
    psn: u32,
    extension: Extension,
    payload: &[u8],
    alter: impl FnOnce(&mut RocePacket),
) -> Vec<u8> {
    let role = match (is_int(qp), opcode) {
        (false, _) => PortRole::Roce,
        (true, Opcode::Acknowledge) => PortRole::IntEcho,
        (true, _) => PortRole::IntCollect,
    };
    let int = if role.has_int() { two_hops() } else { Vec::new() };
    let mut packet = RocePacket {
        ethernet: EthernetRepr::ipv4(PEER_MAC, OWN_MAC),
        ipv4: Ipv4Repr {
            tos: 26 << 2,
            ..Ipv4Repr::udp(PEER, OWN)
        },
        udp: UdpRepr::ports(0xc000, Ports::default().number(role)),
        int: &int,
        bth: BthRepr::new(opcode, qpn(qp), FIRST.wrapping_add(psn)),
        extension,
        payload,
    };
    alter(&mut packet);
    packet.to_frame()
}

/// A packet of the peer.
pub fn packet(qp: usize, opcode: Opcode, psn: u32, ack_req: bool, extension: Extension, payload: &[u8]) -> Vec<u8> {
    altered(qp, opcode, psn, extension, payload, |packet| {
        packet.bth.ack_req = ack_req
    })
}

/// An RDMA header.
pub fn reth(key: u32, address: u64, length: u64) -> Extension {
    Extension::Reth(RethRepr {
        address,
        key,
        length: length as u32,
    })
}

/// A WRITE of one packet that asks for an acknowledgement.
pub fn write_only(qp: usize, psn: u32, key: u32, address: u64, payload: &[u8]) -> Vec<u8> {
    let header = reth(key, address, payload.len() as u64);
    packet(qp, Opcode::Write(Position::Only), psn, true, header, payload)
}

/// All packets of a WRITE, the last of which asks for an acknowledgement.
pub fn write(qp: usize, psn: u32, key: u32, address: u64, payload: &[u8]) -> Vec<Vec<u8>> {
    let chunks: Vec<&[u8]> = payload.chunks(mtu(qp) as usize).collect();
    let count = chunks.len() as u64;
    let one = |(i, chunk): (u64, &&[u8])| {
        let opcode = Opcode::Write(Position::of(i, count));
        let header = match opcode.has_reth() {
            true => reth(key, address, payload.len() as u64),
            false => Extension::None,
        };
        packet(qp, opcode, psn.wrapping_add(i as u32), i + 1 == count, header, chunk)
    };
    (0..).zip(&chunks).map(one).collect()
}

/// A READ request.
pub fn read(qp: usize, psn: u32, key: u32, address: u64, length: u64) -> Vec<u8> {
    packet(qp, Opcode::ReadRequest, psn, true, reth(key, address, length), &[])
}

/// An acknowledgement with this syndrome.
pub fn ack(qp: usize, psn: u32, syndrome: u8) -> Input {
    let aeth = AethRepr {
        syndrome: Syndrome::parse(syndrome),
        msn: 1,
    };
    Input::Frame(packet(qp, Opcode::Acknowledge, psn, false, Extension::Aeth(aeth), &[]))
}

/// A READ response packet at a position.
pub fn response(qp: usize, position: Position, psn: u32, payload: &[u8]) -> Input {
    let opcode = Opcode::ReadResponse(position);
    let aeth = Extension::Aeth(AethRepr {
        syndrome: Syndrome::parse(SYNDROME_ACK),
        msn: 2,
    });
    let extension = if opcode.has_aeth() { aeth } else { Extension::None };
    Input::Frame(packet(qp, opcode, psn, false, extension, payload))
}

/// Where work at the peer points.
pub const REMOTE_AT: u64 = 0x1234_5678_9abc;

/// Work of the NIC's own host: WRITE from the region that may be read, READ into the one that may be written.
pub fn work(id: u64, qp: usize, operation: Operation, offset: u64, length: u64) -> Input {
    let (base, key) = match operation {
        Operation::Read => (WRITE_AT, WRITE_KEY),
        _ => (READ_AT, READ_KEY),
    };
    Input::Work(WorkRequest {
        id,
        qpn: qpn(qp),
        operation,
        local_address: base + offset,
        local_key: key,
        remote_address: REMOTE_AT,
        remote_key: 0x77,
        length,
    })
}
