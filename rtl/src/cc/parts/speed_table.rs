//! Port-speed table of one lane: what a speed code means, in distributed RAM with a registered read.

use super::reset::{name_of_part, speeds, HPCC};
use crate::block;
use crate::emit::naming::named_as;
use crate::prim::uint::U;
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
    /// Time of one `txBytes` unit over eta, UQ12.22 ns.
    pub busy_time: Signal<Out, U<34>>,
    /// Weight of one `qLen` unit over eta, UQ2.32.
    pub queue_weight: Signal<Out, U<34>>,
    /// Elapsed time from which a record is stale, ns.
    pub stale_ns: Signal<Out, U<24>>,
    /// The code may be used.
    pub valid: Signal<Out, Bit>,
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
            self.busy_time.next = U(entry.busy_time);
            self.queue_weight.next = U(entry.queue_weight);
            self.stale_ns.next = U(entry.stale_ns.into());
            self.valid.next = entry.valid;
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
        self.busy_time.connect();
        self.queue_weight.connect();
        self.stale_ns.connect();
        self.valid.connect();
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
  busy_time = 0;
  queue_weight = 0;
  stale_ns = 0;
  valid = 0;
{initial}end
always @(posedge clk) begin
  if (write_busy) busy_mem[address] <= data[33:0];
  if (write_weight) weight_mem[address] <= data[33:0];
  if (write_stale) stale_mem[address] <= data[24:0];
  busy_time <= busy_mem[code];
  queue_weight <= weight_mem[code];
  {{valid, stale_ns}} <= stale_mem[code];
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
