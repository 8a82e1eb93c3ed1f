//! Port-speed table of one lane: what a speed code means, in distributed RAM with a registered read.

use super::reset::{speeds, HPCC, POWERTCP};
use crate::block;
use crate::prim::uint::U;
use crate::words::congestion::SpeedEntry;
use hpcc_models::fixed::registers::SpeedRegisters;
use rust_hdl::core::ast::BlackBox;
use rust_hdl::prelude::*;
use std::fmt::Write;

/// 16 entries of the law of code `LAW`; the entry of `code` shows one clock later. Starts with the default speeds (the RAM keeps its content over a
/// reset). A write and a read of the same entry in one clock show the old value.
#[block]
pub struct SpeedTable<const LAW: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Speed code.
    pub code: Signal<In, U<4>>,
    /// What it stands for.
    pub entry: Signal<Out, SpeedEntry>,
    /// Entry to write.
    pub address: Signal<In, U<4>>,
    /// Value to write.
    pub data: Signal<In, U<48>>,
    /// Write the busy time.
    pub write_busy: Signal<In, Bit>,
    /// Write the queue weight.
    pub write_weight: Signal<In, Bit>,
    /// Write the stale time (bits 23 to 0) and the valid bit (bit 24).
    pub write_stale: Signal<In, Bit>,
    #[init(speeds(LAW))]
    _entries: [SpeedRegisters; 16],
}

impl<const LAW: usize> Logic for SpeedTable<LAW> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let entry = self._entries[self.code.val().index()];
            self.entry.next = SpeedEntry {
                busy_time: U(entry.busy_time),
                queue_weight: U(entry.queue_weight),
                stale_ns: U(entry.stale_ns.into()),
                valid: entry.valid,
            };
            let data = self.data.val();
            let entry = &mut self._entries[self.address.val().index()];
            if self.write_busy.val() {
                entry.busy_time = data.get_bits::<34>(0).0;
            }
            if self.write_weight.val() {
                entry.queue_weight = data.get_bits::<34>(0).0;
            }
            if self.write_stale.val() {
                entry.stale_ns = data.get_bits::<24>(0).0 as u32;
                entry.valid = data.get_bit(24);
            }
        }
    }
    fn connect(&mut self) {
        self.entry.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Blackbox(BlackBox {
            name: format!("hpcc_speed_table #(.LAW({LAW}))"),
            code: include_str!("speed_table.sv")
                .replace("      // SPEEDS_OF_POWERTCP\n", &reset_values(POWERTCP))
                .replace("      // SPEEDS_OF_HPCC\n", &reset_values(HPCC)),
        })
    }
}

/// What the memories hold at the start.
fn reset_values(law: usize) -> String {
    let mut text = String::new();
    for (i, entry) in speeds(law).iter().enumerate() {
        let stale = u64::from(entry.stale_ns) | u64::from(entry.valid) << 24;
        writeln!(text, "      busy_mem[{i}] = 34'h{:x};", entry.busy_time).expect("string");
        writeln!(text, "      weight_mem[{i}] = 34'h{:x};", entry.queue_weight).expect("string");
        writeln!(text, "      stale_mem[{i}] = 25'h{stale:x};").expect("string");
    }
    text
}
