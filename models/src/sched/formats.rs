//! The number formats of the scheduler, each declared once. Rate, window, PSN, generation and clock are those of
//! [`crate::fixed::formats`].

use crate::fixed::formats::{RATE_BITS, WINDOW_BITS};
use crate::wire::rnr_wait_ns;

/// Bits of a PSN.
pub const PSN_BITS: u32 = 24;
/// All ones of a PSN.
pub const PSN_MASK: u32 = (1 << PSN_BITS) - 1;

/// Nanoseconds of a tick, as a power of two: earned credit is counted in ticks of 8 ns.
///
/// Only differences of the running clock are used, so the rounding of one visit is made good by the next.
pub const TICK_SHIFT: u32 = 3;
/// Bits of the tick at which a flow was last visited: wraps after 8.4 ms, which costs an idle flow some credit at most.
pub const LAST_BITS: u32 = 20;
/// Bits of the elapsed ticks, saturating at 1.05 ms: one multiplier tile, and 13 kB at 100 Mb/s, more than any packet.
pub const ELAPSED_BITS: u32 = 17;

/// Fractional bits of the credit: 1/65536 byte. At 10 Mb/s and a visit every 60 ns the cut is below 0.02 %.
pub const CREDIT_FRACTION: u32 = 16;
/// Integer bits of the credit: 1 MiB, above the largest packet plus 4 us at 1 Tb/s.
pub const CREDIT_INTEGER: u32 = 20;
/// Bits of the credit: two's complement, one sign bit.
pub const CREDIT_BITS: u32 = 1 + CREDIT_INTEGER + CREDIT_FRACTION;
/// The lowest bit of rate (UQ7.27) times ticks (8 ns) that credit keeps.
pub const EARNED_LOW: u32 = 27 - TICK_SHIFT - CREDIT_FRACTION;
/// Bits of the credit earned in one visit.
pub const EARNED_BITS: u32 = RATE_BITS + ELAPSED_BITS - EARNED_LOW;

/// Bits of the visit interval register, ns.
pub const INTERVAL_BITS: u32 = 12;
/// Bits of the running total of corrections, signed bytes modulo 2^20.
pub const ADJUST_BITS: u32 = 20;
/// Bits of a window in packets: 8 MiB of 256-byte packets need 16, saturating.
pub const WINDOW_PACKETS_BITS: u32 = 16;
/// Bits of the per-packet overhead register: bytes on the wire beside the payload.
pub const OVERHEAD_BITS: u32 = 10;
/// Largest number of packets that one visit grants: four halving steps.
pub const MAX_GRANT: u32 = 15;
/// So many packets behind a READ of several packets a flow is granted one at a time while others wait, and [`GRANT_AFTER_READ`] else: what follows is
/// likely another READ, of whose PSNs none but the first becomes a packet.
pub const AFTER_READ: u32 = 16;
/// Packets that one visit grants at most behind a READ of several packets. Fifteen PSNs that become no packet would hold up what others were granted.
pub const GRANT_AFTER_READ: u32 = 4;
/// Bits of the counts of rewinds and restarts. Visits in flight may still hold any of the last five values (22 clocks from an
/// event's reads to the end of the last visit that misses it, an event of a flow every five), and one more may be the one
/// they have carried out: fewer than sixteen different values are needed, so that the next count differs from all of them.
pub const REWIND_BITS: u32 = 4;
/// Largest distance between a PSN ever sent and the oldest outstanding one that a restart goes back to.
pub const MAX_SPAN: u32 = 1 << 22;
/// Nanoseconds of a timer unit, as a power of two: 1.024 us.
pub const TIMER_SHIFT: u32 = 10;
/// Bits of timer values: 67 ms.
pub const TIMER_BITS: u32 = 16;
/// Bits of the retry count.
pub const RETRY_BITS: u32 = 4;
/// Bits of the register of waits for a receiver that is not ready; all ones are no limit.
pub const RNR_BITS: u32 = 3;
/// Bits of such a wait, units of 1.024 us.
pub const RNR_WAIT_BITS: u32 = 20;
/// Low bits of `snd_nxt` that the timer compares to see whether something was sent.
pub const SENT_BITS: u32 = 8;
/// Bits of the MTU code: payload of 256 << code bytes, code 0 to 4.
pub const MTU_BITS: u32 = 3;
/// Bits of the service tag that orders grants of different engines.
pub const TAG_BITS: u32 = 6;

/// Payload bytes that one visit grants at most, unless a packet alone has more. At the line's rate a flow has credit for twice as many in
/// [`super::SchedRegisters::interval_ns`], and a round of those over 148 flows takes 100 us, as long as a peer waits before it asks again. As many in each
/// round of a full ring, 250 ns, are 131 Gb/s.
pub const GRANT_BYTES: u32 = 4096;

/// Packets that one visit grants at most at MTU code `code`: [`MAX_GRANT`], and no more than [`GRANT_BYTES`] allows.
pub fn grant_limit(code: u8) -> u32 {
    (GRANT_BYTES / mtu_bytes(code)).min(MAX_GRANT)
}

/// Payload bytes of MTU code `code`; codes above 4 mean 4.
pub const fn mtu_bytes(code: u8) -> u32 {
    256 << if code > 4 { 4 } else { code }
}

/// Window in whole packets: `ceil(window / MTU)`, so that "payload in flight below the window" before each packet becomes
/// "packets in flight below the window in packets". `window` is UQ23.11.
pub const fn window_packets(window: u64, mtu: u8) -> u32 {
    let shift = 11 + 8 + if mtu > 4 { 4 } else { mtu as u32 };
    let packets = (window + (1 << shift) - 1) >> shift;
    let max = (1 << WINDOW_PACKETS_BITS) - 1;
    if packets > max {
        max as u32
    } else {
        packets as u32
    }
}

/// Largest credit, bytes: a packet on the wire plus what the flow earns in one visit interval, rounded up.
///
/// `rate` is UQ7.27 bytes per ns. See the book for why this is the smallest cap that loses nothing.
pub const fn credit_cap(rate: u64, interval_ns: u32, wire_bytes: u32) -> u32 {
    wire_bytes + ((rate * interval_ns as u64) >> 27) as u32 + 1
}

/// Time that a receiver-not-ready NAK asks for, by its timer code: units of 1.024 us, rounded up, and one more because the time of its arrival is
/// rounded down.
pub fn rnr_wait(code: u8) -> u32 {
    rnr_wait_ns(code).div_ceil(1 << TIMER_SHIFT) as u32 + 1
}

const _: () = assert!(
    WINDOW_BITS == 34 && RATE_BITS == 34,
    "the shifts above count on UQ23.11 and UQ7.27"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_has_4096_bytes_and_fifteen_packets_at_most() {
        assert_eq!((0..6).map(grant_limit).collect::<Vec<_>>(), [15, 8, 4, 2, 1, 1]);
    }

    #[test]
    fn windows_round_up_to_packets() {
        for (bytes, mtu, packets) in [
            (0, 2, 0),
            (1, 2, 1),
            (1024, 2, 1),
            (1025, 2, 2),
            (4096, 0, 16),
            (8 << 20, 0, 32768),
        ] {
            // the format ends one unit below 8 MiB
            let window = ((bytes as u64) << 11).min((1 << WINDOW_BITS) - 1);
            assert_eq!(window_packets(window, mtu), packets, "{bytes} {mtu}");
        }
        assert_eq!(window_packets(1, 4), 1, "a fraction of a byte still lets one packet go");
    }

    #[test]
    fn the_cap_fits_the_credit_at_every_rate() {
        let cap = credit_cap(
            (1 << RATE_BITS) - 1,
            (1 << INTERVAL_BITS) - 1,
            4096 + (1 << OVERHEAD_BITS) - 1,
        );
        assert!(cap < 1 << CREDIT_INTEGER);
        assert_eq!(credit_cap(12 << 27 | 1 << 26, 512, 1164), 1164 + 6400 + 1);
    }
}
