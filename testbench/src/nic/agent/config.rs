//! What an agent looks after: links, NICs, what their groups cross and ask for; and the levels that follow.

use hpcc_models::alloc::{exact, Flow, Graph, INFINITE};
use hpcc_models::nic::GROUPS;
use hpcc_sim::toml_error::toml_error;
use serde::Deserialize;
use std::path::PathBuf;

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
    /// What its flows ask for.
    #[serde(default)]
    pub demand: Demand,
}

/// What the flows of a group ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Demand {
    /// All they can get while they have work (`ACTIVE`).
    #[default]
    Active,
    /// What they were seen to use (`SENT`): for senders with a rate of their own.
    Sent,
}

/// What a group asks for at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Flows with work.
    pub flows: u32,
    /// Of each of them, bit/s; [`INFINITE`]: no limit.
    pub demand: u64,
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
    /// Reads the text of a file of that name; in an error stand the file, the field and what was expected.
    pub fn parse(text: &str, name: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| toml_error(name, text, &error))?;
        config.check().map_err(|error| format!("{name}: {error}"))?;
        Ok(config)
    }

    fn check(&self) -> Result<(), String> {
        let config = self;
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
        let one = Ask {
            flows: 1,
            demand: INFINITE,
        };
        let ones: Vec<Vec<Ask>> = config.nic.iter().map(|nic| vec![one; nic.group.len()]).collect();
        config.graph(&ones).map(|_| ())
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.bottleneck.iter().position(|bottleneck| bottleneck.name == *name)
    }

    /// A flow of the graph for each flow with work; `asks[nic][place of the group]`.
    fn graph(&self, asks: &[Vec<Ask>]) -> Result<Graph, String> {
        let granted = |bottleneck: &Bottleneck| (bottleneck.gbps * 1e9 * self.headroom_percent / 100.0) as u64;
        let capacities = self.bottleneck.iter().map(granted).collect();
        let mut flows = Vec::new();
        for (nic, asks) in self.nic.iter().zip(asks) {
            for (group, ask) in nic.group.iter().zip(asks) {
                let path: Vec<usize> = group.path.iter().filter_map(|name| self.place(name)).collect();
                let demand = ask.demand;
                flows.extend(std::iter::repeat_n(Flow { demand, path }, ask.flows as usize));
            }
        }
        Graph::new(capacities, flows).map_err(|error| error.to_string())
    }

    /// Levels of all groups, bit/s: the share of each of its flows. A group without any has the level that the first one would have with
    /// a demand without limit.
    pub fn levels(&self, asks: &[Vec<Ask>]) -> Result<Vec<Vec<u64>>, String> {
        let shares = |asks: &[Vec<Ask>]| self.graph(asks).map(|graph| exact::solve(&graph));
        let of_all = shares(asks)?;
        let mut at = 0;
        let mut levels = Vec::new();
        for (nic, own_asks) in asks.iter().enumerate() {
            let mut own = Vec::new();
            for (group, ask) in own_asks.iter().enumerate() {
                own.push(match ask.flows {
                    0 => {
                        let mut one_more = asks.to_vec();
                        one_more[nic][group] = Ask {
                            flows: 1,
                            demand: INFINITE,
                        };
                        shares(&one_more)?[at]
                    }
                    _ => of_all[at],
                });
                at += ask.flows as usize;
            }
            levels.push(own);
        }
        Ok(levels)
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
        let config = AgentConfig::parse(TWO, "agent.toml").expect("a valid file");
        let ask = |&(flows, demand): &(u32, u64)| Ask { flows, demand };
        let asks = |groups: &[(u32, u64)]| groups.iter().map(ask).collect::<Vec<_>>();
        let solved = |all: [Vec<Ask>; 2]| config.levels(&all).expect("a valid graph");
        let endless = |flows: &u32| Ask {
            flows: *flows,
            demand: INFINITE,
        };
        let levels = |active: [Vec<u32>; 2]| solved(active.map(|groups| groups.iter().map(endless).collect()));
        assert_eq!(
            levels([vec![1, 2], vec![3]]),
            [vec![2_250_000_000, 500_000_000], vec![2_250_000_000]]
        );
        // who is idle has what a first flow would get
        assert_eq!(
            levels([vec![0, 0], vec![1]]),
            [vec![5_000_000_000, 1_000_000_000], vec![10_000_000_000]]
        );
        // what a group does not ask for goes to the others
        assert_eq!(
            solved([asks(&[(1, 400_000_000), (2, INFINITE)]), asks(&[(2, INFINITE)])]),
            [vec![400_000_000, 500_000_000], vec![4_300_000_000]]
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
            ("headroom_percent", "headroom", "agent.toml:2: unknown field `headroom`"),
            (
                "gbps = 10.0",
                "gbps = \"x\"",
                "agent.toml:5: bottleneck.gbps: invalid type",
            ),
            ("= 100.0", "= 0.0", "headroom_percent: expected 1 to 100, got 0"),
        ] {
            let text = TWO.replacen(from, to, 1);
            assert_ne!(text, TWO, "{from}");
            let error = AgentConfig::parse(&text, "agent.toml").expect_err(to);
            assert!(error.contains(why) && !error.contains('\n'), "{to}: {error}");
        }
    }
}
