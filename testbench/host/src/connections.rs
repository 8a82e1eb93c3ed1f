//! Connections of programs: new ones, requests, ends.

use crate::client::Client;
use crate::daemon::Daemon;
use crate::socket::{self, Received};
use hpcc_driver::control::{errno, Reply, Request};
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use std::os::fd::AsFd;
use std::time::Duration;

impl Daemon {
    /// Looks at connections for as long as `wait`, without end if `None`: `true` if anything came.
    pub(crate) fn look(&mut self, wait: Option<Duration>) -> bool {
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
