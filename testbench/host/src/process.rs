//! A program's memory, as the daemon reaches it.

use hpcc_driver::control::{HELPER_HEAD, HELPER_STEP};
use nix::sys::uio::{process_vm_readv, process_vm_writev, RemoteIoVec};
use nix::time::{clock_getcpuclockid, clock_gettime, ClockId};
use nix::unistd::Pid;
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::net::{recv, send, RecvFlags, SendFlags};
use rustix::process::{pidfd_open, PidfdFlags};
use std::cell::{Cell, RefCell};
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::OwnedFd;
use std::time::Duration;
use thiserror::Error;

/// The program has no such memory, is gone, or does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the program's memory cannot be reached")]
pub struct Unreachable;

/// How long a helper thread may take, seconds: a stopped program must not hold up others.
const PATIENCE: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// A process with its memory.
pub struct Process {
    pid: Pid,
    /// Names this process and no later one of the same number.
    handle: OwnedFd,
    /// Socket of the helper thread, if the daemon may not reach the memory itself.
    helper: Option<OwnedFd>,
    message: RefCell<Vec<u8>>,
    silent: Cell<bool>,
}

/// The descriptor has something to read, now or within this time.
fn is_readable(fd: &OwnedFd, wait: Timespec) -> bool {
    let mut fds = [PollFd::new(fd, PollFlags::IN)];
    poll(&mut fds, Some(&wait)).is_ok_and(|ready| ready > 0)
}

impl Process {
    /// The process of this number.
    pub fn new(pid: rustix::process::Pid) -> Option<Self> {
        Some(Self {
            pid: Pid::from_raw(pid.as_raw_nonzero().get()),
            handle: pidfd_open(pid, PidfdFlags::empty()).ok()?,
            helper: None,
            message: RefCell::new(vec![0; HELPER_HEAD + HELPER_STEP]),
            silent: Cell::new(false),
        })
    }

    /// From now on a helper thread in the program reads and writes.
    pub fn set_helper(&mut self, socket: OwnedFd) {
        self.helper = Some(socket);
    }

    /// The process has ended.
    pub fn has_ended(&self) -> bool {
        is_readable(&self.handle, Timespec { tv_sec: 0, tv_nsec: 0 })
    }

    fn check(&self) -> Result<(), Unreachable> {
        if self.silent.get() || self.has_ended() {
            Err(Unreachable)
        } else {
            Ok(())
        }
    }

    /// Reads the program's memory.
    pub fn read(&self, address: u64, data: &mut [u8]) -> Result<(), Unreachable> {
        self.check()?;
        if self.helper.is_some() {
            for (i, part) in data.chunks_mut(HELPER_STEP).enumerate() {
                self.ask(address + (i * HELPER_STEP) as u64, part.len(), None)?;
                part.copy_from_slice(&self.message.borrow()[HELPER_HEAD..][..part.len()]);
            }
            return Ok(());
        }
        let (base, len) = (usize::try_from(address).map_err(|_| Unreachable)?, data.len());
        let done = process_vm_readv(self.pid, &mut [IoSliceMut::new(data)], &[RemoteIoVec { base, len }]);
        if done == Ok(len) {
            Ok(())
        } else {
            Err(Unreachable)
        }
    }

    /// Writes the program's memory, lower addresses first.
    pub fn write(&self, address: u64, data: &[u8]) -> Result<(), Unreachable> {
        self.check()?;
        if self.helper.is_some() {
            for (i, part) in data.chunks(HELPER_STEP).enumerate() {
                self.ask(address + (i * HELPER_STEP) as u64, part.len(), Some(part))?;
            }
            return Ok(());
        }
        let (base, len) = (usize::try_from(address).map_err(|_| Unreachable)?, data.len());
        let done = process_vm_writev(self.pid, &[IoSlice::new(data)], &[RemoteIoVec { base, len }]);
        if done == Ok(len) {
            Ok(())
        } else {
            Err(Unreachable)
        }
    }

    /// One transfer of the helper thread; what was read stands in the message.
    fn ask(&self, address: u64, len: usize, write: Option<&[u8]>) -> Result<(), Unreachable> {
        let helper = self.helper.as_ref().ok_or(Unreachable)?;
        let mut message = self.message.borrow_mut();
        let head = [u64::from(write.is_some()), address, len as u64];
        for (to, number) in message.chunks_mut(8).zip(head) {
            to.copy_from_slice(&number.to_le_bytes());
        }
        let mut end = HELPER_HEAD;
        if let Some(data) = write {
            message[HELPER_HEAD..][..len].copy_from_slice(data);
            end += len;
        }
        let expected = HELPER_HEAD + if write.is_some() { 0 } else { len };
        let sent = send(helper, &message[..end], SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
        let answered = sent.is_ok() && is_readable(helper, PATIENCE);
        let got = if answered {
            recv(helper, &mut message[..], RecvFlags::DONTWAIT).map_or(0, |(n, _)| n)
        } else {
            0
        };
        if got != expected {
            // A late answer would be taken for the next one's.
            self.silent.set(true);
            return Err(Unreachable);
        }
        if message[0] == 1 {
            Ok(())
        } else {
            Err(Unreachable)
        }
    }

    /// All of this range is mapped, and writable if asked; `None` if the daemon may not know.
    pub fn maps(&self, address: u64, length: u64, writable: bool) -> Option<bool> {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.pid)).ok()?;
        let end = address.checked_add(length)?;
        let mut at = address;
        for line in maps.lines() {
            let mut words = line.split_whitespace();
            let (range, rights) = (words.next()?, words.next()?);
            let (low, high) = range.split_once('-')?;
            let (low, high) = (u64::from_str_radix(low, 16).ok()?, u64::from_str_radix(high, 16).ok()?);
            let fits = rights.starts_with('r') && (!writable || rights.as_bytes().get(1) == Some(&b'w'));
            if low <= at && at < high && fits {
                at = high;
            }
        }
        Some(at >= end)
    }

    /// Processor time that the program has used; time of the daemon's own clock if that cannot be seen.
    pub fn processor_time(&self) -> Duration {
        let clock = clock_getcpuclockid(self.pid).unwrap_or(ClockId::CLOCK_MONOTONIC);
        clock_gettime(clock).map_or(Duration::ZERO, Duration::from)
    }

    /// A thread of the program could run; `true` if that cannot be seen.
    pub fn has_runnable_thread(&self) -> bool {
        let Ok(threads) = std::fs::read_dir(format!("/proc/{}/task", self.pid)) else {
            return true;
        };
        threads.flatten().any(|thread| {
            let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
            // The state stands behind the name, which may have any sign in it.
            stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R'))
        })
    }
}
