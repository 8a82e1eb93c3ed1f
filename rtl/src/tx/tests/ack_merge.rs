//! Every output in every clock against forks that are described one by one.

use super::AckMerge;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use crate::words::transport::{AckKind, AckSend};
use rust_hdl::prelude::Synth as _;

/// Where two things meet, either of them a source or a fork: while both have something they take turns, the second first if `second_next`.
enum Fork {
    Source(usize),
    Of(Box<Fork>, Box<Fork>, bool),
}

impl Fork {
    fn of(first: Fork, second: Fork) -> Self {
        Self::Of(Box::new(first), Box::new(second), false)
    }

    fn offers(&self, valid: &[bool; 5]) -> bool {
        match self {
            Self::Source(source) => valid[*source],
            Self::Of(first, second, _) => first.offers(valid) || second.offers(valid),
        }
    }

    /// The source that is next; where neither side has something, the first one's.
    fn pick(&self, valid: &[bool; 5]) -> usize {
        match self {
            Self::Source(source) => *source,
            Self::Of(first, second, second_next) => {
                let second_goes = second.offers(valid) && (*second_next || !first.offers(valid));
                if second_goes { second } else { first }.pick(valid)
            }
        }
    }

    /// What has gone, or nothing, has gone by way of these forks.
    fn turn(&mut self, valid: &[bool; 5]) {
        if let Self::Of(first, second, second_next) = self {
            let second_goes = second.offers(valid) && (*second_next || !first.offers(valid));
            *second_next = !second_goes;
            if second_goes { second } else { first }.turn(valid);
        }
    }
}

/// What the sources send, in the order in which the test has their ports.
const KINDS: [AckKind; 5] = [
    AckKind::Acknowledgement,
    AckKind::Echo,
    AckKind::ProbeResponse,
    AckKind::Notification,
    AckKind::Probe,
];
const NOTIFY: usize = 3;
const PROBE: usize = 4;

/// What a source may offer; what is not sent of it is random, too.
fn item(stimulus: &mut Stimulus, source: usize) -> [u64; 7] {
    let mut limbs: [u64; 7] = std::array::from_fn(|_| stimulus.uniform(64));
    limbs[6] &= (1 << (AckSend::BITS - 384)) - 1;
    AckSend::KIND.put(&mut limbs, KINDS[source] as u64);
    limbs
}

/// It on its way out.
fn sent(source: usize, limbs: [u64; 7]) -> [u64; 7] {
    let mut out = [0; 7];
    let kept: &[_] = match source {
        NOTIFY => &[AckSend::KIND, AckSend::QP, AckSend::GENERATION],
        PROBE => &[
            AckSend::KIND,
            AckSend::QP,
            AckSend::GENERATION,
            AckSend::PSN,
            AckSend::INT_LENGTH,
        ],
        _ => return limbs,
    };
    for field in kept {
        field.put(&mut out, field.get(&limbs));
    }
    out
}

#[test]
fn each_source_in_order_and_forks_in_turn() {
    for (seed, offer, accept) in [(1, 1.0, 1.0), (2, 0.5, 0.6), (3, 0.2, 0.9), (4, 0.9, 0.3)] {
        let mut merge: Box<AckMerge> = Box::default();
        init(merge.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(seed);
        let asked = Fork::of(Fork::Source(0), Fork::of(Fork::Source(1), Fork::Source(2)));
        let own = Fork::of(Fork::Source(NOTIFY), Fork::Source(PROBE));
        let mut forks = Fork::of(own, asked);
        let mut offered: [Option<[u64; 7]>; 5] = [None; 5];
        let mut held: Option<[u64; 7]> = None;
        let mut passed = [0; 5];
        for clock in 0..20_000 {
            for (source, slot) in offered.iter_mut().enumerate() {
                if slot.is_none() && stimulus.chance(offer) {
                    *slot = Some(item(&mut stimulus, source));
                }
            }
            let ready = stimulus.chance(accept);
            let ports = [
                &mut merge.ack,
                &mut merge.echo,
                &mut merge.answer,
                &mut merge.notify,
                &mut merge.probe,
            ];
            for (port, item) in ports.into_iter().zip(offered) {
                port.valid.next = item.is_some();
                port.data.next = AckSend::from_slice(&item.unwrap_or([!0; 7]));
            }
            merge.down.ready.next = ready;
            let (readies, out) = step(merge.as_mut(), |m| {
                let ports = [&m.ack, &m.echo, &m.answer, &m.notify, &m.probe];
                (
                    ports.map(|port| port.ready.val()),
                    m.down.valid.val().then(|| m.down.data.val().array::<7>()),
                )
            });
            assert_eq!(out, held, "seed {seed}, clock {clock}");
            let valid = offered.map(|item| item.is_some());
            let room = held.is_none() || ready;
            let next = forks.pick(&valid);
            let expected: [bool; 5] = std::array::from_fn(|source| room && source == next);
            assert_eq!(readies, expected, "seed {seed}, clock {clock}, offered {valid:?}");
            if room {
                forks.turn(&valid);
                held = offered[next].take().map(|limbs| sent(next, limbs));
                passed[next] += u64::from(held.is_some());
            }
        }
        if offer == 1.0 {
            // half of it of the NIC itself, half of the rest acknowledgements
            assert_eq!(passed, [5000, 2500, 2500, 5000, 5000], "seed {seed}");
        }
        assert!(passed.iter().all(|&count| count > 300), "{passed:?}");
    }
}
