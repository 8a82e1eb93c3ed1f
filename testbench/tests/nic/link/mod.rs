//! Two NICs on a wire: memory identical whatever the wire does, or an error completion; frames that foreign tools accept.
//!
//! | file | subject |
//! | --- | --- |
//! | `mod` | the cases, on two behavioural NICs |
//! | `rtl` | the same cases on two NICs in RTL, Verilated |
//! | `filling` | payload, repeats and timeouts on an ideal wire, on both kinds of NIC |
//! | `flooding` | work beside a third host's endless flood of short frames, on both kinds of NIC |
//! | `foreign` | the frames of both before scapy and tshark |
//! | `laws` | queue pairs with different laws of congestion control, on both kinds of NIC |
//! | `sends` | SEND into receives, between two behavioural NICs |
//! | `probes` | INT of requests left to probes, between NICs of both kinds |
//! | `command` | `hpcc-nic run link` |

mod command;
mod filling;
mod flooding;
mod foreign;
mod laws;
mod probes;
mod rtl;
mod sends;

use hpcc_models::nic::queues::MemoryRegion;
use hpcc_models::nic::{Completion, LinkConfig, Status, WorkRequest, GROUPS};
use hpcc_models::sched::CapControl;
use hpcc_models::seeds::seed as fresh;
use hpcc_models::wire::TimedFrame;
use hpcc_testbench::config::NicSetup;
use hpcc_testbench::nic::link::{self, LinkOutcome};
use hpcc_testbench::nic::link_config::{LinkOperation, LinkSpec};
use hpcc_testbench::nic::link_nics::TARGET;
use hpcc_testbench::nic::link_report::{bound, findings, throughput, LEAST_PERCENT};
use hpcc_testbench::nic::{Device, DeviceError, ModelNic, RtlNic};
use hpcc_testbench::verilated::Model;
use indicatif::ProgressBar;

fn run<D: Device>(spec: &LinkSpec) -> LinkOutcome {
    link::run::<D>(spec, &ProgressBar::hidden()).unwrap()
}

fn assert_whole(spec: &LinkSpec, outcome: &LinkOutcome) {
    assert_eq!(outcome.damage(), None, "{spec:?}");
    assert!(outcome.finished, "{spec:?}");
    let failed = outcome.sides.iter().flat_map(|side| &side.completions);
    let failed: Vec<&Completion> = failed.filter(|done| done.status != Status::Ok).collect();
    assert_eq!(failed, [] as [&Completion; 0], "{spec:?}");
}

const OPERATIONS: [LinkOperation; 4] = [
    LinkOperation::Write,
    LinkOperation::Read,
    LinkOperation::Bidirectional,
    LinkOperation::BidirectionalRead,
];

const BOTH_WAYS: [LinkOperation; 2] = [LinkOperation::Bidirectional, LinkOperation::BidirectionalRead];

/// Three queue pairs over a wire that loses frames.
fn lossy(loss: f64, op: LinkOperation, int: bool, bytes: u64, messages: u64) -> LinkSpec {
    LinkSpec {
        link: LinkConfig {
            loss,
            ..LinkConfig::default()
        },
        op,
        int,
        bytes,
        messages,
        qps: 3,
        seed: fresh((loss * 1e6) as u64),
        pcap: false,
        ..LinkSpec::default()
    }
}

fn survives_loss<D: Device>(losses: &[f64], bytes: u64, messages: u64) {
    for &loss in losses {
        for op in OPERATIONS {
            for int in [false, true] {
                let spec = lossy(loss, op, int, bytes, messages);
                assert_whole(&spec, &run::<D>(&spec));
            }
        }
    }
}

#[test]
fn loss_from_a_thousandth_to_a_twentieth_leaves_identical_memory() {
    survives_loss::<ModelNic>(&[0.001, 0.01, 0.05], 70_001, 12);
}

fn survives_everything<D: Device>(operations: &[LinkOperation], seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mtu = [256, 512, 1024, 2048, 4096][seed as usize % 5];
        let spec = LinkSpec {
            link: LinkConfig {
                loss: 0.01,
                duplicate: 0.02,
                reorder: 0.02,
                bit_error: 0.01,
                ..LinkConfig::default()
            },
            op: operations[seed as usize % operations.len()],
            int: seed % 3 == 0,
            bytes: u64::from(mtu) * 20 + seed,
            mtu,
            messages: 8,
            qps: 2,
            seed: fresh(seed),
            pcap: false,
            ..LinkSpec::default()
        };
        assert_whole(&spec, &run::<D>(&spec));
    }
}

#[test]
fn all_faults_at_once_leave_identical_memory() {
    survives_everything::<ModelNic>(&OPERATIONS, 1..41);
}

/// Lengths around a packet and around three.
fn around(mtu: u32) -> Vec<u64> {
    let around = |n: u64| [n - 1, n, n + 1];
    [around(mtu.into()), around(3 * u64::from(mtu))].concat()
}

/// Short ones, and lengths around a packet.
fn every_length(mtu: u32) -> Vec<u64> {
    [vec![0, 1, 2, 3, 4, 63, 64, 65], around(mtu)].concat()
}

fn moves_lengths<D: Device>(operations: &[LinkOperation], mtu: u32, lengths: &[u64]) {
    for &bytes in lengths {
        for &op in operations {
            let spec = LinkSpec {
                op,
                bytes,
                mtu,
                messages: 20,
                int: bytes % 2 == 1,
                ..LinkSpec::default()
            };
            assert_whole(&spec, &run::<D>(&spec));
        }
    }
}

#[test]
fn every_length_around_a_packet_arrives_at_every_alignment() {
    // Messages lie end to end, so odd lengths begin everywhere in a beat.
    for mtu in [256, 1024] {
        moves_lengths::<ModelNic>(&BOTH_WAYS, mtu, &every_length(mtu));
    }
}

#[test]
fn a_dead_wire_ends_in_error_completions_and_untouched_memory() {
    dies_with_the_wire::<ModelNic>();
}

fn dies_with_the_wire<D: Device>() {
    let spec = LinkSpec {
        link: LinkConfig {
            loss: 1.0,
            ..LinkConfig::default()
        },
        messages: 3,
        retry_limit: 2,
        ..LinkSpec::default()
    };
    let outcome = run::<D>(&spec);
    let statuses: Vec<Status> = outcome.sides[0].completions.iter().map(|done| done.status).collect();
    assert_eq!(statuses, [Status::RetryExceeded, Status::Flushed, Status::Flushed]);
    assert_eq!(outcome.damage(), None);
    let checks = findings(&spec, &outcome);
    assert!(
        checks.iter().all(|check| check.passed()),
        "errors are not silent damage: {checks:?}"
    );
}

#[test]
fn the_same_seed_gives_the_same_frames() {
    let spec = LinkSpec {
        link: LinkConfig {
            loss: 0.02,
            reorder: 0.02,
            ..LinkConfig::default()
        },
        op: LinkOperation::Bidirectional,
        int: true,
        ..LinkSpec::default()
    };
    let (first, second) = (run::<ModelNic>(&spec), run::<ModelNic>(&spec));
    assert!(first.sent == second.sent && first.sides == second.sides);
    let other = LinkSpec { seed: 2, ..spec };
    assert!(run::<ModelNic>(&other).sent != first.sent);
}

/// A NIC whose memory loses one bit behind its back.
struct Spoilt(ModelNic, Vec<u8>);

impl Device for Spoilt {
    fn create(setup: &NicSetup) -> Result<Self, DeviceError> {
        Ok(Self(ModelNic::create(setup)?, Vec::new()))
    }
    fn now_ns(&self) -> u64 {
        self.0.now_ns()
    }
    fn post(&mut self, work: WorkRequest) {
        self.0.post(work);
    }
    fn offer(&mut self, at_ns: u64, frame: Vec<u8>) {
        self.0.offer(at_ns, frame);
    }
    fn advance(&mut self, to_ns: u64) -> Result<(), DeviceError> {
        self.0.advance(to_ns)?;
        self.1 = self.0.memory(TARGET).unwrap().to_vec();
        self.1[777] ^= 4;
        Ok(())
    }
    fn next_ns(&self) -> Option<u64> {
        self.0.next_ns()
    }
    fn take_sent(&mut self) -> Vec<TimedFrame> {
        self.0.take_sent()
    }
    fn take_completions(&mut self) -> Vec<Completion> {
        self.0.take_completions()
    }
    fn counters(&mut self) -> Result<Vec<(&'static str, u64)>, DeviceError> {
        self.0.counters()
    }
    fn memory(&self, address: u64) -> Option<&[u8]> {
        if address == TARGET {
            Some(&self.1)
        } else {
            self.0.memory(address)
        }
    }
    fn set_pause(&mut self, priorities: u8) {
        self.0.set_pause(priorities);
    }
    fn write_region(&mut self, region: &MemoryRegion) -> Result<(), DeviceError> {
        self.0.write_region(region)
    }
    fn remove_region(&mut self, key: u32) -> Result<(), DeviceError> {
        self.0.remove_region(key)
    }
    fn set_level(&mut self, group: usize, rate_bps: Option<f64>) -> Result<(), DeviceError> {
        self.0.set_level(group, rate_bps)
    }
    fn set_cap_control(&mut self, control: CapControl) -> Result<(), DeviceError> {
        self.0.set_cap_control(control)
    }
    fn set_cap(&mut self, flow: u32, rate_bps: Option<f64>, group: usize) -> Result<(), DeviceError> {
        self.0.set_cap(flow, rate_bps, group)
    }
    fn active(&mut self) -> Result<[u32; GROUPS], DeviceError> {
        self.0.active()
    }
    fn sent_bytes(&mut self) -> Result<[u64; GROUPS], DeviceError> {
        self.0.sent_bytes()
    }
}

#[test]
fn one_wrong_bit_in_memory_is_damage() {
    let outcome = run::<Spoilt>(&LinkSpec::default());
    // The first NIC's target region is to stay zero, so it is the one that is named.
    let damage = outcome.damage().unwrap();
    assert!(
        damage.contains("(message 0, byte 777): expected 0x00, got 0x04"),
        "{damage}"
    );
    let checks = findings(&LinkSpec::default(), &outcome);
    assert!(!checks[0].passed() && checks[0].name == "memory");
}

/// Caps and levels written while NICs run hold from then on, whatever the direction and the NIC.
fn capped<D: Device>(more: &[&str]) {
    for (by, op) in [("flow", "write"), ("group", "bidirectional"), ("group", "read")] {
        let set = ["cap_gbps=8", "cap_at_us=30", "qps=2", "bytes=30000", "messages=26"];
        let set = set.iter().chain(more).map(|text| text.to_string());
        let set: Vec<_> = set.chain([format!("cap_by={by}"), format!("op={op}")]).collect();
        let spec = LinkSpec::parse(&set).unwrap();
        let outcome = run::<D>(&spec);
        let found = findings(&spec, &outcome);
        assert!(found.iter().all(|finding| finding.passed()), "{by} {op}: {found:?}");
        let cap = found.iter().find(|finding| finding.name == "cap").unwrap();
        println!("{by} {op}: {}", cap.ours);
    }
}

#[test]
fn a_cap_written_while_it_runs_holds_in_the_model() {
    capped::<ModelNic>(&[]);
}

#[test]
fn a_cap_written_while_it_runs_holds_in_the_hardware() {
    capped::<RtlNic<Model>>(&[]);
}

/// With `cap_window_ns` a limit bounds what is in flight: 40 Gb/s for 1.5 us are eight packets of 1024 bytes in each round trip of 10 us.
fn windowed<D: Device>() {
    for by in ["flow", "group"] {
        let set = [
            "cap_gbps=40",
            "cap_window_ns=1500",
            "cap_at_us=0",
            "delay_ns=5000",
            "bytes=200000",
            "messages=2",
        ];
        let set = set.iter().map(|text| text.to_string()).chain([format!("cap_by={by}")]);
        let spec = LinkSpec::parse(&set.collect::<Vec<_>>()).unwrap();
        let outcome = run::<D>(&spec);
        let found = findings(&spec, &outcome);
        assert!(found.iter().all(|finding| finding.passed()), "{by}: {found:?}");
        let gbps = throughput(&spec, &outcome)[0].unwrap().bps / 1e9;
        // eight packets in 10 us and what it takes to send and acknowledge them, 0.4 to 4 us
        assert!((4.6..6.3).contains(&gbps), "{by}: {gbps}");
    }
}

#[test]
fn a_limit_bounds_the_window_in_the_model() {
    windowed::<ModelNic>();
}

#[test]
fn a_limit_bounds_the_window_in_the_hardware() {
    windowed::<RtlNic<Model>>();
}

#[test]
fn waiting_flows_start_apart_in_the_model() {
    capped::<ModelNic>(&["cap_dither=on"]);
}
