// Constant table of 2^ADDRESS entries in block RAM with its output register, two clocks from address to data. CONTENTS holds the entries,
// the first in the lowest bits.
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
  (* rom_style = "block" *) reg [WIDTH-1:0] mem [0:ENTRIES-1];
  reg [WIDTH-1:0] fetched;
  integer i;
  initial begin
    data = {WIDTH{1'b0}};
    fetched = {WIDTH{1'b0}};
    for (i = 0; i < ENTRIES; i = i + 1) mem[i] = CONTENTS[WIDTH*i +: WIDTH];
  end
  always @(posedge clk) begin
    fetched <= mem[addr];
    data <= fetched;
  end
endmodule
