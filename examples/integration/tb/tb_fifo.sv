// Numbers pass between clocks of 3.1 and 5 ns in both directions of speed, with stalls: none is lost, doubled or out of order, and the FIFO fills.
`timescale 1ns / 1ps
module tb_fifo (
    // High when all has been checked.
    output logic done
);
    logic fast = 0, slow = 0, rst = 1;
    always #1.55 fast = !fast;
    always #2.5 slow = !slow;

    int beats = 0, filled = 0;

    fifo_trial #(.SEED(1)) u_up (.s_clk(slow), .m_clk(fast), .rst, .done(beats), .filled);
    int beats_2 = 0, filled_2 = 0;
    fifo_trial #(.SEED(2)) u_down (.s_clk(fast), .m_clk(slow), .rst, .done(beats_2), .filled(filled_2));

    initial begin
        #50 rst = 0;
        wait (beats > 0 && beats_2 > 0);
        if (filled_2 == 0)
            $fatal(1, "never full");
        $display("tb_fifo: %0d beats each way", beats);
        done = 1;
    end
    initial begin
        done = 0;
        #1ms if (!done) $fatal(1, "stands still");
    end
endmodule

module fifo_trial #(
    parameter int SEED = 1
) (
    input  logic s_clk,
    input  logic m_clk,
    input  logic rst,
    output int   done,
    output int   filled
);
    localparam int BEATS = 5000;
    logic [31:0] s_tdata = 0, m_tdata, expected = 0;
    logic        s_tvalid = 0, s_tready, m_tvalid, m_tready = 0;

    axis_async_fifo #(.WIDTH(32), .DEPTH_BITS(4)) u_fifo (
        .s_clk, .s_rst(rst), .s_axis_tdata(s_tdata), .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .m_clk, .m_rst(rst), .m_axis_tdata(m_tdata), .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );
    initial begin
        done = 0;
        filled = 0;
    end
    always @(posedge s_clk) begin
        if (s_tvalid && s_tready)
            s_tdata <= s_tdata + 1;
        if (!rst && s_tvalid && !s_tready)
            filled <= filled + 1;
        // A beat that is offered stays until it is taken.
        if (!s_tvalid || s_tready)
            s_tvalid <= !rst && $urandom_range(7) != 0;
    end
    always @(posedge m_clk) begin
        if (m_tvalid && m_tready) begin
            if (m_tdata != expected)
                $fatal(1, "trial %0d: %0d, not %0d", SEED, m_tdata, expected);
            expected <= expected + 1;
            if (expected == BEATS - 1)
                done <= BEATS;
        end
        m_tready <= $urandom_range(7) != 0;
    end
endmodule
