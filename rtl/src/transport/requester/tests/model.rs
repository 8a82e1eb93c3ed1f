//! Random work over a bad wire, block and model side by side.

use super::world::{Plan, World};
use hpcc_models::nic::{Counter, LinkConfig};

const PLAN: Plan = Plan {
    link: LinkConfig {
        loss: 0.02,
        duplicate: 0.02,
        reorder: 0.02,
        bit_error: 0.0,
        mark: 0.0,
        delay_ns: 1000,
        rate_gbps: 100.0,
    },
    wrong: 0.02,
    batch: 1,
    accept: 1.0,
    memory: 1.0,
    max_reads: 16,
    seed: 1,
    rounds: 500,
};

#[test]
fn packet_by_packet() {
    let mut world: World<20> = World::new(PLAN);
    world.run();
    assert!(world.completed.len() > 100, "{}", world.completed.len());
    for status in [0, 3, 5, 7, 8] {
        assert!(world.completed.iter().any(|done| done.1 == status), "status {status}");
    }
    for counter in [
        Counter::GhostAck,
        Counter::ReadGaps,
        Counter::NaksReceived,
        Counter::BadReadResponse,
    ] {
        assert!(world.bench.count(counter) > 0, "{counter:?}");
    }
}

#[test]
fn several_packets_at_once_with_slow_memory_and_slow_receivers() {
    let mut world: World<20> = World::new(Plan {
        batch: 5,
        accept: 0.3,
        memory: 0.03,
        max_reads: 2,
        seed: 2,
        ..PLAN
    });
    world.run();
    assert!(world.completed.len() > 100, "{}", world.completed.len());
}

#[test]
fn packets_back_to_back() {
    let mut world: World<20> = World::new(Plan {
        batch: 20,
        seed: 5,
        ..PLAN
    });
    world.run();
    assert!(world.completed.len() > 100, "{}", world.completed.len());
}

#[test]
fn short_messages_on_the_wire() {
    let mut world: World<3> = World::new(Plan {
        seed: 3,
        max_reads: 3,
        ..PLAN
    });
    world.run();
    assert!(world.completed.len() > 100, "{}", world.completed.len());
}

#[test]
fn a_wire_that_loses_a_third_ends_queue_pairs() {
    let mut world: World<20> = World::new(Plan {
        link: LinkConfig { loss: 0.3, ..PLAN.link },
        seed: 4,
        ..PLAN
    });
    world.run();
    assert!(world.completed.iter().any(|done| done.1 == 1), "retry limit");
}
