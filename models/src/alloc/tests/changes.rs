//! Shares kept up to date equal shares computed anew.

use rand::Rng;

use super::oracle::random_graph;
use crate::alloc::{exact, Change, Flow, Graph, Incremental, INFINITE};
use crate::seeds::generator;

#[test]
fn after_every_change_equal_to_the_full_run() {
    let mut rng = generator(30);
    for _ in 0..200 {
        let mut kept = Incremental::new(random_graph(&mut rng, 10, 15));
        for _ in 0..20 {
            let change = if rng.random_range(0..4) == 0 {
                Change::Capacity {
                    bottleneck: rng.random_range(0..kept.graph().capacities().len()),
                    capacity: rng.random_range(0..1000),
                }
            } else {
                Change::Demand {
                    flow: rng.random_range(0..kept.graph().flows().len()),
                    demand: *[0, INFINITE, rng.random_range(0..500)]
                        .get(rng.random_range(0..3))
                        .expect("one of three"),
                }
            };
            kept.apply(change);
            assert_eq!(
                kept.shares(),
                exact::solve(kept.graph()),
                "{change:?} {:?}",
                kept.graph()
            );
        }
    }
}

/// What the paper's rule refuses: one flow on a half-empty link asks for more.
#[test]
fn a_flow_alone_gets_what_it_asks_for() {
    let flow = Flow {
        demand: 4,
        path: vec![0],
    };
    let mut kept = Incremental::new(Graph::new(vec![10], vec![flow]).expect("valid"));
    assert_eq!(kept.shares(), [4]);
    kept.apply(Change::Demand { flow: 0, demand: 6 });
    assert_eq!(kept.shares(), [6]);
}

/// Only the component of the change is solved again.
#[test]
fn other_components_are_left_alone() {
    let flow = |path: &[usize]| Flow {
        demand: INFINITE,
        path: path.to_vec(),
    };
    let flows = vec![flow(&[0]), flow(&[0, 1]), flow(&[2]), flow(&[2])];
    let mut kept = Incremental::new(Graph::new(vec![10, 10, 10], flows).expect("valid"));
    let met = kept.apply(Change::Capacity {
        bottleneck: 2,
        capacity: 4,
    });
    assert_eq!((met, kept.shares()), (2, &[5, 5, 2, 2][..]));
}
