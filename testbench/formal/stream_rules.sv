// Rules of a stream with `valid` and `ready` as in AXI4-Stream: what is offered stays until it is taken, and nothing is
// offered in the clock after a reset. Assumed of an input (`ASSUMED`), asserted of an output.
`default_nettype none

module stream_rules #(
  parameter W = 8,
  parameter ASSUMED = 0
) (
  input wire clk,
  input wire rst,
  input wire valid,
  input wire ready,
  input wire [W-1:0] data
);
  reg waits = 0;
  reg was_reset = 0;
  reg [W-1:0] offered = 0;
  always @(posedge clk) begin
    waits <= valid && !ready && !rst;
    was_reset <= rst;
    offered <= data;
  end
  generate
    if (ASSUMED) begin : input_stream
      always @(posedge clk) if (waits) assume (valid && data == offered);
    end else begin : output_stream
      always @(posedge clk) begin
        // an offer is not withdrawn
        valid_stays: assert (!waits || valid);
        // nor changed
        data_stays: assert (!waits || data == offered);
        // a reset ends every offer
        silent_after_reset: assert (!was_reset || !valid);
      end
      always @(posedge clk) begin
        item_waited: cover (waits && ready && !rst);
      end
    end
  endgenerate
endmodule

`default_nettype wire
