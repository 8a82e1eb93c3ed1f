// Dual-port RAM of 2^ADDRESS words. `rdata` is the word at `raddr` of one clock ago, of two clocks ago with OUTPUT_REGISTER, as it
// was after that clock's write; with NEXT_WRITE, for which the output register is needed, after the write of the clock behind that.
module hpcc_ram #(
  parameter integer WIDTH = 1,
  parameter integer ADDRESS = 1,
  parameter integer OUTPUT_REGISTER = 0,
  parameter integer NEXT_WRITE = 0
) (
  input  wire               clk,
  input  wire [ADDRESS-1:0] raddr,
  output wire [WIDTH-1:0]   rdata,
  input  wire               we,
  input  wire [ADDRESS-1:0] waddr,
  input  wire [WIDTH-1:0]   wdata
);
  (* no_rw_check *) reg [WIDTH-1:0] mem [0:2**ADDRESS-1];
`ifdef FAST_SIMULATION
  // written first and then read, so that nothing has to pass beside the RAM
  reg [WIDTH-1:0] word;
  integer i;
  initial begin
    word = {WIDTH{1'b0}};
    for (i = 0; i < 2**ADDRESS; i = i + 1) mem[i] = {WIDTH{1'b0}};
  end
  always @(posedge clk) begin
    if (we) mem[waddr] = wdata;
    word <= mem[raddr];
  end
  generate
    if (OUTPUT_REGISTER != 0) begin : registered
      reg [WIDTH-1:0] last_word;
      initial last_word = {WIDTH{1'b0}};
      if (NEXT_WRITE != 0) begin : next
        reg [ADDRESS-1:0] last_raddr;
        initial last_raddr = {ADDRESS{1'b0}};
        always @(posedge clk) begin
          last_raddr <= raddr;
          last_word <= (we && (waddr == last_raddr)) ? wdata : word;
        end
      end else begin : plain
        always @(posedge clk) last_word <= word;
      end
      assign rdata = last_word;
    end else begin : direct
      assign rdata = word;
    end
  endgenerate
`else
  reg [WIDTH-1:0] word;
  // vendors differ in what a block RAM shows of a word that is written: the new word passes beside it. The addresses are compared while
  // the RAM reads, which takes longer
  reg [WIDTH-1:0] bypass;
  reg [ADDRESS-1:0] last_raddr;
  reg [ADDRESS-1:0] last_waddr;
  reg last_we;
  integer i;
  initial begin
    word = {WIDTH{1'b0}};
    bypass = {WIDTH{1'b0}};
    last_raddr = {ADDRESS{1'b0}};
    last_waddr = {ADDRESS{1'b0}};
    last_we = 1'b0;
    for (i = 0; i < 2**ADDRESS; i = i + 1) mem[i] = {WIDTH{1'b0}};
  end
  always @(posedge clk) begin
    if (we) mem[waddr] <= wdata;
    word <= mem[raddr];
    bypass <= wdata;
    last_raddr <= raddr;
    last_waddr <= waddr;
    last_we <= we;
  end
  wire written = last_we && (last_waddr == last_raddr);
  generate
    if (OUTPUT_REGISTER != 0) begin : registered
      // nothing stands between the RAM and its register, which the block RAM then has inside
      reg [WIDTH-1:0] last_word;
      reg [WIDTH-1:0] last_bypass;
      reg last_written;
      initial begin
        last_word = {WIDTH{1'b0}};
        last_bypass = {WIDTH{1'b0}};
        last_written = 1'b0;
      end
      always @(posedge clk) begin
        last_word <= word;
        last_bypass <= bypass;
        last_written <= written;
      end
      wire [WIDTH-1:0] last = last_written ? last_bypass : last_word;
      if (NEXT_WRITE != 0) begin : next
        // whether it is written is known late, so what is written is chosen behind the registers
        reg next_written;
        initial next_written = 1'b0;
        always @(posedge clk) next_written <= we && (waddr == last_raddr);
        assign rdata = next_written ? bypass : last;
      end else begin : plain
        assign rdata = last;
      end
    end else begin : direct
      assign rdata = written ? bypass : word;
    end
  endgenerate
`endif
endmodule
