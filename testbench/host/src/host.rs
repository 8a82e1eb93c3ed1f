//! The daemon as a command starts it.

use crate::capture::Capture;
use crate::daemon::Daemon;
use crate::nic::{HostNic, HostedNic, Traffic};
use crate::samples::Samples;
use crate::socket;
use crate::space::Spaces;
use crate::wave::Wave;
use crate::wire::{Fabric, PathRule, Wire};
use hpcc_driver::control::{ip, mac, name, NICS};
use hpcc_models::nic::queues::QueueSizes;
use hpcc_models::nic::{Nic, NicConfig};
use hpcc_models::wire::MacAddr;
use std::fmt::Write;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use thiserror::Error;

/// What the daemon is to be.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// Path of the socket.
    pub socket: PathBuf,
    /// NICs.
    pub nics: u32,
    /// Programs of other users may connect.
    pub everybody: bool,
    /// The daemon ends with its last program.
    pub until_last: bool,
    /// File for the frames that leave NICs, as a capture.
    pub pcap: Option<PathBuf>,
    /// File for a table of what NICs send and what waits for them, and its interval, ns.
    pub samples: Option<(PathBuf, u64)>,
    /// File for a waveform of the NICs' ports.
    pub vcd: Option<PathBuf>,
}

/// Why there is no daemon.
#[derive(Debug, Error)]
pub enum HostError {
    /// Number of NICs.
    #[error("{0} NICs: expected 1 to {NICS}")]
    Nics(u32),
    /// The network.
    #[error("{0}")]
    Network(String),
    /// The capture, the table or the waveform.
    #[error("{}: {error}", path.display())]
    File {
        /// Its file.
        path: PathBuf,
        /// What went wrong.
        error: std::io::Error,
    },
    /// The socket.
    #[error("{}: {error}", path.display())]
    Socket {
        /// Its path.
        path: PathBuf,
        /// What went wrong.
        error: std::io::Error,
    },
}

/// A daemon that listens.
pub struct Host {
    daemon: Daemon,
    socket: PathBuf,
}

/// NICs and what lies between them.
pub struct Network {
    /// NICs by number.
    pub nics: Vec<Box<dyn HostNic>>,
    /// What lies between them.
    pub fabric: Box<dyn Fabric>,
    /// How queue pairs reach their peers.
    pub path: PathRule,
}

/// Registers of the NIC of this number among so many: its addresses, and those of all.
pub fn registers(nic: u32, nics: u32, config: NicConfig) -> NicConfig {
    let address = |nic| Ipv4Addr::from(ip(nic));
    NicConfig {
        mac: MacAddr(mac(nic)),
        ip: address(nic),
        neighbours: (0..nics).map(|nic| (address(nic), MacAddr(mac(nic)))).collect(),
        ..config
    }
}

impl Network {
    /// Behavioural NICs on a wire.
    pub fn wire(nics: u32, spaces: &Spaces) -> Self {
        let new = |nic| -> Box<dyn HostNic> {
            Box::new(Nic::new(
                registers(nic, nics, NicConfig::default()),
                spaces.clone(),
                None,
            ))
        };
        Self {
            nics: (0..nics).map(new).collect(),
            fabric: Box::new(Wire::new(nics as usize)),
            path: PathRule::default(),
        }
    }
}

/// A file that cannot be made.
fn file(path: &Path) -> impl FnOnce(std::io::Error) -> HostError + '_ {
    |error| HostError::File {
        path: path.to_path_buf(),
        error,
    }
}

impl Host {
    /// NICs on a wire; opens the socket. The daemon serves programs in [`Self::run`] until `stop` is set.
    pub fn new(options: &HostOptions, stop: Arc<AtomicBool>) -> Result<Self, HostError> {
        Self::with_network(options, stop, |spaces| Ok(Network::wire(options.nics, spaces)))
    }

    /// The same on other NICs; `make` gets the memory that they share.
    pub fn with_network(
        options: &HostOptions,
        stop: Arc<AtomicBool>,
        make: impl FnOnce(&Spaces) -> Result<Network, String>,
    ) -> Result<Self, HostError> {
        if options.nics == 0 || options.nics > NICS {
            return Err(HostError::Nics(options.nics));
        }
        let spaces = Spaces::default();
        let network = make(&spaces).map_err(HostError::Network)?;
        let capture = match &options.pcap {
            Some(path) => Capture::create(path).map_err(file(path))?,
            None => Capture::default(),
        };
        let names: Vec<String> = (0..options.nics).map(name).collect();
        let samples = match &options.samples {
            Some((path, interval)) => Samples::create(path, *interval, &names).map_err(file(path))?,
            None => Samples::default(),
        };
        let rates: Vec<u64> = (0..network.nics.len())
            .map(|nic| network.fabric.rate_bps(nic))
            .collect();
        let wave = match &options.vcd {
            Some(path) => Wave::create(path, &names, &rates).map_err(file(path))?,
            None => Wave::default(),
        };
        let path = options.socket.clone();
        let listener = socket::open(&path, options.everybody).map_err(|error| HostError::Socket { path, error })?;
        let hosted = |(number, nic)| HostedNic::new(nic, QueueSizes::default(), number);
        let nics = network.nics.into_iter().enumerate().map(hosted).collect();
        let parts = (nics, network.fabric, network.path);
        let mut daemon = Daemon::new(listener, parts, spaces, stop, options.until_last);
        (daemon.capture, daemon.samples, daemon.wave) = (capture, samples, wave);
        Ok(Self {
            daemon,
            socket: options.socket.clone(),
        })
    }

    /// Serves programs until the end; what the NICs have done then.
    pub fn run(mut self) -> String {
        self.daemon.run();
        let _ = std::fs::remove_file(&self.socket);
        let mut report = String::new();
        if let Some(error) = self.daemon.capture.end() {
            let _ = writeln!(report, "capture not complete: {error}");
        }
        self.daemon.sample();
        if let Some(error) = self.daemon.samples.end() {
            let _ = writeln!(report, "table not complete: {error}");
        }
        if let Some(error) = self.daemon.wave.end() {
            let _ = writeln!(report, "waveform not complete: {error}");
        }
        for (number, nic) in self.daemon.nics.iter().enumerate() {
            let Traffic {
                messages,
                frames,
                bytes,
                ..
            } = nic.sent;
            let (name, gbps, law) = (name(number as u32), nic.sent.gbps(), self.daemon.path.law_name());
            let queue = self.daemon.fabric.queue(number);
            let (max, mean) = (queue.max(), queue.mean());
            let _ = writeln!(
                report,
                "{name}: {messages} messages in {frames} frames, {bytes} bytes on the wire, {gbps:.2} Gb/s while it sent; law {law}; \
                 queue to it {max} bytes at most, {mean:.0} in the mean"
            );
        }
        let together = Traffic::together(self.daemon.nics.iter().map(|nic| &nic.sent));
        let _ = writeln!(
            report,
            "together: {} messages in {} frames, {} bytes on the wire, {:.2} Gb/s for {} ns",
            together.messages,
            together.frames,
            together.bytes,
            together.gbps(),
            together.duration_ns()
        );
        report += &self.daemon.fabric.report();
        let _ = writeln!(report, "clock: {} ns", self.daemon.now);
        report
    }
}
