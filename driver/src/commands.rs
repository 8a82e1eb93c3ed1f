//! The driver's commands for safe Rust: whoever has the NIC's registers gives them to the driver for the time of a command.

use crate::abi::{Device, Ops, INVALID};
use crate::command_abi::{
    hpcc_create_cq, hpcc_create_eq, hpcc_create_qp, hpcc_create_region, hpcc_destroy_cq, hpcc_destroy_eq,
    hpcc_destroy_qp, hpcc_destroy_region, hpcc_modify_qp, hpcc_query_qp, hpcc_replace_region,
};
pub use crate::command_abi::{
    Attributes, CreateCq, CreateEq, CreateQp, Place, QpInfo, Region, INVALIDATE, LOCAL_WRITE, REMOTE_ATOMIC,
    REMOTE_READ, REMOTE_WRITE,
};
use core::ffi::{c_int, c_void};
use core::fmt;

/// The NIC's registers: 32 bits each, byte offsets.
pub trait Registers {
    /// Reads a register.
    fn read(&mut self, offset: u32) -> u32;
    /// Writes a register.
    fn write(&mut self, offset: u32, value: u32);
}

/// Why a command was not carried out; nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandError {
    /// The NIC refused it with this code.
    Refused(u8),
    /// A number does not fit its place.
    Invalid,
    /// The NIC does not answer.
    NoAnswer,
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Refused(code) => write!(f, "the NIC refused the command with code {code}"),
            Self::Invalid => f.write_str("a number of the command does not fit its place"),
            Self::NoAnswer => f.write_str("the NIC does not answer"),
        }
    }
}

impl std::error::Error for CommandError {}

/// The driver over registers, for commands.
pub struct Commands<'a> {
    registers: &'a mut dyn Registers,
}

unsafe extern "C" fn read(context: *mut c_void, offset: u32) -> u32 {
    // SAFETY: the context is the registers of the command that is being given, which nobody else uses meanwhile.
    unsafe { (*context.cast::<&mut dyn Registers>()).read(offset) }
}

unsafe extern "C" fn write(context: *mut c_void, offset: u32, value: u32) {
    // SAFETY: as in `read`.
    unsafe { (*context.cast::<&mut dyn Registers>()).write(offset, value) }
}

/// Commands ring no doorbell.
unsafe extern "C" fn no_doorbell(_: *mut c_void, _: u32, _: u32) {}

/// Commands need no memory.
unsafe extern "C" fn no_memory(_: *mut c_void, _: usize, _: *mut u64) -> *mut c_void {
    core::ptr::null_mut()
}

unsafe extern "C" fn no_release(_: *mut c_void, _: *mut c_void, _: usize) {}

static OPS: Ops = Ops {
    doorbell: no_doorbell,
    allocate: no_memory,
    release: no_release,
    read: Some(read),
    write: Some(write),
};

impl<'a> Commands<'a> {
    /// The driver over these registers.
    pub fn new(registers: &'a mut dyn Registers) -> Self {
        Self { registers }
    }

    fn give(&mut self, command: impl FnOnce(*mut Device) -> c_int) -> Result<(), CommandError> {
        let mut device = Device {
            ops: &raw const OPS,
            context: (&raw mut self.registers).cast(),
        };
        match command(&raw mut device) {
            0 => Ok(()),
            INVALID => Err(CommandError::Invalid),
            code => Err(u8::try_from(code).map_or(CommandError::NoAnswer, CommandError::Refused)),
        }
    }

    /// Creates a memory region.
    pub fn create_region(&mut self, region: &Region) -> Result<(), CommandError> {
        // SAFETY: device and region live as long as the call; likewise in all functions below.
        self.give(|device| unsafe { hpcc_create_region(device, region) })
    }

    /// Replaces the region of the same key.
    pub fn replace_region(&mut self, region: &Region) -> Result<(), CommandError> {
        // SAFETY: see `create_region`.
        self.give(|device| unsafe { hpcc_replace_region(device, region) })
    }

    /// Destroys a memory region.
    pub fn destroy_region(&mut self, key: u32) -> Result<(), CommandError> {
        // SAFETY: see `create_region`.
        self.give(|device| unsafe { hpcc_destroy_region(device, key) })
    }

    /// Creates an event queue.
    pub fn create_eq(&mut self, eq: &CreateEq) -> Result<(), CommandError> {
        // SAFETY: see `create_region`.
        self.give(|device| unsafe { hpcc_create_eq(device, eq) })
    }

    /// Destroys an event queue.
    pub fn destroy_eq(&mut self, number: u8) -> Result<(), CommandError> {
        // SAFETY: see `create_region`.
        self.give(|device| unsafe { hpcc_destroy_eq(device, number) })
    }

    /// Creates a completion queue.
    pub fn create_cq(&mut self, cq: &CreateCq) -> Result<(), CommandError> {
        // SAFETY: see `create_region`.
        self.give(|device| unsafe { hpcc_create_cq(device, cq) })
    }

    /// Destroys a completion queue.
    pub fn destroy_cq(&mut self, number: u16) -> Result<(), CommandError> {
        // SAFETY: see `create_region`.
        self.give(|device| unsafe { hpcc_destroy_cq(device, number) })
    }

    /// Creates a queue pair in RESET.
    pub fn create_qp(&mut self, qp: &CreateQp) -> Result<(), CommandError> {
        // SAFETY: see `create_region`.
        self.give(|device| unsafe { hpcc_create_qp(device, qp) })
    }

    /// Moves a queue pair to a state and sets attributes.
    pub fn modify_qp(&mut self, number: u32, state: u8, set: &Attributes) -> Result<(), CommandError> {
        // SAFETY: see `create_region`.
        self.give(|device| unsafe { hpcc_modify_qp(device, number, state, set) })
    }

    /// State of a queue pair.
    pub fn query_qp(&mut self, number: u32) -> Result<QpInfo, CommandError> {
        let mut info = QpInfo::default();
        // SAFETY: see `create_region`.
        self.give(|device| unsafe { hpcc_query_qp(device, number, &raw mut info) })?;
        Ok(info)
    }

    /// Destroys a queue pair.
    pub fn destroy_qp(&mut self, number: u32) -> Result<(), CommandError> {
        // SAFETY: see `create_region`.
        self.give(|device| unsafe { hpcc_destroy_qp(device, number) })
    }
}
