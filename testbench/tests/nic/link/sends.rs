//! SEND between two behavioural NICs with queues in their hosts' memory: every message in the receive that was posted for it, whatever the wire does.

use super::*;
use std::process::Command;

const SENDS: [LinkOperation; 2] = [LinkOperation::Send, LinkOperation::BidirectionalSend];

#[test]
fn loss_leaves_every_message_in_its_receive() {
    for loss in [0.001, 0.01, 0.05] {
        for (op, int) in SENDS.into_iter().flat_map(|op| [(op, false), (op, true)]) {
            let spec = lossy(loss, op, int, 70_001, 12);
            let outcome = run::<ModelNic>(&spec);
            assert_whole(&spec, &outcome);
            let expected = if op.both() { [24, 24] } else { [12, 12] };
            assert_eq!(outcome.sides.each_ref().map(|side| side.completions.len()), expected);
        }
    }
}

#[test]
fn all_faults_at_once_leave_every_message_in_its_receive() {
    survives_everything::<ModelNic>(&SENDS, 1..21);
}

#[test]
fn every_length_around_a_packet_arrives() {
    moves_lengths::<ModelNic>(&[LinkOperation::BidirectionalSend], 256, &every_length(256));
}

/// More messages than the rings hold at once, at the wire's speed and without a repeat.
#[test]
fn an_ideal_wire_is_filled() {
    for op in SENDS {
        let spec = LinkSpec {
            op,
            bytes: 2000,
            messages: 3000,
            ..LinkSpec::default()
        };
        let outcome = run::<ModelNic>(&spec);
        assert_whole(&spec, &outcome);
        let checks = findings(&spec, &outcome);
        assert!(checks.iter().any(|check| check.name == "throughput"));
        assert!(checks.iter().all(|check| check.passed()), "{checks:?}");
    }
}

#[test]
fn a_dead_wire_ends_in_error_completions() {
    let spec = LinkSpec {
        link: LinkConfig {
            loss: 1.0,
            ..LinkConfig::default()
        },
        op: LinkOperation::Send,
        messages: 3,
        retry_limit: 2,
        ..LinkSpec::default()
    };
    let outcome = run::<ModelNic>(&spec);
    let statuses: Vec<Status> = outcome.sides[0].completions.iter().map(|done| done.status).collect();
    assert_eq!(statuses, [Status::RetryExceeded, Status::Flushed, Status::Flushed]);
    assert!(findings(&spec, &outcome).iter().all(|check| check.passed()));
}

#[test]
fn hardware_without_queues_refuses_it_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_hpcc-nic"))
        .args(["run", "link", "--fidelity", "nic-rtl", "--set", "op=send"])
        .current_dir(dir.path())
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(
        error.trim_end().lines().count() == 1 && error.contains("queues"),
        "{error}"
    );
}
