//! perftest's tests of bandwidth.

use crate::bench::{self, is_long, is_missing, row, Bench};

/// Runs rows, each an option list, and checks message size, iterations and that something was measured.
fn rows(bench: &Bench, program: &str, size: f64, iterations: f64, options: &[&str]) {
    for option in options {
        let queues = if option.contains("-q 4") { 4.0 } else { 1.0 };
        let [client, _] = bench.pair(&format!("{program} -n {iterations} {option}"));
        let row = row(&client);
        assert_eq!(row[..2], [size, iterations * queues], "{program} {option}\n{client}");
        assert!(row[3] > 0.0, "{program} {option}\n{client}");
    }
}

const MISSING: &[&str] = &["ib_write_bw", "ib_read_bw", "ib_send_bw", "ib_atomic_bw"];

#[test]
fn write_read_and_send_in_all_ways() {
    if is_missing("write_read_and_send_in_all_ways", MISSING) {
        return;
    }
    let bench = Bench::new();
    rows(&bench, "ib_write_bw", 65536.0, 20.0, &["", "-q 4 -b", "-m 1024 -l 10"]);
    rows(&bench, "ib_send_bw", 65536.0, 20.0, &["-e -b", "-r 1", "-Q 1 -t 16"]);
    rows(&bench, "ib_read_bw", 65536.0, 20.0, &["-e", "-o 1 -q 4"]);
    let [reads, _] = bench.pair("ib_read_bw -n 20");
    assert!(reads.contains("Outstand reads  : 16"), "{reads}");
}

#[test]
fn every_row_of_the_table() {
    if !is_long() || is_missing("every_row_of_the_table", MISSING) {
        return;
    }
    let bench = Bench::new();
    let all = ["", "-b", "-q 4", "-q 4 -b", "-m 1024", "-l 10", "-Q 1 -t 16"];
    rows(&bench, "ib_write_bw", 65536.0, 20.0, &all);
    rows(&bench, "ib_send_bw", 65536.0, 20.0, &all);
    rows(&bench, "ib_send_bw", 65536.0, 20.0, &["-e", "-e -b", "-r 1"]);
    rows(&bench, "ib_read_bw", 65536.0, 20.0, &all);
    rows(&bench, "ib_read_bw", 65536.0, 20.0, &["-o 1", "-e"]);
    for program in ["ib_write_bw", "ib_read_bw", "ib_send_bw"] {
        let [client, _] = bench.pair(&format!("{program} -D 2"));
        assert!(row(&client)[3] > 0.0, "{client}");
    }
    for program in ["ib_write_bw", "ib_read_bw", "ib_send_bw"] {
        let [client, _] = bench.pair(&format!("{program} -a -n 5"));
        let found: Vec<[f64; 2]> = bench::rows(&client).iter().map(|row| [row[0], row[1]]).collect();
        // 2 to 8388608 bytes.
        let sizes = (1..=23).map(|log| [f64::from(1 << log), 5.0]);
        assert_eq!(found, sizes.collect::<Vec<_>>(), "{client}");
    }
}

#[test]
fn atomics() {
    if is_missing("atomics", MISSING) {
        return;
    }
    let bench = Bench::new();
    rows(&bench, "ib_atomic_bw", 8.0, 50.0, &["", "-A CMP_AND_SWAP"]);
}

/// perftest chooses by the part number how it posts: inline with the calls that build requests, or inline with whole requests.
#[test]
fn inline_data_by_both_ways_to_post() {
    if is_missing("inline_data_by_both_ways_to_post", MISSING) {
        return;
    }
    let mut bench = Bench::new();
    bench.environment = vec![("HPCC_NIC_PART", "4119".into())];
    for line in ["ib_write_bw -n 20 -s 64 -I 128", "ib_read_bw -n 20 -s 64"] {
        let [client, _] = bench.pair(line);
        assert!(client.contains("ibv_wr* API     : ON"), "{client}");
        assert_eq!(row(&client)[0], 64.0, "{client}");
    }
    let [client, _] = bench.pair("ib_send_lat -n 20");
    assert!(
        client.contains("ibv_wr* API     : ON") && row(&client)[4] > 0.0,
        "{client}"
    );
    bench.environment = vec![("HPCC_NIC_PART", "32880".into())];
    rows(&bench, "ib_send_bw", 512.0, 20.0, &["-s 512 -I 512"]);
}

/// A daemon that may not reach a program's memory asks its helper thread.
#[test]
fn through_the_helper_thread() {
    if is_missing("through_the_helper_thread", MISSING) {
        return;
    }
    let mut bench = Bench::new();
    bench.environment = vec![("HPCC_NIC_HELPER", "1".into())];
    rows(&bench, "ib_write_bw", 65536.0, 20.0, &[""]);
    rows(&bench, "ib_read_bw", 65536.0, 20.0, &[""]);
}

#[test]
fn three_pairs_at_once() {
    if is_missing("three_pairs_at_once", MISSING) {
        return;
    }
    let bench = Bench::new();
    let lines = ["ib_write_bw -n 20", "ib_read_bw -n 20", "ib_send_bw -n 20"];
    std::thread::scope(|scope| {
        let pairs: Vec<_> = lines.map(|line| scope.spawn(|| bench.pair(line))).into();
        for pair in pairs {
            let [client, _] = pair.join().expect("both sides end well");
            assert_eq!(row(&client)[..2], [65536.0, 20.0], "{client}");
        }
    });
}
