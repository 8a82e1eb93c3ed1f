//! Messages and faults that are drawn.

use super::*;
use proptest::prelude::*;

/// Lengths with the corners weighted: nothing, a byte, one less and more than a packet, long.
fn length(mtu: u32) -> impl Strategy<Value = u64> {
    let mtu = u64::from(mtu);
    prop_oneof![
        2 => prop::sample::select(vec![0, 1, 2, 3, 4, mtu - 1, mtu, mtu + 1, 2 * mtu, 3 * mtu + 1]),
        3 => 0..20 * mtu,
        1 => 0u64..100_000,
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    let mtu = prop::sample::select(vec![256u32, 512, 1024, 2048, 4096]);
    let first_psn = prop_oneof![Just(0u32), 0xff_ff00u32..0x100_0000, 0u32..0x100_0000];
    (
        mtu,
        // half of the plans probe
        prop::sample::select([&MODES[..], &[(true, true)]].concat()),
        first_psn,
        any::<u64>(),
        0.001f64..0.05,
        0.0f64..0.05,
    )
        .prop_flat_map(|(mtu, (int, probes), first_psn, seed, loss, others)| {
            let operation = prop_oneof![Just(Operation::Write), Just(Operation::Read)];
            let job = (0usize..2, operation, length(mtu));
            let long = prop::option::weighted(0.1, (0usize..2, prop::bool::ANY, 0u64..1 << 20));
            (prop::collection::vec(job, 1..12), long).prop_map(move |(mut list, long)| {
                list.extend(
                    long.map(|(from, read, length)| {
                        (from, if read { Operation::Read } else { Operation::Write }, length)
                    }),
                );
                Plan {
                    mtu,
                    int,
                    probes,
                    first_psn,
                    link: link(loss, others),
                    seed,
                    jobs: jobs(&list),
                }
            })
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_messages_on_a_bad_wire_arrive_intact(plan in plan()) {
        check(&plan);
    }
}
