// Small table of 2^ADDRESS words in distributed RAM; one clock from address to word, a read shows the word before that clock's write.
module hpcc_lut_ram #(
  parameter integer WIDTH = 1,
  parameter integer ADDRESS = 1
) (
  input  wire               clk,
  input  wire [ADDRESS-1:0] raddr,
  output reg  [WIDTH-1:0]   rdata,
  input  wire               we,
  input  wire [ADDRESS-1:0] waddr,
  input  wire [WIDTH-1:0]   wdata
);
  (* ram_style = "distributed", no_rw_check *) reg [WIDTH-1:0] mem [0:2**ADDRESS-1];
  initial rdata = {WIDTH{1'b0}};
`ifndef SYNTHESIS
  integer i;
  initial for (i = 0; i < 2**ADDRESS; i = i + 1) mem[i] = {WIDTH{1'b0}};
`endif
  always @(posedge clk) begin
`ifdef FAST_SIMULATION
    rdata <= mem[raddr];
    if (we) mem[waddr] = wdata;
`else
    if (we) mem[waddr] <= wdata;
    rdata <= mem[raddr];
`endif
  end
endmodule
