//! What a HOMA host can be told.

use super::levels::PRIORITIES;
use crate::net::classes::{ClassRules, ClassSchedule, ClassTelemetry};

/// Rules of HOMA hosts; the same for all hosts of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HomaConfig {
    /// `RTTBytes` (3.3): payload that a sender sends unasked, and that a receiver keeps granted beyond what it has of a message, bytes; taken as
    /// whole packets, rounded up. `None`: what a host's link carries in `T`.
    pub rtt_bytes: Option<u64>,
    /// Degree of overcommitment (3.5): messages that a receiver grants at a time, 1 or more.
    pub overcommitment: u32,
    /// Priorities for unscheduled packets, 1 to 7; the others are for scheduled ones. `None`: in proportion to their bytes (3.4).
    pub unscheduled_levels: Option<u8>,
    /// A receiver that has waited so long for a packet that it has granted asks for it (3.7), ps.
    pub resend_ps: u64,
}

impl Default for HomaConfig {
    /// One message at a time, as the PowerTCP paper has it (its 4.1); "a few milliseconds" (3.7) are two.
    fn default() -> Self {
        Self {
            rtt_bytes: None,
            overcommitment: 1,
            unscheduled_levels: None,
            resend_ps: 2_000_000_000,
        }
    }
}

impl HomaConfig {
    /// The queues that switches need: eight in strict priority, number 0 first.
    pub fn classes() -> ClassRules {
        ClassRules {
            weights: vec![1; PRIORITIES],
            schedule: ClassSchedule::Strict,
            telemetry: ClassTelemetry::Port,
            active_ps: 0,
            of_flow: Vec::new(),
        }
    }

    /// What is wrong with the rules, if anything: field and what is expected.
    pub fn fault(&self) -> Option<(&'static str, String)> {
        let levels = 1..PRIORITIES as u8;
        if self.overcommitment == 0 {
            return Some(("overcommitment", "1 or more".into()));
        }
        if self.unscheduled_levels.is_some_and(|n| !levels.contains(&n)) {
            return Some(("unscheduled_levels", format!("1 to {}", PRIORITIES - 1)));
        }
        if self.rtt_bytes == Some(0) {
            return Some(("rtt_bytes", "1 or more".into()));
        }
        (self.resend_ps == 0).then(|| ("resend_us", "above 0".into()))
    }
}
