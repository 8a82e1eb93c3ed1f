//! Whether the region under an access that was allowed still stands.

use crate::prim::lut_ram::LutRam;
use crate::prim::uint::U;
use crate::prim::word::bit_cast_word;
use crate::words::context::{EntryInUse, Region, RegionGuard, RegionKey};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// The state of each entry of the table of regions, as [`RegionCheck`](super::regions::RegionCheck) counts it. No entry is in use after power-up; the
/// manager empties all entries after a reset. Reference: `hpcc_models::nic::Regions`.
#[block]
pub struct RegionGuards {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The entry of a key is written, at most every third clock; whoever asks from the second clock after on sees it.
    pub region_valid: Signal<In, Bit>,
    /// Region that is written.
    pub region_data: Signal<In, Region>,
    /// Guard of an access.
    pub guard: Signal<In, RegionGuard>,
    /// The access of a clock ago stands.
    pub stands: Signal<Out, Bit>,
    /// An entry is written in this clock, one clock after the host wrote it.
    write_1: DFF<Bit>,
    /// There is a region now.
    valid_1: DFF<Bit>,
    /// The entry.
    entry_1: DFF<U<5>>,
    /// How often the entry had been written when the access was allowed.
    count_1: DFF<U<16>>,
    counts: LutRam<U<16>, 5>,
    entries: LutRam<EntryInUse, 5>,
    key: Signal<Local, RegionKey>,
    written: Signal<Local, EntryInUse>,
}

#[kernel]
impl Logic for RegionGuards {
    fn update(&mut self) {
        key = bit_cast_word::<RegionKey, U<32>>(region_data.key);
        assign!(
            write_1.d = region_valid,
            valid_1.d = region_data.valid,
            entry_1.d = key.entry
        );
        counts.raddr = key.entry;
        written.valid = valid_1;
        written.count = counts.rdata + 1;
        inputs!(counts: we = write_1, waddr = entry_1, wdata = written.count);
        inputs!(entries: we = write_1, waddr = entry_1, wdata = written);
        entries.raddr = guard.entry;
        count_1 = guard.count;
        stands = entries.rdata.val().valid & (entries.rdata.val().count == count_1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};

    /// Every answer against a list of what was written last, of guards that stand, that stood, and any.
    #[test]
    fn an_access_stands_until_its_entry_is_written() {
        let mut block: Box<RegionGuards> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(3);
        let mut entries = [(false, 0u64); 32];
        // writes on their way, by the clock from which they are seen
        let mut coming: Option<(u64, usize, bool)> = None;
        let (mut expected, mut seen) = (None, [0; 2]);
        for clock in 0..60_000u64 {
            if let Some((_, entry, valid)) = coming.take_if(|(at, ..)| *at == clock) {
                entries[entry] = (valid, (entries[entry].1 + 1) & 0xffff);
            }
            let write = coming.is_none() && stimulus.chance(0.1);
            block.region_valid.next = write;
            let (entry, valid) = (stimulus.below(32), stimulus.chance(0.8));
            block.region_data.next = Region {
                valid,
                key: U(stimulus.uniform(19) << 13 | entry << 8 | stimulus.uniform(8)),
                ..Region::default()
            };
            if write {
                coming = Some((clock + 2, entry as usize, valid));
            }
            let entry = stimulus.below(32);
            let (valid, count) = entries[entry as usize];
            let count = if stimulus.chance(0.5) { count } else { count.wrapping_sub(stimulus.below(3)) & 0xffff };
            block.guard.next = RegionGuard {
                entry: U(entry),
                count: U(count),
            };
            let stands = step(block.as_mut(), |b| b.stands.val());
            if let Some(expected) = expected.replace(valid && count == entries[entry as usize].1) {
                assert_eq!(stands, expected, "clock {clock}");
                seen[usize::from(stands)] += 1;
            }
        }
        assert!(seen.iter().all(|count| *count > 10_000), "{seen:?}");
    }
}
