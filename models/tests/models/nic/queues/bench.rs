//! A host with queues in its memory, as small as it can be: it writes entries, rings doorbells, and reads completions and events by their phase.

use hpcc_models::nic::queues::*;
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use std::net::Ipv4Addr;

pub const IPS: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 0, 0, 10), Ipv4Addr::new(10, 0, 0, 11)];
pub const MACS: [MacAddr; 2] = [MacAddr([2, 0, 0, 0, 0, 10]), MacAddr([2, 0, 0, 0, 0, 11])];
/// Place 2 with a tag, place 3 with another one.
pub const QPNS: [u32; 2] = [0x11_0002, 0x22_0003];
pub const DOMAIN: u16 = 5;
pub const PAGE: u32 = 3;
/// Completion queues of the send and of the receive queue.
pub const CQS: [u16; 2] = [7, 9];
/// Event queue.
pub const EQ: u8 = 1;
/// Entries of the send and receive queues.
pub const WORK_RING: u32 = 64;
pub const CQ_RING: u32 = 64;

/// Where rings and data lie. Addresses of data as programs and the wire count them begin at `WIRE`.
const SEND_RING: u64 = 0x10_0000;
const RECEIVE_RING: u64 = 0x20_0000;
const CQ_RINGS: [u64; 2] = [0x30_0000, 0x31_0000];
const EQ_RING: u64 = 0x40_0000;
pub const DATA: u64 = 0x100_0000;
pub const WIRE: u64 = 0x7f00_0000_0000;
pub const DATA_LEN: u64 = 1 << 20;
pub const KEY: u32 = 0x0001_02a5;

pub struct Host {
    pub side: usize,
    pub nic: Nic<BlockMemory>,
    pub qpn: u32,
    send: u64,
    receive: u64,
    cq: [u64; 2],
    eq: u64,
}

pub fn config(side: usize) -> NicConfig {
    NicConfig {
        mac: MACS[side],
        ip: IPS[side],
        neighbours: [(IPS[1 - side], MACS[1 - side])].into(),
        ..NicConfig::default()
    }
}

pub fn data_byte(side: usize, at: u64) -> u8 {
    let x = (at as u32).wrapping_mul(0x9e37_79b1) ^ (side as u32 * 0x0055_1234);
    (x >> 24) as u8
}

/// Attributes that bring a queue pair from INIT to RTR and from there to RTS.
pub fn to_rtr(side: usize) -> Attributes {
    Attributes {
        path: Some(Path::plain(IPS[1 - side])),
        mtu: Some(1024),
        remote_qpn: Some(QPNS[1 - side]),
        expected_psn: Some(0x100 * (2 - side as u32)),
        responder_reads: Some(4),
        rnr_timer: Some(1),
        ..Attributes::default()
    }
}

pub fn to_rts(side: usize) -> Attributes {
    Attributes {
        timeout: Some(4),
        retry_limit: Some(7),
        rnr_retry: Some(7),
        send_psn: Some(0x100 * (1 + side as u32)),
        max_rd_atomic: Some(4),
        ..Attributes::default()
    }
}

impl Host {
    /// A host with its event queue, completion queues, one region, and a queue pair in RESET.
    pub fn new(side: usize) -> Self {
        Self::with(side, config(side))
    }

    pub fn with(side: usize, config: NicConfig) -> Self {
        let mut memory = BlockMemory::default();
        memory.add(SEND_RING, vec![0; WORK_RING as usize * SEND_ENTRY_LEN]);
        memory.add(RECEIVE_RING, vec![0; WORK_RING as usize * RECEIVE_ENTRY_LEN]);
        for ring in CQ_RINGS {
            memory.add(ring, vec![0; CQ_RING as usize * COMPLETION_ENTRY_LEN]);
        }
        memory.add(EQ_RING, vec![0; 16 * EVENT_ENTRY_LEN]);
        memory.add(DATA, (0..DATA_LEN).map(|at| data_byte(side, at)).collect());
        let mut host = Self {
            side,
            nic: Nic::new(config, memory, None),
            qpn: QPNS[side],
            send: 0,
            receive: 0,
            cq: [0; 2],
            eq: 0,
        };
        host.done(Command::CreateEq(CreateEq {
            number: EQ,
            ring: Ring {
                address: EQ_RING,
                entries: 16,
            },
        }));
        for (number, address) in CQS.into_iter().zip(CQ_RINGS) {
            host.done(Command::CreateCq(CreateCq {
                number,
                page: PAGE,
                ring: Ring {
                    address,
                    entries: CQ_RING,
                },
                events: EQ,
            }));
        }
        host.done(Command::CreateRegion(region()));
        host.done(Command::CreateQp(host.create_qp()));
        host
    }

    pub fn create_qp(&self) -> CreateQp {
        CreateQp {
            number: self.qpn,
            domain: DOMAIN,
            page: PAGE,
            send: Ring {
                address: SEND_RING,
                entries: WORK_RING,
            },
            receive: Ring {
                address: RECEIVE_RING,
                entries: WORK_RING,
            },
            send_cq: CQS[0],
            receive_cq: CQS[1],
            events: EQ,
        }
    }

    /// The same in RTS.
    pub fn ready(side: usize) -> Self {
        Self::new(side).moved_to(State::ReadyToSend, to_rtr(side), to_rts(side))
    }

    /// Brings a queue pair in RESET to INIT, RTR or RTS.
    pub fn moved_to(mut self, state: State, rtr: Attributes, rts: Attributes) -> Self {
        let rights = Attributes {
            rights: Some(QpRights::ALL),
            ..Attributes::default()
        };
        let moves = [
            (State::Init, rights),
            (State::ReadyToReceive, rtr),
            (State::ReadyToSend, rts),
        ];
        for (to, set) in moves {
            self.done(self.modify(to, set));
            if to == state {
                break;
            }
        }
        // a queue pair in RESET has its indices at 0
        (self.send, self.receive) = (0, 0);
        self
    }

    pub fn modify(&self, to: State, set: Attributes) -> Command {
        Command::ModifyQp {
            number: self.qpn,
            to,
            set,
        }
    }

    pub fn command(&mut self, now: u64, command: Command) -> Result<Reply, Code> {
        QueueNic::command(&mut self.nic, now, &command)
    }

    /// Carries out a command that cannot be refused.
    pub fn done(&mut self, command: Command) {
        assert_eq!(self.command(0, command), Ok(Reply::Done), "{command:?}");
    }

    pub fn move_to(&mut self, now: u64, to: State) {
        let command = self.modify(to, Attributes::default());
        assert_eq!(self.command(now, command), Ok(Reply::Done));
    }

    pub fn query(&mut self) -> QpInfo {
        let number = self.qpn;
        match self.command(0, Command::QueryQp { number }) {
            Ok(Reply::Qp(info)) => info,
            other => panic!("{other:?}"),
        }
    }

    pub fn bell(&mut self, now: u64, kind: DoorbellKind, number: u16, index: u64) {
        let word = Doorbell {
            number,
            index: index as u16,
        };
        let page = if kind == DoorbellKind::EventConsumer { 0 } else { PAGE };
        self.nic.doorbell(now, page, kind.code().into(), word.encode());
    }

    fn place(&self) -> u16 {
        (self.qpn & 0x7ff) as u16
    }

    /// Writes a slot of the send queue without a word to the NIC.
    pub fn write_send_slot(&mut self, index: u64, slot: &[u8; SEND_ENTRY_LEN]) {
        let at = SEND_RING + index * SEND_ENTRY_LEN as u64;
        self.nic.memory_mut().write(at, slot).unwrap();
    }

    /// Writes work requests and rings the doorbell once.
    pub fn post(&mut self, now: u64, entries: &[SendEntry]) {
        for slot in entries.iter().flat_map(SendEntry::encode) {
            let at = SEND_RING + self.send % u64::from(WORK_RING) * SEND_ENTRY_LEN as u64;
            self.nic.memory_mut().write(at, &slot).unwrap();
            self.send += 1;
        }
        self.bell(now, DoorbellKind::SendQueue, self.place(), self.send);
    }

    /// Writes receives and rings the doorbell once.
    pub fn receive(&mut self, now: u64, entries: &[ReceiveEntry]) {
        for slot in entries.iter().flat_map(ReceiveEntry::encode) {
            let at = RECEIVE_RING + self.receive % u64::from(WORK_RING) * RECEIVE_ENTRY_LEN as u64;
            self.nic.memory_mut().write(at, &slot).unwrap();
            self.receive += 1;
        }
        self.bell(now, DoorbellKind::ReceiveQueue, self.place(), self.receive);
    }

    /// A receive of `length` bytes at `at` in the data.
    pub fn receive_at(&mut self, now: u64, work: u64, at: u64, length: u32) {
        let segments = vec![piece(at, length)];
        self.receive(now, &[ReceiveEntry { work, segments }]);
    }

    /// New completions of a queue, taken but not acknowledged.
    pub fn look(&mut self, queue: usize) -> Vec<CompletionEntry> {
        let mut found = Vec::new();
        loop {
            let at = self.cq[queue];
            let mut bytes = [0; COMPLETION_ENTRY_LEN];
            let address = CQ_RINGS[queue] + at % u64::from(CQ_RING) * COMPLETION_ENTRY_LEN as u64;
            self.nic.memory_mut().read(address, &mut bytes).unwrap();
            match CompletionEntry::decode(&bytes) {
                Some((entry, phase)) if phase == (at / u64::from(CQ_RING)).is_multiple_of(2) => found.push(entry),
                _ => return found,
            }
            self.cq[queue] += 1;
        }
    }

    /// New completions of a queue, acknowledged.
    pub fn poll(&mut self, now: u64, queue: usize) -> Vec<CompletionEntry> {
        let found = self.look(queue);
        self.bell(now, DoorbellKind::CompletionConsumer, CQS[queue], self.cq[queue]);
        found
    }

    /// Numbers and statuses of new completions.
    pub fn statuses(&mut self, now: u64, queue: usize) -> Vec<(u64, Status)> {
        let found = self.poll(now, queue);
        found.iter().map(|entry| (entry.work, entry.status)).collect()
    }

    pub fn arm(&mut self, now: u64, queue: usize, solicited: bool) {
        let kind = if solicited {
            DoorbellKind::ArmSolicited
        } else {
            DoorbellKind::Arm
        };
        self.bell(now, kind, CQS[queue], self.cq[queue]);
    }

    /// New events, taken but not acknowledged.
    pub fn look_events(&mut self) -> Vec<EventEntry> {
        let mut found = Vec::new();
        loop {
            let mut bytes = [0; EVENT_ENTRY_LEN];
            let address = EQ_RING + self.eq % 16 * EVENT_ENTRY_LEN as u64;
            self.nic.memory_mut().read(address, &mut bytes).unwrap();
            match EventEntry::decode(&bytes) {
                Some((entry, phase)) if phase == (self.eq / 16).is_multiple_of(2) => found.push(entry),
                _ => return found,
            }
            self.eq += 1;
        }
    }

    /// New events, acknowledged, and the queue armed for the next.
    pub fn events(&mut self, now: u64) -> Vec<EventEntry> {
        let found = self.look_events();
        self.bell(now, DoorbellKind::EventConsumer, EQ.into(), self.eq);
        found
    }

    /// Kinds of new events of the queue pair.
    pub fn pair_events(&mut self, now: u64) -> Vec<EventKind> {
        let qpn = self.qpn;
        let of_pair = |event: &EventEntry| !event.kind.of_completion_queue() && event.number == qpn;
        let events = self.events(now).into_iter().filter(of_pair);
        events.map(|event| event.kind).collect()
    }

    pub fn data(&self, at: u64, length: u64) -> &[u8] {
        &self.nic.memory().block(DATA).unwrap()[at as usize..(at + length) as usize]
    }

    pub fn set_data(&mut self, at: u64, bytes: &[u8]) {
        self.nic.memory_mut().write(DATA + at, bytes).unwrap();
    }
}

pub fn region() -> MemoryRegion {
    MemoryRegion {
        key: KEY,
        domain: DOMAIN,
        address: WIRE,
        length: DATA_LEN,
        offset: DATA.wrapping_sub(WIRE),
        rights: Rights::ALL,
    }
}

pub fn piece(at: u64, length: u32) -> Segment {
    Segment {
        address: WIRE + at,
        length,
        key: KEY,
    }
}

/// A signalled work request of `length` bytes from `at` on here, to or from the same place of the peer and 512 KiB more.
pub fn work(work: u64, opcode: SendOpcode, at: u64, length: u32) -> SendEntry {
    SendEntry {
        work,
        opcode,
        flags: SEND_SIGNALED,
        remote_address: WIRE + DATA_LEN / 2 + at,
        remote_key: KEY,
        immediate: [0; 4],
        data: Data::Segments(vec![piece(at, length)]),
        operands: [0; 2],
    }
}
