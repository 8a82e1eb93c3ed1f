// A visit of the scheduler: what leaves after a limit was written is bounded, and a flow without a rate sends nothing. One visit a
// clock; what a visit was given goes along beside the pipeline for its eleven clocks, and the product "rate x time", which is any number,
// for its last seven.
`default_nettype none

module visit_proof (
  input wire clk,
  input wire [119:0] sender,
  input wire [19:0] adjust,
  input wire [69:0] pacing,
  input wire [69:0] cap,
  input wire [76:0] level,
  input wire [143:0] state,
  input wire [19:0] tick,
  input wire crowded,
  input wire [7:0] pause
);
  (* anyconst *) reg [9:0] overhead;
  wire [33:0] rate;
  wire [143:0] state_after;
  wire [63:0] grant;
  wire idle;
  // flows that become active are another subject: they only ever start with less
  hpcc_sched_visit dut (
    .clk(clk), .sender(sender), .adjust(adjust), .pacing(pacing), .cap(cap), .level(level), .dither(1'b0), .random(16'd0), .rate(rate),
    .state(state), .tick(tick), .crowded(crowded), .pause(pause), .overhead(overhead), .ends(1'b1), .state_after(state_after), .grant(grant), .idle(idle)
  );

  function automatic [33:0] least_rate(input [33:0] a, input [33:0] b, input [33:0] c);
    least_rate = (a <= b && a <= c) ? a : (b <= c) ? b : c;
  endfunction
  function automatic [20:0] least(input [20:0] a, input [20:0] b, input [20:0] c);
    least = (a <= b && a <= c) ? a : (b <= c) ? b : c;
  endfunction

  // what the visit may do at most, from the words it is given
  wire [3:0] code = (sender[114:112] > 4) ? 4 : sender[114:112];
  wire [12:0] packet = (13'd256 << code) + overhead;
  wire [33:0] own_rate = least_rate(pacing[33:0], cap[33:0], level[33:0]);
  wire [20:0] own_cap = least({1'b0, pacing[53:34]}, {1'b0, cap[53:34]}, level[53:34] + {8'd0, packet});
  wire [23:0] level_packets = ({1'b0, level[76:54]} + (24'd256 << code) - 24'd1) >> (8 + code);
  wire [20:0] own_window = least({5'd0, pacing[69:54]}, {5'd0, cap[69:54]}, level_packets[20:0]);

  // what the flow has before it earns: its credit with what was corrected since; a new flow has one packet
  wire fresh = state[59:52] != sender[103:96];
  wire [19:0] correction = adjust - state[104:85];
  wire [36:0] own_base = state[141:105] + {correction[19], correction, 16'd0};

  localparam CLOCKS = 11;
  localparam W = 34 + 21 + 21 + 13 + 24 + 1 + 37 + 1;
  reg [CLOCKS*W-1:0] beside = 0;
  reg [3:0] age = 0;
  always @(posedge clk) begin
    beside <= {beside[(CLOCKS-1)*W-1:0], own_rate, own_cap, own_window, packet, sender[23:0], sender[119], own_base, fresh};
    if (age != CLOCKS) age <= age + 1;
  end
  wire [33:0] rate_13;
  wire [20:0] cap_13, window_13;
  wire [12:0] packet_13;
  wire [23:0] una_13;
  wire windowless_13, fresh_13;
  wire signed [36:0] base_13;
  assign {rate_13, cap_13, window_13, packet_13, una_13, windowless_13, base_13, fresh_13} = beside[CLOCKS*W-1:(CLOCKS-1)*W];

  // the product where the pipeline adds it, seven clocks before the outcome; `flatten` connects the two
  (* hierconn *) wire [42:0] \dut.product_p ;
  reg [7*43-1:0] products = 0;
  always @(posedge clk) products <= {products[6*43-1:0], \dut.product_p };
  wire [42:0] product_13 = products[7*43-1:6*43];
  wire [33:0] rate_3 = beside[W-1:W-34];

  wire due = age == CLOCKS;
  wire [3:0] count = grant[27:24];
  wire signed [38:0] credit = $signed(state_after[141:105]);
  wire signed [38:0] granted = $signed({22'd0, {13'd0, count} * {4'd0, packet_13}}) <<< 16;
  wire signed [38:0] bound = $signed({18'd0, cap_13}) <<< 16;
  wire signed [46:0] had = fresh_13 ? $signed({18'd0, packet_13, 16'd0}) : base_13 + $signed({4'd0, product_13});
  wire [23:0] in_flight = grant[23:0] + count - una_13;

  always @(posedge clk) begin
    // the least of the three rates is what earns
    rate_is_the_least: assert (age == 0 || rate == rate_3);
    // what leaves and what is left is never more than the credit cap of the least rate: with what is earned later, the bound of
    // "bytes sent after the write"
    bytes_after_a_write: assert (!due || granted + credit <= bound);
    // nothing else is ever added: what leaves and what is left is what was there and what was earned. Summed over a flow's visits after a
    // write, with the line above for the first of them: bytes sent <= credit cap of the new rate + rate x time since that visit
    nothing_but_what_was_earned: assert (!due || granted + credit <= had);
    nothing_without_a_rate: assert (!due || rate_13 != 0 || count == 0);
    stopped_is_said: assert (!due || (state_after[142] == (rate_13 == 0 && !idle)));
    window_of_the_least: assert (!due || count == 0 || windowless_13 || in_flight <= {3'd0, window_13});
    capped_burst: cover (due && count == 6 && granted + credit == bound);
    stopped: cover (due && state_after[142]);
    earned_and_sent: cover (due && count == 2 && !fresh_13 && product_13 != 0 && granted + credit == had);
    window_closes: cover (due && count == 3 && in_flight == {3'd0, window_13});
  end
endmodule

// Any product: whatever a visit earns, the bounds hold.
module hpcc_mul #(
  parameter A = 8, parameter B = 8, parameter P = 8, parameter LOW = 0
) (
  input wire clk,
  input wire [A-1:0] a,
  input wire [B-1:0] b,
  output wire [P-1:0] p
);
  assign p = $anyseq;
endmodule

`default_nettype wire
