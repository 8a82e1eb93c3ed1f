//! The Verilog of the send times in lockstep with their RustHDL description.

use hpcc_rtl::sim::{Port, Stimulus};
use hpcc_rtl::transport::send_times::SendTimes;
use hpcc_rtl::words::context::QpContext;
use hpcc_testbench::verilated::lockstep::{Drive, Lockstep};

/// Requests of few queue pairs, most of them timed, questions about the same packets, contexts now and then.
fn requests(ports: &[Port], seed: u64) -> impl Drive {
    let at = |name: &str| {
        let found = ports.iter().find(|port| port.input && port.name == name);
        found.unwrap_or_else(|| panic!("{name}")).limb
    };
    let (reset, now, spacing) = (at("rst"), at("now"), at("spacing"));
    let (context_valid, context_qp, context_data) = (at("context_valid"), at("context_qp"), at("context_data"));
    let (left, left_qp, left_generation) = (at("left_valid"), at("left_qp"), at("left_generation"));
    let (left_psn, left_departure) = (at("left_psn"), at("left_departure"));
    let (asked_qp, asked_psn) = (at("asked_qp"), at("asked_psn"));
    let mut stimulus = Stimulus::new(seed);
    move |clock: u64, _: &[u64], inputs: &mut [u64]| {
        inputs[reset] = u64::from(clock < 2 || clock.is_multiple_of(9973));
        inputs[now] = (1 << 47) + 5 * clock;
        let apart = [0, 3, 15, 7][(clock / 5000 % 4) as usize];
        inputs[spacing] = apart;
        inputs[context_valid] = u64::from(clock.is_multiple_of(4) && (clock < 200 || stimulus.chance(0.01)));
        inputs[context_qp] = stimulus.below(4);
        let mut word = [0; 4].map(|_| stimulus.uniform(64));
        QpContext::GENERATION.put(&mut word, stimulus.below(2));
        word[3] &= (1 << 18) - 1;
        inputs[context_data..context_data + 4].copy_from_slice(&word);
        let psn = |stimulus: &mut Stimulus| stimulus.below(24) << apart & 0xff_ffff;
        inputs[left] = u64::from(stimulus.chance(0.5));
        inputs[left_qp] = stimulus.below(4);
        inputs[left_generation] = stimulus.below(2);
        inputs[left_psn] = psn(&mut stimulus);
        inputs[left_departure] = [0, 1, 1, 1, 1, 1, 2, 3][stimulus.below(8) as usize];
        inputs[asked_qp] = stimulus.below(4);
        inputs[asked_psn] = psn(&mut stimulus);
    }
}

#[test]
fn send_times() {
    Lockstep::new("send_times", Box::<SendTimes>::default, requests)
        .clocks(40_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}
