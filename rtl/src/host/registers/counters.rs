//! 64 counters of 64 bits in distributed RAM, each with a pulse of its own.
//!
//! Pulses gather in seven bits a counter; one counter after the other is brought up to date, so a count is at most 67 clocks late.

use crate::block;
use crate::emit::naming::named;
use crate::prim::uint::U;
use rust_hdl::prelude::*;

/// The counters. Cleared within 64 clocks after reset, in which all of them read as zero; pulses count from the end of reset on.
#[block]
pub struct CounterBank {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Bit n: counter n counts one.
    pub pulses: Signal<In, U<64>>,
    /// Counter to read.
    pub address: Signal<In, U<6>>,
    /// Value of the counter, one clock later.
    pub count: Signal<Out, U<64>>,
    #[init([0; 64])]
    _pending: [u64; 64],
    #[init([0; 64])]
    _memory: [u64; 64],
    #[init(0)]
    _turn: usize,
    /// Turn of one clock ago, what was gathered for it, whether it is cleared and counted.
    #[init((0, 0, false, false))]
    _taken: (usize, u64, bool, bool),
    #[init(0)]
    _where: usize,
    #[init(0)]
    _old: u64,
    #[init(0)]
    _add: u64,
    #[init(false)]
    _clearing: bool,
    #[init(false)]
    _clear: bool,
    #[init(false)]
    _live: bool,
}

impl Logic for CounterBank {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let (turn, add, clear, live) = self._taken;
            let cleared = !(self._clearing || clear || self._clear);
            self.count.next = U(if cleared { self._memory[self.address.val().index()] } else { 0 });
            let old = self._memory[turn];
            if self._live {
                let base = if self._clear { 0 } else { self._old };
                self._memory[self._where] = base.wrapping_add(self._add);
            }
            self._old = old;
            (self._where, self._add, self._clear, self._live) = (turn, add, clear, live);
            self._taken = (self._turn, self._pending[self._turn], self._clearing, !self.reset.val());
            for (i, pending) in self._pending.iter_mut().enumerate() {
                let pulse = u64::from(self.pulses.val().get_bit(i));
                *pending = if i == self._turn { pulse } else { (*pending + pulse) & 0x7f };
            }
            if self._turn == 63 {
                self._clearing = false;
            }
            self._turn = (self._turn + 1) % 64;
            if self.reset.val() {
                self._pending = [0; 64];
                self._turn = 0;
                self._clearing = true;
            }
        }
    }
    fn connect(&mut self) {
        self.count.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "(* ram_style = \"distributed\" *) reg [63:0] mem [0:63];
reg [6:0] pending [0:63];
reg [5:0] turn;
// what each sixteen of counters has gathered for its own turn, and whose turn of all that was
reg [6:0] part [0:3];
reg [5:0] turn_1;
reg clearing_1;
reg live_1;
reg [5:0] place;
reg [63:0] old;
reg [6:0] add;
reg clearing;
reg clear;
reg live;
integer i;
integer k;
initial begin
  count = 64'd0;
  turn = 6'd0;
  turn_1 = 6'd0;
  clearing_1 = 1'b0;
  live_1 = 1'b0;
  for (k = 0; k < 4; k = k + 1) part[k] = 7'd0;
  place = 6'd0;
  old = 64'd0;
  add = 7'd0;
  clearing = 1'b0;
  clear = 1'b0;
  live = 1'b0;
  for (i = 0; i < 64; i = i + 1) begin
    mem[i] = 64'd0;
    pending[i] = 7'd0;
  end
end
always @(posedge clk) begin
  // what is not cleared yet reads as zero
  count <= (clearing | clearing_1 | clear) ? 64'd0 : mem[address];
  old <= mem[turn_1];
  if (live) mem[place] <= (clear ? 64'd0 : old) + {57'd0, add};
end
always @(posedge clk) begin
  for (k = 0; k < 4; k = k + 1) part[k] <= pending[{k[1:0], turn[3:0]}];
  turn_1 <= turn;
  clearing_1 <= clearing;
  live_1 <= !rst;
  add <= part[turn_1[5:4]];
  place <= turn_1;
  clear <= clearing_1;
  live <= live_1;
  turn <= rst ? 6'd0 : turn + 6'd1;
  if (rst) clearing <= 1'b1;
  else if (turn == 6'd63) clearing <= 1'b0;
`ifdef FAST_SIMULATION
  // in most clocks nothing is counted; nobody else reads these words, so that they move at once
  if (rst | (|pulses))
    for (i = 0; i < 64; i = i + 1) pending[i] = rst ? 7'd0 : pending[i] + {6'd0, pulses[i]};
  if (!rst) pending[turn] = {6'd0, pulses[turn]};
`else
  for (i = 0; i < 64; i = i + 1)
    pending[i] <= rst ? 7'd0 : ((turn == i[5:0]) ? 7'd0 : pending[i]) + {6'd0, pulses[i]};
`endif
end"
            .into(),
        )
    }
    fn timing(&self) -> Vec<TimingInfo> {
        named::<Self>()
    }
}
