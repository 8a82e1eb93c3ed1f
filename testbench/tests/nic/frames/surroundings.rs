//! What the model does not have: slow memory, a MAC that does not take frames, queue pairs that come and go. The RTL alone.

use super::peer::*;
use hpcc_models::nic::{Operation, Status};
use hpcc_models::wire::*;
use hpcc_rtl::sim::Stimulus;
use hpcc_testbench::config::NicSetup;
use hpcc_testbench::drive::axi_memory::Speed;
use hpcc_testbench::nic::rtl::setup::{steps, Step};
use hpcc_testbench::nic::rtl::Stalls;
use hpcc_testbench::nic::{Device, RtlNic};
use hpcc_testbench::verilated::Model;

const QP: usize = 0;

fn nic() -> RtlNic<Model> {
    RtlNic::create(&setup()).unwrap()
}

/// Lets time pass; what was sent meanwhile, in few words.
fn pass(nic: &mut RtlNic<Model>, ns: u64) -> Vec<String> {
    let until = nic.now_ns() + ns;
    nic.advance(until).unwrap();
    nic.take_sent().iter().map(|frame| brief(&frame.bytes)).collect()
}

fn offer(nic: &mut RtlNic<Model>, frames: impl IntoIterator<Item = Vec<u8>>) {
    let now = nic.now_ns();
    frames.into_iter().for_each(|frame| nic.offer(now, frame));
}

fn post(nic: &mut RtlNic<Model>, input: Input) {
    let Input::Work(request) = input else { unreachable!() };
    nic.post(request);
}

#[test]
fn a_frame_that_the_mac_calls_bad_is_counted() {
    let mut nic = nic();
    for bad in [true, false, true] {
        nic.offer_marked(write_only(QP, 0, BOTH_KEY, BOTH_AT, &[0xcc; 20]), bad);
    }
    assert_eq!(pass(&mut nic, 3000), ["ack +0 msn 1"]);
    let counters = nic.counters().unwrap();
    let count = |name: &str| counters.iter().find(|(known, _)| *known == name).unwrap().1;
    assert_eq!((count("rx_frames"), count("drop_bad_frame")), (3, 2));
}

#[test]
fn nothing_is_acknowledged_or_read_before_memory_has_it() {
    let mut nic = nic();
    // 20 us from a write's last beat to its response, when its bytes change; reads are as slow.
    nic.memory_mut().speed = Speed::constant(4000);
    offer(
        &mut nic,
        [
            write_only(QP, 0, BOTH_KEY, BOTH_AT + 100, &[0xcc; 200]),
            read(QP, 1, BOTH_KEY, BOTH_AT + 90, 220),
            // Another queue pair does not wait for this READ, but for its own write.
            write_only(4, 0, BOTH_KEY, BOTH_AT + 1000, &[0xdd; 5]),
        ],
    );
    assert_eq!(pass(&mut nic, 19_000), [""; 0]);
    let early = pass(&mut nic, 8_000);
    assert_eq!(early, ["ack +0 msn 1", "ack +0 msn 1"]);
    assert_eq!(nic.memory(BOTH_AT).unwrap()[100..300], [0xcc; 200]);
    let until = nic.now_ns() + 60_000;
    nic.advance(until).unwrap();
    let sent = nic.take_sent();
    let response = RocePacket::parse(&sent[0].bytes, &Ports::default()).unwrap();
    let mut expected: Vec<u8> = (90..310).map(|i| at_first(BOTH_AT, i)).collect();
    expected[10..210].fill(0xcc);
    assert_eq!(response.payload, expected);
    assert_eq!(sent.len(), 1);
}

#[test]
fn a_mac_that_takes_nothing_stops_no_receiver_and_loses_no_answer() {
    let mut nic = nic();
    // Frames come no faster than the responder decides about them: the rest would be a flood.
    let stalled = |tx| {
        Some(Stalls {
            stimulus: Stimulus::new(1),
            rx: 0.7,
            tx,
            completion: 0.0,
        })
    };
    nic.set_stalls(stalled(1.0));
    // More than any queue of answers holds: the rest is as if lost on the way.
    let count = 3000;
    let frames: Vec<Vec<u8>> = (0..count)
        .map(|i| write_only(QP, i, WRITE_KEY, WRITE_AT + u64::from(i), &[i as u8]))
        .collect();
    offer(&mut nic, frames.clone());
    assert_eq!(pass(&mut nic, 150_000), [""; 0]);
    assert_eq!(nic.frames_waiting(), 0, "RX waits for TX");
    let counters: std::collections::BTreeMap<_, _> = nic.counters().unwrap().into_iter().collect();
    let lost = counters["drop_ack_queue_full"];
    assert!(lost > 0 && lost < u64::from(count), "{lost}");
    nic.set_stalls(stalled(0.0));
    let mut answers = pass(&mut nic, 150_000);
    let taken = answers.iter().filter(|text| text.starts_with("ack")).count() as u32;
    assert!(taken > 100, "{taken}");
    // The peer goes back to what has no answer, as after any loss.
    let mut rounds = 0;
    let mut next = taken;
    while next < count {
        offer(&mut nic, frames[next as usize..].iter().take(400).cloned());
        let more = pass(&mut nic, 60_000);
        let more: Vec<String> = more.into_iter().filter(|text| text.starts_with("ack")).collect();
        assert!(!more.is_empty(), "nothing more is taken behind +{next}");
        next += more.len() as u32;
        answers.extend(more);
        rounds += 1;
        assert!(rounds < 20);
    }
    let acks: Vec<&String> = answers.iter().filter(|text| text.starts_with("ack")).collect();
    for (i, answer) in acks.iter().enumerate() {
        assert_eq!(**answer, format!("ack {:+} msn {}", i, i + 1));
    }
    let memory = nic.memory(WRITE_AT).unwrap();
    assert!((0..count as usize).all(|i| memory[i] == i as u8));
}

#[test]
fn memory_that_stands_still_loses_nothing() {
    let mut nic = nic();
    // Nothing is taken and nothing offered for a long time, in the middle of everything.
    let still = Speed {
        latency: 60,
        jitter: 0,
        ready: 0.0,
        offer: 0.0,
    };
    let bytes: Vec<u8> = (0..10_000).map(|i| (i * 3) as u8).collect();
    post(&mut nic, work(1, 4, Operation::Write, 0, 5000));
    offer(&mut nic, write(QP, 0, WRITE_KEY, WRITE_AT, &bytes));
    offer(&mut nic, [read(QP, 40, READ_KEY, READ_AT, 5000)]);
    let mut sent = pass(&mut nic, 500);
    nic.memory_mut().speed = still;
    sent.extend(pass(&mut nic, 100_000));
    nic.memory_mut().speed = Speed::constant(60);
    sent.extend(pass(&mut nic, 30_000));
    let of = |start: &str| sent.iter().filter(|text| text.starts_with(start)).count();
    assert_eq!(
        (of("write"), of("response"), of("ack"), of("nak")),
        (20, 20, 1, 0),
        "{sent:?}"
    );
    assert_eq!(nic.memory(WRITE_AT).unwrap()[..10_000], bytes);
}

fn command(nic: &mut RtlNic<Model>, operation: u32, one: &NicSetup) {
    let list = steps(one).unwrap();
    let create = list
        .iter()
        .rfind(|step| matches!(step, Step::Command { operation: 1, .. }))
        .unwrap();
    let step = match (operation, create) {
        (2, Step::Command { index, .. }) => Step::Command {
            operation: 2,
            index: *index,
            body: Vec::new(),
            about: "removal".to_owned(),
        },
        _ => create.clone(),
    };
    nic.carry_out(&step).unwrap();
}

#[test]
fn a_queue_pair_made_again_hears_nothing_of_its_old_life() {
    for qp in [QP, 1] {
        let mut nic = nic();
        let mut one = setup();
        one.qps = vec![one.qps.swap_remove(qp)];
        one.qps[0].send_psn = FIRST + 2;
        one.qps[0].expected_psn = FIRST + 2;
        post(&mut nic, work(1, qp, Operation::Write, 0, 1300));
        post(&mut nic, work(2, qp, Operation::Read, 0, 600));
        // A message of the peer is half here; responses are on their way out.
        let half = write(qp, 0, WRITE_KEY, WRITE_AT, &[5; 700]);
        offer(&mut nic, half[..2].to_vec());
        pass(&mut nic, 3000);
        command(&mut nic, 2, &one);
        // Between the two lives its number is unknown.
        let Input::Frame(late) = ack(qp, 5, 0x1f) else {
            unreachable!()
        };
        offer(&mut nic, [late.clone(), half[2].clone()]);
        assert_eq!(pass(&mut nic, 3000), [""; 0]);
        command(&mut nic, 1, &one);
        let statuses = |nic: &mut RtlNic<Model>| -> Vec<(u64, Status)> {
            let done = nic.take_completions();
            done.iter().map(|done| (done.work, done.status)).collect()
        };
        assert_eq!(statuses(&mut nic), [(1, Status::Flushed), (2, Status::Flushed)]);
        // New work, of which the old life's late answers say nothing right; its READ data is nobody's.
        post(&mut nic, work(3, qp, Operation::Write, 0, 10));
        let sent = pass(&mut nic, 3000);
        assert_eq!(sent, ["write Only +2 10 req"]);
        let Input::Frame(data) = response(qp, Position::First, 6, &[1; 256]) else {
            unreachable!()
        };
        offer(&mut nic, [late, data]);
        assert_eq!(pass(&mut nic, 3000), [""; 0]);
        assert_eq!(statuses(&mut nic), []);
        // The rest of the old message is out of place now: it has no beginning.
        offer(&mut nic, [write_only(qp, 2, WRITE_KEY, WRITE_AT + 5000, &[6; 3])]);
        assert_eq!(pass(&mut nic, 3000), ["ack +2 msn 1"]);
        let Input::Frame(answer) = ack(qp, 2, 0x1f) else {
            unreachable!()
        };
        offer(&mut nic, [answer]);
        pass(&mut nic, 3000);
        assert_eq!(statuses(&mut nic), [(3, Status::Ok)]);
        let memory = nic.memory(WRITE_AT).unwrap();
        assert_eq!((memory[511], memory[5000], memory[5002]), (5, 6, 6));
        assert_eq!(memory[512], at_first(WRITE_AT, 512));
    }
}

#[test]
fn one_read_more_than_the_register_allows_is_as_if_lost() {
    let mut nic = nic();
    nic.memory_mut().speed = Speed::constant(500);
    let reads = |from: u32, to: u32| {
        (from..to)
            .map(|i| read(QP, i, READ_KEY, READ_AT, 10))
            .collect::<Vec<_>>()
    };
    offer(&mut nic, reads(0, 20));
    let sent = pass(&mut nic, 80_000);
    let expected: Vec<String> = (0..16)
        .map(|i| format!("response Only +{i} 10 msn {}", i + 1))
        .collect();
    assert!(sent.starts_with(&expected), "{sent:?}");
    let counters: std::collections::BTreeMap<_, _> = nic.counters().unwrap().into_iter().collect();
    assert!(counters["drop_read_depth"] > 0);
    // Its number was not used up.
    let next = sent.iter().filter(|text| text.starts_with("response")).count() as u32;
    offer(&mut nic, reads(next, 20));
    let rest = pass(&mut nic, 80_000);
    assert_eq!(
        rest.iter().filter(|text| text.starts_with("response")).count() as u32,
        20 - next
    );
}
