//! NICs around a switch with every way to collect INT and to bring it back (HPCC++, draft-miao-ccwg-hpcc 6.2 and 6.3): losses never block, nothing but an
//! acknowledgement acknowledges, and what the network's hosts do in the same scenario.

use super::star::*;
use hpcc_models::cc::hpcc::Hpcc;
use hpcc_models::cc::Carrier;
use hpcc_models::net::{Config, Direct, Feedback, FlowSpec, Outcome, SamplePlan, Sampling, Simulator, SlotParams};
use hpcc_models::nic::*;
use hpcc_models::seeds::seed;
use hpcc_models::wire::telemetry::Encapsulation;
use hpcc_models::wire::Opcode;
use proptest::prelude::*;

const RX: Carrier = Carrier::Receiver { after_queue: false };

fn carried(carrier: Carrier, ack_every: u8) -> FeedbackConfig {
    FeedbackConfig {
        carrier,
        ack_every,
        ..FeedbackConfig::default()
    }
}

fn sampled(every: u8) -> Option<SamplingConfig> {
    Some(SamplingConfig {
        every,
        at_latest_ns: 250_000,
    })
}

/// Registers of every mode, by name.
fn modes() -> Vec<(&'static str, NicConfig)> {
    let counting = |feedback| FeedbackConfig {
        count_flows: true,
        ..feedback
    };
    let acknowledging = FeedbackConfig {
        notifications_acknowledge: true,
        ..carried(Carrier::Notification, 16)
    };
    let in_format = |encapsulation, feedback| NicConfig {
        format: FormatConfig {
            encapsulation,
            ..FormatConfig::default()
        },
        ..registers(feedback)
    };
    let ack = carried(Carrier::Ack, 1);
    vec![
        ("ack", registers(ack)),
        ("coalesced 4", registers(carried(Carrier::Ack, 4))),
        ("coalesced 16", registers(carried(Carrier::Ack, 16))),
        ("notify", registers(carried(Carrier::Notification, 1))),
        ("notify 16", registers(carried(Carrier::Notification, 16))),
        ("notify and acknowledge", registers(acknowledging)),
        ("rx", registers(carried(RX, 1))),
        ("rx 16", registers(carried(RX, 16))),
        ("rx 16, flows", registers(counting(carried(RX, 16)))),
        ("ack, flows", registers(counting(ack))),
        (
            "every 4th",
            NicConfig {
                sampling: sampled(4),
                ..registers(ack)
            },
        ),
        (
            "every 16th, coalesced 16",
            NicConfig {
                sampling: sampled(16),
                ..registers(carried(Carrier::Ack, 16))
            },
        ),
        (
            "probes, coalesced 4",
            NicConfig {
                probes: Some(ProbeConfig::every(T_NS)),
                ..registers(carried(Carrier::Ack, 4))
            },
        ),
        ("ifa", in_format(Encapsulation::ALL[1], ack)),
        ("ioam", in_format(Encapsulation::ALL[2], carried(Carrier::Ack, 4))),
        (
            "ioam-incremental",
            in_format(Encapsulation::ALL[3], carried(Carrier::Notification, 4)),
        ),
        ("int-md", in_format(Encapsulation::ALL[4], carried(RX, 16))),
    ]
}

/// Without faults: everything arrives, no packet is sent twice, nothing is dropped, nobody waits for a timeout although windows shrink below what is
/// in flight.
#[test]
fn no_mode_needs_a_timeout() {
    for (name, config) in modes() {
        let mut star = Star::new(8, 250_000, 1000, &config, NONE);
        assert!(star.run(100_000_000), "{name}");
        star.completed();
        for nic in &star.nics {
            let counters = nic.counters();
            let bad = (
                counters.get(Counter::Timeouts),
                counters.get(Counter::Retransmitted),
                counters.dropped(),
                counters.get(Counter::IntBadSpeed),
            );
            assert_eq!(bad, (0, 0, 0, 0), "{name}");
            assert!(nic.idle());
        }
        let windows = star.heard.borrow().iter().filter(|heard| heard.3.is_some()).count();
        assert!(windows > 16, "{name}: the law acted {windows} times");
    }
}

/// One frame in twenty lost in each direction, feedback of every kind as well.
#[test]
fn lost_feedback_never_blocks() {
    for (name, config) in modes() {
        let faults = Faults {
            loss: 0.05,
            late: 0.0,
            seed: seed(7),
        };
        let mut star = Star::new(4, 200_000, 2000, &config, faults);
        assert!(star.run(400_000_000), "{name}");
        star.completed();
        assert!(star.lost > 50, "{name}: {}", star.lost);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Any mode, any seed, losses and reordering: what completes has arrived, byte for byte. A notification that completed a lost packet would leave a
    /// hole.
    #[test]
    fn what_completes_has_arrived(mode in 0..17usize, seed in any::<u64>(), loss in 0.0f64..0.08, late in 0.0f64..0.2) {
        let (_, config) = modes().remove(mode);
        let mut star = Star::new(2, 60_000, 1000, &config, Faults { loss, late, seed });
        prop_assert!(star.run(400_000_000));
        star.completed();
    }
}

/// The same scenario with the network's hosts.
fn network(senders: u32, bytes: u64, delay_ns: u64, change: impl Fn(&mut Config)) -> Outcome {
    let mut config = Config::paper(T_NS.into(), true);
    change(&mut config);
    let n_aware = config.feedback.count_flows;
    let mut slot = |_: &SlotParams| -> Result<Box<dyn hpcc_models::net::CcSlot>, String> {
        let law = Hpcc::<f64>::new(params(n_aware)).map_err(|error| error.to_string())?;
        Ok(Box::new(Direct::new(Box::new(law))))
    };
    let flow = |src| FlowSpec {
        src,
        dst: senders,
        bytes,
        start_ps: 0,
        dst_port: FlowSpec::DST_PORT,
    };
    let flows = (0..senders).map(flow).collect();
    let topology = hpcc_models::net::star(senders as usize + 1, 100, delay_ns);
    let mut sim = Simulator::new(&topology, flows, config, SamplePlan::default(), &mut slot).unwrap();
    sim.run_until(1_000_000_000_000);
    sim.finish()
}

fn feedback(carrier: Carrier, ack_every: u32, count_flows: bool) -> impl Fn(&mut Config) {
    move |config| {
        config.feedback = Feedback {
            carrier,
            ack_every,
            count_flows,
            ..Feedback::default()
        }
    }
}

/// As many packets back, and as late, as in the network's own model of the same rule.
#[test]
fn nics_agree_with_the_networks_hosts() {
    type Change = Box<dyn Fn(&mut Config)>;
    let sampling = |every: u32| -> Change {
        Box::new(move |config: &mut Config| {
            config.sampling = Some(Sampling {
                every,
                at_latest_ps: 250_000_000,
            })
        })
    };
    let ack = Carrier::Ack;
    let cases: Vec<(&str, NicConfig, Change)> = vec![
        ("ack", registers(carried(ack, 1)), Box::new(feedback(ack, 1, false))),
        (
            "coalesced 4",
            registers(carried(ack, 4)),
            Box::new(feedback(ack, 4, false)),
        ),
        (
            "coalesced 16",
            registers(carried(ack, 16)),
            Box::new(feedback(ack, 16, false)),
        ),
        (
            "notify 16",
            registers(carried(Carrier::Notification, 16)),
            Box::new(feedback(Carrier::Notification, 16, false)),
        ),
        ("rx 16", registers(carried(RX, 16)), Box::new(feedback(RX, 16, false))),
        (
            "every 4th",
            NicConfig {
                sampling: sampled(4),
                ..registers(carried(ack, 1))
            },
            sampling(4),
        ),
    ];
    for (name, config, change) in cases {
        let mut star = Star::new(4, 1_000_000, 1000, &config, NONE);
        assert!(star.run(100_000_000), "{name}");
        let ours = mean(&star.completed()) / 1e3;
        let outcome = network(4, 1_000_000, 1000, change);
        let times: Vec<u64> = outcome.records.iter().filter_map(|r| r.fct_ps()).collect();
        assert_eq!(times.len(), 4);
        let theirs = mean(&times) / 1e6;
        let counters = outcome.counters;
        let back = counters.acks_sent + counters.notifications;
        println!(
            "{name}: {} packets back, {ours:.1} us; network {back}, {theirs:.1} us",
            star.packets_back()
        );
        assert_eq!(star.data_packets(), counters.data_packets, "{name}");
        assert!((ours / theirs - 1.0).abs() < 0.05, "{name}: {ours} us, {theirs} us");
        let ratio = star.packets_back() as f64 / back as f64;
        assert!(
            (ratio - 1.0).abs() < 0.1,
            "{name}: {} and {back} packets back",
            star.packets_back()
        );
    }
}

/// With `T` of 9 us and MTU 1024 at 100 Gb/s one window of the receiver for about 98 packets.
#[test]
fn a_receiver_sends_one_window_a_round_trip() {
    let mut star = Star::new(1, 4_000_000, 2000, &registers(carried(RX, 16)), NONE);
    assert!(star.run(10_000_000));
    star.completed();
    let told = star.count(|opcode| opcode == Opcode::Notification);
    let packets = star.data_packets() as f64 / told as f64;
    // 9 us at the pace of 100 Gb/s and 1148 bytes charged for each packet
    let expected = 9_000.0 * 12.5 / 1148.0;
    assert!(
        (packets / expected - 1.0).abs() < 0.07,
        "{packets} packets for each window"
    );
    assert_eq!(star.nics[0].feedback_counters().notify_missing, 0);
}

/// Windows with notifications are those with INT on acknowledgements, up to what a nanosecond's difference on the way makes.
#[test]
fn notifications_control_as_acknowledgements_do() {
    let run = |feedback| {
        let mut star = Star::new(8, 400_000, 1000, &registers(feedback), NONE);
        assert!(star.run(100_000_000));
        let times = star.completed();
        let windows: Vec<f64> = star.heard.borrow().iter().filter_map(|heard| heard.3).collect();
        let mean_window = windows.iter().sum::<f64>() / windows.len() as f64;
        (mean(&times), mean_window, windows.len(), star.deepest as f64)
    };
    let ack = run(carried(Carrier::Ack, 1));
    let notify = run(carried(Carrier::Notification, 1));
    println!("ack {ack:?}, notify {notify:?}");
    assert_eq!(ack.2, notify.2, "as many times that the law acted");
    assert!((notify.0 / ack.0 - 1.0).abs() < 0.05, "{ack:?} {notify:?}");
    assert!((notify.1 / ack.1 - 1.0).abs() < 0.05, "{ack:?} {notify:?}");
}

/// The first INT that the law hears of is the first packet's, and windows in every format are close to those of Fig. 7.
#[test]
fn formats_control_alike() {
    let run = |encapsulation| {
        let config = NicConfig {
            format: FormatConfig {
                encapsulation,
                ..FormatConfig::default()
            },
            ..registers(carried(Carrier::Ack, 1))
        };
        let mut star = Star::new(8, 400_000, 1000, &config, NONE);
        assert!(star.run(100_000_000));
        let times = star.completed();
        for nic in &star.nics {
            assert_eq!(nic.feedback_counters().int_bad_format, 0);
        }
        mean(&times)
    };
    let fig7 = run(Encapsulation::Fig7);
    for format in Encapsulation::ALL {
        let time = run(format);
        // by the bytes of one hop of the format (section 10 of the design)
        let packet = 1024 + 82 + format.base_len() + format.hop_len();
        let longer = packet as f64 / (1024 + 82 + 10) as f64;
        println!(
            "{}: {:.1} us, {:.3} of Fig. 7's",
            format.name(),
            time / 1e3,
            time / fig7
        );
        assert!(
            (time / fig7 / longer - 1.0).abs() < 0.05,
            "{} {time} {fig7}",
            format.name()
        );
    }
}

/// What the receiver tells is the number of flows that send.
#[test]
fn the_number_of_flows_is_that_of_the_senders() {
    let counting = FeedbackConfig {
        count_flows: true,
        ..carried(Carrier::Ack, 1)
    };
    let star = |feedback| {
        let mut star = Star::new(6, 600_000, 1000, &registers(feedback), NONE);
        assert!(star.run(100_000_000));
        let times = star.completed();
        let told = star.count(|opcode| opcode == Opcode::Notification);
        (times, told, star.now)
    };
    let (times, told, _) = star(counting);
    let last = *times.iter().max().unwrap();
    // one for each flow and each T that it sends in
    let most = 6 * (last / u64::from(T_NS) + 2);
    assert!(told <= most && told * 4 > most * 3, "{told} of at most {most}");
    let (_, none, _) = star(carried(Carrier::Ack, 1));
    assert_eq!(none, 0);
}
