//! Loss on single links, in the network: which ports it is for, and the draw of each packet.

use rand::Rng;

use super::engine::{SetupError, Simulator};

impl Simulator {
    /// Gives the configured losses to the ports that send over their links. Such a port's own loss becomes the most that it can be, so that its packets
    /// take the way on which they can be lost.
    pub(super) fn set_link_losses(&mut self) -> Result<(), SetupError> {
        for (number, loss) in self.config.link_losses.clone().into_iter().enumerate() {
            let bad = |field: &'static str, expected: String| SetupError::LinkLoss {
                number,
                field,
                expected,
            };
            let links = self.topology.links.len();
            let Some(link) = self.topology.links.get(loss.link).copied() else {
                return Err(bad("link", format!("below {links}, got {}", loss.link)));
            };
            if let Some(sender) = loss.sender.filter(|&node| node != link.a && node != link.b) {
                let expected = format!("{} or {}, the ends of link {}, got {sender}", link.a, link.b, loss.link);
                return Err(bad("sender", expected));
            }
            if !(0.0..=1.0).contains(&loss.loss) {
                return Err(bad("loss", format!("0 to 1, got {}", loss.loss)));
            }
            if loss.from_ps >= loss.until_ps {
                return Err(bad("until_us", "later than from_us".into()));
            }
            for (port, node) in [(2 * loss.link, link.a), (2 * loss.link + 1, link.b)] {
                if loss.sender.is_none_or(|sender| sender == node) {
                    self.ports[port].loss = self.ports[port].loss.max(loss.loss);
                    self.link_losses.entry(port as u32).or_default().push(loss);
                }
            }
        }
        Ok(())
    }

    /// Draws whether a packet is lost whose transmission starts now or at `start`. `most`: the port's own loss. A packet that several losses can
    /// take gets lost with the probability that one of them, independent of the others, takes it.
    pub(super) fn is_lost(&mut self, port: u32, most: f64, start: u64) -> bool {
        let loss = match self.link_losses.get(&port) {
            None => most,
            Some(losses) => {
                let everywhere = self.topology.links[port as usize / 2].loss;
                let kept = losses.iter().map(|loss| 1.0 - loss.at(start)).product::<f64>();
                1.0 - (1.0 - everywhere) * kept
            }
        };
        loss > 0.0 && self.rng.random::<f64>() < loss
    }
}

#[cfg(test)]
#[path = "link_loss_tests.rs"]
mod tests;
