// Stream FIFO of 2^ADDRESS items in distributed RAM beside the one in the output register; `crowded` while at least MARK are held.
module hpcc_lut_fifo #(
  parameter integer WIDTH = 1,
  parameter integer ADDRESS = 1,
  parameter integer MARK = 1
) (
  input  wire             clk,
  input  wire             rst,
  input  wire [WIDTH-1:0] up_data,
  input  wire             up_valid,
  output reg              up_ready,
  output reg  [WIDTH-1:0] down_data,
  output reg              down_valid,
  input  wire             down_ready,
  output reg              crowded
);
  localparam [31:0] FULL = 2**ADDRESS;
  localparam [31:0] CROWD = MARK;
  localparam [31:0] ONE = 1;
  localparam [ADDRESS:0] EMPTY = {(ADDRESS + 1){1'b0}};
  (* ram_style = "distributed", no_rw_check *) reg [WIDTH-1:0] mem [0:2**ADDRESS-1];
  initial begin
    up_ready = 0;
    down_data = {WIDTH{1'b0}};
    down_valid = 0;
    crowded = 0;
  end
`ifndef SYNTHESIS
  integer i;
  initial for (i = 0; i < 2**ADDRESS; i = i + 1) mem[i] = {WIDTH{1'b0}};
`endif
`ifdef FAST_SIMULATION
  // the same in one piece, which an empty FIFO leaves out; what nobody else reads changes at once
  reg [ADDRESS-1:0] write;
  reg [ADDRESS-1:0] read;
  reg [ADDRESS:0] level;
  initial begin
    write = {ADDRESS{1'b0}};
    read = {ADDRESS{1'b0}};
    level = EMPTY;
  end
  always @(posedge clk) begin : moves
    reg [ADDRESS:0] held;
    reg pushed, leaves, fetched;
    if (rst || up_valid || !up_ready || crowded || level != EMPTY || down_valid) begin
      held = level;
      pushed = up_valid && up_ready;
      leaves = !down_valid || down_ready;
      fetched = leaves && held != EMPTY;
      if (fetched) down_data <= mem[read];
      if (pushed) mem[write] = up_data;
      if (rst) begin
        up_ready <= 1'b0;
        down_valid <= 1'b0;
        crowded <= 1'b0;
        write = {ADDRESS{1'b0}};
        read = {ADDRESS{1'b0}};
        level = EMPTY;
      end else begin
        up_ready <= fetched || (pushed ? held != FULL[ADDRESS:0] - ONE[ADDRESS:0] : !held[ADDRESS]);
        crowded <= held >= CROWD[ADDRESS:0];
        if (leaves) down_valid <= held != EMPTY;
        if (pushed) write = write + ONE[ADDRESS-1:0];
        if (fetched) read = read + ONE[ADDRESS-1:0];
        level = held + {{ADDRESS{1'b0}}, pushed} - {{ADDRESS{1'b0}}, fetched};
      end
    end
  end
`else
  // down_valid, inverted, for the wide register alone: what else moves does not wait for a net with so many loads
  reg down_vacant;
  // places written and taken from, modulo twice their number: what moves is known late in the clock and only counts, how many are held is
  // their difference in the clock behind
  reg [ADDRESS:0] written;
  reg [ADDRESS:0] taken;
  reg stored;
  initial begin
    down_vacant = 1;
    written = EMPTY;
    taken = EMPTY;
    stored = 0;
  end
  wire [ADDRESS-1:0] write = written[ADDRESS-1:0];
  wire [ADDRESS-1:0] read = taken[ADDRESS-1:0];
  wire [ADDRESS:0] level = written - taken;
  wire push = up_valid && up_ready;
  wire advance = !down_valid || down_ready;
  wire fetch = advance && stored;
  // compared before it is known what moves
  wire last_place = level == FULL[ADDRESS:0] - ONE[ADDRESS:0];
  wire several = level > ONE[ADDRESS:0];
  always @(posedge clk) begin
    // while it is ready nothing is kept in the next place
    if (up_ready) mem[write] <= up_data;
    if (stored && (down_vacant || down_ready)) down_data <= mem[read];
  end
  always @(posedge clk) begin
    if (rst) begin
      up_ready <= 1'b0;
      down_valid <= 1'b0;
      crowded <= 1'b0;
      down_vacant <= 1'b1;
      stored <= 1'b0;
      written <= EMPTY;
      taken <= EMPTY;
    end else begin
      up_ready <= fetch || (push ? !last_place : !level[ADDRESS]);
      crowded <= level >= CROWD[ADDRESS:0];
      stored <= push || several || (stored && !advance);
      if (push) written <= written + ONE[ADDRESS:0];
      if (fetch) taken <= taken + ONE[ADDRESS:0];
      if (advance) begin
        down_valid <= stored;
        down_vacant <= !stored;
      end
    end
  end
`endif
endmodule
