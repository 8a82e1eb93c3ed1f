//! The daemon: programs, NICs, what lies between the NICs, and the clock.
//!
//! One thread does everything in turns: it looks at doorbells, carries out requests, and moves the clock to the next event of a NIC or of the wire,
//! unless a program with virtual time runs.

use crate::capture::Capture;
use crate::client::{Client, Device};
use crate::nic::HostedNic;
use crate::socket::{self, Received};
use crate::space::Spaces;
use crate::verbs;
use crate::wire::{Arrival, Fabric, PathRule};
use hpcc_driver::control::{errno, Reply, Request};
use hpcc_driver::shared::{CLOCK, SLEEPING};
use hpcc_models::nic::queues::{DoorbellKind, EventKind};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use std::collections::BTreeMap;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Turns without work before the daemon sleeps.
const IDLE_TURNS: u32 = 200;
/// Turns between two looks at the connections while there is work.
const LOOK_TURNS: u32 = 32;
/// Events of NICs and wire in one turn at most, when no program has virtual time.
const EVENTS: usize = 64;
/// An event later than this, with no frame on its way, is a timer of a NIC: the clock goes there no faster than real time, ns.
const TIMER_NS: u64 = 20_000;
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
    /// Since when the clock waits for a timer: real time and clock.
    pace: Option<(Instant, u64)>,
    stop: Arc<AtomicBool>,
    /// The daemon ends when it has had no program for a while.
    until_last: bool,
    last_program: Instant,
}

/// Why a turn did nothing.
enum Idle {
    /// Nothing is to be done until a program does something.
    Nothing,
    /// A program with virtual time runs.
    Held,
    /// A timer of a NIC is due after this time.
    Timer(Duration),
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

    /// Looks at doorbells and rings them at the NICs: completions taken first, then work, then arms. `true` if any was rung.
    fn scan(&mut self) -> bool {
        let ids: Vec<u64> = self.clients.keys().copied().collect();
        let rung = ids.into_iter().fold(false, |rung, id| self.scan_client(id) | rung);
        if rung {
            self.deliver_events();
        }
        rung
    }

    /// Looks at the doorbells of one program.
    pub(crate) fn scan_client(&mut self, id: u64) -> bool {
        let Some(device) = self.clients.get_mut(&id).and_then(|client| client.device.as_mut()) else {
            return false;
        };
        if device.slots.is_empty() {
            return false;
        }
        let words = device.words();
        let nic = &mut self.nics[device.nic];
        let (now, page) = (self.now, device.page);
        let mut rung = false;
        let Device { cqs, qps, seen, .. } = device;
        let mut ring = |number: u32, slot: u32, column: usize, kind: DoorbellKind| {
            let word = words.doorbells[slot as usize][column];
            let known = &mut seen[slot as usize][column];
            if word != *known {
                *known = word;
                let value = number << 16 | word & 0xffff;
                nic.nic.doorbell(now, page, kind.code().into(), value);
                rung = true;
            }
        };
        for (number, cq) in cqs.iter() {
            ring(*number, cq.slot, 0, DoorbellKind::CompletionConsumer);
        }
        for qp in qps.values() {
            ring(qp.place.into(), qp.slot, 1, DoorbellKind::ReceiveQueue);
            ring(qp.place.into(), qp.slot, 0, DoorbellKind::SendQueue);
        }
        for (number, cq) in cqs.iter() {
            ring(*number, cq.slot, 1, DoorbellKind::Arm);
            ring(*number, cq.slot, 2, DoorbellKind::ArmSolicited);
        }
        rung
    }

    /// Every program with virtual time waits.
    fn all_wait(&mut self) -> bool {
        let mut all = true;
        for client in self.clients.values_mut() {
            let Some(device) = &mut client.device else { continue };
            let words = device.gate.is_some().then(|| device.words());
            if let (Some(gate), Some(words)) = (&mut device.gate, words) {
                all &= gate.waits(&words, &device.program);
            }
        }
        all
    }

    fn has_virtual_time(&self) -> bool {
        let devices = self.clients.values().filter_map(|client| client.device.as_ref());
        devices.into_iter().any(|device| device.gate.is_some())
    }

    /// Moves the clock to what comes next and does it; otherwise says why not.
    fn advance(&mut self) -> Option<Idle> {
        let events = if self.has_virtual_time() { 1 } else { EVENTS };
        for i in 0..events {
            let idle = self.advance_once();
            if idle.is_some() {
                // What was done before counts.
                return idle.filter(|_| i == 0);
            }
        }
        None
    }

    fn advance_once(&mut self) -> Option<Idle> {
        let arrival = self.fabric.next_arrival();
        let deadline = self.nics.iter().filter_map(|nic| nic.nic.next_deadline()).min();
        let Some(next) = arrival.into_iter().chain(deadline).min() else {
            self.pace = None;
            return Some(Idle::Nothing);
        };
        if !self.all_wait() {
            return Some(Idle::Held);
        }
        // A program may ring while it is seen to wait: what it rang comes first.
        if self.has_virtual_time() && self.scan() {
            return None;
        }
        let is_timer = arrival.is_none() && next > self.now + TIMER_NS;
        if is_timer {
            let (since, then) = *self.pace.get_or_insert((Instant::now(), self.now));
            let wait = Duration::from_nanos(next - then).saturating_sub(since.elapsed());
            if !wait.is_zero() {
                return Some(Idle::Timer(wait));
            }
        }
        self.pace = None;
        self.now = self.now.max(next);
        self.step();
        None
    }

    /// Carries out what is due now.
    fn step(&mut self) {
        self.tell_clock();
        while let Some((to, arrival)) = self.fabric.receive(self.now) {
            match arrival {
                Arrival::Frame(frame) => self.nics[to].nic.receive(self.now, &frame),
                Arrival::Pause(priorities) => self.nics[to].nic.set_pause(priorities),
            }
        }
        for from in 0..self.nics.len() {
            for frame in self.nics[from].nic.poll(self.now) {
                self.nics[from].sent.count(self.now, &frame);
                self.capture.write(self.now, &frame);
                if let Some(to) = self.receiver(&frame) {
                    self.fabric.send(self.now, from, to, frame);
                }
            }
        }
        self.deliver_events();
    }

    /// The NIC that a frame is addressed to.
    fn receiver(&self, frame: &[u8]) -> Option<usize> {
        let to = frame.get(..6)?;
        (0..self.nics.len()).find(|nic| hpcc_driver::control::mac(*nic as u32) == to)
    }

    /// Programs see the clock before anything that happens now.
    fn tell_clock(&mut self) {
        let now = self.now;
        for device in self.clients.values_mut().filter_map(|client| client.device.as_mut()) {
            if device.clock != now {
                device.clock = now;
                // Without the shared memory the program is gone, which its connection tells.
                let _ = device.program.shared.write(CLOCK, &now.to_le_bytes());
            }
        }
    }

    /// Hands the NICs' events to the programs' pipes; a full pipe loses them.
    pub(crate) fn deliver_events(&mut self) {
        for number in 0..self.nics.len() {
            let events = self.nics[number].take_events(self.now, &mut self.spaces);
            for event in events {
                let of_cq = event.kind.of_completion_queue();
                let owner = match of_cq {
                    true => self.nics[number].cqs.owner(event.number),
                    false => self.nics[number]
                        .places
                        .owner(self.nics[number].sizes.place(event.number).into()),
                };
                let client = owner.and_then(|owner| self.clients.get(&owner));
                let Some(device) = client.and_then(|client| client.device.as_ref()) else {
                    continue;
                };
                if let Some(kind) = verbs::event_type(event.kind) {
                    let mut record = [0; hpcc_driver::control::EVENT];
                    record[..4].copy_from_slice(&event.number.to_le_bytes());
                    record[4..].copy_from_slice(&kind.to_le_bytes());
                    let _ = rustix::io::write(&device.events, &record);
                    device.program.woken.set(true);
                } else if event.kind == EventKind::Completion {
                    let channel = device.cqs.get(&event.number).and_then(|cq| cq.channel);
                    if let Some(pipe) = channel.and_then(|channel| device.channels.get(&channel)) {
                        let _ = rustix::io::write(pipe, &u64::from(event.number).to_le_bytes());
                        device.program.woken.set(true);
                    }
                }
            }
        }
    }

    /// Looks at connections for as long as `wait`, without end if `None`: `true` if anything came.
    fn look(&mut self, wait: Option<Duration>) -> bool {
        let timeout = wait.map(|wait| Timespec {
            tv_sec: wait.as_secs() as i64,
            tv_nsec: wait.subsec_nanos().into(),
        });
        let ids: Vec<u64> = self.clients.keys().copied().collect();
        let mut fds = vec![PollFd::new(&self.listener, PollFlags::IN)];
        for client in self.clients.values() {
            fds.push(PollFd::new(&client.socket, PollFlags::IN));
            let wake = client
                .device
                .as_ref()
                .map_or(client.socket.as_fd(), |device| device.wake.as_fd());
            fds.push(PollFd::from_borrowed_fd(wake, PollFlags::IN));
        }
        // A signal ends the wait too.
        let ready = poll(&mut fds, timeout.as_ref()).unwrap_or(0);
        if ready == 0 {
            return false;
        }
        let has = |fd: &PollFd| !fd.revents().is_empty();
        let new = has(&fds[0]);
        let which: Vec<[bool; 2]> = fds[1..].chunks(2).map(|pair| [has(&pair[0]), has(&pair[1])]).collect();
        for (id, [asked, rang]) in ids.into_iter().zip(which) {
            if let Some(device) = self
                .clients
                .get(&id)
                .and_then(|client| client.device.as_ref())
                .filter(|_| rang)
            {
                let _ = rustix::io::read(&device.wake, &mut [0; 8]);
            }
            if asked {
                self.serve(id);
            }
        }
        if new {
            if let Some(socket) = socket::accept(&self.listener) {
                self.clients.insert(self.next_client, Client { socket, device: None });
                self.next_client += 1;
            }
        }
        true
    }

    /// Carries out the next request of a program. What is no request ends the connection, and so does its end.
    fn serve(&mut self, id: u64) {
        let Some(client) = self.clients.get(&id) else { return };
        let request = match socket::receive(&client.socket) {
            Received::Nothing => return,
            Received::Closed => return self.drop_client(id),
            Received::Malformed => Err(errno::EINVAL),
            Received::Message(bytes) => Request::decode(&bytes).ok_or(errno::ENOSYS),
        };
        // What the program rang before it asked is done first.
        self.scan_client(id);
        let answer = request.and_then(|request| self.carry_out(id, request));
        self.deliver_events();
        let Some(client) = self.clients.get(&id) else { return };
        let taken = match answer {
            Ok((reply, descriptors)) => {
                let descriptors: Vec<_> = descriptors.iter().map(AsFd::as_fd).collect();
                socket::reply(&client.socket, &reply, &descriptors)
            }
            Err(error) => socket::reply(&client.socket, &Reply::error(error), &[]),
        };
        if !taken {
            self.drop_client(id);
        }
    }
}
