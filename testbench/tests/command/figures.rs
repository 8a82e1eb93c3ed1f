//! Verdicts of the figures, beside those of the book's table; those that take minutes nightly.

use hpcc_rtl::sim::is_whole;
use hpcc_sim::scenario::builtin;
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

/// The book's table of the HPCC paper's figures.
const TABLE: &str = include_str!("../../../docs/src/evidence/figures.md");

/// What the table says: of each scenario, verdict of each check. A row of five cells names scenarios and checks in its second cell; the last one begins
/// with the verdict.
fn table() -> BTreeMap<String, BTreeMap<String, String>> {
    let mut scenarios: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for row in TABLE.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let &[_, names, _, _, verdict] = &cells[..] else {
            continue;
        };
        let names: Vec<&str> = names.split('`').skip(1).step_by(2).collect();
        let (runs, checks): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| builtin::find(name).is_some());
        let word = verdict.split([' ', ',', ':']).next().unwrap_or_default();
        for run in runs {
            let own = scenarios.entry(run.into()).or_default();
            for check in &checks {
                let twice = own.insert(check.to_string(), word.into());
                assert_eq!(twice, None, "{run} {check} stands twice");
            }
        }
    }
    scenarios
}

/// Verdicts of the figures of other papers, whose pages have them in words; checks that start with `flows_finished` are not among them.
const BOOK: &[(&str, &[(&str, &str)])] = &[
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

/// Minutes each, unoptimised: nightly alone.
const LONG: [&str; 5] = ["hcc-overhead", "fig10", "fig11-30", "fig11-50", "fig12"];

/// Every flow ends within the run. Elsewhere some are cut off on purpose, which is never `ok`.
const ALL_END: [&str; 10] = [
    "fig9g",
    "fig9h",
    "fig10",
    "fig11-30",
    "fig11-50",
    "fig12",
    "fig13",
    "lemma-a2",
    "power-fig5",
    "power-fig9",
];

/// Runs a scenario, unless it is long and this is no night; its verdicts must be these and no others.
fn holds(name: &str, want: &BTreeMap<String, String>) {
    if LONG.contains(&name) && !is_whole() {
        return;
    }
    let (finished, got): (BTreeMap<_, _>, BTreeMap<_, _>) = verdicts(name)
        .into_iter()
        .partition(|(check, _)| check.starts_with("flows_finished"));
    assert_eq!(&got, want, "{name}");
    let verdict = if ALL_END.contains(&name) { "ok" } else { "note" };
    assert!(finished.values().any(|v| v == verdict), "{name}: {finished:?}");
}

#[test]
fn verdicts_are_those_of_the_table() {
    let table = table();
    assert!(table.len() >= 16, "{:?}", table.keys());
    for (name, want) in &table {
        holds(name, want);
    }
}

#[test]
fn verdicts_of_other_papers_are_those_of_the_book() {
    for (name, book) in BOOK {
        let want = book
            .iter()
            .map(|(check, verdict)| (check.to_string(), verdict.to_string()));
        holds(name, &want.collect());
    }
}
