//! What a receiver sends back beside acknowledgements and echoes (HPCC++, draft-miao-ccwg-hpcc 6.2.2.2 and 6.3.2): INT of each data packet in a
//! packet of its own, or the windows of the law that it runs for the sender, and the number of flows.
//!
//! Every data packet that has passed the checks of acceptance counts, duplicates and those out of order too. What this sends acknowledges nothing, so
//! losing it delays the law and nothing else. It leaves before the acknowledgement of the same packet.

use super::completion::HostError;
use super::feedback::fill;
use super::memory::Memory;
use super::nic::Nic;
use super::qp::Echo;
use super::qp_config::QpConfig;
use super::receiver_law::ReceiverLaw;
use super::request_flow;
use super::responder::has_records;
use crate::cc::hpcc::receiver_kind;
use crate::cc::{Carrier, CcEvent, CongestionControl};
use crate::fixed::formats::Window;
use crate::wire::{IntStack, NotificationRepr, Opcode, RocePacket, INT_EMPTY};

impl<M: Memory> Nic<M> {
    /// Builds in the law at the receiver: queue pairs with INT that are created from now on have one each if the registers say
    /// [`Carrier::Receiver`].
    pub fn set_receiver_law(&mut self, law: ReceiverLaw) {
        self.receiver_law = Some(law);
    }

    /// The law for the peer of a new queue pair, if it is to have one; refused where the peer's port is out of range.
    pub(super) fn new_receiver_law(
        &mut self,
        config: &QpConfig,
    ) -> Result<Option<Box<dyn CongestionControl>>, HostError> {
        if !config.int || !self.config.feedback.at_receiver() {
            return Ok(None);
        }
        let Some(make) = &mut self.receiver_law else {
            return Ok(None);
        };
        let law = make(config).ok_or(HostError::Field {
            qpn: config.qpn,
            field: "peer_port",
        })?;
        Ok(Some(law))
    }

    /// A request has passed all checks of acceptance: its INT goes where it has to. Gives what is left of it for the acknowledgement.
    pub(super) fn report<'a>(&mut self, now: u64, packet: &RocePacket<'a>) -> &'a [u8] {
        let feedback = self.config.feedback;
        let qpn = packet.bth.dest_qp;
        let int = self.qps.get(&qpn).is_some_and(|qp| qp.config.int);
        if !int || !feedback.notifies() {
            return packet.int;
        }
        if matches!(packet.bth.opcode, Opcode::Write(_)) {
            let flows = feedback.count_flows.then(|| self.count_flow(now, qpn));
            match feedback.carrier {
                Carrier::Notification if has_records(packet.int) => {
                    let opcode = match feedback.notifications_acknowledge {
                        true => Opcode::NotificationAck,
                        false => Opcode::ProbeResponse,
                    };
                    self.feedback_counters.notifications_sent += 1;
                    self.echo(packet, opcode);
                }
                Carrier::Receiver { .. } => self.run_receiver_law(now, packet, flows.map(|(count, _)| count)),
                _ => {}
            }
            if let (false, Some((count, true))) = (feedback.at_receiver(), flows) {
                self.notify_sender(qpn, None, Some(count));
            }
        }
        match feedback.carrier {
            Carrier::Ack => packet.int,
            _ => &INT_EMPTY,
        }
    }

    /// Flows with data in this `T`, and whether this packet is the first of its flow in it.
    fn count_flow(&mut self, now: u64, qpn: u32) -> (u16, bool) {
        let interval = now / u64::from(self.config.feedback.round_trip_ns.max(1));
        let first = self
            .qps
            .get_mut(&qpn)
            .is_some_and(|qp| qp.reporting.seen.first_in(interval));
        (self.flow_count.packet(interval, first), first)
    }

    /// NewINT for the sender, and its window on the way when the clock says so (lines 28 to 34).
    fn run_receiver_law(&mut self, now: u64, packet: &RocePacket, flows: Option<u16>) {
        let qpn = packet.bth.dest_qp;
        let (Some(qp), Some(law)) = (self.qps.get_mut(&qpn), self.receiver_laws.get_mut(&qpn)) else {
            return;
        };
        let Some(stack) = IntStack::parse(packet.int).ok().filter(|stack| stack.n_hop > 0) else {
            return;
        };
        let mut event = CcEvent {
            flow: request_flow(qpn),
            generation: qp.generation,
            now,
            ..CcEvent::default()
        };
        self.feedback_counters.int_few_hops += u64::from(stack.n_hop < qp.config.expected_hops);
        fill(&self.config, &mut self.counters, &stack, &mut event);
        if !event.int_valid {
            return;
        }
        let full = qp
            .reporting
            .clock
            .packet(now, self.config.feedback.round_trip_ns.into());
        event.kind = receiver_kind(full);
        if let Some(flows) = flows {
            law.receiver_counts(event.flow, event.generation, flows, now);
        }
        if let Some(update) = law.handle(&event).filter(|_| full) {
            self.notify_sender(qpn, Some(Window::saturating_from_num(update.window)), flows);
        }
    }

    /// Sends a window, a number of flows, or both.
    fn notify_sender(&mut self, qpn: u32, window: Option<Window>, flows: Option<u16>) {
        let Some(qp) = self.qps.get_mut(&qpn) else { return };
        let sequence = &mut qp.reporting.sequence;
        *sequence = sequence.wrapping_add(1);
        let notification = NotificationRepr {
            window,
            flows,
            sequence: *sequence,
        };
        self.feedback_counters.notifications_sent += 1;
        qp.echoes.push_back(Echo {
            opcode: Opcode::Notification,
            psn: 0,
            int: INT_EMPTY.to_vec(),
            payload: notification.emit().to_vec(),
        });
    }
}
