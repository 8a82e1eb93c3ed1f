//! What a driver does with the NIC's ports, from reset to its completions, access by access: as a list, as C with the generated header, and
//! as Python for a cocotb bench. A trace is made from a NIC's configuration by [`super::setup`], as `run`, `replay` and `serve` make theirs.

use super::host::work_limbs;
use super::setup::{places, steps, Step};
use crate::config::{Limits, NicSetup};
use hpcc_models::nic::registers::{offset, registers, Register};
use hpcc_models::nic::{Operation, WorkRequest};
use hpcc_rtl::words::work;

/// Bytes of a work request on its port.
pub const WORK_BYTES: usize = 40;
/// Bytes of a completion on its port.
pub const COMPLETION_BYTES: usize = 24;
/// `STATUS.ready`.
const READY: u32 = 1 << 3;
/// `STATUS`: busy, done, error; and what they are when a command was carried out.
const ENDED: u32 = 0b111;
const DONE: u32 = 0b010;
/// `STATUS`: the two bits that stay until they are cleared.
const FLAGS: u32 = 0b110;

/// One thing that a driver does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads a register until the bits of a mask have a value.
    Poll {
        /// Byte address.
        offset: u16,
        /// The bits.
        mask: u32,
        /// Their value.
        value: u32,
    },
    /// Writes a register.
    Write {
        /// Byte address.
        offset: u16,
        /// What is written.
        value: u32,
    },
    /// Puts a word on `s_axis_work`, first byte first.
    Work([u8; WORK_BYTES]),
    /// Takes a word from `m_axis_completion`, which is this but for [`COMPLETED_AT`], the time of the completion.
    Completion([u8; COMPLETION_BYTES]),
}

/// Bytes of a completion that hold its time.
pub const COMPLETED_AT: std::ops::Range<usize> = 17..23;

/// Accesses with what they are for, where that is not said by the register's name.
pub type Trace = Vec<(Access, String)>;

fn bytes<const N: usize>(limbs: &[u64]) -> [u8; N] {
    let mut bytes = [0; N];
    let all = limbs.iter().flat_map(|limb| limb.to_le_bytes());
    bytes.iter_mut().zip(all).for_each(|(place, byte)| *place = byte);
    bytes
}

/// The register at an address, and which one of several it is.
pub fn register_at(map: &[Register], offset: u16) -> Option<(&Register, u16)> {
    map.iter().find_map(|register| {
        let place = register.addresses().position(|address| address == offset)?;
        Some((register, place as u16))
    })
}

/// Whether a write right after reset changes nothing: the register holds the value.
fn is_reset_value(map: &[Register], offset: u16, value: u32) -> bool {
    let Some((register, _)) = register_at(map, offset) else {
        return false;
    };
    // parameters of a law act as a whole, so they are written as a whole
    register.count == 1
        && register
            .fields
            .iter()
            .all(|field| field.reset_shown().is_some() && field.is_stored())
        && register.reset() == value
}

/// Everything from the end of reset to the last completion of the configured work, one request after the other. With `from_reset`, registers
/// that hold their values after reset are not written.
pub fn trace(setup: &NicSetup, from_reset: bool) -> Result<Trace, String> {
    if !setup.queues.pairs.is_empty() {
        return Err("[[qp]] queues: the hardware has no queues in memory".into());
    }
    if setup.limits != Limits::default() {
        return Err("caps, groups and levels: `serve` and `replay` write them; expected none here".into());
    }
    let map = registers();
    let mut trace: Trace = Vec::new();
    let poll = |mask, value| Access::Poll {
        offset: offset::STATUS,
        mask,
        value,
    };
    let write = |offset, value| Access::Write { offset, value };
    trace.push((poll(READY, READY), "until the NIC is ready".into()));
    for step in steps(setup)? {
        match step {
            Step::Write(offset, value) if from_reset && is_reset_value(&map, offset, value) => {}
            Step::Write(offset, value) => trace.push((write(offset, value), String::new())),
            Step::Command {
                operation,
                index,
                body,
                about,
            } => {
                for (offset, word) in (offset::BODY..).step_by(4).zip(body) {
                    trace.push((write(offset, word), String::new()));
                }
                trace.push((write(offset::COMMAND, operation | index << 8), about));
                trace.push((poll(ENDED, DONE), "until it is carried out".into()));
                trace.push((
                    write(offset::STATUS, FLAGS),
                    "the flags stay until they are cleared".into(),
                ));
            }
        }
    }
    let places = places(setup)?;
    for planned in &setup.work {
        let mut request = planned.work;
        request.qpn = places.get(&request.qpn).copied().unwrap_or(request.qpn);
        let limbs = work_limbs(&request);
        trace.push((Access::Work(bytes(&limbs)), described(&request)));
        let mut done = [0; COMPLETION_BYTES / 8];
        work::Completion::ID.put(&mut done, request.id);
        work::Completion::QPN.put(&mut done, request.qpn.into());
        work::Completion::OPERATION.put(&mut done, work::WorkRequest::OPERATION.get(&limbs));
        work::Completion::LENGTH.put(&mut done, request.length);
        trace.push((
            Access::Completion(bytes(&done)),
            format!("of id {}, status 0", request.id),
        ));
    }
    Ok(trace)
}

/// A work request in a line.
fn described(request: &WorkRequest) -> String {
    let (name, ways) = match request.operation {
        Operation::Read => ("READ", ["to", "from"]),
        _ => ("WRITE", ["from", "to"]),
    };
    format!(
        "{name}, id {}, queue pair {}, {} bytes {} 0x{:x} here {} 0x{:x} there",
        request.id, request.qpn, request.length, ways[0], request.local_address, ways[1], request.remote_address
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(more: &str) -> NicSetup {
        let text = format!("[nic]\nmac = '02:00:00:00:00:0b'\nip = '10.0.0.11'\n{more}");
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("written");
        NicSetup::load(file.path()).expect("a configuration")
    }

    #[test]
    fn what_reset_leaves_is_not_written_again() {
        let setup = setup("mtu = 1024\ndscp = 30\n");
        let written = |from_reset| -> Vec<u16> {
            let trace = trace(&setup, from_reset).expect("a trace");
            let all = trace.into_iter();
            all.filter_map(|(access, _)| match access {
                Access::Write { offset, .. } => Some(offset),
                _ => None,
            })
            .collect()
        };
        let (all, some) = (written(false), written(true));
        // MAC_LO, IP and DSCP differ; MTU and TTL are as reset leaves them; the scheduler's parameters are written in any case.
        for (offset, differs) in [(0x10, true), (0x18, true), (0x34, true), (0x1c, false), (0x38, false)] {
            assert!(all.contains(&offset), "{offset:#x}");
            assert_eq!(some.contains(&offset), differs, "{offset:#x}");
        }
        assert!(some.contains(&offset::SCHED_PARAM));
    }

    #[test]
    fn the_time_of_a_completion_is_where_it_is_said_to_be() {
        let mut limbs = [0; 3];
        work::Completion::COMPLETED_AT.put(&mut limbs, (1 << 48) - 1);
        let bytes: [u8; COMPLETION_BYTES] = bytes(&limbs);
        let set: Vec<usize> = (0..COMPLETION_BYTES).filter(|at| bytes[*at] == 0xff).collect();
        assert_eq!(set, COMPLETED_AT.collect::<Vec<_>>());
    }
}
