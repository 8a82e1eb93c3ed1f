// Two sources that always have a frame go through the merge: no frame is broken by another, each source's frames keep their order, and neither has more
// than one frame more than the other.
`timescale 1ns / 1ps
module tb_merge (
    // High when all has been checked.
    output logic done
);
    logic clk = 0, rst = 1;
    always #2.5 clk = !clk;

    localparam int FRAMES = 200;
    // Of each source: number of the frame, beat in it; a frame has 1 to 7 beats.
    int           frame [2] = '{0, 0};
    int           beat [2] = '{0, 0};
    logic [1:0]   tvalid = 0, tready;
    logic [511:0] tdata [2];
    logic [1:0]   tlast;

    function automatic int beats(int source, int n);
        return 1 + (n * 5 + source * 3) % 7;
    endfunction

    for (genvar s = 0; s < 2; s++) begin : g_source
        assign tdata[s] = 512'({32'(s), 32'(frame[s]), 32'(beat[s])});
        assign tlast[s] = beat[s] == beats(s, frame[s]) - 1;
        always @(posedge clk) begin
            if (tvalid[s] && tready[s]) begin
                if (tlast[s]) begin
                    frame[s] <= frame[s] + 1;
                    beat[s] <= 0;
                end else
                    beat[s] <= beat[s] + 1;
            end
            if (!rst)
                tvalid[s] <= 1'b1;
        end
    end

    logic [511:0] m_tdata;
    logic         m_tlast, m_tvalid, m_tready = 0;
    axis_frame_merge u_merge (
        .clk, .rst,
        .nic_axis_tdata(tdata[0]), .nic_axis_tkeep('1), .nic_axis_tlast(tlast[0]), .nic_axis_tuser(1'b0),
        .nic_axis_tvalid(tvalid[0]), .nic_axis_tready(tready[0]),
        .host_axis_tdata(tdata[1]), .host_axis_tkeep('1), .host_axis_tlast(tlast[1]), .host_axis_tuser(1'b0),
        .host_axis_tvalid(tvalid[1]), .host_axis_tready(tready[1]),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(), .m_axis_tlast(m_tlast), .m_axis_tuser(),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    int got [2] = '{0, 0};
    int at = 0, source;
    always @(posedge clk) begin
        if (m_tvalid && m_tready) begin
            source = m_tdata[64 +: 32];
            if (32'(m_tdata[31:0]) != at || 32'(m_tdata[63:32]) != got[source])
                $fatal(1, "source %0d: frame %0d beat %0d, not %0d %0d", source, m_tdata[63:32], m_tdata[31:0], got[source], at);
            if (m_tlast != (at == beats(source, got[source]) - 1))
                $fatal(1, "end of a frame");
            at = m_tlast ? 0 : at + 1;
            if (m_tlast)
                got[source]++;
            if (got[0] > got[1] + 2 || got[1] > got[0] + 2)
                $fatal(1, "not in turns: %0d and %0d", got[0], got[1]);
            if (got[0] + got[1] == 2 * FRAMES)
                done = 1;
        end
        m_tready <= $urandom_range(3) != 0;
    end
    initial begin
        done = 0;
        repeat (4) @(posedge clk);
        rst = 0;
        #2ms if (!done) $fatal(1, "stands still");
    end
endmodule
