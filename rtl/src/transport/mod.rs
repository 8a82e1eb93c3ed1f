//! Transport: what a queue pair does with a packet.
//!
//! | room | subject |
//! | --- | --- |
//! | [`dispatch`] | which engine a judged frame is for |
//! | [`notify`] | marked packets to congestion notifications |
//! | [`responder`] | requests of the peer: accepted, refused, asked again |
//! | [`requester`] | work requests to messages, answers of the peer to completions |
//! | [`commit`] | decisions wait for their payload to be in memory |
//! | [`probes`] | when a probe of the path leaves, which response counts |
//! | [`send_times`] | when timed packets left, for laws of delay |
//! | [`responses`] | acknowledgements and READ responses in the order of their requests |

pub mod commit;
pub mod dispatch;
pub mod notify;
pub mod probes;
pub mod requester;
pub mod responder;
pub mod responses;
pub mod rounding;
pub mod send_times;
