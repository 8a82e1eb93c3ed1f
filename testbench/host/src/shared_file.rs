//! The memory that a program shares with the daemon: the daemon makes it, seals its size, and reads and writes it as a file.
//!
//! Reading as a file costs a system call, but a program that does anything to its mapping cannot make the daemon fault.

use hpcc_driver::shared::{DOORBELLS, DOORBELL_STRIDE, PROGRAM, SIZE};
use rustix::fs::{fcntl_add_seals, ftruncate, memfd_create, MemfdFlags, SealFlags};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{fence, Ordering};

/// The file.
pub struct SharedFile(File);

/// The program's words, and how its doorbells stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Verb calls.
    pub calls: u32,
    /// Polls that found nothing.
    pub empty_polls: u32,
    /// Calls as they were at the last such poll.
    pub calls_at_poll: u32,
    /// Threads that wait for an event.
    pub blocked: u32,
    /// Doorbell words by record.
    pub doorbells: Vec<[u32; 3]>,
}

impl SharedFile {
    /// A file of zeros that nobody can shrink or grow.
    pub fn new() -> io::Result<Self> {
        let fd = memfd_create("hpcc-nic", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&fd, SIZE)?;
        fcntl_add_seals(&fd, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok(Self(fd.into()))
    }

    /// Reads the program's words and the records of its first `records` queues.
    pub fn words(&self, records: usize) -> Words {
        const HEAD: usize = (DOORBELLS - PROGRAM) as usize;
        let mut bytes = vec![0; HEAD + records * DOORBELL_STRIDE as usize];
        // A hole reads as zeros; an error leaves zeros too, and nothing was rung then.
        let _ = self.0.read_exact_at(&mut bytes, PROGRAM);
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let record = |i: usize| [0, 4, 8].map(|at| word(HEAD + i * DOORBELL_STRIDE as usize + at));
        Words {
            calls: word(0),
            empty_polls: word(4),
            calls_at_poll: word(8),
            blocked: word(12),
            doorbells: (0..records).map(record).collect(),
        }
    }

    /// Reads bytes.
    pub fn read(&self, at: u64, data: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(data, at)
    }

    /// Writes bytes: the last eight, in which an entry has its phase, behind the others.
    pub fn write(&self, at: u64, data: &[u8]) -> io::Result<()> {
        if at.checked_add(data.len() as u64).is_none_or(|end| end > SIZE) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let (front, last) = data.split_at(data.len().saturating_sub(8));
        if !front.is_empty() {
            self.0.write_all_at(front, at)?;
            fence(Ordering::SeqCst);
        }
        self.0.write_all_at(last, at + front.len() as u64)?;
        fence(Ordering::SeqCst);
        Ok(())
    }
}

impl AsFd for SharedFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hpcc_driver::shared::CALLS;

    #[test]
    fn nobody_changes_its_size() {
        let shared = SharedFile::new().unwrap();
        assert!(ftruncate(&shared, 4096).is_err() && ftruncate(&shared, SIZE * 2).is_err());
        assert!(fcntl_add_seals(&shared, SealFlags::WRITE).is_err());
    }

    #[test]
    fn words_are_where_programs_write_them() {
        let shared = SharedFile::new().unwrap();
        shared.write(CALLS, &7u32.to_le_bytes()).unwrap();
        shared
            .write(DOORBELLS + DOORBELL_STRIDE + 4, &0x1_0003u32.to_le_bytes())
            .unwrap();
        let words = shared.words(2);
        assert_eq!(
            (words.calls, &words.doorbells[..]),
            (7, &[[0; 3], [0, 0x1_0003, 0]][..])
        );
        assert!(
            shared.write(SIZE - 4, &[0; 8]).is_err(),
            "beyond the end nothing is written"
        );
    }
}
