//! A short run of the fuzz of the NIC in RTL: honest work beside hostile frames.

use hpcc_models::seeds::seed;
use hpcc_testbench::nic::fuzz::{run, FuzzSpec};
use indicatif::ProgressBar;

#[test]
fn hostile_frames_harm_nobody() {
    let spec = FuzzSpec {
        frames: 6000,
        batch: 500,
        seed: seed(1),
    };
    let outcome = run(&spec, &ProgressBar::hidden()).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(outcome.frames, 6000);
    assert_eq!(outcome.honest_work, 12 * 8);
    // The attack is worth something only where it gets in.
    let counter = |name: &str| {
        outcome
            .counters
            .iter()
            .find(|(known, _)| *known == name)
            .map_or(0, |(_, value)| *value)
    };
    for name in [
        "drop_icrc",
        "drop_transport_length",
        "drop_unknown_qp",
        "drop_wrong_peer",
        "drop_wrong_port",
        "duplicates",
        "out_of_sequence",
        "naks_sent",
        "naks_received",
        "ghost_acks",
        "control_accepted",
        "control_refused",
        "int_bad_speed",
    ] {
        assert!(counter(name) > 0, "{name} did not come up");
    }
}
