//! What becomes of requests under way when the region of their memory is removed or written again, and what a region's offset, domain and rights do.

use super::peer::*;
use hpcc_models::nic::queues::{MemoryRegion, Rights};
use hpcc_models::nic::{Operation, Region, Status};
use hpcc_models::wire::*;

/// Plain queue pairs: packets of 256 and of 1024 bytes.
const SMALL: usize = 0;
const LARGE: usize = 2;
/// One that collects INT.
const INT: usize = 1;

fn same(key: u32, address: u64, remote_write: bool, remote_read: bool) -> Input {
    let region = Region {
        key,
        address,
        length: LENGTH,
        remote_write,
        remote_read,
    };
    Input::Region(region.into())
}

/// Data of priority 0 stands, or goes on.
fn pause(on: bool) -> Input {
    Input::Pause(u8::from(on))
}

/// A WRITE whose region goes after its first packet, or comes again with the same content: its next packet is refused, and no byte of it is written.
#[test]
fn a_write_under_way_ends_with_its_region() {
    for (again, qp) in [(false, SMALL), (true, LARGE), (false, INT)] {
        let mut frames = write(qp, 0, BOTH_KEY, BOTH_AT + 3, &[0xcc; 2500])
            .into_iter()
            .map(Input::Frame);
        let mut script: Vec<Input> = frames.by_ref().take(1).collect();
        script.push(Input::Remove(BOTH_KEY));
        if again {
            script.push(same(BOTH_KEY, BOTH_AT, true, true));
        }
        script.extend(frames);
        let outcome = agreed("a WRITE under way", &setup(), &script);
        let first = mtu(qp) as usize;
        let memory = &outcome.memory[2];
        assert_eq!(memory[3..3 + first], vec![0xcc; first], "the first packet");
        let rest: Vec<u8> = (3 + first as u64..LENGTH).map(|i| at_first(BOTH_AT, i)).collect();
        assert!(memory[3 + first..LENGTH as usize] == rest, "nothing behind it");
        assert!(
            outcome.brief(qp).contains(&"nak 62 +1 msn 0".to_owned()),
            "{:?}",
            outcome.brief(qp)
        );
    }
}

/// A READ that waits, or is being answered, when its region goes: a remote access error at the packet that could not be read.
#[test]
fn a_read_under_way_ends_with_its_region() {
    for (again, qp) in [(false, SMALL), (true, LARGE), (false, INT)] {
        let mut script = vec![
            pause(true),
            Input::Frame(read(qp, 0, READ_KEY, READ_AT + 1, 5000)),
            Input::Remove(READ_KEY),
        ];
        if again {
            script.push(same(READ_KEY, READ_AT, false, true));
        }
        script.push(pause(false));
        // whatever comes behind finds a queue pair that has ended
        script.push(Input::Frame(read(qp, 20, BOTH_KEY, BOTH_AT, 100)));
        // the frame without payload that the RTL spoils counts as one
        let outcome = agreed_but("a READ under way", &setup(), &script, &["tx_frames"]);
        assert_eq!(outcome.brief(qp), ["nak 62 +0 msn 0"]);
    }
}

/// A posted WRITE whose memory goes before it is sent ends with a local access error; what is behind it is flushed.
#[test]
fn a_posted_write_ends_with_its_region() {
    for (again, qp) in [(false, SMALL), (true, LARGE), (false, INT)] {
        let mut script = vec![
            pause(true),
            work(1, qp, Operation::Write, 0, 3000),
            work(2, qp, Operation::Write, 0, 100),
            Input::Remove(READ_KEY),
        ];
        if again {
            script.push(same(READ_KEY, READ_AT, false, true));
        }
        script.push(pause(false));
        let outcome = agreed_but("a posted WRITE", &setup(), &script, &["tx_frames"]);
        assert_eq!(
            outcome.statuses(qp),
            [(1, Status::LocalAccessError), (2, Status::Flushed)]
        );
        assert_eq!(outcome.brief(qp).len(), 0, "nothing of it is sent");
    }
}

/// The data of a READ comes when its memory is gone: nothing is written, and the READ ends with a local access error.
#[test]
fn the_data_of_a_read_needs_the_region_that_was_posted() {
    for (again, qp) in [(false, SMALL), (true, LARGE), (false, INT)] {
        let bytes = vec![0xee; 2 * mtu(qp) as usize];
        let (first, last) = bytes.split_at(mtu(qp) as usize);
        let mut script = vec![
            work(1, qp, Operation::Read, 7, bytes.len() as u64),
            response(qp, Position::First, 0, first),
            Input::Remove(WRITE_KEY),
        ];
        if again {
            script.push(same(WRITE_KEY, WRITE_AT, true, false));
        }
        script.push(response(qp, Position::Last, 1, last));
        let outcome = agreed("data of a READ", &setup(), &script);
        assert_eq!(outcome.statuses(qp), [(1, Status::LocalAccessError)]);
        let memory = &outcome.memory[1];
        assert_eq!(memory[7..7 + first.len()], *first);
        assert_eq!(
            memory[7 + first.len()],
            at_first(WRITE_AT, 7 + first.len() as u64),
            "nothing behind it"
        );
    }
}

/// Regions of a second domain at other addresses than those of memory, as the peer and work requests name them, and queue pairs that use them or not.
#[test]
fn offsets_domains_and_rights() {
    const DOMAIN: u16 = 0x8001;
    // the second region begins at 0 for the peer, and another has addresses above those of memory
    let (low, high) = (0u64, 0xffff_0000_0000_1000u64);
    let mut setup = setup();
    let moved = |key: u32, address: u64, block: usize, rights: Rights| MemoryRegion {
        key,
        domain: DOMAIN,
        address,
        length: LENGTH,
        offset: [READ_AT, WRITE_AT, BOTH_AT][block].wrapping_sub(address),
        rights,
    };
    let all = Rights {
        local_write: true,
        remote_write: true,
        remote_read: true,
        ..Rights::default()
    };
    let own = [
        moved(
            0x1_0a50,
            low,
            0,
            Rights {
                local_write: false,
                ..all
            },
        ),
        moved(0x1_0bd0, high, 1, all),
    ];
    for (block, region) in setup.memory.iter_mut().zip(own) {
        block.region = region;
    }
    setup.qps[LARGE].domain = DOMAIN;
    setup.qps[INT].domain = DOMAIN;
    setup.qps[INT].refuse_write = true;
    setup.qps[SMALL].refuse_read = true;
    let local = |id, operation, key, address| {
        let Input::Work(work) = work(id, LARGE, operation, 0, 900) else {
            unreachable!()
        };
        Input::Work(hpcc_models::nic::WorkRequest {
            local_key: key,
            local_address: address,
            ..work
        })
    };
    let script = [
        // the peer's, by its own addresses
        Input::Frame(write_only(LARGE, 0, own[1].key, high + 10, &[0xaa; 1000])),
        Input::Frame(read(LARGE, 1, own[0].key, low + 5, 2000)),
        // work: its addresses are those of the region too
        local(1, Operation::Write, own[0].key, low + 20),
        ack(LARGE, 0, 0x1f),
        local(2, Operation::Read, own[1].key, high + 2000),
        response(LARGE, Position::Only, 1, &[0xbb; 900]),
        // a region that may not be written is no place for the data of a READ
        local(3, Operation::Read, own[0].key, low),
        // a foreign domain
        local(4, Operation::Write, BOTH_KEY, BOTH_AT),
        Input::Frame(read(LARGE, 3, BOTH_KEY, BOTH_AT, 10)),
        Input::Frame(write_only(SMALL + 4, 0, own[1].key, high, &[1; 10])),
        // what a queue pair refuses is an invalid request, whatever the region allows
        Input::Frame(read(INT, 0, own[0].key, low, 10)),
        Input::Frame(write_only(INT, 1, own[1].key, high, &[2; 10])),
        Input::Frame(write_only(SMALL, 0, BOTH_KEY, BOTH_AT, &[3; 10])),
        Input::Frame(read(SMALL, 1, BOTH_KEY, BOTH_AT, 10)),
    ];
    let outcome = agreed("offsets, domains, rights", &setup, &script);
    assert_eq!(outcome.memory[1][10..1010], [0xaa; 1000]);
    assert_eq!(outcome.memory[1][2000..2900], [0xbb; 900]);
    assert_eq!(outcome.memory[2][..10], [3; 10]);
    assert_eq!(
        outcome.statuses(LARGE),
        [
            (1, Status::Ok),
            (2, Status::Ok),
            (3, Status::LocalAccessError),
            (4, Status::LocalAccessError)
        ]
    );
    let naks = |qp: usize| outcome.brief(qp).into_iter().find(|text| text.starts_with("nak"));
    assert_eq!(naks(LARGE).as_deref(), Some("nak 62 +3 msn 2"));
    assert_eq!(naks(SMALL + 4).as_deref(), Some("nak 62 +0 msn 0"));
    assert_eq!(naks(INT).as_deref(), Some("nak 61 +1 msn 1"));
    assert_eq!(naks(SMALL).as_deref(), Some("nak 61 +1 msn 1"));
}
