//! Messages with descriptors on the daemon's socket.

use crate::settings;
use core::ffi::c_int;
use core::mem;
use hpcc_driver::control::{errno, Reply, Request, MESSAGE};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Descriptors beside one message at most.
pub(crate) const DESCRIPTORS: usize = 4;

/// A connection to the daemon.
pub(crate) fn dial() -> io::Result<OwnedFd> {
    let path = std::env::var_os(settings::SOCKET).ok_or(io::ErrorKind::NotFound)?;
    let path = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str());
    // SAFETY: plain calls; the address is zeroed and its path fits, the descriptor is new.
    unsafe {
        let mut address: libc::sockaddr_un = mem::zeroed();
        if path.len() >= address.sun_path.len() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        address.sun_family = libc::AF_UNIX as libc::sa_family_t;
        for (to, from) in address.sun_path.iter_mut().zip(path) {
            *to = *from as libc::c_char;
        }
        let fd = libc::socket(libc::AF_UNIX, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let socket = OwnedFd::from_raw_fd(fd);
        let len = mem::size_of_val(&address) as libc::socklen_t;
        if libc::connect(fd, (&raw const address).cast(), len) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(socket)
    }
}

/// Process at the other end of a socket.
pub(crate) fn peer(socket: &OwnedFd) -> Option<libc::pid_t> {
    // SAFETY: the structure is plain numbers, and its size is told.
    unsafe {
        let mut credentials: libc::ucred = mem::zeroed();
        let mut len = mem::size_of_val(&credentials) as libc::socklen_t;
        let to = (&raw mut credentials).cast();
        let result = libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            to,
            &raw mut len,
        );
        (result == 0).then_some(credentials.pid)
    }
}

/// Sends a request and waits for its reply and the descriptors beside it.
pub(crate) fn call(socket: &OwnedFd, request: Request) -> (Reply, Vec<OwnedFd>) {
    exchange(socket, request).unwrap_or((Reply::error(errno::EIO), Vec::new()))
}

fn exchange(socket: &OwnedFd, request: Request) -> Option<(Reply, Vec<OwnedFd>)> {
    let (fd, message) = (socket.as_raw_fd(), request.encode());
    // SAFETY: all buffers are local and as long as told; descriptors in the control message are new and this process's.
    unsafe {
        let sent = retry(|| libc::send(fd, message.as_ptr().cast(), MESSAGE, libc::MSG_NOSIGNAL));
        if sent != MESSAGE as isize {
            return None;
        }
        let mut bytes = [0u8; MESSAGE];
        let mut room = [0u64; 8];
        let mut piece = libc::iovec {
            iov_base: bytes.as_mut_ptr().cast(),
            iov_len: MESSAGE,
        };
        let mut header: libc::msghdr = mem::zeroed();
        header.msg_iov = &raw mut piece;
        header.msg_iovlen = 1;
        header.msg_control = room.as_mut_ptr().cast();
        header.msg_controllen = mem::size_of_val(&room) as _;
        let got = retry(|| libc::recvmsg(fd, &raw mut header, libc::MSG_CMSG_CLOEXEC));
        let mut descriptors = Vec::new();
        let control = libc::CMSG_FIRSTHDR(&raw const header);
        if got > 0 && !control.is_null() && (*control).cmsg_type == libc::SCM_RIGHTS {
            let len = (*control).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
            let data = libc::CMSG_DATA(control).cast::<c_int>();
            for i in 0..(len / mem::size_of::<c_int>()).min(DESCRIPTORS) {
                descriptors.push(OwnedFd::from_raw_fd(data.add(i).read_unaligned()));
            }
        }
        (got == MESSAGE as isize).then(|| (Reply::decode(&bytes), descriptors))
    }
}

/// A system call again and again while a signal interrupts it.
pub(crate) fn retry(mut call: impl FnMut() -> isize) -> isize {
    loop {
        let result = call();
        if result >= 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return result;
        }
    }
}

/// The daemon has closed the connection.
pub(crate) fn is_closed(socket: &OwnedFd) -> bool {
    let mut byte = 0u8;
    let flags = libc::MSG_PEEK | libc::MSG_DONTWAIT;
    // SAFETY: one byte of room, as told.
    let got = retry(|| unsafe { libc::recv(socket.as_raw_fd(), (&raw mut byte).cast(), 1, flags) });
    got == 0 || got < 0 && io::Error::last_os_error().kind() != io::ErrorKind::WouldBlock
}
