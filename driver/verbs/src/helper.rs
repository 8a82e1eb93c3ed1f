//! A thread that reads and writes the program's memory for a daemon that may not do so itself (another user, a container's rules).
//!
//! It uses the kernel's calls for foreign memory on its own process: they are always allowed, and a bad address is an error and no crash.

use core::ffi::c_void;
use hpcc_driver::control::{HELPER_HEAD, HELPER_STEP};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::thread::JoinHandle;

use crate::socket::retry;

/// The running thread.
pub(crate) struct Helper {
    socket: Arc<OwnedFd>,
    thread: JoinHandle<()>,
}

/// Starts the thread on its socket.
pub(crate) fn start(socket: OwnedFd) -> Helper {
    let socket = Arc::new(socket);
    let its = Arc::clone(&socket);
    Helper {
        socket,
        thread: std::thread::spawn(move || serve(&its)),
    }
}

impl Helper {
    /// Ends the thread.
    pub(crate) fn stop(self) {
        // SAFETY: a plain call on a descriptor that is open.
        unsafe { libc::shutdown(self.socket.as_raw_fd(), libc::SHUT_RDWR) };
        let _ = self.thread.join();
    }
}

/// A request is: 1 for a write or 0 for a read, address, bytes, each 64 bits, and the data of a write. The answer is: 1 if all was done, two unused
/// numbers, and the data of a read.
fn serve(socket: &OwnedFd) {
    let fd = socket.as_raw_fd();
    let mut message = vec![0u8; HELPER_HEAD + HELPER_STEP];
    loop {
        // SAFETY: the buffer is as long as told.
        let got = retry(|| unsafe { libc::recv(fd, message.as_mut_ptr().cast(), message.len(), 0) });
        if got < HELPER_HEAD as isize {
            return;
        }
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| message[at + i]));
        let (write, address, bytes) = (number(0) != 0, number(8), (number(16) as usize).min(HELPER_STEP));
        let local = libc::iovec {
            iov_base: message[HELPER_HEAD..].as_mut_ptr().cast(),
            iov_len: bytes,
        };
        let remote = libc::iovec {
            iov_base: address as *mut c_void,
            iov_len: bytes,
        };
        // SAFETY: the kernel checks the other address, and the buffer is as long as told.
        let done = unsafe {
            let pid = libc::getpid();
            match write {
                true => libc::process_vm_writev(pid, &raw const local, 1, &raw const remote, 1, 0),
                false => libc::process_vm_readv(pid, &raw const local, 1, &raw const remote, 1, 0),
            }
        };
        let whole = done == bytes as isize;
        message[..8].copy_from_slice(&u64::from(whole).to_le_bytes());
        let len = HELPER_HEAD + if write { 0 } else { bytes };
        // SAFETY: as above.
        let sent = retry(|| unsafe { libc::send(fd, message.as_ptr().cast(), len, libc::MSG_NOSIGNAL) });
        if sent != len as isize {
            return;
        }
    }
}
