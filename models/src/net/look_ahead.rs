//! What the next events touch is fetched before their turn, and ports by which packets will leave are looked up.

use super::engine::Simulator;
use super::fetch::prefetch;
use super::kind::{decode, Kind};

impl Simulator {
    /// Another bucket of events is at hand. What it touches first was fetched before; what it touches next, and what the bucket behind it
    /// touches first, is fetched now. By which port a packet leaves the switch that it reaches is noted on the packet, where its 5-tuple alone decides
    /// that.
    pub(super) fn look_ahead(&mut self) {
        let spreads = self.spreads();
        for event in self.events.present() {
            let (kind, a, b) = decode(event.payload);
            match kind {
                Kind::Arrive => {
                    let port = &self.ports[a as usize];
                    let packet = &mut self.packets[b];
                    if !port.on_switch {
                        if let Some(context) = self.contexts.get(packet.context as usize) {
                            context.prefetch();
                        }
                    } else if spreads {
                        // Chosen when it has arrived.
                    } else if let Some(out) = self.routes.pick(port.node, packet.src, packet.dst, packet.ports) {
                        packet.in_port = out;
                        prefetch(&self.ports[out as usize]);
                    }
                }
                Kind::TxEnd => {
                    let port = &self.ports[b as usize];
                    self.packets.prefetch(port.control.head());
                    self.packets.prefetch(port.data.head());
                }
                _ => {}
            }
        }
        let (packets, ports) = (&self.packets, &self.ports);
        self.events.look_ahead(|payload| match decode(payload) {
            (Kind::Arrive, port, packet) => {
                packets.prefetch(packet);
                prefetch(&ports[port as usize]);
            }
            (Kind::TxEnd, _, port) => prefetch(&ports[port as usize]),
            _ => {}
        });
    }
}
