//! Notification point (DCQCN, section 3; InfiniBand, annex A17): a packet that a switch has marked makes the receiver tell the sender.
//!
//! A request or READ response that came with the mark "congestion experienced" asks for one congestion notification packet (CNP), at most one
//! in [`CnpConfig::interval`] for each queue pair and direction; requests are one direction, READ responses the other. Whatever the
//! transport then makes of the packet, duplicate or out of order, the mark counts: only a packet that is not accepted at all tells nothing.

use super::counters::Counter;
use super::frame::Content;
use super::memory::Memory;
use super::nic::Nic;
use crate::wire::{BthRepr, Extension, Opcode, PortRole, CNP_LEN};

/// Bits of nanoseconds in a unit of [`CnpConfig::interval`]: 1.024 us.
pub const CNP_UNIT_BITS: u32 = 10;

/// Registers of the notification point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CnpConfig {
    /// Marks are answered.
    pub enabled: bool,
    /// Differentiated services code point of notifications, 6 bits.
    pub dscp: u8,
    /// Least time between two notifications of a queue pair and direction, units of 1.024 us, 24 bits.
    pub interval: u32,
}

impl Default for CnpConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            dscp: 48,
            interval: 49,
        }
    }
}

/// What came with a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marked {
    /// A request.
    Request,
    /// A READ response.
    Response,
}

/// Notifications of a queue pair in one direction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told {
    /// One waits to be sent.
    due: bool,
    /// When the last one was asked for, units of 1.024 us.
    last: Option<u64>,
}

impl<M: Memory> Nic<M> {
    /// An accepted packet of queue pair `qpn` came with a mark.
    pub(super) fn marked(&mut self, now: u64, qpn: u32, what: Marked) {
        self.counters.count(Counter::CePackets);
        let config = self.config.cnp;
        let Some(qp) = self.qps.get_mut(&qpn).filter(|_| config.enabled) else {
            return;
        };
        let (told, now) = (&mut qp.told[what as usize], now >> CNP_UNIT_BITS);
        if !told.due && told.last.is_none_or(|last| now - last >= u64::from(config.interval)) {
            *told = Told {
                due: true,
                last: Some(now),
            };
            self.notifications.push_back((qpn, what));
        }
    }

    /// The notification that has waited longest, as a frame.
    pub(super) fn next_notification(&mut self) -> Option<Vec<u8>> {
        if self.acknowledgements_paused() {
            return None;
        }
        let (qpn, what) = self.notifications.pop_front()?;
        let qp = self.qps.get_mut(&qpn)?;
        qp.told[what as usize].due = false;
        self.counters.count(Counter::CnpsSent);
        let qp = &self.qps[&qpn];
        let content = Content {
            role: PortRole::Roce,
            int: &[],
            bth: BthRepr {
                becn: true,
                ..BthRepr::new(Opcode::Cnp, qp.config.remote_qpn, 0)
            },
            extension: Extension::None,
            payload: &[0; CNP_LEN],
        };
        Some(self.frame(qp, &content))
    }
}
