//! Which matching when.

/// The cycle of an optical switch with a port for each of `racks` ToRs: matchings 1 to N - 1, a day each, a night after each day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// ToRs, N.
    pub racks: u32,
    /// A matching lasts this long, ps.
    pub day_ps: u64,
    /// Between two matchings, ps.
    pub night_ps: u64,
}

impl Schedule {
    /// A day and its night, ps.
    pub fn slot_ps(&self) -> u64 {
        self.day_ps + self.night_ps
    }

    /// All matchings once, ps.
    pub fn week_ps(&self) -> u64 {
        self.slot_ps() * u64::from(self.racks - 1)
    }

    /// The matching that leads from one ToR to another; none from a ToR to itself.
    pub fn matching(&self, from: u32, to: u32) -> Option<u32> {
        let m = (to + self.racks - from) % self.racks;
        (m > 0).then_some(m)
    }

    /// Where a matching leads from a ToR.
    pub fn peer(&self, from: u32, matching: u32) -> u32 {
        (from + matching) % self.racks
    }

    /// When a matching's first day begins, ps.
    pub fn first_day(&self, matching: u32) -> u64 {
        self.slot_ps() * u64::from(matching - 1)
    }

    /// The matching at a time and the end of its day; none at night.
    pub fn at(&self, now_ps: u64) -> Option<(u32, u64)> {
        let (slot, within) = (now_ps / self.slot_ps(), now_ps % self.slot_ps());
        let matching = (slot % u64::from(self.racks - 1)) as u32 + 1;
        (within < self.day_ps).then_some((matching, slot * self.slot_ps() + self.day_ps))
    }
}
