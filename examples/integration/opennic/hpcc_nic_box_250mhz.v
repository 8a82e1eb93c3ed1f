// The NIC in the 250 MHz box of OpenNIC, in place of `p2p_250mhz`, for one port and one QDMA: RoCE frames go through the NIC, everything else
// passes between QDMA and adapter as before.
//
// What OpenNIC lacks: its box has no way to host memory but QDMA's streams. `m_axi` has to reach it by an AXI4 slave of the host bridge (QDMA's or
// XDMA's AXI bridge mode) or a card's DDR; `work` and `completion` by a queue of your own. So these ports leave the box here, and the shell has to
// be opened for them. Registers: the box's AXI4-Lite is a clock of its own; `s_axil` crosses in the shell's clock converter.
module hpcc_nic_box_250mhz (
    input  wire         axis_aclk,
    input  wire         mod_rstn,
    output wire         mod_rst_done,
    // Registers, in `axis_aclk`: 4 KiB. The box's addresses have 32 bits, of which the lowest 12 count.
    input  wire         s_axil_awvalid,
    input  wire [31:0]  s_axil_awaddr,
    output wire         s_axil_awready,
    input  wire         s_axil_wvalid,
    input  wire [31:0]  s_axil_wdata,
    output wire         s_axil_wready,
    output wire         s_axil_bvalid,
    output wire [1:0]   s_axil_bresp,
    input  wire         s_axil_bready,
    input  wire         s_axil_arvalid,
    input  wire [31:0]  s_axil_araddr,
    output wire         s_axil_arready,
    output wire         s_axil_rvalid,
    output wire [31:0]  s_axil_rdata,
    output wire [1:0]   s_axil_rresp,
    input  wire         s_axil_rready,
    input  wire         s_axis_qdma_h2c_tvalid,
    input  wire [511:0] s_axis_qdma_h2c_tdata,
    input  wire [63:0]  s_axis_qdma_h2c_tkeep,
    input  wire         s_axis_qdma_h2c_tlast,
    input  wire [15:0]  s_axis_qdma_h2c_tuser_size,
    input  wire [15:0]  s_axis_qdma_h2c_tuser_src,
    input  wire [15:0]  s_axis_qdma_h2c_tuser_dst,
    output wire         s_axis_qdma_h2c_tready,
    output wire         m_axis_qdma_c2h_tvalid,
    output wire [511:0] m_axis_qdma_c2h_tdata,
    output wire [63:0]  m_axis_qdma_c2h_tkeep,
    output wire         m_axis_qdma_c2h_tlast,
    output wire [15:0]  m_axis_qdma_c2h_tuser_size,
    output wire [15:0]  m_axis_qdma_c2h_tuser_src,
    output wire [15:0]  m_axis_qdma_c2h_tuser_dst,
    input  wire         m_axis_qdma_c2h_tready,
    output wire         m_axis_adap_tx_250mhz_tvalid,
    output wire [511:0] m_axis_adap_tx_250mhz_tdata,
    output wire [63:0]  m_axis_adap_tx_250mhz_tkeep,
    output wire         m_axis_adap_tx_250mhz_tlast,
    output wire [15:0]  m_axis_adap_tx_250mhz_tuser_size,
    output wire [15:0]  m_axis_adap_tx_250mhz_tuser_src,
    output wire [15:0]  m_axis_adap_tx_250mhz_tuser_dst,
    input  wire         m_axis_adap_tx_250mhz_tready,
    input  wire         s_axis_adap_rx_250mhz_tvalid,
    input  wire [511:0] s_axis_adap_rx_250mhz_tdata,
    input  wire [63:0]  s_axis_adap_rx_250mhz_tkeep,
    input  wire         s_axis_adap_rx_250mhz_tlast,
    input  wire [15:0]  s_axis_adap_rx_250mhz_tuser_size,
    input  wire [15:0]  s_axis_adap_rx_250mhz_tuser_src,
    input  wire [15:0]  s_axis_adap_rx_250mhz_tuser_dst,
    output wire         s_axis_adap_rx_250mhz_tready,
    input  wire [319:0] s_axis_work_tdata,
    input  wire         s_axis_work_tvalid,
    output wire         s_axis_work_tready,
    output wire [191:0] m_axis_completion_tdata,
    output wire         m_axis_completion_tvalid,
    input  wire         m_axis_completion_tready,
    output wire [3:0]   m_axi_awid,
    output wire [63:0]  m_axi_awaddr,
    output wire [7:0]   m_axi_awlen,
    output wire [2:0]   m_axi_awsize,
    output wire [1:0]   m_axi_awburst,
    output wire         m_axi_awlock,
    output wire [3:0]   m_axi_awcache,
    output wire [2:0]   m_axi_awprot,
    output wire         m_axi_awvalid,
    input  wire         m_axi_awready,
    output wire [511:0] m_axi_wdata,
    output wire [63:0]  m_axi_wstrb,
    output wire         m_axi_wlast,
    output wire         m_axi_wvalid,
    input  wire         m_axi_wready,
    input  wire [3:0]   m_axi_bid,
    input  wire [1:0]   m_axi_bresp,
    input  wire         m_axi_bvalid,
    output wire         m_axi_bready,
    output wire [3:0]   m_axi_arid,
    output wire [63:0]  m_axi_araddr,
    output wire [7:0]   m_axi_arlen,
    output wire [2:0]   m_axi_arsize,
    output wire [1:0]   m_axi_arburst,
    output wire         m_axi_arlock,
    output wire [3:0]   m_axi_arcache,
    output wire [2:0]   m_axi_arprot,
    output wire         m_axi_arvalid,
    input  wire         m_axi_arready,
    input  wire [3:0]   m_axi_rid,
    input  wire [511:0] m_axi_rdata,
    input  wire [1:0]   m_axi_rresp,
    input  wire         m_axi_rlast,
    input  wire         m_axi_rvalid,
    output wire         m_axi_rready
);
    // 250 MHz: 4 ns.
    localparam [31:0] STEP = 32'd262144;

    // The shell holds `mod_rstn` low for as long as it wants; the NIC clears its tables by itself afterwards.
    reg         rst;
    reg         done;
    wire [47:0] now;

    always @(posedge axis_aclk) begin
        rst <= !mod_rstn;
        done <= !rst;
    end
    assign mod_rst_done = done;

    now_counter #(.STEP(STEP)) u_now (.clk(axis_aclk), .rst(1'b0), .set_valid(1'b0), .set_ns(48'd0), .now(now));

    // From the adapter: RoCE to the NIC, the rest to QDMA.
    wire [511:0] rx_tdata, tx_tdata, host_tdata;
    wire [63:0]  rx_tkeep, tx_tkeep, host_tkeep;
    wire         rx_tlast, rx_tuser, rx_tvalid, rx_tready;
    wire         tx_tlast, tx_tuser, tx_tvalid, tx_tready;
    wire         host_tlast, host_tuser, host_tvalid, host_tready;

    axis_roce_demux u_demux (
        .clk(axis_aclk), .rst(rst),
        .s_axis_tdata(s_axis_adap_rx_250mhz_tdata), .s_axis_tkeep(s_axis_adap_rx_250mhz_tkeep),
        .s_axis_tlast(s_axis_adap_rx_250mhz_tlast), .s_axis_tuser(1'b0),
        .s_axis_tvalid(s_axis_adap_rx_250mhz_tvalid), .s_axis_tready(s_axis_adap_rx_250mhz_tready),
        .nic_axis_tdata(rx_tdata), .nic_axis_tkeep(rx_tkeep), .nic_axis_tlast(rx_tlast),
        .nic_axis_tuser(rx_tuser), .nic_axis_tvalid(rx_tvalid), .nic_axis_tready(rx_tready),
        .host_axis_tdata(host_tdata), .host_axis_tkeep(host_tkeep), .host_axis_tlast(host_tlast),
        .host_axis_tuser(host_tuser), .host_axis_tvalid(host_tvalid), .host_axis_tready(host_tready)
    );

    // QDMA wants a frame's size with its first beat, so frames to it wait until they are whole.
    axis_frame_size u_c2h (
        .clk(axis_aclk), .rst(rst),
        .s_axis_tdata(host_tdata), .s_axis_tkeep(host_tkeep), .s_axis_tlast(host_tlast), .s_axis_tuser(host_tuser),
        .s_axis_tvalid(host_tvalid), .s_axis_tready(host_tready),
        .m_axis_tdata(m_axis_qdma_c2h_tdata), .m_axis_tkeep(m_axis_qdma_c2h_tkeep), .m_axis_tlast(m_axis_qdma_c2h_tlast),
        .m_axis_tsize(m_axis_qdma_c2h_tuser_size), .m_axis_tvalid(m_axis_qdma_c2h_tvalid), .m_axis_tready(m_axis_qdma_c2h_tready)
    );
    assign m_axis_qdma_c2h_tuser_src = 16'h0001 << 6;
    assign m_axis_qdma_c2h_tuser_dst = 16'h0001;

    // To the adapter: the NIC's frames and QDMA's in turns, with their sizes.
    wire [511:0] out_tdata;
    wire [63:0]  out_tkeep;
    wire         out_tlast, out_tuser, out_tvalid, out_tready;

    axis_frame_merge u_merge (
        .clk(axis_aclk), .rst(rst),
        .nic_axis_tdata(tx_tdata), .nic_axis_tkeep(tx_tkeep), .nic_axis_tlast(tx_tlast),
        .nic_axis_tuser(tx_tuser), .nic_axis_tvalid(tx_tvalid), .nic_axis_tready(tx_tready),
        .host_axis_tdata(s_axis_qdma_h2c_tdata), .host_axis_tkeep(s_axis_qdma_h2c_tkeep), .host_axis_tlast(s_axis_qdma_h2c_tlast),
        .host_axis_tuser(1'b0), .host_axis_tvalid(s_axis_qdma_h2c_tvalid), .host_axis_tready(s_axis_qdma_h2c_tready),
        .m_axis_tdata(out_tdata), .m_axis_tkeep(out_tkeep), .m_axis_tlast(out_tlast),
        .m_axis_tuser(out_tuser), .m_axis_tvalid(out_tvalid), .m_axis_tready(out_tready)
    );
    axis_frame_size u_tx (
        .clk(axis_aclk), .rst(rst),
        .s_axis_tdata(out_tdata), .s_axis_tkeep(out_tkeep), .s_axis_tlast(out_tlast), .s_axis_tuser(out_tuser),
        .s_axis_tvalid(out_tvalid), .s_axis_tready(out_tready),
        .m_axis_tdata(m_axis_adap_tx_250mhz_tdata), .m_axis_tkeep(m_axis_adap_tx_250mhz_tkeep), .m_axis_tlast(m_axis_adap_tx_250mhz_tlast),
        .m_axis_tsize(m_axis_adap_tx_250mhz_tuser_size), .m_axis_tvalid(m_axis_adap_tx_250mhz_tvalid), .m_axis_tready(m_axis_adap_tx_250mhz_tready)
    );
    assign m_axis_adap_tx_250mhz_tuser_src = 16'h0001;
    assign m_axis_adap_tx_250mhz_tuser_dst = 16'h0001 << 6;

    wire unused = &{1'b0, s_axil_awaddr[31:12], s_axil_araddr[31:12], s_axis_qdma_h2c_tuser_size, s_axis_qdma_h2c_tuser_src,
        s_axis_qdma_h2c_tuser_dst, s_axis_adap_rx_250mhz_tuser_size, s_axis_adap_rx_250mhz_tuser_src, s_axis_adap_rx_250mhz_tuser_dst};

    hpcc_nic u_nic (
        .clk(axis_aclk),
        .rst(rst),
        .now(now),
        .pause(8'd0),
        .s_axil_awaddr(s_axil_awaddr[11:0]),
        .s_axil_awprot(3'd0),
        .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata),
        .s_axil_wstrb(4'hf),
        .s_axil_wvalid(s_axil_wvalid),
        .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid),
        .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr[11:0]),
        .s_axil_arprot(3'd0),
        .s_axil_arvalid(s_axil_arvalid),
        .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata),
        .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid),
        .s_axil_rready(s_axil_rready),
        .s_axis_rx_tdata(rx_tdata),
        .s_axis_rx_tkeep(rx_tkeep),
        .s_axis_rx_tlast(rx_tlast),
        .s_axis_rx_tuser(rx_tuser),
        .s_axis_rx_tvalid(rx_tvalid),
        .s_axis_rx_tready(rx_tready),
        .m_axis_tx_tdata(tx_tdata),
        .m_axis_tx_tkeep(tx_tkeep),
        .m_axis_tx_tlast(tx_tlast),
        .m_axis_tx_tuser(tx_tuser),
        .m_axis_tx_tvalid(tx_tvalid),
        .m_axis_tx_tready(tx_tready),
        .s_axis_work_tdata(s_axis_work_tdata),
        .s_axis_work_tvalid(s_axis_work_tvalid),
        .s_axis_work_tready(s_axis_work_tready),
        .m_axis_completion_tdata(m_axis_completion_tdata),
        .m_axis_completion_tvalid(m_axis_completion_tvalid),
        .m_axis_completion_tready(m_axis_completion_tready),
        .m_axi_awid(m_axi_awid),
        .m_axi_awaddr(m_axi_awaddr),
        .m_axi_awlen(m_axi_awlen),
        .m_axi_awsize(m_axi_awsize),
        .m_axi_awburst(m_axi_awburst),
        .m_axi_awlock(m_axi_awlock),
        .m_axi_awcache(m_axi_awcache),
        .m_axi_awprot(m_axi_awprot),
        .m_axi_awvalid(m_axi_awvalid),
        .m_axi_awready(m_axi_awready),
        .m_axi_wdata(m_axi_wdata),
        .m_axi_wstrb(m_axi_wstrb),
        .m_axi_wlast(m_axi_wlast),
        .m_axi_wvalid(m_axi_wvalid),
        .m_axi_wready(m_axi_wready),
        .m_axi_bid(m_axi_bid),
        .m_axi_bresp(m_axi_bresp),
        .m_axi_bvalid(m_axi_bvalid),
        .m_axi_bready(m_axi_bready),
        .m_axi_arid(m_axi_arid),
        .m_axi_araddr(m_axi_araddr),
        .m_axi_arlen(m_axi_arlen),
        .m_axi_arsize(m_axi_arsize),
        .m_axi_arburst(m_axi_arburst),
        .m_axi_arlock(m_axi_arlock),
        .m_axi_arcache(m_axi_arcache),
        .m_axi_arprot(m_axi_arprot),
        .m_axi_arvalid(m_axi_arvalid),
        .m_axi_arready(m_axi_arready),
        .m_axi_rid(m_axi_rid),
        .m_axi_rdata(m_axi_rdata),
        .m_axi_rresp(m_axi_rresp),
        .m_axi_rlast(m_axi_rlast),
        .m_axi_rvalid(m_axi_rvalid),
        .m_axi_rready(m_axi_rready)
    );
endmodule
