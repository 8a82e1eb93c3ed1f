//! What goes before data: notifications of congestion, acknowledgements, echoes, notifications of INT.

use super::frame::Content;
use super::memory::Memory;
use super::nic::Nic;
use super::psn::wire;
use super::qp::Qp;
use super::responder::Response;
use crate::wire::{
    atomic_answer, AethRepr, BthRepr, Extension, Opcode, PortRole, Syndrome, ATOMIC_ACKNOWLEDGE, SYNDROME_ACK,
};

impl<M: Memory> Nic<M> {
    /// Pause stops acknowledgements, echoes and notifications.
    pub(super) fn acknowledgements_paused(&self) -> bool {
        self.config.ack_pause && self.pause >> (self.config.ack_priority & 7) & 1 == 1
    }

    /// What goes before data: notifications of congestion, then acknowledgements and echoes.
    pub(super) fn next_answer(&mut self) -> Option<Vec<u8>> {
        self.next_notification().or_else(|| self.next_acknowledgement())
    }

    pub(super) fn acknowledgement_ready(&self, qp: &Qp) -> bool {
        !self.acknowledgements_paused()
            && (!qp.echoes.is_empty() || qp.responder.front().is_some_and(Response::is_acknowledgement))
    }

    /// An acknowledgement, an echo or a notification, of one queue pair after the other.
    pub(super) fn next_acknowledgement(&mut self) -> Option<Vec<u8>> {
        let ready = |(qpn, qp): (&u32, &Qp)| self.acknowledgement_ready(qp).then_some(*qpn);
        let after = self.qps.range(self.last_ack_qp + 1..).find_map(ready);
        let qpn = after.or_else(|| self.qps.iter().find_map(ready))?;
        self.last_ack_qp = qpn;
        let qp = self.qps.get_mut(&qpn)?;
        let remote = qp.config.remote_qpn;
        // a notification counts while its packet is not acknowledged
        let notifies = self.config.feedback.notifies() && !qp.echoes.is_empty();
        if notifies || !qp.responder.front().is_some_and(Response::is_acknowledgement) {
            let echo = qp.echoes.pop_front()?;
            let (psn, extension) = match echo.opcode {
                Opcode::NotificationAck => {
                    let (syndrome, msn) = (Syndrome::parse(SYNDROME_ACK), qp.responder.msn_left());
                    (
                        wire(qp.responder.newest_left()),
                        Extension::Aeth(AethRepr { syndrome, msn }),
                    )
                }
                _ => (echo.psn, Extension::None),
            };
            let content = Content {
                role: PortRole::IntEcho,
                int: &echo.int,
                bth: BthRepr::new(echo.opcode, remote, psn),
                extension,
                payload: &echo.payload,
                collects: true,
            };
            return Some(self.frame(&self.qps[&qpn], &content));
        }
        let mut opcode = Opcode::Acknowledge;
        let mut result = None;
        let (psn, syndrome, msn, int) = match qp.responder.pop()? {
            Response::Ack { psn, nak, msn, int } => {
                let syndrome = nak.map_or(Syndrome::parse(SYNDROME_ACK), Syndrome::Nak);
                (psn, syndrome, msn, int)
            }
            Response::NotReady { psn, timer, msn, int } => (psn, Syndrome::Rnr(timer), msn, int),
            Response::Atomic {
                psn,
                original,
                msn,
                int,
            } => {
                opcode = Opcode::OtherResponse(ATOMIC_ACKNOWLEDGE);
                result = Some(atomic_answer(
                    AethRepr {
                        syndrome: Syndrome::parse(SYNDROME_ACK),
                        msn,
                    },
                    original,
                ));
                (psn, Syndrome::parse(SYNDROME_ACK), msn, int)
            }
            Response::Read { .. } => return None,
        };
        let extension = match result {
            None => Extension::Aeth(AethRepr { syndrome, msn }),
            Some(_) => Extension::None,
        };
        let content = Content {
            role: if qp.config.int {
                PortRole::IntEcho
            } else {
                PortRole::Roce
            },
            int: &int,
            bth: BthRepr::new(opcode, remote, wire(psn)),
            extension,
            payload: result.as_ref().map_or(&[], |bytes| bytes.as_slice()),
            collects: true,
        };
        Some(self.frame(&self.qps[&qpn], &content))
    }
}
