// Shifts a number of WIDTH bits left until its top bit is set: one conditional shift a clock, the largest first, as many clocks as
// `shift` has bits. `x` is the upper 24 bits of the result, `shift` how far the number went; zero comes out as zero with all ones.
module hpcc_normalise #(
  parameter integer WIDTH = 24
) (
  input  wire                     clk,
  input  wire [WIDTH-1:0]         n,
  output wire [23:0]              x,
  output wire [$clog2(WIDTH)-1:0] shift
);
  localparam integer STAGES = $clog2(WIDTH);
  // the number taken the first stage and after each, and how far it went
  wire [WIDTH*(STAGES+1)-1:0] numbers;
  wire [STAGES*(STAGES+1)-1:0] shifts;
  // of the result only the bits that `x` shows are used
  wire unused_low = &{1'b0, numbers};
  genvar s;
  assign numbers[WIDTH-1:0] = n;
  assign shifts[STAGES-1:0] = {STAGES{1'b0}};
  generate
    for (s = 0; s < STAGES; s = s + 1) begin : stage
      // how far this stage shifts, and the bit of `shift` that says so
      localparam integer BY = 2 ** (STAGES - 1 - s);
      localparam [STAGES-1:0] BIT = BY[STAGES-1:0];
      wire [WIDTH-1:0] taken = numbers[WIDTH*s +: WIDTH];
      wire low = taken[WIDTH-1 -: BY] == {BY{1'b0}};
      reg [WIDTH-1:0] number;
      reg [STAGES-1:0] moved;
      initial begin
        number = {WIDTH{1'b0}};
        moved = {STAGES{1'b0}};
      end
      always @(posedge clk) begin
        number <= low ? {taken[WIDTH-BY-1:0], {BY{1'b0}}} : taken;
        moved <= low ? shifts[STAGES*s +: STAGES] | BIT : shifts[STAGES*s +: STAGES];
      end
      assign numbers[WIDTH*(s+1) +: WIDTH] = number;
      assign shifts[STAGES*(s+1) +: STAGES] = moved;
    end
  endgenerate
  assign x = numbers[WIDTH*(STAGES+1)-1 -: 24];
  assign shift = shifts[STAGES*(STAGES+1)-1 -: STAGES];
endmodule
