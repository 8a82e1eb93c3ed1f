//! Requests of programs, carried out. Whatever a program names, it must have made itself.

use crate::answer::{number, Answer};
use crate::client::Device;
use crate::daemon::Daemon;
use crate::gate::Gate;
use crate::nic::commands;
use crate::process::Process;
use crate::shared_file::SharedFile;
use crate::space::{base, Program};
use crate::tables::random_key;
use crate::verbs::{self, access};
use hpcc_driver::commands::{CommandError, Commands, Region, LOCAL_WRITE};
use hpcc_driver::control::{errno, Reply, Request};
use rustix::event::{eventfd, EventfdFlags};
use rustix::net::{socketpair, sockopt::socket_peercred, AddressFamily, SocketFlags, SocketType};
use rustix::pipe::{pipe_with, PipeFlags};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;

/// Channels of a program at most.
const CHANNELS: usize = 1024;
/// Addresses of programs end here.
const ADDRESSES: u64 = 1 << 48;

/// A pipe whose ends never block the daemon: reading end of the program, writing end of the daemon.
fn new_pipe() -> Result<(OwnedFd, OwnedFd), i32> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC).map_err(|_| errno::ENOMEM)?;
    rustix::fs::fcntl_setfl(&write, rustix::fs::OFlags::NONBLOCK).map_err(|_| errno::ENOMEM)?;
    Ok((read, write))
}

fn copy(fd: &impl AsFd) -> Result<OwnedFd, i32> {
    rustix::io::fcntl_dupfd_cloexec(fd, 0).map_err(|_| errno::ENOMEM)
}

impl Daemon {
    /// Carries out a request.
    pub(crate) fn carry_out(&mut self, id: u64, request: Request) -> Answer {
        match request {
            Request::List {} => number(self.nics.len() as u32),
            Request::Open {
                nic,
                helper,
                virtual_time,
                probe,
            } => self.open(id, nic, helper != 0, virtual_time != 0, probe),
            _ => self.carry_out_open(id, request),
        }
    }

    fn carry_out_open(&mut self, id: u64, request: Request) -> Answer {
        match request {
            Request::AllocPd {} => {
                let pd = self.nic_of(id)?.domains.take(id)?;
                self.device(id)?.pds.push(pd);
                number(pd)
            }
            Request::DeallocPd { pd } => self.dealloc_pd(id, pd),
            Request::RegMr {
                pd,
                access,
                key,
                address,
                length,
                iova,
            } => {
                let iova = if access & access::ZERO_BASED != 0 { 0 } else { iova };
                self.register(id, pd, key, (address, length, iova), access)
            }
            Request::DeregMr { key } => self.deregister(id, key),
            Request::CreateChannel {} => self.create_channel(id),
            Request::DestroyChannel { channel } => self.destroy_channel(id, channel),
            Request::CreateCq { channel, entries, ring } => self.create_cq(id, channel, entries, ring),
            Request::DestroyCq { cq } => self.destroy_cq(id, cq),
            Request::CreateQp { .. } => self.create_qp(id, request),
            Request::ModifyQp { qp, attributes } => self.modify_qp(id, qp, &attributes),
            Request::QueryQp { qp } => {
                self.own_qp(id, qp)?;
                number(self.command(id, |nic| nic.query_qp(qp))?.state.into())
            }
            Request::DestroyQp { qp } => {
                self.own_qp(id, qp)?;
                self.remove_qp(id, qp);
                number(qp)
            }
            Request::List {} | Request::Open { .. } => Err(errno::ENOSYS),
        }
    }

    pub(crate) fn device(&mut self, id: u64) -> Result<&mut Device, i32> {
        self.clients
            .get_mut(&id)
            .and_then(|client| client.device.as_mut())
            .ok_or(errno::ENODEV)
    }

    pub(crate) fn nic_of(&mut self, id: u64) -> Result<&mut crate::nic::HostedNic, i32> {
        let nic = self.device(id)?.nic;
        Ok(&mut self.nics[nic])
    }

    /// Gives a command to a program's NIC.
    pub(crate) fn command<T>(
        &mut self,
        id: u64,
        give: impl FnOnce(&mut Commands) -> Result<T, CommandError>,
    ) -> Result<T, i32> {
        let now = self.now;
        let nic = self.nic_of(id)?;
        commands(nic.nic.as_mut(), now, give).map_err(verbs::error)
    }

    fn open(&mut self, id: u64, nic: u32, helper: bool, virtual_time: bool, probe: u64) -> Answer {
        let client = self.clients.get(&id).ok_or(errno::ENODEV)?;
        if client.device.is_some() || nic as usize >= self.nics.len() {
            return Err(errno::EINVAL);
        }
        let peer = socket_peercred(&client.socket).map_err(|_| errno::ENODEV)?;
        let mut process = Process::new(peer.pid).ok_or(errno::ENODEV)?;
        // The program helps if it wants to, and if the daemon may not read its memory.
        let helps = helper || process.read(probe, &mut [0; 8]).is_err();
        let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
            .map_err(|_| errno::ENOMEM)?;
        if helps {
            process.set_helper(ours);
        }
        let (events, events_write) = new_pipe()?;
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map_err(|_| errno::ENOMEM)?;
        let shared = SharedFile::new().map_err(|_| errno::ENOMEM)?;
        let descriptors = vec![copy(&shared)?, copy(&wake)?, events, theirs];
        let program = Rc::new(Program {
            process,
            shared,
            delivered: Cell::new(false),
            woken: Cell::new(false),
        });
        let spaces = self.spaces.add(&program).ok_or(errno::ENOMEM)?;
        let device = Device {
            nic: nic as usize,
            program,
            spaces,
            // Page 0 is the daemon's; a program's has the number of its first space, which no other has.
            page: spaces[0].into(),
            wake,
            events: events_write,
            channels: BTreeMap::new(),
            cqs: BTreeMap::new(),
            qps: BTreeMap::new(),
            pds: Vec::new(),
            keys: Vec::new(),
            slots: Vec::new(),
            seen: Vec::new(),
            gate: virtual_time.then(Gate::new),
            clock: u64::MAX,
        };
        if let Some(client) = self.clients.get_mut(&id) {
            client.device = Some(device);
        }
        Ok((
            Reply {
                number: nic,
                place: helps.into(),
                ..Reply::default()
            },
            descriptors,
        ))
    }

    fn dealloc_pd(&mut self, id: u64, pd: u32) -> Answer {
        let device = self.device(id)?;
        let at = device.pds.iter().position(|own| *own == pd).ok_or(errno::EINVAL)?;
        device.pds.swap_remove(at);
        self.nic_of(id)?.domains.release(pd);
        number(pd)
    }

    pub(crate) fn check_pd(&mut self, id: u64, pd: u32) -> Result<u16, i32> {
        let own = self.device(id)?.pds.contains(&pd);
        u16::try_from(pd).ok().filter(|_| own).ok_or(errno::EINVAL)
    }

    fn register(&mut self, id: u64, pd: u32, key: u32, (address, length, iova): (u64, u64, u64), flags: u32) -> Answer {
        let domain = self.check_pd(id, pd)?;
        let device = self.device(id)?;
        if key != 0 && !device.keys.contains(&key) {
            return Err(errno::EINVAL);
        }
        if address.checked_add(length).is_none_or(|end| end > ADDRESSES) || iova.checked_add(length).is_none() {
            return Err(errno::EFAULT);
        }
        let rights = verbs::rights(flags);
        let process = &device.program.process;
        // Both ends are mapped; all of it, where the daemon may know.
        let ends = [address, address + length.max(1) - 1];
        let reachable = length == 0 || ends.iter().all(|end| process.read(*end, &mut [0]).is_ok());
        if !reachable || length > 0 && process.maps(address, length, rights & LOCAL_WRITE != 0) == Some(false) {
            return Err(errno::EFAULT);
        }
        let region = Region {
            key,
            domain,
            address: iova,
            length,
            offset: (base(device.spaces[0]) + address).wrapping_sub(iova),
            rights,
        };
        if key != 0 {
            self.command(id, |nic| nic.replace_region(&region))?;
            return number(key);
        }
        number(self.new_region(id, region)?)
    }

    /// Creates a region under a new key.
    pub(crate) fn new_region(&mut self, id: u64, region: Region) -> Result<u32, i32> {
        let nic = self.nic_of(id)?;
        let (entry, bits) = (nic.regions.take(id)?, nic.sizes.region_bits);
        let key = random_key(entry, bits, &mut self.rng);
        let created = self.command(id, |nic| nic.create_region(&Region { key, ..region }));
        if let Err(error) = created {
            self.nic_of(id)?.regions.release(entry);
            return Err(error);
        }
        self.device(id)?.keys.push(key);
        Ok(key)
    }

    pub(crate) fn deregister(&mut self, id: u64, key: u32) -> Answer {
        let device = self.device(id)?;
        let at = device.keys.iter().position(|own| *own == key).ok_or(errno::EINVAL)?;
        device.keys.swap_remove(at);
        // A peer may have invalidated it.
        let _ = self.command(id, |nic| nic.destroy_region(key));
        let nic = self.nic_of(id)?;
        nic.regions.release(nic.sizes.entry(key));
        number(key)
    }

    fn create_channel(&mut self, id: u64) -> Answer {
        let device = self.device(id)?;
        if device.channels.len() >= CHANNELS {
            return Err(errno::ENOMEM);
        }
        let (read, write) = new_pipe()?;
        let channel = (1..)
            .find(|channel| !device.channels.contains_key(channel))
            .ok_or(errno::ENOMEM)?;
        device.channels.insert(channel, write);
        Ok((
            Reply {
                number: channel,
                ..Reply::default()
            },
            vec![read],
        ))
    }

    fn destroy_channel(&mut self, id: u64, channel: u32) -> Answer {
        let device = self.device(id)?;
        if device.cqs.values().any(|cq| cq.channel == Some(channel)) {
            return Err(errno::EBUSY);
        }
        device.channels.remove(&channel).ok_or(errno::EINVAL)?;
        number(channel)
    }

    /// Ends a connection: everything of the program goes with it.
    pub(crate) fn drop_client(&mut self, id: u64) {
        if let Ok(device) = self.device(id) {
            let qps: Vec<u32> = device.qps.keys().copied().collect();
            let cqs: Vec<u32> = device.cqs.keys().copied().collect();
            let (keys, pds, spaces) = (device.keys.clone(), device.pds.clone(), device.spaces);
            qps.into_iter().for_each(|qp| self.remove_qp(id, qp));
            for cq in cqs {
                let _ = self.destroy_cq(id, cq);
            }
            for key in keys {
                // Keys of inline data went with their queue pairs.
                let _ = self.deregister(id, key);
            }
            for pd in pds {
                let _ = self.dealloc_pd(id, pd);
            }
            self.spaces.remove(spaces);
        }
        self.clients.remove(&id);
    }
}
