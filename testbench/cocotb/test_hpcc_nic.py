"""The whole NIC as an outside user would drive it: a MAC, a memory, a driver behind AXI4-Lite, and a peer made of scapy."""

import logging
import pathlib
import re
import struct

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam, AxiStreamBus, AxiStreamFrame
from cocotbext.axi import AxiStreamSink, AxiStreamSource
from cocotbext.eth import EthMac, EthMacFrame
from scapy.contrib.roce import AETH, BTH
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw, bind_layers

VERILOG = pathlib.Path(__file__).resolve().parent.parent.parent / "verilog-out"
MAC, PEER_MAC = "02:00:00:00:00:0b", "02:00:00:00:00:0a"
IP_OWN, IP_PEER = "10.0.0.11", "10.0.0.10"
QPN, REMOTE_QPN = 0x22, 0x11
KEY, REMOTE_KEY = 0xDEADBEEF, 0x1234
BASE, LENGTH = 0x10000, 0x4000
FIRST_PSN = 0xFFFFFE

bind_layers(UDP, BTH, dport=4791)


def registers():
    """Offsets by name, from the header that the design comes with."""
    text = (VERILOG / "hpcc_nic_regs.vh").read_text()
    found = re.findall(r"`define HPCC_NIC_(\w+) 12'h([0-9a-f]+)", text)
    return {name: int(value, 16) for name, value in found}


REG = registers()


def number(ip):
    return int.from_bytes(bytes(map(int, ip.split("."))), "big")


def fields(*pairs):
    """Widths and values from bit 0 up."""
    word, at = 0, 0
    for width, value in pairs:
        word |= value << at
        at += width
    return word


class Bench:
    def __init__(self, dut):
        self.dut = dut
        logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.WARNING)
        cocotb.start_soon(Clock(dut.clk, 5, unit="ns").start())
        cocotb.start_soon(self.tell_time())
        dut.pause.value = 0
        self.axil = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
        self.ram = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, size=1 << 20)
        self.mac = EthMac(
            tx_bus=AxiStreamBus.from_prefix(dut, "m_axis_tx"),
            tx_clk=dut.clk,
            tx_rst=dut.rst,
            rx_bus=AxiStreamBus.from_prefix(dut, "s_axis_rx"),
            rx_clk=dut.clk,
            rx_rst=dut.rst,
            speed=100e9,
        )
        self.work = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis_work"), dut.clk, dut.rst)
        self.completions = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis_completion"), dut.clk, dut.rst)

    async def tell_time(self):
        now = 0
        while True:
            self.dut.now.value = now
            now += 5
            await RisingEdge(self.dut.clk)

    async def write(self, name, value):
        await self.axil.write_dword(REG[name], value)

    async def command(self, operation, index, body):
        for place in range(12):
            await self.write(f"BODY{place}", body >> (32 * place) & 0xFFFFFFFF)
        await self.write("COMMAND", operation | index << 8)
        while True:
            status = await self.axil.read_dword(REG["STATUS"])
            if not status & 1:
                assert not status & 4, f"command refused, code {status >> 4 & 7}"
                return

    async def start(self):
        self.dut.rst.value = 1
        for _ in range(8):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0
        for _ in range(1600):
            await RisingEdge(self.dut.clk)
        assert await self.axil.read_dword(REG["ID"]) == 0x48504343
        mac = int(MAC.replace(":", ""), 16)
        await self.write("MAC_LO", mac & 0xFFFFFFFF)
        await self.write("MAC_HI", mac >> 32)
        await self.write("IP", number(IP_OWN))
        region = fields((1, 1), (32, KEY), (64, BASE), (64, LENGTH), (1, 1), (1, 1))
        await self.command(3, 0, region)
        context = fields(
            (1, 1),
            (8, 0),
            (32, number(IP_PEER)),
            (48, int(PEER_MAC.replace(":", ""), 16)),
            (24, REMOTE_QPN),
            (16, 0xC123),
            (3, 2),
            (1, 0),
            (3, 0),
            (24, FIRST_PSN),
            (24, FIRST_PSN),
        )
        await self.command(1, QPN, context)

    def frame(self, opcode, psn, rest, ack_req=1, pad=0):
        """A frame of the peer; scapy computes lengths, checksum and ICRC."""
        return bytes(
            Ether(dst=MAC, src=PEER_MAC)
            / IP(src=IP_PEER, dst=IP_OWN, flags="DF")
            / UDP(sport=0xC321, dport=4791, chksum=0)
            / BTH(opcode=opcode, migreq=1, padcount=pad, pkey=0xFFFF, dqpn=QPN, ackreq=ack_req, psn=psn)
            / Raw(rest)
        )

    async def send(self, frame):
        await self.mac.rx.send(EthMacFrame.from_raw_payload(frame))

    async def receive(self):
        """The next frame sent, taken apart; its ICRC must be the one that scapy computes."""
        data = bytes(await with_timeout(self.mac.tx.recv(), 100, "us"))
        packet = Ether(data)
        assert packet[IP].chksum == IP(bytes(packet[IP])[:20]).chksum
        again = packet.copy()
        again[BTH].icrc = None
        assert bytes(again)[-4:] == data[-4:], "ICRC"
        return packet


def pattern(count, seed):
    return bytes((7 * i + seed) & 0xFF for i in range(count))


@cocotb.test()
async def a_write_of_the_peer_reaches_memory_and_is_acknowledged(dut):
    bench = Bench(dut)
    await bench.start()
    psn = FIRST_PSN
    for at, count in [(BASE, 64), (BASE + 0x101, 1000), (BASE + 0xFFD, 1024), (BASE + 3, 0)]:
        payload = pattern(count, at)
        reth = struct.pack(">QII", at, KEY, count)
        pad = -count & 3
        await bench.send(bench.frame(0x0A, psn, reth + payload + bytes(pad), pad=pad))
        answer = await bench.receive()
        assert (answer[BTH].opcode, answer[BTH].dqpn, answer[BTH].psn) == (0x11, REMOTE_QPN, psn)
        assert answer[AETH].syndrome == 0x1F
        assert bench.ram.read(at, count) == payload
        psn = psn + 1 & 0xFFFFFF
    # a wrong key is refused, and nothing is written
    before = bench.ram.read(BASE, LENGTH)
    await bench.send(bench.frame(0x0A, psn, struct.pack(">QII", BASE, KEY ^ 1, 64) + bytes(64)))
    answer = await bench.receive()
    assert (answer[AETH].syndrome, answer[BTH].psn) == (0x62, psn)
    assert bench.ram.read(BASE, LENGTH) == before


@cocotb.test()
async def a_read_of_the_peer_is_answered(dut):
    bench = Bench(dut)
    await bench.start()
    bench.ram.write(BASE + 5, pattern(2500, 9))
    await bench.send(bench.frame(0x0C, FIRST_PSN, struct.pack(">QII", BASE + 5, KEY, 2500)))
    got = b""
    for place, opcode in enumerate([0x0D, 0x0E, 0x0F]):
        answer = await bench.receive()
        assert (answer[BTH].opcode, answer[BTH].psn) == (opcode, FIRST_PSN + place & 0xFFFFFF)
        data = bytes(answer[BTH].payload)
        if opcode != 0x0E:
            data = data[4:]
        got += data[: len(data) - answer[BTH].padcount]
    assert got == pattern(2500, 9)


@cocotb.test()
async def a_work_request_leaves_as_packets_and_completes(dut):
    bench = Bench(dut)
    await bench.start()
    bench.ram.write(BASE + 1, pattern(2100, 3))
    work = fields((64, 77), (24, QPN), (8, 0), (64, BASE + 1), (32, KEY), (64, 0x7F0000001000), (32, REMOTE_KEY), (32, 2100))
    await bench.work.send(AxiStreamFrame(work.to_bytes(40, "little")))
    got = b""
    for place, opcode in enumerate([0x06, 0x07, 0x08]):
        packet = await bench.receive()
        assert (packet[BTH].opcode, packet[BTH].psn) == (opcode, FIRST_PSN + place & 0xFFFFFF)
        data = bytes(packet[BTH].payload)
        if opcode == 0x06:
            assert struct.unpack(">QII", data[:16]) == (0x7F0000001000, REMOTE_KEY, 2100)
            data = data[16:]
        got += data[: len(data) - packet[BTH].padcount]
    assert got == pattern(2100, 3)
    assert packet[BTH].ackreq == 1
    await bench.send(bench.frame(0x11, FIRST_PSN + 2 & 0xFFFFFF, struct.pack(">I", 0x1F << 24 | 1), ack_req=0))
    completion = bytes((await with_timeout(bench.completions.recv(), 100, "us")).tdata)
    word = int.from_bytes(completion, "little")
    assert word & (1 << 64) - 1 == 77
    assert word >> 64 & 0xFFFFFF == QPN
    assert word >> 96 & 0xFF == 0, "status"
    assert word >> 104 & 0xFFFFFFFF == 2100


@cocotb.test()
async def what_is_offered_from_the_end_of_the_reset_on_is_not_lost(dut):
    bench = Bench(dut)
    dut.rst.value = 1
    for _ in range(8):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    # all at once, hundreds of clocks before the NIC can take them
    await bench.send(bench.frame(0x0A, FIRST_PSN, struct.pack(">QII", BASE, KEY, 64) + bytes(64)))
    work = fields((64, 77), (24, QPN), (8, 0), (64, BASE), (32, KEY), (64, BASE), (32, REMOTE_KEY), (32, 64))
    await bench.work.send(AxiStreamFrame(work.to_bytes(40, "little")))
    assert await with_timeout(bench.axil.read_dword(REG["ID"]), 10, "us") == 0x48504343
    status = await with_timeout(bench.axil.read_dword(REG["STATUS"]), 10, "us")
    assert not status & 8, "registers answer before the NIC is ready"
    assert dut.s_axis_rx_tready.value == 0 and dut.s_axis_work_tready.value == 0
    # a command given now waits and is carried out
    await with_timeout(bench.command(3, 0, fields((1, 1), (32, KEY), (64, BASE), (64, LENGTH), (1, 1), (1, 1))), 100, "us")
    assert await bench.axil.read_dword(REG["STATUS"]) & 8
    # there is no queue pair: the work request is refused, the frame is dropped, both are seen
    completion = bytes((await with_timeout(bench.completions.recv(), 100, "us")).tdata)
    word = int.from_bytes(completion, "little")
    assert (word & (1 << 64) - 1, word >> 96 & 0xFF) != (77, 0) and word & (1 << 64) - 1 == 77
    for _ in range(200):
        await RisingEdge(dut.clk)
    assert await bench.axil.read_dword(REG["RX_FRAMES_LO"]) == 1
