//! What a result says of its program: the commit at which it was built, and a digest of the sources (FNV-1a, 64 bits) that changes with
//! every change of them, committed or not.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the command is made of, seen from this folder.
const SOURCES: [&str; 30] = [
    "../models/src",
    "../models/Cargo.toml",
    "../rtl/src",
    "../rtl/build.rs",
    "../rtl/Cargo.toml",
    "../rtl/macros/src",
    "../rtl/macros/Cargo.toml",
    "../driver/src",
    "../driver/hpcc.c",
    "../driver/hpcc.h",
    "../driver/hpcc_command.c",
    "../driver/hpcc_command.h",
    "../driver/hpcc_queues.h",
    "../driver/hpcc_ring.h",
    "../driver/build.rs",
    "../driver/Cargo.toml",
    "../driver/verbs/src",
    "../driver/verbs/Cargo.toml",
    "host/src",
    "host/Cargo.toml",
    "sim/src",
    "sim/Cargo.toml",
    "src",
    "build.rs",
    "Cargo.toml",
    "scenarios",
    "data/cdf",
    "../Cargo.toml",
    "../Cargo.lock",
    "../.cargo/config.toml",
];

fn main() {
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo:rerun-if-changed={source}");
        collect(Path::new(source), &mut files);
    }
    // A commit changes what `git` says of the same files: its log grows, and a checkout writes `HEAD`.
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists()) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    files.sort();
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for file in &files {
        let name = file.to_string_lossy().into_owned().into_bytes();
        let content = std::fs::read(file).unwrap_or_default();
        for byte in name.into_iter().chain(content) {
            digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    println!("cargo:rustc-env=HPCC_SOURCE={digest:016x}");
    println!("cargo:rustc-env=HPCC_COMMIT={}", commit());
    println!("cargo:rustc-env=HPCC_SOURCES={}", SOURCES.join(":"));
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| collect(&entry.path(), files)),
        Err(_) => files.push(path.into()),
    }
}

/// What `git` prints, in one line; `None` outside a repository.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = output
        .status
        .success()
        .then(|| String::from_utf8(output.stdout).ok())??;
    Some(text.trim().to_string())
}

/// The commit, with `+changes` if a source differs from it; `unknown` outside a repository.
fn commit() -> String {
    let Some(head) = git(&["rev-parse", "--short=12", "HEAD"]) else {
        return "unknown".into();
    };
    let status = [&["status", "--porcelain", "--"], &SOURCES[..]].concat();
    match git(&status) {
        Some(changes) if changes.is_empty() => head,
        _ => format!("{head}+changes"),
    }
}
