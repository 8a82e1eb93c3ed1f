// RAM of 2^ADDRESS words for a read-modify-write loop: a read of clock t shows at t + 3 and contains the writes of the clocks t, t + 1
// and t + 2.
module hpcc_forward_ram #(
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
  (* no_rw_check *) reg [WIDTH-1:0] mem [0:2**ADDRESS-1];
`ifndef SYNTHESIS
  integer i;
  initial for (i = 0; i < 2**ADDRESS; i = i + 1) mem[i] = {WIDTH{1'b0}};
`endif
`ifdef FAST_SIMULATION
  // read two clocks later, after that clock's write
  reg [ADDRESS-1:0] raddr_1;
  reg [ADDRESS-1:0] raddr_2;
  initial begin
    rdata = {WIDTH{1'b0}};
    raddr_1 = {ADDRESS{1'b0}};
    raddr_2 = {ADDRESS{1'b0}};
  end
  always @(posedge clk) begin
    if (we) mem[waddr] = wdata;
    rdata <= mem[raddr_2];
    raddr_2 <= raddr_1;
    raddr_1 <= raddr;
  end
`else
  // the words on their way, their addresses, and what has been written to these addresses since
  reg [WIDTH-1:0] word_1;
  reg [WIDTH-1:0] word_2;
  reg [WIDTH-1:0] forward_1;
  reg [WIDTH-1:0] forward_2;
  reg [ADDRESS-1:0] raddr_1;
  reg [ADDRESS-1:0] raddr_2;
  reg hit_1;
  reg hit_2;
  wire now_1 = we && (waddr == raddr_1);
  wire now_2 = we && (waddr == raddr_2);
  initial begin
    rdata = {WIDTH{1'b0}};
    word_1 = {WIDTH{1'b0}};
    word_2 = {WIDTH{1'b0}};
    forward_1 = {WIDTH{1'b0}};
    forward_2 = {WIDTH{1'b0}};
    raddr_1 = {ADDRESS{1'b0}};
    raddr_2 = {ADDRESS{1'b0}};
    hit_1 = 1'b0;
    hit_2 = 1'b0;
  end
  always @(posedge clk) begin
    if (we) mem[waddr] <= wdata;
    word_1 <= mem[raddr];
    raddr_1 <= raddr;
    hit_1 <= we && (waddr == raddr);
    forward_1 <= wdata;
    word_2 <= word_1;
    raddr_2 <= raddr_1;
    hit_2 <= now_1 || hit_1;
    forward_2 <= now_1 ? wdata : forward_1;
    rdata <= now_2 ? wdata : hit_2 ? forward_2 : word_2;
  end
`endif
endmodule
