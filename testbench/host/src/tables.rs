//! Numbers of one NIC: places of queue pairs, completion queues, regions and protection domains, and who has them. A program gets half of each at
//! most.

use hpcc_driver::control::errno;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Numbers in use and their owners.
#[derive(Debug)]
pub struct Numbers {
    first: u32,
    end: u32,
    /// Where the search for a free one begins, so that a number is not used again at once.
    next: u32,
    owners: BTreeMap<u32, u64>,
    /// How many each owner has.
    counts: BTreeMap<u64, u32>,
}

impl Numbers {
    /// Numbers from `first` to `end`, exclusive.
    pub fn new(first: u32, end: u32) -> Self {
        Self {
            first,
            end,
            next: first,
            owners: BTreeMap::new(),
            counts: BTreeMap::new(),
        }
    }

    /// A free number for this owner.
    pub fn take(&mut self, owner: u64) -> Result<u32, i32> {
        let all = self.end - self.first;
        let has = self.counts.get(&owner).copied().unwrap_or(0);
        if has >= all / 2 || self.owners.len() as u32 >= all {
            return Err(errno::ENOMEM);
        }
        while self.owners.contains_key(&self.next) {
            self.step();
        }
        let number = self.next;
        self.owners.insert(number, owner);
        *self.counts.entry(owner).or_default() += 1;
        self.step();
        Ok(number)
    }

    fn step(&mut self) {
        self.next = if self.next + 1 == self.end {
            self.first
        } else {
            self.next + 1
        };
    }

    /// Owner of a number.
    pub fn owner(&self, number: u32) -> Option<u64> {
        self.owners.get(&number).copied()
    }

    /// Gives a number back.
    pub fn release(&mut self, number: u32) {
        let Some(owner) = self.owners.remove(&number) else {
            return;
        };
        if let Some(count) = self.counts.get_mut(&owner) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&owner);
            }
        }
    }
}

/// A key of this entry that cannot be guessed from others.
pub fn random_key(entry: u32, region_bits: u32, rng: &mut ChaCha8Rng) -> u32 {
    let above = 8 + region_bits;
    let high = rng.random::<u32>().checked_shl(above).unwrap_or(0);
    let tag = rng.random_range(1..=0xff);
    high | entry << 8 | tag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_gets_half_and_numbers_rest_before_they_come_again() {
        let mut numbers = Numbers::new(2, 10);
        let taken: Vec<_> = (0..4).map(|_| numbers.take(1).unwrap()).collect();
        assert_eq!((taken, numbers.take(1)), (vec![2, 3, 4, 5], Err(errno::ENOMEM)));
        numbers.release(3);
        assert_eq!(numbers.take(1), Ok(6));
        assert_eq!((numbers.owner(6), numbers.owner(3)), (Some(1), None));
        assert_eq!((numbers.take(2), numbers.owner(7)), (Ok(7), Some(2)));
    }
}
