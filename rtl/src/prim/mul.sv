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
// registers beside those (`near`), and the additions of clocks 3 and 4 are one clock's.
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
  // a row's sum, and the product, to whole tiles
  localparam integer ROW = 17 * (COLUMNS + 1);
  localparam integer FULL = 17 * (COLUMNS + ROWS);
  wire [X-1:0] x;
  wire [Y-1:0] y;
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
        assign sums[ROW*r +: ROW] = tiles;
      end else if (COLUMNS == 2) begin : two
        assign sums[ROW*r +: ROW] = {17'd0, tiles[33:0]} + {tiles[67:34], 17'd0};
      end else if (COLUMNS == 3) begin : three
        assign sums[ROW*r +: ROW] = {tiles[101:68], tiles[33:0]} + {17'd0, tiles[67:34], 17'd0};
      end else begin : four
        assign sums[ROW*r +: ROW] = {17'd0, tiles[101:68], tiles[33:0]} + {tiles[135:102], tiles[67:34], 17'd0};
      end
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
      // the rows' sums, a clock behind the products
      wire [ROW*ROWS-1:0] rows;
`ifdef SYNTH_ECP5
      assign rows = sums;
`else
      reg [ROW*ROWS-1:0] rows_r;
      initial rows_r = {(ROW * ROWS){1'b0}};
      always @(posedge clk) rows_r <= sums;
      assign rows = rows_r;
`endif
      wire [ROW-1:0] row_0 = rows[0 +: ROW];
      wire [ROW-1:0] row_1 = rows[ROW +: ROW];
      // two rows, the second 17 places further up
      wire [ROW+16:0] pair = {{17'd0, row_0[ROW-1:17]} + row_1, row_0[16:0]};
      if (ROWS == 2) begin : rows_2
        assign full = pair;
      end else begin : more
        reg [ROW+16:0] pair_0;
        reg [FULL-35:0] pair_1;
        wire [ROW-1:0] row_2 = rows[2*ROW +: ROW];
        initial begin
          pair_0 = {(ROW + 17){1'b0}};
          pair_1 = {(FULL - 34){1'b0}};
        end
        if (ROWS == 3) begin : rows_3
          always @(posedge clk) pair_1 <= row_2;
        end else begin : rows_4
          wire [ROW-1:0] row_3 = rows[3*ROW +: ROW];
          always @(posedge clk) pair_1 <= {{17'd0, row_2[ROW-1:17]} + row_3, row_2[16:0]};
        end
        always @(posedge clk) pair_0 <= pair;
        assign full = {pair_1 + {{(FULL - ROW - 17){1'b0}}, pair_0[ROW+16:34]}, pair_0[33:0]};
      end
    end
  endgenerate
endmodule
