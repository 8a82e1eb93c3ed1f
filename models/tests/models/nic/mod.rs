//! The behavioural NIC model: the cases of its transport by name, two models on a bad wire, and recorded software RoCE.

mod bench;
mod coalesced;
mod control;
mod flow;
mod formats;
mod hop;
mod hostile;
mod modes;
mod notifications;
mod pair;
mod paths;
mod probes;
mod queues;
mod receiver_law;
mod refusals;
mod remote_window;
mod requester;
mod requester_read;
mod responder;
mod rxe;
mod sampling;
mod star;
mod trust;
