//! Run-time registers of DCQCN's reaction point: what software computes once from the parameters, and where it writes it.

use crate::cc::dcqcn::{DcqcnParams, IncreaseRule};
use crate::cc::hpcc::ParamError;
use crate::fixed::formats::{mask, RATE_BITS};

/// Bits of `alpha`, UQ1.20. `alpha (1 - g)` is truncated: rounded at any width it would stop above zero, truncated it reaches it.
pub const ALPHA_BITS: u32 = 21;
/// Bits of the gain, UQ0.20.
pub const GAIN_BITS: u32 = 20;
/// Bits of a timer, in units of 1.024 us: 1.07 s, compared as serial numbers.
pub const TIME_BITS: u32 = 20;
/// Left shift of a time in ns to its unit.
pub const TIME_SHIFT: u32 = 10;
/// Bits of the byte counter, in units of 64 bytes.
pub const BYTES_BITS: u32 = 26;
/// Left shift of bytes to their unit.
pub const BYTES_SHIFT: u32 = 6;
/// Largest stage.
pub const STAGE_MAX: u8 = 31;

/// Mode bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DcqcnMode {
    /// Increase rule of QCN (SIGCOMM 2015): both stages count.
    pub qcn: bool,
    /// A cut always lowers the target as well.
    pub clamp: bool,
    /// A mark on an acknowledgement counts as a CNP.
    pub mark_on_ack: bool,
    /// The window follows the rate; otherwise there is none.
    pub window: bool,
    /// A retransmission timeout asks for a cut.
    pub cut_on_timeout: bool,
    /// The cut of the first CNP waits for a cut interval.
    pub first_late: bool,
}

impl DcqcnMode {
    /// As the register holds it.
    pub fn bits(self) -> u64 {
        u64::from(self.qcn)
            | u64::from(self.clamp) << 1
            | u64::from(self.mark_on_ack) << 2
            | u64::from(self.window) << 3
            | u64::from(self.cut_on_timeout) << 4
            | u64::from(self.first_late) << 5
    }
}

/// All registers. Integers are the bits of the format named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DcqcnRegisters {
    /// Mode bits.
    pub mode: DcqcnMode,
    /// Gain, UQ0.20.
    pub gain: u64,
    /// Between updates of alpha, 1.024 us.
    pub alpha_interval: u32,
    /// Between cuts, 1.024 us.
    pub cut_interval: u32,
    /// Increase timer, 1.024 us.
    pub increase_interval: u32,
    /// Acknowledged bytes of a byte stage, 64 bytes; 0: no byte counter.
    pub byte_reset: u32,
    /// Rounds of fast recovery.
    pub fast_recovery: u8,
    /// Additive step, UQ7.27 bytes/ns.
    pub rate_ai: u64,
    /// Hyper step, UQ7.27.
    pub rate_hai: u64,
    /// Smallest rate, UQ7.27.
    pub min_rate: u64,
    /// Line rate, UQ7.27.
    pub line_rate: u64,
    /// Rate set by the first CNP, UQ7.27; 0: none.
    pub first_rate: u64,
    /// What a cut leaves at least, UQ0.8; 0: no bound.
    pub min_decrease: u64,
    /// Time in which the line rate carries `W_init`, UQ17.17 ns: turns a rate into a window without a division.
    pub window_time: u64,
    /// Clocks in which the walk of the timers looks at one flow.
    pub walk: u32,
}

/// Address of each register in the module's write port.
pub mod address {
    /// Mode bits.
    pub const MODE: u8 = 0;
    /// Gain.
    pub const GAIN: u8 = 1;
    /// Alpha interval.
    pub const ALPHA_INTERVAL: u8 = 2;
    /// Cut interval.
    pub const CUT_INTERVAL: u8 = 3;
    /// Increase timer.
    pub const INCREASE_INTERVAL: u8 = 4;
    /// Byte counter.
    pub const BYTE_RESET: u8 = 5;
    /// Rounds of fast recovery.
    pub const FAST_RECOVERY: u8 = 6;
    /// Additive step.
    pub const RATE_AI: u8 = 7;
    /// Hyper step.
    pub const RATE_HAI: u8 = 8;
    /// Smallest rate.
    pub const MIN_RATE: u8 = 9;
    /// Line rate.
    pub const LINE_RATE: u8 = 10;
    /// Rate set by the first CNP.
    pub const FIRST_RATE: u8 = 11;
    /// What a cut leaves at least.
    pub const MIN_DECREASE: u8 = 12;
    /// Time in which the line rate carries `W_init`.
    pub const WINDOW_TIME: u8 = 13;
    /// Clocks of the walk per flow.
    pub const WALK: u8 = 14;
}

/// Default clocks of the walk per flow: 300 flows in 6 us at 200 MHz.
pub const DEFAULT_WALK: u32 = 4;

impl DcqcnRegisters {
    /// Computes the registers; `windowed`: the window follows the rate. Errors name the parameter that does not fit.
    pub fn new(p: &DcqcnParams, windowed: bool) -> Result<Self, ParamError> {
        let rate = |field, bits_per_second: u64| fit(field, bits_per_second as f64 / 8e9 * 2f64.powi(27), RATE_BITS);
        let interval = |field, ns: u64| {
            let units = ns as f64 / f64::from(1u32 << TIME_SHIFT);
            let units = fit(field, units.max(1.0), TIME_BITS - 1)?;
            Ok::<u32, ParamError>(units as u32)
        };
        let check = |ok: bool, field, expected: &str, got: String| {
            ok.then_some(()).ok_or(ParamError {
                field,
                expected: expected.into(),
                got,
            })
        };
        let line = p.line_rate;
        check(line > 0, "line_rate", "more than 0", line.to_string())?;
        check(
            p.min_rate > 0 && p.min_rate <= line,
            "min_rate",
            "above 0, at most the line rate",
            p.min_rate.to_string(),
        )?;
        check((0.0..1.0).contains(&p.gain), "gain", "0 to below 1", p.gain.to_string())?;
        check(
            p.fast_recovery < u32::from(STAGE_MAX),
            "fast_recovery",
            "0 to 30",
            p.fast_recovery.to_string(),
        )?;
        check(
            p.first_rate <= line,
            "first_rate",
            "at most the line rate",
            p.first_rate.to_string(),
        )?;
        check(
            (0.0..1.0).contains(&p.min_decrease),
            "min_decrease",
            "0 to below 1",
            p.min_decrease.to_string(),
        )?;
        Ok(Self {
            mode: DcqcnMode {
                qcn: p.rule == IncreaseRule::Qcn,
                clamp: p.clamp_target,
                mark_on_ack: p.mark_on_ack,
                window: windowed,
                cut_on_timeout: false,
                first_late: !p.immediate,
            },
            gain: fit("gain", p.gain * 2f64.powi(20), GAIN_BITS)?,
            alpha_interval: interval("alpha_interval", p.alpha_interval)?,
            cut_interval: interval("decrease_interval", p.decrease_interval)?,
            increase_interval: interval("increase_interval", p.increase_interval)?,
            byte_reset: fit(
                "byte_reset",
                p.byte_reset as f64 / f64::from(1u32 << BYTES_SHIFT),
                BYTES_BITS,
            )? as u32,
            fast_recovery: p.fast_recovery as u8,
            rate_ai: rate("rate_ai", p.rate_ai)?,
            rate_hai: rate("rate_hai", p.rate_hai)?,
            // even, so that the mean of two rates never leaves their range
            min_rate: rate("min_rate", p.min_rate)?.next_multiple_of(2),
            line_rate: rate("line_rate", line)? & !1,
            first_rate: rate("first_rate", p.first_rate)?,
            min_decrease: fit("min_decrease", p.min_decrease * 256.0, 8)?,
            window_time: fit("w_init", p.w_init * 8e9 / line as f64 * 2f64.powi(17), 34)?,
            walk: DEFAULT_WALK,
        })
    }

    /// Every register as `(address, data)`, in the order software writes them.
    pub fn writes(&self) -> Vec<(u8, u64)> {
        vec![
            (address::MODE, self.mode.bits()),
            (address::GAIN, self.gain),
            (address::ALPHA_INTERVAL, self.alpha_interval.into()),
            (address::CUT_INTERVAL, self.cut_interval.into()),
            (address::INCREASE_INTERVAL, self.increase_interval.into()),
            (address::BYTE_RESET, self.byte_reset.into()),
            (address::FAST_RECOVERY, self.fast_recovery.into()),
            (address::RATE_AI, self.rate_ai),
            (address::RATE_HAI, self.rate_hai),
            (address::MIN_RATE, self.min_rate),
            (address::LINE_RATE, self.line_rate),
            (address::FIRST_RATE, self.first_rate),
            (address::MIN_DECREASE, self.min_decrease),
            (address::WINDOW_TIME, self.window_time),
            (address::WALK, self.walk.into()),
        ]
    }
}

/// A value rounded to so many bits.
fn fit(field: &'static str, value: f64, bits: u32) -> Result<u64, ParamError> {
    let rounded = value.round();
    if rounded.is_finite() && rounded >= 0.0 && rounded <= mask(bits) as f64 {
        return Ok(rounded as u64);
    }
    Err(ParamError {
        field,
        expected: format!("a value that fits the {bits} bits of the hardware's register"),
        got: format!("{value} units"),
    })
}
