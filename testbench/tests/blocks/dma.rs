//! The memory reader and writer against the behavioural AXI4 memory: every byte, every error, and how many clocks it takes.

use crate::dma_traffic::{job_list, Jobs, ReadTraffic, Shape, Summary, WriteTraffic, BASE};
use hpcc_rtl::dma::read::DmaReader;
use hpcc_rtl::dma::write::DmaWriter;
use hpcc_rtl::sim::Port;
use hpcc_rtl::transport::commit::CommitStage;
use hpcc_testbench::drive::axi_memory::Speed;
use hpcc_testbench::verilated::lockstep::{Drive, Lockstep, Random};
use hpcc_testbench::verilated::{sources, Model};
use rust_hdl::prelude::Block;

const STALLING: Speed = Speed {
    latency: 3,
    jitter: 60,
    ready: 0.4,
    offer: 0.6,
};

/// Runs the Verilog of a block until its traffic is done. That it is the RustHDL description is what the lockstep below shows.
fn run<B: Block + Default, D: Drive>(top: &str, make: impl Fn(&[Port]) -> D, done: impl Fn(&D) -> bool) -> D {
    let sources = sources(top, Box::<B>::default().as_mut()).unwrap_or_else(|error| panic!("{error}"));
    let mut model = Model::new(&sources).unwrap_or_else(|error| panic!("{error}"));
    let mut drive = make(model.ports());
    for clock in 0..1_000_000 {
        drive.drive(clock, &model.outputs, &mut model.inputs);
        if done(&drive) {
            return drive;
        }
        model.step();
    }
    panic!("not done");
}

fn read(jobs: Jobs, speed: Speed, accept: f64) -> Summary {
    let make = |ports: &[Port]| ReadTraffic::new(ports, jobs.clone(), speed, accept);
    run::<DmaReader, _>("dma_reader", make, ReadTraffic::done).finish()
}

fn write(jobs: Jobs, speed: Speed, accept: f64) -> Summary {
    let make = |ports: &[Port]| WriteTraffic::new(ports, jobs.clone(), speed, accept);
    run::<DmaWriter, _>("dma_writer", make, WriteTraffic::done).finish()
}

/// Every place in a line with every length to past two lines.
fn every_alignment() -> Jobs {
    let mut list = vec![];
    for offset in 0..64 {
        for length in 1..=130 {
            list.push((BASE + 64 * (list.len() as u64 % 400) + offset, length));
        }
    }
    Jobs::always(list)
}

/// Every place in a line with lengths around the large MTUs, before and across a page's end.
fn page_ends() -> Jobs {
    let mut list = vec![];
    for offset in 0..64 {
        for length in [255, 256, 1023, 1024, 1025, 2048, 4095, 4096] {
            for page in [0x1000, 0x1f00, 0x1c00] {
                list.push((BASE + page + offset, length));
            }
        }
    }
    Jobs::always(list)
}

#[test]
fn reader_every_alignment_and_page_end() {
    read(every_alignment(), Speed::constant(20), 1.0);
    read(page_ends(), Speed::constant(4), 1.0);
}

#[test]
fn writer_every_alignment_and_page_end() {
    write(every_alignment(), Speed::constant(20), 1.0);
    write(page_ends(), Speed::constant(4), 1.0);
}

#[test]
fn random_jobs_under_stalls_and_errors() {
    for (seed, speed, accept) in [
        (1, STALLING, 0.7),
        (2, Speed::constant(1), 1.0),
        (
            3,
            Speed {
                latency: 200,
                jitter: 100,
                ..STALLING
            },
            1.0,
        ),
        (4, Speed { ready: 0.1, ..STALLING }, 0.9),
        (
            5,
            Speed {
                latency: 1,
                jitter: 0,
                ..STALLING
            },
            0.1,
        ),
    ] {
        for shape in [Shape::Any, Shape::Short] {
            for run in [read, write] {
                let summary = run(job_list(seed, 400, shape, 0.6), speed, accept);
                assert!((5..200).contains(&summary.errors), "{summary:?}");
            }
        }
    }
}

/// A memory a microsecond away (200 clocks): a beat a clock and at most one clock more a job.
#[test]
fn one_beat_a_clock() {
    const JOBS: u64 = 300;
    const LATENCY: u64 = 200;
    for length in [1024, 2048, 4096] {
        for offset in [0, 1, 32, 63] {
            let jobs = || Jobs::always((0..JOBS).map(|i| (BASE + i % 5 * 4096 + offset, length)).collect());
            let limit = JOBS * (length / 64 + u64::from(offset > 0));
            let reader = read(jobs(), Speed::constant(LATENCY), 1.0);
            assert!(
                reader.clocks <= limit + 10,
                "reader, {length} bytes at {offset}: {reader:?}"
            );
            let writer = write(jobs(), Speed::constant(LATENCY), 1.0);
            // the last response comes a latency after the last beat
            assert!(
                writer.clocks <= limit + LATENCY + 20,
                "writer, {length} bytes at {offset}: {writer:?}"
            );
        }
    }
}

#[test]
fn reader_in_lockstep() {
    Lockstep::new("dma_reader", Box::<DmaReader>::default, |ports, seed| {
        ReadTraffic::new(ports, job_list(seed, 3000, Shape::Any, 0.7), STALLING, 0.8)
    })
    .clocks(30_000)
    .run()
    .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn writer_in_lockstep() {
    Lockstep::new("dma_writer", Box::<DmaWriter>::default, |ports, seed| {
        WriteTraffic::new(ports, job_list(seed, 3000, Shape::Any, 0.7), STALLING, 0.8)
    })
    .clocks(30_000)
    .run()
    .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn commit_stage_in_lockstep() {
    Lockstep::<CommitStage, Random>::random("commit_stage")
        .clocks(20_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}
