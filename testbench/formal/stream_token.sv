// One arbitrary item on its way through a stage that keeps order: whatever is proved of it holds of every item.
//
// The solver chooses the item (`choose` is free in every clock) and with it the place and time; the checker counts how many
// items are ahead of it. If it comes out after exactly those and with its own data, then no item is lost, doubled,
// invented, changed or overtaken.
`default_nettype none

module stream_token #(
  parameter W = 8,
  parameter N = 8,
  parameter ROOM = 2
) (
  input  wire clk,
  input  wire rst,
  input  wire push,
  input  wire [W-1:0] in,
  input  wire pop,
  input  wire [W-1:0] out,
  output reg  [N-1:0] held,
  output reg  tracked,
  output reg  [N-1:0] ahead,
  output reg  [W-1:0] kept
);
  wire choose = $anyseq;
  initial begin
    held = 0;
    tracked = 0;
    ahead = 0;
    kept = 0;
  end
  always @(posedge clk) begin
    held <= held + push - pop;
    if (tracked && pop) begin
      if (ahead == 0) tracked <= 0;
      else ahead <= ahead - 1;
    end
    if (!tracked && choose && push) begin
      tracked <= 1;
      kept <= in;
      ahead <= held - pop;
    end
    if (rst) begin
      held <= 0;
      tracked <= 0;
    end
  end
  always @(posedge clk) if (!rst) begin
    // an item comes out only if one is inside
    not_invented: assert (!pop || held != 0);
    // the chosen item comes out in its turn with its data
    in_order: assert (!(pop && tracked && ahead == 0) || out == kept);
    // and is one of those inside until then
    not_lost: assert (!tracked || ahead < held);
  end
  always @(posedge clk) if (!rst) begin
    chosen_item_leaves: cover (pop && tracked && ahead == 0 && kept != 0);
  end
  generate
    if (ROOM > 1) always @(posedge clk) if (!rst) begin
      chosen_item_waited: cover (tracked && ahead == 1 && pop);
    end
  endgenerate
endmodule

`default_nettype wire
