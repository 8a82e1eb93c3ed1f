//! A NIC under test and a peer made of hand-written packets.

mod law;
mod sent;

pub use law::{Recorder, Told, Watched};
pub use sent::{psns, Sent};

use hpcc_models::cc::{CcEvent, CongestionControl};
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use std::cell::RefCell;
use std::net::Ipv4Addr;
use std::rc::Rc;

pub const MTU: usize = 256;
pub const QPN: u32 = 0x22;
pub const PEER_QPN: u32 = 0x11;
pub const KEY: u32 = 0xdead_beef;
pub const BASE: u64 = 0x7f00_1122_3000;
pub const LEN: usize = 1 << 16;
pub const OUR_IP: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 11);
pub const PEER_IP: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 10);
pub const OUR_MAC: MacAddr = MacAddr([2, 0, 0, 0, 0, 11]);
pub const PEER_MAC: MacAddr = MacAddr([2, 0, 0, 0, 0, 10]);

pub struct Bench {
    pub nic: Nic<BlockMemory>,
    pub now: u64,
    pub int: bool,
    pub events: Rc<RefCell<Vec<CcEvent>>>,
}

pub fn nic_config() -> NicConfig {
    NicConfig {
        mac: OUR_MAC,
        ip: OUR_IP,
        mtu: MTU as u32,
        neighbours: [(PEER_IP, PEER_MAC)].into(),
        retry_timeout_ns: 100_000,
        ..NicConfig::default()
    }
}

pub fn qp_config(first_psn: u32, int: bool) -> QpConfig {
    QpConfig {
        send_psn: first_psn,
        expected_psn: first_psn,
        int,
        mtu: MTU as u32,
        ..QpConfig::new(QPN, PEER_QPN, PEER_IP)
    }
}

/// Byte `i` of the memory at the start.
pub fn pattern(i: usize) -> u8 {
    (i * 7 + i / 256) as u8
}

/// A NIC whose peers may read and write `LEN` bytes of the pattern.
pub fn nic_with_memory(config: NicConfig, law: Option<Box<dyn CongestionControl>>) -> Nic<BlockMemory> {
    let mut memory = BlockMemory::default();
    memory.add(BASE, (0..LEN).map(pattern).collect());
    let mut nic = Nic::new(config, memory, law);
    nic.add_region(Region {
        key: KEY,
        address: BASE,
        length: LEN as u64,
        remote_write: true,
        remote_read: true,
    });
    nic
}

impl Bench {
    pub fn new(first_psn: u32, int: bool) -> Self {
        Self::with(nic_config(), first_psn, int)
    }

    pub fn with(config: NicConfig, first_psn: u32, int: bool) -> Self {
        Self::with_peer(config, qp_config(first_psn, int))
    }

    pub fn with_peer(config: NicConfig, qp: QpConfig) -> Self {
        let int = qp.int;
        let recorder = Recorder {
            window: config.window,
            rate: config.initial_rate_bps(),
            ..Recorder::default()
        };
        let events = recorder.events.clone();
        let mut nic = nic_with_memory(config, Some(Box::new(recorder)));
        nic.create_qp(qp).unwrap();
        Self {
            nic,
            now: 0,
            int,
            events,
        }
    }

    /// A packet of the peer as bytes.
    pub fn peer_frame(&self, bth: BthRepr, extension: Extension, payload: &[u8], int: &[u8]) -> Vec<u8> {
        let ports = Ports::default();
        let dst_port = ports.number(bth.opcode.port_role(self.int).unwrap_or(PortRole::Roce));
        RocePacket {
            ethernet: EthernetRepr::ipv4(PEER_MAC, OUR_MAC),
            ipv4: Ipv4Repr::udp(PEER_IP, OUR_IP),
            udp: UdpRepr::ports(0xc123, dst_port),
            int: if dst_port == ports.roce { &[] } else { int },
            bth,
            extension,
            payload,
        }
        .to_frame()
    }

    pub fn receive(&mut self, bth: BthRepr, extension: Extension, payload: &[u8]) {
        let frame = self.peer_frame(bth, extension, payload, &INT_EMPTY);
        self.nic.receive(self.now, &frame);
    }

    pub fn receive_with_int(&mut self, bth: BthRepr, extension: Extension, payload: &[u8], int: &[u8]) {
        let frame = self.peer_frame(bth, extension, payload, int);
        self.nic.receive(self.now, &frame);
    }

    /// A WRITE packet without acknowledge request; `total` is the length in its header.
    pub fn write(&mut self, position: Position, psn: u32, offset: u64, total: u32, payload: &[u8]) {
        self.write_to(QPN, (position, psn), (offset, total), payload, &INT_EMPTY);
    }

    /// Packet `psn` of a WRITE of `total` bytes that begins with PSN 0, without its end, to a queue pair, with INT.
    pub fn collecting_write(&mut self, qpn: u32, psn: u32, total: u32, int: &[u8]) {
        let position = if psn == 0 { Position::First } else { Position::Middle };
        self.write_to(qpn, (position, psn), (0, total), &[7; MTU], int);
    }

    fn write_to(
        &mut self,
        qpn: u32,
        (position, psn): (Position, u32),
        (offset, total): (u64, u32),
        payload: &[u8],
        int: &[u8],
    ) {
        let reth = RethRepr {
            address: BASE + offset,
            key: KEY,
            length: total,
        };
        let extension = if position.is_start() {
            Extension::Reth(reth)
        } else {
            Extension::None
        };
        self.receive_with_int(BthRepr::new(Opcode::Write(position), qpn, psn), extension, payload, int);
    }

    pub fn read_request(&mut self, psn: u32, offset: u64, length: u32) {
        let reth = RethRepr {
            address: BASE + offset,
            key: KEY,
            length,
        };
        let bth = BthRepr {
            ack_req: true,
            ..BthRepr::new(Opcode::ReadRequest, QPN, psn)
        };
        self.receive(bth, Extension::Reth(reth), &[]);
    }

    pub fn ack(&mut self, psn: u32) {
        self.aeth(psn, SYNDROME_ACK);
    }

    pub fn nak(&mut self, psn: u32, code: NakCode) {
        self.aeth(psn, Syndrome::Nak(code).emit());
    }

    pub fn aeth(&mut self, psn: u32, syndrome: u8) {
        let aeth = AethRepr {
            syndrome: Syndrome::parse(syndrome),
            msn: 0,
        };
        self.receive(BthRepr::new(Opcode::Acknowledge, QPN, psn), Extension::Aeth(aeth), &[]);
    }

    pub fn read_response(&mut self, position: Position, psn: u32, payload: &[u8]) {
        let aeth = AethRepr {
            syndrome: Syndrome::Ack(31),
            msn: 1,
        };
        let extension = if position == Position::Middle {
            Extension::None
        } else {
            Extension::Aeth(aeth)
        };
        self.receive(
            BthRepr::new(Opcode::ReadResponse(position), QPN, psn),
            extension,
            payload,
        );
    }

    pub fn post(&mut self, id: u64, operation: Operation, offset: u64, length: u64) {
        self.post_on(QPN, id, operation, offset, length);
    }

    pub fn post_on(&mut self, qpn: u32, id: u64, operation: Operation, offset: u64, length: u64) {
        let work = WorkRequest {
            id,
            qpn,
            operation,
            local_address: BASE + offset,
            local_key: KEY,
            remote_address: 0x1000_0000,
            remote_key: 0x1234,
            length,
        };
        self.nic.post(self.now, work).unwrap();
    }

    /// Everything the NIC sends up to and including `until`.
    pub fn run_until(&mut self, until: u64) -> Vec<Sent> {
        let mut out = Vec::new();
        loop {
            for frame in self.nic.poll(self.now) {
                let packet = RocePacket::parse(&frame, &Ports::default()).unwrap_or_else(|e| panic!("sent: {e}"));
                assert_eq!((packet.ethernet.dst, packet.ethernet.src), (PEER_MAC, OUR_MAC));
                assert_eq!((packet.ipv4.src, packet.ipv4.dst), (OUR_IP, PEER_IP));
                assert_eq!((packet.bth.dest_qp, packet.udp.checksum), (PEER_QPN, 0));
                // MigReq is set on everything but a notification
                assert_eq!(packet.bth.migrated, packet.bth.opcode != Opcode::Cnp);
                out.push(Sent {
                    opcode: packet.bth.opcode,
                    psn: packet.bth.psn,
                    ack_req: packet.bth.ack_req,
                    port: packet.udp.dst_port,
                    int: packet.int.to_vec(),
                    extension: packet.extension,
                    payload: packet.payload.to_vec(),
                });
            }
            match self.nic.next_deadline() {
                Some(next) if next <= until => self.now = self.now.max(next),
                _ => break,
            }
        }
        self.now = until;
        out
    }

    /// Everything the NIC sends in the next 20 us, which is below the retransmission timeout.
    pub fn run(&mut self) -> Vec<Sent> {
        self.run_until(self.now + 20_000)
    }

    pub fn memory(&self) -> &[u8] {
        self.nic.memory().block(BASE).unwrap()
    }

    pub fn count(&self, counter: Counter) -> u64 {
        self.nic.counters().get(counter)
    }

    /// Completions since the last call: id and status.
    pub fn done(&mut self) -> Vec<(u64, Status)> {
        self.nic.take_completions().iter().map(|c| (c.work, c.status)).collect()
    }
}
