//! An agent outside the simulator: it asks running NICs who has work, shares capacities max-min fairly, and writes their levels.
//!
//! Each group of a NIC crosses bottlenecks; its flows with work ask for all they can get. The exact solver of
//! [`hpcc_models::alloc`] gives every flow its share, which is the level of its group. Levels that fall are written before those that rise,
//! so that nobody overfills a bottleneck by hearing early.

use hpcc_models::alloc::{exact, Flow, Graph, INFINITE};
use hpcc_models::nic::GROUPS;
use serde::Deserialize;
use serde_json::{json, Value};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest wait for an answer: a NIC in RTL simulates each access to its registers.
const PATIENCE: Duration = Duration::from_secs(30);

/// A link that groups share.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bottleneck {
    /// Name.
    pub name: String,
    /// Capacity, Gb/s of wire bytes.
    pub gbps: f64,
}

/// A group of a NIC and what its flows cross.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupPath {
    /// Number, below [`GROUPS`].
    pub group: usize,
    /// Names of bottlenecks.
    pub path: Vec<String>,
}

/// A running NIC.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NicPlace {
    /// Its control socket.
    pub socket: PathBuf,
    /// Groups under control.
    pub group: Vec<GroupPath>,
}

fn cycle() -> f64 {
    10.0
}

fn headroom() -> f64 {
    99.0
}

/// What an agent looks after.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentConfig {
    /// Time from one look to the next, ms.
    #[serde(default = "cycle")]
    pub cycle_ms: f64,
    /// Part of every capacity that is granted, percent.
    #[serde(default = "headroom")]
    pub headroom_percent: f64,
    /// Links.
    pub bottleneck: Vec<Bottleneck>,
    /// NICs.
    pub nic: Vec<NicPlace>,
}

impl AgentConfig {
    /// Reads a file; in an error stands the field and what was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| {
            let line = error
                .span()
                .map_or(0, |span| text[..span.start].matches('\n').count() + 1);
            format!("line {line}: {}", error.message())
        })?;
        let within = |name: &str, value: f64, low: f64, high: f64| {
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(format!("{name}: expected {low} to {high}, got {value}"))
            }
        };
        within("cycle_ms", config.cycle_ms, 0.1, 60_000.0)?;
        within("headroom_percent", config.headroom_percent, 1.0, 100.0)?;
        for (at, bottleneck) in config.bottleneck.iter().enumerate() {
            within(
                &format!("bottleneck {}: gbps", bottleneck.name),
                bottleneck.gbps,
                0.0,
                1e6,
            )?;
            if config.bottleneck[..at]
                .iter()
                .any(|other| other.name == bottleneck.name)
            {
                return Err(format!("bottleneck {}: expected each name once", bottleneck.name));
            }
        }
        for nic in &config.nic {
            let socket = nic.socket.display();
            for (at, group) in nic.group.iter().enumerate() {
                let number = group.group;
                if number >= GROUPS {
                    return Err(format!(
                        "nic {socket}: group: expected 0 to {}, got {number}",
                        GROUPS - 1
                    ));
                }
                if nic.group[..at].iter().any(|other| other.group == number) {
                    return Err(format!("nic {socket}: group {number}: expected each group once"));
                }
                for name in &group.path {
                    if config.place(name).is_none() {
                        return Err(format!("nic {socket}: group {number}: no bottleneck `{name}`"));
                    }
                }
            }
        }
        // the solver's own rules: a path has a bottleneck, each once
        config.graph(&config.ones()).map(|_| config)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.bottleneck.iter().position(|bottleneck| bottleneck.name == *name)
    }

    /// One flow in every group.
    fn ones(&self) -> Vec<Vec<u32>> {
        self.nic.iter().map(|nic| vec![1; nic.group.len()]).collect()
    }

    /// A flow of the graph for each flow with work; `active[nic][place of the group]`.
    fn graph(&self, active: &[Vec<u32>]) -> Result<Graph, String> {
        let granted = |bottleneck: &Bottleneck| (bottleneck.gbps * 1e9 * self.headroom_percent / 100.0) as u64;
        let capacities = self.bottleneck.iter().map(granted).collect();
        let mut flows = Vec::new();
        for (nic, active) in self.nic.iter().zip(active) {
            for (group, count) in nic.group.iter().zip(active) {
                let path: Vec<usize> = group.path.iter().filter_map(|name| self.place(name)).collect();
                let flow = Flow { demand: INFINITE, path };
                flows.extend(std::iter::repeat_n(flow, *count as usize));
            }
        }
        Graph::new(capacities, flows).map_err(|error| error.to_string())
    }

    /// Levels of all groups, bit/s, where `active` flows of each have work. A group without any has the level that the first one will
    /// have.
    pub fn levels(&self, active: &[Vec<u32>]) -> Result<Vec<Vec<u64>>, String> {
        let shares = |active: &[Vec<u32>]| self.graph(active).map(|graph| exact::solve(&graph));
        let of_all = shares(active)?;
        let mut at = 0;
        let mut levels = Vec::new();
        for (nic, counts) in active.iter().enumerate() {
            let mut own = Vec::new();
            for (group, count) in counts.iter().enumerate() {
                own.push(match *count {
                    0 => {
                        let mut one_more = active.to_vec();
                        one_more[nic][group] = 1;
                        shares(&one_more)?[at]
                    }
                    _ => of_all[at],
                });
                at += *count as usize;
            }
            levels.push(own);
        }
        Ok(levels)
    }
}

/// A connection to a NIC's control socket.
pub struct NicClient {
    stream: BufReader<UnixStream>,
}

impl NicClient {
    /// Connects.
    pub fn connect(socket: &Path) -> io::Result<Self> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self {
            stream: BufReader::new(stream),
        })
    }

    /// Asks and waits for the answer; one that is an error is one here too.
    pub fn ask(&mut self, request: &Value) -> io::Result<Value> {
        self.stream.get_mut().write_all(format!("{request}\n").as_bytes())?;
        let mut line = String::new();
        let silent = |error: io::Error| match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                io::Error::other(format!("no answer within {} s", PATIENCE.as_secs()))
            }
            _ => error,
        };
        if self.stream.read_line(&mut line).map_err(silent)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let answer: Value = serde_json::from_str(&line)?;
        match answer.get("error") {
            Some(error) => Err(io::Error::other(error.to_string())),
            None => Ok(answer),
        }
    }

    /// Sixteen numbers, one a group.
    pub fn numbers(&mut self, what: &str) -> io::Result<Vec<u64>> {
        let answer = self.ask(&json!({"get": what}))?;
        let list = answer.get(what).and_then(Value::as_array);
        let numbers: Option<Vec<u64>> = list.and_then(|list| list.iter().map(Value::as_u64).collect());
        numbers
            .filter(|numbers| numbers.len() == GROUPS)
            .ok_or_else(|| io::Error::other(format!("expected {GROUPS} numbers in `{what}`")))
    }
}

/// A level that was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Written {
    /// NIC, as the configuration counts them.
    pub nic: usize,
    /// Group.
    pub group: usize,
    /// Flows with work that it is for.
    pub active: u32,
    /// Level, bit/s.
    pub level_bps: u64,
}

/// The agent at work.
pub struct Agent {
    config: AgentConfig,
    clients: Vec<NicClient>,
    written: Vec<Vec<Option<u64>>>,
}

impl Agent {
    /// Connects to all NICs; an error names the socket.
    pub fn new(config: AgentConfig) -> Result<Self, String> {
        let clients = config
            .nic
            .iter()
            .map(|nic| NicClient::connect(&nic.socket).map_err(|error| format!("{}: {error}", nic.socket.display())));
        let clients = clients.collect::<Result<_, _>>()?;
        let written = config.nic.iter().map(|nic| vec![None; nic.group.len()]).collect();
        Ok(Self {
            config,
            clients,
            written,
        })
    }

    /// One cycle: who has work, what that means, what has changed. Levels that fall go first.
    pub fn cycle(&mut self) -> Result<Vec<Written>, String> {
        let mut active = Vec::new();
        for (nic, client) in self.config.nic.iter().zip(&mut self.clients) {
            let counts = client.numbers("active");
            let counts = counts.map_err(|error| format!("{}: {error}", nic.socket.display()))?;
            active.push(
                nic.group
                    .iter()
                    .map(|group| counts[group.group] as u32)
                    .collect::<Vec<u32>>(),
            );
        }
        let levels = self.config.levels(&active)?;
        let mut changes = Vec::new();
        for (nic, own) in levels.iter().enumerate() {
            for (place, &level_bps) in own.iter().enumerate() {
                let before = self.written[nic][place];
                if before != Some(level_bps) {
                    changes.push((before.is_some_and(|before| level_bps > before), nic, place, level_bps));
                }
            }
        }
        changes.sort();
        let mut written = Vec::new();
        for (_, nic, place, level_bps) in changes {
            let group = self.config.nic[nic].group[place].group;
            let request = json!({"level": [group, level_bps as f64 / 8e9]});
            let done = self.clients[nic].ask(&request);
            done.map_err(|error| format!("{}: {error}", self.config.nic[nic].socket.display()))?;
            self.written[nic][place] = Some(level_bps);
            written.push(Written {
                nic,
                group,
                active: active[nic][place],
                level_bps,
            });
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = r#"
headroom_percent = 100.0
[[bottleneck]]
name = "core"
gbps = 10.0
[[bottleneck]]
name = "edge"
gbps = 1.0
[[nic]]
socket = "a"
group = [{ group = 0, path = ["core"] }, { group = 1, path = ["edge", "core"] }]
[[nic]]
socket = "b"
group = [{ group = 4, path = ["core"] }]
"#;

    #[test]
    fn levels_are_max_min_shares() {
        let config = AgentConfig::parse(TWO).expect("a valid file");
        let levels = |active: [Vec<u32>; 2]| config.levels(&active).expect("a valid graph");
        assert_eq!(
            levels([vec![1, 2], vec![3]]),
            [vec![2_250_000_000, 500_000_000], vec![2_250_000_000]]
        );
        // who is idle has what a first flow would get
        assert_eq!(
            levels([vec![0, 0], vec![1]]),
            [vec![5_000_000_000, 1_000_000_000], vec![10_000_000_000]]
        );
    }

    #[test]
    fn faults_are_named() {
        for (from, to, why) in [
            ("gbps = 10.0", "gbps = -1.0", "bottleneck core: gbps: expected 0 to"),
            ("\"edge\"\n", "\"core\"\n", "bottleneck core: expected each name once"),
            ("group = 4", "group = 16", "nic b: group: expected 0 to 15, got 16"),
            ("group = 1,", "group = 0,", "nic a: group 0: expected each group once"),
            ("[\"edge\", \"core\"]", "[\"edge\", \"spine\"]", "no bottleneck `spine`"),
            ("[\"edge\", \"core\"]", "[]", "expected at least one bottleneck"),
            ("headroom_percent", "headroom", "line 2: unknown field `headroom`"),
            ("= 100.0", "= 0.0", "headroom_percent: expected 1 to 100, got 0"),
        ] {
            let text = TWO.replacen(from, to, 1);
            assert_ne!(text, TWO, "{from}");
            let error = AgentConfig::parse(&text).expect_err(to);
            assert!(error.contains(why) && !error.contains('\n'), "{to}: {error}");
        }
    }
}
