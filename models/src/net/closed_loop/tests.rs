//! Closed loops of flows with acknowledgements of their own: each message starts when the one before it has arrived, to the picosecond.

use crate::net::tests::greedy;
use crate::net::*;

const US: u64 = 1_000_000;

/// A loop between two hosts of a star, links of 100 Gb/s and 1 us, that pauses 5 us and makes no request from `until_ps` on.
fn exchange(loss: f64, config: Config, until_ps: u64) -> Outcome {
    let mut topology = star(4, 100, 1000);
    topology.links.iter_mut().for_each(|link| link.loss = loss);
    let mut sim = Simulator::new(&topology, Vec::new(), config, SamplePlan::default(), &mut greedy).unwrap();
    let spec = ClosedLoop {
        client: 1,
        server: 2,
        request_bytes: 1000,
        response_bytes: 3000,
        pause_ps: 5.0 * US as f64,
        pause_deviation_ps: 0.0,
        start_ps: US,
        until_ps,
        keep_window: true,
        seed: 1,
    };
    sim.add_closed_loop(spec, &mut greedy).unwrap();
    assert!(!sim.run_until(10_000_000 * US));
    assert_eq!(sim.unfinished(), 0);
    sim.finish()
}

/// A request is a packet of 1000 + 82 + 16 bytes, of 80 ps each, on two links with 1 us each. A response's packets of 1024, 1024 and 952 bytes follow
/// each other behind the 86 bytes that acknowledge the request; on the second link they wait for the first, which is the longest.
#[test]
fn a_message_starts_when_the_one_before_it_has_arrived() {
    let outcome = exchange(0.0, Config::paper(13_000, false), 50 * US);
    let request = 2 * (1098 * 80 + US);
    let response = (86 + 1122) * 80 + US + (1122 + 1106 + 1034) * 80 + US;
    let round = request + response + 5 * US;
    let requests = (50 * US - US).div_ceil(round);
    assert_eq!(outcome.records.len() as u64, 2 * requests);
    for (number, pair) in outcome.records.chunks(2).enumerate() {
        let start = US + number as u64 * round;
        assert_eq!(pair[0].started_ps, start);
        assert_eq!(pair[0].received_ps, Some(start + request));
        assert_eq!(pair[1].started_ps, start + request);
        assert_eq!(pair[1].received_ps, Some(start + request + response));
        assert!(pair[0].finished_ps > Some(pair[1].started_ps));
    }
}

/// With frames lost, acknowledgements too, the loop neither stops nor acts before a message is there, and acts once on each.
#[test]
fn lost_frames_do_not_break_a_loop() {
    let outcome = exchange(0.1, Config::paper(13_000, false), 200_000 * US);
    assert!(outcome.counters.losses > 20, "{:?}", outcome.counters);
    assert!(outcome.records.len() > 20 && outcome.records.len().is_multiple_of(2));
    let mut last = None;
    for (flow, record) in outcome.flows.iter().zip(&outcome.records) {
        if let Some((received, bytes)) = last {
            let pause = if bytes == 3000 { 5 * US } else { 0 };
            assert_eq!(record.started_ps, received + pause);
        }
        last = record.received_ps.map(|at| (at, flow.bytes));
        assert!(last.is_some() && record.finished_ps >= record.received_ps);
    }
}
