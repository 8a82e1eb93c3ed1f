//! Two hosts on a wire.

use super::bench::Host;
use hpcc_models::nic::{Link, LinkConfig};

/// Two hosts, the wires between them and their clock.
pub struct Two {
    pub hosts: [Host; 2],
    pub links: [Link; 2],
    pub now: u64,
    /// Transport bytes (from the BTH on, without ICRC) that each side has sent.
    pub sent: [Vec<Vec<u8>>; 2],
}

impl Two {
    pub fn ready() -> Self {
        Self::on([Host::ready(0), Host::ready(1)], LinkConfig::default(), 1)
    }

    pub fn on(hosts: [Host; 2], config: LinkConfig, seed: u64) -> Self {
        let links = [0, 1].map(|side| Link::new(config, 2 * seed + side));
        Self {
            hosts,
            links,
            now: 0,
            sent: Default::default(),
        }
    }

    /// Carries out the next thing that happens, not after `limit`; false if nothing does.
    pub fn step(&mut self, limit: u64) -> bool {
        let deadlines = self.hosts.iter().map(|host| host.nic.next_deadline());
        let arrivals = self.links.iter().map(Link::next_arrival);
        let Some(next) = deadlines.chain(arrivals).flatten().min().filter(|next| *next <= limit) else {
            self.now = self.now.max(limit.min(u64::MAX / 2));
            return false;
        };
        self.now = self.now.max(next);
        for side in [0, 1] {
            while let Some(frame) = self.links[1 - side].receive(self.now) {
                self.hosts[side].nic.receive(self.now, &frame);
            }
            for frame in self.hosts[side].nic.poll(self.now) {
                self.sent[side].push(frame[42..frame.len() - 4].to_vec());
                self.links[side].send(self.now, frame);
            }
        }
        true
    }

    /// Runs for a time.
    pub fn run(&mut self, time_ns: u64) {
        let limit = self.now + time_ns;
        while self.step(limit) {}
    }
}
