//! Whether the number of a request is one that is timed, and what its departure means for send times.
//!
//! Reference: `departure` of `hpcc_models::nic`'s send times.

use crate::emit::naming::named_inside;
use crate::prim::uint::{bits_u, U};
use crate::words::flows::GrantMarks;
use crate::words::transport::DepartureKind;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Looks at the packet number in one clock, at the marks in those that follow.
#[block]
pub struct Departs {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Register: the last of every 2^n packet numbers is timed.
    pub spacing: Signal<In, U<4>>,
    /// Register: they are timed at all.
    pub enable: Signal<In, Bit>,
    /// PSN, a clock before it is asked about.
    pub psn: Signal<In, U<24>>,
    /// What is special about the packet.
    pub marks: Signal<In, GrantMarks>,
    /// The packet is a READ request.
    pub read: Signal<In, Bit>,
    /// The number of one clock ago is timed.
    pub timed: Signal<Out, Bit>,
    /// What the departure means, the number being that of one clock ago.
    pub departure: Signal<Out, DepartureKind>,
    /// Ones where a number does not count.
    beyond: Signal<Local, U<24>>,
    /// The PSN of one clock ago is the last of its interval, so that its sending is timed.
    timed_r: DFF<Bit>,
}

#[kernel]
impl Logic for Departs {
    fn update(&mut self) {
        self.beyond.next = bits_u::<24>(0xff_ffff) << self.spacing.val();
        self.timed_r.d.next = self.enable.val() & (self.psn.val() | self.beyond.val()).all();
        self.timed.next = self.timed_r.q.val();
        self.departure.next = DepartureKind::Untimed;
        if self.timed_r.q.val() & !self.read.val() {
            self.departure.next = DepartureKind::Timed;
            if self.marks.val().repeated {
                self.departure.next = DepartureKind::Repeated;
            }
        }
        if self.marks.val().rewound {
            self.departure.next = DepartureKind::Rewound;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
