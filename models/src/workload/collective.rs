//! Collective operations of a set of hosts as flows that start after others.
//!
//! A host sends what it has to send in a step when it has received what that step needs, and when its transfer before has left; all-to-all sends
//! everything at once. Shares of a message that does not divide evenly
//! differ by a byte. In the next repetition a host sends nothing before it has received and sent everything of the one before, the pause
//! included.

use std::collections::BTreeMap;

use crate::net::{FlowSpec, Moment, StartRule};

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Every host has the sum of all hosts' data.
    AllReduce,
    /// Every host has all shares.
    AllGather,
    /// Every host has its share of the sum.
    ReduceScatter,
    /// Every host has the first host's data.
    Broadcast,
    /// Every host has its share of each host's data.
    AllToAll,
}

/// How.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Shares go round.
    Ring,
    /// Partners at twice the distance in each step; all-reduce exchanges everything each time.
    RecursiveDoubling,
    /// Halves to partners at half the distance, then doubles back.
    HalvingDoubling,
    /// A binomial tree from the first host, and to it where there is something to reduce.
    Tree,
    /// Everything at once.
    Direct,
}

/// One collective operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collective {
    /// What.
    pub operation: Operation,
    /// How.
    pub algorithm: Algorithm,
    /// Hosts (node numbers), in the order of the ring.
    pub hosts: Vec<u32>,
    /// Bytes of the whole message (nccl-tests' `size`).
    pub bytes: u64,
    /// Pieces of each transfer, which follow each other through the steps.
    pub chunks: u64,
    /// How often.
    pub repetitions: u32,
    /// When the first begins, ps.
    pub start_ps: u64,
    /// From the end of one to the next at a host, ps.
    pub pause_ps: u64,
}

/// Which repetition and step a flow is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Repetition, from 0.
    pub repetition: u32,
    /// Step, from 0.
    pub step: u32,
}

/// A collective as flows; numbers in rules count from its own first flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    /// Flows.
    pub flows: Vec<FlowSpec>,
    /// What they wait for.
    pub rules: Vec<StartRule>,
    /// By flow.
    pub places: Vec<Place>,
}

/// A transfer of a repetition: sender and receiver by place in the list of hosts, and the transfers before it that it needs.
struct Transfer {
    step: u32,
    from: usize,
    to: usize,
    bytes: u64,
    after: Vec<(usize, Moment)>,
}

impl Collective {
    /// Bandwidth of the bus over that of the operation, as nccl-tests reckon.
    pub fn bus_factor(&self) -> f64 {
        let n = self.hosts.len() as f64;
        match self.operation {
            Operation::AllReduce => 2.0 * (n - 1.0) / n,
            Operation::Broadcast => 1.0,
            _ => (n - 1.0) / n,
        }
    }

    /// Makes the flows; an error starts with the key that is wrong.
    pub fn flows(&self) -> Result<Flows, String> {
        let once = self.once()?;
        let mut all = Flows::default();
        for repetition in 0..self.repetitions {
            self.repeat(repetition, &once, &mut all);
        }
        Ok(all)
    }

    /// One repetition more.
    fn repeat(&self, repetition: u32, once: &[Transfer], all: &mut Flows) {
        let base = all.flows.len();
        let before = base - if repetition > 0 { once.len() } else { 0 };
        let mut first: BTreeMap<usize, usize> = BTreeMap::new();
        for (index, transfer) in once.iter().enumerate() {
            let number = base + index;
            let mut after: Vec<(u32, Moment)> = transfer.after.iter().map(|&(t, m)| ((base + t) as u32, m)).collect();
            let mut delay_ps = 0;
            if repetition > 0 {
                match first.get(&transfer.from) {
                    Some(&own) => after.push((own as u32, Moment::Started)),
                    None => {
                        delay_ps = if after.is_empty() { self.pause_ps } else { 0 };
                        for (earlier, other) in once.iter().enumerate() {
                            let flow = (before + earlier) as u32;
                            if other.to == transfer.from {
                                after.push((flow, Moment::Received));
                            }
                            if other.from == transfer.from {
                                after.push((flow, Moment::Acknowledged));
                            }
                        }
                    }
                }
            }
            first.entry(transfer.from).or_insert(number);
            all.flows.push(FlowSpec {
                src: self.hosts[transfer.from],
                dst: self.hosts[transfer.to],
                bytes: transfer.bytes,
                start_ps: self.start_ps,
                dst_port: FlowSpec::DST_PORT,
            });
            all.places.push(Place {
                repetition,
                step: transfer.step,
            });
            if !after.is_empty() {
                all.rules.push(StartRule {
                    flow: number as u32,
                    after,
                    any: false,
                    delay_ps,
                });
            }
        }
    }

    /// The transfers of one repetition.
    fn once(&self) -> Result<Vec<Transfer>, String> {
        use {Algorithm as A, Operation as O};
        let n = self.hosts.len();
        let mut sorted = self.hosts.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if n < 2 || sorted.len() < n {
            return Err("hosts: expected two or more, each once".into());
        }
        let least = n as u64 * self.chunks;
        if self.chunks == 0 || self.bytes < least {
            return Err(format!(
                "bytes: expected at least a byte for each of {n} hosts and {} chunks",
                self.chunks
            ));
        }
        if self.repetitions == 0 {
            return Err("repetitions: expected 1 or more".into());
        }
        let pipelined = matches!(self.algorithm, A::Ring | A::Tree);
        if self.chunks > 1 && !pipelined {
            return Err("chunks: expected only with ring or tree, whose transfers pass on what they got".into());
        }
        let power = matches!(self.algorithm, A::RecursiveDoubling | A::HalvingDoubling);
        if power && !n.is_power_of_two() {
            return Err(format!(
                "hosts: expected a power of two of them with this algorithm, got {n}"
            ));
        }
        let mut all = match (self.operation, self.algorithm) {
            (O::AllReduce, A::Ring) => self.ring(2 * (n - 1)),
            (O::AllGather | O::ReduceScatter, A::Ring) => self.ring(n - 1),
            (O::AllReduce, A::RecursiveDoubling) => self.exchange(&distances(n), |_, _, _| self.bytes),
            (O::AllGather, A::RecursiveDoubling) => self.exchange(&distances(n), |_, host, d| self.block(host, d)),
            (O::ReduceScatter | O::AllReduce, A::HalvingDoubling) => {
                let halving = distances(n).into_iter().rev();
                let (steps, doubling) = match self.operation {
                    O::AllReduce => (halving.len(), distances(n)),
                    _ => (halving.len(), Vec::new()),
                };
                let both: Vec<usize> = halving.chain(doubling).collect();
                self.exchange(&both, |step, host, d| match step < steps {
                    true => self.block(host ^ d, d),
                    false => self.block(host, d),
                })
            }
            (O::Broadcast, A::Tree) => self.down(0, &[]),
            (O::AllReduce, A::Tree) => {
                let up = self.up();
                let rounds = up.iter().map(|t| t.step + 1).max().unwrap_or(0);
                let down = self.down(rounds, &up);
                up.into_iter().chain(down).collect()
            }
            (O::AllToAll, A::Direct) => return Ok(self.all_to_all()),
            _ => {
                return Err("algorithm: expected ring, recursive-doubling, halving-doubling or tree with all-reduce, ring or recursive-doubling \
                     with all-gather, ring or halving-doubling with reduce-scatter, tree with broadcast, direct with all-to-all"
                    .into())
            }
        };
        let mut last: Vec<Option<usize>> = vec![None; n];
        for (index, transfer) in all.iter_mut().enumerate() {
            let before = last[transfer.from].replace(index);
            transfer.after.extend(before.map(|before| (before, Moment::Sent)));
        }
        Ok(all)
    }

    /// Bytes of a host's share, of its piece where transfers are cut.
    fn share(&self, host: usize, piece: u64) -> u64 {
        let cut = |total: u64, parts: u64, at: u64| {
            let until = |at: u64| (u128::from(total) * u128::from(at) / u128::from(parts)) as u64;
            until(at + 1) - until(at)
        };
        let share = cut(self.bytes, self.hosts.len() as u64, host as u64);
        cut(share, self.chunks, piece)
    }

    /// Bytes of the shares of the `size` hosts among which `host` is.
    fn block(&self, host: usize, size: usize) -> u64 {
        let first = host / size * size;
        (first..first + size).map(|h| self.share(h, 0)).sum()
    }

    /// In step `s` host `i` sends share `i - s` to the next one, once it has got it.
    fn ring(&self, steps: usize) -> Vec<Transfer> {
        let n = self.hosts.len();
        let chunks = self.chunks as usize;
        let mut all = Vec::with_capacity(steps * n * chunks);
        let number = |step: usize, host: usize, piece: usize| (step * n + host) * chunks + piece;
        for step in 0..steps {
            for host in 0..n {
                let share = (host + steps * n - step) % n;
                for piece in 0..chunks {
                    let got = step
                        .checked_sub(1)
                        .map(|s| (number(s, (host + n - 1) % n, piece), Moment::Received));
                    all.push(Transfer {
                        step: step as u32,
                        from: host,
                        to: (host + 1) % n,
                        bytes: self.share(share, piece as u64),
                        after: got.into_iter().collect(),
                    });
                }
            }
        }
        all
    }

    /// In each step every host sends to the one at that distance, once it has got what the step before brought.
    fn exchange(&self, distances: &[usize], bytes: impl Fn(usize, usize, usize) -> u64) -> Vec<Transfer> {
        let n = self.hosts.len();
        let mut all = Vec::new();
        for (step, &distance) in distances.iter().enumerate() {
            for host in 0..n {
                let got = step
                    .checked_sub(1)
                    .map(|s| (s * n + (host ^ distances[s]), Moment::Received));
                all.push(Transfer {
                    step: step as u32,
                    from: host,
                    to: host ^ distance,
                    bytes: bytes(step, host, distance),
                    after: got.into_iter().collect(),
                });
            }
        }
        all
    }

    /// Bytes of a piece of the whole message.
    fn piece(&self, piece: u64) -> u64 {
        let until = |at: u64| (u128::from(self.bytes) * u128::from(at) / u128::from(self.chunks)) as u64;
        until(piece + 1) - until(piece)
    }

    /// Binomial tree to the first host: in round `s`, from the last, host `i + 2^s` sends to `i` what it has got from its own branches.
    fn up(&self) -> Vec<Transfer> {
        let n = self.hosts.len();
        let rounds = n.next_power_of_two().trailing_zeros();
        let distances = (0..rounds).rev().map(|s| 1_usize << s).enumerate();
        let ways = distances.flat_map(|(step, d)| (d..n.min(2 * d)).map(move |from| (step as u32, from, from - d)));
        self.passed_on(ways, Vec::new())
    }

    /// Binomial tree from the first host: in round `s` host `i` below `2^s` sends to `i + 2^s`, once it has the message. `earlier` are the transfers
    /// before these, of which the first host needs those to it.
    fn down(&self, first_step: u32, earlier: &[Transfer]) -> Vec<Transfer> {
        let n = self.hosts.len();
        let rounds = n.next_power_of_two().trailing_zeros();
        let distances = (0..rounds).map(|s| 1_usize << s).enumerate();
        let ways = distances.flat_map(|(round, d)| (0..d.min(n - d)).map(move |from| (round as u32, from, from + d)));
        let to_first = earlier
            .iter()
            .enumerate()
            .filter(|(_, t)| t.to == 0)
            .map(|(index, _)| index);
        let mut all = self.passed_on(
            ways.map(|(step, from, to)| (first_step + step, from, to)),
            to_first.collect(),
        );
        // Numbers count from the first of the earlier ones; the first host's own need is among those already.
        for transfer in all.iter_mut().filter(|t| t.from != 0) {
            transfer.after.iter_mut().for_each(|(index, _)| *index += earlier.len());
        }
        all
    }

    /// Transfers of whole pieces over some ways in turn, each once its sender has what came to it before; `had`: what the first host waits for.
    fn passed_on(&self, ways: impl Iterator<Item = (u32, usize, usize)>, had: Vec<usize>) -> Vec<Transfer> {
        let pieces = self.chunks as usize;
        let mut got: Vec<Vec<usize>> = vec![Vec::new(); self.hosts.len() * pieces];
        for index in had {
            got[index % pieces].push(index);
        }
        let mut all: Vec<Transfer> = Vec::new();
        for (step, from, to) in ways {
            for piece in 0..pieces {
                let after = got[from * pieces + piece]
                    .iter()
                    .map(|&index| (index, Moment::Received))
                    .collect();
                got[to * pieces + piece].push(all.len());
                all.push(Transfer {
                    step,
                    from,
                    to,
                    bytes: self.piece(piece as u64),
                    after,
                });
            }
        }
        all
    }

    /// Everybody to everybody else at once, the next one first.
    fn all_to_all(&self) -> Vec<Transfer> {
        let n = self.hosts.len();
        let pairs = (1..n).flat_map(|d| (0..n).map(move |from| (d, from)));
        pairs
            .map(|(d, from)| Transfer {
                step: d as u32 - 1,
                from,
                to: (from + d) % n,
                bytes: self.share((from + d) % n, 0),
                after: Vec::new(),
            })
            .collect()
    }
}

/// 1, 2, 4, up to half of `n`.
fn distances(n: usize) -> Vec<usize> {
    (0..n.trailing_zeros()).map(|s| 1 << s).collect()
}

#[cfg(test)]
#[path = "collective_tests.rs"]
mod tests;
