// Constant table of 2^ADDRESS entries, two clocks from address to data. CONTENTS holds the entries, the first in the lowest bits.
// In block RAM; on ECP5 (SYNTH_ECP5) a table of 8 to 1024 entries is four banks of lookup tables, each registered, and a registered
// selection, because the block RAM's clock to output of 4.3 ns would limit the clock.
module hpcc_rom #(
  parameter integer WIDTH = 1,
  parameter integer ADDRESS = 1,
  parameter [WIDTH*2**ADDRESS-1:0] CONTENTS = {(WIDTH*2**ADDRESS){1'b0}}
) (
  input  wire               clk,
  input  wire [ADDRESS-1:0] addr,
  output reg  [WIDTH-1:0]   data
);
  localparam integer ENTRIES = 2 ** ADDRESS;
  localparam integer QUARTER = ENTRIES / 4;
`ifdef SYNTH_ECP5
  localparam integer BANKED = (ADDRESS > 2 && ADDRESS < 11) ? 1 : 0;
`else
  localparam integer BANKED = 0;
`endif
  integer i;
  initial data = {WIDTH{1'b0}};
  generate
    if (BANKED != 0) begin : banks
      (* rom_style = "logic" *) reg [WIDTH-1:0] mem_0 [0:QUARTER-1];
      (* rom_style = "logic" *) reg [WIDTH-1:0] mem_1 [0:QUARTER-1];
      (* rom_style = "logic" *) reg [WIDTH-1:0] mem_2 [0:QUARTER-1];
      (* rom_style = "logic" *) reg [WIDTH-1:0] mem_3 [0:QUARTER-1];
      reg [WIDTH-1:0] fetched_0, fetched_1, fetched_2, fetched_3;
      reg [1:0] bank;
      initial begin
        fetched_0 = {WIDTH{1'b0}};
        fetched_1 = {WIDTH{1'b0}};
        fetched_2 = {WIDTH{1'b0}};
        fetched_3 = {WIDTH{1'b0}};
        bank = 2'd0;
        for (i = 0; i < QUARTER; i = i + 1) begin
          mem_0[i] = CONTENTS[WIDTH*i +: WIDTH];
          mem_1[i] = CONTENTS[WIDTH*(i+QUARTER) +: WIDTH];
          mem_2[i] = CONTENTS[WIDTH*(i+2*QUARTER) +: WIDTH];
          mem_3[i] = CONTENTS[WIDTH*(i+3*QUARTER) +: WIDTH];
        end
      end
      always @(posedge clk) begin
        fetched_0 <= mem_0[addr[ADDRESS-3:0]];
        fetched_1 <= mem_1[addr[ADDRESS-3:0]];
        fetched_2 <= mem_2[addr[ADDRESS-3:0]];
        fetched_3 <= mem_3[addr[ADDRESS-3:0]];
        bank <= addr[ADDRESS-1:ADDRESS-2];
        data <= bank[1] ? (bank[0] ? fetched_3 : fetched_2) : (bank[0] ? fetched_1 : fetched_0);
      end
    end else begin : block
      (* rom_style = "block" *) reg [WIDTH-1:0] mem [0:ENTRIES-1];
      reg [WIDTH-1:0] fetched;
      initial begin
        fetched = {WIDTH{1'b0}};
        for (i = 0; i < ENTRIES; i = i + 1) mem[i] = CONTENTS[WIDTH*i +: WIDTH];
      end
      always @(posedge clk) begin
        fetched <= mem[addr];
        data <= fetched;
      end
    end
  endgenerate
endmodule
