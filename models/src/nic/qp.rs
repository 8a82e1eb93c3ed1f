//! A queue pair: both halves, both flows, and what waits to be sent beside acknowledgements and data.

use super::config::NicConfig;
use super::pacing::Pacer;
use super::psn;
use super::qp_config::QpConfig;
use super::receiver_law::Reporting;
use super::requester::{Limits, Requester};
use super::responder::Responder;
use super::{request_flow, response_flow};
use crate::cc::hpcc::{Notified, SilenceWatch};
use crate::cc::{Collecting, Probing, Update};
use crate::wire::{MacAddr, Opcode};
use std::collections::VecDeque;

/// What goes back beside the acknowledgements: the echo of a READ response, the answer to a probe, a notification.
#[derive(Clone, Debug)]
pub(super) struct Echo {
    pub opcode: Opcode,
    /// PSN of the response or of the data packet, number of the probe.
    pub psn: u32,
    pub int: Vec<u8>,
    /// What stands behind the BTH.
    pub payload: Vec<u8>,
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
    pub due: bool,
    /// When the last one was asked for, units of 1.024 us.
    pub last: Option<u64>,
}

/// A queue pair.
#[derive(Debug)]
pub(super) struct Qp {
    pub config: QpConfig,
    pub mac: MacAddr,
    /// 1 to 255, then from 1 again.
    pub generation: u8,
    /// Code of its law, 0 for none.
    pub law: u8,
    /// A control packet created it.
    pub by_packet: bool,
    pub requester: Requester,
    pub responder: Responder,
    pub request_pacer: Pacer,
    pub response_pacer: Pacer,
    pub echoes: VecDeque<Echo>,
    /// Congestion notifications, by [`Marked`].
    pub told: [Told; 2],
    /// Probes of the requests' path.
    pub probing: Probing,
    /// One is due and has not left yet.
    pub probe_waits: bool,
    /// Which requests collect INT, where not all do.
    pub collecting: Collecting,
    /// Notifications for the peer.
    pub reporting: Reporting,
    /// Notifications of the peer.
    pub notified: Notified,
    /// Whether the peer, which computes the window, is silent.
    pub silence: SilenceWatch,
    /// Registers that the queue pair has values of its own for.
    pub own: Own,
}

/// Values of a queue pair where the registers have those of all others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Own {
    /// Retransmission timeout, ns; `u64::MAX` for never.
    pub timeout_ns: Option<u64>,
    /// Timeouts without progress.
    pub retry_limit: Option<u32>,
    /// READs and atomic operations outstanding.
    pub max_rd_atomic: Option<usize>,
    /// Waits for a receiver that is not ready; 7 for ever.
    pub rnr_retry: Option<u32>,
    /// READs of the peer held at once.
    pub responder_reads: Option<usize>,
}

impl Qp {
    /// A queue pair that has just been created, with its generation and the code of its law; `pacer` of both of its flows.
    pub fn new(config: QpConfig, mac: MacAddr, (generation, law): (u8, u8), pacer: Pacer) -> Self {
        Self {
            mac,
            generation,
            law,
            by_packet: false,
            requester: Requester::new(psn::start(config.send_psn), config.mtu),
            responder: Responder::new(psn::start(config.expected_psn)),
            request_pacer: pacer,
            response_pacer: pacer,
            echoes: VecDeque::new(),
            told: <[Told; 2]>::default(),
            probing: Probing::default(),
            probe_waits: false,
            collecting: Collecting::default(),
            reporting: Reporting::default(),
            notified: Notified::default(),
            silence: SilenceWatch::default(),
            own: Own::default(),
            config,
        }
    }

    /// One of its halves has ended.
    pub fn has_ended(&self) -> bool {
        self.requester.ended.is_some() || self.responder.ended
    }

    /// Pacer of a flow of this queue pair.
    pub fn pacer(&mut self, flow: u32) -> &mut Pacer {
        if flow == request_flow(self.config.qpn) {
            &mut self.request_pacer
        } else {
            &mut self.response_pacer
        }
    }

    /// A flow takes the window and rate of an update. READ responses without INT are never acknowledged, so they have no window.
    pub fn follow(&mut self, update: &Update) {
        let windowless = !self.config.int && update.flow == response_flow(self.config.qpn);
        let pacer = self.pacer(update.flow);
        pacer.rate_bps = update.rate;
        if !windowless {
            pacer.window = update.window;
        }
    }

    /// Retransmission timeout, ns; `u64::MAX` for never.
    pub fn timeout_ns(&self, nic: &NicConfig) -> u64 {
        self.own.timeout_ns.unwrap_or(nic.retry_timeout_ns)
    }

    /// READs that the responder holds at once.
    pub fn responder_reads(&self, nic: &NicConfig) -> usize {
        self.own.responder_reads.unwrap_or(nic.responder_reads as usize)
    }

    /// Limits of the requester at this moment.
    pub fn limits(&self, nic: &NicConfig) -> Limits {
        Limits {
            window: self.request_pacer.window(),
            psn_span: nic.psn_span.into(),
            max_rd_atomic: self.own.max_rd_atomic.unwrap_or(nic.max_rd_atomic as usize),
            ack_req_interval: match nic.feedback.ack_every {
                every @ 2.. if self.config.int => every.into(),
                _ => nic.ack_req_interval,
            },
            send_times: nic.send_times,
            asks_for_times: !self.config.int,
        }
    }
}
