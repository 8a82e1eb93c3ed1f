//! The register trace of the book's page "Bring it up" on the NIC in RTL: as a list, and as the C that a driver would compile. The peer is the
//! behavioural NIC of `examples/bring-up/peer.toml`.

use hpcc_models::nic::{Operation, WorkRequest};
use hpcc_rtl::words::work;
use hpcc_testbench::config::{pattern_byte, NicSetup};
use hpcc_testbench::nic::rtl::trace::{COMPLETED_AT, COMPLETION_BYTES};
use hpcc_testbench::nic::rtl::{host, model};
use hpcc_testbench::nic::{Device, ModelNic, RtlNic};
use hpcc_testbench::verilated::Model;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace")
        .into()
}

fn example(name: &str) -> String {
    let path = workspace().join("examples/bring-up").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A NIC in RTL that nobody has set up, its memory, and the peer.
struct Bench {
    nic: RtlNic<Model>,
    peer: ModelNic,
}

const OWN: u64 = 0x10000;
const PEER: u64 = 0x20000;
const MEMORY: usize = 4096;
/// Reads after which a poll has failed, and nanoseconds after which a completion has.
const POLLS: usize = 2000;
const PATIENCE_NS: u64 = 100_000;

impl Bench {
    fn new() -> Self {
        let mut nic = RtlNic::new(model(false).expect("the model"), 100.0).expect("a NIC");
        let bytes = (0..MEMORY as u64).map(pattern_byte).collect();
        nic.memory_mut().add(OWN, bytes);
        let setup = NicSetup::load(&workspace().join("examples/bring-up/peer.toml")).expect("the peer");
        let peer = ModelNic::create(&setup).expect("the peer");
        Self { nic, peer }
    }

    /// Time passes, and frames go from one to the other.
    fn advance(&mut self, ns: u64) {
        let to = Device::now_ns(&self.nic) + ns;
        self.nic.advance(to).expect("no fault");
        self.peer.advance(to).expect("no fault");
        for frame in self.nic.take_sent() {
            self.peer.offer(to, frame.bytes);
        }
        for frame in self.peer.take_sent() {
            self.nic.offer(to, frame.bytes);
        }
    }

    fn work(&mut self, bytes: &[u8]) {
        let limbs: Vec<u64> = bytes
            .chunks(8)
            .map(|limb| u64::from_le_bytes(limb.try_into().expect("eight")))
            .collect();
        let request = WorkRequest {
            id: work::WorkRequest::ID.get(&limbs),
            qpn: work::WorkRequest::QPN.get(&limbs) as u32,
            operation: match work::WorkRequest::OPERATION.get(&limbs) {
                0 => Operation::Write,
                _ => Operation::Read,
            },
            local_address: work::WorkRequest::LOCAL_ADDRESS.get(&limbs),
            local_key: work::WorkRequest::LOCAL_KEY.get(&limbs) as u32,
            remote_address: work::WorkRequest::REMOTE_ADDRESS.get(&limbs),
            remote_key: work::WorkRequest::REMOTE_KEY.get(&limbs) as u32,
            length: work::WorkRequest::LENGTH.get(&limbs),
        };
        // nothing of the word is lost on the way to the port
        let again: Vec<u8> = host::work_limbs(&request)
            .iter()
            .flat_map(|limb| limb.to_le_bytes())
            .collect();
        assert_eq!(again, bytes);
        self.nic.post_now(request);
    }

    /// The next completion, its time zero.
    fn completion(&mut self) -> [u8; COMPLETION_BYTES] {
        let end = Device::now_ns(&self.nic) + PATIENCE_NS;
        while Device::now_ns(&self.nic) < end {
            self.advance(100);
            if let Some(done) = self.nic.take_completions().first() {
                let mut limbs = [0; COMPLETION_BYTES / 8];
                work::Completion::ID.put(&mut limbs, done.work);
                work::Completion::QPN.put(&mut limbs, done.qpn.into());
                work::Completion::OPERATION.put(&mut limbs, u64::from(done.operation == Operation::Read));
                work::Completion::STATUS.put(&mut limbs, done.status as u64);
                work::Completion::LENGTH.put(&mut limbs, done.bytes);
                let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
                return bytes.try_into().expect("24 bytes");
            }
        }
        panic!("no completion in {PATIENCE_NS} ns");
    }

    /// The peer has what was written, and what was read is the same again; bytes beside it are as they were.
    fn check_memory(&self) {
        let (own, peer) = (
            self.nic.memory(OWN).expect("memory"),
            self.peer.memory(PEER).expect("memory"),
        );
        let sent: Vec<u8> = (0..1500).map(pattern_byte).collect();
        assert!(peer[..1500] == sent && own[0x800..0x800 + 1500] == sent);
        assert!(peer[1500..].iter().all(|byte| *byte == 0));
        assert_eq!(own[0x7ff], pattern_byte(0x7ff));
        assert_eq!(own[0x800 + 1500], pattern_byte(0x800 + 1500));
    }
}

fn number(text: &str) -> u32 {
    u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or_else(|_| panic!("a number: {text}"))
}

fn bytes(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| number(&text[at..at + 2]) as u8)
        .collect()
}

#[test]
fn the_list_leads_from_reset_to_the_first_write_and_read() {
    let mut bench = Bench::new();
    let mut done = 0;
    for line in example("trace.txt").lines().filter(|line| !line.starts_with('#')) {
        let code = line.split('#').next().expect("code");
        match code.split_whitespace().collect::<Vec<_>>()[..] {
            ["poll", at, mask, value] => {
                let (at, mask, value) = (number(at) as u16, number(mask), number(value));
                let met = (0..POLLS).any(|_| bench.nic.read(at).expect("answered") & mask == value);
                assert!(met, "{line}");
            }
            ["write", at, value] => bench.nic.write(number(at) as u16, number(value)).expect("answered"),
            ["work", word] => bench.work(&bytes(word)),
            ["completion", word] => {
                let expected = bytes(word);
                assert!(expected[COMPLETED_AT].iter().all(|byte| *byte == 0));
                assert_eq!(bench.completion().to_vec(), expected, "{line}");
                done += 1;
            }
            _ => panic!("what is this: {line}"),
        }
    }
    assert_eq!(done, 2);
    bench.check_memory();
}

/// The C compiles with the header and every warning on; its accesses, over a pipe, bring the same NIC up.
#[test]
fn the_c_does_the_same() {
    let scratch = tempfile::tempdir().expect("a folder");
    let program = scratch.path().join("bring_up");
    let built = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o"])
        .arg(&program)
        .arg("-I")
        .arg(workspace().join("verilog-out"))
        .args(["trace.c", "pipe.c"].map(|name| workspace().join("examples/bring-up").join(name)))
        .output();
    let Ok(built) = built else {
        eprintln!("NOT RUN: the_c_does_the_same: cc is missing");
        return;
    };
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let mut bench = Bench::new();
    let mut child = Command::new(&program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut input = child.stdin.take().expect("a pipe");
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut end = None;
    for line in lines {
        let line = line.expect("text");
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["read", at] => {
                let value = bench.nic.read(number(at) as u16).expect("answered");
                writeln!(input, "0x{value:x}").expect("taken");
            }
            ["write", at, value] => bench.nic.write(number(at) as u16, number(value)).expect("answered"),
            ["work", word] => bench.work(&bytes(word)),
            ["completion"] => {
                let word: String = bench.completion().iter().map(|byte| format!("{byte:02x}")).collect();
                writeln!(input, "{word}").expect("taken");
            }
            ["end", stopped] => end = Some(stopped.to_owned()),
            _ => panic!("what is this: {line}"),
        }
    }
    assert!(child.wait().expect("ends").success());
    assert_eq!(end.as_deref(), Some("0"));
    bench.check_memory();
}
