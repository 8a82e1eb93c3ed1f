//! A grant of several packets becomes PktSend events, one a clock.

use super::ports::{GrantWord, SendOut};
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
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
    pub up: StreamIn<GrantWord>,
    /// Packets.
    pub send: SendOut,
    /// Service tag of the grant in service.
    pub tag: Signal<Out, U<6>>,
    grant: DFF<GrantWord>,
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
            self.psn.d.next = self.up.data.val().get_bits::<24>(0);
            self.left.d.next = self.up.data.val().get_bits::<4>(24);
            self.repeats.d.next = self.up.data.val().get_bits::<4>(28);
            self.first.d.next = true;
        }
        self.rewound.next = self.first.q.val() & self.grant.q.val().get_bit(32);
        self.ask.next = self.rewound.val() | (self.last.val() & self.grant.q.val().get_bit(33));
        self.send.valid.next = self.left.q.val().any();
        self.send.flow.next = bit_cast_u::<16, 13>(self.grant.q.val().get_bits::<13>(42));
        self.send.generation.next = self.grant.q.val().get_bits::<8>(34);
        self.send.psn.next = self.psn.q.val();
        self.send.kind.next = (bit_cast_u::<3, 1>(bit_cast_b(self.rewound.val())) << 2)
            | (bit_cast_u::<3, 1>(bit_cast_b(self.ask.val())) << 1)
            | bit_cast_u::<3, 1>(bit_cast_b(self.repeats.q.val().any()));
        self.tag.next = self.grant.q.val().get_bits::<6>(58);
        if self.reset.val() {
            self.left.d.next = 0.into();
            self.grant.d.next = 0.into();
        }
    }
}
