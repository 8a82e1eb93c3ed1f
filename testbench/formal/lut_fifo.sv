// LutFifo<T, A, MARK>: FIFO in distributed RAM with its output register; 2^A + 1 items.
`default_nettype none

module lut_fifo_proof #(
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
  hpcc_lut_fifo #(.WIDTH(W), .ADDRESS(A), .MARK(MARK)) dut (
    .clk(clk), .rst(rst),
    .up_data(up_data), .up_valid(up_valid), .up_ready(up_ready),
    .down_data(down_data), .down_valid(down_valid), .down_ready(down_ready),
    .crowded(crowded)
  );
  // signals of the block, joined by the script of lut_fifo.sby; `mem` is the memory's words side by side
  wire [A:0] level;
  wire [A-1:0] write, read;
  wire stored, down_vacant;
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

  wire [A-1:0] place = read + ahead - down_valid;
  reg was_reset = 1, was_crowded = 0, was_full = 0;
  // clocks for which something has been inside without an offer
  reg [1:0] hidden = 0;
  always @(posedge clk) begin
    was_reset <= rst;
    was_crowded <= level >= MARK && !rst;
    was_full <= level + push - (level != 0 && (!down_valid || down_ready)) >= ROOM;
    hidden <= (rst || down_valid || held == 0) ? 0 : hidden + 1;
  end
  always @(posedge clk) begin
    // what is inside is in the RAM or in the output register, at most 2^A + 1
    count: assert (held == level + down_valid);
    no_overflow: assert (level <= ROOM);
    distance: assert (write == (read + level) % ROOM);
    ready_means_room: assert (!(up_ready && level == ROOM));
    stored_is_level: assert (stored == (level != 0));
    vacant_word: assert (down_vacant == !down_valid);
    token_out: assert (!(tracked && down_valid && ahead == 0) || down_data == kept);
    token_in_ram: assert (!(tracked && ahead >= down_valid) || mem[place*W+:W] == kept);
    // an item that comes into an empty FIFO is offered two clocks later: no deadlock
    offered_in_two: assert (hidden == 0 || (hidden == 1 && down_valid));
    ready_returns: assert (was_reset || was_full || up_ready);
    crowded_is_level: assert (crowded == was_crowded);
  end
  always @(posedge clk) begin
    full: cover (held == ROOM + 1);
    full_rate: cover (push && pop && held == 2);
    wrapped: cover (tracked && pop && ahead == 0 && write < read);
  end
endmodule

`default_nettype wire
