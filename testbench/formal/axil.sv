// Registers: the AXI4-Lite slave, with the register file as emitted.
`default_nettype none

// The bank of counters is not part of the proof: any count at any time.
module hpcc_registers_counter_bank (
  input wire clk,
  input wire rst,
  input wire [63:0] pulses,
  input wire [5:0] address,
  output wire [63:0] count
);
  assign count = $anyseq;
endmodule

module axil_proof (
  input wire clk,
  input wire rst,
  input wire [11:0] awaddr,
  input wire awvalid,
  input wire [31:0] wdata,
  input wire [3:0] wstrb,
  input wire wvalid,
  input wire bready,
  input wire [11:0] araddr,
  input wire arvalid,
  input wire rready,
  input wire [47:0] now,
  input wire nic_ready,
  input wire [7:0] laws,
  input wire [15:0] active,
  input wire [63:0] sent,
  input wire command_ready,
  input wire command_done,
  input wire [2:0] command_code
);
  wire awready, wready, bvalid, arready, rvalid, command_valid;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;
  wire [415:0] command_data;
  wire level_write;
  hpcc_registers dut (
    .clk(clk), .rst(rst),
    .s_axil_awaddr(awaddr), .s_axil_awprot(3'd0), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
    .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
    .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
    .s_axil_araddr(araddr), .s_axil_arprot(3'd0), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
    .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
    .ready(nic_ready), .laws(laws), .active(active), .sent(sent), .now(now), .pulses(64'd0), .sched_late(32'd0), .sched_beyond(32'd0), .sched_out_of_range(32'd0), .sched_cc_dropped(32'd0),
    .level_write(level_write), .command_data(command_data), .command_valid(command_valid), .command_ready(command_ready),
    .command_done(command_done), .command_code(command_code)
  );
  // signals of the block, joined by the script of axil.sby
  wire [1:0] writing, reading;
  wire [9:0] block_waddr, block_raddr;
  wire [3:0] block_wstrb;
  wire [31:0] block_wdata, block_scratch;
  wire busy, block_has_address, block_has_data;
  wire block_whit, block_rhit;
  wire [5:0] block_row;
  wire [15:0] block_column;
  wire reads_status, reads_active, reads_sent, reads_wide, to_absent, to_level;
  wire [31:0] block_rdata;

  // SCRATCH, and a word in the middle of the widest range that belongs to no register
  localparam [9:0] SCRATCH = 3, HOLE = 100;
  stream_rules #(.W(2)) b (.clk(clk), .rst(rst), .valid(bvalid), .ready(bready), .data(bresp));
  stream_rules #(.W(34)) r (.clk(clk), .rst(rst), .valid(rvalid), .ready(rready), .data({rresp, rdata}));
  stream_rules #(.W(416)) command (
    .clk(clk), .rst(rst), .valid(command_valid), .ready(command_ready), .data(command_data)
  );

  // the two halves of a write that have been taken, and clocks since both have, 0 if none is open; it is answered at 3, as a read is
  reg has_address = 0, has_data = 0;
  reg [1:0] write_age = 0, read_age = 0;
  reg [9:0] write_at = 0, read_at = 0;
  reg [31:0] written = 0, scratch = 0, seen = 0;
  reg [3:0] strobes = 0;
  // a command has been taken and is not done
  reg open = 0;
  wire take_address = awvalid && awready, take_data = wvalid && wready, take_read = arvalid && arready;
  wire take_write = (has_address || take_address) && (has_data || take_data) && write_age == 0;
  // ready comes up in the clock after reset
  reg awake = 0;
  // clocks for which the scheduler computes the level that was written last
  reg [1:0] computes = 0;
  integer i;
  always @(posedge clk) begin
    awake <= !rst;
    computes <= level_write ? 3 : computes != 0 ? computes - 1 : 0;
    if (take_address) write_at <= awaddr[11:2];
    if (take_data) begin
      written <= wdata;
      strobes <= wstrb;
    end
    has_address <= (has_address || take_address) && !take_write;
    has_data <= (has_data || take_data) && !take_write;
    if (take_write) write_age <= 1;
    else if (write_age == 3) write_age <= bready ? 0 : 3;
    else if (write_age != 0) write_age <= write_age + 1;
    if (take_read) begin
      read_age <= 1;
      read_at <= araddr[11:2];
    end else if (read_age == 3) read_age <= rready ? 0 : 3;
    else if (read_age != 0) read_age <= read_age + 1;
    if (read_age == 1) seen <= scratch;
    if (write_age == 2 && write_at == SCRATCH)
      for (i = 0; i < 4; i = i + 1) if (strobes[i]) scratch[8*i+:8] <= written[8*i+:8];
    if (command_valid && command_ready) open <= 1;
    if (command_done) open <= 0;
    if (rst) begin
      write_age <= 0;
      has_address <= 0;
      has_data <= 0;
      read_age <= 0;
      scratch <= 0;
      open <= 0;
    end
  end
  // who executes commands ends those that it has taken
  always @(posedge clk) assume (!command_done || open);
  always @(posedge clk) begin
    // address and data of a write are taken in any order, each once, and neither before the write before is answered
    one_address: assert (!(awready && (has_address || write_age != 0)));
    one_data: assert (!(wready && (has_data || write_age != 0)));
    not_in_reset: assert (awake || !(awready || wready || arready));
    // every access is answered once, three clocks after it was taken, and the next one waits for that
    write_answered: assert (bvalid == (write_age == 3));
    read_answered: assert (rvalid == (read_age == 3));
    one_read: assert (!(take_read && read_age != 0));
    // an idle slave takes what it is offered: no deadlock
    address_taken: assert (!awake || write_age != 0 || has_address || awready);
    data_taken: assert (!awake || write_age != 0 || has_data || wready);
    read_taken: assert (!awake || read_age != 0 || arready);
    // a read returns the bytes written last; a hole answers with an error
    scratch_read: assert (!(rvalid && read_at == SCRATCH) || (rdata == seen && rresp == 0));
    hole_read: assert (!(rvalid && read_at == HOLE) || rresp == 2);
    hole_write: assert (!(bvalid && write_at == HOLE) || bresp == 2);
    scratch_write: assert (!(bvalid && write_at == SCRATCH) || bresp == 0);
    // commands one at a time
    // levels come every fourth clock at most
    one_level: assert (!(level_write && computes != 0));
    level_decoded: assert (!to_level || write_age == 2);
    level_age: assert (!level_write || write_age == 3);
    level_behind: assert (computes < 2 || (write_age != 2 && (computes == 2 || write_age != 1)));

    one_command: assert (!(command_valid && open));
    busy_is_open: assert (busy == (command_valid || open));
  end
  always @(posedge clk) begin
    // what the block holds is what was accepted
    states: assert (writing == write_age && reading == read_age);
    halves: assert (block_has_address == has_address && block_has_data == has_data && !(has_address && has_data));
    no_halves: assert (write_age == 0 || !(has_address || has_data));
    address_held: assert (!(has_address || write_age != 0) || block_waddr == write_at);
    data_held: assert (!(has_data || write_age != 0) || (block_wdata == written && block_wstrb == strobes));
    read_held: assert (read_age == 0 || block_raddr == read_at);
    scratch_held: assert (block_scratch == scratch);
    decoded: assert ((block_row[0] && block_column[3]) == (write_age == 2 && write_at == SCRATCH));
    read_word: assert (!(read_age == 2 && read_at == SCRATCH) || (block_rdata == seen && block_rhit));
    read_plain: assert (!(read_age == 2 && read_at == SCRATCH) || !(reads_status || reads_active || reads_sent || reads_wide));
    read_hit: assert (!(read_age == 2 && read_at == HOLE) || !block_rhit);
    write_known: assert (!(write_age == 2 && write_at == SCRATCH) || !to_absent);
    write_hit: assert (write_age != 2 || (write_at == SCRATCH ? block_whit : write_at != HOLE || !block_whit));
  end
  always @(posedge clk) begin
    both_ways: cover (bvalid && bready && rvalid && rready);
    scratch_comes_back: cover (rvalid && rready && read_at == SCRATCH && rdata[15:0] == 16'h00ab && rdata[31:16] == 16'hcd00);
    data_first: cover (has_data && take_address);
    command_runs: cover (command_done && open);
  end
endmodule

`default_nettype wire
