//! An agent outside the simulator: it asks running NICs who has work, shares capacities max-min fairly, and writes their levels.
//!
//! Each group of a NIC crosses bottlenecks; its flows with work ask for all they can get, or for what they were seen to use. The exact
//! solver of [`hpcc_models::alloc`] gives every flow its share, which is the level of its group. Levels that fall are written before those
//! that rise, so that nobody overfills a bottleneck by hearing early.

mod config;
mod usage;

pub use config::{AgentConfig, Ask, Bottleneck, Demand, GroupPath, NicPlace};

use hpcc_models::alloc::INFINITE;
use hpcc_models::nic::GROUPS;
use serde_json::{json, Value};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};
use usage::Usage;

/// Longest wait for an answer: a NIC in RTL simulates each access to its registers.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time between two looks at what else may end a wait.
const GLANCE: Duration = Duration::from_millis(200);
/// A NIC that has not answered for so long is said to be waited for.
const SILENT: Duration = Duration::from_secs(2);

/// A connection to a NIC's control socket.
pub struct NicClient {
    stream: BufReader<UnixStream>,
}

impl NicClient {
    /// Connects.
    pub fn connect(socket: &Path) -> io::Result<Self> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(GLANCE))?;
        Ok(Self {
            stream: BufReader::new(stream),
        })
    }

    /// Asks and waits for the answer; one that is an error is one here too.
    pub fn ask(&mut self, request: &Value) -> io::Result<Value> {
        let asked = Instant::now();
        let answer = self.ask_while(request, || asked.elapsed() < PATIENCE)?;
        answer.ok_or_else(|| io::Error::other(format!("no answer within {} s", PATIENCE.as_secs())))
    }

    /// Asks and waits for the answer as long as `wait` says, which is called every [`GLANCE`] while nothing comes; `None` if it said no.
    fn ask_while(&mut self, request: &Value, mut wait: impl FnMut() -> bool) -> io::Result<Option<Value>> {
        self.stream.get_mut().write_all(format!("{request}\n").as_bytes())?;
        let mut line = Vec::new();
        loop {
            match self.stream.read_until(b'\n', &mut line) {
                Ok(_) => break,
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    if !wait() {
                        return Ok(None);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        if line.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let answer: Value = serde_json::from_slice(&line)?;
        match answer.get("error") {
            Some(error) => Err(io::Error::other(error.to_string())),
            None => Ok(Some(answer)),
        }
    }

    /// Flows with work, of each group.
    pub fn active(&mut self) -> io::Result<Vec<u64>> {
        groups(&self.ask(&json!({"get": "active"}))?, "active")
    }

    /// Bytes on the wire, of each group, and the NIC's clock, ns.
    pub fn sent(&mut self) -> io::Result<(Vec<u64>, u64)> {
        let answer = self.ask(&json!({"get": "sent"}))?;
        let now = answer.get("now_ns").and_then(Value::as_u64);
        let now = now.ok_or_else(|| io::Error::other("expected a number in `now_ns`"))?;
        Ok((groups(&answer, "sent")?, now))
    }
}

/// Sixteen numbers of an answer, one a group.
fn groups(answer: &Value, what: &str) -> io::Result<Vec<u64>> {
    let list = answer.get(what).and_then(Value::as_array);
    let numbers: Option<Vec<u64>> = list.and_then(|list| list.iter().map(Value::as_u64).collect());
    numbers
        .filter(|numbers| numbers.len() == GROUPS)
        .ok_or_else(|| io::Error::other(format!("expected {GROUPS} numbers in `{what}`")))
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
    usage: Vec<Vec<Usage>>,
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
        let usage = config.nic.iter().map(|nic| vec![Usage::default(); nic.group.len()]);
        Ok(Self {
            usage: usage.collect(),
            config,
            clients,
            written,
        })
    }

    /// Waits until every NIC has answered once, without limit: the socket of one that is still being built is there long before it
    /// answers. `tell` hears of each that keeps the agent waiting. `false` if `ended` came first.
    pub fn greet(&mut self, ended: impl Fn() -> bool, tell: impl Fn(&Path)) -> Result<bool, String> {
        for (client, place) in self.clients.iter_mut().zip(&self.config.nic) {
            let asked = Instant::now();
            let mut told = false;
            let answer = client.ask_while(&json!({"get": "active"}), || {
                if !told && asked.elapsed() >= SILENT {
                    told = true;
                    tell(&place.socket);
                }
                !ended()
            });
            if answer
                .map_err(|error| format!("{}: {error}", place.socket.display()))?
                .is_none()
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What the groups of a NIC ask for now.
    fn asks(&mut self, nic: usize) -> io::Result<Vec<Ask>> {
        let (place, client) = (&self.config.nic[nic], &mut self.clients[nic]);
        let active = client.active()?;
        let measured = place.group.iter().any(|group| group.demand == Demand::Sent);
        let (sent, now_ns) = if measured { client.sent()? } else { (vec![0; GROUPS], 0) };
        let asks = place.group.iter().enumerate().map(|(at, group)| {
            let flows = active[group.group] as u32;
            let level = self.written[nic][at];
            let demand = match group.demand {
                Demand::Active => INFINITE,
                Demand::Sent => self.usage[nic][at].demand(sent[group.group], now_ns, flows, level),
            };
            Ask { flows, demand }
        });
        Ok(asks.collect())
    }

    /// One cycle: who has work, what that means, what has changed. Levels that fall go first.
    pub fn cycle(&mut self) -> Result<Vec<Written>, String> {
        let mut asks = Vec::new();
        for nic in 0..self.clients.len() {
            let own = self.asks(nic);
            asks.push(own.map_err(|error| format!("{}: {error}", self.config.nic[nic].socket.display()))?);
        }
        let levels = self.config.levels(&asks)?;
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
                active: asks[nic][place].flows,
                level_bps,
            });
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;
    use std::sync::mpsc;

    fn agent_of(socket: &Path) -> Agent {
        let text = format!(
            "[[bottleneck]]\nname = \"core\"\ngbps = 1\n[[nic]]\nsocket = \"{}\"\ngroup = [{{ group = 0, path = [\"core\"] }}]\n",
            socket.display()
        );
        Agent::new(AgentConfig::parse(&text, "agent.toml").unwrap()).unwrap()
    }

    /// The socket of a NIC that is being built takes the question and answers when the NIC is there.
    #[test]
    fn a_nic_that_is_being_built_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("nic.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let mut agent = agent_of(&socket);
        let (built, until_built) = mpsc::channel();
        let nic = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            until_built.recv().unwrap();
            let answer = json!({ "active": vec![0; GROUPS] });
            stream.write_all(format!("{answer}\n").as_bytes()).unwrap();
            let mut question = String::new();
            BufReader::new(stream).read_line(&mut question).unwrap();
            question
        });
        let waited = agent.greet(
            || false,
            |waits| {
                assert_eq!(waits, socket);
                built.send(()).unwrap();
            },
        );
        assert_eq!(waited, Ok(true));
        assert_eq!(nic.join().unwrap(), "{\"get\":\"active\"}\n");
    }

    #[test]
    fn a_wait_for_a_nic_can_be_ended() {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("nic.sock");
        let _silent = UnixListener::bind(&socket).unwrap();
        assert_eq!(agent_of(&socket).greet(|| true, |_| ()), Ok(false));
    }
}
