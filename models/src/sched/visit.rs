//! One visit of a flow: what it has earned, what its window and work allow, how many packets it may send.

use super::formats::*;
use super::psn::{add, ahead};
use super::registers::SchedRegisters;
use super::state::{SenderState, VisitState};

/// Pacing of a flow, written by updates of its congestion control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pacing {
    /// Rate, UQ7.27 bytes per ns.
    pub rate: u64,
    /// Largest credit, bytes.
    pub cap: u32,
    /// Window in packets.
    pub window: u32,
}

impl Pacing {
    /// The word that an update writes. A creation writes the word of rate and window zero.
    pub fn new(rate: u64, window: u64, mtu: u8, registers: &SchedRegisters) -> Self {
        Self {
            rate,
            cap: credit_cap(rate, registers.interval_ns, registers.wire_bytes(mtu)),
            window: window_packets(window, mtu),
        }
    }
}

/// Packets that one visit lets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// First PSN.
    pub psn: u32,
    /// Number of packets, 1 to [`grant_limit`].
    pub count: u32,
    /// How many of them, from the first on, were sent before; saturates at [`MAX_GRANT`].
    pub repeats: u32,
    /// The first packet is the first one after a rewind.
    pub rewound: bool,
    /// The last packet fills the window.
    pub fills: bool,
}

/// Outcome of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The flow's state afterwards.
    pub state: VisitState,
    /// What may leave.
    pub grant: Option<Grant>,
    /// Nothing to do whatever the credit: the flow leaves the ring.
    pub idle: bool,
}

/// What a visit finds beside the flow's own state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Tick modulo 2^[`LAST_BITS`].
    pub now: u32,
    /// The flow's priority is paused.
    pub paused: bool,
    /// Other flows wait for their visits.
    pub crowded: bool,
    /// Under `CAP_DITHER` a random number: a flow that becomes active starts with a credit that makes its first packet wait
    /// `random / 65536` of the time of a full packet's payload, whatever it had saved (HCC paper, section IV, scenario B).
    pub random: Option<u16>,
}

/// Carries out a visit at tick `now` (modulo 2^[`LAST_BITS`]) of a flow that is alone. `paused`: the flow's priority is paused. `pacing` is
/// what the law and the limits ([`Pacing::limited`]) allow together.
pub fn visit(
    sender: &SenderState,
    pacing: &Pacing,
    before: &VisitState,
    now: u32,
    paused: bool,
    registers: &SchedRegisters,
) -> Visit {
    let moment = Moment {
        now,
        paused,
        ..Moment::default()
    };
    visit_at(sender, pacing, before, &moment, registers)
}

/// Carries out a visit.
pub fn visit_at(
    sender: &SenderState,
    pacing: &Pacing,
    before: &VisitState,
    moment: &Moment,
    registers: &SchedRegisters,
) -> Visit {
    let sender = &sender.shown();
    let Moment {
        now,
        paused,
        crowded,
        random,
    } = *moment;
    let una = sender.una;
    let fresh = before.generation != sender.generation;
    let restarted = fresh || before.restarts != sender.restarts;
    // a restart voids the rewinds before it
    let rewound = !restarted && before.seen != sender.rewinds;
    let max = before.max_for(sender);
    let wanted = if restarted || rewound { una } else { before.nxt };
    let (from_start, span) = (ahead(wanted, sender.from), ahead(sender.to, sender.from));
    let inside = from_start != 0 && from_start < span;
    let passed = ahead(wanted, una) >= 1 << 23;
    let nxt = if passed {
        // acknowledged past a rewind
        una
    } else if inside {
        sender.to
    } else {
        wanted
    };
    let follows_read = span > 1 && !passed && (inside || ahead(wanted, sender.to) < AFTER_READ);
    let limit = match (follows_read, crowded) {
        (true, true) => 1,
        (true, false) => GRANT_AFTER_READ.min(grant_limit(sender.mtu)),
        (false, _) => grant_limit(sender.mtu),
    };

    let in_flight = ahead(nxt, una);
    let open = if sender.windowless {
        MAX_GRANT
    } else {
        pacing.window.saturating_sub(in_flight).min(MAX_GRANT)
    };
    let left = match ahead(sender.end, nxt) {
        left if left >= 1 << 23 => 0,
        left => left.min(limit),
    };
    let idle = !sender.alive || open == 0 || left == 0;
    let halted = pacing.rate == 0;
    let rest = left == 0 || halted;
    let mut room = if paused || idle || halted { 0 } else { open.min(left) };

    let wire = i64::from(registers.wire_bytes(sender.mtu)) << CREDIT_FRACTION;
    let cap = match random {
        Some(random) if (fresh || before.rest) && !rest => {
            wire - (((i64::from(random) * i64::from(mtu_bytes(sender.mtu))) >> 16) << CREDIT_FRACTION)
        }
        _ => i64::from(pacing.cap) << CREDIT_FRACTION,
    };
    // a new flow starts with one packet
    let credit = if fresh {
        wire
    } else {
        earned(sender, pacing, before, now)
    };
    let mut credit = credit.min(cap);
    let mut count = 0;
    for step in [8, 4, 2, 1] {
        if room >= step && credit >= wire * i64::from(step) {
            credit -= wire * i64::from(step);
            room -= step;
            count += step;
        }
    }
    let end = add(nxt, count);
    let repeat = ahead(max, nxt);
    let state = VisitState {
        nxt: end,
        max: if repeat >= 1 << 23 || count > repeat { end } else { max },
        // without a packet the rewind is still to come, so that the first one after it can be told
        seen: if rewound && count == 0 {
            before.seen
        } else {
            sender.rewinds
        },
        restarts: sender.restarts,
        generation: sender.generation,
        parked: before.parked ^ idle,
        last: now,
        adjust_seen: sender.adjust,
        credit,
        stopped: halted && !idle,
        rest,
    };
    let grant = (count > 0).then(|| Grant {
        psn: nxt,
        count,
        repeats: if repeat >= 1 << 23 { 0 } else { repeat.min(MAX_GRANT) },
        rewound,
        fills: count == open && !sender.windowless,
    });
    Visit { state, grant, idle }
}

/// Credit before the cap: what is left, corrections, and what was earned since the last visit.
fn earned(sender: &SenderState, pacing: &Pacing, before: &VisitState, now: u32) -> i64 {
    let ticks = now.wrapping_sub(before.last) & ((1 << LAST_BITS) - 1);
    let ticks = ticks.min((1 << ELAPSED_BITS) - 1);
    let correction = sign_extend(sender.adjust.wrapping_sub(before.adjust_seen).into(), ADJUST_BITS);
    let corrected = before.credit + (correction << CREDIT_FRACTION);
    sign_extend(corrected as u64, CREDIT_BITS) + ((pacing.rate * u64::from(ticks)) >> EARNED_LOW) as i64
}

/// The low `bits` bits as a two's complement number.
fn sign_extend(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)) as i64 >> (64 - bits)
}
