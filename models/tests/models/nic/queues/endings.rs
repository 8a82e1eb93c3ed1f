//! How queue pairs end: statuses, order of the flush, events, states.

use super::bench::*;
use super::two::Two;
use hpcc_models::nic::queues::*;
use hpcc_models::nic::{LinkConfig, Status};

/// Side 0 posts, side 1 has receives 21 and 22; runs until all is over.
fn run(two: &mut Two, entries: &[SendEntry]) {
    let now = two.now;
    for id in [21, 22] {
        two.hosts[1].receive_at(now, id, 4096, 64);
    }
    two.hosts[0].post(now, entries);
    two.run(50_000_000);
}

fn good(id: u64) -> SendEntry {
    work(id, SendOpcode::Write, 0, 16)
}

/// What the peer refuses: statuses of both sides' queues, and the peer's event.
#[test]
fn refusals_of_the_peer() {
    use SendOpcode::*;
    let flushed = [(21, Status::Flushed), (22, Status::Flushed)];
    type Case = (SendEntry, fn(&mut Two), Status, Vec<(u64, Status)>, Vec<EventKind>);
    let wrong_key = |opcode| SendEntry {
        remote_key: KEY ^ 0x100,
        ..work(2, opcode, 0, 8)
    };
    let unaligned = SendEntry {
        remote_address: WIRE + 4,
        ..work(2, FetchAdd, 0, 8)
    };
    let beyond = SendEntry {
        remote_address: WIRE + DATA_LEN - 8,
        ..work(2, Write, 0, 16)
    };
    let no_rights: fn(&mut Two) = |two| {
        let set = Attributes {
            rights: Some(QpRights::default()),
            ..Attributes::default()
        };
        let command = two.hosts[1].modify(State::ReadyToSend, set);
        two.hosts[1].done(command);
    };
    let other_domain: fn(&mut Two) = |two| {
        two.hosts[1].done(Command::ReplaceRegion(MemoryRegion {
            domain: DOMAIN + 1,
            ..region()
        }));
    };
    let read_only: fn(&mut Two) = |two| {
        two.hosts[1].done(Command::ReplaceRegion(MemoryRegion {
            rights: Rights {
                remote_read: true,
                ..Rights::default()
            },
            ..region()
        }));
    };
    let nothing: fn(&mut Two) = |_| {};
    let access = Status::RemoteAccessError;
    let invalid = Status::RemoteInvalidRequest;
    let cases: Vec<Case> = vec![
        (
            wrong_key(Write),
            nothing,
            access,
            flushed.to_vec(),
            vec![EventKind::AccessError],
        ),
        (
            wrong_key(Read),
            nothing,
            access,
            flushed.to_vec(),
            vec![EventKind::AccessError],
        ),
        (
            wrong_key(FetchAdd),
            nothing,
            access,
            flushed.to_vec(),
            vec![EventKind::AccessError],
        ),
        (beyond, nothing, access, flushed.to_vec(), vec![EventKind::AccessError]),
        (
            work(2, Write, 0, 16),
            other_domain,
            access,
            vec![],
            vec![EventKind::AccessError],
        ),
        (
            work(2, CompareSwap, 0, 8),
            read_only,
            access,
            flushed.to_vec(),
            vec![EventKind::AccessError],
        ),
        (
            work(2, Write, 0, 16),
            no_rights,
            invalid,
            flushed.to_vec(),
            vec![EventKind::RequestError],
        ),
        (
            work(2, Read, 0, 16),
            no_rights,
            invalid,
            flushed.to_vec(),
            vec![EventKind::RequestError],
        ),
        (
            work(2, CompareSwap, 0, 8),
            no_rights,
            invalid,
            flushed.to_vec(),
            vec![EventKind::RequestError],
        ),
        (
            unaligned,
            nothing,
            invalid,
            flushed.to_vec(),
            vec![EventKind::RequestError],
        ),
        (
            work(2, Send, 0, 65),
            nothing,
            invalid,
            vec![(21, Status::LocalLengthError), (22, Status::Flushed)],
            vec![EventKind::RequestError],
        ),
        (
            work(2, Send, 0, 16),
            read_only,
            Status::RemoteOperationalError,
            vec![(21, Status::LocalAccessError), (22, Status::Flushed)],
            vec![],
        ),
    ];
    for (entry, prepare, status, receives, events) in cases {
        let mut two = Two::ready();
        let now = two.now;
        let first = SendEntry {
            data: Data::Segments(vec![]),
            ..good(1)
        };
        prepare(&mut two);
        let wanted = if receives.is_empty() {
            flushed.to_vec()
        } else {
            receives
        };
        let remote_write_missing = two.hosts[1].query().attributes.rights == Some(QpRights::default());
        let before = if remote_write_missing { vec![] } else { vec![first] };
        let entries = [before.clone(), vec![entry.clone(), good(3), good(4)]].concat();
        run(&mut two, &entries);
        let mut sent: Vec<(u64, Status)> = before.iter().map(|entry| (entry.work, Status::Ok)).collect();
        sent.extend([(2, status), (3, Status::Flushed), (4, Status::Flushed)]);
        assert_eq!(two.hosts[0].statuses(now, 0), sent, "{entry:?}");
        assert_eq!(two.hosts[1].statuses(now, 1), wanted, "{entry:?}");
        assert_eq!(two.hosts[1].pair_events(now), events, "{entry:?}");
        let states = [0, 1].map(|side| two.hosts[side].query().state);
        assert_eq!(states, [State::Error; 2], "{entry:?}");
        assert_eq!(two.hosts[0].query().ended, status);
    }
}

/// What fails here: entries before the failing one complete first, nothing of the failing one is sent.
#[test]
fn failures_of_the_host_itself() {
    let piece_of = |key, length| {
        Data::Segments(vec![Segment {
            key,
            ..piece(0, length)
        }])
    };
    let entry = |data| SendEntry {
        data,
        ..work(2, SendOpcode::Write, 0, 0)
    };
    let cases = [
        (entry(piece_of(KEY ^ 0x100, 16)), Status::LocalAccessError),
        (
            entry(Data::Segments(vec![piece(DATA_LEN - 8, 16)])),
            Status::LocalAccessError,
        ),
        (work(2, SendOpcode::FetchAdd, 0, 4), Status::InvalidWork),
        (
            entry(Data::Segments(vec![piece(0, 16), piece(0, 0x8000_0000)])),
            Status::InvalidWork,
        ),
        (work(2, SendOpcode::Send, 0, (1 << 30) + 1), Status::InvalidWork),
    ];
    for (entry, status) in cases {
        let mut two = Two::ready();
        run(&mut two, &[good(1), entry.clone(), good(3)]);
        let expected = [(1, Status::Ok), (2, status), (3, Status::Flushed)];
        assert_eq!(two.hosts[0].statuses(0, 0), expected, "{entry:?}");
        assert_eq!(two.sent[0].len(), 1, "{entry:?}");
        assert_eq!(two.hosts[0].query().state, State::Error);
        assert_eq!(two.hosts[0].pair_events(0), []);
        assert_eq!(two.hosts[1].query().state, State::ReadyToSend, "the peer hears nothing");
    }
}

/// An entry that the NIC cannot read ends as invalid work under its own number.
#[test]
fn an_impossible_entry() {
    let mut two = Two::ready();
    let mut slot = good(2).encode()[0];
    slot[24] = 0xee;
    two.hosts[0].post(0, &[good(1)]);
    two.hosts[0].write_send_slot(1, &slot);
    let word = Doorbell { number: 2, index: 2 };
    two.hosts[0].nic.doorbell(0, PAGE, 0, word.encode());
    two.run(1_000_000);
    assert_eq!(two.hosts[0].statuses(0, 0), [(1, Status::Ok), (2, Status::InvalidWork)]);
}

/// The peer is gone: every request is repeated as often as the queue pair says (timeout 4.096 us x 2^4, three times), then it ends.
#[test]
fn a_silent_peer() {
    let mut set = to_rts(0);
    set.retry_limit = Some(3);
    let mut host = Host::new(0).moved_to(State::ReadyToSend, to_rtr(0), set);
    host.post(0, &[good(1), good(2)]);
    let mut sent = Vec::new();
    while let Some(next) = host.nic.next_deadline() {
        sent.extend(host.nic.poll(next).iter().map(|_| next));
        assert!(next < 1_000_000);
    }
    assert_eq!(sent.len(), 8);
    let gaps: Vec<u64> = sent.chunks(2).map(|pair| pair[0]).collect();
    assert!(
        gaps.windows(2)
            .all(|pair| (65_536..66_000).contains(&(pair[1] - pair[0]))),
        "{gaps:?}"
    );
    assert_eq!(host.statuses(0, 0), [(1, Status::RetryExceeded), (2, Status::Flushed)]);
    // timeout 0: for ever
    let mut set = to_rts(0);
    set.timeout = Some(0);
    let mut host = Host::new(0).moved_to(State::ReadyToSend, to_rtr(0), set);
    host.post(0, &[good(1)]);
    assert_eq!(host.nic.poll(0).len(), 1);
    assert_eq!(host.nic.next_deadline(), None);
}

/// The host moves a queue pair to ERR: both queues flush in order, signalled or not, and what is posted later as well; RESET takes it back.
#[test]
fn moved_to_error_and_back() {
    let mut two = Two::ready();
    two.links[0] = hpcc_models::nic::Link::new(
        LinkConfig {
            loss: 1.0,
            ..LinkConfig::default()
        },
        1,
    );
    let quiet = SendEntry { flags: 0, ..good(2) };
    for id in [31, 32] {
        two.hosts[0].receive_at(0, id, 0, 16);
    }
    two.hosts[0].post(0, &[good(1), quiet, good(3)]);
    two.run(1000);
    two.hosts[0].move_to(1000, State::Error);
    let flushed = |list: &[u64]| list.iter().map(|id| (*id, Status::Flushed)).collect::<Vec<_>>();
    assert_eq!(two.hosts[0].statuses(0, 0), flushed(&[1, 2, 3]));
    assert_eq!(two.hosts[0].statuses(0, 1), flushed(&[31, 32]));
    two.hosts[0].post(2000, &[good(4)]);
    two.hosts[0].receive_at(2000, 33, 0, 16);
    assert_eq!(two.hosts[0].statuses(0, 0), flushed(&[4]));
    assert_eq!(two.hosts[0].statuses(0, 1), flushed(&[33]));
    let info = two.hosts[0].query();
    assert_eq!((info.state, info.ended), (State::Error, Status::Ok));
    assert_eq!((info.send_consumer, info.receive_consumer), (4, 3));
    two.hosts[0].move_to(3000, State::Reset);
    let info = two.hosts[0].query();
    assert_eq!(
        (info.state, info.send_producer, info.receive_producer),
        (State::Reset, 0, 0)
    );
    assert_eq!(info.attributes, Attributes::default());
    assert!(two.hosts[0].events(0).is_empty());
}

/// RESET with entries posted: gone without completion, and the next generation begins at its own PSNs.
#[test]
fn reset_forgets() {
    let mut two = Two::ready();
    for id in 21..24 {
        two.hosts[1].receive_at(0, id, 0, 16);
    }
    two.hosts[1].move_to(0, State::Reset);
    assert!(two.hosts[1].look(1).is_empty());
    two.hosts[0].post(0, &[good(1)]);
    two.run(10_000);
    two.hosts[0].move_to(20_000, State::Reset);
    two.run(10_000_000);
    assert!(two.hosts[0].look(0).is_empty());
    let hosts = two.hosts.map(|host| {
        let side = host.side;
        host.moved_to(State::ReadyToSend, to_rtr(side), to_rts(side))
    });
    let mut two = Two::on(hosts, LinkConfig::default(), 1);
    two.now = 20_000_000;
    two.hosts[0].post(two.now, &[good(5)]);
    two.run(10_000_000);
    assert_eq!(two.hosts[0].statuses(0, 0), [(5, Status::Ok)]);
}

/// A server that stays in RTR answers, and its host hears of the first packet once; what its send queue announces is kept for RTS.
#[test]
fn ready_to_receive() {
    let hosts = [
        Host::ready(0),
        Host::new(1).moved_to(State::ReadyToReceive, to_rtr(1), to_rts(1)),
    ];
    let mut two = Two::on(hosts, LinkConfig::default(), 1);
    two.hosts[1].post(0, &[good(7)]);
    two.hosts[0].post(0, &[good(1), work(2, SendOpcode::Read, 0, 3000)]);
    two.run(1_000_000);
    assert_eq!(two.hosts[0].statuses(0, 0), [(1, Status::Ok), (2, Status::Ok)]);
    assert_eq!(two.hosts[1].pair_events(0), [EventKind::CommunicationEstablished]);
    assert!(two.hosts[1].look(0).is_empty());
    let command = two.hosts[1].modify(State::ReadyToSend, to_rts(1));
    let now = two.now;
    assert_eq!(two.hosts[1].command(now, command), Ok(Reply::Done));
    two.run(1_000_000);
    assert_eq!(two.hosts[1].statuses(0, 0), [(7, Status::Ok)]);
    // INIT drops everything
    let hosts = [Host::ready(0), Host::new(1).moved_to(State::Init, to_rtr(1), to_rts(1))];
    let mut two = Two::on(hosts, LinkConfig::default(), 1);
    two.hosts[0].post(0, &[good(1)]);
    two.run(10_000_000);
    assert_eq!(two.hosts[0].statuses(0, 0), [(1, Status::RetryExceeded)]);
    assert!(two.sent[1].is_empty() && two.hosts[1].look_events().is_empty());
}

/// SQD: what has begun goes on, nothing new begins, the host hears when all is done, and RTS goes on.
#[test]
fn the_send_queue_drains() {
    let mut two = Two::ready();
    let long = work(1, SendOpcode::Write, 0, 40_000);
    two.hosts[0].post(0, &[long, good(2)]);
    two.run(500);
    two.hosts[0].move_to(500, State::SendQueueDrain);
    two.hosts[0].post(600, &[good(3)]);
    assert!(two.hosts[0].pair_events(600).is_empty());
    two.run(1_000_000);
    assert_eq!(two.hosts[0].statuses(0, 0), [(1, Status::Ok)]);
    assert_eq!(two.hosts[0].pair_events(0), [EventKind::SendQueueDrained]);
    let now = two.now;
    two.hosts[0].move_to(now, State::ReadyToSend);
    two.run(1_000_000);
    assert_eq!(two.hosts[0].statuses(0, 0), [(2, Status::Ok), (3, Status::Ok)]);
    // with nothing outstanding the event comes at once
    let now = two.now;
    two.hosts[0].move_to(now, State::SendQueueDrain);
    assert_eq!(two.hosts[0].pair_events(0), [EventKind::SendQueueDrained]);
}

/// A region that goes while it is in use stops what uses it, here and there.
#[test]
fn a_region_removed_under_way() {
    let destroy = Command::DestroyRegion { key: KEY };
    // the receiver of a WRITE in progress
    let mut two = Two::ready();
    two.hosts[0].post(0, &[work(1, SendOpcode::Write, 0, 100_000)]);
    two.run(3000);
    two.hosts[1].done(destroy);
    let before = two.hosts[1].data(DATA_LEN / 2, 100_000).to_vec();
    two.run(1_000_000);
    assert_eq!(two.hosts[0].statuses(0, 0), [(1, Status::RemoteAccessError)]);
    assert_eq!(two.hosts[1].data(DATA_LEN / 2, 100_000), before);
    // the source of a READ in progress
    let mut two = Two::ready();
    two.hosts[0].post(0, &[work(1, SendOpcode::Read, 0, 100_000)]);
    two.run(3000);
    two.hosts[1].done(destroy);
    two.run(1_000_000);
    assert_eq!(two.hosts[0].statuses(0, 0), [(1, Status::RemoteAccessError)]);
    // the source of a WRITE, and the target of a READ
    for opcode in [SendOpcode::Write, SendOpcode::Read] {
        let mut two = Two::ready();
        two.hosts[0].post(0, &[work(1, opcode, 0, 100_000)]);
        two.run(3000);
        two.hosts[0].done(destroy);
        let before = two.hosts[0].data(0, 100_000).to_vec();
        two.run(1_000_000);
        assert_eq!(two.hosts[0].statuses(0, 0), [(1, Status::LocalAccessError)]);
        assert_eq!(two.hosts[0].data(0, 100_000), before);
    }
}
