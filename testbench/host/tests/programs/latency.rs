//! perftest's tests of latency.

use crate::bench::{is_long, is_missing, row, Bench};

/// A program that arms a queue, then polls it once, and has one channel for both of its queues takes an event without completion for an error: no
/// event comes for what it found in the poll.
#[test]
fn events_are_not_older_than_the_request_for_them() {
    if is_missing("events_are_not_older_than_the_request_for_them", &["ib_send_lat"]) {
        return;
    }
    let bench = Bench::new();
    for _ in 0..8 {
        let [client, _] = bench.pair("ib_send_lat -e -n 10");
        assert_eq!(row(&client)[..2], [2.0, 10.0], "{client}");
    }
}

#[test]
fn write_read_send_and_atomic() {
    let programs = ["ib_write_lat", "ib_read_lat", "ib_send_lat", "ib_atomic_lat"];
    if is_missing("write_read_send_and_atomic", &programs) {
        return;
    }
    let bench = Bench::new();
    let count = if is_long() { 50.0 } else { 10.0 };
    let short = [
        ("ib_write_lat", 2.0),
        ("ib_write_lat -s 4096", 4096.0),
        ("ib_read_lat -e", 2.0),
        ("ib_send_lat -e", 2.0),
        ("ib_send_lat -s 4096", 4096.0),
        ("ib_atomic_lat", 8.0),
    ];
    let long = [
        ("ib_read_lat", 2.0),
        ("ib_read_lat -s 4096", 4096.0),
        ("ib_send_lat", 2.0),
        ("ib_read_lat -e -s 4096", 4096.0),
        ("ib_send_lat -e -s 4096", 4096.0),
    ];
    let more = if is_long() { &long[..] } else { &[] };
    for (line, size) in short.iter().chain(more) {
        let [client, _] = bench.pair(&format!("{line} -n {count}"));
        let row = row(&client);
        assert!(row[..2] == [*size, count] && row[2] > 0.0, "{client}");
    }
}
