// FrameArbiter: frames of acknowledgements and of data onto one link, acknowledgements first.
`default_nettype none

module arbiter_proof (
  input wire clk,
  input wire rst,
  input wire hpcc_nic_pkg::frame_beat_t ack_data,
  input wire ack_valid,
  input wire hpcc_nic_pkg::frame_beat_t data_data,
  input wire data_valid,
  input wire ack_hold,
  input wire data_hold,
  input wire m_axis_tready
);
  localparam W = 578; // a frame_beat_t
  wire ack_ready, data_ready;
  wire [511:0] m_axis_tdata;
  wire [63:0] m_axis_tkeep;
  wire m_axis_tlast, m_axis_tuser, m_axis_tvalid;
  hpcc_tx_frame_arbiter dut (
    .clk(clk), .rst(rst),
    .ack_data(ack_data), .ack_valid(ack_valid), .ack_ready(ack_ready),
    .data_data(data_data), .data_valid(data_valid), .data_ready(data_ready),
    .ack_hold(ack_hold), .data_hold(data_hold),
    .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tlast(m_axis_tlast),
    .m_axis_tuser(m_axis_tuser), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready)
  );
  // signals of the block, joined by the script of arbiter.sby
  wire full, spare_full, ready, block_inside, block_with_data;
  wire [W-1:0] item, spare;

  wire take_ack = ack_valid && ack_ready, take_data = data_valid && data_ready;
  wire push = take_ack || take_data, pop = m_axis_tvalid && m_axis_tready;
  wire hpcc_nic_pkg::frame_beat_t in;
  assign in = take_ack ? ack_data : data_data;
  wire [W-1:0] out = {m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata};
  wire [3:0] held, ahead;
  wire tracked;
  wire [W-1:0] kept;
  // both inputs as one stream in the order of acceptance
  stream_token #(.W(W), .N(4)) token (
    .clk(clk), .rst(rst), .push(push), .in(in), .pop(pop), .out(out),
    .held(held), .tracked(tracked), .ahead(ahead), .kept(kept)
  );
  stream_rules #(.W(W)) link (
    .clk(clk), .rst(rst), .valid(m_axis_tvalid), .ready(m_axis_tready), .data(out)
  );
  stream_rules #(.W(W), .ASSUMED(1)) acks (
    .clk(clk), .rst(rst), .valid(ack_valid), .ready(ack_ready), .data(ack_data)
  );
  stream_rules #(.W(W), .ASSUMED(1)) frames (
    .clk(clk), .rst(rst), .valid(data_valid), .ready(data_ready), .data(data_data)
  );

  reg inside = 0, with_data = 0, was_pushed = 0, ended = 0;
  // a frame of data has begun although an acknowledgement waited and was allowed
  reg ack_passed = 0;
  reg [2:0] data_waits = 0;
  always @(posedge clk) begin
    was_pushed <= push && !rst;
    ended <= push && in.last && !rst;
    if (push) begin
      inside <= !in.last;
      with_data <= take_data;
    end
    if (!inside && take_data && ack_valid && !ack_hold) ack_passed <= 1;
    data_waits <= (rst || !data_valid || take_data) ? 0 : (take_ack && data_waits != 7) ? data_waits + 1 : data_waits;
    if (rst) begin
      inside <= 0;
      ack_passed <= 0;
    end
  end
  always @(posedge clk) begin
    count: assert (held == full + spare_full);
    spare_behind_item: assert (!spare_full || full);
    ready_means_room: assert (!(ready && spare_full));
    token_in_item: assert (!(tracked && ahead == 0) || item == kept);
    token_in_spare: assert (!(tracked && ahead == 1) || spare == kept);
    frame_known: assert (block_inside == inside && (!inside || block_with_data == with_data));
    one_source: assert (!(take_ack && take_data));
    // beats of the other source never come between those of a frame
    frames_whole: assert (!(inside && push) || take_data == with_data);
    // a hold keeps a frame from beginning, never from ending
    hold_ack: assert (!(take_ack && ack_hold) || inside);
    hold_data: assert (!(take_data && data_hold) || inside);
    // an acknowledgement waits for the frame on the link at most
    ack_first: assert (!ack_passed);
    // work-conserving: where there is room, an allowed offer is taken
    never_idle: assert (!ready || inside || !((ack_valid && !ack_hold) || (data_valid && !data_hold)) || push);
    never_idle_inside: assert (!(ready && inside) || !(with_data ? data_valid : ack_valid) || push);
    offered_next_clock: assert (!was_pushed || m_axis_tvalid);
  end
  always @(posedge clk) begin
    back_to_back: cover (ended && push && in.last && pop);
    ack_after_data: cover (!inside && take_ack && with_data && ended);
    ack_waits_for_frame: cover (inside && with_data && ack_valid && take_data && in.last);
    held_frame_ends: cover (inside && take_data && data_hold && in.last);
    // the order is strict: nothing but the rate of acknowledgements bounds how long data waits
    data_passed_often: cover (data_waits == 5);
  end
endmodule

`default_nettype wire
