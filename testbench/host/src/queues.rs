//! Completion queues and queue pairs of programs.

use crate::answer::{number, Answer};
use crate::client::{Device, OwnCq, OwnQp};
use crate::daemon::Daemon;
use crate::events::QUEUE;
use crate::space::base;
use crate::verbs;
use hpcc_driver::abi::{COMPLETION_BYTES, RECEIVE_BYTES, SEND_BYTES};
use hpcc_driver::commands::{CreateCq, CreateQp, Place, Region};
use hpcc_driver::control::{errno, QpAttributes, Reply, Request};
use hpcc_driver::shared::{HEAP, SIZE, SLOTS};
use hpcc_models::nic::queues::{State, RING_ALIGNMENT};

/// A ring of `entries` slots of `bytes` at this place of the shared memory, as the NIC sees it.
fn ring(device: &Device, place: u64, entries: u32, bytes: usize) -> Result<Place, i32> {
    let end = u64::from(entries)
        .checked_mul(bytes as u64)
        .and_then(|len| place.checked_add(len));
    let fits = place >= HEAP && place.is_multiple_of(RING_ALIGNMENT) && end.is_some_and(|end| end <= SIZE);
    if fits {
        Ok(Place {
            address: base(device.spaces[1]) + place,
            entries,
        })
    } else {
        Err(errno::EINVAL)
    }
}

impl Daemon {
    pub(crate) fn create_cq(&mut self, id: u64, channel: u32, entries: u32, place: u64) -> Answer {
        let device = self.device(id)?;
        let channel = (channel != 0).then_some(channel);
        if channel.is_some_and(|channel| !device.channels.contains_key(&channel)) {
            return Err(errno::EINVAL);
        }
        let ring = ring(device, place, entries, COMPLETION_BYTES)?;
        let page = device.page;
        let slot = device.take_slot(SLOTS as usize).ok_or(errno::ENOMEM)?;
        let made = self.nic_of(id)?.cqs.take(id).and_then(|cq| {
            let create = CreateCq {
                number: cq as u16,
                page,
                ring,
                events: QUEUE,
            };
            let created = self.command(id, |nic| nic.create_cq(&create));
            if created.is_err() {
                self.nic_of(id)?.cqs.release(cq);
            }
            created.map(|_| cq)
        });
        let device = self.device(id)?;
        match made {
            Ok(cq) => {
                device.cqs.insert(cq, OwnCq { slot, channel });
                Ok((
                    Reply {
                        number: cq,
                        slot,
                        ..Reply::default()
                    },
                    Vec::new(),
                ))
            }
            Err(error) => {
                device.release_slot(slot);
                Err(error)
            }
        }
    }

    pub(crate) fn destroy_cq(&mut self, id: u64, cq: u32) -> Answer {
        if !self.device(id)?.cqs.contains_key(&cq) {
            return Err(errno::EINVAL);
        }
        self.command(id, |nic| nic.destroy_cq(cq as u16))?;
        self.nic_of(id)?.cqs.release(cq);
        let device = self.device(id)?;
        if let Some(own) = device.cqs.remove(&cq) {
            device.release_slot(own.slot);
        }
        number(cq)
    }

    pub(crate) fn create_qp(&mut self, id: u64, request: Request) -> Answer {
        let Request::CreateQp {
            pd,
            send_cq,
            receive_cq,
            sends,
            receives,
            inline_bytes,
            send,
            receive,
            inline,
        } = request
        else {
            return Err(errno::ENOSYS);
        };
        let domain = self.check_pd(id, pd)?;
        let device = self.device(id)?;
        if !device.cqs.contains_key(&send_cq) || !device.cqs.contains_key(&receive_cq) {
            return Err(errno::EINVAL);
        }
        let (page, spaces) = (device.page, device.spaces);
        let send = ring(device, send, sends, SEND_BYTES)?;
        let receive = ring(device, receive, receives, RECEIVE_BYTES)?;
        let room = match inline_bytes {
            0 => None,
            bytes => Some((
                ring(device, inline, sends, bytes as usize)?,
                u64::from(sends) * u64::from(bytes),
            )),
        };
        let slot = device.take_slot(SLOTS as usize).ok_or(errno::ENOMEM)?;
        let region = room.map(|(ring, length)| Region {
            key: 0,
            domain,
            address: 0,
            length,
            offset: ring.address,
            rights: 0,
        });
        debug_assert!(region.is_none_or(|region| region.offset >= base(spaces[1])));
        let made = self.nic_of(id)?.places.take(id).and_then(|place| {
            let nic = self.nic_of(id)?;
            // Bits above the place differ from those of the queue pair that had it before.
            let count = nic.next_generation();
            let qpn = (count << nic.sizes.place_bits | place) & 0xff_ffff;
            let create = CreateQp {
                number: qpn,
                domain,
                page,
                send,
                receive,
                send_cq: send_cq as u16,
                receive_cq: receive_cq as u16,
                events: QUEUE,
            };
            let created = self.command(id, |nic| nic.create_qp(&create));
            if let Err(error) = created {
                self.nic_of(id)?.places.release(place);
                return Err(error);
            }
            Ok((qpn, place))
        });
        let (qpn, place) = match made {
            Ok(made) => made,
            Err(error) => {
                self.device(id)?.release_slot(slot);
                return Err(error);
            }
        };
        let own = OwnQp {
            slot,
            place: place as u16,
            inline_key: None,
        };
        self.device(id)?.qps.insert(qpn, own);
        let mut key = 0;
        if let Some(region) = region {
            key = match self.new_region(id, region) {
                Ok(key) => key,
                Err(error) => {
                    self.remove_qp(id, qpn);
                    return Err(error);
                }
            };
            if let Some(own) = self.device(id)?.qps.get_mut(&qpn) {
                own.inline_key = Some(key);
            }
        }
        Ok((
            Reply {
                number: qpn,
                slot,
                place,
                key,
                ..Reply::default()
            },
            Vec::new(),
        ))
    }

    pub(crate) fn own_qp(&mut self, id: u64, qp: u32) -> Result<u32, i32> {
        self.device(id)?.qps.get(&qp).map(|own| own.slot).ok_or(errno::EINVAL)
    }

    pub(crate) fn modify_qp(&mut self, id: u64, qp: u32, given: &QpAttributes) -> Answer {
        let slot = self.own_qp(id, qp)?;
        let to = verbs::state(given.state).ok_or(errno::EINVAL)?;
        let set = verbs::attributes(given, self.path).ok_or(errno::EINVAL)?;
        self.command(id, |nic| nic.modify_qp(qp, to.code(), &set))?;
        if to == State::Reset {
            self.device(id)?.forget_doorbells(slot);
        }
        number(qp)
    }

    /// Destroys a queue pair and what belongs to it.
    pub(crate) fn remove_qp(&mut self, id: u64, qp: u32) {
        let _ = self.command(id, |nic| nic.destroy_qp(qp));
        let Ok(device) = self.device(id) else { return };
        let Some(own) = device.qps.remove(&qp) else { return };
        device.release_slot(own.slot);
        if let Ok(nic) = self.nic_of(id) {
            nic.places.release(own.place.into());
        }
        if let Some(key) = own.inline_key {
            let _ = self.deregister(id, key);
        }
    }
}
