//! Stream stage with every output registered, `ready` included: one item a clock, two items of storage.

// the interface derive adds a method without a doc comment
#![allow(missing_docs)]

use crate::emit::naming::named_with;
use crate::{block, interface, kernel};
use rust_hdl::prelude::*;

/// Receiving side of a stream: `valid` never waits for `ready`, an item moves where both are high.
#[interface(StreamOut, "Sending side of a stream.")]
pub struct StreamIn<T: Synth> {
    /// Payload, stable while `valid` waits for `ready`.
    pub data: Signal<In, T>,
    /// An item is offered.
    pub valid: Signal<In, Bit>,
    /// The item is taken.
    pub ready: Signal<Out, Bit>,
}

/// Skid buffer: `down` follows `up` one clock later; the second register takes the item that is on its way when `down`
/// stops.
#[block]
pub struct Skid<T: Synth> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: empties the stage.
    pub reset: Signal<In, Bit>,
    /// Items in.
    pub up: StreamIn<T>,
    /// Items out.
    pub down: StreamOut<T>,
    #[registers(Bit:
        /// An item is offered.
        full,
        /// A second item waits behind it.
        spare_full,
        /// An item is taken in this clock if there is one.
        ready)]
    #[registers(T:
        /// The item that is offered.
        item,
        /// The item that waits; any other while none does.
        spare)]
    #[signals(Bit: goes)]
    take: Signal<Local, Bit>,
}

#[kernel]
impl<T: Synth> Logic for Skid<T> {
    fn update(&mut self) {
        assign!(up.ready = ready, down.valid = full, down.data = item);
        take = up.valid & ready;
        // nothing is kept there, and a register alone enables all its bits, not the one on which the sender waits; what it takes counts when an
        // item comes that cannot go on
        if !spare_full {
            spare = up.data;
        }
        goes = down.ready | !full;
        if goes {
            item = if spare_full { spare } else { up.data };
            full = spare_full | take;
        }
        spare_full = !goes & (spare_full | take);
        // nothing comes while something is kept, so that one of both is enough to close
        ready = goes | !(spare_full | take);
        reset!(full, spare_full, ready);
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_with::<Self>(&[("WIDTH", T::BITS)], &["up_data", "down_data", "item", "spare"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::uint::U;
    use crate::sim::{init, step, Stimulus};

    /// Runs `clocks` under the given chances of an offer and of acceptance; returns how many items came through.
    fn stream(offer: f64, accept: f64, clocks: u64) -> u64 {
        let mut skid: Box<Skid<U<32>>> = Box::default();
        init(skid.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(5);
        let (mut sent, mut received, mut offered) = (0u64, 0u64, false);
        for clock in 0..clocks {
            // an offer once made stays until it is taken
            offered |= stimulus.chance(offer);
            skid.reset.next = clock < 2;
            skid.up.valid.next = offered && clock >= 2;
            skid.up.data.next = U(sent & 0xffff_ffff);
            skid.down.ready.next = stimulus.chance(accept);
            let (taken, given, data) = step(skid.as_mut(), |s| {
                (
                    s.up.valid.val() & s.up.ready.val(),
                    s.down.valid.val() & s.down.ready.val(),
                    s.down.data.val().0,
                )
            });
            if clock < 2 {
                continue;
            }
            if given {
                assert_eq!(data, received & 0xffff_ffff, "clock {clock}");
                received += 1;
            }
            if taken {
                sent += 1;
                offered = false;
            }
        }
        received
    }

    #[test]
    fn nothing_is_lost_doubled_or_reordered_under_any_stalls() {
        for offer in [0.1, 0.5, 1.0] {
            for accept in [0.1, 0.5, 1.0] {
                assert!(stream(offer, accept, 20_000) > 1000);
            }
        }
    }

    #[test]
    fn one_item_every_clock() {
        assert_eq!(stream(1.0, 1.0, 1004), 1000);
    }
}
