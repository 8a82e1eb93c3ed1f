//! Series hold what differs, and no more than they may.

use super::*;

fn point(t_ps: u64, flow: u32, rate_bps: u64) -> FlowPoint {
    FlowPoint {
        t_ps,
        flow,
        rate_bps,
        window_bytes: 1000,
        delivered_bytes: 0,
    }
}

/// Two flows sampled each 10 ps: what does not change is not kept, and comes back at each sample.
#[test]
fn what_does_not_change_is_not_kept() {
    let mut samples = Samples::default();
    let rates = [
        (0, 0, 5),
        (0, 1, 7),
        (10, 0, 5),
        (10, 1, 7),
        (20, 0, 6),
        (30, 0, 6),
        (40, 0, 6),
        (50, 0, 5),
    ];
    let all = rates.map(|(t, flow, rate)| point(t, flow, rate));
    all.into_iter().for_each(|p| samples.add_flow(p));
    assert_eq!(samples.flows, [all[0], all[1], all[4], all[7]]);
    assert_eq!(samples.flows_at_each_sample(10), all);
    // each of its values is one that counts
    for changed in [
        FlowPoint {
            window_bytes: 999,
            ..all[7]
        },
        FlowPoint {
            delivered_bytes: 1,
            ..all[7]
        },
    ] {
        samples.add_flow(changed);
        assert_eq!(samples.flows.last(), Some(&changed));
    }
}

/// Series that somebody else made, with a point at each sample, stay as they are.
#[test]
fn a_whole_series_stays_whole() {
    let samples = Samples {
        flows: vec![point(0, 3, 1), point(10, 3, 1)],
        ..Samples::default()
    };
    assert_eq!(samples.flows_at_each_sample(10), samples.flows);
}

#[test]
fn a_full_list_says_since_when() {
    let (mut list, mut full) = (vec![0u8; MOST_POINTS - 1], None);
    add(&mut list, &mut full, 7, 1);
    assert_eq!((list.len(), full), (MOST_POINTS, None));
    for t in [8, 9] {
        add(&mut list, &mut full, t, 1);
    }
    assert_eq!((list.len(), full), (MOST_POINTS, Some(8)));
}
