// Merges the frames of the NIC and of the host's ordinary network device in front of the MAC: whole frames, in turns.
//
// A source that has begun a frame keeps the output to its last beat. The NIC offers a frame only when all of it is there, so it never
// leaves the MAC without a beat; the host's side must do the same. Registered output, one beat a clock.
module axis_frame_merge #(
    parameter BYTES = 64
) (
    input  wire               clk,
    input  wire               rst,
    input  wire [8*BYTES-1:0] nic_axis_tdata,
    input  wire [BYTES-1:0]   nic_axis_tkeep,
    input  wire               nic_axis_tlast,
    input  wire               nic_axis_tuser,
    input  wire               nic_axis_tvalid,
    output wire               nic_axis_tready,
    input  wire [8*BYTES-1:0] host_axis_tdata,
    input  wire [BYTES-1:0]   host_axis_tkeep,
    input  wire               host_axis_tlast,
    input  wire               host_axis_tuser,
    input  wire               host_axis_tvalid,
    output wire               host_axis_tready,
    output reg  [8*BYTES-1:0] m_axis_tdata,
    output reg  [BYTES-1:0]   m_axis_tkeep,
    output reg                m_axis_tlast,
    output reg                m_axis_tuser,
    output reg                m_axis_tvalid,
    input  wire               m_axis_tready
);
    // A frame is under way, and whose; who had the last one.
    reg  in_frame;
    reg  host_has;

    wire host_goes = in_frame ? host_has : host_axis_tvalid && (!nic_axis_tvalid || !host_has);
    wire free = !m_axis_tvalid || m_axis_tready;
    wire valid = host_goes ? host_axis_tvalid : nic_axis_tvalid;
    wire last = host_goes ? host_axis_tlast : nic_axis_tlast;

    assign nic_axis_tready = free && !host_goes;
    assign host_axis_tready = free && host_goes;

    always @(posedge clk) begin
        if (m_axis_tready)
            m_axis_tvalid <= 1'b0;
        if (free && valid) begin
            m_axis_tdata <= host_goes ? host_axis_tdata : nic_axis_tdata;
            m_axis_tkeep <= host_goes ? host_axis_tkeep : nic_axis_tkeep;
            m_axis_tlast <= last;
            m_axis_tuser <= host_goes ? host_axis_tuser : nic_axis_tuser;
            m_axis_tvalid <= 1'b1;
            in_frame <= !last;
            host_has <= host_goes;
        end
        if (rst) begin
            in_frame <= 1'b0;
            host_has <= 1'b0;
            m_axis_tvalid <= 1'b0;
        end
    end
endmodule
