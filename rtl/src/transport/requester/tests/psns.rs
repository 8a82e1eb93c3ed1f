//! Numbers of 24 bits as tests count them.

use hpcc_models::wire::psn_diff;

/// So many PSNs there are.
pub const PSNS: u64 = 1 << 24;

/// How far `a` lies behind `b`, negative if before it.
pub fn distance(a: u64, b: u64) -> i64 {
    psn_diff(a as u32, b as u32).into()
}

/// `a` lies before `b`.
pub fn before(a: u64, b: u64) -> bool {
    distance(a, b) < 0
}
