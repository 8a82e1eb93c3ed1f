//! The configuration of the design document, and one line for each fault.

use super::*;
use hpcc_models::nic::{Operation, Status};
use hpcc_models::sched::CapControl;
use std::net::Ipv4Addr;

const EXAMPLE: &str = r#"[nic]
mac = "02:00:00:00:00:0b"
ip = "10.0.0.11"
mtu = 1024
line_rate_gbps = 100
retry_timeout_us = 4000
[[neighbour]]
ip = "10.0.0.10"
mac = "02:00:00:00:00:0a"
[[qp]]
qpn = 0x22
remote_qpn = 0x11
remote_ip = "10.0.0.10"
send_psn = 0x100
expected_psn = 0x100
int = false
[[memory]]
key = 0xdeadbeef
address = 0x7f0011223000
length = 65536
access = ["remote_write", "remote_read"]
init = "pattern"
[[work]]
qp = 0x22
op = "write"
local_address = 0x7f0011223000
local_key = 0xdeadbeef
remote_address = 0x10000000
remote_key = 0x1234
length = 4096
at_ns = 0
"#;

fn parse(text: &str) -> Result<NicSetup, String> {
    NicSetup::parse(text, "nic.toml", Path::new(".")).map_err(|error| error.to_string())
}

/// What an agent can write over the control socket, and each of its faults in one line.
#[test]
fn caps_groups_and_levels() {
    let limited = |qp: &str, more: &str| {
        let text = EXAMPLE.replace("int = false\n", &format!("int = false\n{qp}\n"));
        parse(&format!("{text}{more}"))
    };
    let setup = limited(
        "group = 3\ncap_gbps = 2.5",
        "[[level]]\ngroup = 3\ngbps = 10\n[cap_control]\nwindow = true\ntime_ns = 5000\n",
    )
    .unwrap();
    let control = CapControl {
        window: true,
        dither: false,
        time_ns: 5000,
    };
    let expected = Limits {
        control: Some(control),
        levels: vec![(3, 10e9)],
        caps: vec![(0x44, Some(2.5e9), 3), (0x45, Some(2.5e9), 3)],
    };
    assert_eq!(setup.limits, expected);
    assert_eq!(
        limited("group = 15", "").unwrap().limits.caps,
        [(0x44, None, 15), (0x45, None, 15)]
    );
    assert_eq!(limited("", "").unwrap().limits, Limits::default());
    for (qp, more, fault) in [
        ("group = 16", "", "nic.toml:17: [[qp]] group: expected 0 to 15, got 16"),
        (
            "cap_gbps = -1",
            "",
            "nic.toml:17: [[qp]] cap_gbps: expected 0 or more Gb/s, got -1",
        ),
        (
            "",
            "[[level]]\ngroup = 1\ngbps = nan\n",
            "[[level]] gbps: expected 0 or more Gb/s, got NaN",
        ),
        (
            "",
            "[[level]]\ngroup = 1\ngbps = 1\n[[level]]\ngroup = 1\ngbps = 2\n",
            "[[level]] group: 1 is given twice",
        ),
        (
            "",
            "[cap_control]\nwindow = true\n",
            "[cap_control] time_ns: expected 1 or more with window = true, got 0",
        ),
    ] {
        let error = limited(qp, more).unwrap_err();
        assert!(error.contains(fault), "{error}");
    }
}

#[test]
fn the_example_field_by_field() {
    let setup = parse(EXAMPLE).unwrap();
    assert_eq!(setup.nic.mac.to_string(), "02:00:00:00:00:0b");
    assert_eq!(
        (setup.nic.mtu, setup.nic.line_rate_bps, setup.nic.retry_timeout_ns),
        (1024, 100e9, 4_000_000)
    );
    assert_eq!(
        setup.nic.neighbours[&Ipv4Addr::new(10, 0, 0, 10)].to_string(),
        "02:00:00:00:00:0a"
    );
    let qp = &setup.qps[0];
    assert_eq!(
        (qp.qpn, qp.remote_qpn, qp.send_psn, qp.expected_psn, qp.mtu),
        (0x22, 0x11, 0x100, 0x100, 1024)
    );
    let block = &setup.memory[0];
    assert!(block.region.rights.remote_read && block.region.rights.remote_write && block.region.key == 0xdead_beef);
    assert_eq!((block.bytes.len(), block.bytes[77]), (65_536, pattern_byte(77)));
    let work = &setup.work[0];
    assert_eq!(
        (work.at_ns, work.work.length, work.work.operation),
        (0, 4096, Operation::Write)
    );
}

/// Without INT theta-PowerTCP hears only of packets that ask; who names an interval has it.
#[test]
fn a_law_of_round_trips_asks_with_every_packet_unless_the_file_chooses() {
    let theta = EXAMPLE.replace("int = false\n", "int = false\nlaw = \"theta-powertcp\"\n");
    let interval = |text: &str| parse(text).unwrap().nic.ack_req_interval;
    let chosen = theta.replace("mtu = 1024\n", "mtu = 1024\nack_req_interval = 7\n");
    let with_int = theta.replace("int = false", "int = true");
    assert_eq!([EXAMPLE, &theta, &chosen, &with_int].map(interval), [16, 1, 7, 16]);
}

#[test]
fn the_model_of_the_example_works() {
    let setup = parse(EXAMPLE).unwrap();
    let mut nic = setup.model(vec![]).unwrap();
    nic.post(0, setup.work[0].work).unwrap();
    let mut sent = 0;
    while let Some(next) = nic.next_deadline() {
        sent += nic.poll(next).len();
    }
    assert_eq!(sent, 4 * 8, "eight transmissions of four packets to nobody");
    assert_eq!(nic.take_completions()[0].status, Status::RetryExceeded);
}

#[test]
fn each_fault_is_one_line_with_its_place() {
    let cases = [
        (
            "mac = \"02:00:00:00:00:0b\"",
            "mac = \"02:00\"",
            "nic.toml:2: ",
            "Ethernet address",
        ),
        ("ip = \"10.0.0.11\"", "ip = \"10.0.0\"", "nic.toml:3: ", "IPv4"),
        ("mtu = 1024", "mtu = 1000", "nic.toml:4: [nic] mtu: 1000", "256, 512"),
        ("mtu = 1024", "mtu = 128", "nic.toml:4: [nic] mtu: 128", "256 to 4096"),
        ("mtu = 1024", "mtoo = 1024", "nic.toml:4: ", "mtoo"),
        (
            "line_rate_gbps = 100",
            "line_rate_gbps = 0",
            "nic.toml:5: [nic] line_rate_gbps",
            "0.1 to 800",
        ),
        (
            "retry_timeout_us = 4000",
            "retry_timeout_us = \"x\"",
            "nic.toml:6: ",
            "expected a number",
        ),
        ("qpn = 0x22", "qpn = 1", "nic.toml:11: [[qp]] qpn: 0x1", "2 to 0xfffffe"),
        (
            "send_psn = 0x100",
            "send_psn = 0x1000000",
            "nic.toml:14: [[qp]] send_psn",
            "24 bits",
        ),
        (
            "remote_ip = \"10.0.0.10\"",
            "remote_ip = \"10.0.0.9\"",
            "nic.toml:13: [[qp]] remote_ip",
            "[[neighbour]]",
        ),
        ("length = 65536", "length = 0", "nic.toml:20: [[memory]] length", "1 to"),
        (
            "\"remote_write\", \"remote_read\"",
            "\"write\"",
            "nic.toml:21: ",
            "remote_write",
        ),
        (
            "init = \"pattern\"",
            "init = \"no-such-file\"",
            "nic.toml:22: [[memory]] init",
            "no-such-file",
        ),
        ("qp = 0x22", "qp = 0x23", "nic.toml:24: [[work]] qp", "0x23"),
        ("op = \"write\"", "op = \"sent\"", "nic.toml:25: ", "write"),
        (
            "length = 4096",
            "length = 2147483649",
            "nic.toml:30: [[work]] length",
            "2147483648",
        ),
        ("length = 4096", "length = -1", "nic.toml:30: ", "a whole number"),
        ("[[work]]", "[[works]]", "nic.toml:23: ", "works"),
        ("[nic]", "[nic", "nic.toml:1: ", "]"),
    ];
    for (from, to, start, contains) in cases {
        let text = EXAMPLE.replacen(from, to, 1);
        assert_ne!(text, EXAMPLE, "{from}");
        let error = parse(&text).unwrap_err();
        assert!(
            error.starts_with(start) && error.contains(contains) && !error.contains('\n'),
            "{to}: {error}"
        );
    }
    assert!(parse("").unwrap_err().contains("nic"));
}

#[test]
fn overlaps_and_repetitions_are_refused() {
    let twice = |section: &str| {
        let start = EXAMPLE.find(section).unwrap();
        let end = EXAMPLE[start + 2..]
            .find("[[")
            .map_or(EXAMPLE.len(), |at| start + 2 + at);
        parse(&format!("{EXAMPLE}{}", &EXAMPLE[start..end])).unwrap_err()
    };
    assert!(twice("[[qp]]").contains("given twice"));
    assert!(twice("[[memory]]").contains("given twice"));
    let other = "[[memory]]\nkey = 5\naddress = 0x7f0011232fff\nlength = 2\n";
    assert!(parse(&format!("{EXAMPLE}{other}")).unwrap_err().contains("overlaps"));
    let beside = "[[memory]]\nkey = 5\naddress = 0x7f0011233000\nlength = 2\n";
    assert_eq!(parse(&format!("{EXAMPLE}{beside}")).unwrap().memory[1].bytes, [0, 0]);
}

#[test]
fn missing_file_is_one_line() {
    let error = NicSetup::load(Path::new("no-such.toml")).unwrap_err().to_string();
    assert!(error.starts_with("no-such.toml:1: cannot be read"), "{error}");
}
