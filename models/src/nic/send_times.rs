//! When the requests of a queue pair left: what laws that measure round trips read when an acknowledgement comes.
//!
//! Of every `S` packet numbers the last is timed, `S` a power of two: PSN mod `S` = `S` - 1. The times of sixteen such packets are kept, that of
//! a packet in place (PSN / `S`) mod 16, beside its PSN. With `S` of at least window / (8 MTU) no place is needed twice within a window.
//!
//! | what leaves | what it does |
//! |---|---|
//! | WRITE packet whose number is timed, for the first time | its time is kept |
//! | the same packet again | its place is cleared: an acknowledgement could be for either |
//! | first packet after the flow has gone back | all places are cleared: an acknowledgement that comes from now on may answer a repetition |
//! | READ request, any other packet | nothing |
//!
//! A creation clears all places. An acknowledgement has a time if the packet that it names has one; timed packets that it acknowledges beside that
//! one count for nothing, since it may have waited for the later packet. A negative acknowledgement has none.

use super::psn::Psn;
use crate::wire::MASK_24;

/// Places of a queue pair.
pub const SEND_TIME_PLACES: usize = 16;

/// What the departure of a request means for send times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// Nothing.
    Untimed,
    /// Its time is kept.
    Timed,
    /// Its number is timed and it was sent before: its place is cleared.
    Repeated,
    /// First packet after the flow has gone back: all places are cleared.
    Rewound,
}

/// Whether the packet of this number is one that is timed, for `S` = 2^`spacing`; without one none is.
pub fn is_timed(psn: u32, spacing: Option<u8>) -> bool {
    spacing.is_some_and(|spacing| {
        let last = (1 << spacing) - 1;
        psn & last == last
    })
}

/// Send times of a queue pair.
#[derive(Clone, Debug, Default)]
pub struct SendTimes {
    /// PSN on the wire and time of departure, ns.
    places: [Option<(u32, u64)>; SEND_TIME_PLACES],
}

impl SendTimes {
    fn place(psn: u32, spacing: u8) -> usize {
        (psn & MASK_24) as usize >> spacing & (SEND_TIME_PLACES - 1)
    }

    /// A request of number `psn` leaves at `now`, ns; `S` is 2^`spacing`.
    pub fn left(&mut self, departure: Departure, psn: u32, spacing: u8, now: u64) {
        let place = Self::place(psn, spacing);
        match departure {
            Departure::Untimed => {}
            Departure::Timed => self.places[place] = Some((psn & MASK_24, now)),
            Departure::Repeated => self.places[place] = None,
            Departure::Rewound => self.clear(),
        }
    }

    /// When the packet of number `psn` left, ns, if that is known; `S` is 2^`spacing`.
    pub fn at(&self, psn: u32, spacing: u8) -> Option<u64> {
        let (timed, at) = self.places[Self::place(psn, spacing)]?;
        (timed == psn & MASK_24).then_some(at)
    }

    /// Forgets everything: the queue pair is created.
    pub fn clear(&mut self) {
        self.places = [None; SEND_TIME_PLACES];
    }
}

/// What the departure of a request is: a READ or a WRITE packet, sent before, first after the flow has gone back.
pub(super) fn departure(psn: Psn, spacing: Option<u8>, read: bool, repeated: bool, rewound: bool) -> Departure {
    match (is_timed(super::psn::wire(psn), spacing) && !read, repeated, rewound) {
        (_, _, true) => Departure::Rewound,
        (true, true, _) => Departure::Repeated,
        (true, false, _) => Departure::Timed,
        _ => Departure::Untimed,
    }
}

#[cfg(test)]
#[path = "send_times_tests.rs"]
mod tests;
