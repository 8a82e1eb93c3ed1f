//! What acknowledgements carry past the scheduler, until their flows have been looked up.
//!
//! Acknowledgements leave the entry in the order in which they were taken at the port, so a number is enough to find what one carried. Sixteen
//! places are more than can be between the port and clock 8: two wait, eleven are on their way.
//!
//! | clock | what |
//! |---|---|
//! | -3 | offered at the port: written; taken: its place is kept |
//! | -1 | chosen: its number |
//! | 8 | read |

use crate::emit::naming::named_inside;
use crate::prim::delay::Delay;
use crate::prim::lut_ram::LutRam;
use crate::prim::uint::{bits_u, U};
use crate::words::sched::Telemetry;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Sixteen places.
#[block]
pub struct Carried {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Clock -3: an acknowledgement is offered at the port.
    pub offered: Signal<In, Bit>,
    /// Clock -3: it is taken.
    pub accepted: Signal<In, Bit>,
    /// Clock -3: what it carries.
    pub telemetry: Signal<In, Telemetry>,
    /// Clock -1: an acknowledgement was chosen.
    pub taken: Signal<In, Bit>,
    /// Clock 9: what the acknowledgement carried; in the clock of another operation, what the last one before it did.
    pub carried: Signal<Out, Telemetry>,
    #[registers(U<4>:
        /// Place in the ring at which the next acknowledgement is written.
        written,
        /// Place in the ring of the acknowledgement that was chosen last.
        newest)]
    slot_8: Delay<U<4>, 8>,
    ring: LutRam<Telemetry, 4>,
}

#[kernel]
impl Logic for Carried {
    fn update(&mut self) {
        // whether it is taken decides only about the place of the next one: so the enable of a word that wide does not hang on it
        inputs!(ring: we = offered, waddr = written, wdata = telemetry);
        if accepted {
            written = written + 1;
        }
        if taken {
            newest = newest + 1;
        }
        slot_8 = newest;
        ring.raddr = slot_8;
        carried = ring.rdata;
        if reset {
            written = bits_u::<4>(0);
            newest = bits_u::<4>(15);
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
