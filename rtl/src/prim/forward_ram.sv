// RAM of 2^ADDRESS words for a read-modify-write loop: a read of clock t shows at t + 3 and contains the writes of the clocks t, t + 1
// and t + 2. With ANNOUNCED `we` and `waddr` come a clock before `wdata`, whose clock is that of the write.
module hpcc_forward_ram #(
  parameter integer WIDTH = 1,
  parameter integer ADDRESS = 1,
  parameter integer ANNOUNCED = 0
) (
  input  wire               clk,
  input  wire [ADDRESS-1:0] raddr,
  output reg  [WIDTH-1:0]   rdata,
  input  wire               we,
  input  wire [ADDRESS-1:0] waddr,
  input  wire [WIDTH-1:0]   wdata
);
  (* no_rw_check *) reg [WIDTH-1:0] mem [0:2**ADDRESS-1];
  wire               write;
  wire [ADDRESS-1:0] address;
  generate
    if (ANNOUNCED != 0) begin : behind
      reg               last_we;
      reg [ADDRESS-1:0] last_waddr;
      initial begin
        last_we = 1'b0;
        last_waddr = {ADDRESS{1'b0}};
      end
      always @(posedge clk) begin
        last_we <= we;
        last_waddr <= waddr;
      end
      assign write = last_we;
      assign address = last_waddr;
    end else begin : at_once
      assign write = we;
      assign address = waddr;
    end
  endgenerate
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
    if (write) mem[address] = wdata;
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
  reg hit_1;
  reg hit_2;
  wire now_1;
  wire now_2;
  generate
    if (ANNOUNCED != 0) begin : compared
      // a clock before the word is written: its data has a long way
      reg meets_1;
      reg meets_2;
      initial begin
        meets_1 = 1'b0;
        meets_2 = 1'b0;
      end
      always @(posedge clk) begin
        meets_1 <= we && (waddr == raddr);
        meets_2 <= we && (waddr == raddr_1);
      end
      assign now_1 = meets_1;
      assign now_2 = meets_2;
    end else begin : comparing
      reg [ADDRESS-1:0] raddr_2;
      initial raddr_2 = {ADDRESS{1'b0}};
      always @(posedge clk) raddr_2 <= raddr_1;
      assign now_1 = we && (waddr == raddr_1);
      assign now_2 = we && (waddr == raddr_2);
    end
  endgenerate
  initial begin
    rdata = {WIDTH{1'b0}};
    word_1 = {WIDTH{1'b0}};
    word_2 = {WIDTH{1'b0}};
    forward_1 = {WIDTH{1'b0}};
    forward_2 = {WIDTH{1'b0}};
    raddr_1 = {ADDRESS{1'b0}};
    hit_1 = 1'b0;
    hit_2 = 1'b0;
  end
  always @(posedge clk) begin
    if (write) mem[address] <= wdata;
    word_1 <= mem[raddr];
    raddr_1 <= raddr;
    hit_1 <= write && (address == raddr);
    forward_1 <= wdata;
    word_2 <= word_1;
    hit_2 <= now_1 || hit_1;
    forward_2 <= now_1 ? wdata : forward_1;
    rdata <= now_2 ? wdata : hit_2 ? forward_2 : word_2;
  end
`endif
endmodule
