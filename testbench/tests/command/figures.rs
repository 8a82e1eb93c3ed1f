//! Verdicts of the figures that take seconds, beside those of the book's table.

use hpcc_rtl::sim::is_whole;
use std::collections::BTreeMap;
use std::process::Command;

/// Verdict of each check that a scenario prints.
fn verdicts(name: &str) -> BTreeMap<String, String> {
    let temp = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_hpcc-nic"))
        .args(["run", name, "--out", "o"])
        .current_dir(temp.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{name}: a known difference is no failure: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = std::fs::read_to_string(temp.path().join("o/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    let screen = String::from_utf8(output.stdout).unwrap();
    let checks = summary["checks"].as_object().unwrap();
    checks
        .iter()
        .map(|(check, entry)| {
            let verdict = entry["verdict"].as_str().unwrap();
            assert!(
                screen.contains(&format!("{verdict:<8}{check}")),
                "{name}: {check}: {screen}"
            );
            // A difference has the paper's number, ours, and why.
            let fields = ["paper", "here", "reason"].iter().filter(|f| entry[f].is_string());
            assert!(verdict != "differs" || fields.count() == 3, "{name}: {entry}");
            (check.clone(), verdict.to_string())
        })
        .collect()
}

/// What the book's table says of each figure; checks that start with `flows_finished` are not in it.
const BOOK: &[(&str, &[(&str, &str)])] = &[
    ("fig6", &[("rxrate_oscillates_and_txrate_does_not", "ok")]),
    ("fig9a", &[("long_flow_recovers", "ok")]),
    ("fig9b", &[("long_flow_does_not_recover", "ok")]),
    ("fig9c", &[("queue_drains", "ok")]),
    ("fig9d", &[("queue_builds_up", "differs")]),
    (
        "fig9e",
        &[
            ("mice_latency_near_base", "ok"),
            ("mice_latency_standing_queue", "differs"),
        ],
    ),
    ("fig9f", &[("queue_near_zero", "ok"), ("standing_queue", "differs")]),
    ("fig9g", &[("fair_shares", "ok")]),
    ("fig9h", &[("shares", "note")]),
    ("fig13", &[("per_ack_overreacts", "ok"), ("per_rtt_is_slow", "ok")]),
    (
        "fig14",
        &[
            ("fairness_rises_with_w_ai", "ok"),
            ("queue_w_ai_100", "differs"),
            ("queue_w_ai_150", "differs"),
            ("queue_w_ai_25", "differs"),
            ("queue_w_ai_300", "ok"),
            ("queue_w_ai_50", "differs"),
        ],
    ),
    (
        "lemma-a2",
        &[
            ("constant_after_i_steps", "differs"),
            ("every_path_has_a_bottleneck", "ok"),
            ("feasible_and_never_falling", "ok"),
            ("loads_stay_feasible", "ok"),
        ],
    ),
    (
        "hcc-web",
        &[
            ("fig4a_full_at_10_gbps", "ok"),
            ("fig4a_full_at_50_gbps", "ok"),
            ("fig4b_utilisation", "ok"),
            ("fig4c_completion_against_cubic", "differs"),
            ("fig4c_completion_against_dctcp", "differs"),
            ("fig4c_completion_against_newreno", "differs"),
            ("fig4d_queue_cubic", "ok"),
            ("fig4d_queue_dctcp", "differs"),
            ("fig4d_queue_hcc", "differs"),
            ("fig4d_queue_newreno", "differs"),
            ("fig4e_fairness", "ok"),
            ("fig4f_latency", "ok"),
            ("first_shares", "ok"),
        ],
    ),
    (
        "hcc-web-literal",
        &[
            ("fig4a_full_at_10_gbps", "differs"),
            ("fig4a_full_at_50_gbps", "differs"),
            ("fig4b_utilisation", "differs"),
            ("fig4c_completion_against_cubic", "ok"),
            ("fig4c_completion_against_dctcp", "ok"),
            ("fig4c_completion_against_newreno", "ok"),
            ("fig4d_queue_cubic", "differs"),
            ("fig4d_queue_dctcp", "differs"),
            ("fig4d_queue_hcc", "ok"),
            ("fig4d_queue_newreno", "differs"),
            ("fig4e_fairness", "ok"),
            ("fig4f_latency", "ok"),
            ("first_shares", "ok"),
        ],
    ),
    (
        "hcc-grpc",
        &[
            ("fig5a_throughput", "ok"),
            ("fig5b_completion_against_cubic", "differs"),
            ("fig5b_completion_against_dctcp", "differs"),
            ("fig5b_completion_against_newreno", "differs"),
            ("fig5b_interactive_law_cubic", "ok"),
            ("fig5b_interactive_law_dctcp", "ok"),
            ("fig5b_interactive_law_hcc", "ok"),
            ("fig5b_interactive_law_newreno", "ok"),
            ("fig5c_queue", "differs"),
            ("fig5d_latency", "ok"),
        ],
    ),
    (
        "hcc-overhead",
        &[
            ("fig4g_received_HCC-1", "note"),
            ("fig4g_received_HCC-2", "differs"),
            ("fig4g_received_HCC-2 backlog", "note"),
            ("fig4g_received_HCC-2 backlog unquantised", "note"),
            ("fig4g_received_HCC-2 unquantised", "note"),
            ("fig4g_received_HCC-3", "note"),
            ("fig4g_without_quantisation_HCC-2", "ok"),
            ("fig4g_without_quantisation_HCC-2 backlog", "note"),
            ("fig4gh_cycles", "ok"),
            ("fig4gh_near_optimal", "ok"),
            ("fig4h_sent_HCC-1", "note"),
            ("fig4h_sent_HCC-2", "ok"),
            ("fig4h_sent_HCC-2 backlog", "note"),
            ("fig4h_sent_HCC-2 backlog unquantised", "note"),
            ("fig4h_sent_HCC-2 unquantised", "note"),
            ("fig4h_sent_HCC-3", "note"),
            ("operations_HCC-1", "note"),
            ("operations_HCC-2", "note"),
            ("operations_HCC-2 backlog", "note"),
            ("operations_HCC-2 backlog unquantised", "note"),
            ("operations_HCC-2 unquantised", "note"),
            ("operations_HCC-3", "note"),
        ],
    ),
    (
        "hcc-overhead-literal",
        &[
            ("fig4g_received_HCC-1", "note"),
            ("fig4g_received_HCC-2", "differs"),
            ("fig4g_received_HCC-2 backlog", "note"),
            ("fig4g_received_HCC-2 backlog unquantised", "note"),
            ("fig4g_received_HCC-2 unquantised", "note"),
            ("fig4g_received_HCC-3", "note"),
            ("fig4g_without_quantisation_HCC-2", "ok"),
            ("fig4g_without_quantisation_HCC-2 backlog", "note"),
            ("fig4gh_cycles", "ok"),
            ("fig4gh_near_optimal", "differs"),
            ("fig4h_sent_HCC-1", "note"),
            ("fig4h_sent_HCC-2", "ok"),
            ("fig4h_sent_HCC-2 backlog", "note"),
            ("fig4h_sent_HCC-2 backlog unquantised", "note"),
            ("fig4h_sent_HCC-2 unquantised", "note"),
            ("fig4h_sent_HCC-3", "note"),
            ("operations_HCC-1", "note"),
            ("operations_HCC-2", "note"),
            ("operations_HCC-2 backlog", "note"),
            ("operations_HCC-2 backlog unquantised", "note"),
            ("operations_HCC-2 unquantised", "note"),
            ("operations_HCC-3", "note"),
        ],
    ),
    (
        "power-fig3",
        &[
            ("current_has_no_equilibrium", "ok"),
            ("current_is_blind_to_length", "ok"),
            ("in_packets_dcqcn", "note"),
            ("in_packets_hpcc", "note"),
            ("in_packets_powertcp", "note"),
            ("in_packets_powertcp_authors", "note"),
            ("in_packets_theta_powertcp", "note"),
            ("in_packets_timely", "note"),
            ("power_has_an_equilibrium_and_loses_none", "ok"),
            ("voltage_has_an_equilibrium_and_loses_throughput", "ok"),
            ("voltage_is_blind_to_growth", "ok"),
        ],
    ),
    (
        "power-fig4-10",
        &[
            ("dcqcn_as_recorded", "ok"),
            ("homa_does_not_control_the_queue", "ok"),
            ("homa_sustains_throughput", "ok"),
            ("hpcc_as_recorded", "ok"),
            ("hpcc_loses_throughput", "ok"),
            ("hpcc_reaches_twice_the_queue", "ok"),
            ("powertcp_authors_as_recorded", "ok"),
            ("powertcp_authors_keeps_throughput", "ok"),
            ("powertcp_authors_reaches_a_near_zero_queue", "ok"),
            ("powertcp_keeps_throughput", "ok"),
            ("powertcp_reaches_a_near_zero_queue", "differs"),
            ("theta_powertcp_authors_as_recorded", "ok"),
            ("theta_powertcp_authors_keeps_throughput", "ok"),
            ("theta_powertcp_authors_reaches_a_near_zero_queue", "ok"),
            ("theta_powertcp_keeps_throughput", "ok"),
            ("theta_powertcp_reaches_a_near_zero_queue", "differs"),
            ("timely_as_recorded", "ok"),
            ("timely_does_not_control_the_queue", "ok"),
        ],
    ),
    (
        "power-fig4-255",
        &[
            ("dcqcn_as_recorded", "ok"),
            ("homa_does_not_control_the_queue", "ok"),
            ("homa_reaches_a_higher_queue", "differs"),
            ("homa_sustains_throughput", "ok"),
            ("hpcc_as_recorded", "ok"),
            ("hpcc_loses_throughput", "ok"),
            ("hpcc_reaches_twice_the_queue", "differs"),
            ("powertcp_authors_as_recorded", "ok"),
            ("powertcp_authors_keeps_throughput", "ok"),
            ("powertcp_authors_reaches_a_near_zero_queue", "ok"),
            ("powertcp_keeps_throughput", "ok"),
            ("powertcp_reaches_a_near_zero_queue", "ok"),
            ("theta_powertcp_authors_as_recorded", "ok"),
            ("theta_powertcp_authors_keeps_throughput", "ok"),
            ("theta_powertcp_authors_reaches_a_near_zero_queue", "ok"),
            ("theta_powertcp_keeps_throughput", "ok"),
            ("theta_powertcp_reaches_a_near_zero_queue", "differs"),
            ("timely_as_recorded", "ok"),
            ("timely_does_not_control_the_queue", "ok"),
        ],
    ),
    (
        "power-fig5",
        &[
            ("homa_shares", "note"),
            ("hpcc_shares", "note"),
            ("powertcp_authors_is_fair", "ok"),
            ("powertcp_is_fair", "differs"),
            ("theta_powertcp_authors_shares", "note"),
            ("theta_powertcp_shares", "note"),
            ("timely_shares", "note"),
        ],
    ),
    (
        "power-fig8",
        &[
            ("hpcc_does_not_fill", "ok"),
            ("hpcc_low_queue", "ok"),
            ("hpcc_seen", "note"),
            ("powertcp_authors_seen", "note"),
            ("powertcp_fills_in_a_round_trip", "differs"),
            ("powertcp_near_zero_queue", "ok"),
            ("powertcp_seen", "note"),
            ("powertcp_tail_against_retcp_1800_us", "differs"),
            ("powertcp_tail_against_retcp_600_us", "differs"),
            ("retcp_1800_us_fills_instantly", "ok"),
            ("retcp_1800_us_seen", "note"),
            ("retcp_600_us_fills_instantly", "ok"),
            ("retcp_600_us_seen", "note"),
        ],
    ),
    (
        "power-fig9",
        &[
            ("over_commitment_1_shares", "note"),
            ("over_commitment_2_shares", "note"),
            ("over_commitment_3_shares", "note"),
            ("over_commitment_4_shares", "note"),
            ("over_commitment_5_shares", "note"),
            ("over_commitment_6_shares", "note"),
        ],
    ),
    (
        "power-fig10",
        &[
            ("one_is_the_best", "ok"),
            ("over_commitment_1_sustains_throughput", "ok"),
            ("over_commitment_2_sustains_throughput", "ok"),
            ("over_commitment_3_sustains_throughput", "ok"),
            ("over_commitment_4_sustains_throughput", "ok"),
            ("over_commitment_5_sustains_throughput", "ok"),
            ("over_commitment_6_sustains_throughput", "ok"),
        ],
    ),
    (
        "power-fig11",
        &[
            ("one_is_the_best", "ok"),
            ("over_commitment_1_sustains_throughput", "ok"),
            ("over_commitment_2_sustains_throughput", "ok"),
            ("over_commitment_3_sustains_throughput", "ok"),
            ("over_commitment_4_sustains_throughput", "ok"),
            ("over_commitment_5_sustains_throughput", "ok"),
            ("over_commitment_6_sustains_throughput", "ok"),
        ],
    ),
];

/// Thirty runs of a hundred thousand flows: nightly alone.
const LONG: &str = "hcc-overhead";

#[test]
fn verdicts_are_those_of_the_book() {
    for &(name, book) in BOOK.iter().filter(|(name, _)| is_whole() || *name != LONG) {
        let mut got = verdicts(name);
        let finished: Vec<(String, String)> = got
            .iter()
            .filter(|(check, _)| check.starts_with("flows_finished"))
            .map(|(check, verdict)| (check.clone(), verdict.clone()))
            .collect();
        got.retain(|check, _| !check.starts_with("flows_finished"));
        let want = book
            .iter()
            .map(|(check, verdict)| (check.to_string(), verdict.to_string()));
        assert_eq!(got, want.collect(), "{name}");
        // Flows that the end of the run cuts off are never `ok`.
        let cut_off = !["fig9g", "fig9h", "fig13", "lemma-a2", "power-fig5", "power-fig9"].contains(&name);
        let verdict = if cut_off { "note" } else { "ok" };
        assert!(finished.iter().any(|(_, v)| v == verdict), "{name}: {finished:?}");
    }
}
