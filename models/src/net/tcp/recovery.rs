//! Proportional rate reduction (RFC 6937): how the window follows what is delivered while a loss is repaired.

use super::config::Profile;

/// State of an episode, bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prr {
    delivered: u64,
    out: u64,
    flight: u64,
}

/// What an acknowledgement says to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivery {
    /// Newly delivered, bytes.
    pub bytes: u64,
    /// It was a duplicate.
    pub duplicate: bool,
    /// It acknowledges a repetition in order.
    pub repetition: bool,
}

impl Prr {
    /// An episode begins with `flight` bytes in the network (RecoverFS; the pipe in ns-3).
    pub fn enter(flight: u64) -> Self {
        Self {
            flight,
            ..Self::default()
        }
    }

    /// A segment was sent.
    pub fn sent(&mut self, bytes: u64) {
        self.out += bytes;
    }

    /// The window after an acknowledgement (RFC 6937, 3, with the slow-start bound); `None`: as before.
    pub fn window(&mut self, profile: Profile, delivery: Delivery, pipe: u64, ssthresh: u64, mss: u64) -> Option<u64> {
        let mut bytes = delivery.bytes;
        if profile == Profile::Ns3 && delivery.duplicate && self.delivered < self.flight {
            bytes += mss;
        }
        if bytes == 0 {
            return None;
        }
        self.delivered += bytes;
        let flight = self.flight.max(1);
        let send = if pipe > ssthresh {
            match profile {
                Profile::Rfc => (self.delivered * ssthresh).div_ceil(flight) as i64 - self.out as i64,
                // ns-3's 32-bit unsigned numbers, read as a signed one.
                Profile::Ns3 => {
                    let product = (self.delivered as u32).wrapping_mul(ssthresh as u32);
                    let share = product.wrapping_add(flight as u32 - 1) / flight as u32;
                    i64::from(share.wrapping_sub(self.out as u32) as i32)
                }
            }
        } else {
            let mut limit = (self.delivered as i64 - self.out as i64).max(bytes as i64);
            if profile == Profile::Rfc || delivery.repetition {
                limit += mss as i64;
            }
            limit.min(ssthresh as i64 - pipe as i64)
        };
        let least = if self.out > 0 { 0 } else { mss as i64 };
        Some(pipe + send.max(least) as u64)
    }
}
