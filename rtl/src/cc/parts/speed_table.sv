// Port-speed table of one lane: what a speed code means, in distributed RAM with a registered read. The entry of `code` shows one clock
// later: queue weight and busy time as the law whose code is LAW wants them, time after which an entry is stale, and whether it is valid.
// Starts with the default speeds; a reset leaves the entries. A write and a read of the same entry in one clock show the old value.
module hpcc_speed_table #(
  parameter integer LAW = 1
) (
  input  wire        clk,
  input  wire [3:0]  code,
  output reg  [92:0] entry,
  input  wire [3:0]  address,
  input  wire [47:0] data,
  input  wire        write_busy,
  input  wire        write_weight,
  input  wire        write_stale
);
  (* ram_style = "distributed" *) reg [33:0] busy_mem [0:15];
  (* ram_style = "distributed" *) reg [33:0] weight_mem [0:15];
  (* ram_style = "distributed" *) reg [24:0] stale_mem [0:15];
  wire unused_data = &{1'b0, data[47:34]};
  initial begin
    entry = 93'd0;
    if (LAW == 3) begin
      // SPEEDS_OF_POWERTCP
    end else begin
      // SPEEDS_OF_HPCC
    end
  end
  always @(posedge clk) begin
    if (write_busy) busy_mem[address] <= data[33:0];
    if (write_weight) weight_mem[address] <= data[33:0];
    if (write_stale) stale_mem[address] <= data[24:0];
    entry <= {stale_mem[code], weight_mem[code], busy_mem[code]};
  end
endmodule
