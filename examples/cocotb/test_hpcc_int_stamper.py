"""The INT stamper between two AXI4-Stream ports, driven as an outside user would."""

import itertools
import logging
import os
import random
import struct

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

INT_PORT = 54791
DSCP = 26
SWITCH_ID = 0x123
SPEED = 5


def fresh_seed() -> int:
    """What HPCC_SEED adds to the bench's seed: 0 without it, its number, or for `random` one that is drawn and printed. Anything else fails."""
    wanted = os.environ.get("HPCC_SEED", "")
    number = random.SystemRandom().getrandbits(32) if wanted == "random" else int(wanted or 0)
    if wanted:
        print(f"HPCC_SEED={number}")
    return number


def frame(payload: int, port: int = INT_PORT, dscp: int = DSCP) -> bytes:
    body = b"\x00\x00" + bytes(range(256)) * (payload // 256 + 1)
    packet = (
        Ether(dst="02:00:00:00:00:0b", src="02:00:00:00:00:0a")
        / IP(src="10.0.0.10", dst="10.0.0.11", tos=dscp << 2, flags="DF", ttl=64)
        / UDP(sport=0xC123, dport=port, chksum=0)
        / body[: payload + 2]
    )
    return bytes(packet)


def stamped(data: bytes) -> bytes:
    """What must leave, except the record's three measured fields."""
    packet = Ether(data)
    payload = bytes(packet[UDP].payload)
    head = struct.unpack(">H", payload[:2])[0]
    head = ((head >> 12) + 1) << 12 | (head & 0xFFF) ^ SWITCH_ID
    body = struct.pack(">H", head) + bytes([SPEED << 4]) + bytes(7) + payload[2:]
    packet[IP].len = None
    packet[IP].chksum = None
    packet[UDP].len = None
    packet[UDP].remove_payload()
    out = bytes(packet / body)
    # scapy would fill in the UDP checksum that must stay zero
    return out[:40] + b"\x00\x00" + out[42:]


@cocotb.test()
async def frames_are_stamped_under_stalls(dut):
    random.seed(7 ^ fresh_seed())
    logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.WARNING)
    cocotb.start_soon(Clock(dut.clk, 5, unit="ns").start())
    dut.now_ns.value = 0
    dut.queued_bytes.value = 0
    dut.cfg_int_port.value = INT_PORT
    dut.cfg_dscp.value = DSCP
    dut.cfg_switch_id.value = SWITCH_ID
    dut.cfg_speed.value = SPEED
    dut.cfg_unit_shift.value = 0
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst)
    dut.rst.value = 1
    for _ in range(16):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    source.set_pause_generator(itertools.cycle(random.choices([0, 1], [3, 1], k=97)))
    sink.set_pause_generator(itertools.cycle(random.choices([0, 1], [3, 1], k=89)))
    sent = [frame(random.randrange(22, 1200)) for _ in range(40)]
    others = [frame(100, port=4791), frame(100, dscp=0)]
    for data in sent + others:
        await source.send(AxiStreamFrame(data, tuser=0))
    for data in sent:
        got = bytes((await sink.recv()).tdata)
        want = stamped(data)
        # 44: nHop and pathID, 46: the record, of which the speed code is known
        assert got[:44] == want[:44], f"{got[:44].hex()} {want[:44].hex()}"
        assert got[44] >> 4 == SPEED
        assert got[52:] == want[52:]
    for data in others:
        assert bytes((await sink.recv()).tdata) == data
