//! The behavioural NIC model: the cases of its transport by name, two models on a bad wire, and recorded software RoCE.

mod bench;
mod control;
mod flow;
mod pair;
mod probes;
mod refusals;
mod requester;
mod requester_read;
mod responder;
mod rxe;
mod trust;
