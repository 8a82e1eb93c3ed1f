//! `agent`: shares capacities among running NICs.

use crate::nic::agent::{Agent, AgentConfig};
use hpcc_sim::cli::{say, Failure};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Share capacities max-min fairly among running NICs (`serve --control`)
///
/// In every cycle the agent reads how many flows of each group have work and writes the levels that changed; each is printed as a
/// line of JSON. Levels stay as they are when it ends.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Capacities, NICs and what their groups cross (TOML)
    #[arg(long, value_name = "AGENT.toml")]
    config: PathBuf,
    /// End after this wall time, counted from when every NIC has answered
    #[arg(long, value_name = "S", value_parser = super::serve::seconds)]
    seconds: Option<Duration>,
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        let named = |error: String| Failure::Input(format!("{}: {error}", self.config.display()));
        let text = std::fs::read_to_string(&self.config).map_err(|error| named(error.to_string()))?;
        let config = AgentConfig::parse(&text, &self.config.display().to_string()).map_err(Failure::Input)?;
        let cycle = Duration::from_secs_f64(config.cycle_ms / 1e3);
        let sockets: Vec<_> = config.nic.iter().map(|nic| nic.socket.clone()).collect();
        let mut agent = Agent::new(config).map_err(Failure::Input)?;
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::flag::register(signal, stop.clone()).map_err(Failure::input)?;
        }
        let stopped = || stop.load(Ordering::Relaxed);
        let waits = |socket: &Path| {
            eprintln!(
                "waiting for {}: its NIC has not answered yet, perhaps it is being built",
                socket.display()
            );
        };
        let (mut cycles, mut writes) = (0u64, 0u64);
        let greeted = agent.greet(stopped, waits).map_err(Failure::Input)?;
        let started = Instant::now();
        let ended = || !greeted || stopped() || self.seconds.is_some_and(|after| started.elapsed() >= after);
        while !ended() {
            let begin = Instant::now();
            for written in agent.cycle().map_err(Failure::Input)? {
                writes += 1;
                let line = json!({
                    "t_ms": started.elapsed().as_millis() as u64,
                    "nic": sockets[written.nic].display().to_string(),
                    "group": written.group,
                    "active": written.active,
                    "level_bps": written.level_bps,
                });
                let mut out = std::io::stdout().lock();
                let _ = writeln!(out, "{line}").and_then(|()| out.flush());
            }
            cycles += 1;
            std::thread::sleep(cycle.saturating_sub(begin.elapsed()));
        }
        say(&format!("{cycles} cycles, {writes} levels written\n"))
    }
}
