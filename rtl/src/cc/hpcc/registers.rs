//! Run-time registers of HPCC, written through [`crate::cc::slot::ConfigIn`], with the paper's parameters at 100 Gb/s and 13 us after reset.
//!
//! Addresses and widths: [`hpcc_models::fixed::registers`]. The port-speed table is a RAM beside each lane
//! ([`super::speed_table`]), written by the same port.

use crate::emit::naming::named;
use crate::prim::uint::U;
use hpcc_models::cc::hpcc::HpccParams;
use hpcc_models::fixed::HpccRegisters;
use rust_hdl::prelude::*;

/// The registers that the block holds after reset: 100 Gb/s, `T` = 13 us, the paper's `eta`, `maxStage` and `W_AI`.
pub fn reset_values() -> HpccRegisters {
    HpccRegisters::new(&HpccParams::new(100_000_000_000, 13_000)).expect("the paper's parameters fit the formats")
}

/// Scalar registers: a write shows one clock later.
#[derive(LogicBlock)]
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
    reaction_r: DFF<U<2>>,
    max_stage_r: DFF<U<8>>,
    base_rtt_r: DFF<U<17>>,
    base_rtt_shift_r: DFF<U<3>>,
    inverse_base_rtt_r: DFF<U<34>>,
    c_init_r: DFF<U<48>>,
    w_init_r: DFF<U<34>>,
    w_min_r: DFF<U<34>>,
    w_ai_r: DFF<U<37>>,
    rate_per_window_r: DFF<U<34>>,
    stale_limit_r: DFF<U<32>>,
    max_stage_reset: Constant<U<8>>,
    base_rtt_reset: Constant<U<17>>,
    base_rtt_shift_reset: Constant<U<3>>,
    inverse_base_rtt_reset: Constant<U<34>>,
    c_init_reset: Constant<U<48>>,
    w_init_reset: Constant<U<34>>,
    w_min_reset: Constant<U<34>>,
    w_ai_reset: Constant<U<37>>,
    rate_per_window_reset: Constant<U<34>>,
    stale_limit_reset: Constant<U<32>>,
}

impl Default for RegisterBlock {
    fn default() -> Self {
        let r = reset_values();
        Self {
            clock: Default::default(),
            reset: Default::default(),
            write: Default::default(),
            address: Default::default(),
            data: Default::default(),
            reaction: Default::default(),
            max_stage: Default::default(),
            base_rtt: Default::default(),
            base_rtt_shift: Default::default(),
            inverse_base_rtt: Default::default(),
            c_init: Default::default(),
            w_init: Default::default(),
            w_min: Default::default(),
            w_ai: Default::default(),
            rate_per_window: Default::default(),
            stale_limit: Default::default(),
            reaction_r: Default::default(),
            max_stage_r: Default::default(),
            base_rtt_r: Default::default(),
            base_rtt_shift_r: Default::default(),
            inverse_base_rtt_r: Default::default(),
            c_init_r: Default::default(),
            w_init_r: Default::default(),
            w_min_r: Default::default(),
            w_ai_r: Default::default(),
            rate_per_window_r: Default::default(),
            stale_limit_r: Default::default(),
            max_stage_reset: Constant::new(U(r.max_stage.into())),
            base_rtt_reset: Constant::new(U(r.base_rtt.into())),
            base_rtt_shift_reset: Constant::new(U(r.base_rtt_shift.into())),
            inverse_base_rtt_reset: Constant::new(U(r.inverse_base_rtt)),
            c_init_reset: Constant::new(U(r.c_init)),
            w_init_reset: Constant::new(U(r.w_init)),
            w_min_reset: Constant::new(U(r.w_min)),
            w_ai_reset: Constant::new(U(r.w_ai)),
            rate_per_window_reset: Constant::new(U(r.rate_per_window)),
            stale_limit_reset: Constant::new(U(r.stale_limit.into())),
        }
    }
}

impl Logic for RegisterBlock {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            reaction_r,
            max_stage_r,
            base_rtt_r,
            base_rtt_shift_r,
            inverse_base_rtt_r,
            c_init_r,
            w_init_r,
            w_min_r,
            w_ai_r,
            rate_per_window_r,
            stale_limit_r
        );
        self.reaction.next = self.reaction_r.q.val();
        self.max_stage.next = self.max_stage_r.q.val();
        self.base_rtt.next = self.base_rtt_r.q.val();
        self.base_rtt_shift.next = self.base_rtt_shift_r.q.val();
        self.inverse_base_rtt.next = self.inverse_base_rtt_r.q.val();
        self.c_init.next = self.c_init_r.q.val();
        self.w_init.next = self.w_init_r.q.val();
        self.w_min.next = self.w_min_r.q.val();
        self.w_ai.next = self.w_ai_r.q.val();
        self.rate_per_window.next = self.rate_per_window_r.q.val();
        self.stale_limit.next = self.stale_limit_r.q.val();
        if self.write.val() {
            if self.address.val() == 0 {
                self.reaction_r.d.next = self.data.val().get_bits::<2>(0);
            }
            if self.address.val() == 1 {
                self.max_stage_r.d.next = self.data.val().get_bits::<8>(0);
            }
            if self.address.val() == 2 {
                self.base_rtt_r.d.next = self.data.val().get_bits::<17>(0);
            }
            if self.address.val() == 3 {
                self.base_rtt_shift_r.d.next = self.data.val().get_bits::<3>(0);
            }
            if self.address.val() == 4 {
                self.inverse_base_rtt_r.d.next = self.data.val().get_bits::<34>(0);
            }
            if self.address.val() == 5 {
                self.c_init_r.d.next = self.data.val();
            }
            if self.address.val() == 6 {
                self.w_init_r.d.next = self.data.val().get_bits::<34>(0);
            }
            if self.address.val() == 7 {
                self.w_min_r.d.next = self.data.val().get_bits::<34>(0);
            }
            if self.address.val() == 8 {
                self.w_ai_r.d.next = self.data.val().get_bits::<37>(0);
            }
            if self.address.val() == 9 {
                self.rate_per_window_r.d.next = self.data.val().get_bits::<34>(0);
            }
            if self.address.val() == 10 {
                self.stale_limit_r.d.next = self.data.val().get_bits::<32>(0);
            }
        }
        if self.reset.val() {
            self.reaction_r.d.next = 0.into();
            self.max_stage_r.d.next = self.max_stage_reset.val();
            self.base_rtt_r.d.next = self.base_rtt_reset.val();
            self.base_rtt_shift_r.d.next = self.base_rtt_shift_reset.val();
            self.inverse_base_rtt_r.d.next = self.inverse_base_rtt_reset.val();
            self.c_init_r.d.next = self.c_init_reset.val();
            self.w_init_r.d.next = self.w_init_reset.val();
            self.w_min_r.d.next = self.w_min_reset.val();
            self.w_ai_r.d.next = self.w_ai_reset.val();
            self.rate_per_window_r.d.next = self.rate_per_window_reset.val();
            self.stale_limit_r.d.next = self.stale_limit_reset.val();
        }
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}

crate::has_clock! { [] RegisterBlock }
