// Widens an AXI4-Stream of frames: RATIO narrow beats become one wide one. First byte in the lowest bits on both sides.
//
// The last narrow beat of a frame closes the wide beat, whose upper bytes are then not kept. `tuser` counts with `tlast` only. Input and output
// are registered; one narrow beat a clock. Latency: a wide beat is offered one clock after its last narrow beat was taken.
module axis_upsize #(
    parameter IN_BYTES = 8,
    parameter RATIO = 8
) (
    input  wire                        clk,
    input  wire                        rst,
    input  wire [8*IN_BYTES-1:0]       s_axis_tdata,
    input  wire [IN_BYTES-1:0]         s_axis_tkeep,
    input  wire                        s_axis_tlast,
    input  wire                        s_axis_tuser,
    input  wire                        s_axis_tvalid,
    output wire                        s_axis_tready,
    output reg  [8*IN_BYTES*RATIO-1:0] m_axis_tdata,
    output reg  [IN_BYTES*RATIO-1:0]   m_axis_tkeep,
    output reg                         m_axis_tlast,
    output reg                         m_axis_tuser,
    output reg                         m_axis_tvalid,
    input  wire                        m_axis_tready
);
    // Narrow beats gathered so far, and the place of the next one, one-hot.
    reg [8*IN_BYTES*RATIO-1:0] data;
    reg [IN_BYTES*RATIO-1:0]   keep;
    reg [RATIO-1:0]            place;

    wire                       taken = s_axis_tvalid && s_axis_tready;
    wire                       whole = place[RATIO-1] || s_axis_tlast;
    reg [8*IN_BYTES*RATIO-1:0] next_data;
    reg [IN_BYTES*RATIO-1:0]   next_keep;
    integer                    i;

    // A narrow beat is taken while the wide register is free or becomes free in this clock.
    assign s_axis_tready = !m_axis_tvalid || m_axis_tready;

    always @* begin
        next_data = data;
        next_keep = keep;
        for (i = 0; i < RATIO; i = i + 1)
            if (place[i]) begin
                next_data[8*IN_BYTES*i +: 8*IN_BYTES] = s_axis_tdata;
                next_keep[IN_BYTES*i +: IN_BYTES] = s_axis_tkeep;
            end
    end

    always @(posedge clk) begin
        if (m_axis_tready)
            m_axis_tvalid <= 1'b0;
        if (taken) begin
            data <= next_data;
            keep <= next_keep;
            place <= {place[RATIO-2:0], 1'b0};
            if (whole) begin
                m_axis_tdata <= next_data;
                m_axis_tkeep <= next_keep;
                m_axis_tlast <= s_axis_tlast;
                m_axis_tuser <= s_axis_tuser;
                m_axis_tvalid <= 1'b1;
                keep <= {IN_BYTES*RATIO{1'b0}};
                place <= {{RATIO-1{1'b0}}, 1'b1};
            end
        end
        if (rst) begin
            keep <= {IN_BYTES*RATIO{1'b0}};
            place <= {{RATIO-1{1'b0}}, 1'b1};
            m_axis_tvalid <= 1'b0;
        end
    end
endmodule
