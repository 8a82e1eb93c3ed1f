//! Ports of the congestion-control slot: events and commands in, updates out, parameters as registers.
//!
//! | port | stream of | says |
//! |---|---|---|
//! | `event` | [`LawEvent`] | what happened to a flow: [`hpcc_models::cc::CcEvent`] |
//! | `command` | [`LawCommand`] | a flow begins or ends; a creation answers with an update, the first window and rate |
//! | `update` | [`LawUpdate`] | window and rate of a flow: [`hpcc_models::cc::Update`] |
//!
//! Each is a valid/ready stream of one word, which is stable while `valid` waits. Fields that a law does not use cost nothing after synthesis.

// the interface derive adds a method without a doc comment
#![allow(missing_docs)]

use crate::interface;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::U;
use crate::prim::wide::W;
use crate::sim::Ports;
use crate::words::congestion::{LawCommand, LawUpdate};
use crate::words::sched::{LawEvent, Telemetry};
use hpcc_models::cc::{CcEvent, EventKind, HopRecord, MAX_HOPS};
use rust_hdl::prelude::*;

/// Five hop records, first switch in the lowest 64 bits; each as on the wire: speed 4, ts 24, txBytes 20, qLen 16,
/// most significant first.
pub type Hops = W<320, 5>;

/// Code of an event kind on [`Telemetry::event_kind`].
pub const fn kind_code(kind: EventKind) -> u64 {
    match kind {
        EventKind::Ack => 0,
        EventKind::Nak => 1,
        EventKind::Cnp => 2,
        EventKind::Timeout => 3,
        EventKind::Tick => 4,
        EventKind::Sent => 5,
        EventKind::Probe => 6,
    }
}

/// Write port of a law's registers: takes a write every clock, no answer.
#[interface(ConfigOut, "Write port of a law's registers, writing side.")]
pub struct ConfigIn {
    /// Write this clock.
    pub write: Signal<In, Bit>,
    /// Register.
    pub address: Signal<In, U<6>>,
    /// Value; bits beyond the register's width are ignored.
    pub data: Signal<In, U<48>>,
}

/// A module that fills the slot with a law.
pub trait LawSlot: Ports + Default {
    /// Name of the law, as in [`hpcc_models::fixed::LAWS`].
    const LAW: &'static str;
    /// Clocks from the one in which an event is taken to the one in which its update is offered, the receiver being ready.
    const LATENCY: usize;
}

/// Hop records as the port carries them.
pub fn pack_hops(hops: &[HopRecord; MAX_HOPS]) -> Hops {
    W(hops.map(|hop| {
        u64::from(hop.speed) << 60 | u64::from(hop.ts) << 36 | u64::from(hop.tx_bytes) << 16 | u64::from(hop.q_len)
    }))
}

/// An event as the port carries it.
pub fn law_event(event: &CcEvent) -> LawEvent {
    const CLOCK: u64 = (1 << 48) - 1;
    LawEvent {
        snd_nxt: U(event.snd_nxt.into()),
        psn_next: U(event.psn_next.into()),
        generation: U(event.generation.into()),
        flow: U(u64::from(event.flow) & 0xffff),
        not_ready: false,
        rnr_timer: U(0),
        telemetry: Telemetry {
            now: U(event.now & CLOCK),
            bytes: U(event.bytes.into()),
            sent_at: U(event.sent_at & CLOCK),
            sent_valid: event.sent_valid,
            ecn: event.ecn,
            hops: pack_hops(&event.hops),
            path_id: U(event.path_id.into()),
            n_hop: U(event.n_hop.into()),
            int_valid: event.int_valid,
            event_kind: U(kind_code(event.kind)),
        },
    }
}

/// Puts an event on a port; `None` withdraws the offer and leaves the fields.
pub fn offer_event(port: &mut StreamIn<LawEvent>, event: Option<&CcEvent>) {
    port.valid.next = event.is_some();
    if let Some(event) = event {
        port.data.next = law_event(event);
    }
}

/// Puts a command, whether it creates, flow and generation, on a port; `None` withdraws the offer and leaves the fields.
pub fn offer_command(port: &mut StreamIn<LawCommand>, command: Option<(bool, u32, u8)>) {
    port.valid.next = command.is_some();
    if let Some((create, flow, generation)) = command {
        port.data.next = law_command(create, flow, generation);
    }
}

/// A command as the port carries it.
pub fn law_command(create: bool, flow: u32, generation: u8) -> LawCommand {
    LawCommand {
        flow: U(u64::from(flow) & 0xffff),
        generation: U(generation.into()),
        create,
    }
}

/// An update in the bits of the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawUpdate {
    /// Flow number.
    pub flow: u16,
    /// Generation.
    pub generation: u8,
    /// Window, UQ23.11 bytes.
    pub window: u64,
    /// Rate, UQ7.27 bytes per ns.
    pub rate: u64,
    /// HPCC's `U / eta`, UQ17.34; PowerTCP's power over eta, UQ20.31.
    pub utilisation: u64,
}

impl From<LawUpdate> for RawUpdate {
    fn from(update: LawUpdate) -> Self {
        Self {
            flow: update.flow.0 as u16,
            generation: update.generation.0 as u8,
            window: update.window.0,
            rate: update.rate.0,
            utilisation: update.signal.0,
        }
    }
}

/// The update that is taken in this clock, if one is. Between settling and the clock edge.
pub fn taken_update(port: &StreamOut<LawUpdate>) -> Option<RawUpdate> {
    (port.valid.val() && port.ready.val()).then(|| port.data.val().into())
}
