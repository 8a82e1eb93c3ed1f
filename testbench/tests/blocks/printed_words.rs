//! What `emit` prints of the words is what the hardware has: the C header is compiled and agrees byte by byte, the book has the tables.

use hpcc_rtl::prim::uint::U;
use hpcc_rtl::prim::word::Word;
use hpcc_rtl::sim::Stimulus;
use hpcc_rtl::words::print::c_header;
use hpcc_rtl::words::work::{Completion, CompletionStatus, WorkRequest};
use hpcc_testbench::tools::cache::workspace_dir;
use std::fmt::Write;
use std::process::Command;

/// Bytes of a word in memory.
fn bytes<T: Word>(word: T) -> Vec<u8> {
    let all: Vec<u8> = word.limbs().iter().flat_map(|limb| limb.to_le_bytes()).collect();
    all[..T::BITS.div_ceil(8)].to_vec()
}

fn work_request(random: &mut Stimulus) -> WorkRequest {
    WorkRequest {
        id: U(random.uniform(64)),
        qpn: U(random.uniform(24)),
        operation: U(random.uniform(1)),
        local_address: U(random.uniform(64)),
        local_key: U(random.uniform(32)),
        remote_address: U(random.uniform(64)),
        remote_key: U(random.uniform(32)),
        length: U(random.uniform(32)),
    }
}

fn completion(random: &mut Stimulus) -> Completion {
    Completion {
        id: U(random.uniform(64)),
        qpn: U(random.uniform(24)),
        operation: U(random.uniform(1)),
        status: CompletionStatus::ALL[random.below(CompletionStatus::ALL.len() as u64) as usize],
        status_high: U(0),
        length: U(random.uniform(32)),
        completed_at: U(random.uniform(48)),
        reserved: U(0),
    }
}

/// A program in C that sets every field of random work requests and reads every field of random completions.
fn program(random: &mut Stimulus) -> (String, String) {
    let (mut code, mut expected) = (String::new(), String::new());
    for _ in 0..20 {
        let work = work_request(random);
        code += "  memset(w, 0xff, sizeof w);\n";
        let fields = [
            ("id", work.id.0),
            ("qpn", work.qpn.0),
            ("operation", work.operation.0),
            ("local_address", work.local_address.0),
            ("local_key", work.local_key.0),
            ("remote_address", work.remote_address.0),
            ("remote_key", work.remote_key.0),
            ("length", work.length.0),
        ];
        for (field, value) in fields {
            writeln!(code, "  hpcc_work_request_set_{field}(w, UINT64_C({value}));").unwrap();
        }
        code += "  for (i = 0; i < sizeof w; i++) printf(\"%02x\", w[i]);\n  printf(\"\\n\");\n";
        bytes(work)
            .iter()
            .for_each(|byte| write!(expected, "{byte:02x}").unwrap());
        expected.push('\n');

        let done = completion(random);
        for (at, byte) in bytes(done).iter().enumerate() {
            writeln!(code, "  c[{at}] = {byte};").unwrap();
        }
        let fields = [
            ("id", done.id.0),
            ("qpn", done.qpn.0),
            ("operation", done.operation.0),
            ("status", done.status as u64),
            ("length", done.length.0),
            ("completed_at", done.completed_at.0),
        ];
        for (field, value) in fields {
            writeln!(
                code,
                "  printf(\"%llu\\n\", (unsigned long long)hpcc_completion_{field}(c));"
            )
            .unwrap();
            writeln!(expected, "{value}").unwrap();
        }
    }
    (code, expected)
}

#[test]
fn the_c_header_has_the_hardwares_layouts() {
    let scratch = tempfile::tempdir().unwrap();
    let seed = 1;
    let (code, mut expected) = program(&mut Stimulus::new(seed));
    let flushed = CompletionStatus::Flushed as u8;
    let text = format!(
        "#include <inttypes.h>\n#include <stdio.h>\n#include <string.h>\n#include \"hpcc_nic.h\"\n
int main(void)\n{{\n  uint8_t w[HPCC_WORK_REQUEST_BYTES], c[HPCC_COMPLETION_BYTES];\n  unsigned i;\n{code}
  printf(\"%d %u\\n\", HPCC_COMPLETION_STATUS_FLUSHED, HPCC_NIC_SCRATCH);\n  return 0;\n}}\n"
    );
    writeln!(expected, "{flushed} 12").unwrap();
    std::fs::write(scratch.path().join("hpcc_nic.h"), c_header()).unwrap();
    std::fs::write(scratch.path().join("words.c"), text).unwrap();
    let compiled = Command::new("cc")
        .args([
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Wpedantic",
            "-Werror",
            "words.c",
            "-o",
            "words",
        ])
        .current_dir(&scratch)
        .output()
        .expect("a C compiler named cc");
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let run = Command::new(scratch.path().join("words")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stdout), expected, "seed {seed}");
}

/// The tables themselves are compared by the test of the committed folder.
#[test]
fn the_book_includes_the_printed_tables() {
    for (page, printed) in [
        ("reference/registers.md", "hpcc_nic_regs.md"),
        ("reference/words.md", "hpcc_nic_words.md"),
    ] {
        let text = std::fs::read_to_string(workspace_dir().join("docs/src").join(page)).unwrap();
        assert!(
            text.contains(&format!("{{{{#include ../../../verilog-out/{printed}}}}}")),
            "{page}"
        );
    }
    let printed = std::fs::read_to_string(workspace_dir().join("verilog-out/hpcc_nic_regs.md")).unwrap();
    for word in ["WorkRequest", "Completion", "QpContext", "Region", "Neighbour"] {
        assert!(printed.contains(&format!("\n### {word}\n")), "{word}");
    }
}
