//! Levels against [`hpcc_models::sched::Level`].

use super::visits::level_word;
use crate::prim::uint::{bits_u, U};
use crate::sched::levels::{Levels, LEVEL_INTERVAL};
use crate::sim::{init, step, Stimulus};
use crate::words::sched::GroupLevel;
use hpcc_models::sched::{CapControl, Level, SchedRegisters};
use std::collections::VecDeque;

#[test]
fn every_level_agrees_bit_for_bit() {
    let mut registers = SchedRegisters::default();
    let mut block: Box<Levels> = Box::default();
    init(block.as_mut()).expect("complete block");
    let mut random = Stimulus::new(3);
    block.interval.next = U(registers.interval_ns.into());
    // none is left by a reset, whatever else is asked for
    block.cap_window.next = true;
    block.reset.next = true;
    step(block.as_mut(), |_| ());
    block.reset.next = false;
    let mut cleared = [false; 16];
    for clock in 1..=32 {
        (block.rate.next, block.cap_time.next) = (U(random.corner(34)), U(random.corner(16)));
        let got = step(block.as_mut(), |b| {
            (b.written.val(), b.written_group.val().0, b.level.val())
        });
        assert_eq!(got.0, clock > 1, "clock {clock} after reset");
        if got.0 {
            cleared[got.1 as usize] = true;
            let none = GroupLevel {
                rate: !bits_u::<34>(0),
                earned: !bits_u::<20>(0),
                window: !bits_u::<23>(0),
            };
            assert_eq!(got.2, none, "clock {clock} after reset");
        }
    }
    assert_eq!(cleared, [true; 16]);
    // of an interval that is a power of two the lower half of a rate never carries into whole bytes
    for (window, interval_ns) in [(false, 512), (true, 512), (false, 4095), (true, 777), (true, 1)] {
        registers.interval_ns = interval_ns;
        block.interval.next = U(interval_ns.into());
        let control = CapControl {
            window,
            dither: false,
            time_ns: random.corner(16) as u16,
        };
        (block.cap_window.next, block.cap_time.next) = (window, U(control.time_ns.into()));
        let mut expected: VecDeque<Option<(u64, Level)>> = VecDeque::new();
        let mut next = 0;
        for clock in 0..40_000 {
            let (write, group) = (clock >= next && random.chance(0.7) && clock < 39_980, random.below(16));
            if write {
                next = clock + LEVEL_INTERVAL;
            }
            let rate = random.corner(34);
            (block.write.next, block.group.next, block.rate.next) = (write, U(group), U(rate));
            expected.push_back(write.then(|| (group, Level::new(rate, &control, &registers))));
            let got = step(block.as_mut(), |b| {
                (b.written.val(), b.written_group.val().0, b.level.val())
            });
            if expected.len() <= 8 {
                continue;
            }
            let want = expected.pop_front().flatten();
            assert_eq!(got.0, want.is_some(), "clock {clock}");
            if let Some((group, level)) = want {
                assert_eq!((got.1, got.2), (group, level_word(&level)), "clock {clock}: {level:?}");
            }
        }
    }
}
