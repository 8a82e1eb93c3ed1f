"""The NIC in a cocotb bench: a driver behind AXI4-Lite, a memory, a MAC, and a peer made of scapy.

Registers, words and codes are read from `hpcc_nic.h`, so that a bench names fields and never counts bits:

    nic = Nic(dut)
    await nic.start()
    await nic.write("MTU", 3)
    await nic.command("WRITE_REGION", 0, word("REGION", valid=1, key=7, base=0x1000, length=64, remote_write=1))
    await nic.post(id=1, qpn=2, operation=0, local_address=0x1000, local_key=7, length=64)
    done = await nic.completion()
    assert done.status == 0
"""

import logging
import os
import pathlib
import re
import types

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam, AxiStreamBus, AxiStreamFrame
from cocotbext.axi import AxiStreamSink, AxiStreamSource
from cocotbext.eth import EthMac, EthMacFrame
from scapy.contrib.roce import BTH
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw, bind_layers

HERE = pathlib.Path(__file__).resolve().parent
VERILOG = pathlib.Path(os.environ.get("HPCC_NIC_VERILOG", HERE.parent.parent / "verilog-out"))
HEADER = (VERILOG / "hpcc_nic.h").read_text()

PORT, PORT_INT, PORT_ECHO = 4791, 54791, 54792
for port in (PORT, PORT_INT, PORT_ECHO):
    bind_layers(UDP, BTH, dport=port)

NUMBERS = {name: int(value, 0) for name, value in re.findall(r"#define HPCC_(\w+) (0x[0-9a-f]+|\d+)u", HEADER)}
CODES = {name: int(value) for name, value in re.findall(r"^    HPCC_(\w+) = (\d+)", HEADER, re.M)}
REG = {name[4:]: value for name, value in NUMBERS.items() if name.startswith("NIC_")}


def layout(kind):
    """Fields of a word: name, lowest bit and width."""
    found = re.findall(rf"#define HPCC_{kind}_(\w+)_LSB (\d+)u\n#define HPCC_{kind}_\w+_WIDTH (\d+)u", HEADER)
    return {name.lower(): (int(low), int(width)) for name, low, width in found}


def word(kind, **values):
    """A word of the header, such as "WORK_REQUEST", from its fields; those that are not named are zero."""
    fields, number = layout(kind), 0
    for name, value in values.items():
        low, width = fields[name]
        assert 0 <= value < 1 << width, f"{kind}.{name} has {width} bits: {value}"
        number |= value << low
    return number


def fields(kind, number):
    """The fields of a word by name."""
    values = {name: number >> low & (1 << width) - 1 for name, (low, width) in layout(kind).items()}
    return types.SimpleNamespace(**values)


def ip_number(ip):
    return int.from_bytes(bytes(map(int, ip.split("."))), "big")


def mac_number(mac):
    return int(mac.replace(":", ""), 16)


class Nic:
    """A NIC with everything around it. Addresses of the NIC and of its peer are arguments."""

    def __init__(self, dut, mac="02:00:00:00:00:0b", ip="10.0.0.11", peer_mac="02:00:00:00:00:0a", peer_ip="10.0.0.10"):
        self.dut, self.mac_address, self.ip, self.peer_mac, self.peer_ip = dut, mac, ip, peer_mac, peer_ip
        logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.WARNING)
        cocotb.start_soon(Clock(dut.clk, 5, unit="ns").start())
        cocotb.start_soon(self._tell_time())
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
        self.now = 0

    async def _tell_time(self):
        while True:
            self.dut.now.value = self.now
            self.now += 5
            await RisingEdge(self.dut.clk)

    # Registers.

    async def read(self, name):
        return await self.axil.read_dword(REG[name])

    async def write(self, name, value):
        await self.axil.write_dword(REG[name], value)

    async def poll(self, offset, mask, value):
        """Reads a register until the bits of a mask have a value."""
        for _ in range(4000):
            if await self.axil.read_dword(offset) & mask == value:
                return
        raise AssertionError(f"register {offset:#x} never was {value:#x} under {mask:#x}")

    async def reset(self):
        """Resets the NIC and waits until it is ready."""
        self.dut.rst.value = 1
        for _ in range(8):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0
        await self.poll(REG["STATUS"], 1 << REG["STATUS_READY_LSB"], 1 << REG["STATUS_READY_LSB"])

    async def start(self):
        """Reset, and the NIC's own addresses."""
        await self.reset()
        assert await self.read("ID") == 0x48504343
        mac = mac_number(self.mac_address)
        await self.write("MAC_LO", mac & 0xFFFFFFFF)
        await self.write("MAC_HI", mac >> 32)
        await self.write("IP", ip_number(self.ip))

    async def command(self, operation, index, body):
        """A command by its name, such as "CREATE_QP"; its body is a word."""
        for place in range(12):
            await self.write(f"BODY{place}", body >> (32 * place) & 0xFFFFFFFF)
        await self.write("COMMAND", CODES[f"HOST_OPERATION_{operation}"] | index << 8)
        while True:
            status = fields("NIC_STATUS", await self.read("STATUS"))
            if not status.busy:
                # done and error stay until they are cleared
                await self.write("STATUS", 0b110)
                assert not status.error, f"{operation} refused, code {status.code}"
                return

    async def region(self, key, base, length):
        """Writes a region; bits 8 to 12 of its key are its entry."""
        body = word("REGION", valid=1, key=key, base=base, length=length, remote_write=1, remote_read=1)
        await self.command("WRITE_REGION", 0, body)

    async def queue_pair(self, place, **values):
        """Creates a queue pair with the peer; other fields of its context are arguments."""
        peer = {"remote_ip": ip_number(self.peer_ip), "remote_mac": mac_number(self.peer_mac), "source_port": 0xC123}
        await self.command("CREATE_QP", place, word("QP_CONTEXT", **(peer | {"mtu": 2} | values)))

    # Work.

    async def post(self, **values):
        """Hands over a work request, by the fields of WORK_REQUEST."""
        await self.work.send(AxiStreamFrame(word("WORK_REQUEST", **values).to_bytes(NUMBERS["WORK_REQUEST_BYTES"], "little")))

    async def completion(self, us=100):
        """The next completion, by its fields."""
        data = bytes((await with_timeout(self.completions.recv(), us, "us")).tdata)
        return fields("COMPLETION", int.from_bytes(data, "little"))

    # The wire.

    def frame(self, dqpn, opcode, psn, rest, ack_req=1, pad=0):
        """A frame of the peer; scapy computes lengths, checksum and ICRC."""
        return bytes(
            Ether(dst=self.mac_address, src=self.peer_mac)
            / IP(src=self.peer_ip, dst=self.ip, flags="DF")
            / UDP(sport=0xC321, dport=PORT, chksum=0)
            / BTH(opcode=opcode, migreq=1, padcount=pad, pkey=0xFFFF, dqpn=dqpn, ackreq=ack_req, psn=psn)
            / Raw(rest)
        )

    async def send(self, frame):
        await self.mac.rx.send(EthMacFrame.from_raw_payload(frame))

    async def receive_bytes(self, us=100):
        return bytes(await with_timeout(self.mac.tx.recv(), us, "us"))

    async def receive(self):
        """The next frame sent, taken apart; its ICRC must be the one that scapy computes. For frames without INT."""
        data = await self.receive_bytes()
        packet = Ether(data)
        assert packet[IP].chksum == IP(bytes(packet[IP])[:20]).chksum
        again = packet.copy()
        again[BTH].icrc = None
        assert bytes(again)[-4:] == data[-4:], "ICRC"
        return packet


def with_int(frame, port, stack):
    """A frame of the peer with INT: `stack` is the header and the records. The ICRC stays that of the packet without them, but for the port."""
    packet = Ether(frame)
    packet[UDP].dport = port
    packet[BTH].icrc = None
    plain = bytes(packet)
    packet = Ether(plain)
    size = len(stack)
    data = bytearray(plain[:42] + stack + plain[42:])
    data[16:18] = (packet[IP].len + size).to_bytes(2, "big")
    data[38:40] = (packet[UDP].len + size).to_bytes(2, "big")
    data[24:26] = bytes(2)
    total = sum(int.from_bytes(data[at : at + 2], "big") for at in range(14, 34, 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    data[24:26] = (total ^ 0xFFFF).to_bytes(2, "big")
    return bytes(data)


def int_record(speed, ts, tx_bytes, queue):
    """A record of a switch: B:4 TS:24 txBytes:20 qLen:16, in units of 128 and 80 bytes."""
    bits = speed << 60 | (ts & 0xFFFFFF) << 36 | (tx_bytes // 128 & 0xFFFFF) << 16 | min(queue // 80, 0xFFFF)
    return bits.to_bytes(8, "big")
