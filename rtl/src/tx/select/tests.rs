//! Random grants against what the models say: the message that holds the PSN, opcode by its place, wire bytes of real frames.

mod bench;
mod form;
mod world;

use super::Select;
use bench::Bench;
use world::{Context, Grant, Message, Read, QPS};

#[test]
fn every_grant_becomes_the_right_packet_or_none() {
    let mut bench = Bench::new(21);
    for qp in 0..QPS {
        bench.create(qp);
    }
    for round in 0..400 {
        bench.accept = [1.0, 0.6, 0.1][bench.random.below(3) as usize];
        bench.time([None, Some(0), Some(1), Some(3), Some(15)][round % 5]);
        for _ in 0..60 {
            let grant = bench.grant();
            bench.offer(grant);
            let gap = if bench.random.chance(0.2) { bench.random.below(12) } else { 0 };
            bench.clocks(gap);
        }
        bench.drain();
        let qp = bench.random.below(QPS as u64) as usize;
        if round % 2 == 0 {
            bench.create(qp);
        } else {
            for _ in 0..1 + bench.random.below(9) {
                bench.read(qp);
            }
        }
    }
    assert!(bench.seen.iter().all(|count| *count > 1500), "{:?}", bench.seen);
}

/// Packets since an acknowledgement was asked for belong to a generation: the next one of the queue pair starts at none, however many the
/// last one had sent. So its 16th packet asks, and not an earlier one.
#[test]
fn a_new_generation_counts_its_own_packets() {
    let mut bench = Bench::new(8);
    let (mut asked, mut sent) = (Vec::new(), 0);
    for (generation, packets) in [(3u8, 9u32), (4, 20), (5, 12), (6, 40)] {
        let context = Context {
            alive: true,
            generation,
            mtu: 0,
            int: true,
            priority: 0,
        };
        bench.write_context(5, context);
        bench.write_message(
            5,
            0,
            Message {
                start: 0,
                count: 200,
                generation,
                length: 200 * 256,
                ..Message::default()
            },
        );
        for psn in 0..packets {
            bench.offer(Grant {
                flow: 10,
                generation,
                psn,
                kind: 0,
            });
            // counted here and not by the bench's model
            let asks = psn % 16 == 15;
            let word = bench.expected.packets.back().expect("a packet").1;
            assert_eq!(word.ack_req, asks, "generation {generation}, {psn}");
            sent += 1;
            asked.extend(asks.then_some((generation, psn)));
        }
        bench.drain();
    }
    assert_eq!(bench.seen[0], sent);
    assert_eq!(asked, [(4, 15), (6, 15), (6, 31)]);
}

/// Clocks a packet for grants one after the other of one flow.
fn clocks_a_packet(message_packets: u32, odd: bool) -> f64 {
    let mut bench = Bench::new(4);
    let context = Context {
        alive: true,
        generation: 3,
        mtu: 0,
        int: true,
        priority: 0,
    };
    bench.write_context(5, context);
    for slot in 0..16u32 {
        let m = Message {
            start: slot * message_packets,
            count: message_packets,
            generation: 3,
            length: message_packets * 256,
            ..Message::default()
        };
        bench.write_message(5, slot as usize, m);
    }
    // as many packets of requests as of responses
    let count = 8 * message_packets;
    for tag in 0..8u8 {
        let length = message_packets * 256;
        bench.write_read(
            5,
            Read {
                generation: 3,
                first: u32::from(tag) * message_packets,
                count: message_packets,
                length,
                tag,
                ..Read::default()
            },
        );
    }
    let start = bench.clock;
    for psn in 0..count {
        bench.offer(Grant {
            flow: 10 + u16::from(odd),
            generation: 3,
            psn,
            kind: 0,
        });
    }
    let took = (bench.clock - start) as f64 / f64::from(count);
    bench.drain();
    assert_eq!(bench.seen[0], u64::from(count));
    took
}

#[test]
fn a_packet_in_sequence_takes_five_clocks() {
    for (packets, odd, most) in [(64, false, 5.1), (1, false, 6.0), (64, true, 2.2), (1, true, 8.0)] {
        let clocks = clocks_a_packet(packets, odd);
        assert!(
            clocks <= most,
            "messages of {packets} packets, odd {odd}: {clocks} clocks"
        );
    }
}

/// Eight queue pairs in turn, packets of one message or each of its own.
#[test]
fn packets_of_different_queue_pairs_take_two_clocks() {
    for message_packets in [16, 1] {
        let mut bench = Bench::new(6);
        for qp in 0..QPS {
            let context = Context {
                alive: true,
                generation: 3,
                mtu: 0,
                int: true,
                priority: 0,
            };
            bench.write_context(qp, context);
            for slot in 0..16 / message_packets {
                let m = Message {
                    start: slot * message_packets,
                    count: message_packets,
                    generation: 3,
                    length: message_packets * 256,
                    ..Message::default()
                };
                bench.write_message(qp, slot as usize, m);
            }
        }
        let start = bench.clock;
        for psn in 0..16 {
            for qp in 0..QPS {
                bench.offer(Grant {
                    flow: 2 * qp as u16,
                    generation: 3,
                    psn,
                    kind: 0,
                });
            }
        }
        let took = (bench.clock - start) as f64 / (16 * QPS) as f64;
        bench.drain();
        assert!(took < 2.05, "messages of {message_packets} packets: {took} clocks");
    }
}

#[test]
fn both_sizes_emit() {
    let mut library = crate::emit::Library::new();
    let (small, large) = (
        &mut *Box::<Select<3, 7, 6, 6>>::default(),
        &mut *Box::<Select<8, 12, 11, 9>>::default(),
    );
    library
        .add_top("select_small", small)
        .unwrap_or_else(|error| panic!("{error}"));
    library
        .add_top("select_large", large)
        .unwrap_or_else(|error| panic!("{error}"));
}
