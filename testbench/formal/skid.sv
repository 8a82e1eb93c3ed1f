// Skid<T>: register slice with registered `ready`.
`default_nettype none

module skid_proof #(parameter W = 64) (
  input wire clk,
  input wire rst,
  input wire [W-1:0] up_data,
  input wire up_valid,
  input wire down_ready
);
  wire up_ready, down_valid;
  wire [W-1:0] down_data;
  hpcc_skid #(.WIDTH(W)) dut (
    .clk(clk), .rst(rst),
    .up_data(up_data), .up_valid(up_valid), .up_ready(up_ready),
    .down_data(down_data), .down_valid(down_valid), .down_ready(down_ready)
  );
  // signals of the block, joined by the script of skid.sby
  wire full, spare_full, ready;
  wire [W-1:0] item, spare;

  wire [3:0] held, ahead;
  wire tracked;
  wire [W-1:0] kept;
  wire push = up_valid && up_ready, pop = down_valid && down_ready;
  stream_token #(.W(W), .N(4)) token (
    .clk(clk), .rst(rst), .push(push), .in(up_data), .pop(pop), .out(down_data),
    .held(held), .tracked(tracked), .ahead(ahead), .kept(kept)
  );
  stream_rules #(.W(W)) down (
    .clk(clk), .rst(rst), .valid(down_valid), .ready(down_ready), .data(down_data)
  );

  reg was_reset = 1, was_pushed = 0, was_ready = 0, idle_before = 0;
  always @(posedge clk) begin
    was_reset <= rst;
    was_pushed <= push && !rst;
    was_ready <= down_ready;
  end
  always @(posedge clk) begin
    // what is inside is what the registers say, at most two
    count: assert (held == full + spare_full);
    spare_behind_item: assert (!spare_full || full);
    // no room, no `ready`: the second register is never overwritten
    ready_means_room: assert (!(ready && spare_full));
    token_in_item: assert (!(tracked && ahead == 0) || item == kept);
    token_in_spare: assert (!(tracked && ahead == 1) || spare == kept);
    // one clock after it came an item is offered: no deadlock
    offered_next_clock: assert (!was_pushed || down_valid);
    // `ready` comes back one clock after the sink takes, and after a reset
    ready_returns: assert (was_reset || !was_ready || up_ready);
  end
  always @(posedge clk) begin
    both_full: cover (held == 2);
    full_rate: cover (was_pushed && was_ready && push && pop);
  end
endmodule

`default_nettype wire
