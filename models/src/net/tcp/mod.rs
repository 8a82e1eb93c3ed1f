//! TCP hosts: NewReno, Linux's Reno, Cubic, DCTCP and HPCC on probes, with selective acknowledgement, delayed acknowledgement and retransmission timer.
//!
//! A connection is one [`Sender`] and one [`Receiver`]; both are state machines without clock and without I/O: the network hands them
//! segments and the time, they hand back segments and the times at which they want to be asked again. Sequence numbers are bytes from 0 and
//! do not wrap; the connection exists when a message starts, and nobody closes it; the receive window never limits.
//!
//! Two profiles ([`Profile`]): `Rfc` follows the RFCs (5681, 6582, 6675, 6298, 9438, 8257, 2018), `Ns3` the rules of stock ns-3 3.44 where
//! they differ, for comparison with that simulator. The book has the table of differences.

mod acknowledge;
mod config;
mod connection;
mod header;
mod law;
mod loss;
mod network;
mod probes;
mod receiver;
mod recovery;
mod rtt;
mod scoreboard;
mod sender;
mod trace;
mod transmit;

pub use config::{CubicRules, DctcpRules, LossRecovery, Profile, TcpConfig, TcpLaw, TcpSetup};
pub(super) use connection::TcpHosts;
pub use header::{Acknowledgement, Blocks, Segment};
pub use receiver::Receiver;
pub use rtt::{Clocking, RttEstimator};
pub use scoreboard::Scoreboard;
pub use sender::{Sender, State};
pub use trace::{TcpRow, TcpTrace};

#[cfg(test)]
mod tests;
