//! What brings telemetry back, and what the two ends of a flow remember for it; the packets are in [`super::notify`].

use super::packet::Packet;
use crate::cc::hpcc::{ReceiverClock, RemoteWindow, SilenceWatch};
use crate::cc::{AckDelay, AckRequests, Carrier, FlowSeen};

/// Feedback of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// What carries it.
    pub carrier: Carrier,
    /// Data packets for each ACK, 1 or more. Above 1 a sender asks for one on every such packet, on the last of a message, on the one that fills
    /// the window and on the first of a repetition; a receiver sends one at the latest `T` after a packet that waits for one.
    pub ack_every: u32,
    /// Receivers count the flows with data in each `T` and tell.
    pub count_flows: bool,
    /// A window of a receiver's law means at least this rate, bits per second.
    pub min_rate_bps: u64,
}

impl Default for Feedback {
    fn default() -> Self {
        Self {
            carrier: Carrier::Ack,
            ack_every: 1,
            count_flows: false,
            min_rate_bps: 100_000_000,
        }
    }
}

/// Sender and receiver of one flow, as far as other feedback than an ACK for each packet needs it.
#[derive(Clone, Debug, Default)]
pub struct FeedbackState {
    /// Sender: which packets ask for an ACK.
    pub requests: AckRequests,
    /// Sender: data is being sent again.
    pub repeating: bool,
    /// Receiver: what waits for an ACK, and the newest telemetry since the last one.
    pub delay: AckDelay<Box<Packet>, Box<Packet>>,
    /// Receiver: an ACK is sent at the latest at the event of this number.
    pub delayed: u32,
    /// Receiver: when the law acts.
    pub clock: ReceiverClock,
    /// Receiver: number of the last window sent.
    pub sequence: u32,
    /// Receiver: whether the flow has been counted.
    pub counted: FlowSeen,
    /// Sender: windows taken.
    pub remote: RemoteWindow,
    /// Sender: whether the receiver is silent.
    pub silence: SilenceWatch,
}
