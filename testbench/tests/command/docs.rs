//! What describes the program: generated parts of the book and of the examples, `doctor`, completions, manual pages, `registers`.

use std::path::Path;
use std::process::{Command, Output};

fn hpcc_nic(arguments: &[&str]) -> Output {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut command = Command::new(env!("CARGO_BIN_EXE_hpcc-nic"));
    command
        .args(arguments)
        .current_dir(workspace)
        .output()
        .expect("the command")
}

fn said(arguments: &[&str]) -> String {
    let output = hpcc_nic(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Committed files are what the program writes.
#[test]
fn generated_parts_are_up_to_date() {
    assert!(said(&["docs", "--check"]).starts_with("all "));
}

#[test]
fn every_command_and_code_has_a_row() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let page = |name: &str| {
        std::fs::read_to_string(workspace.join("docs/src/generated").join(name)).expect("a generated page")
    };
    let (commands, codes) = (page("commands.md"), page("codes.md"));
    for row in [
        "### Options of run\n",
        "| `--set KEY=VALUE` |",
        "| `--from-reset` |  |",
        "| `--as FORM` | `list` | What to print (list, c, python) |",
    ] {
        assert!(commands.contains(row), "{row}\n{commands}");
    }
    for row in [
        "| 0 | `HPCC_COMPLETION_STATUS_OK` |",
        "| 7 | `HPCC_COMMAND_RESULT_BUSY` |",
        "| 1 | `HPCC_LAW_CODE_HPCC` |",
    ] {
        assert!(codes.contains(row), "{row}\n{codes}");
    }
}

/// `doctor` says what is missing by name, and that the check failed.
#[test]
fn doctor_names_what_is_missing() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hpcc-nic"));
    let output = command
        .arg("doctor")
        .env("PATH", "/nowhere")
        .output()
        .expect("the command");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("MISSING: install a C++ compiler") && text.contains("What commands need:"),
        "{text}"
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stderr).trim_end(),
        "error: missing: python3, g++"
    );
}

#[test]
fn completions_and_manual_pages_know_the_commands() {
    let bash = said(&["completions", "bash"]);
    assert!(bash.contains("registers") && bash.contains("--from-reset"));
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = scratch.path().to_str().expect("text");
    assert!(said(&["man", "--out", folder]).contains(" pages"));
    let page = std::fs::read_to_string(scratch.path().join("hpcc-nic-registers.1")).expect("a page");
    assert!(page.contains("from\\-reset"), "{page}");
}

/// Another rate and round trip time change the law's parameters and nothing else of a NIC that differs in nothing else.
#[test]
fn registers_follow_rate_and_round_trip_time() {
    let scratch = tempfile::tempdir().expect("a folder");
    let list = |gbps: u32, us: u32| {
        let file = scratch.path().join(format!("{gbps}-{us}.toml"));
        let text = format!(
            "[nic]\nmac = '02:00:00:00:00:0b'\nip = '10.0.0.11'\nline_rate_gbps = {gbps}\nbase_rtt_us = {us}\n\
             [[neighbour]]\nip = '10.0.0.10'\nmac = '02:00:00:00:00:0a'\n\
             [[qp]]\nqpn = 2\nremote_qpn = 3\nremote_ip = '10.0.0.10'\nsend_psn = 0\nexpected_psn = 0\nint = true\n"
        );
        std::fs::write(&file, text).expect("written");
        said(&["registers", "--for", file.to_str().expect("text")])
    };
    let value = |list: &str, name: &str| -> u32 {
        let line = list
            .lines()
            .find(|line| line.ends_with(&format!("# {name}")))
            .expect("a line");
        let value = line.split_whitespace().nth(2).expect("a value");
        u32::from_str_radix(value.trim_start_matches("0x"), 16).expect("a number")
    };
    let (slow, fast) = (list(25, 20), list(100, 13));
    // place 2 is T in ns; LINE_RATE is UQ7.27 bytes per ns; the window, UQ23.11, is their product
    assert_eq!(
        (value(&slow, "CC_PARAM_LO[2]"), value(&fast, "CC_PARAM_LO[2]")),
        (20_000, 13_000)
    );
    assert_eq!(f64::from(value(&slow, "LINE_RATE_LO")), 25.0 / 8.0 * f64::from(1 << 27));
    assert_eq!(value(&slow, "WINDOW_LO"), 62_500 << 11);
    assert_eq!(value(&fast, "WINDOW_LO"), 162_500 << 11);
}

#[test]
fn what_the_hardware_lacks_is_refused_in_a_line() {
    let scratch = tempfile::tempdir().expect("a folder");
    let file = scratch.path().join("nic.toml");
    let text = "[nic]\nmac = '02:00:00:00:00:0b'\nip = '10.0.0.11'\n[[level]]\ngroup = 3\ngbps = 1\n";
    std::fs::write(&file, text).expect("written");
    let output = hpcc_nic(&["registers", "--for", file.to_str().expect("text")]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        (output.status.code(), error.trim_end().lines().count()),
        (Some(2), 1),
        "{error}"
    );
    assert!(error.contains("caps, groups and levels"), "{error}");
}
