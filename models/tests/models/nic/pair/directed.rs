//! Perfect wires, lossy ones and dead ones.

use super::*;
use hpcc_models::seeds::seed;

#[test]
fn perfect_wire_moves_everything_without_a_retransmission() {
    use Operation::{Read, Write};
    for (int, probes) in MODES {
        for mtu in [256, 512, 1024, 2048, 4096] {
            let list = [
                (0, Write, 100_000),
                (1, Read, 70_001),
                (0, Read, 4097),
                (1, Write, 0),
                (0, Write, 1),
                (1, Read, 0),
            ];
            let plan = Plan {
                mtu,
                int,
                probes,
                first_psn: 0xff_fff0,
                link: link(0.0, 0.0),
                seed: seed(1),
                jobs: jobs(&list),
            };
            assert_eq!(check(&plan), 0, "INT {int}, probes {probes}, MTU {mtu}");
        }
    }
}

#[test]
fn a_megabyte_each_way_under_every_loss_rate() {
    use Operation::{Read, Write};
    for (int, probes) in MODES {
        for (number, loss) in (0..).zip([0.001, 0.005, 0.01, 0.02, 0.05]) {
            let list = [
                (0, Write, 1_000_003),
                (1, Read, 300_001),
                (1, Write, 200_000),
                (0, Read, 500_000),
            ];
            let plan = Plan {
                mtu: 1024,
                int,
                probes,
                first_psn: 0xff_ff00,
                link: link(loss, 0.0),
                seed: seed(number),
                jobs: jobs(&list),
            };
            // At one in a thousand a seed in ten loses nothing of these two thousand packets.
            let again = check(&plan);
            assert!(again > 0 || loss < 0.005, "INT {int}, probes {probes}, loss {loss}");
        }
    }
}

#[test]
fn a_dead_wire_ends_in_error_completions() {
    let list = [
        (0, Operation::Write, 5000),
        (0, Operation::Read, 5000),
        (1, Operation::Read, 1),
    ];
    let plan = Plan {
        mtu: 1024,
        int: true,
        probes: true,
        first_psn: 0,
        link: link(1.0, 0.0),
        seed: seed(1),
        jobs: jobs(&list),
    };
    let (memories, completions, _) = run(&plan);
    let status: Vec<Status> = completions[0].iter().map(|completion| completion.status).collect();
    assert_eq!(status, [Status::RetryExceeded, Status::Flushed]);
    assert_eq!(completions[1][0].status, Status::RetryExceeded);
    let untouched = Plan {
        jobs: Vec::new(),
        ..plan
    };
    assert_eq!(memories, expected(&untouched));
}

#[test]
fn after_the_retry_limit_the_peers_memory_is_a_prefix() {
    // The wire fails for good in the middle of a message.
    let plan = Plan {
        mtu: 256,
        int: false,
        probes: false,
        first_psn: 0,
        link: link(0.0, 0.0),
        seed: seed(1),
        jobs: jobs(&[(0, Operation::Write, 50_000)]),
    };
    let mut pair = Pair::new([nic(0, &plan), nic(1, &plan)], plan.link, 1);
    let job = &plan.jobs[0];
    let work = WorkRequest {
        id: 0,
        qpn: QPNS[0],
        operation: job.operation,
        local_address: BASE + job.local,
        local_key: KEY,
        remote_address: BASE + job.remote,
        remote_key: KEY,
        length: job.length,
    };
    pair.nics[0].post(0, work).unwrap();
    pair.run(3_000);
    pair.links = [1, 2].map(|number| Link::new(link(1.0, 0.0), seed(number)));
    assert!(pair.run(1_000_000_000));
    assert_eq!(pair.nics[0].take_completions()[0].status, Status::RetryExceeded);
    let memory = pair.nics[1].memory().block(BASE).unwrap();
    let target = &memory[job.remote as usize..][..50_000];
    let written = (0..50_000u64)
        .take_while(|i| target[*i as usize] == byte(0, job.local + i))
        .count();
    assert!((256..50_000).contains(&written), "{written}");
    let untouched = (written as u64..50_000)
        .filter(|i| target[*i as usize] == byte(1, job.remote + i))
        .count();
    assert_eq!(untouched, 50_000 - written, "after the prefix nothing has changed");
}
