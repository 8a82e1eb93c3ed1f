// Short stream FIFO of 2^ADDRESS items in distributed RAM beside the one in the output register; one clock from empty to the output.
// `crowded` while at least MARK are held in the RAM.
module hpcc_short_fifo #(
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
  reg stored;
  initial begin
    up_ready = 0;
    down_data = {WIDTH{1'b0}};
    down_valid = 0;
    stored = 0;
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
    reg waits, pushed, leaves, kept, fetched;
    if (rst || up_valid || !up_ready || crowded || level != EMPTY || stored || down_valid) begin
      held = level;
      waits = stored;
      pushed = up_valid && up_ready;
      leaves = !down_valid || down_ready;
      kept = pushed && (waits || !leaves);
      fetched = leaves && waits;
      if (leaves) down_data <= waits ? mem[read] : up_data;
      if (kept) mem[write] = up_data;
      if (rst) begin
        up_ready <= 1'b0;
        down_valid <= 1'b0;
        crowded <= 1'b0;
        stored = 1'b0;
        write = {ADDRESS{1'b0}};
        read = {ADDRESS{1'b0}};
        level = EMPTY;
      end else begin
        crowded <= held >= CROWD[ADDRESS:0];
        up_ready <= fetched || (kept ? held != FULL[ADDRESS:0] - ONE[ADDRESS:0] : !held[ADDRESS]);
        if (leaves) down_valid <= waits || pushed;
        stored = kept || (waits && !(fetched && held == ONE[ADDRESS:0]));
        if (kept) write = write + ONE[ADDRESS-1:0];
        if (fetched) read = read + ONE[ADDRESS-1:0];
        level = held + {{ADDRESS{1'b0}}, kept} - {{ADDRESS{1'b0}}, fetched};
      end
    end else begin
      down_data <= up_data;
    end
  end
`else
  // down_valid, inverted, for the wide register alone: what else moves does not wait for a net with so many loads
  reg vacant;
  // places written and taken from, modulo twice their number: what moves is known late in the clock and only counts, how many are held is
  // their difference in the clock behind
  reg [ADDRESS:0] written;
  reg [ADDRESS:0] taken;
  initial begin
    vacant = 1;
    written = EMPTY;
    taken = EMPTY;
  end
  wire [ADDRESS-1:0] write = written[ADDRESS-1:0];
  wire [ADDRESS-1:0] read = taken[ADDRESS-1:0];
  wire [ADDRESS:0] level = written - taken;
  wire push = up_valid && up_ready;
  wire advance = !down_valid || down_ready;
  wire store = push && (stored || !advance);
  wire fetch = advance && stored;
  // compared before it is known what moves
  wire last_place = level == FULL[ADDRESS:0] - ONE[ADDRESS:0];
  wire last_item = level == ONE[ADDRESS:0];
  always @(posedge clk) begin
    // while it is ready nothing is kept in the next place
    if (up_ready) mem[write] <= up_data;
    if (vacant || down_ready) down_data <= stored ? mem[read] : up_data;
  end
  always @(posedge clk) begin
    if (rst) begin
      up_ready <= 1'b0;
      down_valid <= 1'b0;
      vacant <= 1'b1;
      written <= EMPTY;
      taken <= EMPTY;
      stored <= 1'b0;
      crowded <= 1'b0;
    end else begin
      crowded <= level >= CROWD[ADDRESS:0];
      // with one place left something is stored, so what comes is stored, too
      up_ready <= fetch || (push ? !last_place : !level[ADDRESS]);
      stored <= store || (stored && !(fetch && last_item));
      if (store) written <= written + ONE[ADDRESS:0];
      if (fetch) taken <= taken + ONE[ADDRESS:0];
      if (advance) begin
        down_valid <= stored || push;
        vacant <= !(stored || push);
      end
    end
  end
`endif
endmodule
