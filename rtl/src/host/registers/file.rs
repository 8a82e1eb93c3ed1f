//! The flip-flops of the register map, made from its description [`hpcc_models::nic::registers::registers`].
//!
//! One write and one read a clock. A write's place is decoded in its clock, as a row of sixteen words and the place in it, and the value stored in the
//! next; a value that is read is chosen among every fourth word before the registers of its answer, and among these four behind them. Registers whose place is `Elsewhere` are known here (they count as
//! mapped) and read as zero.

use super::settings::Settings;
use crate::block;
use crate::emit::naming::named;
use crate::prim::uint::{Limbs, U};
use crate::prim::wide::W;
use hpcc_models::nic::registers::{mapped_words, registers, Place, Register, MAP_BYTES};
use rust_hdl::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Registers that hold something, and their values.
struct State {
    registers: Vec<Register>,
    values: Vec<u32>,
    ranges: Vec<(u16, u16)>,
}

impl Default for State {
    fn default() -> Self {
        let registers = registers();
        Self {
            values: registers.iter().map(Register::reset).collect(),
            registers,
            ranges: mapped_words(),
        }
    }
}

impl State {
    fn mapped(&self, word: u64) -> bool {
        self.ranges
            .iter()
            .any(|(first, last)| (u64::from(*first)..=u64::from(*last)).contains(&word))
    }
    fn at(&self, word: u64) -> Option<usize> {
        self.registers
            .iter()
            .position(|register| u64::from(register.offset / 4) == word)
    }
    /// Limbs of a signal.
    fn signal(&self, signal: &str) -> [u64; 6] {
        let mut limbs = [0; 6];
        for (register, value) in self.registers.iter().zip(&self.values) {
            for field in &register.fields {
                match field.place {
                    Place::Signal(name, at) if name == signal => {
                        let bits = u64::from((value & field.mask()) >> field.low);
                        limbs[usize::from(at / 64)] |= bits << (at % 64);
                    }
                    _ => {}
                }
            }
        }
        limbs
    }
}

/// The register file. Signals `cfg_*` and `body` are named in the description.
#[block]
pub struct RegisterFile {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: reset values.
    pub reset: Signal<In, Bit>,
    /// Write in the next clock, for which value and bytes stay. A value outside of the range of its register is not written.
    pub write: Signal<In, Bit>,
    /// Word to write (offset / 4).
    pub waddr: Signal<In, U<10>>,
    /// Value.
    pub wdata: Signal<In, U<32>>,
    /// Bytes to write.
    pub wstrb: Signal<In, U<4>>,
    /// The word of one clock ago is mapped, and its value was within the range of the register.
    pub whit: Signal<Out, Bit>,
    /// Word to read.
    pub raddr: Signal<In, U<10>>,
    /// Value of the register, one clock later.
    pub rdata: Signal<Out, U<32>>,
    /// The word of one clock ago is mapped.
    pub rhit: Signal<Out, Bit>,
    /// Shown in the register of that name.
    pub sched_late: Signal<In, U<32>>,
    /// Shown in the register of that name.
    pub sched_beyond: Signal<In, U<32>>,
    /// Shown in the register of that name.
    pub sched_out_of_range: Signal<In, U<32>>,
    /// Shown in the register of that name.
    pub sched_cc_dropped: Signal<In, U<32>>,
    /// Shown in the register of that name.
    pub laws: Signal<In, U<8>>,
    /// What software has set.
    pub cfg: Settings,
    /// Body of a command.
    pub body: Signal<Out, W<384, 6>>,
    _state: State,
    /// What is written in this clock.
    #[init(None)]
    _place: Option<usize>,
}

/// Carries something out for every setting.
macro_rules! for_each_setting {
    ($each:ident, $self:ident) => {
        $each!($self; mac ip mtu port_roce port_int port_echo port_control echo_icrc_full probe_interval probe_timeout probe_packets dscp_unstamped pkey dscp ttl ecn cnp_dscp cnp_interval cnp_enable
            ack_req_interval times_spacing times_enable max_rd_atomic rnr_retry reads ack_priority ack_pause speed_valid window rate
            line_rate default_law control_enable control_interval control_key control_sources cap_window cap_dither
            cap_time)
    };
}
macro_rules! show {
    ($self:ident; $($name:ident)*) => {
        $($self.cfg.$name.next = Limbs::from_limbs(&$self._state.signal(concat!("cfg_", stringify!($name))));)*
    };
}
macro_rules! connect {
    ($self:ident; $($name:ident)*) => { $($self.cfg.$name.connect();)* };
}

impl RegisterFile {
    fn store(&mut self, at: usize) {
        let bytes = (0..4)
            .filter(|byte| self.wstrb.val().get_bit(*byte))
            .map(|byte| 0xff << (8 * byte));
        let mask = bytes.fold(0u32, |mask, byte| mask | byte) & self._state.registers[at].stored_mask();
        let value = &mut self._state.values[at];
        *value = *value & !mask | self.wdata.val().0 as u32 & mask;
    }
    /// The write would leave a value outside of the range of its register.
    fn outside(&self) -> bool {
        let Some(at) = self._state.at(self.waddr.val().0) else {
            return false;
        };
        self._state.registers[at].fields.iter().any(|field| {
            let value = (self.wdata.val().0 as u32 & field.mask()) >> field.low;
            field.range.is_some_and(|(least, most)| {
                self.wstrb.val().get_bit(usize::from(field.low) / 8) && !(least..=most).contains(&value)
            })
        })
    }
    fn load(&self) -> u64 {
        let Some(at) = self._state.at(self.raddr.val().0) else {
            return 0;
        };
        let register = &self._state.registers[at];
        match register.fields[0].place {
            Place::Live("sched_late") => self.sched_late.val().0,
            Place::Live("sched_beyond") => self.sched_beyond.val().0,
            Place::Live("sched_out_of_range") => self.sched_out_of_range.val().0,
            Place::Live("sched_cc_dropped") => self.sched_cc_dropped.val().0,
            Place::Live("laws") => self.laws.val().0,
            Place::Constant => register.reset().into(),
            _ => u64::from(self._state.values[at] & register.read_mask()),
        }
    }
}

impl Logic for RegisterFile {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let outside = self.outside();
            self.whit.next = self._state.mapped(self.waddr.val().0) && !outside;
            self.rhit.next = self._state.mapped(self.raddr.val().0);
            self.rdata.next = U(self.load());
            let writes = self.write.val() && !self.reset.val() && !outside;
            let place = writes.then(|| self._state.at(self.waddr.val().0)).flatten();
            let stored = std::mem::replace(&mut self._place, place);
            if self.reset.val() {
                self._state.values = self._state.registers.iter().map(Register::reset).collect();
            } else if let Some(at) = stored {
                self.store(at);
            } else {
                return;
            }
            for_each_setting!(show, self);
            self.body.next = Limbs::from_limbs(&self._state.signal("body"));
        }
    }
    fn connect(&mut self) {
        self.whit.connect();
        self.rhit.connect();
        self.rdata.connect();
        for_each_setting!(connect, self);
        self.body.connect();
        // what the flip-flops hold before the first reset
        self._state.values.fill(0);
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(verilog())
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}

/// Flip-flops of a register; its highest bit is the highest that is stored.
fn stored(register: &Register) -> Option<(String, u32)> {
    let mask = register.stored_mask();
    (mask != 0).then(|| (format!("r_{}", register.name.to_lowercase()), 32 - mask.leading_zeros()))
}

/// Condition that a word address is mapped.
fn hit(address: &str) -> String {
    let ranges = mapped_words();
    let one = |(first, last): &(u16, u16)| match (first, last) {
        (0, last) => format!("({address} <= 10'd{last})"),
        // nothing lies behind the last word of the map
        (first, last) if *last == MAP_BYTES / 4 - 1 => format!("({address} >= 10'd{first})"),
        (first, last) if first == last => format!("({address} == 10'd{first})"),
        (first, last) => format!("(({address} >= 10'd{first}) && ({address} <= 10'd{last}))"),
    };
    ranges.iter().map(one).collect::<Vec<_>>().join(" || ")
}

/// Condition that a write would leave a value outside of the range of its register.
fn outside(registers: &[Register]) -> String {
    let mut tests = Vec::new();
    for register in registers {
        for field in &register.fields {
            let Some((least, most)) = field.range else { continue };
            let (high, low, width) = (field.low + field.width - 1, field.low, field.width);
            let value = format!("wdata[{high}:{low}]");
            let mut wrong = Vec::new();
            if least > 0 {
                wrong.push(format!("({value} < {width}'d{least})"));
            }
            if most < (1 << width) - 1 {
                wrong.push(format!("({value} > {width}'d{most})"));
            }
            tests.push(format!(
                "((waddr == 10'd{}) && wstrb[{}] && ({}))",
                register.offset / 4,
                low / 8,
                wrong.join(" || ")
            ));
        }
    }
    tests.join("\n  || ")
}

/// Words of a row, as a write's place is decoded.
const ROW: u16 = 16;
/// Parts among which a value that is read is chosen, by the two lowest bits of its word.
const READ_PARTS: usize = 4;

/// Words that are chosen by an index, from the first on.
const INDEXED: u16 = 64;

/// Declaration of a part's values among the first words, the first lowest.
fn first_words(reads: &BTreeMap<u16, String>, part: u16) -> String {
    let words = (0..INDEXED).filter(|word| word % READ_PARTS as u16 == part).rev();
    let values: Vec<_> = words
        .map(|word| reads.get(&word).map_or("32'd0", |value| value))
        .collect();
    format!(
        "wire [{}:0] first_{part} = {{{}}};\n",
        32 * values.len() - 1,
        values.join(", ")
    )
}

/// Assignment of the value that a part reads.
fn others(reads: &BTreeMap<u16, String>, part: u16) -> String {
    let words = reads
        .range(INDEXED..)
        .filter(|(word, _)| *word % READ_PARTS as u16 == part);
    let chosen: String = words
        .map(|(word, value)| format!(" (raddr[9:2] == 8'd{}) ? {value} :", word / READ_PARTS as u16))
        .collect();
    format!("  part_{part} <= (raddr[9:6] == 4'd0) ? first_{part}[{{raddr[5:2], 5'd0}} +: 32] :{chosen} 32'd0;\n")
}

/// The module's text: declarations, signals, writes, reads.
fn verilog() -> String {
    let (mut declare, mut zero, mut reset, mut write) = (String::new(), String::new(), String::new(), String::new());
    // values that are read, by word
    let mut reads: BTreeMap<u16, String> = BTreeMap::new();
    let mut rows: Vec<u16> = Vec::new();
    let mut signals: Vec<(&str, u16, String)> = Vec::new();
    for register in registers() {
        let word = register.offset / 4;
        if let Some((name, width)) = stored(&register) {
            let _ = writeln!(declare, "reg [{}:0] {name};", width - 1);
            let _ = writeln!(zero, "  {name} = {width}'d0;");
            let _ = writeln!(reset, "    {name} <= {width}'h{:x};", register.reset());
            let (row, column) = (word / ROW, word % ROW);
            let row = rows.iter().position(|known| *known == row).unwrap_or_else(|| {
                rows.push(row);
                rows.len() - 1
            });
            let _ = writeln!(write, "    if (row[{row}] && column[{column}]) begin");
            for byte in 0..width.div_ceil(8) {
                let (low, high) = (8 * byte, width.min(8 * byte + 8) - 1);
                let _ = writeln!(
                    write,
                    "      if (wstrb[{byte}]) {name}[{high}:{low}] <= wdata[{high}:{low}];"
                );
            }
            write += "    end\n";
            if register.read_mask() != 0 {
                let mask = register.read_mask();
                let pad = if width < 32 { format!("{{{}'d0, {name}}}", 32 - width) } else { name.clone() };
                reads.insert(word, format!("{pad} & 32'h{mask:x}"));
            }
            for field in &register.fields {
                if let Place::Signal(signal, at) = field.place {
                    let high = field.low + field.width - 1;
                    signals.push((signal, at, format!("{name}[{high}:{}]", field.low)));
                }
            }
            continue;
        }
        match register.fields[0].place {
            Place::Constant => {
                reads.insert(word, format!("32'h{:x}", register.reset()));
            }
            Place::Live(signal) => {
                let signal = match register.fields[0].width {
                    32 => signal.to_string(),
                    width => format!("{{{}'d0, {signal}}}", 32 - width),
                };
                reads.insert(word, signal);
            }
            _ => {}
        }
    }
    // highest part first, as a concatenation reads
    signals.sort_by(|a, b| a.0.cmp(b.0).then(b.1.cmp(&a.1)));
    let mut assigns = String::new();
    for group in signals.chunk_by(|a, b| a.0 == b.0) {
        let parts: Vec<_> = group.iter().map(|(_, _, part)| part.as_str()).collect();
        let _ = writeln!(assigns, "assign {} = {{{}}};", group[0].0, parts.join(", "));
    }
    let each = |text: &dyn Fn(usize) -> String| (0..READ_PARTS).map(text).collect::<String>();
    format!(
        "{declare}// place of a write: its row of {ROW} words and its column, one bit each
reg [{last_row}:0] row;
reg [{last_column}:0] column;
{parts}reg [1:0] part;
integer i;
initial begin
{zero}  row = {rows}'d0;
  column = {ROW}'d0;
{parts_zero}  part = 2'd0;
  rhit = 1'b0;
  whit = 1'b0;
end
{assigns}// the write would leave a value outside of the range of its register
wire outside = {outside};
// values of the first words, every fourth
{first}always @(posedge clk) begin
{decode}  for (i = 0; i < {ROW}; i = i + 1) column[i] <= waddr[3:0] == i[3:0];
  if (rst) begin
{reset}  end else if (|row) begin
{write}  end
end
always @(posedge clk) begin
  whit <= ({whit}) && !outside;
  rhit <= {rhit};
{read}  part <= raddr[1:0];
end
always_comb
  case (part)
{chosen}  endcase",
        last_row = rows.len() - 1,
        rows = rows.len(),
        decode = rows
            .iter()
            .enumerate()
            .map(|(i, row)| format!("  row[{i}] <= write && !rst && !outside && (waddr[9:4] == 6'd{row});\n"))
            .collect::<String>(),
        last_column = ROW - 1,
        parts = each(&|part| format!("reg [31:0] part_{part};\n")),
        parts_zero = each(&|part| format!("  part_{part} = 32'd0;\n")),
        first = each(&|part| first_words(&reads, part as u16)),
        read = each(&|part| others(&reads, part as u16)),
        chosen = each(&|part| format!("    2'd{part}: rdata = part_{part};\n")),
        outside = outside(&registers()),
        whit = hit("waddr"),
        rhit = hit("raddr"),
    )
}
