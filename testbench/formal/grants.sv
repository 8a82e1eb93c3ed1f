// Merge of the scheduler: two rows of grants into one, the lower service tag first.
`default_nettype none

module grants_proof (
  input wire clk,
  input wire rst,
  input wire [63:0] chain_data,
  input wire chain_valid,
  input wire [63:0] own_data,
  input wire own_valid,
  input wire down_ready
);
  localparam W = 64;
  wire chain_ready, own_ready, down_valid;
  wire [W-1:0] down_data;
  hpcc_sched_merge dut (
    .clk(clk), .rst(rst),
    .chain_data(chain_data), .chain_valid(chain_valid), .chain_ready(chain_ready),
    .own_data(own_data), .own_valid(own_valid), .own_ready(own_ready),
    .down_data(down_data), .down_valid(down_valid), .down_ready(down_ready)
  );
  // signals of the block, joined by the script of grants.sby
  wire full, spare_full, ready, turn, compared, own_first;
  wire [W-1:0] item, spare;

  wire take_chain = chain_valid && chain_ready, take_own = own_valid && own_ready;
  wire push = take_chain || take_own, pop = down_valid && down_ready;
  wire [3:0] held, ahead;
  wire tracked;
  wire [W-1:0] kept;
  stream_token #(.W(W), .N(4)) token (
    .clk(clk), .rst(rst), .push(push), .in(take_own ? own_data : chain_data), .pop(pop), .out(down_data),
    .held(held), .tracked(tracked), .ahead(ahead), .kept(kept)
  );
  stream_rules #(.W(W)) down (
    .clk(clk), .rst(rst), .valid(down_valid), .ready(down_ready), .data(down_data)
  );
  stream_rules #(.W(W), .ASSUMED(1)) before (
    .clk(clk), .rst(rst), .valid(chain_valid), .ready(chain_ready), .data(chain_data)
  );
  stream_rules #(.W(W), .ASSUMED(1)) engine (
    .clk(clk), .rst(rst), .valid(own_valid), .ready(own_ready), .data(own_data)
  );

  // how far the chain's tag is ahead, in the window of 32 that tags are compared in
  wire [5:0] ahead_by = chain_data[63:58] - own_data[63:58];
  reg was_pushed = 0;
  // both sides offered a grant and none went
  reg both_waited = 0;
  // grants of the other side with the same tag that went while this one waited
  reg [1:0] own_ties = 0, chain_ties = 0;
  always @(posedge clk) begin
    was_pushed <= push && !rst;
    both_waited <= chain_valid && own_valid && !push && !rst;
    own_ties <= (rst || !own_valid || take_own) ? 0 : own_ties + (take_chain && ahead_by == 0);
    chain_ties <= (rst || !chain_valid || take_chain) ? 0 : chain_ties + (take_own && ahead_by == 0);
  end
  always @(posedge clk) begin
    count: assert (held == full + spare_full);
    spare_behind_item: assert (!spare_full || full);
    ready_means_room: assert (!(ready && spare_full));
    token_in_item: assert (!(tracked && ahead == 0) || item == kept);
    token_in_spare: assert (!(tracked && ahead == 1) || spare == kept);
    one_source: assert (!(take_chain && take_own));
    // work-conserving: where there is room, a grant that is alone is taken at once, one of two a clock after both were there
    alone_at_once: assert (!(ready && (chain_valid ^ own_valid)) || push);
    two_wait_one_clock: assert (!(ready && both_waited) || push);
    offered_next_clock: assert (!was_pushed || down_valid);
    // the lower tag goes first
    own_is_lower: assert (!(chain_valid && own_valid && push && ahead_by != 0 && ahead_by < 32) || take_own);
    chain_is_lower: assert (!(chain_valid && own_valid && push && ahead_by >= 32) || take_chain);
    // no starvation among equals: who waits lets one of the same tag pass at most
    own_tie_bound: assert (own_ties <= 1);
    chain_tie_bound: assert (chain_ties <= 1);
  end
  always @(posedge clk) begin
    // why: what was compared is offered still
    compared_are_here: assert (compared == both_waited && (!compared || (chain_valid && own_valid)));
    compared_now: assert (!compared || own_first == (ahead_by == 0 ? turn : ahead_by < 32));
    // why: after a grant between equals the turn is the other side's
    own_tie_turn: assert (own_ties == 0 || turn);
    chain_tie_turn: assert (chain_ties == 0 || !turn);
  end
  always @(posedge clk) begin
    own_let_equal_pass: cover (own_ties == 1 && take_own);
    chain_let_equal_pass: cover (chain_ties == 1 && take_chain);
    tags_wrap: cover (take_own && chain_valid && own_data[63:58] > chain_data[63:58]);
  end
endmodule

`default_nettype wire
