//! A program that sends nonsense to the daemon and scribbles over the memory that it shares with it. Others do not notice.

use crate::bench::{is_long, is_missing, Bench};
use hpcc_driver::control::{gid, QpAttributes, Reply, Request, MESSAGE};
use hpcc_driver::shared::{DOORBELLS, HEAP, SIZE};
use rand::seq::IndexedRandom;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustix::net::{
    connect, recvmsg, send, socket, AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags,
    SocketAddrUnix, SocketType,
};
use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Memory of this process that the daemon may read.
static PROBE: [u8; 8] = [0; 8];

/// Opens a NIC.
fn open() -> Request {
    Request::Open {
        nic: 0,
        helper: 0,
        virtual_time: 0,
        probe: PROBE.as_ptr() as u64,
    }
}

/// The attacker's connection and the shared memory's file.
struct Attacker {
    socket: OwnedFd,
    shared: Option<std::fs::File>,
}

impl Attacker {
    fn new(path: &Path) -> Self {
        let socket = socket(AddressFamily::UNIX, SocketType::SEQPACKET, None).unwrap();
        connect(&socket, &SocketAddrUnix::new(path).unwrap()).unwrap();
        Self { socket, shared: None }
    }

    /// Sends a message and takes the reply; none if the daemon closed the connection.
    fn say(&mut self, message: &[u8]) -> Option<Reply> {
        send(&self.socket, message, SendFlags::NOSIGNAL).ok()?;
        let mut bytes = [0; MESSAGE];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let got = recvmsg(
            &self.socket,
            &mut [IoSliceMut::new(&mut bytes)],
            &mut control,
            RecvFlags::empty(),
        )
        .ok()?;
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(mut descriptors) = message {
                let first = descriptors.next();
                self.shared = self.shared.take().or(first.map(std::fs::File::from));
            }
        }
        (got.bytes == MESSAGE).then(|| Reply::decode(&bytes))
    }

    fn ask(&mut self, request: Request) -> Option<Reply> {
        self.say(&request.encode())
    }

    /// A queue pair that is ready to send, made as programs make it.
    fn set_up(&mut self, peer: u32) -> Option<()> {
        let pd = self.ask(Request::AllocPd {})?.number;
        let cq = self
            .ask(Request::CreateCq {
                channel: 0,
                entries: 16,
                ring: HEAP,
            })?
            .number;
        let qp = Request::CreateQp {
            pd,
            send_cq: cq,
            receive_cq: cq,
            sends: 16,
            receives: 16,
            inline_bytes: 64,
            send: HEAP + 4096,
            receive: HEAP + 8192,
            inline: HEAP + 12288,
        };
        let made = self.ask(qp)?;
        assert_eq!(made.error, 0, "a good request is granted");
        const TO_INIT: u32 = 1 | 1 << 3 | 1 << 4 | 1 << 5;
        const TO_RTR: u32 = 1 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 15 | 1 << 17 | 1 << 20;
        const TO_RTS: u32 = 1 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 13 | 1 << 16;
        for (state, mask) in [(1, TO_INIT), (2, TO_RTR), (3, TO_RTS)] {
            let attributes = QpAttributes {
                mask,
                state,
                access: 15,
                path_mtu: 3,
                dest_qp: peer,
                dgid: gid(1),
                max_rd_atomic: 4,
                max_dest_rd_atomic: 4,
                min_rnr_timer: 1,
                timeout: 1,
                ..QpAttributes::default()
            };
            assert_eq!(
                self.ask(Request::ModifyQp {
                    qp: made.number,
                    attributes
                })?
                .error,
                0
            );
        }
        Some(())
    }
}

/// A message: of a request that exists with numbers that are often near good ones, or of bytes that mean nothing.
fn nonsense(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = vec![0; MESSAGE];
    match rng.random_range(0..20) {
        0 => rng.fill_bytes(&mut bytes),
        1 => bytes.truncate(rng.random_range(1..MESSAGE)),
        2 => bytes.resize(MESSAGE + rng.random_range(1..100), 7),
        _ => {
            let good = [
                0,
                1,
                2,
                3,
                5,
                16,
                64,
                4096,
                HEAP as u32,
                HEAP as u32 + 4096,
                SIZE as u32,
                u32::MAX,
            ];
            for word in bytes.chunks_mut(4).take(24) {
                let any = rng.random();
                let value = if rng.random_ratio(1, 8) {
                    any
                } else {
                    *good.choose(rng).unwrap_or(&0)
                };
                word.copy_from_slice(&value.to_le_bytes());
            }
            bytes[..4].copy_from_slice(&rng.random_range(1u32..16).to_le_bytes());
        }
    }
    bytes
}

/// Bytes over doorbell words, rings, or anywhere.
fn scribble(rng: &mut ChaCha8Rng, file: &std::fs::File) {
    let at = match rng.random_range(0..8) {
        0 => rng.random_range(0..DOORBELLS),
        1..4 => DOORBELLS + rng.random_range(0..64),
        4..7 => HEAP + rng.random_range(0..5 * 4096),
        _ => rng.random_range(0..SIZE - 64),
    };
    let mut bytes = vec![0; rng.random_range(1..64)];
    rng.fill_bytes(&mut bytes);
    // Opcodes that exist, so that entries get further.
    if rng.random() {
        bytes.fill(rng.random_range(0..16));
    }
    let _ = file.write_at(&bytes, at);
}

#[test]
fn random_requests_and_scribbles_hurt_nobody_else() {
    let total: u32 = if is_long() { 1_000_000 } else { 20_000 };
    let seed = std::env::var("HPCC_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(61);
    println!("seed {seed}");
    let bench = Bench::new();
    let runs = !is_missing("the innocent bystander", &["ibv_rc_pingpong"]);
    let (said, scribbled, met) = std::thread::scope(|scope| {
        let socket = &bench.socket;
        let attacker = scope.spawn(move || attack(socket, seed, total));
        let mut met = 0;
        while runs && !attacker.is_finished() {
            let both = bench.pair("ibv_rc_pingpong -g 0 -c -n 300");
            assert!(both.iter().all(|text| !text.contains("invalid data")), "{both:?}");
            met += 1;
        }
        let (said, scribbled) = attacker.join().expect("the daemon takes attackers");
        (said, scribbled, met)
    });
    println!("{said} messages, {scribbled} scribbles, {met} pairs of programs beside them");
    assert!(said >= total && scribbled >= total * 9 / 10, "{said} {scribbled}");
    assert!(!runs || met > 0);
    let mut last = Attacker::new(&bench.socket);
    assert_eq!(
        last.ask(Request::List {}).map(|reply| (reply.error, reply.number)),
        Some((0, 2))
    );
}

/// Attackers one after the other until `total` messages have been said; messages and scribbles.
fn attack(socket: &Path, seed: u64, total: u32) -> (u32, u32) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut said, mut scribbled) = (0, 0);
    while said < total {
        let mut attacker = Attacker::new(socket);
        assert_eq!(attacker.ask(open()).map(|reply| reply.error), Some(0));
        if rng.random() {
            let peer = rng.random_range(0..0x4000);
            attacker.set_up(peer).expect("good requests are granted");
        }
        for _ in 0..rng.random_range(1..400) {
            said += 1;
            if attacker.say(&nonsense(&mut rng)).is_none() {
                break;
            }
            if let Some(file) = &attacker.shared {
                scribble(&mut rng, file);
                scribbled += 1;
            }
        }
    }
    (said, scribbled)
}

/// A program gets half of every table at most, and what it had is free when it is gone.
#[test]
fn greed_ends_at_half_and_a_program_that_goes_gives_all_back() {
    let bench = Bench::new();
    let most = [(); 2].map(|()| {
        let mut greedy = Attacker::new(&bench.socket);
        assert_eq!(greedy.ask(open()).map(|reply| reply.error), Some(0));
        let granted = |reply: Option<Reply>| reply.is_some_and(|reply| reply.error == 0);
        (0..100_000)
            .take_while(|_| granted(greedy.ask(Request::AllocPd {})))
            .count()
    });
    assert_eq!(most, [65_535 / 2; 2]);
}
