//! Memory regions, found by the entry that their keys name, and the check of an access against key, domain, bounds and rights. One request a clock.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | inputs | |
//! | 1 | `key_1`, ... | lower half of the access's end |
//! | 2 | `key_2`, ... | the entry is read; upper half of the end |
//! | 3 | table | compared; lower half of the address in memory |
//! | 4 | `allowed`, `guard` | upper half of the address in memory |
//! | 5 | `location` | |
//!
//! An access that was allowed stays so only as long as its region stands: each write of an entry is counted, and whoever goes on with the access
//! gives the [guard](RegionGuard) that was handed out with the permission, in clock 2. Sums are made in halves, because a carry through 64 bits would
//! be the longest way of every block that checks regions. Reference: `hpcc_models::nic::Regions`.

use crate::prim::lut_ram::LutRam;
use crate::prim::uint::{bit_cast_b, bit_cast_u, U};
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::context::{Region, RegionAccess, RegionGuard, RegionKey};
use crate::words::numbers::{HalfSum, MemoryHalves};
use crate::words::registers::StoredRegion;
use crate::{block, kernel};
use hpcc_models::nic::registers::REGION_SLOTS;
use rust_hdl::prelude::*;

/// Clocks from a request to its answer.
pub const REGION_CHECK_LATENCY: usize = 4;

// entries have the five bits of `RegionKey::entry`
const _: () = assert!(REGION_SLOTS == 32);

/// Regions and their check. There is none after power-up; a reset changes nothing, since the manager empties all entries after it.
#[block]
pub struct RegionCheck {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The entry of a key is written, at most every third clock; requests from the third clock after on see it.
    pub region_valid: Signal<In, Bit>,
    /// Region that is written.
    pub region_data: Signal<In, Region>,
    /// 0: key.
    pub key: Signal<In, U<32>>,
    /// 0: first byte.
    pub address: Signal<In, U<64>>,
    /// 0: bytes; none are always allowed.
    pub length: Signal<In, U<32>>,
    /// 0: use.
    pub needed: Signal<In, RegionAccess>,
    /// 2: the request goes on with an access that was allowed: it has a guard in place of a key, and bounds and rights are not looked at.
    pub goes_on: Signal<In, Bit>,
    /// 2: guard of that access.
    pub next_guard: Signal<In, RegionGuard>,
    /// 2: its first byte.
    pub next_address: Signal<In, U<64>>,
    /// 3: protection domain of the user; not looked at of a request that goes on.
    pub domain: Signal<In, U<16>>,
    /// 4: the access is allowed.
    pub allowed: Signal<Out, Bit>,
    /// 4: guard of the access.
    pub guard: Signal<Out, RegionGuard>,
    /// 5: its first byte in memory.
    pub location: Signal<Out, U<64>>,
    // writing
    #[registers(Bit:
        /// An entry is written in this clock, one clock after the host wrote it.
        write_1)]
    #[signals(MemoryHalves: base_in, length_in, base_written, length_written, end_written)]
    #[signals(HalfSum: end_lower, end_upper)]
    #[signals(RegionKey: key_in, key_written, key_asked)]
    table: LutRam<StoredRegion, 5>,
    /// Writes of each entry.
    counts: LutRam<U<16>, 5>,
    count_new: Signal<Local, U<16>>,
    /// What is written.
    data_1: DFF<Region>,
    /// Lower half of the end of the region that is written, with its carry.
    end_lower_1: DFF<HalfSum>,
    // 1
    /// Clock 1: first byte of the access.
    first_1: DFF<U<64>>,
    /// Clock 1: bytes of the access.
    length_1: DFF<U<32>>,
    #[registers(Bit:
        /// The access has no bytes, which is always allowed, in the clock of the name.
        empty_1, empty_2, empty_3, empty_4,
        /// The access goes on with one that was allowed, in the clock of the name.
        goes_on_3, goes_on_4)]
    #[registers(U<32>:
        /// Key of the access, in the clock of the name.
        key_1, key_2, key_3)]
    #[registers(RegionAccess:
        /// Use of the memory, in the clock of the name.
        access_1, access_2, access_3)]
    #[signals(MemoryHalves: first_1_halves, first_2_halves, last, first_3_halves, offset_3_halves, place)]
    #[signals(HalfSum: last_lower, last_upper, place_lower)]
    // 2
    /// Clock 2: first byte of the access.
    first_2: DFF<U<64>>,
    /// Clock 2: lower half of the access's end, with its carry.
    last_lower_2: DFF<HalfSum>,
    entry: Signal<Local, U<5>>,
    // 3
    #[registers(Bit:
        /// Clock 3: the access's end lies beyond 64 bits.
        over_3)]
    #[registers(U<64>:
        /// Clock 3: first byte of the access.
        first_3,
        /// Clock 3: the access's end, lower 64 bits.
        last_3,
        /// Clock 5: first byte of the access in memory.
        location_5)]
    #[registers(RegionGuard:
        /// Clock 3: entry that is looked at, and how often it had been written when the access was allowed.
        guard_3,
        /// Clock 4: guard of the access.
        guard_4)]
    found: Signal<Local, StoredRegion>,
    ends_later: Signal<Local, Bit>,
    // 4
    #[registers(Bit:
        /// Clock 4: the entry holds a region of this key and of the user's domain.
        named_4,
        /// Clock 4: the entry holds the region that it held when the access was allowed.
        stands_4,
        /// Clock 4: the region gives the right that the access needs.
        right_4,
        /// Clock 4: the access begins before the region's first byte.
        below_4,
        /// Clock 4: the access ends behind the region's end.
        above_4)]
    #[registers(U<32>:
        /// Clock 4: upper half of the access's first byte, and of the region's offset.
        first_upper_4, offset_upper_4)]
    /// Clock 4: lower half of the first byte in memory, with its carry.
    place_lower_4: DFF<HalfSum>,
}

#[kernel]
impl Logic for RegionCheck {
    fn update(&mut self) {
        // writing: the lower half of the region's end, then the upper half with the entry
        base_in = bit_cast_word::<MemoryHalves, U<64>>(region_data.base);
        length_in = bit_cast_word::<MemoryHalves, U<64>>(region_data.length);
        end_lower = bit_cast_word::<HalfSum, U<33>>(
            bit_cast_u::<33, 32>(base_in.lower) + bit_cast_u::<33, 32>(length_in.lower),
        );
        assign! {
            write_1.d = region_valid, data_1.d = region_data, end_lower_1.d = end_lower
        }
        key_in = bit_cast_word::<RegionKey, U<32>>(region_data.key);
        key_written = bit_cast_word::<RegionKey, U<32>>(data_1.key);
        counts.raddr = key_in.entry;
        count_new = counts.rdata + 1;
        inputs!(counts: we = write_1, waddr = key_written.entry, wdata = count_new);
        base_written = bit_cast_word::<MemoryHalves, U<64>>(data_1.base);
        length_written = bit_cast_word::<MemoryHalves, U<64>>(data_1.length);
        end_upper = bit_cast_word::<HalfSum, U<33>>(
            bit_cast_u::<33, 32>(base_written.upper)
                + bit_cast_u::<33, 32>(length_written.upper)
                + bit_cast_u::<33, 1>(bit_cast_b(end_lower_1.carry)),
        );
        end_written.lower = end_lower_1.half;
        end_written.upper = end_upper.half;
        inputs!(table: we = write_1, waddr = key_written.entry);
        table.wdata.next.base = data_1.base;
        table.wdata.next.end_address = bit_cast_number::<64, MemoryHalves>(end_written);
        table.wdata.next.end_high = end_upper.carry;
        table.wdata.next.valid = data_1.valid;
        table.wdata.next.remote_write = data_1.remote_write;
        table.wdata.next.remote_read = data_1.remote_read;
        table.wdata.next.read_only = data_1.read_only;
        table.wdata.next.key = data_1.key;
        table.wdata.next.domain = data_1.domain;
        table.wdata.next.offset = data_1.offset;
        table.wdata.next.count = count_new;

        // 1
        assign!(
            key_1.d = key,
            first_1.d = address,
            length_1.d = length,
            access_1.d = needed
        );
        empty_1 = length == 0;
        first_1_halves = bit_cast_word::<MemoryHalves, U<64>>(first_1);
        last_lower = bit_cast_word::<HalfSum, U<33>>(
            bit_cast_u::<33, 32>(first_1_halves.lower) + bit_cast_u::<33, 32>(length_1),
        );
        last_lower_2 = last_lower;
        advance!(key_2, first_2, access_2, empty_2);

        // 2
        key_asked = bit_cast_word::<RegionKey, U<32>>(key_2);
        entry = key_asked.entry;
        if goes_on {
            entry = next_guard.entry;
        }
        table.raddr = entry;
        fields!(guard_3.d: entry, count = next_guard.count);
        first_2_halves = bit_cast_word::<MemoryHalves, U<64>>(first_2);
        last_upper = bit_cast_word::<HalfSum, U<33>>(
            bit_cast_u::<33, 32>(first_2_halves.upper) + bit_cast_u::<33, 1>(bit_cast_b(last_lower_2.carry)),
        );
        last.lower = last_lower_2.half;
        last.upper = last_upper.half;
        last_3 = bit_cast_number::<64, MemoryHalves>(last);
        over_3 = last_upper.carry;
        goes_on_3 = goes_on;
        advance!(key_3, first_3, access_3, empty_3);
        if goes_on {
            first_3 = next_address;
            empty_3 = false;
        }

        // 3: ends are 65 bits long
        found = table.rdata;
        ends_later = last_3 > found.end_address;
        advance!(empty_4, goes_on_4);
        named_4 = found.valid & (found.key == key_3) & (found.domain == domain);
        stands_4 = found.valid & (found.count == guard_3.count);
        right_4 = (access_3 == RegionAccess::Local)
            | ((access_3 == RegionAccess::RemoteWrite) & found.remote_write)
            | ((access_3 == RegionAccess::RemoteRead) & found.remote_read)
            | ((access_3 == RegionAccess::LocalWrite) & !found.read_only);
        below_4 = first_3 < found.base;
        above_4 = (over_3 & !found.end_high) | ((over_3 == found.end_high) & ends_later);
        fields!(guard_4.d: entry = guard_3.entry, count = found.count);
        first_3_halves = bit_cast_word::<MemoryHalves, U<64>>(first_3);
        offset_3_halves = bit_cast_word::<MemoryHalves, U<64>>(found.offset);
        place_lower = bit_cast_word::<HalfSum, U<33>>(
            bit_cast_u::<33, 32>(first_3_halves.lower) + bit_cast_u::<33, 32>(offset_3_halves.lower),
        );
        assign! {
            place_lower_4.d = place_lower, first_upper_4.d = first_3_halves.upper, offset_upper_4.d = offset_3_halves.upper
        }

        // 4
        allowed = empty_4 | (stands_4 & goes_on_4) | (named_4 & right_4 & !below_4 & !above_4 & !goes_on_4);
        guard = guard_4;
        place.lower = place_lower_4.half;
        place.upper = first_upper_4 + offset_upper_4 + bit_cast_u::<32, 1>(bit_cast_b(place_lower_4.carry));
        location_5 = bit_cast_number::<64, MemoryHalves>(place);

        // 5
        location = location_5;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::sim::{init, step, Stimulus};
    use hpcc_models::nic::queues::{MemoryRegion, Rights};
    use hpcc_models::nic::{Access, Regions};
    use std::collections::{BTreeMap, VecDeque};

    /// What is asked of the block in a clock, and what its answer must be.
    struct Asked {
        /// Clock of the request.
        clock: u64,
        /// Domain of the user, given in clock 3.
        domain: u16,
        allowed: bool,
        /// Place in memory, of an access that has bytes and is allowed.
        location: Option<u64>,
    }

    /// A region as the host writes it.
    fn word(region: &MemoryRegion, valid: bool) -> Region {
        Region {
            valid,
            key: U(region.key.into()),
            base: U(region.address),
            length: U(region.length),
            remote_write: region.rights.remote_write,
            remote_read: region.rights.remote_read,
            read_only: !region.rights.local_write,
            domain: U(region.domain.into()),
            offset: U(region.offset),
        }
    }

    fn entry(key: u32) -> u32 {
        key >> 8 & 31
    }

    const KINDS: [(RegionAccess, Access); 4] = [
        (RegionAccess::Local, Access::Local),
        (RegionAccess::RemoteWrite, Access::RemoteWrite),
        (RegionAccess::RemoteRead, Access::RemoteRead),
        (RegionAccess::LocalWrite, Access::LocalWrite),
    ];

    /// Entries filled, changed and emptied; accesses around every bound; a request a clock, of those that see a write and of those that do not.
    #[test]
    fn allows_what_the_model_allows() {
        let mut check: Box<RegionCheck> = Box::default();
        init(check.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(1);
        let mut regions = Regions::default();
        let mut entries: BTreeMap<u32, MemoryRegion> = BTreeMap::new();
        let mut waiting: VecDeque<Asked> = VecDeque::new();
        let mut places: VecDeque<(u64, Option<u64>)> = VecDeque::new();
        let (mut quiet, mut seen) = (0, [0u64; 2]);
        for clock in 0..200_000u64 {
            let write = clock > 2 && quiet == 0 && stimulus.chance(0.02);
            check.region_valid.next = write;
            if write {
                quiet = 3;
                // another key of the same entry now and then, which the manager allows only once the first is gone
                let key = (stimulus.below(3) << 13 | stimulus.below(32) << 8 | stimulus.below(2) << 7) as u32;
                let base = stimulus.corner(64);
                let length = match stimulus.below(3) {
                    0 => base.wrapping_neg(),
                    1 => stimulus.below(5000),
                    _ => stimulus.corner(64),
                };
                let new = MemoryRegion {
                    key,
                    domain: [0, 1, 0xffff][stimulus.below(3) as usize],
                    address: base,
                    length,
                    offset: stimulus.corner(64),
                    rights: Rights {
                        local_write: stimulus.chance(0.7),
                        remote_write: stimulus.chance(0.7),
                        remote_read: stimulus.chance(0.7),
                        ..Rights::default()
                    },
                };
                let valid = stimulus.chance(0.9);
                check.region_data.next = word(&new, valid);
                if let Some(old) = entries.remove(&entry(key)) {
                    regions.remove(old.key);
                }
                if valid {
                    entries.insert(entry(key), new);
                    regions.store(new);
                }
            }
            let own = (!entries.is_empty()).then(|| {
                let pick = stimulus.below(entries.len() as u64) as usize;
                *entries.values().nth(pick).expect("an entry")
            });
            let mut key = own.map_or(0, |own| own.key);
            if stimulus.chance(0.1) {
                key ^= 1 << stimulus.below(32);
            }
            let (mut address, mut length) = (stimulus.corner(64), stimulus.corner(32));
            if let Some(own) = own {
                let near = stimulus.below(5).wrapping_sub(2);
                match stimulus.below(4) {
                    0 => address = own.address.wrapping_add(near),
                    1 => {
                        address = own
                            .address
                            .wrapping_add(own.length)
                            .wrapping_sub(length)
                            .wrapping_add(near)
                    }
                    2 => {
                        address = own.address;
                        length = own.length.wrapping_add(near) & 0xffff_ffff;
                    }
                    _ => address = own.address.wrapping_add(stimulus.below(own.length.max(1))),
                }
            }
            if stimulus.chance(0.05) {
                length = 0;
            }
            let mut domain = own.map_or(0, |own| own.domain);
            if stimulus.chance(0.1) {
                domain ^= 1 << stimulus.below(16);
            }
            let (access, kind) = KINDS[stimulus.below(4) as usize];
            check.key.next = U(key.into());
            check.address.next = U(address);
            check.length.next = U(length);
            check.needed.next = access;
            if quiet == 0 {
                let location = regions.locate(domain, key, address, length, kind);
                waiting.push_back(Asked {
                    clock,
                    domain,
                    allowed: location.is_some(),
                    location: location.filter(|_| length > 0),
                });
            }
            // what is under way when an entry changes may be judged by either state
            if write {
                waiting.clear();
            }
            quiet -= u64::from(quiet > 0);
            let asked = waiting.iter().find(|asked| asked.clock + 3 == clock);
            check.domain.next = U(asked.map_or(0, |asked| asked.domain).into());
            let (allowed, location) = step(check.as_mut(), |c| (c.allowed.val(), c.location.val().0));
            if let Some((_, Some(expected))) = places.pop_front_if(|(at, _)| *at == clock) {
                assert_eq!(location, expected, "clock {clock}");
            }
            let at = |asked: &mut Asked| asked.clock + REGION_CHECK_LATENCY as u64 == clock;
            if let Some(asked) = waiting.pop_front_if(at) {
                assert_eq!(allowed, asked.allowed, "clock {clock}");
                places.push_back((clock + 1, asked.location));
                seen[usize::from(allowed)] += 1;
            }
        }
        assert!(seen[0] > 20_000 && seen[1] > 20_000, "{seen:?}");
    }

    /// A bench for one region: writes and requests by hand.
    fn one_region() -> (Box<RegionCheck>, MemoryRegion) {
        let mut check: Box<RegionCheck> = Box::default();
        init(check.as_mut()).expect("complete block");
        let region = MemoryRegion {
            key: 0x1f22,
            domain: 0,
            address: 0x9000,
            length: 256,
            offset: 0xffff_ffff_8000,
            rights: Rights::ALL,
        };
        (check, region)
    }

    fn write(check: &mut RegionCheck, region: &MemoryRegion, valid: bool) {
        check.region_valid.next = true;
        check.region_data.next = word(region, valid);
        step(check, |_| ());
        check.region_valid.next = false;
        step(check, |_| ());
        step(check, |_| ());
    }

    /// Verdict, guard and place of a request that stays at the inputs.
    fn ask(check: &mut RegionCheck) -> (bool, RegionGuard, u64) {
        for _ in 0..5 {
            step(check, |_| ());
        }
        step(check, |c| (c.allowed.val(), c.guard.val(), c.location.val().0))
    }

    /// What goes on with an access is allowed as long as the entry has not been written again, with whatever; it has no key, bounds or rights.
    #[test]
    fn what_goes_on_needs_the_region_that_it_began_with() {
        let (mut check, region) = one_region();
        let check = check.as_mut();
        for round in 0..3u64 {
            write(check, &region, true);
            check.key.next = U(region.key.into());
            check.address.next = U(0x9010);
            check.length.next = U(240);
            check.goes_on.next = false;
            let (allowed, guard, location) = ask(check);
            assert!(allowed);
            assert_eq!((guard.entry.0, guard.count.0), (31, 2 * round + 1));
            assert_eq!(location, 0x1_0000_0000_1010);
            // with nothing that would be allowed by itself
            check.key.next = U(0);
            check.address.next = U(0);
            check.length.next = U(0);
            check.goes_on.next = true;
            check.next_guard.next = guard;
            check.next_address.next = U(0xffff_ffff_ffff_fff0);
            let (allowed, next, location) = ask(check);
            assert!(allowed);
            assert_eq!(next, guard);
            assert_eq!(location, 0xffff_ffff_7ff0);
            write(check, &region, round > 0);
            assert!(!ask(check).0, "written anew, or removed");
        }
    }

    /// An entry is given to another key while requests for both go by in every clock: at no moment does a key get the other's bounds.
    #[test]
    fn a_rewritten_entry_never_lends_its_new_bounds() {
        let region = |key, address| MemoryRegion {
            key,
            domain: 0,
            address,
            length: 256,
            offset: 0,
            rights: Rights::default(),
        };
        let (old, new) = (region(0x311, 0x1000u64), region(0x322, 0x9000u64));
        for (key, address) in [(old.key, new.address), (new.key, old.address)] {
            let mut check: Box<RegionCheck> = Box::default();
            init(check.as_mut()).expect("complete block");
            check.key.next = U(key.into());
            check.address.next = U(address);
            check.length.next = U(64);
            for clock in 0..60u64 {
                check.region_valid.next = clock == 4 || clock == 20 || clock == 40;
                check.region_data.next = word(if clock == 20 { &new } else { &old }, true);
                let allowed = step(check.as_mut(), |c| c.allowed.val());
                assert!(!allowed, "clock {clock}: key {key:x} at {address:x}");
            }
        }
    }
}
