//! 1024 places for waiting answers, linked to lists; the free ones are a list too.
//!
//! A list is given back whole in one clock. After reset the links are written, one a clock.

use crate::prim::ram::RamReg;
use crate::prim::table_ram::TableRam;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::words::transport::Commit;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// The pool. `store` and `give` exclude each other, and `store` comes two clocks after either at the earliest. No place is looked at in the
/// clock in which it is filled.
#[block]
pub struct NodePool {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: all places are free again.
    pub reset: Signal<In, Bit>,
    /// Links are being written, for 1024 clocks after reset.
    pub clearing: Signal<Out, Bit>,
    /// Which, modulo 256.
    pub clear_at: Signal<Out, U<8>>,
    /// Place to look at.
    pub at: Signal<In, U<10>>,
    /// What waits there, two clocks later.
    pub item: Signal<Out, Commit>,
    /// The place behind it in its list, two clocks later.
    pub behind: Signal<Out, U<10>>,
    /// The place that is filled next.
    pub head: Signal<Out, U<10>>,
    /// Free places; those of a list that is given back two clocks later.
    pub free: Signal<Out, U<11>>,
    /// Fill it.
    pub store: Signal<In, Bit>,
    /// With this.
    pub new_item: Signal<In, Commit>,
    /// And link it behind place `link_to`.
    pub link: Signal<In, Bit>,
    /// Last place of the list.
    pub link_to: Signal<In, U<10>>,
    /// Give a list back.
    pub give: Signal<In, Bit>,
    /// First place of the list.
    pub give_first: Signal<In, U<10>>,
    /// Last place of the list.
    pub give_last: Signal<In, U<10>>,
    /// Number of its places.
    pub give_count: Signal<In, U<11>>,
    #[registers(U<10>:
        /// First free place.
        head_r,
        /// Last free place.
        tail_r,
        /// Place whose link is written next after a reset.
        counter)]
    #[signals(U<10>: next_head, waddr, wdata)]
    /// None is read in the clock in which it is written.
    items: TableRam<Commit, 10>,
    links: RamReg<U<10>, 10>,
    free_links: RamReg<U<10>, 10>,
    /// Number of free places.
    free_r: DFF<U<11>>,
    /// After a reset: links are written.
    busy: DFF<Bit>,
    we: Signal<Local, Bit>,
    // a list that is given back, a clock later
    #[registers(U<10>:
        /// First place of the list that is given back.
        first_r,
        /// Last place of the list that is given back.
        last_r)]
    /// Places of the list that is given back.
    count_r: DFF<U<11>>,
    /// A list is given back in this clock, one clock after it was named.
    gives: DFF<Bit>,
}

#[kernel]
impl Logic for NodePool {
    fn update(&mut self) {
        // while links are written nothing is stored and nothing given back
        assign!(next_head = head_r, waddr = counter);
        wdata = counter + 1;
        we = busy | gives | (store & link);
        if busy {
            counter = counter + 1;
            busy = !counter.all();
            free_r = bits_u::<11>(1024);
            tail_r = bits_u::<10>(1023);
        }
        if store {
            next_head = free_links.rdata;
            free_r = free_r - 1;
            assign!(waddr = link_to, wdata = head_r);
        }
        if gives {
            tail_r = last_r;
            free_r = free_r + count_r;
            assign!(waddr = tail_r, wdata = first_r);
        }
        assign!(
            gives.d = give,
            first_r.d = give_first,
            last_r.d = give_last,
            count_r.d = give_count
        );
        head_r = next_head;
        inputs!(items: raddr = at, we = store, waddr = head_r, wdata = new_item);
        links.raddr = at;
        inputs!(links: we, waddr, wdata);
        free_links.raddr = next_head;
        inputs!(free_links: we, waddr, wdata);
        item = items.rdata;
        behind = links.rdata;
        assign!(head = head_r, free = free_r, clearing = busy);
        clear_at = bit_cast_u::<8, 10>(counter);
        if reset {
            busy = true;
            clear!(counter, free_r, head_r, gives);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step};

    /// A reset in the middle of a sweep begins it anew.
    #[test]
    fn every_list_is_cleared_after_a_reset() {
        let mut block: Box<NodePool> = Box::default();
        init(block.as_mut()).expect("complete block");
        for sweep in [100, 1500] {
            block.reset.next = true;
            step(block.as_mut(), |_| ());
            block.reset.next = false;
            for clock in 0..sweep {
                let seen = step(block.as_mut(), |b| {
                    (b.clearing.val(), b.clear_at.val().0, b.free.val().0)
                });
                assert_eq!(seen.0, clock < 1024, "clock {clock}");
                if seen.0 {
                    assert_eq!(seen.1, clock % 256, "clock {clock}");
                } else {
                    assert_eq!(seen.2, 1024, "clock {clock}: all places are free");
                }
            }
        }
    }
}
