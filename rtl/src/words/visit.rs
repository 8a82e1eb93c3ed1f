//! Credit, waiting flows and membership of groups inside the scheduler.

use super::sched::FlowPlace;
use crate::prim::uint::U;
use rust_hdl::prelude::Bit;

crate::word! {
    /// A rate, UQ7.27 bytes per ns, as a multiplier of 17 bits takes it.
    pub struct RateHalves {
        /// Lower half.
        low: U<17>,
        /// Upper half.
        high: U<17>,
    }

    /// Product of half a rate and the visit interval.
    pub struct IntervalProduct {
        /// Below what the product of the upper half begins with.
        low: U<17>,
        /// The rest.
        high: U<17>,
    }

    /// Product of the lower half of a rate and the time of the window.
    pub struct TimeProduct {
        /// Less than a unit of the window.
        fraction: U<16>,
        /// Units.
        whole: U<18>,
    }

    /// Bytes earned in a visit interval, as the products of both halves add up.
    pub struct EarnedSum {
        /// Less than a byte.
        fraction: U<10>,
        /// Bytes.
        bytes: U<19>,
        /// Zero.
        spare: U<5>,
    }

    /// A window rounded up to whole bytes.
    pub struct WindowBytes {
        /// Less than a byte.
        fraction: U<11>,
        /// Bytes.
        bytes: U<23>,
        /// More than a window can be.
        over: Bit,
    }

    /// A flow number times 2^18 over the number of engines.
    pub struct EngineProduct {
        /// Less than a whole index.
        fraction: U<18>,
        /// Index in its engine.
        index: U<14>,
    }

    /// Credit of a flow, SQ20.16 bytes.
    pub struct Credit {
        /// Parts of a byte.
        fraction: U<16>,
        /// Bytes, two's complement.
        bytes: U<20>,
        /// The flow is in debt.
        negative: Bit,
    }

    /// The same, whole bytes as one number.
    pub struct WholeCredit {
        /// Parts of a byte.
        fraction: U<16>,
        /// Bytes, two's complement.
        bytes: U<21>,
    }

    /// Credit before it is capped, SQ28.16 bytes.
    pub struct LongerCredit {
        /// Its lower bits.
        credit: U<37>,
        /// The sign once more, in every bit.
        sign: U<8>,
    }

    /// The same by its sign.
    pub struct LongerCreditSign {
        /// Amount, two's complement.
        amount: U<44>,
        /// The flow is in debt.
        negative: Bit,
    }

    /// Bytes that sent packets were shorter than full ones.
    pub struct CorrectionSign {
        /// Bytes, two's complement.
        bytes: U<19>,
        /// Less than none.
        negative: Bit,
    }

    /// Packets that the window leaves room for.
    pub struct WindowRoom {
        /// How many.
        packets: U<24>,
        /// More are in flight than the window allows.
        negative: Bit,
    }

    /// A window rounded up to whole packets.
    pub struct RoundedWindow {
        /// Bytes beyond whole units of 256.
        rest: U<8>,
        /// Units of 256 bytes, the smallest MTU.
        whole: U<16>,
    }

    /// The same with eleven more bits of fraction.
    pub struct RoundedFineWindow {
        /// What is beyond whole units of 256 bytes, UQ8.11.
        rest: U<19>,
        /// Units of 256 bytes, the smallest MTU.
        whole: U<16>,
    }

    /// A flow in the ring of its engine.
    pub struct RingEntry {
        /// Which.
        place: FlowPlace,
        /// Service tag of its last grant, plus one.
        tag: U<6>,
    }

    /// A flow that waits for its next visit.
    pub struct WaitingEntry {
        /// The flow.
        entry: RingEntry,
        /// Tick in which it came.
        since: U<20>,
    }

    /// Difference of two service tags.
    pub struct TagDistance {
        /// Amount, two's complement.
        amount: U<5>,
        /// The first lies before the second.
        negative: Bit,
    }

    /// Membership of a flow.
    pub struct Member {
        /// It has work.
        active: Bit,
        /// Group of the flow.
        group: U<4>,
    }

    /// What is needed of a flow when a packet of it leaves.
    pub struct LeavingFlow {
        /// Group of the flow.
        group: U<4>,
        /// Payload of a full packet is 256 << mtu bytes.
        mtu: U<3>,
    }

    /// How far a sum has moved between two turns.
    pub struct SumStep {
        /// Amount, two's complement.
        amount: U<23>,
        /// It has become less.
        negative: Bit,
    }

    /// Bytes that a group has sent on the wire.
    pub struct SentBytes {
        /// Lower bits, as they are summed up.
        low: U<24>,
        /// Upper bits, which follow.
        high: U<40>,
    }

    /// Settings of caps and levels.
    pub struct LimitSettings {
        /// Windows are capped too.
        window: Bit,
        /// Flows that become active start after a random part of a packet time.
        dither: Bit,
        /// Time by which a capped rate makes a window, as the register has it.
        span: U<16>,
    }

    /// Eight priorities, a bit each, in halves.
    pub struct PriorityHalves {
        /// 0 to 3.
        lower: U<4>,
        /// 4 to 7.
        upper: U<4>,
    }

    /// A random number in four parts.
    pub struct RandomQuarters {
        /// Lowest.
        part_0: U<16>,
        /// Second.
        part_1: U<16>,
        /// Third.
        part_2: U<16>,
        /// Highest.
        part_3: U<16>,
    }

    /// The clock as timers read it.
    pub struct ClockUnits {
        /// Nanoseconds of a unit.
        ns: U<10>,
        /// Units of 1.024 us, modulo 2^16.
        whole: U<16>,
        /// Beyond.
        high: U<22>,
    }

    /// The clock as visits read it.
    pub struct ClockTicks {
        /// Nanoseconds of a tick.
        ns: U<3>,
        /// Ticks of 8 ns, modulo 2^20.
        ticks: U<20>,
        /// Beyond.
        high: U<25>,
    }
}
