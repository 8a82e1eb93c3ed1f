//! The daemon's socket: who may connect, messages, and descriptors beside replies.

use hpcc_driver::control::{Reply, MESSAGE};
use rustix::fs::{chmod, Mode};
use rustix::net::{
    accept_with, bind, connect, listen, recv, sendmsg, socket_with, AddressFamily, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType,
};
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

/// Connections that wait to be accepted.
const BACKLOG: i32 = 64;

fn new_socket(flags: SocketFlags) -> io::Result<OwnedFd> {
    Ok(socket_with(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        flags | SocketFlags::CLOEXEC,
        None,
    )?)
}

/// A socket at `path` for this user's programs, or for all users'. A socket file whose daemon is gone is replaced.
pub fn open(path: &Path, everybody: bool) -> io::Result<OwnedFd> {
    let address = SocketAddrUnix::new(path)?;
    let socket = new_socket(SocketFlags::NONBLOCK)?;
    if let Err(error) = bind(&socket, &address) {
        let taken = error == rustix::io::Errno::ADDRINUSE;
        if !taken || is_served(path) {
            return Err(error.into());
        }
        std::fs::remove_file(path)?;
        bind(&socket, &address)?;
    }
    chmod(path, Mode::from_raw_mode(if everybody { 0o666 } else { 0o600 }))?;
    listen(&socket, BACKLOG)?;
    Ok(socket)
}

/// A daemon serves this socket.
pub fn is_served(path: &Path) -> bool {
    let connected = || -> io::Result<()> {
        Ok(connect(
            &new_socket(SocketFlags::empty())?,
            &SocketAddrUnix::new(path)?,
        )?)
    };
    connected().is_ok()
}

/// The next connection, if one waits.
pub fn accept(socket: &OwnedFd) -> Option<OwnedFd> {
    accept_with(socket, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK).ok()
}

/// What came over a connection.
#[derive(Debug)]
pub enum Received {
    /// A message of the right size.
    Message(Box<[u8; MESSAGE]>),
    /// A message of another size.
    Malformed,
    /// Nothing waits.
    Nothing,
    /// The other end is closed.
    Closed,
}

/// The next message.
pub fn receive(socket: &OwnedFd) -> Received {
    let mut bytes = [0; MESSAGE + 1];
    match recv(socket, &mut bytes, RecvFlags::DONTWAIT) {
        Ok((0, _)) => Received::Closed,
        Ok((MESSAGE, _)) => Received::Message(Box::new(std::array::from_fn(|i| bytes[i]))),
        Ok(_) => Received::Malformed,
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Received::Nothing,
        Err(_) => Received::Closed,
    }
}

/// Sends a reply; `false` if the program does not take it.
pub fn reply(socket: &OwnedFd, reply: &Reply, descriptors: &[BorrowedFd]) -> bool {
    let message = reply.encode();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return false;
    }
    let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
    sendmsg(socket, &[IoSlice::new(&message)], &mut control, flags) == Ok(MESSAGE)
}
