//! The daemon: programs, NICs, what lies between the NICs, and the clock.
//!
//! One thread does everything in turns: it looks at doorbells, carries out requests, and moves the clock to the next event of a NIC or of the wire,
//! unless a program with virtual time runs.

use crate::capture::Capture;
use crate::client::Client;
use crate::clock::Idle;
use crate::nic::HostedNic;
use crate::samples::Samples;
use crate::space::Spaces;
use crate::wave::Wave;
use crate::wire::{Fabric, PathRule};
use hpcc_driver::shared::SLEEPING;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Turns without work before the daemon sleeps.
const IDLE_TURNS: u32 = 200;
/// Turns between two looks at the connections while there is work.
const LOOK_TURNS: u32 = 32;
/// Without work, and with a program in virtual time that runs, the daemon looks again after this time.
const HOLD: Duration = Duration::from_micros(20);

/// A daemon that ends with its last program waits so long for another.
const LINGER: Duration = Duration::from_secs(10);

/// The daemon.
pub struct Daemon {
    pub(crate) listener: OwnedFd,
    pub(crate) clients: BTreeMap<u64, Client>,
    pub(crate) next_client: u64,
    pub(crate) nics: Vec<HostedNic>,
    /// What lies between the NICs.
    pub(crate) fabric: Box<dyn Fabric>,
    /// How queue pairs reach their peers.
    pub(crate) path: PathRule,
    pub(crate) spaces: Spaces,
    pub(crate) rng: ChaCha8Rng,
    /// Clock of all NICs, ns.
    pub(crate) now: u64,
    /// Capture of the frames that leave NICs.
    pub(crate) capture: Capture,
    /// Table of what NICs send and what waits for them.
    pub(crate) samples: Samples,
    /// Waveform of the NICs' ports.
    pub(crate) wave: Wave,
    /// Since when the clock waits for a timer: real time and clock.
    pub(crate) pace: Option<(Instant, u64)>,
    stop: Arc<AtomicBool>,
    /// The daemon ends when it has had no program for a while.
    until_last: bool,
    last_program: Instant,
}

impl Daemon {
    /// A daemon of these NICs on a listening socket. It ends when `stop` is set, or with its last program.
    pub fn new(
        listener: OwnedFd,
        (nics, fabric, path): (Vec<HostedNic>, Box<dyn Fabric>, PathRule),
        spaces: Spaces,
        stop: Arc<AtomicBool>,
        until_last: bool,
    ) -> Self {
        Self {
            listener,
            clients: BTreeMap::new(),
            next_client: 1,
            fabric,
            path,
            nics,
            spaces,
            rng: ChaCha8Rng::from_os_rng(),
            now: 0,
            capture: Capture::default(),
            samples: Samples::default(),
            wave: Wave::default(),
            pace: None,
            stop,
            until_last,
            last_program: Instant::now(),
        }
    }

    /// Serves programs until the end.
    pub fn run(&mut self) {
        let (mut idle, mut turns) = (0u32, 0u32);
        while !self.stop.load(Ordering::Relaxed) {
            let mut busy = self.scan();
            turns = turns.wrapping_add(1);
            if turns.is_multiple_of(LOOK_TURNS) || idle > IDLE_TURNS {
                busy |= self.look(Some(Duration::ZERO));
            }
            let why = match self.advance() {
                None => {
                    busy = true;
                    Idle::Nothing
                }
                Some(why) => why,
            };
            if !self.clients.is_empty() {
                self.last_program = Instant::now();
            } else if self.until_last && self.last_program.elapsed() > LINGER {
                return;
            }
            if busy {
                idle = 0;
                continue;
            }
            idle = idle.saturating_add(1);
            match why {
                Idle::Held => {
                    self.look(Some(Duration::ZERO));
                    std::thread::sleep(HOLD);
                }
                _ if idle <= IDLE_TURNS => std::thread::yield_now(),
                Idle::Nothing => self.sleep(self.until_last.then_some(LINGER)),
                Idle::Timer(wait) => self.sleep(Some(wait)),
            }
        }
    }

    /// Sleeps until a program rings, asks or connects. The flags are raised first, then the doorbells are looked at once more.
    fn sleep(&mut self, wait: Option<Duration>) {
        self.raise(1);
        if !self.scan() {
            self.look(wait);
        }
        self.raise(0);
    }

    fn raise(&self, flag: u32) {
        for device in self.clients.values().filter_map(|client| client.device.as_ref()) {
            // Without the shared memory the program is gone, which its connection tells.
            let _ = device.program.shared.write(SLEEPING, &flag.to_le_bytes());
        }
    }
}
