//! Queue pairs with laws of their own, beside each other in both NICs.

use super::*;
use hpcc_rtl::sim::is_whole;
use hpcc_testbench::nic::RtlNic;
use hpcc_testbench::verilated::Model;

fn spec(set: &[&str]) -> LinkSpec {
    let set: Vec<_> = ["int=on", "pcap=off"]
        .iter()
        .chain(set)
        .map(|text| text.to_string())
        .collect();
    LinkSpec::parse(&set).unwrap()
}

/// Every law and none, on a wire that loses, doubles, moves and marks: memory is whole.
fn memory_is_whole<D: Device>() {
    for (seed, op) in (1..).zip(OPERATIONS) {
        for cc in [
            "powertcp",
            "dcqcn",
            "theta-powertcp",
            "hpcc,dcqcn,powertcp,theta-powertcp",
            "theta-powertcp,none",
        ] {
            let spec = LinkSpec {
                link: LinkConfig {
                    loss: 0.01,
                    duplicate: 0.01,
                    reorder: 0.01,
                    mark: 0.01,
                    ..LinkConfig::default()
                },
                op,
                seed: fresh(seed),
                ..spec(&[&format!("cc={cc}"), "qps=4", "bytes=20001", "messages=9", "hops=2"])
            };
            assert_whole(&spec, &run::<D>(&spec));
        }
    }
}

/// Payload of one queue pair over two hops of the wire's rate, in Gb/s.
fn alone<D: Device>(cc: &str) -> f64 {
    let spec = spec(&[&format!("cc={cc}"), "bytes=262144", "messages=4", "hops=2"]);
    let outcome = run::<D>(&spec);
    assert_whole(&spec, &outcome);
    throughput(&spec, &outcome)[0].unwrap().bps / 1e9
}

/// HPCC keeps 5 % of the wire free, PowerTCP nothing; what they say differs, and the same law says the same in model and hardware.
fn laws_aim_where_they_say<D: Device>() -> [f64; 2] {
    let reached = ["hpcc", "powertcp"].map(alone::<D>);
    println!("HPCC {:.2} Gb/s, PowerTCP {:.2} Gb/s", reached[0], reached[1]);
    reached
}

/// INT that the ICRC covers on its way back, on a wire that flips bits behind the stampers: memory is whole.
fn covered_int<D: Device>() {
    for (seed, op) in (1..).zip(OPERATIONS) {
        let spec = LinkSpec {
            link: LinkConfig {
                loss: 0.01,
                bit_error: 0.02,
                ..LinkConfig::default()
            },
            op,
            seed: fresh(seed),
            ..spec(&["echo_icrc_full=on", "qps=4", "bytes=20001", "messages=9", "hops=2"])
        };
        let outcome = run::<D>(&spec);
        assert_whole(&spec, &outcome);
    }
}

#[test]
fn covered_int_in_the_model() {
    covered_int::<ModelNic>();
}

#[test]
fn rtl_covered_int_in_the_hardware() {
    covered_int::<RtlNic<Model>>();
}

/// Windows of a law that reads round-trip times, on queue pairs whose acknowledgements come only where one is asked for: nothing is sent twice.
fn round_trips_without_int<D: Device>() {
    for op in OPERATIONS {
        let spec = LinkSpec {
            op,
            int: false,
            ..spec(&["cc=theta-powertcp", "qps=8", "bytes=65536", "messages=16"])
        };
        let outcome = run::<D>(&spec);
        assert_whole(&spec, &outcome);
        assert!(outcome.sides.iter().all(|side| side.repeats == 0), "{op:?}");
    }
}

#[test]
fn round_trips_without_int_in_the_model() {
    round_trips_without_int::<ModelNic>();
}

#[test]
fn rtl_round_trips_without_int_in_the_hardware() {
    round_trips_without_int::<RtlNic<Model>>();
}

#[test]
fn all_laws_in_the_model() {
    memory_is_whole::<ModelNic>();
}

#[test]
fn rtl_all_laws_in_the_hardware() {
    memory_is_whole::<RtlNic<Model>>();
}

#[test]
fn rtl_each_law_reaches_what_the_model_does() {
    let (model, rtl) = (
        laws_aim_where_they_say::<ModelNic>(),
        laws_aim_where_they_say::<RtlNic<Model>>(),
    );
    for law in 0..2 {
        assert!((rtl[law] / model[law] - 1.0).abs() < 0.05, "{model:?} {rtl:?}");
    }
    assert!((rtl[1] - rtl[0]).abs() > 0.5, "one law for both: {rtl:?}");
}

/// Messages of the tests with DCQCN, bytes. A sender that falls back takes 27 ms for two of them.
const WHOLE: u64 = 1 << 20;
const SHORT: u64 = 1 << 18;

/// Payload of a queue pair of DCQCN without INT on a wire that marks some of its frames, Gb/s, and how many notifications came, at either end.
fn marked<D: Device>(op: LinkOperation, mark: f64, bytes: u64) -> (f64, u64) {
    let (mark, bytes) = (format!("mark={mark}"), format!("bytes={bytes}"));
    let texts = ["pcap=off", "cc=dcqcn", &bytes, "messages=2", "hops=0", &mark];
    let spec = LinkSpec {
        op,
        ..LinkSpec::parse(&texts.map(String::from)).unwrap()
    };
    let outcome = run::<D>(&spec);
    assert_whole(&spec, &outcome);
    let counters = outcome.sides.iter().flat_map(|side| &side.counters);
    let cnps = counters
        .filter(|(name, _)| *name == "cnps")
        .map(|(_, count)| count)
        .sum();
    let reached = throughput(&spec, &outcome).into_iter().flatten().map(|t| t.bps / 1e9);
    (reached.sum(), cnps)
}

/// Notifications reach the law of whoever sends the payload, requester or responder: what is not marked has the wire, what is marked falls back.
fn dcqcn_falls_back<D: Device>(op: LinkOperation, bytes: u64) -> [f64; 2] {
    let [(free, none), (held, some)] = [(0.0, WHOLE), (0.2, bytes)].map(|(mark, bytes)| marked::<D>(op, mark, bytes));
    println!("DCQCN, {op:?}: {free:.2} Gb/s without marks, {held:.2} Gb/s with {some} notifications");
    assert!(
        none == 0 && some > 2 && held < 0.8 * free,
        "{op:?} {free} {held} {some}"
    );
    [free, held]
}

const ONE_WAY: [LinkOperation; 2] = [LinkOperation::Write, LinkOperation::Read];

#[test]
fn dcqcn_falls_back_in_the_model() {
    for op in ONE_WAY {
        dcqcn_falls_back::<ModelNic>(op, WHOLE);
    }
}

/// With some 150 notifications the hardware falls back as far as the model. In the short run there are three or four, each a pipe later than in the model,
/// and so it is faster by what is written here: not an agreement, but what must stay as it is.
#[test]
fn rtl_dcqcn_falls_back_as_in_the_model() {
    let whole = is_whole();
    for (op, faster) in ONE_WAY.into_iter().zip([1.119, 1.141]) {
        let bytes = if whole { WHOLE } else { SHORT };
        let (model, rtl) = (
            dcqcn_falls_back::<ModelNic>(op, bytes),
            dcqcn_falls_back::<RtlNic<Model>>(op, bytes),
        );
        let [free, held] = [0, 1].map(|case| rtl[case] / model[case]);
        let (around, bound) = if whole { (1.0, 0.1) } else { (faster, 0.03) };
        assert!(
            (free - 1.0).abs() < 0.01 && (held / around - 1.0).abs() < bound,
            "{op:?} {model:?} {rtl:?}"
        );
    }
}

#[test]
fn a_law_without_int_or_of_another_name_is_refused() {
    let parse = |set: &[&str]| LinkSpec::parse(&set.iter().map(|text| text.to_string()).collect::<Vec<_>>());
    assert_eq!(parse(&["cc=powertcp"]).unwrap_err(), "cc: expected int=on beside it");
    assert_eq!(
        parse(&["int=on", "cc=hpcc,swift"]).unwrap_err(),
        "cc: expected hpcc, dcqcn, powertcp, theta-powertcp or none, got `swift`"
    );
    assert_eq!(parse(&["cc=dcqcn,hpcc"]).unwrap_err(), "cc: expected int=on beside it");
    assert_eq!(parse(&["cc=dcqcn"]).unwrap().law_names(), "dcqcn");
    assert_eq!(parse(&[]).unwrap().law_names(), "none");
    assert_eq!(parse(&["int=on", "cc=hpcc,powertcp"]).unwrap().laws, [1, 3]);
}
