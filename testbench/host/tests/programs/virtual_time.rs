//! Programs whose clock is the NICs': what they print is simulated, and the same in every run.

use crate::bench::{is_missing, row, Bench};

/// Payload of a message of 65 536 bytes over what it occupies on the wire at an MTU of 4096: Ethernet, IPv4, UDP, BTH, ICRC, check sequence, preamble
/// and gap in each of 16 packets, RETH in the first.
fn wire_share() -> f64 {
    let overhead = 14 + 20 + 8 + 12 + 4 + 4 + 20;
    65_536.0 / f64::from(16 * (4096 + overhead) + 16)
}

#[test]
fn bandwidth_is_the_wires_and_three_runs_are_alike() {
    if is_missing("bandwidth_is_the_wires_and_three_runs_are_alike", &["ib_write_bw"]) {
        return;
    }
    let printed = [(); 3].map(|()| {
        let mut bench = Bench::new();
        bench.virtual_time = true;
        let [client, _] = bench.pair("ib_write_bw --report_gbits -n 200 -F");
        row(&client)
    });
    let (rate, limit) = (printed[0][3], 100.0 * wire_share());
    assert!(
        (rate / limit - 1.0).abs() < 0.01,
        "{rate} Gb/s, the wire carries {limit}"
    );
    assert!(printed[1] == printed[0] && printed[2] == printed[0], "{printed:?}");
}

/// A WRITE's latency has no spread, and a READ's is that there and back.
#[test]
fn latency_has_no_spread() {
    if is_missing("latency_has_no_spread", &["ib_write_lat", "ib_read_lat"]) {
        return;
    }
    let mut bench = Bench::new();
    bench.virtual_time = true;
    // Columns: bytes, iterations, least, most, typical, average, deviation.
    let [write, read] = ["ib_write_lat -n 40 -F", "ib_read_lat -n 40 -F"].map(|line| row(&bench.pair(line)[0]));
    for row in [&write, &read] {
        assert_eq!((row[6], row[2]), (0.0, row[4]), "{row:?}");
    }
    assert!(
        read[4] > 1.5 * write[4] && read[4] < 2.5 * write[4],
        "{read:?} {write:?}"
    );
}
