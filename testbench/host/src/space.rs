//! Address spaces: where in which program an address of a NIC is.
//!
//! The upper 16 bits of an address name the space. A program has two: its own memory, as it counts it, and the memory that it shares with the
//! daemon. Space 0 is the daemon's. An access that leaves its space, or goes to one that is gone, fails.

use crate::process::Process;
use crate::shared_file::SharedFile;
use hpcc_models::nic::{BusError, Memory};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Bits of an address within a space.
const SPACE_BITS: u32 = 48;
/// Bytes of the daemon's own space.
const OWN: usize = 1 << 26;

/// A program as memory.
pub struct Program {
    /// Its own memory.
    pub process: Process,
    /// The memory shared with the daemon.
    pub shared: SharedFile,
    /// Something was written since the daemon last looked.
    pub delivered: Cell<bool>,
    /// An event was written to one of its pipes since the daemon last looked.
    pub woken: Cell<bool>,
}

enum Space {
    Own(Vec<u8>),
    Process(Rc<Program>),
    Shared(Rc<Program>),
}

/// All spaces; NICs and the daemon hold the same ones.
#[derive(Clone)]
pub struct Spaces(Rc<RefCell<BTreeMap<u16, Space>>>);

/// First address of a space.
pub fn base(space: u16) -> u64 {
    u64::from(space) << SPACE_BITS
}

impl Default for Spaces {
    fn default() -> Self {
        Self(Rc::new(RefCell::new(BTreeMap::from([(0, Space::Own(vec![0; OWN]))]))))
    }
}

impl Spaces {
    /// Gives a program its spaces: of its memory, and of the shared memory. `None` if no numbers are left.
    pub fn add(&self, program: &Rc<Program>) -> Option<[u16; 2]> {
        let mut spaces = self.0.borrow_mut();
        let first = (2..u16::MAX).step_by(2).find(|space| !spaces.contains_key(space))?;
        spaces.insert(first, Space::Process(Rc::clone(program)));
        spaces.insert(first + 1, Space::Shared(Rc::clone(program)));
        Some([first, first + 1])
    }

    /// Takes a program's spaces away: whatever still names them fails.
    pub fn remove(&self, numbers: [u16; 2]) {
        let mut spaces = self.0.borrow_mut();
        numbers.iter().for_each(|space| drop(spaces.remove(space)));
    }
}

impl Memory for Spaces {
    fn read(&mut self, address: u64, data: &mut [u8]) -> Result<(), BusError> {
        let error = BusError { address };
        let (space, at) = ((address >> SPACE_BITS) as u16, address & ((1 << SPACE_BITS) - 1));
        match self.0.borrow().get(&space).ok_or(error)? {
            Space::Own(bytes) => {
                let range = at as usize..(at as usize).checked_add(data.len()).ok_or(error)?;
                data.copy_from_slice(bytes.get(range).ok_or(error)?);
                Ok(())
            }
            Space::Process(program) => program.process.read(at, data).map_err(|_| error),
            Space::Shared(program) => program.shared.read(at, data).map_err(|_| error),
        }
    }

    fn write(&mut self, address: u64, data: &[u8]) -> Result<(), BusError> {
        let error = BusError { address };
        let (space, at) = ((address >> SPACE_BITS) as u16, address & ((1 << SPACE_BITS) - 1));
        match self.0.borrow_mut().get_mut(&space).ok_or(error)? {
            Space::Own(bytes) => {
                let range = at as usize..(at as usize).checked_add(data.len()).ok_or(error)?;
                bytes.get_mut(range).ok_or(error)?.copy_from_slice(data);
                Ok(())
            }
            Space::Process(program) => {
                program.delivered.set(true);
                program.process.write(at, data).map_err(|_| error)
            }
            Space::Shared(program) => {
                program.delivered.set(true);
                program.shared.write(at, data).map_err(|_| error)
            }
        }
    }
}
