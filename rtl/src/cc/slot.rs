//! Ports of the congestion-control slot: events and commands in, updates out, parameters as registers.
//!
//! The same fields as [`hpcc_models::cc::CcEvent`] and [`hpcc_models::cc::Update`]. Each stream is valid/ready; fields are
//! stable while `valid` waits. Fields a law does not use cost nothing after synthesis.

// the interface derive adds a method without a doc comment
#![allow(missing_docs)]

use crate::interface;
use crate::prim::uint::U;
use crate::prim::wide::W;
use crate::sim::Ports;
use hpcc_models::cc::{CcEvent, EventKind, HopRecord, MAX_HOPS};
use rust_hdl::prelude::*;

/// Five hop records, first switch in the lowest 64 bits; each as on the wire: speed 4, ts 24, txBytes 20, qLen 16,
/// most significant first.
pub type Hops = W<320, 5>;

/// Code of an event kind on [`EventIn::kind`].
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

/// Events, receiving side. Names as in [`hpcc_models::cc::CcEvent`].
#[interface(EventOut, "Events, sending side.")]
pub struct EventIn {
    /// An event is offered.
    pub valid: Signal<In, Bit>,
    /// The event is taken.
    pub ready: Signal<Out, Bit>,
    /// [`kind_code`].
    pub kind: Signal<In, U<3>>,
    /// Flow number.
    pub flow: Signal<In, U<16>>,
    /// Generation of the flow.
    pub generation: Signal<In, U<8>>,
    /// Acknowledged PSN + 1.
    pub psn_next: Signal<In, U<24>>,
    /// Next PSN to send.
    pub snd_nxt: Signal<In, U<24>>,
    /// INT fields are present and sound.
    pub int_valid: Signal<In, Bit>,
    /// Switches on the path.
    pub n_hop: Signal<In, U<4>>,
    /// XOR of switch ids.
    pub path_id: Signal<In, U<12>>,
    /// Hop records.
    pub hops: Signal<In, Hops>,
    /// Congestion experienced.
    pub ecn: Signal<In, Bit>,
    /// When the acknowledged packet was sent, ns; 0 if not known (this NIC does not keep it).
    pub sent_at: Signal<In, U<48>>,
    /// Bytes newly acknowledged, packets counted as full ones.
    pub bytes: Signal<In, U<32>>,
    /// The NIC's clock, ns.
    pub now: Signal<In, U<48>>,
}

/// Creation and removal of flows, receiving side. A creation answers with an update: the first window and rate.
#[interface(CommandOut, "Creation and removal of flows, sending side.")]
pub struct CommandIn {
    /// A command is offered.
    pub valid: Signal<In, Bit>,
    /// The command is taken.
    pub ready: Signal<Out, Bit>,
    /// High: create; low: remove.
    pub create: Signal<In, Bit>,
    /// Flow number.
    pub flow: Signal<In, U<16>>,
    /// Generation that the flow starts under.
    pub generation: Signal<In, U<8>>,
}

/// Updates, sending side. Formats: [`hpcc_models::fixed::formats`].
#[interface(UpdateIn, "Updates, receiving side.")]
pub struct UpdateOut {
    /// An update is offered.
    pub valid: Signal<Out, Bit>,
    /// The update is taken.
    pub ready: Signal<In, Bit>,
    /// Flow number.
    pub flow: Signal<Out, U<16>>,
    /// Generation of the flow.
    pub generation: Signal<Out, U<8>>,
    /// Window, UQ23.11 bytes.
    pub window: Signal<Out, U<34>>,
    /// Pacing rate, UQ7.27 bytes per ns.
    pub rate: Signal<Out, U<34>>,
    /// What the law thinks of the path, for telemetry: HPCC's `U / eta`, UQ17.34; PowerTCP's power over eta, UQ20.31.
    pub utilisation: Signal<Out, U<51>>,
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

impl EventIn {
    /// Puts an event on the port; `None` withdraws the offer and leaves the fields.
    pub fn offer(&mut self, event: Option<&CcEvent>) {
        self.valid.next = event.is_some();
        let Some(event) = event else { return };
        self.kind.next = U(kind_code(event.kind));
        self.flow.next = U(u64::from(event.flow) & 0xffff);
        self.generation.next = U(event.generation.into());
        self.psn_next.next = U(event.psn_next.into());
        self.snd_nxt.next = U(event.snd_nxt.into());
        self.int_valid.next = event.int_valid;
        self.n_hop.next = U(event.n_hop.into());
        self.path_id.next = U(event.path_id.into());
        self.hops.next = pack_hops(&event.hops);
        self.ecn.next = event.ecn;
        self.sent_at.next = U(event.sent_at & 0xffff_ffff_ffff);
        self.bytes.next = U(event.bytes.into());
        self.now.next = U(event.now & 0xffff_ffff_ffff);
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

impl UpdateOut {
    /// The update that is taken in this clock, if one is. Between settling and the clock edge.
    pub fn taken(&self) -> Option<RawUpdate> {
        (self.valid.val() && self.ready.val()).then(|| RawUpdate {
            flow: self.flow.val().0 as u16,
            generation: self.generation.val().0 as u8,
            window: self.window.val().0,
            rate: self.rate.val().0,
            utilisation: self.utilisation.val().0,
        })
    }
}
