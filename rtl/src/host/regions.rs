//! Memory regions: 32 slots found by key, and the check of an access against bounds and rights. One request a clock.
//!
//! | clock | registers | computed |
//! |---|---|---|
//! | 0 | inputs | 32 keys compared |
//! | 1 | `hit` | the slot that has the key; end of the access, its lower half |
//! | 2 | `slot_2` | its bounds and rights are read; the upper half of the end |
//! | 3 | RAM | compared |
//! | 4 | outputs | |
//!
//! Keys of slots in use differ. If two have the same, it may find neither: the numbers of all that have it are combined.
//! The RAM's own copy of the key decides at last, so a slot that is rewritten while a request is under way never lends its new
//! bounds to the old key. Ends are added in halves, because a carry through 64 bits would be the longest way of every block that checks regions. Reference: `hpcc_models::nic::Regions::allows`.

use crate::prim::lut_ram::LutRam;
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, LoopIdx, U};
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::context::Region;
use crate::words::numbers::{HalfSum, MemoryHalves};
use crate::words::registers::StoredRegion;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks from a request to its answer.
pub const REGION_CHECK_LATENCY: usize = 4;

/// What a request asks for, `access` of [`RegionCheck`]: this NIC's own work; any region may be used.
pub const ACCESS_LOCAL: u64 = 0;
/// WRITE from the network.
pub const ACCESS_REMOTE_WRITE: u64 = 1;
/// READ from the network.
pub const ACCESS_REMOTE_READ: u64 = 2;

/// Regions and their check.
#[block]
pub struct RegionCheck {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: no slot is in use.
    pub reset: Signal<In, Bit>,
    /// A slot is written; requests from the third clock after on see it.
    pub region_valid: Signal<In, Bit>,
    /// Slot.
    pub region_slot: Signal<In, U<5>>,
    /// Its new content.
    pub region_data: Signal<In, Region>,
    /// Key.
    pub key: Signal<In, U<32>>,
    /// First byte.
    pub address: Signal<In, U<64>>,
    /// Bytes; none are always allowed.
    pub length: Signal<In, U<32>>,
    /// 0 local, 1 remote write, 2 remote read.
    pub needed: Signal<In, U<2>>,
    /// The access of four clocks ago is allowed.
    pub allowed: Signal<Out, Bit>,
    // writing
    #[registers(Bit:
        /// A slot is written in this clock, one clock after the host wrote it.
        write_1)]
    #[signals(MemoryHalves: base_in, length_in, base_written, length_written, end_written)]
    #[signals(HalfSum: end_lower, end_upper)]
    /// Keys of the slots, all of which are compared with the key of a request.
    keys: [DFF<U<32>>; 32],
    ram: LutRam<StoredRegion, 5>,
    /// Slot that is written.
    slot_1: DFF<U<5>>,
    /// What is written into it.
    data_1: DFF<Region>,
    /// Lower half of the end of the region that is written, with its carry.
    end_lower_1: DFF<HalfSum>,
    /// Slots that hold a region.
    used: DFF<U<32>>,
    // 1
    /// Clock 1: first byte of the access.
    first_1: DFF<U<64>>,
    /// Clock 1: bytes of the access.
    length_1: DFF<U<32>>,
    /// Clock 1: the access has no bytes, which is always allowed.
    empty_1: DFF<Bit>,
    /// Clock 1: the slot is in use and has the key of the access.
    hit: [DFF<Bit>; 32],
    /// Clock 1: key of the access.
    key_1: DFF<U<32>>,
    /// Clock 1: right that the access needs.
    access_1: DFF<U<2>>,
    #[signals(MemoryHalves: first_1_halves, first_2_halves, last)]
    #[signals(HalfSum: last_lower, last_upper)]
    // 2
    #[registers(Bit:
        /// Clock 2: a slot has the key.
        found_2,
        /// Clock 2: the access has no bytes.
        empty_2)]
    /// Clock 2: first byte of the access.
    first_2: DFF<U<64>>,
    /// Clock 2: lower half of the access's end, with its carry.
    last_lower_2: DFF<HalfSum>,
    slot: Signal<Local, U<5>>,
    /// Clock 2: the slot that has the key; its bounds and rights are read.
    slot_2: DFF<U<5>>,
    /// Clock 2: key of the access.
    key_2: DFF<U<32>>,
    /// Clock 2: right that the access needs.
    access_2: DFF<U<2>>,
    // 3
    #[registers(Bit:
        /// Clock 3: a slot has the key.
        found_3,
        /// Clock 3: the access's end lies beyond 64 bits.
        over_3,
        /// Clock 3: the access has no bytes.
        empty_3)]
    #[registers(U<64>:
        /// Clock 3: first byte of the access.
        first_3,
        /// Clock 3: the access's end, lower 64 bits.
        last_3)]
    /// Clock 3: key of the access.
    key_3: DFF<U<32>>,
    /// Clock 3: right that the access needs.
    access_3: DFF<U<2>>,
    ends_later: Signal<Local, Bit>,
    // 4
    #[registers(Bit:
        /// Clock 4: the access has no bytes.
        empty_4,
        /// Clock 4: the slot still holds a region of this key.
        named_4,
        /// Clock 4: the region gives the right that the access needs.
        right_4,
        /// Clock 4: the access ends behind the region's end.
        above_4)]
    /// Clock 4: the access begins before the region's first byte.
    below_4: DFF<Bit>,
}

#[kernel]
impl Logic for RegionCheck {
    fn update(&mut self) {
        // writing: the lower half of the region's end, then the upper half with the slot
        base_in = bit_cast_word::<MemoryHalves, U<64>>(region_data.base);
        length_in = bit_cast_word::<MemoryHalves, U<64>>(region_data.length);
        end_lower = bit_cast_word::<HalfSum, U<33>>(
            bit_cast_u::<33, 32>(base_in.lower) + bit_cast_u::<33, 32>(length_in.lower),
        );
        assign! {
            write_1.d = region_valid, slot_1.d = region_slot, data_1.d = region_data, end_lower_1.d = end_lower
        }
        base_written = bit_cast_word::<MemoryHalves, U<64>>(data_1.base);
        length_written = bit_cast_word::<MemoryHalves, U<64>>(data_1.length);
        end_upper = bit_cast_word::<HalfSum, U<33>>(
            bit_cast_u::<33, 32>(base_written.upper)
                + bit_cast_u::<33, 32>(length_written.upper)
                + bit_cast_u::<33, 1>(bit_cast_b(end_lower_1.carry)),
        );
        end_written.lower = end_lower_1.half;
        end_written.upper = end_upper.half;
        for i in 0..32 {
            if write_1 & (slot_1 == i.val()) {
                keys[i] = data_1.key;
            }
            hit[i] = used.get_bit(i) & (keys[i] == key);
        }
        if write_1 {
            used = used.replace_bit(slot_1.index(), data_1.valid);
        }
        inputs!(ram: we = write_1, waddr = slot_1);
        ram.wdata.next.base = data_1.base;
        ram.wdata.next.end_address = bit_cast_number::<64, MemoryHalves>(end_written);
        ram.wdata.next.end_high = end_upper.carry;
        ram.wdata.next.valid = data_1.valid;
        ram.wdata.next.remote_write = data_1.remote_write;
        ram.wdata.next.remote_read = data_1.remote_read;
        ram.wdata.next.key = data_1.key;

        // 1
        assign!(key_1.d = key, first_1.d = address, length_1.d = length);
        access_1 = needed;
        empty_1 = length == 0;

        // 2
        slot = bits_u::<5>(0);
        clear!(found_2);
        for i in 0..32 {
            if hit[i] {
                slot = slot | i.val();
                found_2 = true;
            }
        }
        slot_2 = slot;
        first_1_halves = bit_cast_word::<MemoryHalves, U<64>>(first_1);
        last_lower = bit_cast_word::<HalfSum, U<33>>(
            bit_cast_u::<33, 32>(first_1_halves.lower) + bit_cast_u::<33, 32>(length_1),
        );
        last_lower_2 = last_lower;
        advance!(key_2, first_2, access_2, empty_2);

        // 3
        ram.raddr = slot_2;
        first_2_halves = bit_cast_word::<MemoryHalves, U<64>>(first_2);
        last_upper = bit_cast_word::<HalfSum, U<33>>(
            bit_cast_u::<33, 32>(first_2_halves.upper) + bit_cast_u::<33, 1>(bit_cast_b(last_lower_2.carry)),
        );
        last.lower = last_lower_2.half;
        last.upper = last_upper.half;
        last_3 = bit_cast_number::<64, MemoryHalves>(last);
        over_3 = last_upper.carry;
        advance!(found_3, key_3, first_3, access_3, empty_3);

        // 4: ends are 65 bits long
        ends_later = last_3 > ram.rdata.val().end_address;
        empty_4 = empty_3;
        named_4 = found_3 & ram.rdata.val().valid & (ram.rdata.val().key == key_3);
        right_4 = (access_3 == 0)
            | ((access_3 == 1) & ram.rdata.val().remote_write)
            | ((access_3 == 2) & ram.rdata.val().remote_read);
        below_4 = first_3 < ram.rdata.val().base;
        above_4 = (over_3 & !ram.rdata.val().end_high) | ((over_3 == ram.rdata.val().end_high) & ends_later);
        allowed = empty_4 | (named_4 & right_4 & !below_4 & !above_4);

        reset!(write_1, used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::prim::word::Word as _;
    use crate::sim::{init, step, Stimulus};
    use hpcc_models::nic::{Access, Region as ModelRegion, Regions};
    use std::collections::{BTreeMap, VecDeque};

    /// Slots filled, changed and cleared; accesses around every bound; a request a clock except right after a write.
    #[test]
    fn allows_what_the_model_allows() {
        let mut check: Box<RegionCheck> = Box::default();
        init(check.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(1);
        let mut slots: BTreeMap<u64, ModelRegion> = BTreeMap::new();
        let mut waiting: VecDeque<(u64, bool)> = VecDeque::new();
        let (mut quiet, mut seen) = (0, [0u64; 2]);
        for clock in 0..200_000u64 {
            check.reset.next = clock < 2;
            let write = clock > 2 && stimulus.chance(0.02);
            check.region_valid.next = write;
            if write {
                quiet = 3;
                let slot = stimulus.below(32);
                let mut key = stimulus.below(40) as u32;
                let taken = |key: u32| slots.iter().any(|(at, region)| *at != slot && region.key == key);
                while taken(key) {
                    key += 1;
                }
                let base = stimulus.corner(64);
                let length = match stimulus.below(3) {
                    0 => base.wrapping_neg(),
                    1 => stimulus.below(5000),
                    _ => stimulus.corner(64),
                };
                let new = ModelRegion {
                    key,
                    address: base,
                    length,
                    remote_write: stimulus.chance(0.7),
                    remote_read: stimulus.chance(0.7),
                };
                let valid = stimulus.chance(0.9);
                let mut word = [
                    stimulus.uniform(64),
                    stimulus.uniform(64),
                    stimulus.uniform(64),
                    stimulus.uniform(3),
                ];
                Region::VALID.put(&mut word, valid.into());
                Region::KEY.put(&mut word, key.into());
                Region::BASE.put(&mut word, base);
                Region::LENGTH.put(&mut word, length);
                Region::REMOTE_WRITE.put(&mut word, new.remote_write.into());
                Region::REMOTE_READ.put(&mut word, new.remote_read.into());
                check.region_slot.next = U(slot);
                check.region_data.next = Region::from_slice(&word);
                slots.remove(&slot);
                if valid {
                    slots.insert(slot, new);
                }
            }
            let key = if slots.is_empty() || stimulus.chance(0.1) {
                stimulus.below(50) as u32
            } else {
                let pick = stimulus.below(slots.len() as u64) as usize;
                slots.values().nth(pick).expect("a slot").key
            };
            let (mut address, mut length) = (stimulus.corner(64), stimulus.corner(32));
            if let Some(own) = slots.values().find(|region| region.key == key) {
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
            let access = stimulus.below(3);
            check.key.next = U(key.into());
            check.address.next = U(address);
            check.length.next = U(length);
            check.needed.next = U(access);
            if quiet == 0 {
                let mut regions = Regions::default();
                slots.values().for_each(|region| regions.insert(*region));
                let kind = [Access::Local, Access::RemoteWrite, Access::RemoteRead][access as usize];
                let expected = regions.allows(key, address, length, kind);
                waiting.push_back((clock + REGION_CHECK_LATENCY as u64, expected));
            }
            // what is under way when a slot changes may be judged by either state
            if write {
                waiting.clear();
            }
            quiet -= u64::from(quiet > 0);
            let allowed = step(check.as_mut(), |c| c.allowed.val());
            if waiting.front().is_some_and(|(at, _)| *at == clock) {
                let (_, expected) = waiting.pop_front().expect("checked");
                assert_eq!(allowed, expected, "clock {clock}");
                seen[usize::from(allowed)] += 1;
            }
        }
        assert!(seen[0] > 20_000 && seen[1] > 20_000, "{seen:?}");
    }

    /// A slot is given to another key while requests for both go by in every clock: at no moment does a key get the other's bounds.
    #[test]
    fn a_rewritten_slot_never_lends_its_new_bounds() {
        let old = (0x11, 0x1000u64);
        let new = (0x22, 0x9000u64);
        for (key, address) in [(old.0, new.1), (new.0, old.1)] {
            let mut check: Box<RegionCheck> = Box::default();
            init(check.as_mut()).expect("complete block");
            check.key.next = U(key);
            check.address.next = U(address);
            check.length.next = U(64);
            let write = |check: &mut RegionCheck, region: (u64, u64)| {
                let mut word = [0; 4];
                Region::VALID.put(&mut word, 1);
                Region::KEY.put(&mut word, region.0);
                Region::BASE.put(&mut word, region.1);
                Region::LENGTH.put(&mut word, 256);
                check.region_slot.next = U(3);
                check.region_data.next = Region::from_slice(&word);
                check.region_valid.next = true;
            };
            for clock in 0..64 {
                check.reset.next = clock < 2;
                check.region_valid.next = false;
                match clock {
                    10 => write(&mut check, old),
                    30 => write(&mut check, new),
                    _ => {}
                }
                let allowed = step(check.as_mut(), |c| c.allowed.val());
                assert!(!allowed || clock < 10, "key {key:x} at {address:x}, clock {clock}");
            }
        }
    }
}
