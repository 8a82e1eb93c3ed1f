// Frames of all kinds go through demux, then both outputs through the merge and the size FIFO. RoCE on each of the four ports, with and without a tag, goes to
// the NIC; ARP, TCP, other UDP, fragments, IPv4 with options and short frames go to the host. Every frame comes out whole, with its size.
`timescale 1ns / 1ps
module tb_demux (
    // High when all has been checked.
    output logic done
);
    logic clk = 0, rst = 1;
    always #2.5 clk = !clk;

    logic [511:0] s_tdata, n_tdata, h_tdata, x_tdata, m_tdata;
    logic [63:0]  s_tkeep, n_tkeep, h_tkeep, x_tkeep, m_tkeep;
    logic         s_tlast, n_tlast, h_tlast, x_tlast, m_tlast;
    logic         s_tuser, n_tuser, h_tuser, x_tuser;
    logic         s_tvalid = 0, n_tvalid, h_tvalid, x_tvalid, m_tvalid;
    logic         s_tready, n_tready, h_tready, x_tready, m_tready = 0;
    logic [15:0]  m_tsize;

    axis_roce_demux u_demux (
        .clk, .rst,
        .s_axis_tdata(s_tdata), .s_axis_tkeep(s_tkeep), .s_axis_tlast(s_tlast), .s_axis_tuser(s_tuser),
        .s_axis_tvalid(s_tvalid), .s_axis_tready(s_tready),
        .nic_axis_tdata(n_tdata), .nic_axis_tkeep(n_tkeep), .nic_axis_tlast(n_tlast), .nic_axis_tuser(n_tuser),
        .nic_axis_tvalid(n_tvalid), .nic_axis_tready(n_tready),
        .host_axis_tdata(h_tdata), .host_axis_tkeep(h_tkeep), .host_axis_tlast(h_tlast), .host_axis_tuser(h_tuser),
        .host_axis_tvalid(h_tvalid), .host_axis_tready(h_tready)
    );
    axis_frame_merge u_merge (
        .clk, .rst,
        .nic_axis_tdata(n_tdata), .nic_axis_tkeep(n_tkeep), .nic_axis_tlast(n_tlast), .nic_axis_tuser(n_tuser),
        .nic_axis_tvalid(n_tvalid), .nic_axis_tready(n_tready),
        .host_axis_tdata(h_tdata), .host_axis_tkeep(h_tkeep), .host_axis_tlast(h_tlast), .host_axis_tuser(h_tuser),
        .host_axis_tvalid(h_tvalid), .host_axis_tready(h_tready),
        .m_axis_tdata(x_tdata), .m_axis_tkeep(x_tkeep), .m_axis_tlast(x_tlast), .m_axis_tuser(x_tuser),
        .m_axis_tvalid(x_tvalid), .m_axis_tready(x_tready)
    );
    axis_frame_size u_size (
        .clk, .rst,
        .s_axis_tdata(x_tdata), .s_axis_tkeep(x_tkeep), .s_axis_tlast(x_tlast), .s_axis_tuser(x_tuser),
        .s_axis_tvalid(x_tvalid), .s_axis_tready(x_tready),
        .m_axis_tdata(m_tdata), .m_axis_tkeep(m_tkeep), .m_axis_tlast(m_tlast), .m_axis_tsize(m_tsize),
        .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready)
    );

    localparam int KINDS = 12;
    // Whether a kind is the NIC's.
    function automatic bit for_nic(int kind);
        return kind < 5;
    endfunction
    // Headers of a kind: 0 to 3 RoCE on each port, 4 behind a tag, then ARP, TCP, DNS, a fragment, options, another tag, a short frame.
    function automatic logic [511:0] headers(int kind, int n);
        logic [511:0] beat = '0;
        int ip = 14;
        logic [15:0] ports [4] = '{16'd4791, 16'd54791, 16'd54792, 16'd54793};
        for (int i = 0; i < 64; i++)
            beat[8*i +: 8] = 8'(n + i);
        {beat[8*12 +: 8], beat[8*13 +: 8]} = 16'h0800;
        if (kind == 4 || kind == 10) begin
            {beat[8*12 +: 8], beat[8*13 +: 8]} = 16'h8100;
            {beat[8*16 +: 8], beat[8*17 +: 8]} = kind == 4 ? 16'h0800 : 16'h86dd;
            ip = 18;
        end
        beat[8*ip +: 8] = kind == 9 ? 8'h46 : 8'h45;
        {beat[8*(ip+6) +: 8], beat[8*(ip+7) +: 8]} = kind == 8 ? 16'h2001 : 16'h4000;
        beat[8*(ip+9) +: 8] = kind == 6 ? 8'd6 : 8'd17;
        {beat[8*(ip+22) +: 8], beat[8*(ip+23) +: 8]} = kind == 7 ? 16'd53 : ports[kind % 4];
        if (kind == 5)
            {beat[8*12 +: 8], beat[8*13 +: 8]} = 16'h0806;
        return beat;
    endfunction
    function automatic int length(int n);
        return n % KINDS == 11 ? 20 : 60 + (n * 37) % 300;
    endfunction

    localparam int FRAMES = 600;
    int n = 0, at = 0, to_nic = 0, to_host = 0, out = 0, bytes = 0;
    int want_nic = 0;

    always @(posedge clk) begin
        if (!rst) begin
            if (n_tvalid && n_tready && n_tlast)
                to_nic++;
            if (h_tvalid && h_tready && h_tlast)
                to_host++;
            if (m_tvalid && m_tready) begin
                for (int i = 0; i < 64; i++)
                    bytes += 32'(m_tkeep[i]);
                if (m_tlast) begin
                    if (bytes != 32'(m_tsize))
                        $fatal(1, "size %0d of %0d bytes", m_tsize, bytes);
                    bytes = 0;
                    out++;
                end
            end
            if (!s_tvalid || s_tready) begin
                s_tvalid <= n < FRAMES && $urandom_range(3) != 0;
                s_tdata <= at == 0 ? headers(n % KINDS, n) : {16{32'(n)}};
                for (int i = 0; i < 64; i++)
                    s_tkeep[i] <= at + i < length(n);
                s_tlast <= at + 64 >= length(n);
                s_tuser <= 1'b0;
            end
        end
        m_tready <= $urandom_range(3) != 0;
    end
    // The next beat, when this one has been taken.
    always @(posedge clk)
        if (!rst && s_tvalid && s_tready) begin
            if (s_tlast) begin
                want_nic += 32'(for_nic(n % KINDS));
                n = n + 1;
                at = 0;
            end else
                at = at + 64;
        end

    initial begin
        repeat (4) @(posedge clk);
        rst = 0;
        wait (out == FRAMES);
        if (to_nic != want_nic || to_nic + to_host != FRAMES)
            $fatal(1, "%0d of %0d frames to the NIC", to_nic, want_nic);
        $display("tb_demux: %0d frames, %0d to the NIC", FRAMES, to_nic);
        done = 1;
    end
    initial begin
        done = 0;
        #2ms if (!done) $fatal(1, "stands still: %0d out, %0d in", out, n);
    end
endmodule
