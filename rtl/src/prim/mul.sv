// Bits LOW to LOW + P - 1 of a * b, unsigned, operands of up to 68 bits, cut into tiles of 17 x 17 bits: 2 clocks for one tile, 3 where
// one operand has at most 17 bits, 4 where one has at most 34, 5 otherwise.
//
// | clock | registers | computed |
// |---|---|---|
// | 1 | `x_r`, `y_r` | operands, inside the multiplier cell |
// | 2 | `product` | tile products, inside the multiplier cell |
// | (3) | `rows` | tiles of one row: even ones side by side plus odd ones side by side, one addition |
// | (4) | `pair_0`, `pair_1` | sums of two rows, only where there are more than two rows |
// | last | `p` | sum of the rows |
//
// On Lattice parts multipliers stand in columns far from the carry chains: with more than one row clock 3 only takes the products into
// registers beside those (`near`), and the additions of clocks 3 and 4 are one clock's: the tiles of two rows go through carry-save adders,
// which carry nothing from bit to bit, into one carry chain.
module hpcc_mul #(
  parameter integer A = 17,
  parameter integer B = 17,
  parameter integer P = 34,
  parameter integer LOW = 0
) (
  input  wire         clk,
  input  wire [A-1:0] a,
  input  wire [B-1:0] b,
  output wire [P-1:0] p
);
  // `x` runs along the columns and `y` along the rows, swapped where that gives fewer rows
  localparam integer SWAPPED = ((A + 16) / 17 < (B + 16) / 17) ? 1 : 0;
  localparam integer X = (SWAPPED != 0) ? B : A;
  localparam integer Y = (SWAPPED != 0) ? A : B;
  localparam integer COLUMNS = (X + 16) / 17;
  localparam integer ROWS = (Y + 16) / 17;
`ifdef FAST_SIMULATION
  // the same at once, in one or two multiplications of a processor, and then the clocks: the wide operand in two parts of which either times the
  // narrow one has 64 bits at most
  localparam integer PART = (X + Y <= 64 || Y > 63) ? 0 : 64 - Y;
  localparam integer SKIP = (LOW < PART) ? LOW : PART;
  localparam integer CLOCKS = (ROWS == 1) ? ((COLUMNS == 1) ? 2 : 3) : (ROWS == 2) ? 4 : 5;
  wire [P-1:0] now;
  // nobody else reads the line, so that it moves at once
  reg [P-1:0] line [0:CLOCKS-2];
  reg [P-1:0] result;
  integer i;
  initial begin
    result = {P{1'b0}};
    for (i = 0; i <= CLOCKS - 2; i = i + 1) line[i] = {P{1'b0}};
  end
  always @(posedge clk) begin
    result <= line[CLOCKS-2];
    for (i = CLOCKS - 2; i > 0; i = i - 1) line[i] = line[i-1];
    line[0] = now;
  end
  assign p = result;
  generate
    if (X + Y <= 64) begin : one_product
      wire [63:0] product = {{(64 - A){1'b0}}, a} * {{(64 - B){1'b0}}, b};
      assign now = product[LOW +: P];
    end else if (X - PART + Y <= 64 && P <= 64) begin : two_products
      wire [X-1:0] wide = (SWAPPED != 0) ? b : a;
      wire [63:0] narrow = {{(64 - Y){1'b0}}, (SWAPPED != 0) ? a : b};
      wire [63:0] low = {{(64 - PART){1'b0}}, wide[PART-1:0]} * narrow;
      wire [63:0] high = {{(64 - X + PART){1'b0}}, wide[X-1:PART]} * narrow;
      wire [63:0] sum = ((high << (PART - SKIP)) + (low >> SKIP)) >> (LOW - SKIP);
      assign now = sum[P-1:0];
    end else begin : wide_product
      wire [A+B-1:0] product = {{B{1'b0}}, a} * {{A{1'b0}}, b};
      assign now = product[LOW +: P];
    end
  endgenerate
`else
  // a row's sum, and the product, to whole tiles
  localparam integer ROW = 17 * (COLUMNS + 1);
  localparam integer FULL = 17 * (COLUMNS + ROWS);
  wire [X-1:0] x;
  wire [Y-1:0] y;
  // of every row its even tiles side by side, its odd ones, and the sum of both
  wire [ROW*ROWS-1:0] evens;
  wire [ROW*ROWS-1:0] odds;
  wire [ROW*ROWS-1:0] sums;
  wire [FULL-1:0] full;
  // what the caller does not want of the product
  wire unused_full = &{1'b0, full};
  genvar r, c;
  generate
    if (SWAPPED != 0) begin : swapped
      assign x = b;
      assign y = a;
    end else begin : straight
      assign x = a;
      assign y = b;
    end
`ifndef SYNTH_ECP5
    reg [X-1:0] x_r;
    reg [Y-1:0] y_r;
    initial begin
      x_r = {X{1'b0}};
      y_r = {Y{1'b0}};
    end
    always @(posedge clk) begin
      x_r <= x;
      y_r <= y;
    end
`endif
    for (r = 0; r < ROWS; r = r + 1) begin : row
      localparam integer HEIGHT = (r == ROWS - 1) ? Y - 17 * r : 17;
      wire [34*COLUMNS-1:0] products;
      wire [34*COLUMNS-1:0] tiles;
      for (c = 0; c < COLUMNS; c = c + 1) begin : column
        localparam integer WIDTH = (c == COLUMNS - 1) ? X - 17 * c : 17;
`ifdef SYNTH_ECP5
        // Lattice's multiplier with its own registers, which Yosys does not pack by itself
        wire [17:0] i = {{(18 - WIDTH){1'b0}}, x[17*c +: WIDTH]};
        wire [17:0] j = {{(18 - HEIGHT){1'b0}}, y[17*r +: HEIGHT]};
        wire [35:0] product;
        assign products[34*c +: 34] = product[33:0];
        // zero, of two operands of 17 bits
        wire unused_product = &{1'b0, product[35:34]};
        MULT18X18D #(
          .REG_INPUTA_CLK("CLK0"), .REG_INPUTA_CE("CE0"), .REG_INPUTA_RST("RST0"),
          .REG_INPUTB_CLK("CLK0"), .REG_INPUTB_CE("CE0"), .REG_INPUTB_RST("RST0"),
          .REG_OUTPUT_CLK("CLK0"), .REG_OUTPUT_CE("CE0"), .REG_OUTPUT_RST("RST0"),
          .REG_PIPELINE_CLK("NONE"), .CLK0_DIV("ENABLED"), .GSR("DISABLED"), .RESETMODE("SYNC")
        ) cell_product (
          .A0(i[0]), .A1(i[1]), .A2(i[2]), .A3(i[3]), .A4(i[4]), .A5(i[5]), .A6(i[6]), .A7(i[7]), .A8(i[8]),
          .A9(i[9]), .A10(i[10]), .A11(i[11]), .A12(i[12]), .A13(i[13]), .A14(i[14]), .A15(i[15]), .A16(i[16]), .A17(i[17]),
          .B0(j[0]), .B1(j[1]), .B2(j[2]), .B3(j[3]), .B4(j[4]), .B5(j[5]), .B6(j[6]), .B7(j[7]), .B8(j[8]),
          .B9(j[9]), .B10(j[10]), .B11(j[11]), .B12(j[12]), .B13(j[13]), .B14(j[14]), .B15(j[15]), .B16(j[16]), .B17(j[17]),
          .P0(product[0]), .P1(product[1]), .P2(product[2]), .P3(product[3]), .P4(product[4]), .P5(product[5]),
          .P6(product[6]), .P7(product[7]), .P8(product[8]), .P9(product[9]), .P10(product[10]), .P11(product[11]),
          .P12(product[12]), .P13(product[13]), .P14(product[14]), .P15(product[15]), .P16(product[16]), .P17(product[17]),
          .P18(product[18]), .P19(product[19]), .P20(product[20]), .P21(product[21]), .P22(product[22]), .P23(product[23]),
          .P24(product[24]), .P25(product[25]), .P26(product[26]), .P27(product[27]), .P28(product[28]), .P29(product[29]),
          .P30(product[30]), .P31(product[31]), .P32(product[32]), .P33(product[33]), .P34(product[34]), .P35(product[35]),
          .SIGNEDA(1'b0), .SIGNEDB(1'b0), .SOURCEA(1'b0), .SOURCEB(1'b0), .CLK0(clk), .CE0(1'b1), .RST0(1'b0)
        );
`else
        reg [WIDTH+HEIGHT-1:0] product;
        initial product = {(WIDTH + HEIGHT){1'b0}};
        always @(posedge clk)
          product <= {{HEIGHT{1'b0}}, x_r[17*c +: WIDTH]} * {{WIDTH{1'b0}}, y_r[17*r +: HEIGHT]};
        if (WIDTH + HEIGHT == 34) begin : whole
          assign products[34*c +: 34] = product;
        end else begin : part
          assign products[34*c +: 34] = {{(34 - WIDTH - HEIGHT){1'b0}}, product};
        end
`endif
      end
`ifdef SYNTH_ECP5
      if (ROWS > 1) begin : near_adders
        reg [34*COLUMNS-1:0] near;
        initial near = {(34 * COLUMNS){1'b0}};
        always @(posedge clk) near <= products;
        assign tiles = near;
      end else begin : at_once
        assign tiles = products;
      end
`else
      assign tiles = products;
`endif
      if (COLUMNS == 1) begin : one
        assign evens[ROW*r +: ROW] = tiles;
        assign odds[ROW*r +: ROW] = {ROW{1'b0}};
      end else if (COLUMNS == 2) begin : two
        assign evens[ROW*r +: ROW] = {17'd0, tiles[33:0]};
        assign odds[ROW*r +: ROW] = {tiles[67:34], 17'd0};
      end else if (COLUMNS == 3) begin : three
        assign evens[ROW*r +: ROW] = {tiles[101:68], tiles[33:0]};
        assign odds[ROW*r +: ROW] = {17'd0, tiles[67:34], 17'd0};
      end else begin : four
        assign evens[ROW*r +: ROW] = {17'd0, tiles[101:68], tiles[33:0]};
        assign odds[ROW*r +: ROW] = {tiles[135:102], tiles[67:34], 17'd0};
      end
      assign sums[ROW*r +: ROW] = evens[ROW*r +: ROW] + odds[ROW*r +: ROW];
    end
    if (ROWS == 1) begin : single
      assign full = sums;
      if (COLUMNS == 1) begin : cells
        // the multiplier cell has registered it
        assign p = full[LOW +: P];
      end else begin : adder
        reg [P-1:0] result;
        initial result = {P{1'b0}};
        always @(posedge clk) result <= full[LOW +: P];
        assign p = result;
      end
    end else begin : sum
      reg [P-1:0] result;
      initial result = {P{1'b0}};
      always @(posedge clk) result <= full[LOW +: P];
      assign p = result;
      // sums of two rows, the second 17 places further up
      localparam integer PAIR = ROW + 17;
      wire [PAIR*(ROWS/2)-1:0] pairs;
`ifndef SYNTH_ECP5
      // the rows' sums, a clock behind the products
      reg [ROW*ROWS-1:0] rows_r;
      initial rows_r = {(ROW * ROWS){1'b0}};
      always @(posedge clk) rows_r <= sums;
`endif
      for (r = 0; r < ROWS / 2; r = r + 1) begin : two_rows
`ifdef SYNTH_ECP5
        wire [PAIR-1:0] even_low = {17'd0, evens[ROW*2*r +: ROW]};
        wire [PAIR-1:0] odd_low = {17'd0, odds[ROW*2*r +: ROW]};
        wire [PAIR-1:0] even_high = {evens[ROW*(2*r+1) +: ROW], 17'd0};
        wire [PAIR-1:0] odd_high = {odds[ROW*(2*r+1) +: ROW], 17'd0};
        wire [PAIR-1:0] first;
        wire [PAIR-1:0] bits;
        wire [PAIR-1:0] carries;
        // carries of three numbers, each in its place; at the top none leaves
        function automatic [PAIR-1:0] carried(input [PAIR-1:0] one, input [PAIR-1:0] two, input [PAIR-1:0] three);
          carried = ((one & (two | three)) | (two & three)) << 1;
        endfunction
        if (COLUMNS == 2) begin : three_numbers
          // these two have no bit in common
          assign first = even_low | odd_high;
          assign bits = first ^ odd_low ^ even_high;
          assign carries = carried(first, odd_low, even_high);
        end else begin : four_numbers
          wire [PAIR-1:0] second;
          assign first = even_low ^ odd_low ^ even_high;
          assign second = carried(even_low, odd_low, even_high);
          assign bits = first ^ second ^ odd_high;
          assign carries = carried(first, second, odd_high);
        end
        // nothing is added to the lower half of the lowest tile; the rows' own sums are not needed here
        wire unused_bits = &{1'b0, sums, carries[16:0]};
        assign pairs[PAIR*r +: PAIR] = {bits[PAIR-1:17] + carries[PAIR-1:17], bits[16:0]};
`else
        wire [ROW-1:0] low = rows_r[ROW*2*r +: ROW];
        wire [ROW-1:0] high = rows_r[ROW*(2*r+1) +: ROW];
        assign pairs[PAIR*r +: PAIR] = {{17'd0, low[ROW-1:17]} + high, low[16:0]};
`endif
      end
      if (ROWS == 2) begin : rows_2
        assign full = pairs;
      end else begin : more
        reg [PAIR-1:0] pair_0;
        reg [FULL-35:0] pair_1;
        initial begin
          pair_0 = {PAIR{1'b0}};
          pair_1 = {(FULL - 34){1'b0}};
        end
        always @(posedge clk) pair_0 <= pairs[0 +: PAIR];
        if (ROWS == 4) begin : rows_4
          always @(posedge clk) pair_1 <= pairs[PAIR +: PAIR];
        end else begin : rows_3
`ifdef SYNTH_ECP5
          always @(posedge clk) pair_1 <= sums[2*ROW +: ROW];
`else
          always @(posedge clk) pair_1 <= rows_r[2*ROW +: ROW];
`endif
        end
        assign full = {pair_1 + {{(FULL - ROW - 17){1'b0}}, pair_0[PAIR-1:34]}, pair_0[33:0]};
      end
    end
  endgenerate
`endif
endmodule
