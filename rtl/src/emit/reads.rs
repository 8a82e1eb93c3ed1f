//! Which bits of which signals a piece of Verilog reads.

use std::collections::BTreeMap;
use std::ops::Range;

/// Bit ranges read, by signal name. Names of states appear too.
#[derive(Debug, Default, Clone)]
pub(super) struct Reads(BTreeMap<String, Vec<Range<usize>>>);

impl Reads {
    /// Notes that `bits` of `name` are read.
    pub fn add(&mut self, name: &str, bits: Range<usize>) {
        self.0.entry(name.into()).or_default().push(bits);
    }
    pub fn merge(&mut self, other: &Reads) {
        for (name, ranges) in &other.0 {
            self.0.entry(name.clone()).or_default().extend(ranges.iter().cloned());
        }
    }
    /// Every signal that is read, with its ranges.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Vec<Range<usize>>)> {
        self.0.iter()
    }
    /// Whether one of these bits is read.
    pub fn overlaps(&self, name: &str, bits: &Range<usize>) -> bool {
        let ranges = self.0.get(name).into_iter().flatten();
        ranges
            .into_iter()
            .any(|range| range.start < bits.end && bits.start < range.end)
    }
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
    /// Bits of a signal of `width` bits that nobody reads, as maximal ranges from the top.
    pub fn unread(&self, name: &str, width: usize) -> Vec<Range<usize>> {
        let mut read = vec![false; width];
        for range in self.0.get(name).into_iter().flatten() {
            read[range.start.min(width)..range.end.min(width)].fill(true);
        }
        let mut gaps: Vec<Range<usize>> = vec![];
        for bit in (0..width).filter(|bit| !read[*bit]) {
            match gaps.last_mut() {
                Some(gap) if gap.end == bit => gap.end += 1,
                _ => gaps.push(bit..bit + 1),
            }
        }
        gaps.reverse();
        gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_between_slices_are_found() {
        let mut reads = Reads::default();
        reads.add("x", 2..5);
        reads.add("x", 4..6);
        assert_eq!(reads.unread("x", 9), [6..9, 0..2]);
        assert_eq!(reads.unread("y", 3), std::slice::from_ref(&(0..3)));
        reads.add("x", 0..9);
        assert!(reads.unread("x", 9).is_empty());
    }
}
