//! Run-time registers of HPCC, written through [`crate::cc::slot::ConfigIn`], with the paper's parameters at 100 Gb/s and 13 us after reset.
//!
//! Addresses and widths: [`hpcc_models::fixed::registers`]. The port-speed table is a RAM beside each lane
//! ([`crate::cc::parts::speed_table`]), written by the same port.

use crate::cc::parts::reset;
use crate::emit::naming::named_inside;
use crate::prim::uint::{bit_cast_u, U};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Scalar registers: a write shows one clock later.
#[block]
pub struct RegisterBlock {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: takes the reset values.
    pub reset: Signal<In, Bit>,
    /// Write this clock.
    pub write: Signal<In, Bit>,
    /// Register.
    pub address: Signal<In, U<6>>,
    /// Value.
    pub data: Signal<In, U<48>>,
    /// 0 HPCC, 1 per ACK, 2 per RTT.
    pub reaction: Signal<Out, U<2>>,
    /// `maxStage`.
    pub max_stage: Signal<Out, U<8>>,
    /// `T`, ns.
    pub base_rtt: Signal<Out, U<17>>,
    /// Left shift that normalises `T`.
    pub base_rtt_shift: Signal<Out, U<3>>,
    /// `2^50 / T` of the normalised `T`.
    pub inverse_base_rtt: Signal<Out, U<34>>,
    /// `1 / eta`.
    pub c_init: Signal<Out, U<48>>,
    /// `W_init`.
    pub w_init: Signal<Out, U<34>>,
    /// `W_min`.
    pub w_min: Signal<Out, U<34>>,
    /// `W_AI`.
    pub w_ai: Signal<Out, U<37>>,
    /// `1 / T_W`.
    pub rate_per_window: Signal<Out, U<34>>,
    /// Age limit of a flow's records, ns.
    pub stale_limit: Signal<Out, U<32>>,
    #[registers(U<34>: inverse_base_rtt_r, w_init_r, w_min_r, rate_per_window_r)]
    #[init(Constant::new(U(reset::hpcc().max_stage.into())))]
    max_stage_reset: Constant<U<8>>,
    #[init(Constant::new(U(reset::hpcc().base_rtt.into())))]
    base_rtt_reset: Constant<U<17>>,
    #[init(Constant::new(U(reset::hpcc().base_rtt_shift.into())))]
    base_rtt_shift_reset: Constant<U<3>>,
    #[init(Constant::new(U(reset::hpcc().inverse_base_rtt)))]
    inverse_base_rtt_reset: Constant<U<34>>,
    #[init(Constant::new(U(reset::hpcc().c_init)))]
    c_init_reset: Constant<U<48>>,
    #[init(Constant::new(U(reset::hpcc().w_init)))]
    w_init_reset: Constant<U<34>>,
    #[init(Constant::new(U(reset::hpcc().w_min)))]
    w_min_reset: Constant<U<34>>,
    #[init(Constant::new(U(reset::hpcc().w_ai)))]
    w_ai_reset: Constant<U<37>>,
    #[init(Constant::new(U(reset::hpcc().rate_per_window)))]
    rate_per_window_reset: Constant<U<34>>,
    #[init(Constant::new(U(reset::hpcc().stale_limit.into())))]
    stale_limit_reset: Constant<U<32>>,
    reaction_r: DFF<U<2>>,
    max_stage_r: DFF<U<8>>,
    base_rtt_r: DFF<U<17>>,
    base_rtt_shift_r: DFF<U<3>>,
    c_init_r: DFF<U<48>>,
    w_ai_r: DFF<U<37>>,
    stale_limit_r: DFF<U<32>>,
}

#[kernel]
impl Logic for RegisterBlock {
    fn update(&mut self) {
        assign! {
            reaction = reaction_r, max_stage = max_stage_r, base_rtt = base_rtt_r, base_rtt_shift = base_rtt_shift_r,
            inverse_base_rtt = inverse_base_rtt_r, c_init = c_init_r, w_init = w_init_r, w_min = w_min_r, w_ai = w_ai_r,
            rate_per_window = rate_per_window_r, stale_limit = stale_limit_r
        }
        if write {
            if address == 0 {
                reaction_r = bit_cast_u::<2, 48>(data);
            }
            if address == 1 {
                max_stage_r = bit_cast_u::<8, 48>(data);
            }
            if address == 2 {
                base_rtt_r = bit_cast_u::<17, 48>(data);
            }
            if address == 3 {
                base_rtt_shift_r = bit_cast_u::<3, 48>(data);
            }
            if address == 4 {
                inverse_base_rtt_r = bit_cast_u::<34, 48>(data);
            }
            if address == 5 {
                c_init_r = data;
            }
            if address == 6 {
                w_init_r = bit_cast_u::<34, 48>(data);
            }
            if address == 7 {
                w_min_r = bit_cast_u::<34, 48>(data);
            }
            if address == 8 {
                w_ai_r = bit_cast_u::<37, 48>(data);
            }
            if address == 9 {
                rate_per_window_r = bit_cast_u::<34, 48>(data);
            }
            if address == 10 {
                stale_limit_r = bit_cast_u::<32, 48>(data);
            }
        }
        if reset {
            reaction_r = 0.into();
            assign! {
                max_stage_r.d = max_stage_reset, base_rtt_r.d = base_rtt_reset,
                base_rtt_shift_r.d = base_rtt_shift_reset, inverse_base_rtt_r.d = inverse_base_rtt_reset,
                c_init_r.d = c_init_reset, w_init_r.d = w_init_reset, w_min_r.d = w_min_reset, w_ai_r.d = w_ai_reset,
                rate_per_window_r.d = rate_per_window_reset, stale_limit_r.d = stale_limit_reset
            }
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}
