// The ports of the whole NIC after reset: the module hpcc_nic itself, with its registers and the merge of work requests as emitted.
// Every other block is cut away (cutpoint in the script): its outputs are anything in any clock.
`default_nettype none

// Not part of the proof: any count at any time.
module hpcc_registers_counter_bank (
  input wire clk,
  input wire rst,
  input wire [63:0] pulses,
  input wire [5:0] address,
  output wire [63:0] count
);
  assign count = $anyseq;
endmodule

module entrance_proof (
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
  input wire rx_tvalid,
  input wire rx_tlast,
  input wire work_tvalid,
  input wire [319:0] work_tdata
);
  wire awready, wready, bvalid, arready, rvalid, rx_tready, work_tready;
  wire [31:0] rdata;
  hpcc_nic dut (
    .clk(clk), .rst(rst),
    .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
    .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
    .s_axil_bvalid(bvalid), .s_axil_bready(bready),
    .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
    .s_axil_rdata(rdata), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
    .s_axis_rx_tvalid(rx_tvalid), .s_axis_rx_tlast(rx_tlast), .s_axis_rx_tready(rx_tready),
    .s_axis_work_tvalid(work_tvalid), .s_axis_work_tdata(work_tdata), .s_axis_work_tready(work_tready)
  );
  // signals of the NIC, joined by the script of entrance.sby
  wire [8:0] hold;
  wire running, ready, in_frame, ignores;
  wire [1:0] writing, reading;
  wire [9:0] read_place;
  wire block_has_address, block_has_data, block_awready, block_wready, block_arready;
  wire work_full, rx_valid;

  // clocks since reset, at most 400
  reg [8:0] since = 0;
  // halves of a write that were taken, clocks since both were, and clocks since a read was taken
  reg has_address = 0, has_data = 0;
  reg [1:0] write_age = 0, read_age = 0;
  reg [9:0] read_at = 0;
  // a frame has begun and not ended at the port; it had begun when the reset came
  reg open = 0, old = 0;
  // a work request was taken a clock ago
  reg handed = 0;
  // the registers come up a clock after the reset of the blocks
  reg up = 0;
  wire take_address = awvalid && awready, take_data = wvalid && wready, take_read = arvalid && arready;
  wire take_write = (has_address || take_address) && (has_data || take_data) && write_age == 0;
  wire take_beat = rx_tvalid && rx_tready, take_work = work_tvalid && work_tready;
  always @(posedge clk) begin
    if (since != 400) since <= since + 1;
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
    if (take_beat) begin
      open <= !rx_tlast;
      if (rx_tlast) old <= 0;
    end
    if (!ready) old <= open;
    handed <= take_work;
    up <= running;
    if (rst) begin
      since <= 0;
      has_address <= 0;
      has_data <= 0;
      write_age <= 0;
      read_age <= 0;
      handed <= 0;
    end
  end
  always @(posedge clk) begin
    // in the 401 clocks of the NIC's own reset nothing is taken and nothing answered
    nothing_in_reset: assert (since == 400 || !(awready || wready || arready || bvalid || rvalid || rx_tready || work_tready));
    // work requests and frames wait for the end of the clearing too
    only_when_ready: assert (ready || !(rx_tready || work_tready));
    // every access is answered once, three clocks after it was taken
    write_answered: assert (bvalid == (write_age == 3));
    read_answered: assert (rvalid == (read_age == 3));
    // and taken as soon as the one before is answered
    address_taken: assert (!(running && up) || write_age != 0 || has_address || awready);
    data_taken: assert (!(running && up) || write_age != 0 || has_data || wready);
    read_taken: assert (!(running && up) || read_age != 0 || arready);
    // a work request that was taken goes on to the requester
    work_goes_on: assert (!handed || work_full);
    // a frame goes in whole or not at all: the rest of one that a reset has cut does not
    whole_frames: assert (rx_valid == (take_beat && !old));
    // STATUS.ready is what it says
    status: assert (!(rvalid && read_at == 43) || !rdata[3] || running);
  end
  always @(posedge clk) begin
    // what the NIC holds is what happened
    counted: assert (hold == since && hold <= 400);
    awake: assert (!running || since == 400);
    both: assert (!ready || running);
    frames: assert (in_frame == open && ignores == old);
    // a clock after the NIC's own reset began its registers are as at its end
    cleared: assert (running || since == 0 || !(writing != 0 || reading != 0 || block_has_address || block_has_data || block_awready || block_wready || block_arready || work_full));
    halves: assert (!running || (block_has_address == has_address && block_has_data == has_data && !(has_address && has_data)));
    no_halves: assert (write_age == 0 || !(has_address || has_data));
    states: assert (!running || (writing == write_age && reading == read_age));
    asleep: assert (running || (write_age == 0 && read_age == 0 && !has_address && !has_data));
    write_side: assert (!running || !block_awready || (write_age == 0 && !has_address));
    data_side: assert (!running || !block_wready || (write_age == 0 && !has_data));
    read_side: assert (!running || !block_arready || read_age == 0);
    read_held: assert (!running || read_age == 0 || read_place == read_at);
  end
  always @(posedge clk) begin
    first_read: cover (rvalid && rready);
    first_write: cover (bvalid && bready);
    before_ready: cover (rvalid && !ready);
    work: cover (handed);
    frame: cover (take_beat && rx_tlast);
    cut_frame: cover (take_beat && old);
  end
endmodule

`default_nettype wire
