//! `COMMAND`, `STATUS` and `BODY` of a NIC with queues: how a host gives commands where it has nothing but registers.

use super::command::{Code, Reply};
use super::command_fields::{Operation, BODY_WORDS};
use super::command_word::{decode_command, encode_info, GivenQueues};
use crate::nic::memory::Memory;
use crate::nic::nic::Nic;
use crate::nic::registers::offset;

/// `STATUS`: a command was carried out; a written one clears it.
pub const STATUS_DONE: u32 = 1 << 1;
/// `STATUS`: a command was refused; a written one clears it.
pub const STATUS_ERROR: u32 = 1 << 2;
/// `STATUS`: commands are taken.
pub const STATUS_READY: u32 = 1 << 3;
/// `STATUS`: lowest bit of why the last refused command was refused.
pub const STATUS_CODE_LOW: u32 = 4;
/// `STATUS`: bits of that.
pub const STATUS_CODE_BITS: u32 = 5;
/// `COMMAND`: bits of the operation.
pub const OPERATION_BITS: u32 = 8;
/// End of the words of `BODY`.
const BODY_END: u16 = offset::BODY + 4 * BODY_WORDS as u16;

/// Word of `BODY` at this offset.
fn word(at: u16) -> Option<usize> {
    let inside = (offset::BODY..BODY_END).contains(&at) && at.is_multiple_of(4);
    inside.then(|| usize::from((at - offset::BODY) / 4))
}

impl<M: Memory> Nic<M> {
    /// Reads a register; `None` if none of these is at that offset.
    pub(super) fn read_command_register(&self, at: u16) -> Option<u32> {
        let registers = &self.host.registers;
        match at {
            offset::COMMAND => Some(0),
            offset::STATUS => Some(registers.status | STATUS_READY),
            _ => word(at).map(|word| registers.body.0[word]),
        }
    }

    /// Writes a register; `false` if none of these is at that offset. A write to `COMMAND` carries out the command.
    pub(super) fn write_command_register(&mut self, now: u64, at: u16, value: u32) -> bool {
        let registers = &mut self.host.registers;
        match at {
            offset::STATUS => registers.status &= !(value & (STATUS_DONE | STATUS_ERROR)),
            offset::COMMAND => {
                let refused = self.command_written(now, value).err();
                let registers = &mut self.host.registers;
                registers.status = match refused {
                    None => registers.status | STATUS_DONE,
                    Some(code) => {
                        let done = registers.status & STATUS_DONE;
                        done | STATUS_ERROR | u32::from(code.code()) << STATUS_CODE_LOW
                    }
                };
            }
            _ => match word(at) {
                Some(word) => registers.body.0[word] = value,
                None => return false,
            },
        }
        true
    }

    fn command_written(&mut self, now: u64, value: u32) -> Result<(), Code> {
        let operation = Operation::from_code(value as u8).ok_or(Code::Operation)?;
        let registers = &mut self.host.registers;
        if operation == Operation::GiveQueues {
            registers.given = Some(GivenQueues::decode(&registers.body));
            return Ok(());
        }
        let given = match operation {
            Operation::CreateQp => registers.given.take(),
            _ => None,
        };
        let command = decode_command(operation, value >> OPERATION_BITS, &registers.body, given)?;
        if let Reply::Qp(info) = self.carry_out(now, &command)? {
            self.host.registers.body = encode_info(&info);
        }
        Ok(())
    }
}
