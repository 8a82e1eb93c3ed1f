//! The window that leaves: at the base round-trip time that the flow has measured, where that is the shorter one.
//!
//! | clock | registers | computed | format |
//! |---|---|---|---|
//! | 5 | input | base round-trip time of the flow | 17 bits |
//! | 66 | `shifted`, `shorter` | shifted as `tau` is; below `tau`? | 17 bits |
//! | 69 | `share` | base over `tau` | UQ0.34 |
//! | 69 | inputs | window and rate | UQ23.11, UQ7.27 |
//! | 73 | `product` | window x share | UQ23.11 |
//! | 74 | outputs | that, or the window as it is | |

use crate::emit::naming::named_inside;
use crate::prim::delay::Delay;
use crate::prim::mul::MulPipe;
use crate::prim::uint::U;
use crate::words::congestion::PowerScalars;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Window at the measured base, five clocks behind the window.
#[block]
pub struct BaseScale {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Clock 5: base round-trip time of the flow, ns.
    pub base_rtt: Signal<In, U<17>>,
    /// Registers of the law.
    pub scalars: Signal<In, PowerScalars>,
    /// Clock 69: window, UQ23.11 bytes.
    pub window: Signal<In, U<34>>,
    /// Clock 69: rate, UQ7.27 bytes per ns.
    pub rate: Signal<In, U<34>>,
    /// Clock 74: window.
    pub scaled: Signal<Out, U<34>>,
    /// Clock 74: rate.
    pub rate_74: Signal<Out, U<34>>,
    base_65: Delay<U<17>, 60>,
    shorter_73: Delay<Bit, 7>,
    share: MulPipe<17, 34, 34, 16>,
    product: MulPipe<34, 34, 34, 34>,
    window_73: Delay<U<34>, 4>,
    rate_delay: Delay<U<34>, 5>,
    /// Base round-trip time of the flow, shifted as the registers say.
    shifted: DFF<U<17>>,
    /// The flow's base round-trip time is shorter than that of the registers.
    shorter: DFF<Bit>,
    /// Clock 74: window, scaled to the flow's base round-trip time.
    scaled_r: DFF<U<34>>,
}

#[kernel]
impl Logic for BaseScale {
    fn update(&mut self) {
        base_65 = base_rtt;
        shifted = base_65 << scalars.base_rtt_shift;
        shorter = scalars.mode.smallest_rtt & (base_65 < scalars.base_rtt);
        shorter_73 = shorter;
        inputs!(share: a = shifted, b = scalars.inverse_base_rtt);
        inputs!(product: a = window, b = share.p);
        window_73 = window;
        scaled_r = if shorter_73 { product.p } else { window_73 };
        scaled = scaled_r;
        rate_delay = rate;
        rate_74 = rate_delay;
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
