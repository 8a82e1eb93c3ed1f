// What lint needs of taxi's interfaces: the signals and the sides that `hpcc_nic_taxi` uses, declared anew. The real ones come with taxi.
interface taxi_axis_if #(parameter DATA_W = 512, parameter USER_W = 1) ();
    logic [DATA_W-1:0]   tdata;
    logic [DATA_W/8-1:0] tkeep, tstrb;
    logic [7:0]          tid, tdest;
    logic [USER_W-1:0]   tuser;
    logic                tlast, tvalid, tready;
    modport src (output tdata, tkeep, tstrb, tid, tdest, tuser, tlast, tvalid, input tready);
    modport snk (input tdata, tkeep, tstrb, tid, tdest, tuser, tlast, tvalid, output tready);
endinterface

interface taxi_axil_if #(parameter DATA_W = 32, parameter ADDR_W = 32) ();
    logic [ADDR_W-1:0]   awaddr, araddr;
    logic [2:0]          awprot, arprot;
    logic                awuser, wuser, buser, aruser, ruser;
    logic [DATA_W-1:0]   wdata, rdata;
    logic [DATA_W/8-1:0] wstrb;
    logic [1:0]          bresp, rresp;
    logic                awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    modport wr_slv (input awaddr, awprot, awuser, awvalid, wdata, wstrb, wuser, wvalid, bready, output awready, wready, bresp, buser, bvalid);
    modport rd_slv (input araddr, arprot, aruser, arvalid, rready, output arready, rdata, rresp, ruser, rvalid);
endinterface

interface taxi_axi_if #(parameter DATA_W = 512, parameter ADDR_W = 64, parameter ID_W = 4) ();
    logic [ID_W-1:0]     awid, bid, arid, rid;
    logic [ADDR_W-1:0]   awaddr, araddr;
    logic [7:0]          awlen, arlen;
    logic [2:0]          awsize, arsize, awprot, arprot;
    logic [1:0]          awburst, arburst, bresp, rresp;
    logic [3:0]          awcache, arcache, awqos, arqos, awregion, arregion;
    logic                awlock, arlock, awuser, wuser, buser, aruser, ruser, wlast, rlast;
    logic [DATA_W-1:0]   wdata, rdata;
    logic [DATA_W/8-1:0] wstrb;
    logic                awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
    modport wr_mst (
        output awid, awaddr, awlen, awsize, awburst, awlock, awcache, awprot, awqos, awregion, awuser, awvalid, wdata, wstrb, wlast, wuser, wvalid, bready,
        input awready, wready, bid, bresp, buser, bvalid
    );
    modport rd_mst (
        output arid, araddr, arlen, arsize, arburst, arlock, arcache, arprot, arqos, arregion, aruser, arvalid, rready,
        input arready, rid, rdata, rresp, rlast, ruser, rvalid
    );
endinterface

// The block with interfaces around it, as lint's top.
module taxi_top (
    input logic clk,
    input logic rst
);
    taxi_axil_if registers ();
    taxi_axis_if rx (), tx ();
    taxi_axis_if #(.DATA_W(320)) work ();
    taxi_axis_if #(.DATA_W(192)) completion ();
    taxi_axi_if memory ();
    hpcc_nic_taxi u_nic (
        .clk, .rst, .pause(8'd0), .s_axil_wr(registers), .s_axil_rd(registers), .s_axis_rx(rx), .m_axis_tx(tx),
        .s_axis_work(work), .m_axis_completion(completion), .m_axi_wr(memory), .m_axi_rd(memory)
    );
endmodule
