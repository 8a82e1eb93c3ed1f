//! Where numbers of the allocation end: as many levels as codes, the last moment of draining.

use crate::alloc::agent::{Agent, Settings};
use crate::alloc::{Quantiser, QuantiserError};
use std::sync::Arc;

/// 253 codes are left for levels; from 1 to 2 Mb/s is one octave.
#[test]
fn as_many_levels_as_codes() {
    let two = 2_000_000;
    assert!(Quantiser::new(253, two).is_ok());
    for too_many in [254, 255, 256, 257, 1000] {
        let error = Quantiser::new(too_many, two).expect_err("too fine");
        let expected = QuantiserError::TooFine {
            most: 253 / 2,
            line_rate: two,
            got: too_many,
        };
        assert_eq!(error, expected);
    }
    // below two Mb/s there is one octave, and the message says so
    let error = Quantiser::new(300, 1_500_000).expect_err("too fine");
    assert!(matches!(error, QuantiserError::TooFine { most: 253, .. }), "{error:?}");
}

/// The grant changes when draining ends, and from that moment on there is nothing left to wait for.
#[test]
fn draining_is_over_when_it_ends() {
    let mut settings = Settings::default();
    settings.drain.reaction_ns = 1000;
    settings.drain.times = 1;
    let mut root = Agent::new(1, 10_000_000_000, [], [], Arc::new(settings));
    root.set_capacity(5_000_000_000, 0);
    let end = root.drained_at(0).expect("it drains");
    assert_eq!(end, 1000);
    assert_eq!(root.drained_at(end - 1), Some(end));
    assert_eq!(root.drained_at(end), None);
}

/// A second fall while the first one's queue drains: 10 to 5 Gb/s at 0 lasts 5/5 x 1000 ns; to 4 at 500 would last 1/4 x 1000, to 750, and the
/// first still holds, to 1000; to 1 at 900 lasts 3/1 x 1000, to 3900. A rise takes nothing back. The whole part is granted at each end.
#[test]
fn a_second_fall_while_draining() {
    let mut settings = Settings::default();
    (settings.drain.reaction_ns, settings.drain.times, settings.drain.granted) = (1000, 1, 500);
    let mut root = Agent::new(1, 10_000_000_000, [], [], Arc::new(settings));
    let mut ends = Vec::new();
    for (gbps, now) in [(5, 0), (4, 500), (1, 900), (8, 2000)] {
        root.set_capacity(gbps * 1_000_000_000, now);
        ends.push(root.drained_at(now).unwrap());
        assert_eq!(root.share(now), Some(gbps * 500_000_000));
    }
    assert_eq!(ends, [1000, 1000, 3900, 3900]);
    assert_eq!(
        [3899, 3900].map(|now| root.share(now)),
        [Some(4_000_000_000), Some(8_000_000_000)]
    );
}
