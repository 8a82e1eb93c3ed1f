//! Programs whose clock is the NICs': what they print is simulated, and the same in every run.

use crate::bench::{is_missing, row, Bench};
use hpcc_host::Host;
use hpcc_models::wire::{read_pcap, Opcode, Ports, RocePacket, TimedFrame};

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

/// What `ib_write_lat` prints is half of a round trip as the capture of the wire has it: from a WRITE of one side to the next one of the same side.
#[test]
fn latency_is_that_of_the_wire() {
    if is_missing("latency_is_that_of_the_wire", &["ib_write_lat"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wire.pcap");
    let mut bench = Bench::on(2, Some(file.clone()), Host::new);
    bench.virtual_time = true;
    let printed = row(&bench.pair("ib_write_lat -n 100 -F")[0])[4] * 1000.0;
    bench.stop();
    let frames = read_pcap(std::fs::File::open(&file).unwrap()).unwrap();
    let ports = Ports::default();
    let is_write = |frame: &&TimedFrame| {
        let packet = RocePacket::parse(&frame.bytes, &ports);
        packet.is_ok_and(|packet| matches!(packet.bth.opcode, Opcode::Write(_)))
    };
    // Bytes 6 to 11 are the sender's Ethernet address.
    let first = frames
        .iter()
        .find(is_write)
        .map(|frame| frame.bytes[6..12].to_vec())
        .unwrap();
    let own = frames
        .iter()
        .filter(is_write)
        .filter(|frame| frame.bytes[6..12] == first[..]);
    let times: Vec<u64> = own.map(|frame| frame.t_ns).collect();
    let mut trips: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    trips.sort_unstable();
    let half = trips[trips.len() / 2] as f64 / 2.0;
    // perftest prints hundredths of a microsecond.
    assert!(
        (printed - half).abs() <= 10.0,
        "printed {printed} ns, on the wire {half} ns"
    );
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
