//! A row for each acknowledgement that a sender takes in, as ns-3's recorded runs have it.

use super::config::TcpConfig;
use super::header::Acknowledgement;
use super::sender::{Sender, State};

/// State of a sender after an acknowledgement, everything it caused included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TcpRow {
    /// Time, ps.
    pub t_ps: u64,
    /// Flow number.
    pub flow: u32,
    /// Acknowledgement number, bytes.
    pub ack: u64,
    /// Echo of a mark.
    pub ece: bool,
    /// Blocks of selective acknowledgement.
    pub blocks: usize,
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Threshold, bytes.
    pub ssthresh: u64,
    /// Congestion state.
    pub state: State,
    /// Presumed in the network, bytes.
    pub in_flight: u64,
    /// Smoothed round-trip time, ps.
    pub srtt_ps: u64,
    /// Timeout, ps.
    pub rto_ps: u64,
    /// First byte never sent.
    pub snd_max: u64,
}

/// What was recorded of the TCP hosts of a run.
#[derive(Clone, Debug, Default)]
pub struct TcpTrace {
    /// Acknowledgements.
    pub rows: Vec<TcpRow>,
    /// Repetitions: time (ps), flow, first byte, length.
    pub repetitions: Vec<(u64, u32, u64, u32)>,
}

impl TcpRow {
    pub(super) fn of(t_ps: u64, flow: u32, ack: &Acknowledgement, sender: &Sender, config: &TcpConfig) -> Self {
        Self {
            t_ps,
            flow,
            ack: ack.number,
            ece: ack.ece,
            blocks: ack.blocks.as_slice().len(),
            cwnd: sender.cwnd(),
            ssthresh: sender.ssthresh(),
            state: sender.state(),
            in_flight: sender.in_flight(config),
            srtt_ps: sender.rtt().srtt as u64,
            rto_ps: sender.rto_ps(),
            snd_max: sender.snd_max(),
        }
    }
}
