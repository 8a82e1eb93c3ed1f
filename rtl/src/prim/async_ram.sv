// Small table of 2^ADDRESS words in distributed RAM. `rdata` is the word at `raddr` in the same clock, as the clocks before have written it.
module hpcc_async_ram #(
  parameter integer WIDTH = 1,
  parameter integer ADDRESS = 1
) (
  input  wire               clk,
  input  wire [ADDRESS-1:0] raddr,
  output wire [WIDTH-1:0]   rdata,
  input  wire               we,
  input  wire [ADDRESS-1:0] waddr,
  input  wire [WIDTH-1:0]   wdata
);
  (* ram_style = "distributed" *) reg [WIDTH-1:0] mem [0:2**ADDRESS-1];
`ifndef SYNTHESIS
  integer i;
  initial for (i = 0; i < 2**ADDRESS; i = i + 1) mem[i] = {WIDTH{1'b0}};
`endif
  assign rdata = mem[raddr];
  always @(posedge clk) begin
    if (we) mem[waddr] <= wdata;
  end
endmodule
