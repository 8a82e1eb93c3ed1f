//! The driver's commands: their words as the NIC reads them, refusals, and a whole life of two NICs with nothing but the driver.

use crate::abi::*;
use crate::command_abi::*;
use crate::commands::{CommandError, Commands, Registers};
use core::ffi::c_void;
use hpcc_models::nic::queues::{
    c_header, decode_command, Attribute, Body, Code, Command, CompletionOpcode, EventKind, GivenQueues, Operation,
    QueueNic, State, STATUS_DONE, STATUS_ERROR,
};
use hpcc_models::nic::registers::offset;
use hpcc_models::nic::{BlockMemory, BusError, Memory, Nic, NicConfig, Status};
use hpcc_models::wire::MacAddr;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::net::Ipv4Addr;

/// `hpcc_queues.h` is made from the types. With `HPCC_WRITE_DOCS` in the environment the test writes it.
#[test]
fn the_header_is_made_from_the_types() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/hpcc_queues.h");
    if std::env::var_os("HPCC_WRITE_DOCS").is_some() {
        std::fs::write(file, c_header()).unwrap();
    }
    let found = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        found == c_header(),
        "{file} differs: run this test with HPCC_WRITE_DOCS=1"
    );
}

/// Registers that read every command as the NIC does, and keep it.
#[derive(Default)]
struct Recorded {
    body: Body,
    given: Option<GivenQueues>,
    commands: Vec<Command>,
    silent: bool,
}

impl Registers for Recorded {
    fn read(&mut self, at: u32) -> u32 {
        match at as u16 {
            offset::STATUS if !self.silent => STATUS_DONE,
            _ => 0,
        }
    }

    fn write(&mut self, at: u32, value: u32) {
        match at as u16 {
            offset::STATUS => assert_eq!(value, STATUS_DONE | STATUS_ERROR),
            offset::COMMAND => match Operation::from_code(value as u8).unwrap() {
                Operation::GiveQueues => self.given = Some(GivenQueues::decode(&self.body)),
                operation => {
                    let command = decode_command(operation, value >> 8, &self.body, self.given);
                    self.commands.push(command.unwrap());
                }
            },
            at => self.body.0[usize::from(at - offset::BODY) / 4] = value,
        }
    }
}

/// The command that the NIC reads.
fn read(give: impl FnOnce(&mut Commands) -> Result<(), CommandError>) -> Command {
    let mut recorded = Recorded::default();
    give(&mut Commands::new(&mut recorded)).unwrap();
    assert_eq!(recorded.commands.len(), 1);
    recorded.commands[0]
}

#[test]
fn every_number_of_every_command_arrives() {
    use hpcc_models::nic::queues as nic;
    let mut rng = ChaCha8Rng::seed_from_u64(61);
    for _ in 0..500 {
        let r = &mut rng;
        let rights: u8 = r.random_range(0..32);
        let region = Region {
            address: r.random(),
            length: r.random(),
            offset: r.random(),
            key: r.random(),
            domain: r.random(),
            rights,
        };
        let as_read = nic::MemoryRegion {
            key: region.key,
            domain: region.domain,
            address: region.address,
            length: region.length,
            offset: region.offset,
            rights: nic::Rights {
                local_write: rights & 1 != 0,
                remote_write: rights & 2 != 0,
                remote_read: rights & 4 != 0,
                remote_atomic: rights & 8 != 0,
                invalidate: rights & 16 != 0,
            },
        };
        assert_eq!(read(|c| c.create_region(&region)), Command::CreateRegion(as_read));
        assert_eq!(read(|c| c.replace_region(&region)), Command::ReplaceRegion(as_read));
        let key = region.key;
        assert_eq!(read(|c| c.destroy_region(key)), Command::DestroyRegion { key });
        let mut place = || Place {
            address: r.random(),
            entries: r.random_range(0..=ENTRIES_MAX),
        };
        let (ring, second) = (place(), place());
        let as_ring = |place: Place| nic::Ring {
            address: place.address,
            entries: place.entries,
        };
        let eq = CreateEq {
            ring,
            number: r.random(),
        };
        let expected = nic::CreateEq {
            number: eq.number,
            ring: as_ring(ring),
        };
        assert_eq!(read(|c| c.create_eq(&eq)), Command::CreateEq(expected));
        assert_eq!(
            read(|c| c.destroy_eq(eq.number)),
            Command::DestroyEq { number: eq.number }
        );
        let cq = CreateCq {
            ring,
            page: r.random(),
            number: r.random(),
            events: r.random(),
        };
        let expected = nic::CreateCq {
            number: cq.number,
            page: cq.page,
            ring: as_ring(ring),
            events: cq.events,
        };
        assert_eq!(read(|c| c.create_cq(&cq)), Command::CreateCq(expected));
        assert_eq!(
            read(|c| c.destroy_cq(cq.number)),
            Command::DestroyCq { number: cq.number }
        );
        let qp = CreateQp {
            send: ring,
            receive: second,
            number: r.random_range(0..1 << 24),
            page: r.random(),
            domain: r.random(),
            send_cq: r.random(),
            receive_cq: r.random(),
            events: r.random(),
        };
        let expected = nic::CreateQp {
            number: qp.number,
            domain: qp.domain,
            page: qp.page,
            send: as_ring(ring),
            receive: as_ring(second),
            send_cq: qp.send_cq,
            receive_cq: qp.receive_cq,
            events: qp.events,
        };
        assert_eq!(read(|c| c.create_qp(&qp)), Command::CreateQp(expected));
        let number = qp.number;
        assert_eq!(read(|c| c.destroy_qp(number)), Command::DestroyQp { number });
        modification(r, number);
    }
}

/// A random move with random attributes.
fn modification(r: &mut ChaCha8Rng, number: u32) {
    use hpcc_models::nic::queues as nic;
    let set = Attributes {
        given: r.random_range(0..1 << Attribute::ALL.len()),
        remote_ip: r.random(),
        udp_port: r.random(),
        priority: r.random_range(0..8),
        collects_int: r.random(),
        has_law: r.random(),
        law: r.random(),
        rights: r.random_range(0..8) << 1,
        mtu: r.random_range(0..5),
        remote_qpn: r.random_range(0..1 << 24),
        expected_psn: r.random_range(0..1 << 24),
        send_psn: r.random_range(0..1 << 24),
        responder_reads: r.random(),
        rnr_timer: r.random(),
        max_rd_atomic: r.random(),
        timeout: r.random(),
        retry_limit: r.random(),
        rnr_retry: r.random(),
    };
    let has = |attribute: Attribute| set.given >> attribute.code() & 1 != 0;
    let to = State::ALL[r.random_range(0..State::ALL.len())];
    let expected = nic::Attributes {
        rights: has(Attribute::Rights).then_some(nic::QpRights {
            remote_write: set.rights & REMOTE_WRITE != 0,
            remote_read: set.rights & REMOTE_READ != 0,
            remote_atomic: set.rights & REMOTE_ATOMIC != 0,
        }),
        path: has(Attribute::Path).then_some(nic::Path {
            remote_ip: Ipv4Addr::from(set.remote_ip),
            priority: set.priority,
            udp_port: set.udp_port,
            int: set.collects_int,
            law: set.has_law.then_some(set.law),
        }),
        mtu: has(Attribute::Mtu).then_some(256 << set.mtu),
        remote_qpn: has(Attribute::RemoteQpn).then_some(set.remote_qpn),
        expected_psn: has(Attribute::ExpectedPsn).then_some(set.expected_psn),
        responder_reads: has(Attribute::ResponderReads).then_some(set.responder_reads),
        rnr_timer: has(Attribute::RnrTimer).then_some(set.rnr_timer),
        send_psn: has(Attribute::SendPsn).then_some(set.send_psn),
        max_rd_atomic: has(Attribute::MaxRdAtomic).then_some(set.max_rd_atomic),
        timeout: has(Attribute::Timeout).then_some(set.timeout),
        retry_limit: has(Attribute::RetryLimit).then_some(set.retry_limit),
        rnr_retry: has(Attribute::RnrRetry).then_some(set.rnr_retry),
    };
    let set_to = Command::ModifyQp {
        number,
        to,
        set: expected,
    };
    assert_eq!(read(|c| c.modify_qp(number, to.code(), &set)), set_to);
}

#[test]
fn what_does_not_fit_is_never_given_and_silence_is_an_error() {
    let mut recorded = Recorded::default();
    let mut commands = Commands::new(&mut recorded);
    let long = Place {
        address: 0,
        entries: ENTRIES_MAX + 1,
    };
    let refused = [
        commands.create_eq(&CreateEq { ring: long, number: 1 }),
        commands.create_cq(&CreateCq {
            ring: long,
            ..CreateCq::default()
        }),
        commands.create_qp(&CreateQp {
            receive: long,
            ..CreateQp::default()
        }),
        commands.create_qp(&CreateQp {
            number: 1 << 24,
            ..CreateQp::default()
        }),
        commands.destroy_qp(1 << 24),
        commands.modify_qp(
            2,
            1,
            &Attributes {
                remote_qpn: 1 << 24,
                ..Attributes::default()
            },
        ),
    ];
    assert_eq!(refused, [Err(CommandError::Invalid); 6]);
    assert!(recorded.commands.is_empty() && recorded.given.is_none());
    recorded.silent = true;
    assert_eq!(Commands::new(&mut recorded).destroy_cq(3), Err(CommandError::NoAnswer));
}

/// A NIC behind its registers.
struct Behind<'a, M: Memory>(&'a mut Nic<M>);

impl<M: Memory> Registers for Behind<'_, M> {
    fn read(&mut self, offset: u32) -> u32 {
        self.0.read_register(offset as u16).expect("a register of commands")
    }
    fn write(&mut self, offset: u32, value: u32) {
        assert!(self.0.write_register(0, offset as u16, value), "0x{offset:x}");
    }
}

#[test]
fn a_nic_says_why_it_refuses() {
    let mut nic = Nic::new(NicConfig::default(), BlockMemory::default(), None);
    assert_eq!(nic.read_register(0x1c), None);
    assert!(!nic.write_register(0, offset::BODY + 48, 0));
    let mut behind = Behind(&mut nic);
    // An operation that is none, twice: the code stays until the next command.
    behind.write(offset::COMMAND.into(), 0xff);
    let status = behind.read(offset::STATUS.into());
    assert_eq!(status >> 4 & 31, u32::from(Code::Operation.code()));
    let mut commands = Commands::new(&mut behind);
    let refused = |code: Code| Err(CommandError::Refused(code.code()));
    assert_eq!(commands.destroy_region(7), refused(Code::Unknown));
    assert_eq!(commands.query_qp(7).map(|_| ()), refused(Code::Unknown));
    let ring = Place {
        address: 0,
        entries: 16,
    };
    let eq = CreateEq { ring, number: 1 };
    assert_eq!(
        commands.create_eq(&CreateEq { number: 16, ..eq }),
        refused(Code::Number)
    );
    assert_eq!(commands.create_eq(&eq), Ok(()));
    assert_eq!(commands.create_eq(&eq), refused(Code::Exists));
    let cq = CreateCq {
        ring,
        number: 3,
        events: 1,
        page: 2,
    };
    assert_eq!(commands.create_cq(&cq), Ok(()));
    assert_eq!(commands.destroy_eq(1), refused(Code::InUse));
    // Rings are given for one queue pair only.
    behind.write(offset::COMMAND.into(), 5 << 8 | u32::from(Operation::CreateQp.code()));
    let status = behind.read(offset::STATUS.into());
    assert_eq!(status >> 4 & 31, u32::from(Code::Ring.code()));
    let mut commands = Commands::new(&mut behind);
    let attributes = Attributes {
        given: 1 << 12,
        ..Attributes::default()
    };
    assert_eq!(commands.modify_qp(5, 1, &attributes), refused(Code::Attribute));
    assert_eq!(commands.modify_qp(5, 5, &Attributes::default()), refused(Code::Move));
}

/// This process's memory, as far as the driver or the test has allocated it.
#[derive(Default)]
struct Own(Vec<(u64, u64)>);

impl Own {
    fn check(&self, address: u64, len: usize) -> Result<(), BusError> {
        let inside = |(at, bytes): &(u64, u64)| *at <= address && address + len as u64 <= at + bytes;
        self.0.iter().any(inside).then_some(()).ok_or(BusError { address })
    }
}

impl Memory for Own {
    fn read(&mut self, address: u64, data: &mut [u8]) -> Result<(), BusError> {
        self.check(address, data.len())?;
        // SAFETY: an allocation of this test, and nobody else uses it now.
        unsafe { core::ptr::copy_nonoverlapping(address as *const u8, data.as_mut_ptr(), data.len()) };
        Ok(())
    }
    fn write(&mut self, address: u64, data: &[u8]) -> Result<(), BusError> {
        self.check(address, data.len())?;
        // SAFETY: as in `read`.
        unsafe { core::ptr::copy_nonoverlapping(data.as_ptr(), address as *mut u8, data.len()) };
        Ok(())
    }
}

/// A computer with a NIC: what the driver asks of its surroundings.
struct Machine {
    nic: Nic<Own>,
    now: u64,
}

/// Doorbell page of all its queues, and of the event queue.
const PAGE: u32 = 0;

unsafe extern "C" fn doorbell(context: *mut c_void, offset: u32, word: u32) {
    // SAFETY: the context is a machine, and the driver is not called while another reference to it is in use; likewise below.
    let machine = unsafe { &mut *context.cast::<Machine>() };
    machine.nic.doorbell(machine.now, PAGE, offset, word);
}

unsafe extern "C" fn allocate(context: *mut c_void, bytes: usize, address: *mut u64) -> *mut c_void {
    let layout = std::alloc::Layout::from_size_align(bytes, 4096).unwrap();
    // SAFETY: see `doorbell`; the layout is not empty, and the driver gives room for the address.
    unsafe {
        let memory = std::alloc::alloc_zeroed(layout);
        *address = memory as u64;
        (*context.cast::<Machine>())
            .nic
            .memory_mut()
            .0
            .push((memory as u64, bytes as u64));
        memory.cast()
    }
}

unsafe extern "C" fn release(_: *mut c_void, memory: *mut c_void, bytes: usize) {
    let layout = std::alloc::Layout::from_size_align(bytes, 4096).unwrap();
    // SAFETY: from `allocate`, with the same size.
    unsafe { std::alloc::dealloc(memory.cast(), layout) };
}

unsafe extern "C" fn read_register(context: *mut c_void, offset: u32) -> u32 {
    // SAFETY: see `doorbell`.
    let machine = unsafe { &mut *context.cast::<Machine>() };
    machine.nic.read_register(offset as u16).unwrap_or(0)
}

unsafe extern "C" fn write_register(context: *mut c_void, offset: u32, value: u32) {
    // SAFETY: see `doorbell`.
    let machine = unsafe { &mut *context.cast::<Machine>() };
    machine.nic.write_register(machine.now, offset as u16, value);
}

static OPS: Ops = Ops {
    doorbell,
    allocate,
    release,
    read: Some(read_register),
    write: Some(write_register),
};

/// One of two hosts, with everything that a program needs.
struct Side {
    machine: *mut Machine,
    device: Box<Device>,
    eq: Box<EventQueue>,
    cq: Box<Cq>,
    qp: Box<Qp>,
    data: Vec<u8>,
}

const QPN: u32 = 0x12_3802;
const KEY: u32 = 0x77_05a1;

impl Side {
    /// Regions, queues and a queue pair in INIT, over registers alone.
    fn new(side: u8) -> Self {
        let ip = |side: u8| Ipv4Addr::new(10, 0, 0, side);
        let config = NicConfig {
            mac: MacAddr([2, 0, 0, 0, 0, side]),
            ip: ip(side),
            neighbours: [(ip(1 - side), MacAddr([2, 0, 0, 0, 0, 1 - side]))].into(),
            ..NicConfig::default()
        };
        let machine = Box::into_raw(Box::new(Machine {
            nic: Nic::new(config, Own::default(), None),
            now: 0,
        }));
        let mut device = Box::new(Device {
            ops: &raw const OPS,
            context: machine.cast(),
        });
        let data: Vec<u8> = (0..4096u32).map(|i| (i * 7 + u32::from(side)) as u8).collect();
        let on = &raw mut *device;
        // SAFETY: the machine lives until the test ends; zeros are empty values, and the driver fills them.
        unsafe {
            (*machine)
                .nic
                .memory_mut()
                .0
                .push((data.as_ptr() as u64, data.len() as u64));
            let mut eq: Box<EventQueue> = Box::new(core::mem::zeroed());
            let mut cq: Box<Cq> = Box::new(core::mem::zeroed());
            let mut qp: Box<Qp> = Box::new(core::mem::zeroed());
            assert_eq!(hpcc_eq_init(&raw mut *eq, on, 32), 0);
            assert_eq!(hpcc_cq_init(&raw mut *cq, on, 32), 0);
            assert_eq!(hpcc_qp_init(&raw mut *qp, on, 16, 16), 0);
            (eq.number, cq.number, qp.place) = (2, 5, 2);
            let place = |ring: &Ring| Place {
                address: ring.device_address,
                entries: ring.count,
            };
            let create = CreateEq {
                ring: place(&eq.ring),
                number: eq.number,
            };
            assert_eq!(hpcc_create_eq(on, &raw const create), 0);
            hpcc_eq_consumed(&raw mut *eq);
            let create = CreateCq {
                ring: place(&cq.ring),
                page: PAGE,
                number: cq.number,
                events: eq.number,
            };
            assert_eq!(hpcc_create_cq(on, &raw const create), 0);
            let region = Region {
                address: 0x1000,
                length: data.len() as u64,
                offset: (data.as_ptr() as u64).wrapping_sub(0x1000),
                key: KEY,
                domain: 9,
                rights: LOCAL_WRITE | REMOTE_WRITE,
            };
            assert_eq!(hpcc_create_region(on, &raw const region), 0);
            let create = CreateQp {
                send: place(&qp.send),
                receive: place(&qp.receive),
                number: QPN,
                page: PAGE,
                domain: 9,
                send_cq: cq.number,
                receive_cq: cq.number,
                events: eq.number,
            };
            assert_eq!(hpcc_create_qp(on, &raw const create), 0);
            let mut made = Self {
                machine,
                device,
                eq,
                cq,
                qp,
                data,
            };
            let rights = Attributes {
                given: 1 << Attribute::Rights.code(),
                rights: REMOTE_WRITE,
                ..Attributes::default()
            };
            assert_eq!(made.modify(State::Init, rights), 0);
            made
        }
    }

    fn modify(&mut self, to: State, set: Attributes) -> i32 {
        // SAFETY: device and attributes live.
        unsafe { hpcc_modify_qp(&raw mut *self.device, QPN, to.code(), &raw const set) }
    }

    /// On to RTS.
    fn connect(&mut self, peer: u8) {
        let given = |list: &[Attribute]| list.iter().fold(0, |bits, attribute| bits | 1 << attribute.code());
        let to_rtr = Attributes {
            given: given(&[
                Attribute::Path,
                Attribute::Mtu,
                Attribute::RemoteQpn,
                Attribute::ExpectedPsn,
                Attribute::ResponderReads,
                Attribute::RnrTimer,
            ]),
            remote_ip: u32::from(Ipv4Addr::new(10, 0, 0, peer)),
            mtu: 2,
            remote_qpn: QPN,
            expected_psn: 0x100 + u32::from(peer),
            responder_reads: 4,
            rnr_timer: 1,
            ..Attributes::default()
        };
        assert_eq!(self.modify(State::ReadyToReceive, to_rtr), 0);
        let to_rts = Attributes {
            given: given(&[
                Attribute::SendPsn,
                Attribute::Timeout,
                Attribute::RetryLimit,
                Attribute::RnrRetry,
                Attribute::MaxRdAtomic,
            ]),
            send_psn: 0x100 + u32::from(1 - peer),
            timeout: 14,
            retry_limit: 7,
            rnr_retry: 7,
            max_rd_atomic: 4,
            ..Attributes::default()
        };
        assert_eq!(self.modify(State::ReadyToSend, to_rts), 0);
    }

    fn completion(&mut self) -> Option<Completion> {
        let mut taken = Completion::default();
        // SAFETY: the queue lives.
        let found = unsafe { hpcc_cq_next(&raw mut *self.cq, &raw mut taken) };
        (found == 1).then_some(taken)
    }
}

/// Lets both work until nothing is left to do.
fn run(sides: &mut [Side; 2]) {
    loop {
        // SAFETY: the machines live, and the driver is not at work.
        let machines = sides.each_ref().map(|side| unsafe { &mut *side.machine });
        let Some(now) = machines.iter().filter_map(|machine| machine.nic.next_deadline()).min() else {
            return;
        };
        let now = now.max(machines[0].now);
        let [a, b] = machines;
        (a.now, b.now) = (now, now);
        let (from_a, from_b) = (a.nic.poll(now), b.nic.poll(now));
        from_a.iter().for_each(|frame| b.nic.receive(now, frame));
        from_b.iter().for_each(|frame| a.nic.receive(now, frame));
    }
}

/// Bare metal: nothing but the driver and a NIC behind registers, doorbells and memory.
#[test]
fn two_hosts_live_by_the_driver_alone() {
    let mut sides = [Side::new(0), Side::new(1)];
    // A receive is posted in INIT already, and waits for the first message.
    let piece = Piece {
        address: 0x1000 + 2048,
        length: 2000,
        key: KEY,
    };
    let receive = Receive {
        wr_id: 77,
        pieces: &raw const piece,
        count: 1,
    };
    // SAFETY: the queues and what they name live until the end of the test.
    unsafe {
        let b = &mut sides[1];
        assert_eq!(hpcc_post_receive(&raw mut *b.qp, &raw const receive), 0);
        hpcc_ring_receive(&raw mut *b.qp);
        hpcc_cq_arm(&raw mut *b.cq, false);
    }
    sides[0].connect(1);
    sides[1].connect(0);
    let piece = Piece {
        address: 0x1000,
        length: 1500,
        key: KEY,
    };
    let send = Send {
        wr_id: 5,
        remote_address: 0,
        operands: [0; 2],
        inline_data: core::ptr::null(),
        pieces: &raw const piece,
        count: 1,
        rkey: 0,
        immediate: 0,
        opcode: 2,
        flags: SIGNALED,
    };
    // SAFETY: as above.
    unsafe {
        assert_eq!(hpcc_post_send(&raw mut *sides[0].qp, &raw const send), 0);
        hpcc_ring_send(&raw mut *sides[0].qp);
    }
    run(&mut sides);
    let sent = sides[0].completion().unwrap();
    assert_eq!((sent.wr_id, sent.status, sent.qp), (5, Status::Ok.code(), QPN));
    let got = sides[1].completion().unwrap();
    assert_eq!(
        (got.wr_id, got.length, got.opcode),
        (77, 1500, CompletionOpcode::Receive.code())
    );
    let expected: Vec<u8> = (0..1500u32).map(|i| (i * 7) as u8).collect();
    assert_eq!(sides[1].data[2048..2048 + 1500], expected);
    assert_eq!(
        sides[1].data[2048 + 1500],
        ((2048 + 1500) * 7 + 1) as u8,
        "no byte more"
    );
    let mut event = Event::default();
    let mut info = QpInfo::default();
    // SAFETY: as above.
    unsafe {
        let b = &mut sides[1];
        assert_eq!((*b.machine).nic.take_interrupts(), [b.eq.number]);
        assert_eq!(hpcc_eq_next(&raw mut *b.eq, &raw mut event), 1);
        assert_eq!(
            (event.kind, event.number),
            (EventKind::Completion.code(), b.cq.number.into())
        );
        assert_eq!(hpcc_eq_next(&raw mut *b.eq, &raw mut event), 0);
        hpcc_qp_retire(&raw mut *b.qp, &raw const got);
        assert_eq!(hpcc_query_qp(&raw mut *b.device, QPN, &raw mut info), 0);
    }
    let expected = QpInfo {
        send_psn: 0x101,
        expected_psn: 0x102,
        receive_consumer: 1,
        receive_producer: 1,
        state: State::ReadyToSend.code(),
        ..QpInfo::default()
    };
    assert_eq!(info, expected);
    for side in &mut sides {
        assert_eq!(side.modify(State::Error, Attributes::default()), 0);
        // SAFETY: as above; nobody uses the queues afterwards.
        unsafe {
            assert_eq!(hpcc_query_qp(&raw mut *side.device, QPN, &raw mut info), 0);
            assert_eq!(info.state, State::Error.code());
            assert_eq!(hpcc_destroy_qp(&raw mut *side.device, QPN), 0);
            assert_eq!(hpcc_destroy_cq(&raw mut *side.device, side.cq.number), 0);
            assert_eq!(hpcc_destroy_eq(&raw mut *side.device, side.eq.number), 0);
            assert_eq!(hpcc_destroy_region(&raw mut *side.device, KEY), 0);
            hpcc_qp_release(&raw mut *side.qp);
            hpcc_cq_release(&raw mut *side.cq);
            hpcc_eq_release(&raw mut *side.eq);
            drop(Box::from_raw(side.machine));
        }
    }
}

/// Plain C programs include all headers of the driver beside the header of the registers.
#[test]
fn the_headers_stand_beside_the_registers_header() {
    let file = tempfile::Builder::new().suffix(".c").tempfile().unwrap();
    let text = "#include \"hpcc_command.h\"\n#include \"hpcc_nic.h\"\nint main(void) { return (int)(HPCC_REGISTER_COMMAND - HPCC_NIC_COMMAND); }\n";
    std::fs::write(file.path(), text).unwrap();
    let folder = env!("CARGO_MANIFEST_DIR");
    let program = file.path().with_extension("out");
    let made = std::process::Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I", folder, "-I"])
        .arg(format!("{folder}/../verilog-out"))
        .arg(file.path())
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let run = std::process::Command::new(&program).status().unwrap();
    let _ = std::fs::remove_file(&program);
    assert_eq!(run.code(), Some(0), "COMMAND is at one address");
}
