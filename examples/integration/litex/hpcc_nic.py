"""The NIC as a LiteX module: registers on an AXI-Lite interface, memory as an AXI master, streams for the MAC and for work.

The module needs the files that `verilog-out/hpcc_nic.f` lists and `axis/now_counter.v`; `add_sources` adds them to a platform.
"""

import pathlib

from litex.gen import LiteXModule
from litex.soc.interconnect import axi, stream
from migen import ClockSignal, Instance, ResetSignal, Signal

HERE = pathlib.Path(__file__).resolve().parent
VERILOG = HERE.parent.parent.parent / "verilog-out"

FRAME = [("data", 512), ("keep", 64), ("error", 1)]


class HpccNic(LiteXModule):
    """`clock_frequency` in Hz sets how far `now` goes in a clock. 200 MHz carry 100 Gb/s."""

    def __init__(self, platform, clock_frequency):
        self.bus = axi.AXILiteInterface(data_width=32, address_width=12)
        self.memory = axi.AXIInterface(data_width=512, address_width=64, id_width=4)
        self.rx = stream.Endpoint(FRAME)
        self.tx = stream.Endpoint(FRAME)
        self.work = stream.Endpoint([("data", 320)])
        self.completion = stream.Endpoint([("data", 192)])
        self.pause = Signal(8)
        now = Signal(48)

        self.specials += Instance(
            "now_counter",
            p_STEP=round(65536e9 / clock_frequency),
            i_clk=ClockSignal(),
            i_rst=0,
            i_set_valid=0,
            i_set_ns=0,
            o_now=now,
        )
        bus, memory = self.bus, self.memory
        self.specials += Instance(
            "hpcc_nic",
            i_clk=ClockSignal(),
            i_rst=ResetSignal(),
            i_now=now,
            i_pause=self.pause,
            i_s_axil_awaddr=bus.aw.addr,
            i_s_axil_awprot=0,
            i_s_axil_awvalid=bus.aw.valid,
            o_s_axil_awready=bus.aw.ready,
            i_s_axil_wdata=bus.w.data,
            i_s_axil_wstrb=bus.w.strb,
            i_s_axil_wvalid=bus.w.valid,
            o_s_axil_wready=bus.w.ready,
            o_s_axil_bresp=bus.b.resp,
            o_s_axil_bvalid=bus.b.valid,
            i_s_axil_bready=bus.b.ready,
            i_s_axil_araddr=bus.ar.addr,
            i_s_axil_arprot=0,
            i_s_axil_arvalid=bus.ar.valid,
            o_s_axil_arready=bus.ar.ready,
            o_s_axil_rdata=bus.r.data,
            o_s_axil_rresp=bus.r.resp,
            o_s_axil_rvalid=bus.r.valid,
            i_s_axil_rready=bus.r.ready,
            i_s_axis_rx_tdata=self.rx.data,
            i_s_axis_rx_tkeep=self.rx.keep,
            i_s_axis_rx_tlast=self.rx.last,
            i_s_axis_rx_tuser=self.rx.error,
            i_s_axis_rx_tvalid=self.rx.valid,
            o_s_axis_rx_tready=self.rx.ready,
            o_m_axis_tx_tdata=self.tx.data,
            o_m_axis_tx_tkeep=self.tx.keep,
            o_m_axis_tx_tlast=self.tx.last,
            o_m_axis_tx_tuser=self.tx.error,
            o_m_axis_tx_tvalid=self.tx.valid,
            i_m_axis_tx_tready=self.tx.ready,
            i_s_axis_work_tdata=self.work.data,
            i_s_axis_work_tvalid=self.work.valid,
            o_s_axis_work_tready=self.work.ready,
            o_m_axis_completion_tdata=self.completion.data,
            o_m_axis_completion_tvalid=self.completion.valid,
            i_m_axis_completion_tready=self.completion.ready,
            o_m_axi_awid=memory.aw.id,
            o_m_axi_awaddr=memory.aw.addr,
            o_m_axi_awlen=memory.aw.len,
            o_m_axi_awsize=memory.aw.size,
            o_m_axi_awburst=memory.aw.burst,
            o_m_axi_awlock=memory.aw.lock,
            o_m_axi_awcache=memory.aw.cache,
            o_m_axi_awprot=memory.aw.prot,
            o_m_axi_awvalid=memory.aw.valid,
            i_m_axi_awready=memory.aw.ready,
            o_m_axi_wdata=memory.w.data,
            o_m_axi_wstrb=memory.w.strb,
            o_m_axi_wlast=memory.w.last,
            o_m_axi_wvalid=memory.w.valid,
            i_m_axi_wready=memory.w.ready,
            i_m_axi_bid=memory.b.id,
            i_m_axi_bresp=memory.b.resp,
            i_m_axi_bvalid=memory.b.valid,
            o_m_axi_bready=memory.b.ready,
            o_m_axi_arid=memory.ar.id,
            o_m_axi_araddr=memory.ar.addr,
            o_m_axi_arlen=memory.ar.len,
            o_m_axi_arsize=memory.ar.size,
            o_m_axi_arburst=memory.ar.burst,
            o_m_axi_arlock=memory.ar.lock,
            o_m_axi_arcache=memory.ar.cache,
            o_m_axi_arprot=memory.ar.prot,
            o_m_axi_arvalid=memory.ar.valid,
            i_m_axi_arready=memory.ar.ready,
            i_m_axi_rid=memory.r.id,
            i_m_axi_rdata=memory.r.data,
            i_m_axi_rresp=memory.r.resp,
            i_m_axi_rlast=memory.r.last,
            i_m_axi_rvalid=memory.r.valid,
            o_m_axi_rready=memory.r.ready,
        )
        self.add_sources(platform)

    @staticmethod
    def add_sources(platform):
        for line in (VERILOG / "hpcc_nic.f").read_text().split():
            if line.endswith(".sv"):
                platform.add_source(str(VERILOG / line))
        platform.add_source(str(HERE.parent / "axis" / "now_counter.v"))
