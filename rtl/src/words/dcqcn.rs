//! What goes through the reaction point of DCQCN, and what it keeps of a flow.
//!
//! Times are the NIC's clock in units of 1.024 us, modulo 2^20, compared as serial numbers.

use super::congestion::CcEventKind;
use crate::prim::uint::U;
use rust_hdl::prelude::Bit;

crate::kind! {
    /// What an increase adds to the target rate.
    pub enum IncreaseStep {
        /// Nothing: fast recovery.
        Recovery,
        /// The additive step.
        Additive,
        /// The hyper step.
        Hyper,
    }
}

crate::word! {
    /// An event that waits at the entry.
    pub struct DcqcnEvent {
        /// Flow number.
        flow: U<16>,
        /// Generation of the flow.
        generation: U<8>,
        /// Kind of event.
        kind: CcEventKind,
        /// The acknowledged packet was marked.
        ecn: Bit,
        /// Bytes newly acknowledged, in units of 64.
        bytes: U<26>,
        /// When it happened.
        now: U<20>,
    }

    /// What enters, its flow aside.
    pub struct DcqcnEntry {
        /// There is an event or a command.
        valid: Bit,
        /// It is a command.
        command: Bit,
        /// The command creates.
        create: Bit,
        /// A tick of the walk, which belongs to whatever generation the flow has.
        walked: Bit,
        /// Generation of the flow.
        generation: U<8>,
        /// Kind of event.
        kind: CcEventKind,
        /// The acknowledged packet was marked.
        ecn: Bit,
        /// Bytes newly acknowledged, in units of 64.
        bytes: U<26>,
        /// When it happened.
        now: U<20>,
    }

    /// What was chosen to enter.
    pub struct DcqcnChosen {
        /// Kind of the entry.
        entry: DcqcnEntry,
        /// Flow of the entry.
        flow: U<16>,
        /// An event of a flow number past the configured count.
        past: Bit,
    }

    /// What decides when a flow's rate moves.
    pub struct DcqcnTimers {
        /// The flow exists.
        exists: Bit,
        /// Generation of the flow.
        generation: U<8>,
        /// A notification has come: the timers run.
        started: Bit,
        /// A CNP came since the last step of alpha.
        cnp_alpha: Bit,
        /// A notification came since the last cut.
        cnp_cut: Bit,
        /// Increases by timer since the last cut.
        stage_t: U<5>,
        /// Increases by bytes since the last cut.
        stage_b: U<5>,
        /// Bytes left to the next increase by bytes, in units of 64.
        bytes: U<26>,
        /// When alpha is due.
        next_alpha: U<20>,
        /// From when a cut may be made.
        next_cut: U<20>,
        /// When an increase is due.
        next_increase: U<20>,
    }

    /// What an event does to alpha and to the rates.
    pub struct DcqcnStep {
        /// A flow that exists, or begins.
        live: Bit,
        /// The flow begins.
        created: Bit,
        /// Alpha falls by its gain.
        alpha: Bit,
        /// A CNP came since the last step of alpha, which rises by the gain.
        noted: Bit,
        /// The first notification sets the rate.
        first: Bit,
        /// The rate is cut.
        cut: Bit,
        /// The cut lowers the target to the rate.
        lower: Bit,
        /// The rate rises towards the target.
        increase: Bit,
        /// What is added to the target before.
        step: IncreaseStep,
    }

    /// The NIC's clock, ns.
    pub struct NicClock {
        /// Below a unit of the timers.
        below: U<10>,
        /// The timers' time.
        whole: U<20>,
        /// Beyond the timers' turn.
        above: U<18>,
    }

    /// A count of bytes.
    pub struct ByteCount {
        /// Below a unit of 64.
        below: U<6>,
        /// Units of 64.
        whole: U<26>,
    }

    /// A time less another, as serial numbers.
    pub struct SerialDistance {
        /// How far, modulo half a turn.
        distance: U<19>,
        /// The time lies before the other.
        negative: Bit,
    }

    /// Bytes left to a byte stage, in units of 64, less those acknowledged.
    pub struct BytesLeft {
        /// What is left.
        left: U<26>,
        /// Less than nothing: the stage ends.
        over: Bit,
    }

    /// Alpha times its gain, UQ1.40.
    pub struct AlphaShare {
        /// Below a unit of alpha.
        below: U<20>,
        /// Units of alpha.
        whole: U<21>,
    }

    /// How far a bound of a rate lies above what a cut leaves of it, UQ8.27.
    pub struct RateSide {
        /// Amount, two's complement.
        amount: U<35>,
        /// The value lies below.
        below: Bit,
    }

    /// A rate, UQ7.27, of which half is taken.
    pub struct HalvedRate {
        /// What a half loses.
        odd: Bit,
        /// Half of it.
        half: U<33>,
    }

    /// Rate times the time that makes a window of it, UQ24.11 bytes.
    pub struct LongWindow {
        /// The window, if it fits.
        window: U<34>,
        /// It does not.
        over: Bit,
    }

    /// Rates of a flow, UQ7.27 bytes per ns.
    pub struct DcqcnRates {
        /// The rate at which it sends.
        current: U<34>,
        /// The rate at which it last sent well.
        target: U<34>,
    }

    /// How DCQCN is run, [`hpcc_models::fixed::dcqcn::DcqcnMode`].
    pub struct DcqcnModes {
        /// Both stages decide about an increase (SIGCOMM 2015, QCN); otherwise the one that moved.
        qcn: Bit,
        /// A cut always lowers the target.
        clamp: Bit,
        /// A mark on an acknowledgement counts as a CNP.
        mark_on_ack: Bit,
        /// The window follows the rate; otherwise there is none.
        window: Bit,
        /// A retransmission timeout asks for a cut.
        cut_on_timeout: Bit,
        /// The cut of the first CNP waits for a cut interval.
        first_late: Bit,
    }

    /// Registers of DCQCN, [`hpcc_models::fixed::dcqcn::DcqcnRegisters`].
    pub struct DcqcnScalars {
        /// Mode bits.
        mode: DcqcnModes,
        /// Gain of alpha, UQ0.20.
        gain: U<20>,
        /// Between steps of alpha.
        alpha_interval: U<20>,
        /// Between cuts.
        cut_interval: U<20>,
        /// Increase timer.
        increase_interval: U<20>,
        /// Acknowledged bytes of a byte stage, in units of 64; 0: bytes end none.
        byte_reset: U<26>,
        /// Rounds of fast recovery.
        fast_recovery: U<5>,
        /// Additive step, UQ7.27 bytes per ns.
        rate_ai: U<34>,
        /// Hyper step, UQ7.27.
        rate_hai: U<34>,
        /// Smallest rate, UQ7.27.
        min_rate: U<34>,
        /// First and largest rate, UQ7.27.
        line_rate: U<34>,
        /// Rate that the first notification sets, UQ7.27; 0: none.
        first_rate: U<34>,
        /// What a cut leaves of the rate at least, UQ0.8.
        min_decrease: U<8>,
        /// Time in which the line rate carries the first window, UQ17.17 ns.
        window_time: U<34>,
        /// Clocks of the walk for each flow that has started; 0: the walk stands.
        walk: U<8>,
    }
}
