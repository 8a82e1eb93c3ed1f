//! Grants of several packets become PktSend events, one a clock, of up to four flows in turn.
//!
//! A flow that had much to send at once is granted several packets in a row. If they left in a row too, a peer would get many packets of one queue pair, which
//! it takes one in five clocks, and its answers would bring the next such row about. So up to four grants are in service, and their flows take turns, packet by
//! packet. A grant enters while no other one of its flow is in service, so that a flow's packets keep their order, and while no more than sixteen packets are
//! in service with it: so many still leave when their priority is [paused](super::park).
//!
//! | clock | what |
//! |---|---|
//! | 0 | a grant is offered: is its flow in service, is there room |
//! | 1 | it is taken |
//! | 2 | its first packet is offered, if no other one is |

use super::ports::SendOut;
use crate::prim::skid::StreamIn;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, LoopIdx, U};
use crate::prim::word::bits_zero;
use crate::words::sched::Grant;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Grants in, one in two clocks, packets out.
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
    /// Service tag of the grant that entered last.
    pub tag: Signal<Out, U<6>>,
    #[registers(Bit:
        /// A packet is offered on `send`.
        offers,
        /// The grant offered on `up` is taken: its flow is not in service and there is room for its packets.
        fits)]
    #[registers(U<2>:
        /// Lane whose packet is offered.
        lane)]
    /// Packets in service.
    #[registers(U<5>: total)]
    #[registers(U<6>:
        /// Service tag of the grant that entered last.
        tag_r)]
    #[signals(Bit: serves, last, ask, in_service, next_fits)]
    #[signals(U<5>: with_it, fewer)]
    /// What is left of four grants.
    grants: [DFF<Grant>; 4],
    /// Something is left of it, or it comes in this clock.
    present: [DFF<Bit>; 4],
    /// It comes in this clock.
    enters: [DFF<Bit>; 4],
    /// A packet of this lane leaves.
    served: [Signal<Local, Bit>; 4],
    /// No lane before it is free.
    filled: [Signal<Local, Bit>; 4],
    /// It goes on after this clock.
    stays: [Signal<Local, Bit>; 4],
    /// Lane behind the one whose turn it is, if another one has packets.
    next_lane: Signal<Local, U<2>>,
    others: Signal<Local, Bit>,
    own: Signal<Local, Bit>,
    own_stays: Signal<Local, Bit>,
    /// One packet is left of it.
    ends: [DFF<Bit>; 4],
    /// What is left of it when one more of its packets has left.
    rest: Signal<Local, Grant>,
    /// The grant whose packet is offered.
    now: Signal<Local, Grant>,
    coming: Signal<Local, Grant>,
}

#[kernel]
impl Logic for Expand {
    fn update(&mut self) {
        // the packet of the lane whose turn it is
        now = grants[0];
        last = ends[0];
        for i in 1..4 {
            if lane == i.val() {
                now = grants[i];
                last = ends[i];
            }
        }
        ask = now.rewound | (last & now.fills);
        send.valid = offers;
        send.flow = bit_cast_u::<16, 13>(now.flow);
        inputs!(send from now: generation, psn);
        send.kind = (bit_cast_u::<3, 1>(bit_cast_b(now.rewound)) << 2)
            | (bit_cast_u::<3, 1>(bit_cast_b(ask)) << 1)
            | bit_cast_u::<3, 1>(bit_cast_b(now.repeats.any()));
        serves = offers & send.ready;

        // lanes: one is served, one may get a new grant
        coming = up.data;
        up.ready = fits;
        in_service = false;
        for i in 0..4 {
            if present[i] & ((grants[i]).flow == coming.flow) {
                in_service = true;
            }
            served[i] = serves & (lane == i.val());
            stays[i] = present[i] & !(served[i] & ends[i]);
            rest = grants[i];
            rest.count = (grants[i]).count - 1;
            rest.psn = (grants[i]).psn + 1;
            rest.rewound = false;
            if (grants[i]).repeats.any() {
                rest.repeats = (grants[i]).repeats - 1;
            }
            if served[i] {
                grants[i] = rest;
                ends[i] = (grants[i]).count == 2;
            }
            if enters[i] {
                grants[i] = coming;
                ends[i] = coming.count == 1;
            }
        }
        fewer = if serves { total - 1 } else { total };
        total = if fits { fewer + bit_cast_u::<5, 4>(coming.count) } else { fewer };
        if fits {
            tag_r = coming.tag;
        }
        tag = tag_r;

        // may the next grant enter, and where
        with_it = total + bit_cast_u::<5, 4>(coming.count);
        next_fits = up.valid & !fits & !in_service & (with_it <= 16);
        fits = next_fits & !(stays[0] & stays[1] & stays[2] & stays[3]);
        filled[0] = true;
        for i in 0..3 {
            filled[i + 1] = filled[i] & stays[i];
        }
        for i in 0..4 {
            enters[i] = next_fits & filled[i] & !stays[i];
            present[i] = stays[i] | (next_fits & filled[i]);
        }

        // whose turn is next: the next lane that has packets, or the first one. Of the lane whose turn it is, it is known late whether it goes on,
        // so that the others are looked at without it
        next_lane = bits_u::<2>(3);
        if present[2] {
            next_lane = bits_u::<2>(2);
        }
        if present[1] {
            next_lane = bits_u::<2>(1);
        }
        if present[0] {
            next_lane = bits_u::<2>(0);
        }
        if present[3] & (lane != 3) {
            next_lane = bits_u::<2>(3);
        }
        if present[2] & (lane < 2) {
            next_lane = bits_u::<2>(2);
        }
        if present[1] & (lane == 0) {
            next_lane = bits_u::<2>(1);
        }
        clear!(others, own);
        for i in 0..4 {
            if present[i] & (lane == i.val()) {
                own = true;
            }
            if present[i] & (lane != i.val()) {
                others = true;
            }
        }
        if !others {
            next_lane = bits_u::<2>(3);
        }
        own_stays = own & !(offers & last);
        if serves | !offers {
            offers = others | own_stays;
            if others | !own_stays {
                lane = next_lane;
            }
        }
        reset!(grants, present, enters, ends, offers, fits, total, tag_r);
    }
}
