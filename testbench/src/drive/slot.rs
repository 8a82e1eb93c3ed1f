//! Driver of the congestion-control slot: events and commands in, updates out, whatever fills the slot.

use super::clocked::Clocked;
use hpcc_models::cc::{CcEvent, CongestionControl, Update};
use hpcc_models::fixed::hpcc::{rate_bits_per_second, window_bytes};
use hpcc_rtl::cc::slot::{law_command, law_event, RawUpdate};
use hpcc_rtl::prim::uint::Limbs;
use hpcc_rtl::prim::word::Word;
use hpcc_rtl::sim::Port;
use hpcc_rtl::words::congestion::LawUpdate;

/// Limbs of a stream: what is offered, that it is, and that it is taken.
#[derive(Clone, Copy, Debug)]
struct Stream {
    data: usize,
    valid: usize,
    ready: usize,
}

/// Limb of each port of the slot.
#[derive(Clone, Debug)]
pub struct SlotPorts {
    reset: usize,
    param: [usize; 3],
    command: Stream,
    event: Stream,
    update: Stream,
    /// The NIC's clock, where the law has timers of its own.
    now: Option<usize>,
}

impl SlotPorts {
    /// Finds the ports by name.
    ///
    /// # Panics
    /// If the block is no congestion-control slot.
    pub fn new(ports: &[Port]) -> Self {
        let limb = |name: &str| {
            let port = ports.iter().find(|port| port.name == name);
            port.unwrap_or_else(|| panic!("the slot has no port `{name}`")).limb
        };
        let stream = |name: &str| Stream {
            data: limb(&format!("{name}_data")),
            valid: limb(&format!("{name}_valid")),
            ready: limb(&format!("{name}_ready")),
        };
        Self {
            reset: limb("rst"),
            param: ["write", "address", "data"].map(|n| limb(&format!("param_{n}"))),
            command: stream("command"),
            event: stream("event"),
            update: stream("update"),
            now: ports.iter().find(|port| port.name == "now").map(|port| port.limb),
        }
    }

    /// Reset input.
    pub fn set_reset(&self, inputs: &mut [u64], high: bool) {
        inputs[self.reset] = high.into();
    }

    /// Register write port; `None` writes nothing.
    pub fn set_param(&self, inputs: &mut [u64], write: Option<(u8, u64)>) {
        inputs[self.param[0]] = write.is_some().into();
        if let Some((address, data)) = write {
            inputs[self.param[1]] = address.into();
            inputs[self.param[2]] = data;
        }
    }

    /// Command port `(create, flow, generation)`; `None` offers nothing.
    pub fn set_command(&self, inputs: &mut [u64], command: Option<(bool, u16, u8)>) {
        inputs[self.command.valid] = command.is_some().into();
        if let Some((create, flow, generation)) = command {
            law_command(create, flow.into(), generation).to_limbs(&mut inputs[self.command.data..]);
        }
    }

    /// Event port; `None` offers nothing.
    pub fn set_event(&self, inputs: &mut [u64], event: Option<&CcEvent>) {
        inputs[self.event.valid] = event.is_some().into();
        if let Some(event) = event {
            law_event(event).to_limbs(&mut inputs[self.event.data..]);
        }
    }

    /// The NIC's clock, ns, for a law with timers of its own.
    pub fn set_now(&self, inputs: &mut [u64], now: u64) {
        if let Some(limb) = self.now {
            inputs[limb] = now & ((1 << 48) - 1);
        }
    }

    /// Whether the receiver of updates is ready.
    pub fn set_ready(&self, inputs: &mut [u64], ready: bool) {
        inputs[self.update.ready] = ready.into();
    }

    /// The slot takes the offered command.
    pub fn command_ready(&self, outputs: &[u64]) -> bool {
        outputs[self.command.ready] != 0
    }

    /// The slot takes the offered event.
    pub fn event_ready(&self, outputs: &[u64]) -> bool {
        outputs[self.event.ready] != 0
    }

    /// The offered update.
    pub fn update(&self, outputs: &[u64]) -> Option<RawUpdate> {
        (outputs[self.update.valid] != 0).then(|| LawUpdate::from_slice(&outputs[self.update.data..]).into())
    }
}

/// What the ports carry in the next clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offer<'a> {
    /// Event on offer.
    pub event: Option<&'a CcEvent>,
    /// Command on offer: create, flow, generation.
    pub command: Option<(bool, u16, u8)>,
    /// The receiver of updates is not ready.
    pub stalled: bool,
}

/// What a clock brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// The event was taken.
    pub event: bool,
    /// The command was taken.
    pub command: bool,
    /// An update was received.
    pub update: Option<RawUpdate>,
}

/// A slot with its registers written and its reset behind it.
pub struct SlotDriver<C: Clocked> {
    device: C,
    ports: SlotPorts,
    clock: u64,
}

impl<C: Clocked> SlotDriver<C> {
    /// Resets the slot and writes the registers.
    pub fn new(device: C, writes: &[(u8, u64)]) -> Self {
        let ports = SlotPorts::new(device.ports());
        let mut driver = Self {
            device,
            ports,
            clock: 0,
        };
        driver.ports.set_reset(driver.device.inputs(), true);
        driver.step(Offer::default());
        driver.ports.set_reset(driver.device.inputs(), false);
        for &write in writes {
            driver.ports.set_param(driver.device.inputs(), Some(write));
            driver.step(Offer::default());
        }
        driver.ports.set_param(driver.device.inputs(), None);
        driver
    }

    /// Clocks since the start.
    pub fn clock(&self) -> u64 {
        self.clock
    }

    /// The thing that was driven.
    pub fn into_device(self) -> C {
        self.device
    }

    /// The thing that is driven.
    pub fn device(&mut self) -> &mut C {
        &mut self.device
    }

    /// Creates a flow: offers the command until the slot takes it. Updates that come meanwhile are nobody's.
    pub fn create(&mut self, flow: u16, generation: u8) {
        let command = Some((true, flow, generation));
        let offer = Offer {
            command,
            ..Offer::default()
        };
        while !self.step(offer).command {}
    }

    /// One clock.
    pub fn step(&mut self, offer: Offer<'_>) -> Taken {
        let inputs = self.device.inputs();
        self.ports.set_event(inputs, offer.event);
        self.ports.set_command(inputs, offer.command);
        self.ports.set_ready(inputs, !offer.stalled);
        self.device.settle();
        let outputs = self.device.outputs();
        let taken = Taken {
            event: offer.event.is_some() && self.ports.event_ready(outputs),
            command: offer.command.is_some() && self.ports.command_ready(outputs),
            update: if offer.stalled {
                None
            } else {
                self.ports.update(outputs)
            },
        };
        self.device.edge();
        self.clock += 1;
        taken
    }
}

/// Longest wait for a slot that has just been reset to take something: it removes all of its flows first.
const MAX_WAIT: u64 = 1 << 17;

/// A slot as a law: one event at a time, answered before the next one enters.
pub struct SlotLaw<C: Clocked> {
    driver: SlotDriver<C>,
    latency: usize,
}

impl<C: Clocked> SlotLaw<C> {
    /// A slot that answers within `latency` clocks of taking an event, with these registers.
    pub fn new(device: C, writes: &[(u8, u64)], latency: usize) -> Self {
        Self {
            driver: SlotDriver::new(device, writes),
            latency,
        }
    }

    /// Offers until taken, then waits for the answer.
    fn exchange(&mut self, offer: Offer<'_>) -> Option<RawUpdate> {
        let taken = |t: Taken| t.event || t.command;
        let give_up = self.driver.clock() + MAX_WAIT;
        while !taken(self.driver.step(offer)) {
            assert!(self.driver.clock() < give_up, "the slot takes nothing");
        }
        (0..=self.latency).find_map(|_| self.driver.step(Offer::default()).update)
    }

    /// As [`CongestionControl::handle`], with the bits of the answer.
    pub fn handle_raw(&mut self, event: &CcEvent) -> Option<RawUpdate> {
        self.exchange(Offer {
            event: Some(event),
            ..Offer::default()
        })
    }

    /// The driver.
    pub fn driver(&mut self) -> &mut SlotDriver<C> {
        &mut self.driver
    }
}

fn update(raw: RawUpdate) -> Update {
    Update {
        flow: raw.flow.into(),
        generation: raw.generation,
        window: window_bytes(raw.window),
        rate: rate_bits_per_second(raw.rate),
    }
}

impl<C: Clocked> CongestionControl for SlotLaw<C> {
    fn name(&self) -> &'static str {
        "rtl"
    }

    fn create(&mut self, flow: u32, generation: u8) -> Update {
        let raw = self.exchange(Offer {
            command: Some((true, flow as u16, generation)),
            ..Offer::default()
        });
        update(raw.unwrap_or_else(|| panic!("flow {flow}: the slot has no room for this flow number")))
    }

    fn remove(&mut self, flow: u32) {
        self.exchange(Offer {
            command: Some((false, flow as u16, 0)),
            ..Offer::default()
        });
    }

    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        self.handle_raw(event).map(update)
    }
}
