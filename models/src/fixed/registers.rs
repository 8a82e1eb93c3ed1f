//! Run-time registers of the HPCC pipeline: what software computes once from the parameters, and where it writes it.

use super::formats::{
    mask, ADDITIVE_INCREASE_BITS, BASE_RTT_BITS, BUSY_TIME_BITS, INVERSE_BASE_RTT_BITS, QUEUE_WEIGHT_BITS,
    RATE_PER_WINDOW_BITS, TS_BITS, TX_BITS, UTILISATION_BITS, WINDOW_BITS,
};
use super::formats::{AdditiveIncrease, BusyTime, QueueWeight, RatePerWindow, Utilisation, Window};
use crate::cc::hpcc::{Fairness, HpccParams, ParamError, RateSignal, Reaction, Q_UNIT, TX_UNIT};
use fixed::types::extra::{LeEqU64, Unsigned};

/// What the hardware knows about one port speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpeedRegisters {
    /// [`BusyTime`] of one `txBytes` unit, over eta.
    pub busy_time: u64,
    /// [`QueueWeight`] of one `qLen` unit, over eta.
    pub queue_weight: u64,
    /// From this elapsed time on a hop record is stale, ns: `txBytes` may have wrapped, or the age limit is passed.
    pub stale_ns: u32,
    /// The code may be used.
    pub valid: bool,
}

impl SpeedRegisters {
    /// The three registers of a speed code as `(address, data)`.
    pub fn writes(&self, code: u8) -> [(u8, u64); 3] {
        [
            (address::BUSY_TIME + code, self.busy_time),
            (address::QUEUE_WEIGHT + code, self.queue_weight),
            (
                address::STALE_NS + code,
                u64::from(self.stale_ns) | u64::from(self.valid) << TS_BITS,
            ),
        ]
    }
}

/// All registers. Integers are the bits of the format named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HpccRegisters {
    /// Way of reacting: 0 HPCC, 1 per ACK only, 2 per RTT only.
    pub reaction: u8,
    /// `maxStage`.
    pub max_stage: u8,
    /// `T` of the EWMA, ns, 17 bits.
    pub base_rtt: u32,
    /// Left shift that brings `T` to 17 bits, 0 to 7 for the range of the product.
    pub base_rtt_shift: u8,
    /// [`super::formats::InverseBaseRtt`] of the shifted `T`.
    pub inverse_base_rtt: u64,
    /// Start value of the utilisation, `1 / eta`, a [`Utilisation`] below 2^14.
    pub c_init: u64,
    /// First and largest window, a [`Window`].
    pub w_init: u64,
    /// Smallest window, a [`Window`].
    pub w_min: u64,
    /// Additive increase, an [`AdditiveIncrease`].
    pub w_ai: u64,
    /// `1 / T_W`, a [`RatePerWindow`].
    pub rate_per_window: u64,
    /// Age above which a flow's records are stale, ns.
    pub stale_limit: u32,
    /// The port-speed table.
    pub speeds: [SpeedRegisters; 16],
}

/// Address of each scalar register in the module's write port; the speed table follows.
pub mod address {
    /// Way of reacting.
    pub const REACTION: u8 = 0;
    /// `maxStage`.
    pub const MAX_STAGE: u8 = 1;
    /// `T`.
    pub const BASE_RTT: u8 = 2;
    /// Left shift of `T`.
    pub const BASE_RTT_SHIFT: u8 = 3;
    /// `1 / T`.
    pub const INVERSE_BASE_RTT: u8 = 4;
    /// `1 / eta`.
    pub const C_INIT: u8 = 5;
    /// `W_init`.
    pub const W_INIT: u8 = 6;
    /// `W_min`.
    pub const W_MIN: u8 = 7;
    /// `W_AI`.
    pub const W_AI: u8 = 8;
    /// `1 / T_W`.
    pub const RATE_PER_WINDOW: u8 = 9;
    /// Age limit of a flow's records.
    pub const STALE_LIMIT: u8 = 10;
    /// Busy times of speed codes 0 to 15.
    pub const BUSY_TIME: u8 = 16;
    /// Queue weights of speed codes 0 to 15.
    pub const QUEUE_WEIGHT: u8 = 32;
    /// Stale times of speed codes 0 to 15; bit 24 is the valid bit.
    pub const STALE_NS: u8 = 48;
}

/// Bits of the write port's address.
pub const ADDRESS_BITS: u32 = 6;
/// Bits of the write port's data.
pub const DATA_BITS: u32 = 48;

impl HpccRegisters {
    /// Computes the registers. Errors name the parameter that does not fit the hardware's formats, or that the hardware
    /// does not offer (rxRate, alpha-fair).
    pub fn new(params: &HpccParams) -> Result<Self, ParamError> {
        params.validate()?;
        let unsupported = |field, got: &str| ParamError {
            field,
            expected: "what the hardware offers (TxRate, MaxMin)".into(),
            got: got.into(),
        };
        if params.rate_signal != RateSignal::TxRate {
            return Err(unsupported("rate_signal", &format!("{:?}", params.rate_signal)));
        }
        if params.class_search {
            return Err(unsupported("class_search", "on"));
        }
        if params.n_aware {
            return Err(unsupported("n_aware", "on"));
        }
        if params.fairness != Fairness::MaxMin {
            return Err(unsupported("fairness", "Alpha"));
        }
        let t_w = params.t_w_ns();
        let shift = params.base_rtt_ns.leading_zeros() - (32 - BASE_RTT_BITS);
        let inverse =
            ((1u64 << 50) + u64::from(params.base_rtt_ns << shift) / 2) / u64::from(params.base_rtt_ns << shift);
        Ok(Self {
            reaction: match params.reaction {
                Reaction::Hpcc => 0,
                Reaction::PerAck => 1,
                Reaction::PerRtt => 2,
            },
            max_stage: params.max_stage,
            base_rtt: params.base_rtt_ns,
            base_rtt_shift: shift as u8,
            // T of exactly 2^16 would need one more bit; one unit less is an error of 2^-34
            inverse_base_rtt: inverse.min(mask(INVERSE_BASE_RTT_BITS)),
            c_init: bits_of::<Utilisation>("eta", 1.0 / params.eta)?,
            w_init: bits_of::<Window>("w_init", params.w_init)?,
            w_min: bits_of::<Window>("min_rate", params.w_min())?,
            w_ai: bits_of::<AdditiveIncrease>("w_ai", params.w_ai)?,
            rate_per_window: bits_of::<RatePerWindow>("w_init", 1.0 / t_w)?,
            stale_limit: params.stale_limit_ns,
            speeds: speed_table(params, t_w)?,
        })
    }

    /// Every register as `(address, data)`, in the order software writes them.
    pub fn writes(&self) -> Vec<(u8, u64)> {
        let mut list = vec![
            (address::REACTION, u64::from(self.reaction)),
            (address::MAX_STAGE, u64::from(self.max_stage)),
            (address::BASE_RTT, u64::from(self.base_rtt)),
            (address::BASE_RTT_SHIFT, u64::from(self.base_rtt_shift)),
            (address::INVERSE_BASE_RTT, self.inverse_base_rtt),
            (address::C_INIT, self.c_init),
            (address::W_INIT, self.w_init),
            (address::W_MIN, self.w_min),
            (address::W_AI, self.w_ai),
            (address::RATE_PER_WINDOW, self.rate_per_window),
            (address::STALE_LIMIT, u64::from(self.stale_limit)),
        ];
        for (code, speed) in (0u8..).zip(&self.speeds) {
            list.extend(speed.writes(code));
        }
        list
    }
}

/// A format with its width in hardware, so that a value and its width cannot part.
trait HardwareFormat {
    type Fraction: Unsigned + LeEqU64;
    const BITS: u32;
}
macro_rules! hardware_format {
    ($($format:ty: $bits:expr),*) => { $(impl HardwareFormat for $format {
        type Fraction = <$format as fixed::traits::Fixed>::Frac;
        const BITS: u32 = $bits;
    })* };
}
hardware_format!(Utilisation: DATA_BITS, Window: WINDOW_BITS, AdditiveIncrease: ADDITIVE_INCREASE_BITS, BusyTime: BUSY_TIME_BITS,
    QueueWeight: QUEUE_WEIGHT_BITS, RatePerWindow: RATE_PER_WINDOW_BITS);

/// The bits of a value in format `T`, rounded to nearest.
fn bits_of<T: HardwareFormat>(field: &'static str, value: f64) -> Result<u64, ParamError> {
    let fraction = T::Fraction::I32;
    let scaled = (value * 2f64.powi(fraction)).round();
    if !scaled.is_finite() || value < 0.0 || scaled > mask(T::BITS) as f64 {
        return Err(ParamError {
            field,
            expected: format!(
                "a value that fits {} integer bits of the hardware's format",
                i64::from(T::BITS) - i64::from(fraction)
            ),
            got: format!("{value}"),
        });
    }
    Ok(scaled as u64)
}

/// Utilisation, over eta, of a hop with the deepest queue that INT can tell and the most bytes that it may legally report: 1.05 times what the
/// link carries, and one unit more in a nanosecond. `t_w` is in ns.
fn deepest_utilisation(multiplier: f64, bytes_per_ns: f64, t_w: f64, eta: f64) -> f64 {
    let queue = f64::from(u16::MAX) * Q_UNIT as f64 * multiplier / (bytes_per_ns * t_w);
    let rate = 1.05 + TX_UNIT as f64 * multiplier / bytes_per_ns;
    (queue + rate) / eta
}

fn speed_table(params: &HpccParams, t_w: f64) -> Result<[SpeedRegisters; 16], ParamError> {
    let mut table = [SpeedRegisters::default(); 16];
    let multiplier = u64::from(params.int_multi);
    for (entry, &speed) in table
        .iter_mut()
        .zip(&params.port_speeds)
        .filter(|(_, &speed)| speed != 0)
    {
        let bytes_per_ns = speed as f64 / 8e9;
        let deepest = deepest_utilisation(multiplier as f64, bytes_per_ns, t_w, params.eta);
        if deepest >= 2f64.powi(UTILISATION_BITS as i32 - <Utilisation as fixed::traits::Fixed>::Frac::I32) {
            return Err(ParamError {
                field: "int_multi",
                expected: format!(
                    "a value with which the deepest queue that INT tells at {speed} bit/s, {} units of {Q_UNIT} bytes, \
                     is a utilisation below 2^17",
                    u16::MAX
                ),
                got: format!("{multiplier}: {deepest:.0}"),
            });
        }
        // first elapsed time whose bytes reach the turn of txBytes
        let turn_bits = (1u128 << TX_BITS) * u128::from(TX_UNIT * multiplier) * 8 * 1_000_000_000;
        let turn_ns = turn_bits.div_ceil(u128::from(speed));
        *entry = SpeedRegisters {
            busy_time: bits_of::<BusyTime>("int_multi", (TX_UNIT * multiplier) as f64 / bytes_per_ns / params.eta)?,
            queue_weight: bits_of::<QueueWeight>(
                "int_multi",
                (Q_UNIT * multiplier) as f64 / (bytes_per_ns * t_w) / params.eta,
            )?,
            stale_ns: turn_ns
                .min(u128::from(params.stale_limit_ns) + 1)
                .min(u128::from(mask(TS_BITS))) as u32,
            valid: true,
        };
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 65 535 units of 80 bytes at 10 Gb/s and a `T_W` of 1 us are 4194.24 of its 1250 bytes, a unit of 128 bytes in a nanosecond is 102.4:
    /// fifteen times their sum and 1.05, over an eta of one half, is 128 901, sixteen times 137 495, and 2^17 is 131 072.
    #[test]
    fn the_deepest_queue_fits_the_utilisation_or_is_refused() {
        let with = |int_multi, eta, w_init| {
            let mut params = HpccParams::new(10_000_000_000, 1000);
            (params.int_multi, params.eta, params.w_init) = (int_multi, eta, w_init);
            HpccRegisters::new(&params).map(|_| ()).map_err(|e| e.to_string())
        };
        assert_eq!(with(15, 0.5, 1250.0), Ok(()));
        let refused = with(16, 0.5, 1250.0).unwrap_err();
        assert!(
            refused.starts_with("int_multi: ") && refused.ends_with("16: 137495"),
            "{refused}"
        );
        // a window of 750 bytes: T_W is 600 ns, and 6990.4 + 102.4 for each of the multiplier
        assert_eq!(with(9, 0.5, 750.0), Ok(()));
        assert!(with(10, 0.5, 750.0).is_err());
        assert_eq!(with(30, 1.0, 1250.0), Ok(()));
        assert!(with(31, 1.0, 1250.0).is_err());
    }
}
