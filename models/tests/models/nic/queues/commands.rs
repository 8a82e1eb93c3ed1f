//! Commands: what is refused and with which code, and doorbells that do not count.

use super::bench::*;
use hpcc_models::nic::queues::*;
use hpcc_models::nic::Status;

#[test]
fn numbers_rings_and_users_are_checked() {
    let mut host = Host::new(0);
    let ring = |address, entries| Ring { address, entries };
    let good = ring(0x50_0000, 16);
    let eq = |number, ring| Command::CreateEq(CreateEq { number, ring });
    assert_eq!(host.command(0, eq(16, good)), Err(Code::Number));
    assert_eq!(host.command(0, eq(EQ, good)), Err(Code::Exists));
    for bad in [
        ring(0x50_0000, 8),
        ring(0x50_0000, 24),
        ring(0x50_0040, 16),
        ring(0, 65_536),
    ] {
        assert_eq!(host.command(0, eq(2, bad)), Err(Code::Ring));
    }
    assert_eq!(host.command(0, Command::DestroyEq { number: EQ }), Err(Code::InUse));
    assert_eq!(host.command(0, Command::DestroyEq { number: 2 }), Err(Code::Unknown));
    let cq = |number, events| {
        Command::CreateCq(CreateCq {
            number,
            page: PAGE,
            ring: good,
            events,
        })
    };
    assert_eq!(host.command(0, cq(4096, EQ)), Err(Code::Number));
    assert_eq!(host.command(0, cq(CQS[0], EQ)), Err(Code::Exists));
    assert_eq!(host.command(0, cq(1, 2)), Err(Code::Unknown));
    assert_eq!(host.command(0, Command::DestroyCq { number: CQS[1] }), Err(Code::InUse));
    let qp = |change: fn(&mut CreateQp)| {
        let mut create = Host::new(0).create_qp();
        create.number = 0x33_0009;
        change(&mut create);
        Command::CreateQp(create)
    };
    for (command, code) in [
        (qp(|qp| qp.number = 0), Code::Number),
        (qp(|qp| qp.number = 0x800), Code::Number),
        (qp(|qp| qp.number = 0x801), Code::Number),
        (qp(|qp| qp.number = 0xff_ffff), Code::Number),
        (qp(|qp| qp.number = 0x100_0009), Code::Number),
        // another tag on the same place
        (qp(|qp| qp.number = 0x44_0002), Code::Exists),
        (qp(|qp| qp.send.entries = 8), Code::Ring),
        (qp(|qp| qp.receive.address += 64), Code::Ring),
        (qp(|qp| qp.send_cq = 1), Code::Unknown),
        (qp(|qp| qp.events = 3), Code::Unknown),
    ] {
        assert_eq!(host.command(0, command), Err(code), "{command:?}");
    }
}

/// An event queue of 16 places holds two completion queues (two kinds each) and two queue pairs (five each) and not one user more.
#[test]
fn an_event_queue_too_short_for_its_users_refuses_one_more() {
    let mut host = Host::new(0);
    let mut create = host.create_qp();
    create.number = 0x33_0009;
    host.done(Command::CreateQp(create));
    create.number = 0x33_000a;
    assert_eq!(host.command(0, Command::CreateQp(create)), Err(Code::Events));
    host.done(Command::DestroyQp { number: 0x33_0009 });
    host.done(Command::CreateQp(create));
}

#[test]
fn keys_are_unique_in_their_entry_and_regions_end_inside_the_address_space() {
    let mut host = Host::new(0);
    let create = |key, address, length| {
        Command::CreateRegion(MemoryRegion {
            key,
            address,
            length,
            ..region()
        })
    };
    // bits 8 to 21 are the entry: another tag below or above is another key of the same entry
    for key in [KEY, KEY ^ 0xff, KEY ^ 0x80_0000] {
        assert_eq!(host.command(0, create(key, WIRE, 16)), Err(Code::Key));
    }
    assert_eq!(host.command(0, create(0x200, u64::MAX, 2)), Err(Code::Bounds));
    host.done(create(0x200, u64::MAX, 1));
    let replace = |key| Command::ReplaceRegion(MemoryRegion { key, ..region() });
    assert_eq!(host.command(0, replace(0x300)), Err(Code::Unknown));
    host.done(replace(0x200));
    host.done(Command::DestroyRegion { key: 0x200 });
    assert_eq!(
        host.command(0, Command::DestroyRegion { key: 0x200 }),
        Err(Code::Unknown)
    );
    host.done(create(0x2ff, 0, 0));
}

#[test]
fn moves_and_attributes_are_checked() {
    let mut host = Host::new(0);
    let unknown = Command::QueryQp { number: 0x77_0004 };
    assert_eq!(host.command(0, unknown), Err(Code::Unknown));
    let rights = Attributes {
        rights: Some(QpRights::default()),
        ..Attributes::default()
    };
    let none = Attributes::default();
    let refused = [
        (State::Init, none, Code::Move),
        (State::ReadyToReceive, to_rtr(0), Code::Move),
        (State::Error, none, Code::Move),
    ];
    for (to, set, code) in refused {
        assert_eq!(host.command(0, host.modify(to, set)), Err(code), "{to:?}");
    }
    host.done(host.modify(State::Init, rights));
    let change = |change: fn(&mut Attributes)| {
        let mut set = to_rtr(0);
        change(&mut set);
        set
    };
    let refused = [
        (change(|set| set.mtu = Some(1000)), Code::Mtu),
        (change(|set| set.mtu = None), Code::Move),
        (change(|set| set.rnr_timer = Some(32)), Code::Attribute),
        (change(|set| set.responder_reads = Some(101)), Code::Attribute),
        (change(|set| set.remote_qpn = Some(1 << 24)), Code::Attribute),
        (change(|set| set.path = Some(Path::plain(IPS[0]))), Code::Neighbour),
        (
            change(|set| {
                set.path = Some(Path {
                    law: Some(1),
                    ..Path::plain(IPS[1])
                })
            }),
            Code::Law,
        ),
        (change(|set| set.timeout = Some(1)), Code::Move),
    ];
    for (set, code) in refused {
        assert_eq!(
            host.command(0, host.modify(State::ReadyToReceive, set)),
            Err(code),
            "{set:?}"
        );
        assert_eq!(host.query().state, State::Init);
    }
    host.done(host.modify(State::ReadyToReceive, to_rtr(0)));
    let bad = Attributes {
        timeout: Some(32),
        ..to_rts(0)
    };
    assert_eq!(
        host.command(0, host.modify(State::ReadyToSend, bad)),
        Err(Code::Attribute)
    );
    host.done(host.modify(State::ReadyToSend, to_rts(0)));
    let info = host.query();
    assert_eq!((info.state, info.ended), (State::ReadyToSend, Status::Ok));
    assert_eq!((info.send_psn, info.expected_psn), (0x100, 0x200));
    assert_eq!(info.attributes, rights.merged(&to_rtr(0)).merged(&to_rts(0)));
}

/// From another page, of a queue that is not there, backwards, beyond the ring, or in a state without that queue: ignored and counted.
#[test]
fn doorbells_that_do_not_count() {
    let mut host = Host::new(0);
    let ring = |host: &mut Host, page, kind: DoorbellKind, number, index| {
        let before = host.nic.queue_counters().doorbells_ignored;
        host.nic
            .doorbell(0, page, kind.code().into(), Doorbell { number, index }.encode());
        host.nic.queue_counters().doorbells_ignored - before
    };
    assert_eq!(ring(&mut host, PAGE, DoorbellKind::ReceiveQueue, 2, 1), 1, "RESET");
    host = host.moved_to(State::Init, to_rtr(0), to_rts(0));
    assert_eq!(
        ring(&mut host, PAGE, DoorbellKind::SendQueue, 2, 1),
        1,
        "INIT has no send queue"
    );
    assert_eq!(ring(&mut host, PAGE, DoorbellKind::ReceiveQueue, 2, 1), 0);
    assert_eq!(ring(&mut host, PAGE + 1, DoorbellKind::ReceiveQueue, 2, 2), 1, "page");
    assert_eq!(ring(&mut host, PAGE, DoorbellKind::ReceiveQueue, 3, 2), 1, "place");
    assert_eq!(ring(&mut host, PAGE, DoorbellKind::ReceiveQueue, 2, 0), 1, "backwards");
    assert_eq!(
        ring(&mut host, PAGE, DoorbellKind::ReceiveQueue, 2, 65),
        1,
        "beyond the ring"
    );
    assert_eq!(ring(&mut host, PAGE, DoorbellKind::ReceiveQueue, 2, 64), 0);
    assert_eq!(
        ring(&mut host, PAGE, DoorbellKind::CompletionConsumer, CQS[0], 1),
        1,
        "nothing was written"
    );
    assert_eq!(ring(&mut host, PAGE, DoorbellKind::Arm, CQS[0], 0), 0);
    assert_eq!(ring(&mut host, 0, DoorbellKind::Arm, CQS[0], 0), 1, "page");
    assert_eq!(
        ring(&mut host, PAGE, DoorbellKind::EventConsumer, EQ.into(), 0),
        1,
        "page 0 only"
    );
    assert_eq!(ring(&mut host, 0, DoorbellKind::EventConsumer, EQ.into(), 0), 0);
    let before = host.nic.queue_counters().doorbells_ignored;
    for offset in [1, 24, 4092] {
        host.nic.doorbell(0, 0, offset, 0);
    }
    assert_eq!(
        host.nic.queue_counters().doorbells_ignored - before,
        3,
        "no doorbell there"
    );
    assert_eq!((host.query().receive_producer, host.query().send_producer), (64, 0));
}
