//! Configuration files of the authors' simulator: what is read, what is refused, and what the network is under them.

use super::*;
use crate::net::{star, LinkChange};

#[test]
fn reads_maps_rates_and_flags() {
    let text = "CC_MODE 3\nRATE_AI 52287582bps\nKMAX_MAP 1 25000000000 400\nKMIN_MAP 1 25000000000 100\n\
                PMAX_MAP 1 25000000000 0.20\nNEW_KEY 1\nTOPOLOGY_FILE x y.txt\n";
    let c = Ns3Config::read("c", text).unwrap();
    assert_eq!((c.cc_mode, c.rate_ai), (CcMode::Hpcc, 52_287_582));
    assert_eq!(
        c.ecn[&25_000_000_000],
        EcnRule {
            k_min: 100_000,
            k_max: 400_000,
            p_max: 0.2
        }
    );
    assert_eq!(c.warnings, ["c:6: NEW_KEY: unknown key, ignored"]);
}

/// What the simulator has without a line of its own, from its source: `RATE_BOUND` 1, four KB of reserve for every port, resume three
/// KB below the threshold, which is an eighth of what is free.
#[test]
fn an_empty_file_is_the_simulators_own_defaults() {
    let c = Ns3Config::read("c", "").unwrap();
    assert!(c.rate_bound && c.multi_rate && c.fast_react && !c.ack_high_prio);
    assert_eq!((c.u_target, c.mi_thresh, c.int_multi), (0.95, 5, 1));
    let network = c.network();
    assert_eq!((network.port_reserve, network.resume_offset), (4096, 3072));
    let FlowControl::Pfc {
        shift,
        faster_ports_get_more,
    } = network.flow_control
    else {
        panic!("no pause: {:?}", network.flow_control);
    };
    assert!(shift == 3 && faster_ports_get_more);
}

/// 14 + 20 + 8 + 6 bytes of headers around 1000 of payload, and what the law's packets carry besides: 42 bytes of INT, 8 of TIMELY's time
/// stamp, nothing for marks; an ACK has 14 + 20 + 12 and returns the same.
#[test]
fn packets_are_as_long_as_that_simulators() {
    for (mode, data, ack) in [(3, 1090, 88), (7, 1056, 54), (1, 1048, 46), (8, 1048, 46)] {
        let framing = Ns3Config::read("c", &format!("CC_MODE {mode}\n"))
            .unwrap()
            .network()
            .framing;
        assert_eq!(
            (
                framing.data_header + framing.int_base + 1000,
                framing.ack_header + framing.echo_base
            ),
            (data, ack),
            "CC_MODE {mode}"
        );
    }
}

#[test]
fn comments_and_line_ends_do_not_count() {
    let text = "# a heading\r\nVAR_WIN 1 {0: fixed size of window, 1: variable window}\r\n\r\nU_TARGET 0.9 // eta\r\n\
                LINK_DOWN 0 0 0 {a b c: take down}\r\nTRACE_FILE\r\n";
    let c = Ns3Config::read("c", text).unwrap();
    assert_eq!((c.var_win, c.u_target, c.warnings.len()), (true, 0.9, 0));
    let warnings = Ns3Config::read("c", "CC_MODE 3\nHAS_WIN 0").unwrap().warnings;
    assert!(warnings[0].starts_with("c: HAS_WIN 0:"), "{warnings:?}");
    // What the simulator does without the line.
    assert!(c.multi_rate);
}

#[test]
fn one_line_errors() {
    let error = |text: &str| Ns3Config::read("c.txt", text).unwrap_err().to_string();
    assert_eq!(
        error("\nCC_MODE 9"),
        "c.txt:2: CC_MODE: expected 1 (DCQCN), 3 (HPCC), 7 (TIMELY) or 8 (DCTCP), got `9`"
    );
    assert_eq!(
        error("HAS_WIN 1\nCC_MODE 3\nHAS_WIN 0"),
        "c.txt:3: HAS_WIN: expected this key once, got `0`"
    );
    assert_eq!(
        error("FAST_REACT yes"),
        "c.txt:1: FAST_REACT: expected 0 or 1, got `yes`"
    );
    assert_eq!(
        error("SAMPLE_FEEDBACK 1 {get INT once per RTT}"),
        "c.txt:1: SAMPLE_FEEDBACK: expected 0 (not modelled), got `1`"
    );
    assert!(error("KMIN_MAP 2 25000000000 1").contains("expected a count, then that many pairs"));
    assert!(error("KMIN_MAP 1 25000000000 1").contains("which KMIN_MAP has"));
    for map in [
        "KMIN_MAP 1 25000000000 1.5",
        "KMAX_MAP 1 25000000000 4294967296",
        "PMAX_MAP 1 25e9 0.2",
        "PMAX_MAP 1 1 1.1",
        "KMIN_MAP",
    ] {
        assert!(error(map).contains("speed in bits per second and "), "{map}");
    }
}

fn change(line: &str) -> Result<Option<LinkChange>, String> {
    let config = Ns3Config::read("c", &format!("CC_MODE 3\n{line}\n")).map_err(|e| e.to_string())?;
    let found = config.link_down.change("c", &star(3, 100, 1000));
    found.map_err(|e| e.to_string())
}

#[test]
fn the_link_is_found_from_both_ends() {
    for line in ["LINK_DOWN 10 1 3", "LINK_DOWN 10 3 1"] {
        let found = change(line).unwrap().unwrap();
        assert_eq!((found.at_ps, found.link, found.up), (2_000_010_000_000, 1, false));
    }
    assert_eq!(change("LINK_DOWN 0 0 0"), Ok(None));
    assert_eq!(change("LINK_DOWN 0 7 9"), Ok(None), "no link fails");
}

#[test]
fn links_that_do_not_exist_are_errors_with_their_line() {
    for (ends, got) in [("0 1", "0 1"), ("0 0", "0 0"), ("0 4", "0 4")] {
        let expected = format!("c:2: LINK_DOWN: expected two nodes with a link between them, got `{got}`");
        assert_eq!(change(&format!("LINK_DOWN 10 {ends}")), Err(expected));
    }
}

/// Node 2^32 is not node 0, and a time that does not fit in picoseconds is not another one.
#[test]
fn numbers_are_not_narrowed() {
    for values in [
        "10 4294967296 3",
        "10 0 4294967299",
        "18446744073710 0 3",
        "10 -1 3",
        "10 0",
        "10 0 3 4",
    ] {
        let error = change(&format!("LINK_DOWN {values}")).unwrap_err();
        assert_eq!(
            error,
            format!("c:2: LINK_DOWN: expected microseconds from 0 to 1000000000, node, node, got `{values}`")
        );
    }
}
