//! Examples by hand: the figures of the paper, corners of Algorithm 1, bad graphs, levels, message bytes.

use crate::alloc::hierarchy::Hierarchy;
use crate::alloc::message::{Down, MessageError, Up};
use crate::alloc::single::{allocate, water_level};
use crate::alloc::{exact, DemandMap, Flow, Graph, GraphError, Quantiser, QuantiserError, INFINITE};

fn shares(capacities: &[u64], flows: &[(u64, &[usize])]) -> Vec<u64> {
    let flow = |&(demand, path): &(u64, &[usize])| Flow {
        demand,
        path: path.to_vec(),
    };
    exact::solve(&Graph::new(capacities.to_vec(), flows.iter().map(flow).collect()).expect("valid"))
}

#[test]
fn corners_of_algorithm_1() {
    assert!(allocate(10u64, &[]).is_empty());
    assert_eq!(allocate(0u64, &[Some(3), None]), [0, 0]);
    assert_eq!(allocate(10u64, &[Some(0), None]), [0, 10]);
    assert_eq!(allocate(10u64, &[Some(5), None]), [5, 5]);
    assert_eq!(allocate(10u64, &[Some(1), Some(2)]), [1, 2]);
    assert_eq!(allocate(11u64, &[None, None, None]), [3, 4, 4]);
    assert_eq!(allocate(10u64, &[None, Some(1), Some(4)]), [5, 1, 4]);
}

#[test]
fn corners_of_the_water_level() {
    let level = |capacity, entries: &[(u64, u64)]| water_level(capacity, entries.iter().copied());
    assert_eq!(level(10, &[]), INFINITE);
    assert_eq!(level(0, &[(1, 1)]), 0);
    assert_eq!(level(10, &[(1, 2), (3, 1)]), INFINITE);
    assert_eq!(level(10, &[(1, 2), (INFINITE, 3)]), 2);
    assert_eq!(level(u64::MAX - 1, &[(INFINITE, 1)]), u64::MAX - 1);
    assert_eq!(level(10, &[(u64::MAX - 1, u64::MAX)]), 0);
}

#[test]
fn core_and_edges_by_hand() {
    let flows: [(u64, &[usize]); 3] = [(INFINITE, &[0, 1]), (1, &[0, 1]), (INFINITE, &[0, 2])];
    assert_eq!(shares(&[10, 6, 2], &flows), [5, 1, 2]);
    assert_eq!(shares(&[], &[]), Vec::<u64>::new());
    assert_eq!(shares(&[0, 5], &[(7, &[0, 1]), (7, &[1])]), [0, 5]);
    assert_eq!(shares(&[u64::MAX - 1], &[(INFINITE, &[0])]), [u64::MAX - 1]);
    // Thirds of thirds that add up to whole numbers again must not be rounded below them.
    let thirds: [(u64, &[usize]); 4] = [
        (INFINITE, &[0, 1]),
        (INFINITE, &[0, 1]),
        (INFINITE, &[0, 1]),
        (INFINITE, &[1]),
    ];
    assert_eq!(shares(&[10, 20], &thirds), [3, 3, 3, 10]);
}

/// Fig. 1: hosts below edge switches below one aggregation switch; flows of different hosts share the core.
#[test]
fn graph_of_figure_1() {
    // 0, 1: edge uplinks; 2: aggregation uplink. Flows 0 to 3 below edge 0, flows 4, 5 below edge 1.
    let below = |edge: usize| vec![edge, 2];
    let flow = |edge| Flow {
        demand: INFINITE,
        path: below(edge),
    };
    let flows = vec![flow(0), flow(0), flow(0), flow(0), flow(1), flow(1)];
    let graph = Graph::new(vec![8, 10, 15], flows).expect("valid");
    assert_eq!(exact::solve(&graph), [2, 2, 2, 2, 3, 3]);
}

/// Fig. 2: the flows of Fig. 1 aggregate by host, then by edge switch, then to one root.
#[test]
fn hierarchy_of_figure_2() {
    // Links: hosts 0 to 3, edges 10 and 11, core 20, and where the flows part 30 and 31.
    let paths = vec![
        vec![0, 10, 20, 30],
        vec![0, 10, 20, 31],
        vec![1, 10, 20, 30],
        vec![2, 11, 20, 31],
        vec![3, 11, 20, 30],
    ];
    let hierarchy = Hierarchy::by_locality(&paths, 4);
    let links: Vec<usize> = hierarchy.groups.iter().map(|g| g.link).collect();
    assert_eq!(links, [0, 1, 2, 3, 10, 11, 20]);
    assert_eq!(hierarchy.leaf_of, [0, 0, 1, 2, 3]);
    let parents: Vec<Option<usize>> = hierarchy.groups.iter().map(|g| g.parent).collect();
    assert_eq!(parents, [Some(4), Some(4), Some(5), Some(5), Some(6), Some(6), None]);
    assert_eq!(hierarchy.groups[6].children, [4, 5]);
    assert_eq!(hierarchy.roots().collect::<Vec<_>>(), [6]);
    // With two levels the edge switches are the roots.
    assert_eq!(Hierarchy::by_locality(&paths, 2).roots().count(), 2);
}

/// A link that flows of another group cross too has no owner.
#[test]
fn a_shared_link_is_no_super_flow() {
    let paths = vec![vec![0, 10], vec![1, 10], vec![1, 11]];
    let hierarchy = Hierarchy::by_locality(&paths, 3);
    assert_eq!(hierarchy.roots().collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn bad_graphs_are_refused() {
    let graph = |path: &[usize]| {
        let path = path.to_vec();
        Graph::new(vec![1, 1], vec![Flow { demand: 1, path }])
    };
    assert_eq!(graph(&[]), Err(GraphError::EmptyPath { flow: 0 }));
    let twice = GraphError::Twice {
        flow: 0,
        hop: 2,
        got: 1,
    };
    assert_eq!(graph(&[1, 0, 1]), Err(twice));
    let message = graph(&[0, 2]).expect_err("no bottleneck 2").to_string();
    assert_eq!(message, "flows[0].path[1]: expected a bottleneck below 2, got 2");
}

#[test]
fn levels_of_the_quantiser() {
    let q = Quantiser::new(8, 50_000_000_000).expect("valid");
    assert_eq!((q.raise(0), q.raise(1), q.raise(1_000_000)), (0, 1_000_000, 1_000_000));
    assert_eq!((q.raise(1_000_001), q.raise(2_000_000)), (1_090_507, 2_000_000));
    assert_eq!((q.code(50_000_000_000), q.raise(49_999_999_999)), (254, 50_000_000_000));
    assert_eq!((q.code(INFINITE), q.raise(50_000_000_001)), (255, INFINITE));
    for code in 0..=255 {
        let value = q.value(code);
        assert_eq!(q.raise(value), value, "code {code}");
    }
    assert_eq!(Quantiser::new(0, 1), Err(QuantiserError::NoLevels));
    assert!(matches!(
        Quantiser::new(30, 400_000_000_000),
        Err(QuantiserError::TooFine { .. })
    ));
    assert!(matches!(
        Quantiser::new(u32::MAX, 400_000_000_000),
        Err(QuantiserError::TooFine { .. })
    ));
}

#[test]
fn message_bytes() {
    let q = Quantiser::new(1, 8_000_000).expect("valid");
    let up = Up {
        sender: 0x0102_0304,
        full: false,
        entries: vec![(1_000_000, -1), (2_000_000, 1)],
    };
    let bytes = up.encode(Some(&q));
    assert_eq!(bytes, [1, 1, 1, 2, 3, 4, 0, 2, 1, 0, 0xff, 0xff, 2, 0, 0, 1]);
    assert_eq!(Up::decode(&bytes, Some(&q)), Ok(up.clone()));
    assert_eq!((up.bytes(true), up.bytes(false)), (16, 32));
    assert_eq!(up.encode(None).len(), 32);
    assert_eq!(Up::decode(&up.encode(None), None), Ok(up));
    let many = Up {
        sender: 1,
        full: true,
        entries: vec![(INFINITE, 70_000)],
    };
    assert_eq!(many.bytes(true), 8 + 3 * 4);
    assert_eq!(Up::decode(&many.encode(Some(&q)), Some(&q)), Ok(many));
    let down = Down {
        child: 7,
        share: 0x1122,
        offer: None,
    };
    assert_eq!(down.encode(), [3, 1, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0x11, 0x22]);
    assert_eq!(Down::decode(&down.encode()), Ok(down));
    assert_eq!(Down::decode(&[3, 1, 0]), Err(MessageError::Length(3)));
    assert_eq!(
        Up::decode(&[9, 1, 0, 0, 0, 0, 0, 0], None),
        Err(MessageError::Kind(9, 1))
    );
    assert_eq!(
        Up::decode(&[1, 1, 0, 0, 0, 0, 0, 1], None),
        Err(MessageError::Length(8))
    );
}

/// Two children with 1 and 9 infinite flows get a tenth and nine tenths: shares go by flows, not by children.
#[test]
fn shares_go_by_flows() {
    let mut total = DemandMap::default();
    let (mut few, mut many) = (DemandMap::default(), DemandMap::default());
    few.change(INFINITE, 1);
    many.change(INFINITE, 9);
    total.add(&few);
    total.add(&many);
    let level = total.level(1000);
    assert_eq!((few.total_under(level), many.total_under(level)), (100, 900));
    assert_eq!(total.offer(1000, &few), 100);
}
