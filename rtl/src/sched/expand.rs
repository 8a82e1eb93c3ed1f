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
    #[registers(U<4>: left, repeats)]
    #[signals(Bit: take, last, rewound, ask)]
    grant: DFF<Grant>,
    psn: DFF<U<24>>,
    first: DFF<Bit>,
}

#[kernel]
impl Logic for Expand {
    fn update(&mut self) {
        last = left == 1;
        take = (left == 0) | (last & send.ready);
        up.ready = take;
        if left.any() & send.ready {
            left = left - 1;
            psn = psn + 1;
            first = false;
            if repeats.any() {
                repeats = repeats - 1;
            }
        }
        if take & up.valid {
            grant = up.data;
            psn = up.data.val().psn;
            left = up.data.val().count;
            repeats = up.data.val().repeats;
            first = true;
        }
        rewound = first & grant.rewound;
        ask = rewound | (last & grant.fills);
        send.valid = left.any();
        send.flow = bit_cast_u::<16, 13>(grant.flow);
        assign!(send.generation = grant.generation, send.psn = psn);
        send.kind = (bit_cast_u::<3, 1>(bit_cast_b(rewound)) << 2)
            | (bit_cast_u::<3, 1>(bit_cast_b(ask)) << 1)
            | bit_cast_u::<3, 1>(bit_cast_b(repeats.any()));
        tag = grant.tag;
        if reset {
            left = 0.into();
            grant = bits_zero::<Grant>(0);
        }
    }
}
