//! Notification point (DCQCN, section 3; InfiniBand, annex A17): a packet that a switch has marked makes the receiver tell the sender.
//!
//! A request or READ response that came with the mark "congestion experienced" asks for one congestion notification packet (CNP), at most one
//! in an interval for each queue pair and direction; requests are one direction, READ responses the other. Whatever the
//! transport then makes of the packet, duplicate or out of order, the mark counts: only a packet that is not accepted at all tells nothing.

use super::config::CNP_UNIT_BITS;
use super::counters::Counter;
use super::frame::Content;
use super::memory::Memory;
use super::nic::Nic;
use super::qp::{Marked, Told};
use crate::wire::{BthRepr, Extension, Opcode, PortRole, CNP_LEN};

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
            collects: true,
        };
        Some(self.frame(qp, &content))
    }
}
