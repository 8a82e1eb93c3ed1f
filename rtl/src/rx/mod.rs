//! RX: from frames to fields and verdicts.
//!
//! [`RxParser`] takes one beat of 512 bits a clock, never stalls, and says for each frame one thing: why it is dropped, or what its
//! headers are. Frame after frame may be one beat long. Checks that need a queue pair's state come after it. Beside it,
//! [`buffer::PacketBuffer`] keeps the payload until the frame is judged.
//!
//! | clock | block | does |
//! |---|---|---|
//! | 0 | [`RxParser`] | beat and its number in the frame into registers |
//! | 1 | | first beat held beside the second; VLAN tag |
//! | 1 - 2 | [`align::HeaderAlign`] | 98 bytes from the start of IP |
//! | 2 - 3 | [`outer::OuterHeader`] | IPv4, UDP, port, `nHop` |
//! | 3 - 4 | [`outer::OuterHeader`] | BTH and extension behind the INT stack; masked headers for the ICRC |
//! | 4 - 6 | [`bth::Transport`] | opcode, lengths |
//! | 4 - 6 | [`covered::CoveredBytes`] | bytes of the beat that belong to the IP packet |
//! | 4 - 7 | [`icrc_bytes::IcrcBytes`] | what the ICRC covers of the beat |
//! | 7 - 11 | [`icrc::IcrcCheck`] | CRC |
//! | 6 - 11 | [`udp_sum::UdpSum`] | UDP checksum |
//! | 4 or 6 - 13 | [`RxParser`] | fields kept until the frame's last beat; number of the queue pair out in clock 8 |
//! | 11 - 13 | [`verdict::Verdict`] | one reason |
//!
//! Reference: `hpcc_models::wire::RocePacket::parse` and `hpcc_models::nic::frame_fault`.

pub mod align;
pub mod bth;
pub mod buffer;
pub mod covered;
pub mod icrc;
pub mod icrc_bytes;
pub mod lookup;
pub mod outer;
mod parser;
pub mod pipe;
pub mod stimulus;
#[cfg(test)]
mod tests;
pub mod udp_sum;
pub mod verdict;

pub use parser::{RxParser, QP_EARLIER, RX_PARSER_LATENCY};

/// Bytes from the start of IP that the parser looks at: IPv4 20, UDP 8, INT 42, BTH 12, RETH 16.
pub const HEADER_BYTES: usize = 98;
