//! `hpcc-nic cosim` as its users run it: table, `--out`, exit codes, one-line errors.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn trace(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/ack-traces").join(name)
}

fn cosim(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hpcc-nic"))
        .arg("cosim")
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs on a trace made from a committed one by `change`; returns the exit code and standard error.
fn on_changed(change: impl Fn(&str) -> String) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    let whole = std::fs::read_to_string(trace("two_to_one.csv")).unwrap();
    std::fs::write(&file, change(&whole)).unwrap();
    let output = cosim(&["--acks", file.to_str().unwrap()]);
    let error = text(&output.stderr).replace(&format!("{}", folder.path().display()), "DIR");
    (output.status.code(), error)
}

#[test]
fn writes_table_and_rows() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.csv");
    let file = trace("incast16.csv");
    let output = cosim(&["--acks", file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert!(table.contains("2500 ACKs, 16 flows, 100 Gb/s"), "{table}");
    assert!(
        table.contains("rtl and fixed agree bit for bit on every row"),
        "{table}"
    );
    assert!(
        table.contains("golden and trace stay within 1.0e-6 on every row"),
        "{table}"
    );
    let rows = std::fs::read_to_string(out).unwrap();
    let lines: Vec<&str> = rows.lines().collect();
    assert_eq!(
        lines[0],
        "t_ns,flow,golden_u,golden_w,fixed_u,fixed_w,rtl_u,rtl_w,branch"
    );
    assert_eq!(lines.len(), 2501);
    assert!(
        lines[1].starts_with("2000004188,0,1,52000,") && lines[1].ends_with(",first"),
        "{}",
        lines[1]
    );
    assert!(lines
        .iter()
        .all(|line| line.split(',').filter(|cell| !cell.is_empty()).count() == 9));
}

/// The book's table of errors is what the command prints for the committed traces.
#[test]
fn the_books_errors_are_those_that_it_prints() {
    let book = include_str!("../../../docs/src/evidence/laws.md");
    for name in ["incast16", "two_to_one", "fat_websearch50"] {
        let output = cosim(&["--acks", trace(&format!("{name}.csv")).to_str().unwrap()]);
        let table = text(&output.stdout);
        let words = |start: &str| -> Vec<String> {
            let line = table.lines().find(|line| line.starts_with(start)).unwrap();
            line[start.len()..].split_whitespace().map(String::from).collect()
        };
        let fixed = words("fixed / golden");
        // Mean, median, 99th percentile and largest of U, then of W, then rows with another branch.
        let [u_mean, _, _, u_max, w_mean, _, w_99, w_max, branches, ..] = &fixed[..] else {
            panic!("{table}");
        };
        let row = format!("| {name} | 2500 | {u_mean} | {u_max} | {w_mean} | {w_99} | {w_max} | {branches} |");
        assert!(book.contains(&row), "{row}");
        // What the sentence below the table says of golden.
        let largest: f64 = words("golden / trace")[7].parse().unwrap();
        assert!(
            largest <= 1.7e-9 && book.contains("Golden itself meets the recorded columns to 1.7e-9"),
            "{table}"
        );
    }
}

#[test]
fn waveform_shows_the_module() {
    let folder = tempfile::tempdir().unwrap();
    let wave = folder.path().join("a.vcd");
    let file = trace("two_to_one.csv");
    let output = cosim(&["--acks", file.to_str().unwrap(), "--vcd", wave.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let mut parser = vcd::Parser::new(std::io::BufReader::new(std::fs::File::open(wave).unwrap()));
    let header = parser.parse_header().unwrap();
    let valid = header.find_var(&["hpcc", "update", "valid"]).unwrap().code;
    let rises = |command: &vcd::Command| *command == vcd::Command::ChangeScalar(valid, vcd::Value::V1);
    assert!(parser.filter(|command| rises(command.as_ref().unwrap())).count() > 1);
}

#[test]
fn a_bound_that_is_passed_is_exit_code_1() {
    let file = trace("two_to_one.csv");
    let file = file.to_str().unwrap();
    assert_eq!(
        cosim(&["--acks", file, "--max-rel-err", "0.005"]).status.code(),
        Some(0)
    );
    let output = cosim(&["--acks", file, "--max-rel-err", "1e-12"]);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(
        error.starts_with("error: golden against trace: relative error of W "),
        "{error}"
    );
    assert_eq!(error.lines().count(), 1);
}

#[test]
fn bad_input_is_exit_code_2_and_one_line() {
    let at = |fault: &str| (Some(2), format!("error: DIR/a.csv:{fault}\n"));
    let ends = "header: expected # line_rate_gbps=value and further keys, then a line of column names, got the end of the file";
    assert_eq!(on_changed(|_| String::new()), at(&format!("1: {ends}")));
    let half = |whole: &str| whole[..whole.lines().take(100).map(|l| l.len() + 1).sum::<usize>() + 60].to_string();
    let (code, error) = on_changed(half);
    assert!(
        error.starts_with("error: DIR/a.csv:101: ") && error.contains("expected 30 columns, got "),
        "{error}"
    );
    assert_eq!((code, error.lines().count()), (Some(2), 1));
    assert_eq!(
        on_changed(|whole| whole.replace(",snd_nxt", "")),
        at("13: snd_nxt: expected a column of this name")
    );
    let hops = |whole: &str| whole.replace("2000004188,0,1000,49000,1,", "2000004188,0,1000,49000,6,");
    assert_eq!(on_changed(hops), at("14: nhop: expected 0 to 5 hops, got '6'"));
    let stamp = |whole: &str| whole.replace(",100,3512383,", ",100,16777216,");
    assert_eq!(
        on_changed(stamp),
        at("14: h1_ts: expected 24 bits, 0 to 16777215, got '16777216'")
    );
    let bare = |whole: &str| {
        whole
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|l| format!("{l}\n"))
            .collect()
    };
    assert_eq!(
        on_changed(bare),
        at("1: line_rate_gbps: expected a line '# line_rate_gbps=value' above the column names")
    );
}

#[test]
fn bad_usage_is_exit_code_2() {
    let file = trace("two_to_one.csv");
    let file = file.to_str().unwrap();
    assert_eq!(cosim(&[]).status.code(), Some(2));
    assert_eq!(cosim(&["--acks", file, "--max-rel-err", "-1"]).status.code(), Some(2));
    assert_eq!(cosim(&["--acks", file, "--max-rel-err", "nan"]).status.code(), Some(2));
    let missing = cosim(&["--acks", "no/such/file.csv"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).starts_with("error: no/such/file.csv: "));
    let unwritable = cosim(&["--acks", file, "--out", "no/such/folder/out.csv"]);
    assert_eq!(unwritable.status.code(), Some(2));
    assert!(text(&unwritable.stderr).starts_with("error: no/such/folder/out.csv: "));
    assert_eq!(cosim(&["--help"]).status.code(), Some(0));
}

/// The header says which law: PowerTCP's and theta-PowerTCP's traces, golden equal to the trace in every column, fixed point close to it.
#[test]
fn the_trace_names_the_law() {
    let folder = tempfile::tempdir().unwrap();
    for (name, law) in [
        ("power_incast10_25g", "powertcp"),
        ("theta_incast10_25g", "theta-powertcp"),
    ] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("data/powertcp/{name}.csv"));
        let out = folder.path().join("out.csv");
        let output = cosim(&["--acks", file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let table = text(&output.stdout);
        assert!(table.contains(&format!("{law}, 700 ACKs")), "{table}");
        assert!(
            table.contains("golden and trace stay within 1.0e-12 on every row"),
            "{table}"
        );
        assert!(
            table.contains("rtl and fixed agree bit for bit on every row"),
            "{table}"
        );
        let rows = std::fs::read_to_string(&out).unwrap();
        let recorded = std::fs::read_to_string(&file).unwrap();
        let recorded: Vec<&str> = recorded.lines().filter(|line| !line.starts_with('#')).collect();
        let mut lines = rows.lines();
        let columns =
            "t_ns,flow,golden_power,golden_w,golden_rate_bps,golden_ref_bps,fixed_power,fixed_w,rtl_power,rtl_w";
        assert_eq!(lines.next(), Some(columns));
        for (line, want) in lines.zip(&recorded[1..]) {
            let got: Vec<&str> = line.split(',').collect();
            let want: Vec<&str> = want.rsplit(',').take(2).collect();
            assert_eq!((got[5], got[4], got.len()), (want[0], want[1], 10), "{line}");
        }
        assert_eq!(rows.lines().count(), recorded.len());
    }
}
