//! Done means quiet: a removal is reported when memory has answered what was issued before. The RTL alone.

use super::peer::*;
use hpcc_models::nic::registers::offset;
use hpcc_models::nic::Operation;
use hpcc_testbench::drive::axi_memory::Speed;
use hpcc_testbench::nic::rtl::setup::{steps, Step};
use hpcc_testbench::nic::{Device, RtlNic};
use hpcc_testbench::verilated::Model;

/// Bits of `STATUS`: a command is carried out, it was, it was refused.
const BUSY: u32 = 1;
const DONE: u32 = 2;

/// Place of the queue pair that is removed.
fn place(qp: usize) -> u32 {
    let mut one = setup();
    one.qps = vec![one.qps.swap_remove(qp)];
    let found = steps(&one).unwrap().into_iter().find_map(|step| match step {
        Step::Command {
            operation: 1, index, ..
        } => Some(index),
        _ => None,
    });
    found.unwrap()
}

/// The only queue pair of its NIC, whose memory takes no address.
fn standing(qp: usize) -> RtlNic<Model> {
    let mut one = setup();
    one.qps = vec![one.qps.swap_remove(qp)];
    let mut nic = RtlNic::create(&one).unwrap();
    nic.memory_mut().speed = Speed {
        ready: 0.0,
        ..Speed::constant(60)
    };
    nic
}

fn pass(nic: &mut RtlNic<Model>, ns: u64) {
    let until = nic.now_ns() + ns;
    nic.advance(until).unwrap();
}

fn status(nic: &mut RtlNic<Model>) -> u32 {
    nic.read(offset::STATUS).unwrap() & 7
}

/// The removal is not done while memory stands still; it is done when memory has answered, and then nothing more comes.
fn removal_waits(mut nic: RtlNic<Model>, qp: usize, wait_ns: u64) -> RtlNic<Model> {
    nic.write(offset::COMMAND, 2 | place(qp) << 8).unwrap();
    for _ in 0..5 {
        pass(&mut nic, wait_ns);
        assert_eq!(status(&mut nic), BUSY, "memory has not answered");
    }
    nic.memory_mut().speed = Speed::constant(400);
    for _ in 0..500 {
        if status(&mut nic) == DONE {
            assert!(nic.memory_mut().idle(), "done while a burst has no answer");
            return nic;
        }
    }
    panic!("no end of the removal");
}

#[test]
fn removal_waits_for_the_writes_of_its_queue_pair() {
    let mut nic = standing(0);
    let frames = write(0, 0, BOTH_KEY, BOTH_AT, &[0xcc; 700]);
    let now = nic.now_ns();
    frames.into_iter().for_each(|frame| nic.offer(now, frame));
    pass(&mut nic, 3000);
    let nic = removal_waits(nic, 0, 4000);
    assert_eq!(nic.memory(BOTH_AT).unwrap()[..700], [0xcc; 700]);
}

#[test]
fn removal_waits_for_the_reads_of_its_queue_pair() {
    // payload of a request
    let mut nic = standing(0);
    let Input::Work(request) = work(1, 0, Operation::Write, 0, 700) else {
        unreachable!()
    };
    nic.post(request);
    pass(&mut nic, 3000);
    removal_waits(nic, 0, 4000);
    // payload of a READ response
    let mut nic = standing(0);
    let now = nic.now_ns();
    nic.offer(now, read(0, 0, BOTH_KEY, BOTH_AT, 700));
    pass(&mut nic, 3000);
    removal_waits(nic, 0, 4000);
}

/// A removal of a queue pair that has nothing on its way is done at once.
#[test]
fn removal_of_an_idle_queue_pair_does_not_wait() {
    let mut nic = standing(0);
    nic.write(offset::COMMAND, 2 | place(0) << 8).unwrap();
    pass(&mut nic, 2000);
    assert_eq!(status(&mut nic), DONE);
}
