//! Queue pairs with queues from configuration files.

use super::*;
use crate::nic::{Device, ModelNic};
use hpcc_models::nic::Status;
use std::path::Path;

fn config(side: u32, more: &str) -> NicSetup {
    let peer = 1 - side;
    let text = format!(
        r#"
[nic]
mac = "02:00:00:00:00:0{side}"
ip = "10.0.0.{side}"
[[neighbour]]
ip = "10.0.0.{peer}"
mac = "02:00:00:00:00:0{peer}"
[[qp]]
qpn = {}
remote_qpn = {}
remote_ip = "10.0.0.{peer}"
send_psn = {side}
expected_psn = {peer}
queues = {{ rnr_timer = 1 }}
[[memory]]
key = 0x100
address = 0x10000
length = 4096
access = ["remote_write", "remote_read", "remote_atomic"]
init = "{}"
{more}"#,
        17 + side,
        17 + peer,
        if side == 0 { "pattern" } else { "zero" }
    );
    NicSetup::parse(&text, "test.toml", Path::new(".")).unwrap_or_else(|error| panic!("{error}"))
}

/// Two NICs from configuration files: every operation, with receives that come later than the first SEND.
#[test]
fn every_operation_of_a_configuration_file() {
    let work = |op: &str, length: u32, more: &str| {
        format!(
            "[[work]]\nqp = 17\nop = \"{op}\"\nlocal_address = 0x10000\nlocal_key = 0x100\nremote_address = 0x10800\nremote_key = 0x100\nlength = {length}\n{more}\n"
        )
    };
    let all = [
        work("send", 100, ""),
        work("send_immediate", 8, "immediate = 7"),
        work("write_immediate", 64, "immediate = 8"),
        work("write", 16, "fence = true"),
        work("fetch_add", 8, "add = 1"),
        work("compare_swap", 8, "compare = 1\nswap = 2"),
        work("read", 32, ""),
    ];
    let receives =
        "[[receive]]\nqp = 18\nlocal_address = 0x10000\nlocal_key = 0x100\nlength = 256\ncount = 3\nat_ns = 50000\n";
    let setups = [config(0, &all.concat()), config(1, receives)];
    assert_eq!((setups[0].completions(), setups[1].completions()), (7, 3));
    let mut nics = setups.each_ref().map(|setup| ModelNic::create(setup).unwrap());
    for work in &setups[0].work {
        nics[0].post(work.work);
    }
    let mut completions = [Vec::new(), Vec::new()];
    for _ in 0..1000 {
        let next = nics.iter().filter_map(Device::next_ns).min();
        let Some(next) = next else { break };
        for side in [0, 1] {
            nics[side].advance(next).unwrap();
            for frame in nics[side].take_sent() {
                nics[1 - side].offer(next + 1000, frame.bytes);
            }
            completions[side].extend(nics[side].take_completions());
        }
    }
    let names = |side: usize| -> Vec<(u64, &str, Status)> {
        let all = completions[side].iter();
        all.map(|done: &Completion| (done.work, done.operation.name(), done.status))
            .collect()
    };
    let sent = [
        "send",
        "send_immediate",
        "write_immediate",
        "write",
        "fetch_add",
        "compare_swap",
        "read",
    ];
    let expected: Vec<_> = (0..).zip(sent).map(|(id, name)| (id, name, Status::Ok)).collect();
    assert_eq!(names(0), expected);
    let received = ["receive", "receive", "receive_write"];
    let expected: Vec<_> = (0..).zip(received).map(|(id, name)| (id, name, Status::Ok)).collect();
    assert_eq!(names(1), expected);
    let pattern: Vec<u8> = (0..100).map(crate::config::pattern_byte).collect();
    assert_eq!(nics[1].memory(0x10000).map(|bytes| &bytes[..100]), Some(&pattern[..]));
}

#[test]
fn what_needs_queues_says_so() {
    let parse = |queues: &str, more: &str| {
        let text = format!(
            "[nic]\nmac = \"02:00:00:00:00:01\"\nip = \"10.0.0.1\"\n[[neighbour]]\nip = \"10.0.0.2\"\nmac = \"02:00:00:00:00:02\"\n[[qp]]\nqpn = 5\nremote_qpn = 5\nremote_ip = \"10.0.0.2\"\nsend_psn = 0\nexpected_psn = 0\n{queues}\n[[memory]]\nkey = 1\naddress = 0\nlength = 64\n[[work]]\nqp = 5\nlocal_address = 0\nlocal_key = 1\nlength = 8\n{more}"
        );
        let error = NicSetup::parse(&text, "test.toml", Path::new(".")).map(|_| ());
        error.map_err(|error| error.to_string())
    };
    let error = |queues, more| parse(queues, more).unwrap_err();
    assert!(error("", "op = \"send\"").contains("[[work]] qp: 0x5 needs queues = {} for this"));
    assert!(error("", "op = \"write\"\nfence = true").contains("needs queues"));
    assert!(error("queues = {}", "op = \"send_immediate\"").contains("immediate: missing"));
    assert!(error("queues = {}", "op = \"send\"\nadd = 3").contains("add: not for op"));
    assert!(error("queues = { rnr_timer = 32 }", "op = \"send\"").contains("rnr_timer = 32 is not in 0 to 31"));
    assert!(error(
        "queues = {}",
        "op = \"send\"\n[[receive]]\nqp = 6\nlocal_address = 0\nlocal_key = 1\nlength = 8"
    )
    .contains("no [[qp]] 0x6"));
    assert_eq!(parse("queues = {}", "op = \"send\""), Ok(()));
}
