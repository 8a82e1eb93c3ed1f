//! Holes, by hand: which count as lost, when, and what the sender makes of it. Packets of 1000 bytes.

use super::*;

const US: u64 = 1_000_000;

fn rules(packets: Option<u64>, wait_us: Option<u64>) -> ReorderRules {
    ReorderRules {
        packets,
        wait_ps: wait_us.map(|us| us * US),
    }
}

fn named(a: &mut AnyOrder, rules: &ReorderRules, expected: u64, now: u64) -> Vec<u64> {
    std::iter::from_fn(|| a.give_up(rules, expected, now)).collect()
}

/// Packets 0, 2, 3, 5 and 8: with three places packet 1 is lost when 4 (here 5) has come, packet 4 with 7 (here 8), 6 with 9. Each is named once.
#[test]
fn a_hole_is_lost_so_many_packets_behind() {
    let mut a = AnyOrder::new(1000);
    let three = rules(Some(3), None);
    assert_eq!(a.skip(1000, 20_000, 0), 1000);
    let mut come = |packet: u64| {
        a.early(1000, packet * 1000, 0);
        named(&mut a, &three, 1000, 0)
    };
    assert_eq!([come(2), come(3)], [[0; 0]; 2]);
    assert_eq!(come(5), [1000]);
    assert_eq!(come(8), [4000]);
    assert_eq!(come(9), [6000]);
    assert_eq!(come(10), [7000]);
    assert_eq!(come(11), [0; 0], "8 to 11 are here");
    // The repetition of 1 arrives: 4 is expected, named before.
    assert_eq!(a.skip(2000, 20_000, 0), 4000);
    assert_eq!(named(&mut a, &three, 4000, 0), [0; 0]);
}

/// A wait of 10 us: packet 1 is missed from 5 us on, packet 3 from 9 us. At 15 us packet 1 is named; 3, which was overtaken later, 10 us after
/// that. Nothing is named twice.
#[test]
fn a_hole_is_lost_after_a_wait() {
    let mut a = AnyOrder::new(1000);
    let wait = rules(None, Some(10));
    a.skip(1000, 20_000, US);
    assert_eq!(a.arm(&wait, 1000), None, "nothing is missing");
    a.early(1000, 2000, 5 * US);
    assert_eq!(a.arm(&wait, 1000), Some(15 * US));
    a.early(1000, 4000, 9 * US);
    assert_eq!(a.arm(&wait, 1000), None, "the wait is on its way");
    assert_eq!(named(&mut a, &wait, 1000, 15 * US - 1), [0; 0]);
    a.armed = false;
    assert_eq!(named(&mut a, &wait, 1000, 15 * US), [1000]);
    assert_eq!(a.arm(&wait, 1000), Some(25 * US));
    assert_eq!(named(&mut a, &wait, 1000, 24 * US), [0; 0]);
    assert_eq!(named(&mut a, &wait, 1000, 25 * US), [3000]);
    assert_eq!(named(&mut a, &wait, 1000, 99 * US), [0; 0]);
}

/// Holes that one packet has overtaken are waited for, and named, together.
#[test]
fn a_burst_of_losses_is_one_wait() {
    let mut a = AnyOrder::new(1000);
    a.early(0, 3000, 0);
    assert_eq!(named(&mut a, &rules(Some(100), Some(1)), 0, US), [0, 1000, 2000]);
}

/// What has arrived beyond a hole is not in flight; the last packet of 10 500 bytes has 500.
#[test]
fn the_sender_counts_what_has_arrived() {
    let mut a = AnyOrder::new(1000);
    let size = 10_500;
    let bytes = |a: &mut AnyOrder, before, una, packet| {
        a.acknowledged(before, una, packet, size);
        a.arrived_bytes()
    };
    assert_eq!(bytes(&mut a, 0, 1000, Some(0)), 0);
    assert_eq!(bytes(&mut a, 1000, 1000, Some(2)), 1000);
    assert_eq!(bytes(&mut a, 1000, 1000, Some(2)), 1000, "again");
    assert_eq!(bytes(&mut a, 1000, 1000, Some(10)), 1500);
    // Packet 1 is given up, repeated once, and fills the hole.
    a.missing(1000, 1000);
    a.missing(1000, 2000);
    assert_eq!((a.take_lost(), a.take_lost()), (Some(1000), None), "packet 2 was here");
    assert_eq!(bytes(&mut a, 1000, 3000, Some(1)), 500);
    // Without an answer everything that is not known to be there is repeated.
    a.timed_out(Outstanding { una: 3000, nxt: size });
    assert!(a.has_lost());
    assert_eq!(bytes(&mut a, 3000, 5000, Some(6)), 1500);
    let repeated: Vec<u64> = std::iter::from_fn(|| a.take_lost()).collect();
    assert_eq!(repeated, [5000, 7000, 8000, 9000]);
    assert_eq!(bytes(&mut a, 5000, size, None), 0);
}
