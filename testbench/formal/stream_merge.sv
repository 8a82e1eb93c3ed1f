// StreamMerge<T>: two streams into one, turn about.
`default_nettype none

module stream_merge_proof #(parameter W = 50) (
  input wire clk,
  input wire rst,
  input wire [W-1:0] first_data,
  input wire first_valid,
  input wire [W-1:0] second_data,
  input wire second_valid,
  input wire down_ready
);
  wire first_ready, second_ready, down_valid;
  wire [W-1:0] down_data;
  hpcc_stream_merge #(.WIDTH(W)) dut (
    .clk(clk), .rst(rst),
    .first_data(first_data), .first_valid(first_valid), .first_ready(first_ready),
    .second_data(second_data), .second_valid(second_valid), .second_ready(second_ready),
    .down_data(down_data), .down_valid(down_valid), .down_ready(down_ready)
  );
  // signals of the block, joined by the script of stream_merge.sby
  wire full, turn;
  wire [W-1:0] item;

  wire take_first = first_valid && first_ready, take_second = second_valid && second_ready;
  wire pop = down_valid && down_ready;
  wire [2:0] held, ahead;
  wire tracked;
  wire [W-1:0] kept;
  // both inputs as one stream in the order of acceptance: nothing is lost or doubled and each source keeps its order
  stream_token #(.W(W), .N(3), .ROOM(1)) token (
    .clk(clk), .rst(rst), .push(take_first || take_second), .in(take_first ? first_data : second_data),
    .pop(pop), .out(down_data), .held(held), .tracked(tracked), .ahead(ahead), .kept(kept)
  );
  stream_rules #(.W(W)) down (
    .clk(clk), .rst(rst), .valid(down_valid), .ready(down_ready), .data(down_data)
  );

  reg was_taken = 0;
  // items of the other source that went while this one waited
  reg [1:0] first_waits = 0, second_waits = 0;
  always @(posedge clk) begin
    was_taken <= (take_first || take_second) && !rst;
    first_waits <= (rst || !first_valid || take_first) ? 0 : first_waits + take_second;
    second_waits <= (rst || !second_valid || take_second) ? 0 : second_waits + take_first;
  end
  always @(posedge clk) begin
    count: assert (held == full);
    token_here: assert (!tracked || item == kept);
    one_source: assert (!(take_first && take_second));
    // work-conserving: where there is room and an offer, one is taken
    never_idle: assert (!((first_valid || second_valid) && (!down_valid || down_ready)) || take_first || take_second);
    offered_next_clock: assert (!was_taken || down_valid);
    // no starvation: who waits lets one item of the other pass at most
    first_is_next: assert (first_waits <= 1 && (first_waits == 0 || !turn));
    second_is_next: assert (second_waits <= 1 && (second_waits == 0 || turn));
  end
  always @(posedge clk) begin
    first_let_one_pass: cover (first_waits == 1 && take_first);
    second_let_one_pass: cover (second_waits == 1 && take_second);
    full_rate: cover (was_taken && pop && take_second);
  end
endmodule

`default_nettype wire
