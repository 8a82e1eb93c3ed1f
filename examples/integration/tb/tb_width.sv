// Frames of every length from 1 to 300 bytes go from 8 bytes a beat to 64 and back, with gaps and stalls; bytes, ends and bad marks must be the same.
`timescale 1ns / 1ps
module tb_width (
    // High when all has been checked.
    output logic done
);
    logic         clk = 0;
    logic         rst = 1;
    always #2.5 clk = !clk;

    logic [63:0]  s_tdata, m_tdata;
    logic [7:0]   s_tkeep, m_tkeep;
    logic         s_tlast, s_tuser, s_tvalid, s_tready, m_tlast, m_tuser, m_tvalid, m_tready;
    logic [511:0] w_tdata;
    logic [63:0]  w_tkeep;
    logic         w_tlast, w_tuser, w_tvalid, w_tready;

    axis_upsize u_up (
        .clk, .rst,
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep), .s_axis_tlast(s_tlast), .s_axis_tuser(s_tuser),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_axis_tdata(w_tdata), .m_axis_tkeep(w_tkeep), .m_axis_tlast(w_tlast), .m_axis_tuser(w_tuser),
        .m_axis_tvalid(w_tvalid), .m_axis_tready(w_tready)
    );
    axis_downsize u_down (
        .clk, .rst,
        .s_axis_tdata(w_tdata), .s_axis_tkeep(w_tkeep), .s_axis_tlast(w_tlast), .s_axis_tuser(w_tuser),
        .s_axis_tvalid(w_tvalid), .s_axis_tready(w_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast), .m_axis_tuser(m_tuser),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    // Byte i of frame n.
    function automatic logic [7:0] value(int n, int i);
        return 8'(n * 7 + i * 13 + 1);
    endfunction

    int sent_frame = 1, sent_byte = 0, got_frame = 1, got_byte = 0;
    localparam int FRAMES = 300;

    // Inputs change behind the edge, as registers would.
    always @(posedge clk) begin
        #0.1;
        if (!s_tvalid || s_taken) begin
            s_tvalid = !rst && sent_frame <= FRAMES && $urandom_range(3) != 0;
            for (int i = 0; i < 8; i++) begin
                s_tdata[8*i +: 8] = value(sent_frame, sent_byte + i);
                s_tkeep[i] = sent_byte + i < sent_frame;
            end
            s_tlast = sent_byte + 8 >= sent_frame;
            s_tuser = s_tlast && sent_frame % 5 == 0;
            if (s_tvalid) begin
                sent_byte = s_tlast ? 0 : sent_byte + 8;
                if (s_tlast)
                    sent_frame++;
            end
        end
        m_tready = $urandom_range(2) != 0;
    end

    // What happened at the edge.
    logic s_taken = 0;
    always @(posedge clk) begin
        s_taken <= s_tvalid && s_tready;
        if (m_tvalid && m_tready && !rst) begin
            for (int i = 0; i < 8; i++)
                if (m_tkeep[i]) begin
                    if (m_tdata[8*i +: 8] != value(got_frame, got_byte))
                        $fatal(1, "frame %0d byte %0d", got_frame, got_byte);
                    got_byte++;
                end
            if (m_tlast != (got_byte == got_frame) || m_tuser != (m_tlast && got_frame % 5 == 0))
                $fatal(1, "end of frame %0d at byte %0d", got_frame, got_byte);
            if (m_tlast) begin
                got_frame++;
                got_byte = 0;
            end
        end
        if (got_frame > FRAMES && !done) begin
            $display("tb_width: %0d frames", FRAMES);
            done = 1;
        end
    end
    initial begin
        s_tvalid = 0;
        done = 0;
        repeat (4) @(posedge clk);
        rst = 0;
        #2ms if (!done) $fatal(1, "stands still");
    end
endmodule
