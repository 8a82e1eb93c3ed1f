//! Modes against the network's hosts, against each other and against the numbers that they promise.

use super::*;
use hpcc_models::cc::hpcc::Hpcc;
use hpcc_models::net::{Config, Direct, Feedback, FlowSpec, Outcome, SamplePlan, Sampling, Simulator, SlotParams};

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
