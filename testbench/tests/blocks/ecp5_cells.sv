// What Lattice's 18 x 18 multiplier does of what the emitted Verilog asks of it, after the ECP5 sysDSP usage guide (FPGA-TN-02205): unsigned operands and product,
// each behind registers of its own or none, on the first of its four clocks.
module MULT18X18D #(
  parameter REG_INPUTA_CLK = "NONE", parameter REG_INPUTA_CE = "CE0", parameter REG_INPUTA_RST = "RST0",
  parameter REG_INPUTB_CLK = "NONE", parameter REG_INPUTB_CE = "CE0", parameter REG_INPUTB_RST = "RST0",
  parameter REG_PIPELINE_CLK = "NONE",
  parameter REG_OUTPUT_CLK = "NONE", parameter REG_OUTPUT_CE = "CE0", parameter REG_OUTPUT_RST = "RST0",
  parameter CLK0_DIV = "ENABLED", parameter GSR = "ENABLED", parameter RESETMODE = "SYNC"
) (
  input A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17,
  input B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10, B11, B12, B13, B14, B15, B16, B17,
  output P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15, P16, P17,
  output P18, P19, P20, P21, P22, P23, P24, P25, P26, P27, P28, P29, P30, P31, P32, P33, P34, P35,
  input SIGNEDA, SIGNEDB, SOURCEA, SOURCEB, CLK0, CE0, RST0
);
  wire [17:0] a = {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0};
  wire [17:0] b = {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0};
  reg [17:0] a_r = 0, b_r = 0;
  reg [35:0] pipeline_r = 0, product_r = 0;
  wire [17:0] a_used = (REG_INPUTA_CLK == "CLK0") ? a_r : a;
  wire [17:0] b_used = (REG_INPUTB_CLK == "CLK0") ? b_r : b;
  wire [35:0] product = {18'd0, a_used} * {18'd0, b_used};
  wire [35:0] product_used = (REG_PIPELINE_CLK == "CLK0") ? pipeline_r : product;
  always @(posedge CLK0)
    if (CE0) begin
      a_r <= RST0 ? 18'd0 : a;
      b_r <= RST0 ? 18'd0 : b;
      pipeline_r <= RST0 ? 36'd0 : product;
      product_r <= RST0 ? 36'd0 : product_used;
    end
  assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18, P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4,
          P3, P2, P1, P0} = (REG_OUTPUT_CLK == "CLK0") ? product_r : product_used;
  // signed operands, and operands from a cell beside it, are not described
  initial
    if (RESETMODE != "SYNC") $fatal(1, "asynchronous reset is not described");
  always @(posedge CLK0)
    if (SIGNEDA || SIGNEDB || SOURCEA || SOURCEB) $fatal(1, "signed or cascaded operands are not described");
endmodule
