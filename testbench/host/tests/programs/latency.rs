//! perftest's tests of latency.

use crate::bench::{is_long, is_missing, row, Bench};

#[test]
fn write_read_send_and_atomic() {
    let programs = ["ib_write_lat", "ib_read_lat", "ib_send_lat", "ib_atomic_lat"];
    if is_missing("write_read_send_and_atomic", &programs) {
        return;
    }
    let bench = Bench::new();
    let count = if is_long() { 50.0 } else { 10.0 };
    let lines = [
        ("ib_write_lat", 2.0),
        ("ib_write_lat -s 4096", 4096.0),
        ("ib_read_lat -e", 2.0),
        ("ib_send_lat -e", 2.0),
        ("ib_send_lat -s 4096", 4096.0),
        ("ib_atomic_lat", 8.0),
    ];
    for (line, size) in lines {
        let [client, _] = bench.pair(&format!("{line} -n {count}"));
        let row = row(&client);
        assert!(row[..2] == [size, count] && row[2] > 0.0, "{client}");
    }
}
