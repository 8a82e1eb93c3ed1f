// Lattice's 18 x 18 multiplier as the emitted Verilog uses it, after the ECP5 sysDSP usage guide (FPGA-TN-02205): unsigned operands and product, each behind
// registers of its own or none, on the first of its four clocks. Whoever asks for more, signed operands, operands from a cell beside it or the register inside, gets zero.
/* verilator lint_off UNUSEDPARAM */
module MULT18X18D #(
  parameter REG_INPUTA_CLK = "NONE", parameter REG_INPUTA_CE = "CE0", parameter REG_INPUTA_RST = "RST0",
  parameter REG_INPUTB_CLK = "NONE", parameter REG_INPUTB_CE = "CE0", parameter REG_INPUTB_RST = "RST0",
  parameter REG_OUTPUT_CLK = "NONE", parameter REG_OUTPUT_CE = "CE0", parameter REG_OUTPUT_RST = "RST0",
  parameter REG_PIPELINE_CLK = "NONE", parameter CLK0_DIV = "ENABLED", parameter GSR = "ENABLED", parameter RESETMODE = "SYNC"
) (
  input wire A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17,
  input wire B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10, B11, B12, B13, B14, B15, B16, B17,
  output wire P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15, P16, P17,
  output wire P18, P19, P20, P21, P22, P23, P24, P25, P26, P27, P28, P29, P30, P31, P32, P33, P34, P35,
  input wire SIGNEDA, SIGNEDB, SOURCEA, SOURCEB, CLK0, CE0, RST0
);
  wire [17:0] a = {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0};
  wire [17:0] b = {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0};
  wire described = !(SIGNEDA || SIGNEDB || SOURCEA || SOURCEB) && REG_PIPELINE_CLK == "NONE" && RESETMODE == "SYNC";
  reg [17:0] a_r, b_r;
  reg [35:0] product_r;
  initial {a_r, b_r, product_r} = 72'd0;
  wire [17:0] a_used = (REG_INPUTA_CLK == "CLK0") ? a_r : a;
  wire [17:0] b_used = (REG_INPUTB_CLK == "CLK0") ? b_r : b;
  wire [35:0] product = described ? {18'd0, a_used} * {18'd0, b_used} : 36'd0;
  always @(posedge CLK0)
    if (CE0) {a_r, b_r, product_r} <= RST0 ? 72'd0 : {a, b, product};
  assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18, P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4,
          P3, P2, P1, P0} = (REG_OUTPUT_CLK == "CLK0") ? product_r : product;
endmodule
/* verilator lint_on UNUSEDPARAM */
