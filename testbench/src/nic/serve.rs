//! One NIC with a live wire: each UDP datagram is one Ethernet frame without FCS, as virtual machines' socket network devices
//! exchange them. Simulated time never runs ahead of wall time.

use super::arp;
use super::control::ControlSocket;
use super::device::{Device, DeviceError};
use crate::config::NicSetup;
use hpcc_models::nic::Completion;
use hpcc_models::wire::TimedFrame;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Simulated time between two looks at the socket, ns.
const SLICE_NS: u64 = 20_000;
/// Longest sleep, so that a signal is heeded soon.
const LONGEST_WAIT: Duration = Duration::from_millis(20);
/// Longest sleep while an agent may ask.
const LONGEST_UNDER_CONTROL: Duration = Duration::from_millis(1);
/// Waits shorter than this are spent awake: the system's timers are coarser.
const SHORTEST_WAIT: Duration = Duration::from_micros(500);
/// A NIC that simulates slower than time passes falls behind for good beyond this, ns: it must not make up for it in a rush that
/// no peer can follow.
const MOST_BEHIND_NS: u64 = 100_000;
/// Datagrams taken in one go at most: more than the receive buffer holds, so that a turn empties it; a flood cannot stop the clock.
const BURST: usize = 65_536;
/// Receive buffer asked for, bytes: ten milliseconds of 100 Gb/s come to more, but the system grants what its limit allows.
const RECEIVE_BUFFER: usize = 64 << 20;
/// Longest datagram.
const MAX_DATAGRAM: usize = 65_535;

/// When to end, a signal apart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct End {
    /// After this wall time.
    pub after: Option<Duration>,
    /// When every work request has completed and nothing has come or gone for this long.
    pub quiet: Option<Duration>,
}

/// What happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Served {
    /// Completions; `t_ns` counts from the start.
    pub completions: Vec<Completion>,
    /// Frames received and sent, with wall times, if wanted.
    pub frames: Vec<TimedFrame>,
    /// Datagrams received.
    pub received: u64,
    /// Datagrams sent.
    pub sent: u64,
    /// Datagrams that the system lost because the receive buffer was full; `None` where it does not say.
    pub lost: Option<u64>,
    /// Datagrams that the system refused to send.
    pub refused: u64,
    /// ARP requests answered.
    pub arp: u64,
    /// Simulated time, ns.
    pub simulated_ns: u64,
    /// Wall time.
    pub wall: Duration,
}

/// Nothing has come: no datagram yet, a signal, or a peer that does not listen yet.
fn nothing_came(error: &io::Error) -> bool {
    use ErrorKind::{ConnectionRefused, Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted | ConnectionRefused)
}

/// The live wire.
pub struct Wire {
    socket: UdpSocket,
    peer: SocketAddr,
    buffer: Vec<u8>,
}

impl Wire {
    /// Listens at an address and sends to another one.
    pub fn new(listen: SocketAddr, peer: SocketAddr) -> io::Result<Self> {
        let socket = UdpSocket::bind(listen)?;
        socket.set_nonblocking(true)?;
        // Best effort: beyond the system's limit it grants the limit, and what is lost all the same is counted.
        let _ = rustix::net::sockopt::set_socket_recv_buffer_size(&socket, RECEIVE_BUFFER);
        Ok(Self {
            socket,
            peer,
            buffer: vec![0; MAX_DATAGRAM],
        })
    }

    /// Where it listens.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Bytes of the receive buffer that the system granted; half of them are for its own book-keeping.
    pub fn receive_buffer(&self) -> Option<usize> {
        rustix::net::sockopt::socket_recv_buffer_size(&self.socket).ok()
    }

    /// Datagrams lost so far because the receive buffer was full: the last column of the socket's line in `/proc/net/udp`.
    pub fn lost(&self) -> Option<u64> {
        let link = std::fs::read_link(format!("/proc/self/fd/{}", self.socket.as_raw_fd())).ok()?;
        let inode = link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_string();
        ["/proc/net/udp", "/proc/net/udp6"].iter().find_map(|table| {
            let text = std::fs::read_to_string(table).ok()?;
            text.lines().skip(1).find_map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                (words.get(9) == Some(&inode.as_str())).then(|| words.last()?.parse().ok())?
            })
        })
    }

    /// The next frame that has come; what others than the peer's host send is no frame.
    fn receive(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            match self.socket.recv_from(&mut self.buffer) {
                Ok((len, from)) if from.ip() == self.peer.ip() => return Ok(Some(&self.buffer[..len])),
                Ok(_) => {}
                Err(error) if nothing_came(&error) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    /// Sleeps until a datagram comes, `wait` at most.
    fn await_frame(&self, wait: Duration) -> io::Result<()> {
        self.socket.set_nonblocking(false)?;
        self.socket.set_read_timeout(Some(wait))?;
        let woken = match self.socket.peek_from(&mut [0]) {
            Err(error) if !nothing_came(&error) => Err(error),
            _ => Ok(()),
        };
        self.socket.set_nonblocking(true)?;
        woken
    }

    fn send(&self, frame: &[u8]) -> bool {
        self.socket.send_to(frame, self.peer).is_ok()
    }
}

/// Why serving ended early.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The NIC failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The socket failed.
    #[error("socket: {0}")]
    Socket(#[from] io::Error),
}

/// Where the NIC meets the world.
pub struct Ports<'a> {
    /// Frames.
    pub wire: &'a mut Wire,
    /// Its control socket, if it has one.
    pub control: Option<&'a mut ControlSocket>,
}

struct Serving<'a, D> {
    device: &'a mut D,
    setup: &'a NicSetup,
    wire: &'a mut Wire,
    control: Option<&'a mut ControlSocket>,
    started: Instant,
    base: u64,
    /// Wall time that the NIC's clock has stood still or fallen behind, ns.
    lag: u64,
    posted: usize,
    active: Instant,
    keep_frames: bool,
    result: Served,
}

/// Serves until `stop` is set or `end` says so; `tell` hears each completion at once.
pub fn run<D: Device>(
    device: &mut D,
    setup: &NicSetup,
    ports: Ports,
    end: End,
    keep_frames: bool,
    stop: &AtomicBool,
    mut tell: impl FnMut(&Completion),
) -> Result<Served, ServeError> {
    let (base, started) = (device.now_ns(), Instant::now());
    let mut serving = Serving {
        device,
        setup,
        wire: ports.wire,
        control: ports.control,
        started,
        base,
        lag: 0,
        posted: 0,
        active: started,
        keep_frames,
        result: Served::default(),
    };
    while !stop.load(Ordering::Relaxed) && !serving.ended(end) {
        let told = serving.result.completions.len();
        serving.turn()?;
        serving.result.completions[told..].iter().for_each(&mut tell);
    }
    serving.result.simulated_ns = serving.device.now_ns() - base;
    serving.result.wall = started.elapsed();
    serving.result.lost = serving.wire.lost();
    Ok(serving.result)
}

impl<D: Device> Serving<'_, D> {
    /// Wall time since the start, ns.
    fn wall_ns(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    fn ended(&self, end: End) -> bool {
        let done = self.result.completions.len() >= self.setup.completions();
        let quiet = end.quiet.is_some_and(|quiet| done && self.active.elapsed() >= quiet);
        quiet || end.after.is_some_and(|after| self.started.elapsed() >= after)
    }

    /// The NIC's time that wall time allows.
    fn ceiling(&self) -> u64 {
        self.base + self.wall_ns() - self.lag
    }

    /// Brings the NIC's clock to the present if nothing is due before it. While it waits for nothing, it stands still.
    fn wake(&mut self) -> Result<(), DeviceError> {
        let ceiling = self.ceiling();
        match self.device.next_ns() {
            None => self.lag += ceiling.saturating_sub(self.device.now_ns()),
            Some(next) if next > ceiling => self.device.advance(ceiling)?,
            Some(_) => {}
        }
        Ok(())
    }

    /// Takes what has come, lets the NIC catch up by a slice, sends what it sent; sleeps if there is nothing to do.
    fn turn(&mut self) -> Result<(), ServeError> {
        self.wake()?;
        if let Some(control) = &mut self.control {
            control.serve(self.device);
        }
        for _ in 0..BURST {
            if !self.take()? {
                break;
            }
        }
        self.post();
        let (ceiling, now) = (self.ceiling(), self.device.now_ns());
        if let Some(next) = self.device.next_ns().filter(|next| *next <= ceiling) {
            self.device.advance(ceiling.min(next.max(now) + SLICE_NS))?;
            self.collect();
            let behind = self.ceiling().saturating_sub(self.device.now_ns());
            self.lag += behind.saturating_sub(MOST_BEHIND_NS);
            return Ok(());
        }
        let work = self.setup.work.get(self.posted);
        let until_work = work.map(|work| work.at_ns.saturating_sub(self.wall_ns()));
        let until_next = self.device.next_ns().map(|next| next.saturating_sub(ceiling));
        let wait = until_next.into_iter().chain(until_work).min();
        let wait = wait.map_or(LONGEST_WAIT, Duration::from_nanos);
        if wait >= SHORTEST_WAIT {
            let longest = match self.control {
                Some(_) => LONGEST_UNDER_CONTROL,
                None => LONGEST_WAIT,
            };
            self.wire.await_frame(wait.min(longest))?;
        }
        Ok(())
    }

    /// Takes one datagram; `false` if none has come.
    fn take(&mut self) -> Result<bool, ServeError> {
        let Some(frame) = self.wire.receive()?.map(<[u8]>::to_vec) else {
            return Ok(false);
        };
        self.result.received += 1;
        self.keep(&frame);
        if arp::is_arp(&frame) {
            if let Some(reply) = arp::answer(&frame, self.setup.nic.mac, self.setup.nic.ip) {
                self.result.arp += 1;
                self.send(reply);
            }
            return Ok(true);
        }
        self.active = Instant::now();
        self.device.offer(self.device.now_ns(), frame);
        Ok(true)
    }

    fn post(&mut self) {
        let wall = self.wall_ns();
        while let Some(work) = self.setup.work.get(self.posted).filter(|work| work.at_ns <= wall) {
            self.device.post(work.work);
            self.posted += 1;
        }
    }

    fn collect(&mut self) {
        for frame in self.device.take_sent() {
            self.active = Instant::now();
            self.keep(&frame.bytes);
            self.send(frame.bytes);
        }
        for mut completion in self.device.take_completions() {
            completion.t_ns = completion.t_ns - self.base + self.lag;
            self.result.completions.push(completion);
        }
    }

    fn keep(&mut self, frame: &[u8]) {
        if self.keep_frames {
            self.result.frames.push(TimedFrame {
                t_ns: self.wall_ns(),
                bytes: frame.to_vec(),
            });
        }
    }

    fn send(&mut self, frame: Vec<u8>) {
        match self.wire.send(&frame) {
            true => self.result.sent += 1,
            false => self.result.refused += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nic::link_config::LinkSpec;
    use crate::nic::ModelNic;

    /// A socket that nobody empties: what came in and what the system lost are all that was sent.
    #[test]
    fn what_the_system_loses_is_counted() {
        let any = || "127.0.0.1:0".parse().unwrap();
        let mut wire = Wire::new(any(), any()).unwrap();
        rustix::net::sockopt::set_socket_recv_buffer_size(&wire.socket, 4096).unwrap();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = wire.local_addr().unwrap();
        for _ in 0..500 {
            sender.send_to(&[0; 1000], address).unwrap();
        }
        let mut received = 0;
        while wire.receive().unwrap().is_some() {
            received += 1;
        }
        assert!((1..500).contains(&received), "{received}");
        assert_eq!(wire.lost(), Some(500 - received));
    }

    /// Linux grants what was asked for up to its limit, and takes as much again for its book-keeping.
    #[test]
    fn a_large_receive_buffer_is_asked_for() {
        let any = || "127.0.0.1:0".parse().unwrap();
        let limit = std::fs::read_to_string("/proc/sys/net/core/rmem_max").unwrap();
        let limit: usize = limit.trim().parse().unwrap();
        let granted = Wire::new(any(), any()).unwrap().receive_buffer();
        assert_eq!(granted, Some(2 * limit.min(RECEIVE_BUFFER)));
    }

    /// All that waits in the socket is taken before the NIC's clock goes on.
    #[test]
    fn a_turn_takes_all_that_has_come() {
        const WAITING: u64 = 100;
        let setup = LinkSpec::default().setup(1);
        let mut device = ModelNic::create(&setup).unwrap();
        let peer = UdpSocket::bind("127.0.0.1:0").unwrap();
        let mut wire = Wire::new("127.0.0.1:0".parse().unwrap(), peer.local_addr().unwrap()).unwrap();
        let address = wire.local_addr().unwrap();
        for _ in 0..WAITING {
            peer.send_to(&[0; 100], address).unwrap();
        }
        let started = Instant::now();
        let mut serving = Serving {
            base: device.now_ns(),
            device: &mut device,
            setup: &setup,
            wire: &mut wire,
            control: None,
            started,
            lag: 0,
            posted: 0,
            active: started,
            keep_frames: false,
            result: Served::default(),
        };
        serving.turn().unwrap();
        assert_eq!(serving.result.received, WAITING);
    }
}
