// Waiting of the scheduler: which of nine rows of waiting flows is visited next.
`default_nettype none

module rows_proof (
  input wire clk,
  input wire rst,
  input wire advance,
  input wire enter,
  input wire [37:0] flow,
  input wire [3:0] row,
  input wire down_ready
);
  localparam ROWS = 9;
  reg [19:0] tick = 0;
  wire [37:0] down_data;
  wire down_valid;
  hpcc_sched_waiting_large dut (
    .clk(clk), .rst(rst), .tick(tick), .enter(enter), .flow(flow), .row(row),
    .down_data(down_data), .down_valid(down_valid), .down_ready(down_ready)
  );
  // signals of the block, joined by the script of rows.sby; row 0 in the lowest place
  wire [ROWS-1:0] heads, pops, due, pushes;
  wire [ROWS*58-1:0] items;
  wire [3:0] turn;

  // the row of the proof is any of them
  wire [3:0] r = $anyconst;
  always @(posedge clk) assume (r < ROWS);
  wire [57:0] head = items[r*58+:58];
  wire [ROWS-1:0] present = heads & {due[ROWS-1:1], 1'b1};
  wire here = present[r];
  // time only goes forward, by at most one tick a clock; less than half the range of the clock goes by while a head waits
  wire [19:0] age = tick - head[57:38];
  // delays: none, 4 ticks, then 16, 32 and so on
  wire [3:0] shift = r == 1 ? 2 : r + 2;
  // the head has been at least its delay in its row
  reg ripe = 0;
  reg [4:0] waits = 0;
  wire given = down_valid && down_ready;
  always @(posedge clk) begin
    tick <= tick + advance;
    ripe <= heads[r] && !pops[r] && !rst && (ripe || (age >> shift) != 0);
    waits <= (rst || !here || pops[r]) ? 0 : waits + given;
  end
  integer i;
  reg [3:0] popped;
  always @* begin
    popped = 0;
    for (i = 0; i < ROWS; i = i + 1) popped = popped + pops[i];
  end
  always @(posedge clk) begin
    // a flow that is taken leaves exactly one row, and no row loses one otherwise
    one_row: assert (popped == given);
    its_own: assert (!pops[r] || (here && down_data == head[37:0]));
    // work-conserving: if any row has a flow due, one is offered
    never_idle: assert (down_valid == (present != 0));
    // who comes in goes to one row, the last one if there are fewer
    enters_one_row: assert (pushes[r] == (enter && (row == r || (r == ROWS - 1 && row >= ROWS))));
    // nobody is early
    not_early: assert (!pops[r] || r == 0 || ripe);
    due_is_ripe: assert (!(due[r] && heads[r]) || r == 0 || ripe);
    // no starvation: within sixteen flows taken, whatever the clocks between
    bounded: assert (waits < 16);
    turn_comes: assert (waits + ((r - turn) & 15) <= 15);
  end
  always @(posedge clk) begin
    longer_row_first: cover (pops[4] && present[0]);
    waited: cover (r == 3 && pops[r] && waits == 3);
    all_due: cover (&present);
  end
endmodule

`default_nettype wire
