// The NIC as an application block of taxi (fpganinja/taxi): its interfaces in, the NIC's ports inside.
//
// Parameters of the interfaces must be: streams DATA_W 512, KEEP_EN 1, LAST_EN 1, USER_EN 1, USER_W 1; registers DATA_W 32; memory DATA_W 512,
// ADDR_W 64, ID_W 4. taxi's MACs have narrower streams and clocks of their own: `taxi_axis_adapter` and `taxi_axis_async_fifo`, or
// `axis_upsize` and `axis_async_fifo` beside this file, stand between.
`default_nettype none

module hpcc_nic_taxi #(
    // Period of `clk` in units of 2^-16 ns: 327680 is 200 MHz.
    parameter logic [31:0] CLOCK_NS_X65536 = 32'd327680
) (
    input  wire logic    clk,
    input  wire logic    rst,
    // Bit n: priority n is paused.
    input  wire logic [7:0] pause,
    taxi_axil_if.wr_slv  s_axil_wr,
    taxi_axil_if.rd_slv  s_axil_rd,
    taxi_axis_if.snk     s_axis_rx,
    taxi_axis_if.src     m_axis_tx,
    // Work requests, 320 bits, and completions, 192 bits, without keep, last and user.
    taxi_axis_if.snk     s_axis_work,
    taxi_axis_if.src     m_axis_completion,
    taxi_axi_if.wr_mst   m_axi_wr,
    taxi_axi_if.rd_mst   m_axi_rd
);
    if (s_axis_rx.DATA_W != 512 || m_axis_tx.DATA_W != 512 || m_axi_wr.DATA_W != 512 || s_axil_wr.DATA_W != 32) begin : g_widths
        $fatal(0, "streams and memory of 512 bits, registers of 32 (instance %m)");
    end

    wire [47:0] now;

    now_counter #(.STEP(CLOCK_NS_X65536)) u_now (.clk(clk), .rst(1'b0), .set_valid(1'b0), .set_ns(48'd0), .now(now));

    // Signals that these interfaces have and the NIC has not.
    assign m_axis_tx.tstrb = m_axis_tx.tkeep;
    assign m_axis_tx.tid = '0;
    assign m_axis_tx.tdest = '0;
    assign m_axis_completion.tkeep = '1;
    assign m_axis_completion.tstrb = '1;
    assign m_axis_completion.tid = '0;
    assign m_axis_completion.tdest = '0;
    assign m_axis_completion.tuser = '0;
    assign m_axis_completion.tlast = 1'b1;
    assign s_axil_wr.buser = '0;
    assign s_axil_rd.ruser = '0;
    assign m_axi_wr.awqos = '0;
    assign m_axi_wr.awregion = '0;
    assign m_axi_wr.awuser = '0;
    assign m_axi_wr.wuser = '0;
    assign m_axi_rd.arqos = '0;
    assign m_axi_rd.arregion = '0;
    assign m_axi_rd.aruser = '0;

    hpcc_nic u_nic (
        .clk(clk), .rst(rst), .now(now), .pause(pause),
        .s_axil_awaddr(s_axil_wr.awaddr[11:0]), .s_axil_awprot(s_axil_wr.awprot), .s_axil_awvalid(s_axil_wr.awvalid), .s_axil_awready(s_axil_wr.awready),
        .s_axil_wdata(s_axil_wr.wdata), .s_axil_wstrb(s_axil_wr.wstrb), .s_axil_wvalid(s_axil_wr.wvalid), .s_axil_wready(s_axil_wr.wready),
        .s_axil_bresp(s_axil_wr.bresp), .s_axil_bvalid(s_axil_wr.bvalid), .s_axil_bready(s_axil_wr.bready),
        .s_axil_araddr(s_axil_rd.araddr[11:0]), .s_axil_arprot(s_axil_rd.arprot), .s_axil_arvalid(s_axil_rd.arvalid), .s_axil_arready(s_axil_rd.arready),
        .s_axil_rdata(s_axil_rd.rdata), .s_axil_rresp(s_axil_rd.rresp), .s_axil_rvalid(s_axil_rd.rvalid), .s_axil_rready(s_axil_rd.rready),
        .s_axis_rx_tdata(s_axis_rx.tdata), .s_axis_rx_tkeep(s_axis_rx.tkeep), .s_axis_rx_tlast(s_axis_rx.tlast),
        .s_axis_rx_tuser(s_axis_rx.tuser[0]), .s_axis_rx_tvalid(s_axis_rx.tvalid), .s_axis_rx_tready(s_axis_rx.tready),
        .m_axis_tx_tdata(m_axis_tx.tdata), .m_axis_tx_tkeep(m_axis_tx.tkeep), .m_axis_tx_tlast(m_axis_tx.tlast),
        .m_axis_tx_tuser(m_axis_tx.tuser[0]), .m_axis_tx_tvalid(m_axis_tx.tvalid), .m_axis_tx_tready(m_axis_tx.tready),
        .s_axis_work_tdata(s_axis_work.tdata), .s_axis_work_tvalid(s_axis_work.tvalid), .s_axis_work_tready(s_axis_work.tready),
        .m_axis_completion_tdata(m_axis_completion.tdata), .m_axis_completion_tvalid(m_axis_completion.tvalid),
        .m_axis_completion_tready(m_axis_completion.tready),
        .m_axi_awid(m_axi_wr.awid), .m_axi_awaddr(m_axi_wr.awaddr), .m_axi_awlen(m_axi_wr.awlen), .m_axi_awsize(m_axi_wr.awsize),
        .m_axi_awburst(m_axi_wr.awburst), .m_axi_awlock(m_axi_wr.awlock), .m_axi_awcache(m_axi_wr.awcache), .m_axi_awprot(m_axi_wr.awprot),
        .m_axi_awvalid(m_axi_wr.awvalid), .m_axi_awready(m_axi_wr.awready),
        .m_axi_wdata(m_axi_wr.wdata), .m_axi_wstrb(m_axi_wr.wstrb), .m_axi_wlast(m_axi_wr.wlast), .m_axi_wvalid(m_axi_wr.wvalid), .m_axi_wready(m_axi_wr.wready),
        .m_axi_bid(m_axi_wr.bid), .m_axi_bresp(m_axi_wr.bresp), .m_axi_bvalid(m_axi_wr.bvalid), .m_axi_bready(m_axi_wr.bready),
        .m_axi_arid(m_axi_rd.arid), .m_axi_araddr(m_axi_rd.araddr), .m_axi_arlen(m_axi_rd.arlen), .m_axi_arsize(m_axi_rd.arsize),
        .m_axi_arburst(m_axi_rd.arburst), .m_axi_arlock(m_axi_rd.arlock), .m_axi_arcache(m_axi_rd.arcache), .m_axi_arprot(m_axi_rd.arprot),
        .m_axi_arvalid(m_axi_rd.arvalid), .m_axi_arready(m_axi_rd.arready),
        .m_axi_rid(m_axi_rd.rid), .m_axi_rdata(m_axi_rd.rdata), .m_axi_rresp(m_axi_rd.rresp), .m_axi_rlast(m_axi_rd.rlast),
        .m_axi_rvalid(m_axi_rd.rvalid), .m_axi_rready(m_axi_rd.rready)
    );
endmodule

`resetall
