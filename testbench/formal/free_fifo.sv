// Any FIFO at its output: in place of hpcc_fifo, whose own proof is fifo.sby. Offers come when the solver
// likes, stay until they are taken and end with a reset.
`default_nettype none

module hpcc_fifo #(
  parameter integer WIDTH = 1,
  parameter integer ADDRESS = 1,
  parameter integer MARK = 1
) (
  input wire clk,
  input wire rst,
  input wire [WIDTH-1:0] up_data,
  input wire up_valid,
  output wire up_ready,
  output reg [WIDTH-1:0] down_data,
  output reg down_valid,
  input wire down_ready,
  output wire crowded
);
  wire [WIDTH-1:0] next = $anyseq;
  wire comes = $anyseq;
  assign up_ready = 1;
  assign crowded = 0;
  initial begin
    down_valid = 0;
    down_data = 0;
  end
  always @(posedge clk) begin
    if (!down_valid || down_ready) begin
      down_valid <= comes;
      down_data <= next;
    end
    if (rst) down_valid <= 0;
  end
endmodule

`default_nettype wire
