//! Window, pacing, pause, congestion control and faults of work requests.

use super::bench::*;
use hpcc_models::cc::{CcEvent, CongestionControl, EventKind, Update};
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use std::cell::RefCell;
use std::rc::Rc;
use Operation::Write;
use Position::Only;

fn ok(ids: &[u64]) -> Vec<(u64, Status)> {
    ids.iter().map(|id| (*id, Status::Ok)).collect()
}

#[test]
fn a_paced_down_flow_does_not_time_out_by_itself() {
    // 340 bytes at 30 Mb/s take 91 us; the window is 40 packets, 3.6 ms, the timeout 100 us.
    let config = NicConfig {
        rate_bps: 30e6,
        window: 40.0 * MTU as f64,
        ..nic_config()
    };
    let mut bench = Bench::with(config, 0, false);
    bench.post(1, Write, 0, 30 * MTU as u64);
    assert_eq!(bench.run_until(2_700_000).len(), 30);
    assert_eq!(bench.count(Counter::Timeouts), 0);
}

#[test]
fn int_with_too_many_hops_or_a_reserved_speed_still_acknowledges() {
    let mut many = vec![0x51; 42];
    many[0] = 0x90;
    let mut reserved = vec![0x51; 10];
    (reserved[0], reserved[2]) = (0x10, 0xf1);
    for (int, valid, counter) in [
        (many, true, Counter::IntManyHops),
        (reserved, false, Counter::IntBadSpeed),
    ] {
        let mut bench = Bench::new(0, true);
        bench.post(1, Write, 0, 1);
        bench.run();
        let aeth = Extension::Aeth(AethRepr {
            syndrome: Syndrome::Ack(31),
            msn: 1,
        });
        bench.receive_with_int(BthRepr::new(Opcode::Acknowledge, QPN, 0), aeth, &[], &int);
        assert_eq!((bench.done(), bench.count(counter)), (ok(&[1]), 1));
        assert_eq!(bench.events.borrow().last().unwrap().int_valid, valid);
    }
}

/// A notification of the peer tells the law where the sender of requests stands, and that of READ responses: the oldest PSN without an
/// acknowledgement and the next new one. It is not answered.
#[test]
fn a_notification_says_where_the_sender_stands() {
    let mut bench = Bench::new(0xff_fffe, true);
    bench.post(1, Write, 0, 5 * MTU as u64);
    bench.run();
    bench.ack(0xff_ffff);
    bench.receive(BthRepr::new(Opcode::Cnp, QPN, 0), Extension::None, &[0; CNP_LEN]);
    let events = bench.events.borrow();
    let heard = events
        .iter()
        .rev()
        .take(2)
        .map(|event| (event.kind, event.psn_next, event.snd_nxt, event.bytes));
    let response = (EventKind::Cnp, 0xff_fffe, 0xff_fffe, 0);
    assert_eq!(heard.collect::<Vec<_>>(), [response, (EventKind::Cnp, 0, 3, 0)]);
    drop(events);
    assert_eq!(bench.count(Counter::Cnps), 1);
    assert!(bench.run().is_empty());
}

#[test]
fn window_and_pacing_hold_after_a_rewind() {
    let config = NicConfig {
        rate_bps: 1e9,
        window: 4.0 * MTU as f64,
        ..nic_config()
    };
    let mut bench = Bench::with(config, 0, false);
    bench.post(1, Write, 0, 20 * MTU as u64);
    let first = bench.run();
    assert_eq!(
        (psns(&first), first[3].ack_req),
        (vec![0, 1, 2, 3], true),
        "the packet that fills the window"
    );
    bench.nak(1, NakCode::PsnSequence);
    let started = bench.now;
    // A flow that was idle may send one packet early, never more.
    assert_eq!(psns(&bench.run_until(started + 2_000)), [1, 2]);
    assert_eq!(psns(&bench.run_until(started + 60_000)), [3, 4]);
}

#[test]
fn pacing_meets_its_rate_within_one_percent_over_a_hundred_packets() {
    for rate_bps in [100e6, 1e9, 10e9, 99e9] {
        let config = NicConfig {
            rate_bps,
            window: 1e9,
            retry_timeout_ns: 1 << 40,
            ..nic_config()
        };
        let mut bench = Bench::with(config, 0, true);
        bench.post(1, Write, 0, 101 * MTU as u64);
        let mut times = Vec::new();
        while let Some(next) = bench.nic.next_deadline().filter(|_| times.len() < 101) {
            times.extend(bench.nic.poll(next).iter().map(|_| next));
        }
        // 256 payload, 62 headers with ICRC and INT, 40 for a full stack, 24 on the wire; 16 more with the RETH.
        let bits = ((256 + 58 + 2 + 40 + 24) * 100 + 16) as f64 * 8.0;
        let measured = bits / (times[100] - times[0]) as f64 * 1e9;
        assert!((measured / rate_bps - 1.0).abs() < 0.01, "{rate_bps}: {measured}");
    }
}

#[test]
fn pause_stops_data_and_acknowledgements_only_when_told() {
    for ack_pause in [false, true] {
        let config = NicConfig {
            ack_pause,
            ..nic_config()
        };
        let mut bench = Bench::with(config, 0, false);
        bench.nic.set_pause(0xff);
        bench.post(1, Write, 0, 1);
        let reth = Extension::Reth(RethRepr {
            address: BASE,
            key: KEY,
            length: 0,
        });
        bench.receive(BthRepr::new(Opcode::Write(Only), QPN, 0), reth, &[]);
        let opcodes: Vec<Opcode> = bench.run().iter().map(|s| s.opcode).collect();
        assert_eq!(opcodes, if ack_pause { vec![] } else { vec![Opcode::Acknowledge] });
        bench.nic.set_pause(0);
        assert_eq!(bench.run().len(), if ack_pause { 2 } else { 1 });
    }
}

#[test]
fn faults_of_work_requests_become_completions() {
    let mut bench = Bench::new(0, false);
    bench.post(1, Write, LEN as u64 - 3, 4);
    bench.post(2, Write, 0, (1 << 31) + 1);
    let other = WorkRequest {
        id: 3,
        qpn: 77,
        operation: Write,
        local_address: 0,
        local_key: 0,
        remote_address: 0,
        remote_key: 0,
        length: 0,
    };
    bench.nic.post(0, other).unwrap();
    let expected = [
        (1, Status::LocalAccessError),
        (2, Status::InvalidWork),
        (3, Status::InvalidWork),
    ];
    assert_eq!(bench.done(), expected);
    assert!(bench.run().is_empty());
}

#[test]
fn host_memory_fault_ends_the_flow() {
    let mut bench = Bench::new(0, false);
    bench.nic.add_region(Region {
        key: KEY,
        address: BASE,
        length: 1 << 20,
        remote_write: false,
        remote_read: false,
    });
    bench.post(1, Write, LEN as u64 - 4, 8);
    bench.post(2, Write, 0, 8);
    assert!(bench.run().is_empty());
    assert_eq!(bench.done(), [(1, Status::LocalOperationalError), (2, Status::Flushed)]);
}

/// Three queue pairs that could each fill the wire send in turn, whichever of them has sent last.
#[test]
fn queue_pairs_that_are_due_take_turns() {
    let config = NicConfig {
        window: 1e6,
        ..nic_config()
    };
    let mut bench = Bench::with(config, 0, false);
    for (number, first_psn) in [(1, 0x100), (2, 0x200)] {
        let config = QpConfig {
            qpn: QPN + number,
            ..qp_config(first_psn, false)
        };
        bench.nic.create_qp(config).unwrap();
    }
    for number in 0..3 {
        bench.post_on(QPN + number, u64::from(number), Write, 0, 8 * MTU as u64);
    }
    let in_turn: Vec<u32> = (0..8).flat_map(|i| [i, 0x100 + i, 0x200 + i]).collect();
    assert_eq!(psns(&bench.run()), in_turn);
}

/// Type of service of what leaves: the code point, and the ECN field on requests without INT alone.
#[test]
fn code_point_and_ecn_field_of_each_kind_of_frame() {
    const TOS: usize = 15;
    for (int, request) in [(false, 26 << 2 | 2), (true, 26 << 2)] {
        let config = NicConfig {
            dscp: 26,
            ecn: 2,
            ..nic_config()
        };
        let mut bench = Bench::with(config, 0, int);
        bench.post(1, Write, 0, 1);
        let frames = bench.nic.poll(0);
        assert_eq!(frames.iter().map(|frame| frame[TOS]).collect::<Vec<u8>>(), [request]);
        bench.write(Only, 0, 0, 1, &[7]);
        bench.now = 10_000;
        let frames = bench.nic.poll(bench.now);
        assert_eq!(frames.iter().map(|frame| frame[TOS]).collect::<Vec<u8>>(), [26 << 2]);
    }
}

/// A pause of its priority, and of no other, holds a sender's timer: it starts over when the pause ends.
#[test]
fn a_pause_of_its_priority_is_no_loss() {
    for (paused, timeouts) in [(1 << 5, 0), (1 << 4, 1)] {
        let mut bench = Bench::new(0, false);
        let config = QpConfig {
            qpn: QPN + 1,
            priority: 5,
            ..qp_config(0, false)
        };
        bench.nic.create_qp(config).unwrap();
        bench.post_on(QPN + 1, 1, Write, 0, 1);
        assert_eq!(bench.run().len(), 1);
        bench.nic.set_pause(paused);
        // the timer is 100 us: one expiry, if any
        bench.run_until(180_000);
        assert_eq!(bench.count(Counter::Timeouts), timeouts, "paused {paused:#b}");
        bench.nic.set_pause(0);
        bench.run_until(400_000);
        assert!(bench.count(Counter::Timeouts) > timeouts);
    }
}

/// A law that wants one tick for a flow.
struct Ticker {
    at: u64,
    ticks: Rc<RefCell<Vec<u64>>>,
}

impl CongestionControl for Ticker {
    fn name(&self) -> &'static str {
        "ticker"
    }

    fn create(&mut self, flow: u32, generation: u8) -> Update {
        Update {
            flow,
            generation,
            window: 1e6,
            rate: 1e9,
        }
    }

    fn remove(&mut self, _flow: u32) {}

    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        if event.kind == EventKind::Tick {
            self.ticks.borrow_mut().push(event.now);
        }
        None
    }

    fn next_tick(&self, flow: u32) -> Option<u64> {
        (flow == 2 * QPN && self.ticks.borrow().is_empty()).then_some(self.at)
    }
}

/// A tick comes at the time at which the law wants it, not before and not after.
#[test]
fn a_law_gets_its_tick_in_time() {
    let ticks = Rc::new(RefCell::new(Vec::new()));
    let law = Ticker {
        at: 5_000,
        ticks: ticks.clone(),
    };
    let mut nic = Nic::new(nic_config(), BlockMemory::default(), Some(Box::new(law)));
    nic.create_qp(qp_config(0, true)).unwrap();
    assert_eq!(nic.next_deadline(), Some(5_000));
    nic.poll(4_999);
    assert!(ticks.borrow().is_empty());
    nic.poll(5_000);
    assert_eq!(*ticks.borrow(), [5_000]);
}
