//! A grant of several packets becomes PktSend events, one a clock.

use super::ports::SendOut;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
use crate::prim::word::bits_zero;
use crate::words::sched::Grant;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Grants in, packets out. A grant's first packet is offered one clock after the grant is taken.
#[block]
pub struct Expand {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Grants, count at least 1.
    pub up: StreamIn<Grant>,
    /// Packets.
    pub send: SendOut,
    /// Service tag of the grant in service.
    pub tag: Signal<Out, U<6>>,
    grant: DFF<Grant>,
    left: DFF<U<4>>,
    repeats: DFF<U<4>>,
    psn: DFF<U<24>>,
    first: DFF<Bit>,
    take: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    rewound: Signal<Local, Bit>,
    ask: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Expand {
    fn update(&mut self) {
        self.last.next = self.left.q.val() == 1;
        self.take.next = (self.left.q.val() == 0) | (self.last.val() & self.send.ready.val());
        self.up.ready.next = self.take.val();
        if self.left.q.val().any() & self.send.ready.val() {
            self.left.d.next = self.left.q.val() - 1;
            self.psn.d.next = self.psn.q.val() + 1;
            self.first.d.next = false;
            if self.repeats.q.val().any() {
                self.repeats.d.next = self.repeats.q.val() - 1;
            }
        }
        if self.take.val() & self.up.valid.val() {
            self.grant.d.next = self.up.data.val();
            self.psn.d.next = self.up.data.val().psn;
            self.left.d.next = self.up.data.val().count;
            self.repeats.d.next = self.up.data.val().repeats;
            self.first.d.next = true;
        }
        self.rewound.next = self.first.q.val() & self.grant.q.val().rewound;
        self.ask.next = self.rewound.val() | (self.last.val() & self.grant.q.val().fills);
        self.send.valid.next = self.left.q.val().any();
        self.send.flow.next = bit_cast_u::<16, 13>(self.grant.q.val().flow);
        assign!(send.generation = grant.generation, send.psn = psn);
        self.send.kind.next = (bit_cast_u::<3, 1>(bit_cast_b(self.rewound.val())) << 2)
            | (bit_cast_u::<3, 1>(bit_cast_b(self.ask.val())) << 1)
            | bit_cast_u::<3, 1>(bit_cast_b(self.repeats.q.val().any()));
        self.tag.next = self.grant.q.val().tag;
        if self.reset.val() {
            self.left.d.next = 0.into();
            self.grant.d.next = bits_zero::<Grant>(0);
        }
    }
}
