// Narrows an AXI4-Stream of frames: a wide beat becomes up to RATIO narrow ones. First byte in the lowest bits on both sides.
//
// Narrow beats without a kept byte are left out, so the last narrow beat of a frame is the one that holds its last byte. `tuser` counts with
// `tlast` only. A wide beat is taken when the last narrow beat of the one before it leaves: a narrow beat every clock.
module axis_downsize #(
    parameter OUT_BYTES = 8,
    parameter RATIO = 8
) (
    input  wire                         clk,
    input  wire                         rst,
    input  wire [8*OUT_BYTES*RATIO-1:0] s_axis_tdata,
    input  wire [OUT_BYTES*RATIO-1:0]   s_axis_tkeep,
    input  wire                         s_axis_tlast,
    input  wire                         s_axis_tuser,
    input  wire                         s_axis_tvalid,
    output wire                         s_axis_tready,
    output wire [8*OUT_BYTES-1:0]       m_axis_tdata,
    output wire [OUT_BYTES-1:0]         m_axis_tkeep,
    output wire                         m_axis_tlast,
    output wire                         m_axis_tuser,
    output wire                         m_axis_tvalid,
    input  wire                         m_axis_tready
);
    // What is left of the wide beat: the next narrow one in the lowest bits.
    reg [8*OUT_BYTES*RATIO-1:0] data;
    reg [OUT_BYTES*RATIO-1:0]   keep;
    reg                         last;
    reg                         bad;
    reg                         valid;

    // No byte is kept behind the narrow beat that is offered.
    wire                        ends = keep[OUT_BYTES*RATIO-1:OUT_BYTES] == {(OUT_BYTES*(RATIO-1)){1'b0}};

    assign m_axis_tdata = data[8*OUT_BYTES-1:0];
    assign m_axis_tkeep = keep[OUT_BYTES-1:0];
    assign m_axis_tlast = last && ends;
    assign m_axis_tuser = bad && last && ends;
    assign m_axis_tvalid = valid;
    assign s_axis_tready = !valid || (m_axis_tready && ends);

    always @(posedge clk) begin
        if (valid && m_axis_tready) begin
            data <= data >> 8*OUT_BYTES;
            keep <= keep >> OUT_BYTES;
            if (ends)
                valid <= 1'b0;
        end
        if (s_axis_tvalid && s_axis_tready) begin
            data <= s_axis_tdata;
            keep <= s_axis_tkeep;
            last <= s_axis_tlast;
            bad <= s_axis_tuser;
            valid <= 1'b1;
        end
        if (rst)
            valid <= 1'b0;
    end
endmodule
