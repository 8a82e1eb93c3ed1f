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
