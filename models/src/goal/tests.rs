//! Against what LogGOPSim printed: finish times of every rank, and which texts it takes.

use super::{replay, LogGops, Reception, Schedule};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testbench/data/goal")
}

fn schedule(name: &str) -> Schedule {
    let folder = if name.starts_with("mini_") { "mini" } else { "traces" };
    let file = data().join(folder).join(format!("{name}.goal"));
    let text = std::fs::read_to_string(&file).expect("a schedule of the data");
    Schedule::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn parameters() -> BTreeMap<String, LogGops> {
    let mut reader = csv::Reader::from_path(data().join("params.csv")).expect("params.csv");
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.map(|row| {
        let number = |at: usize| row[at].parse().expect("a number");
        let params = LogGops {
            units_per_ns: number(1),
            l: number(2),
            o: number(3),
            g: number(4),
            gap_per_byte: number(5),
            overhead_per_byte: number(6),
            eager_bytes: number(7),
        };
        (row[0].to_string(), params)
    })
    .collect()
}

/// Finish times of a file of results, in units, by trace and parameters; ranks that the file leaves out are none.
fn results(file: &str, params: &BTreeMap<String, LogGops>) -> BTreeMap<(String, String), Vec<Option<u128>>> {
    let mut reader = csv::Reader::from_path(data().join(file)).expect("results");
    let mut all: BTreeMap<_, Vec<Option<u128>>> = BTreeMap::new();
    for row in reader.records() {
        let row = row.expect("a row");
        let (rank, ns): (usize, f64) = (row[2].parse().expect("a rank"), row[3].parse().expect("a time"));
        let times = all.entry((row[0].to_string(), row[1].to_string())).or_default();
        times.resize(times.len().max(rank + 1), None);
        times[rank] = Some((ns * params[&row[1]].units_per_ns as f64).round() as u128);
    }
    all
}

#[test]
fn every_rank_of_every_trace_finishes_when_loggopsim_says() {
    let params = parameters();
    let results = results("results.csv", &params);
    assert_eq!(results.len(), 72 * 6 + 18 * 4);
    for ((trace, set), times) in results {
        let ours = replay(&schedule(&trace), &params[&set], Reception::HoldsProcessor).expect(&trace);
        let ours: Vec<Option<u128>> = ours.into_iter().map(Some).collect();
        assert_eq!(ours, times, "{trace} with {set}");
    }
}

#[test]
fn reception_beside_the_processor_agrees_with_the_second_opinion() {
    let params = parameters();
    let (half, full) = (results("results.csv", &params), results("fullduplex.csv", &params));
    let mut compared = 0;
    for ((trace, set), mut times) in half {
        if !set.starts_with("ideal_") {
            continue;
        }
        for (rank, time) in full
            .get(&(trace.clone(), set.clone()))
            .into_iter()
            .flatten()
            .enumerate()
        {
            times[rank] = time.or(times[rank]);
        }
        let ours = replay(&schedule(&trace), &params[&set], Reception::FullDuplex).expect(&trace);
        let ours: Vec<Option<u128>> = ours.into_iter().map(Some).collect();
        assert_eq!(ours, times, "{trace} with {set}");
        compared += 1;
    }
    assert_eq!(compared, 72 * 2);
}

/// One case of `grammar_cases.jsonl`.
#[derive(serde::Deserialize)]
struct Case {
    name: String,
    text: String,
    simulation: String,
    suggested: String,
}

#[test]
fn texts_are_taken_and_refused_as_suggested() {
    let params = LogGops {
        l: 100,
        o: 0,
        g: 0,
        gap_per_byte: 1,
        overhead_per_byte: 0,
        eager_bytes: u64::MAX,
        units_per_ns: 1,
    };
    let cases = std::fs::read_to_string(data().join("grammar_cases.jsonl")).expect("the cases");
    let mut seen = [0, 0, 0];
    for line in cases.lines() {
        let case: Case = serde_json::from_str(line).expect("a case");
        let parsed = Schedule::parse(&case.text);
        assert_eq!(parsed.is_ok(), case.suggested == "accept", "{}: {parsed:?}", case.name);
        seen[usize::from(parsed.is_ok())] += 1;
        let (Ok(schedule), Some(times)) = (&parsed, case.simulation.strip_prefix("finish ")) else {
            continue;
        };
        // LogGOPSim's length less one wraps around for a message without bytes.
        if case.name == "zero_bytes" {
            continue;
        }
        let times: Vec<u128> = times.split(' ').map(|time| time.parse().expect("a time")).collect();
        assert_eq!(
            replay(schedule, &params, Reception::HoldsProcessor),
            Ok(times),
            "{}",
            case.name
        );
        seen[2] += 1;
    }
    assert!(seen[0] > 40 && seen[1] > 40 && seen[2] > 35, "{seen:?}");
}

#[test]
fn an_error_names_its_line_and_what_stands_there() {
    let head = "num_ranks 2\nrank 0 {\n";
    for (text, error) in [
        (
            "",
            "line 1: expected `num_ranks` and the number of ranks at the beginning, found the end of the file",
        ),
        (
            "num_ranks 2\nrank 1 {\n}\n",
            "line 2: expected `rank 0 {`, found `rank`",
        ),
        (
            &format!("{head}a: send 10b to 5\n"),
            "line 3: rank 5 does not exist: the schedule has 2",
        ),
        (
            &format!("{head}a: send 10kb to 1\n"),
            "line 3: expected `b` after the number of bytes, found `kb`",
        ),
        (
            &format!("{head}a: send 10b to 1 // x\n"),
            "line 3: expected the end of the line, found `//`",
        ),
        (
            &format!("{head}/* 1\n2 */ a: calc 1\nb: calc 1\nb requires c\n"),
            "line 6: no operation above this line of the rank has the label `c`",
        ),
        (
            &format!("{head}a: calc 1\na: calc 2\n"),
            "line 4: the label `a` stands in line 3 already",
        ),
        (
            &format!("{head}a: calc 1\nb: calc 1\nc: calc 1\na requires b\nb irequires c\nc requires b\n}}\n"),
            "line 4: the operation `b` waits for itself, by whatever way",
        ),
        (
            &format!("{head}a: send 10b to 1 tag -1\n"),
            "line 3: expected a tag (`-1`, which means any, is for receives), found `-1`",
        ),
    ] {
        assert_eq!(Schedule::parse(text).expect_err(text).to_string(), error);
    }
}

#[test]
fn what_never_ends_is_named() {
    let params = parameters()["mini_eager"];
    let run = |text: &str| {
        let schedule = Schedule::parse(text).expect("a schedule");
        replay(&schedule, &params, Reception::HoldsProcessor)
            .expect_err("never ends")
            .to_string()
    };
    assert_eq!(
        run("num_ranks 2\nrank 0 {\nm: send 8b to 1 tag 3\n}\nrank 1 {\nr: recv 8b from 0 tag 4\n}\n"),
        "rank 0, line 3 `m`: send of 8 bytes to rank 1, tag 3: no receive takes the message"
    );
    let each_waits = "num_ranks 2\nrank 0 {\nr: recv 8b from 1\ns: send 8b to 1\ns requires r\n}\n\
        rank 1 {\nr: recv 8b from 0\ns: send 8b to 0\ns requires r\n}\n";
    assert_eq!(
        run(each_waits),
        "rank 0, line 3 `r`: receive of 8 bytes from rank 1, tag 0: never gets a message"
    );
}
