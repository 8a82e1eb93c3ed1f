//! A peer that is gone, and pause: the paper's configuration, Verilated.

use crate::sched::{Bench, Event, LINE, WIRE_1024};
use hpcc_models::sched::SchedRegisters;
use hpcc_rtl::sched::PaperScheduler;

/// Nobody answers: the flow is repeated, times out and ends at its retry limit, and others go on.
#[test]
fn a_dead_peer_ends_the_flow() {
    let registers = SchedRegisters {
        timeout: 50,
        retry_limit: 3,
        ..SchedRegisters::default()
    };
    let mut bench = Bench::new::<PaperScheduler>("scheduler_6x50", registers);
    bench.run(3_000);
    bench.start(11, 2, LINE, 10_240.0);
    bench.run(1_000_000);
    assert_eq!(bench.ended, [11]);
    assert_eq!(bench.sent.len(), 4 * 10, "the window, four times");
    assert!(bench.sent[10..].iter().all(|packet| packet.kind & 1 == 1));
    assert_eq!(
        bench.sent[10].kind, 7,
        "the first after a rewind asks for an acknowledgement"
    );
    assert_eq!(bench.sent[9].kind, 2, "so does the one that fills the window");
    assert_eq!(bench.get("count_timeout"), 3);
    // its number lives again under a new generation, late events of the old one are nobody's
    bench.offer(Event::Create {
        flow: 11,
        generation: 2,
        psn: 77,
        mtu: 2,
        priority: 0,
    });
    bench.offer(Event::Update {
        flow: 11,
        generation: 1,
        rate: 12.5,
        window: 1e6,
    });
    bench.offer(Event::Work {
        flow: 11,
        generation: 2,
        end: 90,
    });
    bench.run(10_000);
    assert_eq!(bench.sent.len(), 40, "no window yet");
    assert_eq!(bench.get("count_late"), 1);
    bench.offer(Event::Update {
        flow: 11,
        generation: 2,
        rate: 12.5,
        window: 1e6,
    });
    bench.run(10_000);
    assert_eq!(
        bench.sent[40..]
            .iter()
            .map(|packet| (packet.generation, packet.psn))
            .collect::<Vec<_>>(),
        (77..90).map(|psn| (2, psn)).collect::<Vec<_>>()
    );
}

/// Responses without window and timer: each restart goes on at once from its own start, at the pace of the flow, whatever was on its way.
#[test]
fn restarts_go_on_at_their_start() {
    let registers = SchedRegisters {
        timeout: 10,
        retry_limit: 0,
        ..SchedRegisters::default()
    };
    let mut bench = Bench::new::<PaperScheduler>("scheduler_6x50", registers);
    bench.run(3_000);
    bench.line = LINE;
    bench.set("command_windowless", 1);
    bench.set("command_timerless", 1);
    let rate = 2.5;
    bench.start(9, 2, rate, 0.0);
    bench.settle();
    bench.run(50_000);
    let mut expected = vec![];
    let mut from = bench.sent.len();
    // a READ, the same again from its middle, one further on, many at once, one across the end of the PSN space
    for (start, end) in [(1000, 1100), (1050, 1100), (2000, 2040), (1090, 1100), (0xff_fff0, 10)] {
        if end == 2040 {
            for i in 0..40 {
                bench.offer(Event::Restart {
                    flow: 9,
                    generation: 1,
                    start: 1500 + i,
                    end: 1600,
                });
            }
        }
        bench.offer(Event::Restart {
            flow: 9,
            generation: 1,
            start,
            end,
        });
        bench.offer(Event::Restart {
            flow: 9,
            generation: 0,
            start: 5,
            end: 6,
        });
        bench.settle();
        let settled = bench.clock;
        bench.run(80_000);
        let span = end.wrapping_sub(start) & 0xff_ffff;
        expected.clear();
        expected.extend((0..span).map(|psn| (start + psn) & 0xff_ffff));
        let sent: Vec<u32> = bench.sent[from..].iter().map(|packet| packet.psn).collect();
        // what was granted before may leave first
        let begin = sent.len() - expected.len().min(sent.len());
        assert!(begin < 60, "{begin}");
        assert_eq!(sent[begin..], expected, "{start} to {end}");
        let first = &bench.sent[from + begin];
        assert!(first.clock < settled + 150, "{} clocks", first.clock - settled);
        let last = bench.sent.last().expect("sent");
        let took = (last.clock - first.clock) as f64 * 5.0;
        let nominal = f64::from(span - 1) * 1148.0 / rate;
        assert!(
            (took - nominal).abs() < 2.0 * 1148.0 / rate + 600.0,
            "{took} ns for {nominal}"
        );
        from = bench.sent.len();
    }
    assert_eq!(
        (bench.ended.len(), bench.get("count_timeout"), bench.get("count_late")),
        (0, 0, 5)
    );
}

/// Pause holds one priority and no other, and nothing is lost by it.
#[test]
fn pause_holds_one_priority() {
    let mut bench = Bench::new::<PaperScheduler>("scheduler_6x50", SchedRegisters::default());
    bench.run(3_000);
    bench.line = LINE;
    bench.rtt = Some(5_000);
    for flow in 0..12u16 {
        bench.offer(Event::Create {
            flow,
            generation: 1,
            psn: 0,
            mtu: 2,
            priority: (flow % 2) as u8,
        });
        bench.offer(Event::Update {
            flow,
            generation: 1,
            rate: 0.5,
            window: 1e6,
        });
        bench.offer(Event::Work {
            flow,
            generation: 1,
            end: 1 << 20,
        });
    }
    bench.run(100_000);
    bench.set("pause", 2);
    bench.run(5_000);
    let from = bench.sent.len();
    bench.run(200_000);
    assert!(bench.sent[from..].iter().all(|packet| packet.flow % 2 == 0));
    assert!(bench.sent.len() - from > 400);
    bench.set("pause", 0);
    let from = bench.sent.len();
    bench.run(100_000);
    assert!(bench.sent[from..].iter().filter(|packet| packet.flow % 2 == 1).count() > 200);
}

/// A congestion control that takes nothing loses events of its queue, counted, and no acknowledgement.
#[test]
fn a_full_event_queue_costs_no_acknowledgement() {
    let mut bench = Bench::new::<PaperScheduler>("scheduler_6x50", SchedRegisters::default());
    bench.run(3_000);
    bench.line = LINE;
    bench.rtt = Some(2_000);
    bench.set("cc_ready", 0);
    // twenty packets of window: without acknowledgements no more would leave
    bench.start(11, 2, LINE, 20_480.0);
    bench.run(60_000);
    bench.rtt = None;
    bench.run(5_000);
    let sent = bench.sent.len();
    assert!(sent > 500, "{sent} packets");
    let psns = bench.sent.iter().map(|packet| packet.psn);
    assert!(psns.eq(0..sent as u32), "nothing is repeated");
    // the last window is not acknowledged
    let dropped = bench.get("count_cc_dropped") as usize;
    let held = sent - 20 - dropped;
    // 64 in the queue's RAM and two in its output stages
    assert!(
        (40..=66).contains(&held),
        "{held} events wait, {dropped} dropped of {sent}"
    );
    let before = bench.to_cc;
    bench.set("cc_ready", 1);
    bench.run(5_000);
    assert_eq!((bench.to_cc - before) as usize, held);
    assert_eq!(bench.get("count_cc_dropped") as usize, dropped);
}

/// Priority 3 is paused for a millisecond on a saturated line, ten timeouts long: priority 0 gets the whole line at once, what
/// was granted before waits, and afterwards each flow goes on where it stood, without a repeat.
#[test]
fn a_paused_priority_blocks_no_other_and_loses_nothing() {
    let registers = SchedRegisters {
        timeout: 100,
        retry_limit: 1,
        ..SchedRegisters::default()
    };
    let mut bench = Bench::new::<PaperScheduler>("scheduler_6x50", registers);
    bench.run(3_000);
    bench.line = LINE;
    bench.rtt = Some(5_000);
    for flow in 0..24u16 {
        bench.offer(Event::Create {
            flow,
            generation: 1,
            psn: 0,
            mtu: 2,
            priority: if flow % 2 == 1 { 3 } else { 0 },
        });
        bench.offer(Event::Update {
            flow,
            generation: 1,
            rate: LINE,
            window: 1e6,
        });
        bench.offer(Event::Work {
            flow,
            generation: 1,
            end: 1 << 20,
        });
    }
    bench.run(200_000);
    for round in 0..3 {
        bench.set("pause", 1 << 3);
        let from = bench.sent.len();
        bench.run(1_000_000);
        let late: Vec<usize> = (from..bench.sent.len())
            .filter(|i| bench.sent[*i].flow % 2 == 1)
            .collect();
        // what the register behind the parking place and the grant in service held
        assert!(late.len() <= 3 * 15, "{} packets after pause", late.len());
        assert!(late.iter().all(|i| i - from < 60), "round {round}: {late:?}");
        let share = (bench.sent.len() - from) as f64 * WIRE_1024 / (1_000_000.0 * LINE);
        assert!(share > 0.995, "round {round}: {share} of the line");
        bench.set("pause", 0);
        bench.run(200_000);
    }
    for flow in 0..24 {
        let psns: Vec<u32> = bench.sent.iter().filter(|p| p.flow == flow).map(|p| p.psn).collect();
        assert!(psns.len() > 200, "flow {flow}: {}", psns.len());
        assert_eq!(psns, (0..psns.len() as u32).collect::<Vec<_>>(), "flow {flow}");
    }
    assert!(bench.sent.iter().all(|packet| packet.kind & 1 == 0), "nothing repeated");
    assert_eq!((bench.get("count_timeout"), bench.ended.len()), (0, 0));
}

/// Nobody acknowledges and the priority is paused: the timer waits, and counts from the end of the pause.
#[test]
fn a_pause_is_no_timeout() {
    let registers = SchedRegisters {
        timeout: 50,
        retry_limit: 0,
        ..SchedRegisters::default()
    };
    let mut bench = Bench::new::<PaperScheduler>("scheduler_6x50", registers);
    bench.run(3_000);
    bench.start(11, 2, LINE, 10_240.0);
    bench.run(20_000);
    assert_eq!(bench.sent.len(), 10);
    bench.set("pause", 1);
    bench.run(2_000_000);
    assert_eq!((bench.ended.len(), bench.get("count_timeout")), (0, 0));
    bench.set("pause", 0);
    bench.run(40_000);
    assert_eq!(bench.ended.len(), 0);
    bench.run(200_000);
    assert_eq!(bench.ended, [11]);
}
