//! Bytes that wait at a port, over time.

/// What was seen of a queue while its port sent or held something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueMeter {
    max: u64,
    /// Most since it was last asked.
    recent: u64,
    /// Bytes times time.
    sum: u128,
    time: u64,
}

impl QueueMeter {
    /// So many bytes wait.
    pub fn saw(&mut self, bytes: u64) {
        self.max = self.max.max(bytes);
        self.recent = self.recent.max(bytes);
    }

    /// The port was busy for `time`, and `bytes` of one frame waited for `wait` of it or of earlier times, all in one unit.
    pub fn add(&mut self, bytes: u64, wait: u64, time: u64) {
        self.sum += u128::from(bytes) * u128::from(wait);
        self.time += time;
    }

    /// Most bytes that waited.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Most bytes that waited since the last call.
    pub fn take_recent(&mut self) -> u64 {
        std::mem::take(&mut self.recent)
    }

    /// Mean of the bytes that waited.
    pub fn mean(&self) -> f64 {
        if self.time == 0 {
            0.0
        } else {
            self.sum as f64 / self.time as f64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_over_time() {
        let mut meter = QueueMeter::default();
        assert_eq!((meter.max(), meter.mean()), (0, 0.0));
        for (bytes, time) in [(100, 3), (0, 1), (500, 1)] {
            meter.saw(bytes);
            meter.add(bytes, time, time);
        }
        assert_eq!((meter.max(), meter.mean()), (500, 160.0));
        assert_eq!((meter.take_recent(), meter.take_recent(), meter.max()), (500, 0, 500));
    }
}
