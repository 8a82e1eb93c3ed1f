// JobSplit: a DMA job of 1 to 4096 bytes as AXI bursts of whole 64-byte lines, none across a page of 4 KiB.
`default_nettype none

module bursts_proof (
  input wire clk,
  input wire rst,
  input wire [63:0] address,
  input wire [12:0] length,
  input wire job_valid,
  input wire give
);
  wire job_ready, shape_valid, burst_valid, burst_last;
  wire [26:0] shape;
  wire [63:0] burst;
  hpcc_dma_job_split dut (
    .clk(clk), .rst(rst),
    .job_data({length, address}), .job_valid(job_valid), .job_ready(job_ready), .open(give),
    .shape_valid(shape_valid), .shape(shape), .burst_valid(burst_valid), .burst(burst), .burst_last(burst_last)
  );
  // signals of the block, joined by the script of bursts.sby
  wire full, second, crossing;
  wire [57:0] line;
  wire [6:0] lines_less_one;
  wire [5:0] room_less_one;
  wire [6:0] lines = lines_less_one + 7'd1, room = {1'd0, room_less_one} + 7'd1;

  // who makes jobs keeps to their sizes, and none goes past the end of the address space
  always @(posedge clk) assume (length >= 1 && length <= 4096 && address[63:13] != {51{1'b1}});

  // what is left of the job: its next line and the lines to come
  reg busy = 0, begun = 0;
  reg [63:0] job_address = 0;
  reg [12:0] job_length = 1;
  reg [57:0] next_line = 0;
  reg [6:0] left = 0;
  wire [6:0] job_lines = (job_address[5:0] + job_length + 13'd63) >> 6;
  wire [57:0] burst_line = burst[63:6];
  wire [6:0] burst_lines = burst[5:0] + 7'd1;
  wire take = job_valid && job_ready;
  always @(posedge clk) begin
    if (burst_valid) begin
      begun <= 1;
      next_line <= next_line + burst_lines;
      left <= left - burst_lines;
      if (left == burst_lines) busy <= 0;
    end
    if (take) begin
      busy <= 1;
      begun <= 0;
      job_address <= address;
      job_length <= length;
      next_line <= address[63:6];
      left <= (address[5:0] + length + 13'd63) >> 6;
    end
    if (rst) busy <= 0;
  end
  always @(posedge clk) begin
    // a burst whenever it may be given and a job is there; a job is taken as soon as the one before is done
    given: assert (burst_valid == (busy && give));
    taken: assert (job_ready == (!busy || (burst_valid && burst_last)));
    // the rule of AXI: no burst crosses a page
    within_page: assert (!burst_valid || burst_line[5:0] + burst_lines <= 64);
    // bursts follow each other without gap or overlap, and end with the job's last line
    in_sequence: assert (!burst_valid || burst_line == next_line);
    not_too_long: assert (!burst_valid || burst_lines <= left);
    last_is_last: assert (!burst_valid || burst_last == (burst_lines == left));
    two_at_most: assert (!(burst_valid && begun) || burst_last);
    // the shape goes with the first burst
    shape_once: assert (shape_valid == (burst_valid && !begun));
    shape_shift: assert (!shape_valid || shape[5:0] == job_address[5:0]);
    shape_lines: assert (!shape_valid || shape[12:6] == job_lines);
    shape_beats: assert (!shape_valid || shape[19:13] == ((job_length + 13'd63) >> 6));
    shape_last_beat: assert (!shape_valid || shape[26:20] == ((job_length - 13'd1) & 63) + 1);
  end
  always @(posedge clk) begin
    // what the registers mean
    full_is_busy: assert (full == busy);
    second_is_begun: assert (!busy || second == begun);
    legal: assert (job_length >= 1 && job_length <= 4096 && job_address[63:13] != {51{1'b1}});
    line_of_job: assert (!busy || line == job_address[63:6]);
    lines_of_job: assert (!busy || lines == job_lines);
    room_of_page: assert (!busy || room == 64 - job_address[11:6]);
    crossing_page: assert (!busy || crossing == (lines > room));
    shape_of_job: assert (!busy || (shape[5:0] == job_address[5:0] && shape[12:6] == job_lines
      && shape[19:13] == ((job_length + 13'd63) >> 6) && shape[26:20] == ((job_length - 13'd1) & 63) + 1));
    left_at_first: assert (!busy || begun || (left == lines && next_line == line));
    left_at_second: assert (!(busy && begun)
      || (left == lines - room && left <= 64 && left != 0 && lines > room && next_line == {line[57:6] + 52'd1, 6'd0}));
  end
  always @(posedge clk) begin
    one_byte: cover (burst_valid && burst_last && job_length == 1 && job_address[11:0] == 12'hfff);
    longest: cover (burst_valid && burst_last && begun && burst_lines == 64);
    whole_page: cover (burst_valid && burst_last && !begun && burst_lines == 64);
    back_to_back: cover (burst_valid && begun && take);
  end
endmodule

`default_nettype wire
