"""The whole NIC: a peer writes and reads its memory, its own WRITE completes, the trace of the book is replayed, INT slows a sender down."""

import struct

import cocotb
from cocotb.triggers import RisingEdge, with_timeout
from hpcc_nic import PORT_ECHO, PORT_INT, REG, Nic, int_record, with_int
from scapy.contrib.roce import AETH, BTH
from scapy.layers.inet import UDP
from trace_first_write import TRACE
from trace_int import TRACE as TRACE_INT

QPN, REMOTE_QPN = 0x22, 0x11
KEY, REMOTE_KEY = 0xDEADBEEF, 0x1234
BASE, LENGTH = 0x10000, 0x4000
FIRST_PSN = 0xFFFFFE
# code of 100 Gb/s in INT
SPEED = 5


async def started(dut):
    """A NIC with one region and one plain queue pair."""
    nic = Nic(dut)
    await nic.start()
    await nic.region(KEY, BASE, LENGTH)
    await nic.queue_pair(QPN, remote_qpn=REMOTE_QPN, send_psn=FIRST_PSN, expected_psn=FIRST_PSN)
    return nic


def work(**values):
    """A WRITE of the queue pair, by what differs."""
    return {"id": 77, "qpn": QPN, "local_key": KEY, "remote_key": REMOTE_KEY} | values


def pattern(count, seed):
    return bytes((7 * i + seed) & 0xFF for i in range(count))


@cocotb.test()
async def a_write_of_the_peer_reaches_memory_and_is_acknowledged(dut):
    nic = await started(dut)
    psn = FIRST_PSN
    for at, count in [(BASE, 64), (BASE + 0x101, 1000), (BASE + 0xFFD, 1024), (BASE + 3, 0)]:
        payload = pattern(count, at)
        reth = struct.pack(">QII", at, KEY, count)
        pad = -count & 3
        await nic.send(nic.frame(QPN, 0x0A, psn, reth + payload + bytes(pad), pad=pad))
        answer = await nic.receive()
        assert (answer[BTH].opcode, answer[BTH].dqpn, answer[BTH].psn) == (0x11, REMOTE_QPN, psn)
        assert answer[AETH].syndrome == 0x1F
        assert nic.ram.read(at, count) == payload
        psn = psn + 1 & 0xFFFFFF
    # a wrong key is refused, and nothing is written
    before = nic.ram.read(BASE, LENGTH)
    await nic.send(nic.frame(QPN, 0x0A, psn, struct.pack(">QII", BASE, KEY ^ 1, 64) + bytes(64)))
    answer = await nic.receive()
    assert (answer[AETH].syndrome, answer[BTH].psn) == (0x62, psn)
    assert nic.ram.read(BASE, LENGTH) == before


@cocotb.test()
async def a_read_of_the_peer_is_answered(dut):
    nic = await started(dut)
    nic.ram.write(BASE + 5, pattern(2500, 9))
    await nic.send(nic.frame(QPN, 0x0C, FIRST_PSN, struct.pack(">QII", BASE + 5, KEY, 2500)))
    got = b""
    for place, opcode in enumerate([0x0D, 0x0E, 0x0F]):
        answer = await nic.receive()
        assert (answer[BTH].opcode, answer[BTH].psn) == (opcode, FIRST_PSN + place & 0xFFFFFF)
        data = bytes(answer[BTH].payload)
        if opcode != 0x0E:
            data = data[4:]
        got += data[: len(data) - answer[BTH].padcount]
    assert got == pattern(2500, 9)


@cocotb.test()
async def a_work_request_leaves_as_packets_and_completes(dut):
    nic = await started(dut)
    nic.ram.write(BASE + 1, pattern(2100, 3))
    await nic.post(**work(local_address=BASE + 1, remote_address=0x7F0000001000, length=2100))
    got = b""
    for place, opcode in enumerate([0x06, 0x07, 0x08]):
        packet = await nic.receive()
        assert (packet[BTH].opcode, packet[BTH].psn) == (opcode, FIRST_PSN + place & 0xFFFFFF)
        data = bytes(packet[BTH].payload)
        if opcode == 0x06:
            assert struct.unpack(">QII", data[:16]) == (0x7F0000001000, REMOTE_KEY, 2100)
            data = data[16:]
        got += data[: len(data) - packet[BTH].padcount]
    assert got == pattern(2100, 3)
    assert packet[BTH].ackreq == 1
    await nic.send(nic.frame(QPN, 0x11, FIRST_PSN + 2 & 0xFFFFFF, struct.pack(">I", 0x1F << 24 | 1), ack_req=0))
    done = await nic.completion()
    assert (done.id, done.qpn, done.status, done.length) == (77, QPN, 0, 2100)


@cocotb.test()
async def what_is_offered_from_the_end_of_the_reset_on_is_not_lost(dut):
    nic = Nic(dut)
    dut.rst.value = 1
    for _ in range(8):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    # all at once, hundreds of clocks before the NIC can take them
    await nic.send(nic.frame(QPN, 0x0A, FIRST_PSN, struct.pack(">QII", BASE, KEY, 64) + bytes(64)))
    await nic.post(**work(local_address=BASE, remote_address=BASE, length=64))
    assert await with_timeout(nic.axil.read_dword(REG["ID"]), 10, "us") == 0x48504343
    status = await with_timeout(nic.axil.read_dword(REG["STATUS"]), 10, "us")
    assert not status & 8, "registers answer before the NIC is ready"
    assert dut.s_axis_rx_tready.value == 0 and dut.s_axis_work_tready.value == 0
    # a command given now waits and is carried out
    await with_timeout(nic.region(KEY, BASE, LENGTH), 100, "us")
    assert await nic.axil.read_dword(REG["STATUS"]) & 8
    # there is no queue pair: the work request is refused, the frame is dropped, both are seen
    done = await nic.completion()
    assert done.id == 77 and done.status != 0
    for _ in range(200):
        await RisingEdge(dut.clk)
    assert await nic.axil.read_dword(REG["RX_FRAMES_LO"]) == 1


class Peer:
    """The other end of a WRITE and of a READ: it acknowledges, and keeps what was written to give it back."""

    def __init__(self, nic, first_psn):
        self.nic, self.expected, self.memory, self.messages = nic, first_psn, b"", 0

    async def serve(self):
        while True:
            packet = await self.nic.receive()
            bth = packet[BTH]
            assert bth.psn == self.expected, f"{bth.psn:#x}, expected {self.expected:#x}"
            data = bytes(bth.payload)
            if bth.opcode == 0x0C:
                await self.read(bth.psn, struct.unpack(">QII", data[:16])[2])
                continue
            self.expected += 1
            # the RETH stands in the first packet of a message
            first = bth.opcode in (0x06, 0x0A)
            data = data[16 if first else 0 : len(data) - bth.padcount]
            self.memory = data if first else self.memory + data
            self.messages += bth.opcode in (0x08, 0x0A)
            if bth.ackreq:
                await self.nic.send(self.nic.frame(QPN, 0x11, bth.psn, struct.pack(">I", 0x1F << 24 | self.messages), ack_req=0))

    async def read(self, psn, length):
        parts = [self.memory[at : min(at + 1024, length)] for at in range(0, length, 1024)]
        self.expected = psn + len(parts)
        self.messages += 1
        for place, part in enumerate(parts):
            last = place + 1 == len(parts)
            opcode = (0x10 if last else 0x0D) if place == 0 else (0x0F if last else 0x0E)
            aeth = b"" if opcode == 0x0E else struct.pack(">I", 0x1F << 24 | self.messages)
            pad = -len(part) & 3
            await self.nic.send(self.nic.frame(QPN, opcode, psn + place, aeth + part + bytes(pad), ack_req=0, pad=pad))


async def replay(nic, trace):
    """What a trace of `hpcc-nic registers --as python` says."""
    for action, *values in trace:
        if action == "poll":
            await nic.poll(*values)
        elif action == "write":
            await nic.axil.write_dword(*values)
        elif action == "work":
            await nic.work.write(values[0])
        else:
            got = bytes((await with_timeout(nic.completions.recv(), 100, "us")).tdata)
            # but for the time
            assert got[:17] + bytes(6) + got[23:] == values[0], f"{got.hex()}, expected {values[0].hex()}"


@cocotb.test()
async def the_trace_of_the_book_leads_to_the_first_write_and_read(dut):
    nic = Nic(dut)
    await nic.reset()
    nic.ram.write(BASE, pattern(1500, 1))
    peer = Peer(nic, 0x100)
    cocotb.start_soon(peer.serve())
    await replay(nic, TRACE)
    assert peer.memory == pattern(1500, 1)
    assert nic.ram.read(BASE + 0x800, 1500) == pattern(1500, 1)


@cocotb.test()
async def int_of_a_full_queue_slows_the_sender_down(dut):
    """HPCC: packets collect INT, the peer echoes what a switch with so long a queue would have written, and the rate follows."""
    nic = Nic(dut)
    await nic.reset()
    await replay(nic, TRACE_INT)
    packets, sent = 84, []
    nic.ram.write(BASE, pattern(1024, 5) * packets)
    await nic.post(**work(local_address=BASE, remote_address=0x20000, length=1024 * packets))
    transmitted, half = 0, 48
    for place in range(packets):
        data = await nic.receive_bytes(us=1000)
        sent.append(nic.now)
        # port of INT being collected, and an empty header: no hop, path 0
        assert int.from_bytes(data[36:38], "big") == PORT_INT and data[42:44] == bytes(2)
        psn = int.from_bytes(data[44 + 9 : 44 + 12], "big")
        assert psn == 0x100 + place
        # the switch's port of 100 Gb/s is busy all the time; its queue is empty, and from packet 48 on 250 kB long
        transmitted += 1150
        queue = 0 if place < half else 250_000
        stack = (1 << 12 | 0xABC).to_bytes(2, "big") + int_record(SPEED, nic.now, transmitted, queue)
        ack = nic.frame(QPN, 0x11, psn, struct.pack(">I", 0x1F << 24 | (place + 1 == packets)), ack_req=0)
        await nic.send(with_int(ack, PORT_ECHO, stack))
    done = await nic.completion(us=1000)
    assert (done.status, done.length) == (0, 1024 * packets)
    gap = lambda some: (some[-1] - some[0]) / (len(some) - 1)
    early, late = gap(sent[8:half]), gap(sent[-8:])
    print(f"a packet every {early:.0f} ns while the queue is empty, every {late:.0f} ns behind the long queue")
    assert late > 2 * early, f"{early} ns, then {late} ns"
