// StreamFifo<T, A, MARK>: FIFO in block RAM with two elastic stages behind it; 2^A + 2 items.
`default_nettype none

module fifo_proof #(
  parameter W = 77,
  parameter A = 3,
  parameter MARK = 3
) (
  input wire clk,
  input wire rst,
  input wire [W-1:0] up_data,
  input wire up_valid,
  input wire down_ready
);
  localparam ROOM = 1 << A;
  wire up_ready, down_valid, crowded;
  wire [W-1:0] down_data;
  hpcc_fifo #(.WIDTH(W), .ADDRESS(A), .MARK(MARK)) dut (
    .clk(clk), .rst(rst),
    .up_data(up_data), .up_valid(up_valid), .up_ready(up_ready),
    .down_data(down_data), .down_valid(down_valid), .down_ready(down_ready),
    .crowded(crowded)
  );
  // signals of the block, joined by the script of fifo.sby; `mem` is the memory's words side by side
  wire [A:0] level;
  wire [A-1:0] write, read;
  wire word_valid, stored, word_vacant, down_vacant;
  wire [W-1:0] word;
  wire [ROOM*W-1:0] mem;

  localparam N = A + 3;
  wire [N-1:0] held, ahead;
  wire tracked;
  wire [W-1:0] kept;
  wire push = up_valid && up_ready, pop = down_valid && down_ready;
  stream_token #(.W(W), .N(N)) token (
    .clk(clk), .rst(rst), .push(push), .in(up_data), .pop(pop), .out(down_data),
    .held(held), .tracked(tracked), .ahead(ahead), .kept(kept)
  );
  stream_rules #(.W(W)) down (
    .clk(clk), .rst(rst), .valid(down_valid), .ready(down_ready), .data(down_data)
  );

  wire [N-1:0] staged = down_valid + word_valid;
  wire [A-1:0] place = read + ahead - staged;
  reg was_reset = 1, was_crowded = 0, was_full = 0;
  // clocks for which something has been inside without an offer
  reg [2:0] hidden = 0;
  always @(posedge clk) begin
    was_reset <= rst;
    was_crowded <= level >= MARK && !rst;
    was_full <= level + push - (level != 0 && (!word_valid || !down_valid || down_ready)) >= ROOM;
    hidden <= (rst || down_valid || held == 0) ? 0 : hidden + 1;
  end
  always @(posedge clk) begin
    // what is inside is in the RAM or in one of the two stages, at most 2^A + 2
    count: assert (held == level + staged);
    no_overflow: assert (level <= ROOM);
    distance: assert (write == (read + level) % ROOM);
    ready_means_room: assert (!(up_ready && level == ROOM));
    stored_is_level: assert (stored == (level != 0));
    vacant_words: assert (word_vacant == !word_valid && down_vacant == !down_valid);
    token_out: assert (!(tracked && down_valid && ahead == 0) || down_data == kept);
    token_word: assert (!(tracked && word_valid && ahead == down_valid) || word == kept);
    token_in_ram: assert (!(tracked && ahead >= staged) || mem[place*W+:W] == kept);
    // an item that comes into an empty FIFO is offered three clocks later: no deadlock
    offered_in_three: assert (hidden == 0 || (hidden == 1 && staged != 0) || (hidden == 2 && down_valid));
    ready_returns: assert (was_reset || was_full || up_ready);
    crowded_is_level: assert (crowded == was_crowded);
  end
  always @(posedge clk) begin
    full: cover (held == ROOM + 2);
    full_rate: cover (push && pop && held == 3);
    wrapped: cover (tracked && pop && ahead == 0 && write < read);
  end
endmodule

`default_nettype wire
