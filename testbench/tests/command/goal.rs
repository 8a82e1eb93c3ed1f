//! `hpcc-nic goal`: finish times on the screen, bad schedules in one line.

use std::path::Path;
use std::process::Command;

const LINK_100G: [&str; 4] = ["--loggops", "1000000,0,0,80,0,2147483647", "--units-per-ns", "1000"];

/// Exit code, standard output and standard error of a replay.
fn goal(file: &str, more: &[&str]) -> (Option<i32>, String, String) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/goal");
    let mut command = Command::new(env!("CARGO_BIN_EXE_hpcc-nic"));
    let output = command
        .arg("goal")
        .arg(data.join(file))
        .args(more)
        .output()
        .expect("the command runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn finish_times_are_those_of_the_recorded_results() {
    let trace = "traces/alltoall_linear_p4_m65536.goal";
    for (more, file) in [(&[][..], "results.csv"), (&["--full-duplex"], "fullduplex.csv")] {
        let results =
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/goal").join(file)).expect(file);
        let wanted: Vec<&str> = results
            .lines()
            .filter_map(|line| line.strip_prefix("alltoall_linear_p4_m65536,ideal_eager,"))
            .collect();
        assert_eq!(wanted.len(), 4, "{file}");
        let (code, out, error) = goal(trace, &[&LINK_100G[..], more].concat());
        assert_eq!((code, error.as_str()), (Some(0), ""), "{file}");
        assert_eq!(out, format!("rank,finish_ns\n{}\n", wanted.join("\n")), "{file}");
    }
}

#[test]
fn bad_schedules_and_parameters_are_one_line_and_exit_code_2() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("bad.goal");
    for (text, error) in [
        (
            "num_ranks 2\nrank 0 {\na: send 10b to 5\n",
            ":3: rank 5 does not exist: the schedule has 2",
        ),
        (
            "num_ranks 2\nrank 0 {\na: send 10b to 1\n}\nrank 1 {\n}\n",
            ": rank 0, line 3 `a`: send of 10 bytes to rank 1, tag 0: no receive takes the message",
        ),
    ] {
        std::fs::write(&file, text).expect("written");
        let path = file.to_str().expect("a name");
        assert_eq!(
            goal(path, &LINK_100G),
            (Some(2), String::new(), format!("error: {path}{error}\n"))
        );
    }
    let (code, _, error) = goal("mini/mini_self.goal", &["--loggops", "1,2,3"]);
    assert_eq!(code, Some(2));
    assert!(
        error.contains("expected six whole numbers from 0 on, L,o,g,G,O,S"),
        "{error}"
    );
    let (code, _, error) = goal("mini/none.goal", &LINK_100G);
    assert!(code == Some(2) && error.contains("none.goal: "), "{error}");
}
