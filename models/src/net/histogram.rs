//! Distributions of queue lengths and times, of bounded size.

/// Width of a class of queue lengths, bytes.
pub const QUEUE_CLASS: u64 = 100;

/// Classes of [`QUEUE_CLASS`] bytes each: to 104.8576 MB, or ms where values are ns.
const EVEN: u64 = 1 << 20;
/// Above those a class is as wide as its lower end over 2^16.
const FINE_BITS: u32 = 16;

/// Distribution of queue lengths in classes of [`QUEUE_CLASS`] bytes, of values above 104.8 MB in classes of 1/65536 of the value: 29 MB at most.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueHistogram {
    counts: Vec<u64>,
    total: u64,
    max: u64,
}

impl QueueHistogram {
    /// Adds one sample, bytes.
    pub fn add(&mut self, bytes: u64) {
        let class = class_of(bytes);
        if class >= self.counts.len() {
            self.counts.resize(class + 1, 0);
        }
        self.counts[class] += 1;
        self.total += 1;
        self.max = self.max.max(bytes);
    }

    /// Adds another distribution.
    pub fn merge(&mut self, other: &QueueHistogram) {
        if other.counts.len() > self.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (own, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *own += theirs;
        }
        self.total += other.total;
        self.max = self.max.max(other.max);
    }

    /// Lower end of the class that holds the `p`-th percentile, bytes.
    pub fn percentile(&self, p: f64) -> u64 {
        let rank = (p / 100.0 * self.total as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (class, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return lower_end(class);
            }
        }
        0
    }

    /// Samples taken.
    pub fn samples(&self) -> u64 {
        self.total
    }

    /// Largest sample, bytes.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Classes with samples: lower end in bytes, count.
    pub fn classes(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.counts
            .iter()
            .enumerate()
            .filter(|(_, &c)| c > 0)
            .map(|(i, &c)| (lower_end(i), c))
    }
}

/// Number of the class of a value.
fn class_of(bytes: u64) -> usize {
    let even = bytes / QUEUE_CLASS;
    if even < EVEN {
        return even as usize;
    }
    let shift = even.ilog2() - FINE_BITS;
    let octave = u64::from(even.ilog2() - EVEN.ilog2());
    (EVEN + (octave << FINE_BITS) + (even >> shift) - (1 << FINE_BITS)) as usize
}

/// Lower end of a class, bytes.
fn lower_end(class: usize) -> u64 {
    let class = class as u64;
    if class < EVEN {
        return class * QUEUE_CLASS;
    }
    let (octave, place) = ((class - EVEN) >> FINE_BITS, (class - EVEN) & ((1 << FINE_BITS) - 1));
    let shift = EVEN.ilog2() - FINE_BITS + octave as u32;
    (((1 << FINE_BITS) + place) << shift) * QUEUE_CLASS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A value lies in its class: at its lower end or above, and below the lower end of the next one.
        #[test]
        fn a_value_lies_in_its_class(bytes in prop_oneof![0..1_000_000u64, 104_000_000..106_000_000u64, 0..1u64 << 62, Just(u64::MAX)]) {
            let class = class_of(bytes);
            prop_assert!(lower_end(class) <= bytes);
            if bytes < 1 << 62 {
                prop_assert!(bytes < lower_end(class + 1));
                let width = lower_end(class + 1) - lower_end(class);
                prop_assert!(width <= QUEUE_CLASS.max(bytes >> 16).max(1), "{} wide", width);
            }
            prop_assert!(class < 29_000_000 / 8);
        }
    }

    #[test]
    fn percentiles_are_lower_ends() {
        let mut queues = QueueHistogram::default();
        [0, 99, 100, 250, 4_000_000_000]
            .into_iter()
            .for_each(|bytes| queues.add(bytes));
        assert_eq!([0.0, 40.0, 60.0, 80.0].map(|p| queues.percentile(p)), [0, 0, 100, 200]);
        // class 40,000,000 of 100 bytes is in the sixth octave above 2^20: 512 of them are a class
        assert_eq!(queues.percentile(100.0), 40_000_000 / 512 * 512 * 100);
        assert_eq!((queues.samples(), queues.max()), (5, 4_000_000_000));
        let mut both = queues.clone();
        both.merge(&queues);
        assert_eq!(both.classes().map(|(_, count)| count).collect::<Vec<_>>(), [4, 2, 2, 2]);
    }

    /// Hundred seconds of one packet each hundred nanoseconds would be a thousand million classes of their own.
    #[test]
    fn size_is_bounded() {
        let mut queues = QueueHistogram::default();
        (0..64).for_each(|bit| queues.add(1 << bit));
        assert!(queues.counts.len() < 29_000_000 / 8);
    }
}
