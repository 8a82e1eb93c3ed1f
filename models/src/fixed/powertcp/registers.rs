//! Run-time registers of the PowerTCP pipeline: what software computes once from the parameters, and where it writes it.

use super::arithmetic::{GAMMA_FRACTION, POWER_FRACTION};
use crate::cc::hpcc::ParamError;
use crate::cc::powertcp::{
    Arithmetic, BaseRtt, Current, FirstAck, MissingRtt, OldWindow, PowerParams, Reaction, SecondTerm, Signal,
};
use crate::fixed::formats::{
    mask, ADDITIVE_INCREASE_BITS, BASE_RTT_BITS, BUSY_TIME_BITS, INVERSE_BASE_RTT_BITS, QUEUE_WEIGHT_BITS,
    RATE_PER_WINDOW_BITS, TS_BITS, TX_BITS, WINDOW_BITS,
};
use crate::fixed::registers::{SpeedRegisters, DATA_BITS};

/// In the mode: an acknowledgement without a round-trip time measures the base.
pub const MISSING_IS_BASE: u8 = 1;
/// In the mode: an acknowledgement without a round-trip time repeats the last.
pub const MISSING_IS_LAST: u8 = 2;

/// Mode bits: every difference of the paper and its authors' code that is not a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PowerMode {
    /// The law reads round-trip times.
    pub theta: bool,
    /// The byte counter counts arrivals, the queue's growth is in it (D1).
    pub arrivals: bool,
    /// Both terms of the window use the old one (D5).
    pub old_in_both: bool,
    /// The old window is that of the last full update, not of the round trip before (D6).
    pub last_full: bool,
    /// 0: every acknowledgement; 1: window once a round trip; 2: nothing within a round trip (D7).
    pub reaction: u8,
    /// The base round-trip time is the smallest that the flow has seen (D9).
    pub smallest_rtt: bool,
    /// The first acknowledgement is an update (D10).
    pub first_updates: bool,
    /// Records do not grow old and are not bound to a path.
    pub ageless: bool,
    /// The end of a round trip is reached at its sequence number itself.
    pub inclusive: bool,
    /// What an acknowledgement without a round-trip time is (D9): 0: nothing; [`MISSING_IS_BASE`]; [`MISSING_IS_LAST`].
    pub missing_rtt: u8,
}

impl PowerMode {
    /// As the register holds it.
    pub fn bits(self) -> u64 {
        u64::from(self.theta)
            | u64::from(self.arrivals) << 1
            | u64::from(self.old_in_both) << 2
            | u64::from(self.last_full) << 3
            | u64::from(self.reaction) << 4
            | u64::from(self.smallest_rtt) << 6
            | u64::from(self.first_updates) << 7
            | u64::from(self.ageless) << 8
            | u64::from(self.inclusive) << 9
            | u64::from(self.missing_rtt) << 10
    }
}

/// All registers. Integers are the bits of the format named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerRegisters {
    /// Mode bits.
    pub mode: PowerMode,
    /// `tau`, ns, 17 bits.
    pub base_rtt: u32,
    /// Left shift that brings `tau` to 17 bits.
    pub base_rtt_shift: u8,
    /// 2^50 over the shifted `tau`.
    pub inverse_base_rtt: u64,
    /// Power of a new flow over eta, UQ17.31.
    pub power_init: u64,
    /// Smallest power over eta, UQ17.31.
    pub smallest_power: u64,
    /// Smallest current over eta, UQ11.37.
    pub current_floor: u64,
    /// First and largest window, UQ23.11 bytes.
    pub w_init: u64,
    /// Smallest window, UQ23.11 bytes.
    pub w_min: u64,
    /// `gamma beta`, UQ23.14 bytes.
    pub beta: u64,
    /// `gamma`, UQ1.33.
    pub gamma: u64,
    /// `1 / tau` for the rate, UQ0.43.
    pub rate_per_window: u64,
    /// Age above which a flow's records are stale, ns.
    pub stale_limit: u32,
    /// theta: 8 ns over eta and the factor of tau, UQ12.22: the time of a unit in place of a port's.
    pub unit_time: u64,
    /// The port-speed table: busy time of a unit over eta, weight of the queue, stale age.
    pub speeds: [SpeedRegisters; 16],
}

/// Address of each scalar register in the module's write port; the speed table lies as HPCC's.
pub mod address {
    /// Mode bits.
    pub const MODE: u8 = 0;
    /// `tau`.
    pub const BASE_RTT: u8 = 1;
    /// Left shift of `tau`.
    pub const BASE_RTT_SHIFT: u8 = 2;
    /// `1 / tau`.
    pub const INVERSE_BASE_RTT: u8 = 3;
    /// Power of a new flow.
    pub const POWER_INIT: u8 = 4;
    /// Smallest power.
    pub const SMALLEST_POWER: u8 = 5;
    /// Smallest current.
    pub const CURRENT_FLOOR: u8 = 6;
    /// `W_init`.
    pub const W_INIT: u8 = 7;
    /// `W_min`.
    pub const W_MIN: u8 = 8;
    /// `gamma beta`.
    pub const BETA: u8 = 9;
    /// `gamma`.
    pub const GAMMA: u8 = 10;
    /// `1 / tau` for the rate.
    pub const RATE_PER_WINDOW: u8 = 11;
    /// Age limit of a flow's records.
    pub const STALE_LIMIT: u8 = 12;
    /// theta's unit of time.
    pub const UNIT_TIME: u8 = 13;
    pub use crate::fixed::registers::address::{BUSY_TIME, QUEUE_WEIGHT, STALE_NS};
}

impl PowerRegisters {
    /// Computes the registers. Errors name the parameter that does not fit the hardware's formats, or that the hardware does not offer
    /// (`per-packet` old windows).
    pub fn new(p: &PowerParams) -> Result<Self, ParamError> {
        p.validate()?;
        if p.old_window == OldWindow::PerPacket {
            return Err(ParamError {
                field: "old_window",
                expected: "what the hardware offers (PerRoundTrip, LastFull)".into(),
                got: "PerPacket".into(),
            });
        }
        if !p.clamp_dt {
            return Err(ParamError {
                field: "clamp_dt",
                expected: "true, as the hardware".into(),
                got: "false".into(),
            });
        }
        let theta = p.signal == Signal::Delay;
        if !theta && p.first_ack == FirstAck::Update {
            return Err(ParamError {
                field: "first_ack",
                expected: "what the hardware offers with INT (Store)".into(),
                got: "Update".into(),
            });
        }
        let shift = p.base_rtt_ns.leading_zeros() - (32 - BASE_RTT_BITS);
        let normal = u64::from(p.base_rtt_ns << shift);
        let scale = if theta { p.eta * p.tau_factor } else { p.eta };
        Ok(Self {
            mode: PowerMode {
                theta,
                arrivals: p.current == Current::Arrivals,
                old_in_both: p.second_term == SecondTerm::Old,
                last_full: p.old_window == OldWindow::LastFull,
                reaction: match p.reaction {
                    Reaction::PerAck => 0,
                    Reaction::WindowPerRoundTrip => 1,
                    Reaction::PerRoundTrip => 2,
                },
                smallest_rtt: theta && p.base_rtt == BaseRtt::SmallestSeen,
                first_updates: p.first_ack == FirstAck::Update,
                ageless: p.stale_limit_ns.is_none(),
                inclusive: theta && p.arithmetic == Arithmetic::Windows,
                missing_rtt: match p.missing_rtt {
                    MissingRtt::Base if theta => MISSING_IS_BASE,
                    MissingRtt::Last if theta => MISSING_IS_LAST,
                    _ => 0,
                },
            },
            base_rtt: p.base_rtt_ns,
            base_rtt_shift: shift as u8,
            inverse_base_rtt: (((1u64 << 50) + normal / 2) / normal).min(mask(INVERSE_BASE_RTT_BITS)),
            power_init: bits("init_power", p.init_power / p.eta, POWER_FRACTION, DATA_BITS)?,
            smallest_power: bits("smallest_power", p.smallest_power / p.eta, POWER_FRACTION, DATA_BITS)?,
            current_floor: bits("current_floor", p.current_floor / scale, 37, DATA_BITS)?,
            w_init: bits("w_init", p.w_init, 11, WINDOW_BITS)?,
            w_min: bits("min_rate", p.w_min(), 11, WINDOW_BITS)?,
            beta: bits("beta", p.gamma * p.beta_bytes(), 14, ADDITIVE_INCREASE_BITS)?,
            gamma: bits("gamma", p.gamma, GAMMA_FRACTION, 34)?,
            rate_per_window: bits(
                "w_init",
                p.line_rate as f64 / (p.w_init * 8e9),
                43,
                RATE_PER_WINDOW_BITS,
            )?,
            stale_limit: p.stale_limit_ns.unwrap_or(0),
            unit_time: bits("eta", 8.0 / scale, 22, BUSY_TIME_BITS)?,
            speeds: speed_table(p)?,
        })
    }

    /// Every register as `(address, data)`, in the order software writes them.
    pub fn writes(&self) -> Vec<(u8, u64)> {
        let mut list = vec![
            (address::MODE, self.mode.bits()),
            (address::BASE_RTT, self.base_rtt.into()),
            (address::BASE_RTT_SHIFT, self.base_rtt_shift.into()),
            (address::INVERSE_BASE_RTT, self.inverse_base_rtt),
            (address::POWER_INIT, self.power_init),
            (address::SMALLEST_POWER, self.smallest_power),
            (address::CURRENT_FLOOR, self.current_floor),
            (address::W_INIT, self.w_init),
            (address::W_MIN, self.w_min),
            (address::BETA, self.beta),
            (address::GAMMA, self.gamma),
            (address::RATE_PER_WINDOW, self.rate_per_window),
            (address::STALE_LIMIT, self.stale_limit.into()),
            (address::UNIT_TIME, self.unit_time),
        ];
        for (code, speed) in (0u8..).zip(&self.speeds) {
            list.extend(speed.writes(code));
        }
        list
    }
}

/// A value in a format of so many bits, rounded to nearest.
fn bits(field: &'static str, value: f64, fraction: u32, width: u32) -> Result<u64, ParamError> {
    let scaled = (value * 2f64.powi(fraction as i32)).round();
    if !scaled.is_finite() || value < 0.0 || scaled > mask(width) as f64 {
        return Err(ParamError {
            field,
            expected: format!(
                "a value that fits {} integer bits of the hardware's format",
                i64::from(width) - i64::from(fraction)
            ),
            got: format!("{value}"),
        });
    }
    Ok(scaled as u64)
}

fn speed_table(p: &PowerParams) -> Result<[SpeedRegisters; 16], ParamError> {
    let mut table = [SpeedRegisters::default(); 16];
    let (byte_unit, queue_unit) = p.units();
    for (entry, &speed) in table.iter_mut().zip(&p.port_speeds).filter(|(_, &speed)| speed != 0) {
        let bytes_per_ns = speed as f64 / 8e9;
        // first elapsed time whose bytes reach the turn of the byte counter
        let turn_bits = ((1u128 << TX_BITS) as f64 * byte_unit * 8.0) as u128 * 1_000_000_000;
        let turn_ns = turn_bits.div_ceil(u128::from(speed));
        let limit = p
            .stale_limit_ns
            .map_or(u128::from(mask(TS_BITS)), |limit| u128::from(limit) + 1);
        let weight = queue_unit / (bytes_per_ns * f64::from(p.base_rtt_ns));
        *entry = SpeedRegisters {
            busy_time: bits("int_multi", byte_unit / bytes_per_ns / p.eta, 22, BUSY_TIME_BITS)?,
            queue_weight: bits("int_multi", weight, 32, QUEUE_WEIGHT_BITS)?,
            stale_ns: if p.stale_limit_ns.is_some() {
                turn_ns.min(limit).min(u128::from(mask(TS_BITS))) as u32
            } else {
                mask(TS_BITS) as u32
            },
            valid: true,
        };
    }
    Ok(table)
}
