//! Port-speed table of one lane: what a speed code means, in distributed RAM with a registered read.

use super::reset::{name_of_part, speeds, HPCC};
use crate::block;
use crate::emit::naming::named_as;
use crate::prim::uint::U;
use crate::words::congestion::SpeedEntry;
use hpcc_models::fixed::registers::SpeedRegisters;
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
        let mut initial = String::new();
        for (i, entry) in speeds(LAW).iter().enumerate() {
            let stale = u64::from(entry.stale_ns) | u64::from(entry.valid) << 24;
            writeln!(initial, "  busy_mem[{i}] = 34'h{:x};", entry.busy_time).expect("string");
            writeln!(initial, "  weight_mem[{i}] = 34'h{:x};", entry.queue_weight).expect("string");
            writeln!(initial, "  stale_mem[{i}] = 25'h{stale:x};").expect("string");
        }
        Verilog::Custom(format!(
            "(* ram_style = \"distributed\" *) reg [33:0] busy_mem [0:15];
(* ram_style = \"distributed\" *) reg [33:0] weight_mem [0:15];
(* ram_style = \"distributed\" *) reg [24:0] stale_mem [0:15];
wire unused_data = &{{1'b0, data[47:34]}};
initial begin
  entry = 0;
{initial}end
always @(posedge clk) begin
  if (write_busy) busy_mem[address] <= data[33:0];
  if (write_weight) weight_mem[address] <= data[33:0];
  if (write_stale) stale_mem[address] <= data[24:0];
  entry <= {{stale_mem[code], weight_mem[code], busy_mem[code]}};
end"
        ))
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named_as::<Self>(match LAW {
            HPCC => "speed_table".into(),
            law => name_of_part(law, "speed_table"),
        })
    }
}
