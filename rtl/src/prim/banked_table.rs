//! A long table in two banks, for tables whose length is far from a power of two: block RAM is spent on one length and on another.

use super::table_ram::{DirectRam, TableRam};
use super::uint::{bit_cast_u, U};
use crate::emit::naming::named_inside;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// As [`TableRam`]: `rdata` is the word at `raddr` of two clocks ago, as it was before that clock's write. 2^`L` + 2^`H` words, of an address of `A` = `L` + 1
/// bits; a higher address means one of the words of the second bank. Which bank counts is chosen behind their output registers, which block RAM has inside.
#[block]
pub struct BankedTable<T: Synth, const A: usize, const L: usize, const H: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Word to read.
    pub raddr: Signal<In, U<A>>,
    /// The word, two clocks later.
    pub rdata: Signal<Out, T>,
    /// Write enable.
    pub we: Signal<In, Bit>,
    /// Word to write.
    pub waddr: Signal<In, U<A>>,
    /// New value.
    pub wdata: Signal<In, T>,
    /// Words 0 to 2^`L` - 1.
    low: TableRam<T, L>,
    /// Words behind the lower part.
    high: TableRam<T, H>,
    #[registers(Bit: from_high_1, from_high)]
    writes_high: Signal<Local, Bit>,
    /// The bit of an address that means the second bank.
    #[init(Constant::new(U(1 << L)))]
    second: Constant<U<A>>,
}

#[kernel]
impl<T: Synth, const A: usize, const L: usize, const H: usize> Logic for BankedTable<T, A, L, H> {
    fn update(&mut self) {
        writes_high = (waddr & second).any();
        low.raddr = bit_cast_u::<L, A>(raddr);
        low.we = we & !writes_high;
        low.waddr = bit_cast_u::<L, A>(waddr);
        low.wdata = wdata;
        high.raddr = bit_cast_u::<H, A>(raddr);
        high.we = we & writes_high;
        high.waddr = bit_cast_u::<H, A>(waddr);
        high.wdata = wdata;
        from_high_1 = (raddr & second).any();
        from_high = from_high_1;
        rdata = if from_high { high.rdata } else { low.rdata };
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

/// As [`BankedTable`], with an output register that holds: the word at `raddr` of the clock before is taken where `take` says so, shows from the clock after on
/// and stays until another is taken.
#[block]
pub struct HeldBankedTable<T: Synth, const A: usize, const L: usize, const H: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Word to read.
    pub raddr: Signal<In, U<A>>,
    /// The word that was read a clock ago is taken.
    pub take: Signal<In, Bit>,
    /// The word taken last.
    pub rdata: Signal<Out, T>,
    /// Write enable.
    pub we: Signal<In, Bit>,
    /// Word to write.
    pub waddr: Signal<In, U<A>>,
    /// New value.
    pub wdata: Signal<In, T>,
    /// Words 0 to 2^`L` - 1.
    low: DirectRam<T, L>,
    /// Words behind the lower part.
    high: DirectRam<T, H>,
    /// Output registers of the banks: nothing is chosen before them, which the block RAM then has inside.
    #[registers(T: of_low, of_high)]
    #[registers(Bit: from_high_1, from_high)]
    writes_high: Signal<Local, Bit>,
    /// The bit of an address that means the second bank.
    #[init(Constant::new(U(1 << L)))]
    second: Constant<U<A>>,
}

#[kernel]
impl<T: Synth, const A: usize, const L: usize, const H: usize> Logic for HeldBankedTable<T, A, L, H> {
    fn update(&mut self) {
        writes_high = (waddr & second).any();
        low.raddr = bit_cast_u::<L, A>(raddr);
        low.we = we & !writes_high;
        low.waddr = bit_cast_u::<L, A>(waddr);
        low.wdata = wdata;
        high.raddr = bit_cast_u::<H, A>(raddr);
        high.we = we & writes_high;
        high.waddr = bit_cast_u::<H, A>(waddr);
        high.wdata = wdata;
        from_high_1 = (raddr & second).any();
        if take {
            assign!(of_low.d = low.rdata, of_high.d = high.rdata, from_high.d = from_high_1);
        }
        rdata = if from_high { of_high } else { of_low };
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};

    /// Likewise, where the word is held until another is taken.
    #[test]
    fn a_word_is_held_until_another_is_taken() {
        let mut table: Box<HeldBankedTable<U<16>, 4, 3, 2>> = Box::default();
        init(table.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(5);
        let (mut words, mut read, mut held) = ([0u64; 12], 0, 0);
        let place = |address: u64| if address < 12 { address } else { address - 4 } as usize;
        for clock in 0..20_000 {
            let (we, w, r) = (stimulus.chance(0.5), stimulus.uniform(4), stimulus.uniform(4));
            let (data, take) = (stimulus.uniform(16), stimulus.chance(0.4));
            (table.we.next, table.waddr.next) = (we, U(w));
            (table.raddr.next, table.wdata.next, table.take.next) = (U(r), U(data), take);
            assert_eq!(step(table.as_mut(), |table| table.rdata.val().0), held, "clock {clock}");
            if take {
                held = read;
            }
            read = words[place(r)];
            if we {
                words[place(w)] = data;
            }
        }
    }

    /// Twelve words of the sixteen that the address could tell; the words behind the twelfth are those before it again.
    #[test]
    fn reads_show_the_word_before_the_write_in_both_banks() {
        let mut table: Box<BankedTable<U<16>, 4, 3, 2>> = Box::default();
        init(table.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(4);
        let (mut words, mut past) = ([0u64; 12], [0u64; 2]);
        let place = |address: u64| if address < 12 { address } else { address - 4 } as usize;
        for clock in 0..20_000 {
            let (we, w, r) = (stimulus.chance(0.5), stimulus.uniform(4), stimulus.uniform(4));
            let data = stimulus.uniform(16);
            (table.we.next, table.waddr.next) = (we, U(w));
            (table.raddr.next, table.wdata.next) = (U(r), U(data));
            assert_eq!(
                step(table.as_mut(), |table| table.rdata.val().0),
                past[0],
                "clock {clock}"
            );
            past = [past[1], words[place(r)]];
            if we {
                words[place(w)] = data;
            }
        }
    }
}
