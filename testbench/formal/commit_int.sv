// Two queues of the commit stage that are fed alike: the heads of entries, and beside it their INT, which is taken later. INT that is owed is there.
`default_nettype none

module commit_int_proof #(
  parameter A = 3,
  parameter MARK = 3
) (
  input wire clk,
  input wire rst,
  input wire push,
  input wire head_ready,
  input wire int_ready
);
  localparam ROOM = 1 << A;
  wire head_room, head_valid, int_room, int_valid, head_crowded, int_crowded;
  hpcc_fifo #(.WIDTH(1), .ADDRESS(A), .MARK(MARK)) head (
    .clk(clk), .rst(rst), .up_data(1'b0), .up_valid(push), .up_ready(head_room),
    .down_valid(head_valid), .down_ready(head_ready), .crowded(head_crowded)
  );
  hpcc_fifo #(.WIDTH(1), .ADDRESS(A), .MARK(MARK)) beside (
    .clk(clk), .rst(rst), .up_data(1'b0), .up_valid(push), .up_ready(int_room),
    .down_valid(int_valid), .down_ready(int_ready), .crowded(int_crowded)
  );
  // signals of both, joined by the script of commit_int.sby
  wire [A:0] head_level, int_level;
  wire head_word, int_word, head_stored, int_stored;

  // entries that have left their queue while their INT has not
  reg [A+1:0] owed = 0;
  reg was_crowded = 0;
  always @(posedge clk) begin
    owed <= rst ? 0 : owed + (head_valid && head_ready) - (int_valid && int_ready);
    was_crowded <= rst ? 0 : int_level >= MARK;
  end
  always @(posedge clk) begin
    // the commit stage looks at the mark, which leaves room for what is on its way
    room: assume (!push || (head_room && int_room));
    // INT is taken with what it belongs to, which has left its queue before
    taken_with_its_entry: assume (!int_ready || owed != 0);
  end
  always @(posedge clk) begin
    int_is_there: assert (owed == 0 || int_valid);
    // of both queues that of INT holds more, in every part of it
    holds_more: assert (int_level + int_word + int_valid == head_level + head_word + head_valid + owed);
    offers_first: assert (int_valid >= head_valid && int_word >= head_word && int_level >= head_level);
    next_is_there: assert (owed == 0 || !head_valid || int_word);
    several_are_there: assert (owed < 2 || int_word);
    stored_is_level: assert (head_stored == (head_level != 0) && int_stored == (int_level != 0));
    no_overflow: assert (head_level <= ROOM && int_level <= ROOM && !(head_room && head_level == ROOM) && !(int_room && int_level == ROOM));
    // so that its mark is heard first
    warns_first: assert (!head_crowded || int_crowded);
    crowded_is_level: assert (int_crowded == was_crowded);
  end
  always @(posedge clk) begin
    one_a_clock: cover (owed == 1 && head_valid && head_ready && int_ready && head_level == 1);
    much_owed: cover (owed == 5 && !head_valid);
  end
endmodule

`default_nettype wire
