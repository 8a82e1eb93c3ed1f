//! One error per way to be wrong, and the round trip.

use super::*;
use crate::cc::hpcc::Reaction;
use std::path::Path;

const HEAD: &str = "# line_rate_gbps=100\n# base_rtt_ns=8000\n# w_max_bytes=100000\n# eta=0.95\n# max_stage=5\n\
    # w_ai_bytes=80\n# mtu_payload=1000\n# int_multi=1\n# min_rate_mbps=100\n# per_ack_fast_react=1\n# source=by hand\n";
const COLUMNS: &str = "t_ns,flow,ack_seq,snd_nxt,nhop,h1_gbps,h1_ts,h1_tx,h1_q,h2_gbps,h2_ts,h2_tx,h2_q,\
    h3_gbps,h3_ts,h3_tx,h3_q,h4_gbps,h4_ts,h4_tx,h4_q,h5_gbps,h5_ts,h5_tx,h5_q,u,w_bytes,rate_bps,wc_bytes,inc_stage\n";
const ROW: &str = "2000,4,1001,49000,1,25,16777215,1048575,70000,,,,,,,,,,,,,,,,,0.5,52000.25,52000250000,52000,3\n";

fn parse(text: &str) -> Result<Trace, TraceError> {
    Trace::parse(text.as_bytes(), Path::new("a.csv"))
}

fn error(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

fn whole() -> String {
    format!("{HEAD}{COLUMNS}{ROW}")
}

#[test]
fn reads_header_and_rows() {
    let trace = parse(&whole()).unwrap();
    let p = &trace.header.params;
    assert_eq!(
        (p.line_rate, p.base_rtt_ns, p.w_init, p.eta),
        (100_000_000_000, 8000, 100_000.0, 0.95)
    );
    assert_eq!(
        (p.max_stage, p.w_ai, p.int_multi, p.min_rate),
        (5, 80.0, 1, 100_000_000)
    );
    assert_eq!((p.reaction, trace.header.mtu_payload), (Reaction::Hpcc, 1000));
    assert_eq!(trace.header.notes["source"], "by hand");
    let row = trace.rows[0];
    assert_eq!(
        (row.line, row.t_ns, row.flow, row.n_hop, row.inc_stage),
        (13, 2000, 4, 1, 3)
    );
    assert_eq!(
        (row.u, row.w_bytes, row.rate_bps, row.wc_bytes),
        (0.5, 52_000.25, 52_000_250_000.0, 52_000.0)
    );
    assert_eq!(
        row.hops[0],
        TraceHop {
            speed: 2,
            ts: 16_777_215,
            tx: 1_048_575,
            q: 70_000
        }
    );
    assert_eq!(trace.flows(), [4]);
}

#[test]
fn rows_become_events_of_the_wire() {
    let trace = parse(&whole()).unwrap();
    let event = trace.event(&trace.rows[0]);
    assert_eq!(
        (event.psn_next, event.snd_nxt, event.now, event.int_valid),
        (2, 49, 2000, true)
    );
    assert_eq!(
        event.hops[0],
        HopRecord {
            speed: 2,
            ts: 16_777_215,
            tx_bytes: 1_048_575,
            q_len: u16::MAX
        }
    );
    assert_eq!(trace.queues(&trace.rows[0])[0], 70_000);
    assert_eq!(trace.psn(0), 0);
    assert_eq!(trace.psn(1000), 1);
    assert_eq!(trace.psn(((1 << 24) - 1) * 1000), 0xff_ffff);
    assert_eq!(trace.psn(((1 << 24) - 1) * 1000 + 1), 0);
}

#[test]
fn columns_are_found_by_name_and_line_ends_do_not_matter() {
    let moved = whole().replace("t_ns,flow", "flow,t_ns").replace("2000,4,", "4,2000,");
    assert_eq!(parse(&moved).unwrap().rows, parse(&whole()).unwrap().rows);
    assert_eq!(parse(&whole().replace('\n', "\r\n")).unwrap(), parse(&whole()).unwrap());
}

#[test]
fn fast_reaction_off_is_per_rtt() {
    let trace = parse(&whole().replace("fast_react=1", "fast_react=0")).unwrap();
    assert_eq!(trace.header.params.reaction, Reaction::PerRtt);
}

#[test]
fn write_and_read_give_the_same_trace() {
    let text = whole()
        .replace("52000.25", "52000.123456789012")
        .replace("=0.95", "=0.94999999999999996");
    let trace = parse(&text).unwrap();
    let mut out = Vec::new();
    trace.write(&mut out).unwrap();
    assert_eq!(parse(std::str::from_utf8(&out).unwrap()).unwrap(), trace);
}

#[test]
fn every_fault_has_its_line() {
    let w = whole();
    let cases = [
        (String::new(), "a.csv:1: header: expected # line_rate_gbps=value and further keys, then a line of column names, got the end of the file"),
        (HEAD.into(), "a.csv:12: header: expected a line of column names, got the end of the file"),
        (format!("{HEAD}{COLUMNS}"), "a.csv:13: t_ns: expected at least one row, got the end of the file"),
        (w.replace("# eta=0.95\n", ""), "a.csv:11: eta: expected a line '# eta=value' above the column names"),
        (w.replace("# eta=0.95", "# eta 0.95"), "a.csv:4: header: expected '# key=value', got '# eta 0.95'"),
        (w.replace("# eta=0.95", "# eta=x"), "a.csv:4: eta: expected a number, got 'x'"),
        (w.replace("# eta=0.95", "# eta=1.5"), "a.csv:4: eta: expected above 0 and at most 1, got 1.5"),
        (w.replace("# eta=0.95", "# max_stage=4"), "a.csv:5: max_stage: expected the key only once"),
        (w.replace("# eta=0.95", "#=4"), "a.csv:4: header: expected a key before '=', got '#=4'"),
        (w.replace("=100000\n", "=5e6\n"), "a.csv:3: w_max_bytes: expected 1 to 4194304 bytes, got 5000000"),
        (w.replace("react=1", "react=2"), "a.csv:10: per_ack_fast_react: expected 0 or 1, got '2'"),
        (w.replace("payload=1000", "payload=0"), "a.csv:7: mtu_payload: expected 1 to 65535 bytes, got '0'"),
        (w.replace(",h3_q", ""), "a.csv:12: h3_q: expected a column of this name"),
        (w.replace(",52000,3\n", ""), "a.csv:13: wc_bytes: expected 30 columns, got 28"),
        (w.replace(",3\n", ",3,4\n"), "a.csv:13: row: expected 30 columns, got 31"),
        (w.replace("49000,1,25", "49000,6,25"), "a.csv:13: nhop: expected 0 to 5 hops, got '6'"),
        (w.replace("49000,1,25", "49000,1,30"), "a.csv:13: h1_gbps: expected one of 10, 25, 40, 50, 100, 200, 400, 800 Gb/s, got '30'"),
        (w.replace("49000,1,25", "49000,2,25"), "a.csv:13: h2_gbps: expected a port speed in Gb/s, got ''"),
        (w.replace("16777215", "16777216"), "a.csv:13: h1_ts: expected 24 bits, 0 to 16777215, got '16777216'"),
        (w.replace("1048575", "1048576"), "a.csv:13: h1_tx: expected 20 bits, 0 to 1048575, got '1048576'"),
        (w.replace("70000", "131072"), "a.csv:13: h1_q: expected 17 bits, 0 to 131071, got '131072'"),
        (w.replace("1001", "-1"), "a.csv:13: ack_seq: expected a byte count, got '-1'"),
        (w.replace("0.5,", "nan,"), "a.csv:13: u: expected a finite number, 0 or more, got 'nan'"),
        (w.replace("52000,3", "52000,300"), "a.csv:13: inc_stage: expected 0 to 255, got '300'"),
    ];
    for (text, want) in cases {
        assert_eq!(error(&text), want);
    }
    let bytes = [w.as_bytes(), b"\xff\xfe\n"].concat();
    let got = Trace::parse(&bytes[..], Path::new("a.csv")).unwrap_err().to_string();
    assert_eq!(got, "a.csv:14: line: expected text in UTF-8");
    assert!(Trace::read(Path::new("no/such/file.csv"))
        .unwrap_err()
        .to_string()
        .starts_with("no/such/file.csv: "));
}
