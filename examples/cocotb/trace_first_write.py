"""Made by `hpcc-nic registers --for examples/bring-up/nic.toml --as python --from-reset`.

("poll", offset, mask, value): read the register until the bits of the mask have the value. ("write", offset, value). ("work", word):
put it on s_axis_work, its first byte lowest. ("completion", word): take it from m_axis_completion; bytes 17 to 22 are the time, which differs.
"""

TRACE = [
    ("poll", 0x0AC, 0x8, 0x8),  # STATUS: until the NIC is ready
    ("write", 0x010, 0x0000000B),  # MAC_LO
    ("write", 0x014, 0x00000200),  # MAC_HI
    ("write", 0x018, 0x0A00000B),  # IP
    ("write", 0x600, 0x0000007C),  # SCHED_PARAM_LO[0]
    ("write", 0x604, 0x00000000),  # SCHED_PARAM_HI[0]
    ("write", 0x608, 0x00000200),  # SCHED_PARAM_LO[1]
    ("write", 0x60C, 0x00000000),  # SCHED_PARAM_HI[1]
    ("write", 0x610, 0x00000F43),  # SCHED_PARAM_LO[2]
    ("write", 0x614, 0x00000000),  # SCHED_PARAM_HI[2]
    ("write", 0x618, 0x00000007),  # SCHED_PARAM_LO[3]
    ("write", 0x61C, 0x00000000),  # SCHED_PARAM_HI[3]
    ("write", 0x0C0, 0x0A00000A),  # BODY0
    ("write", 0x0C4, 0x0000000A),  # BODY1
    ("write", 0x0C8, 0x00000200),  # BODY2
    ("write", 0x0A8, 0x00000004),  # COMMAND: neighbour 10.0.0.10
    ("poll", 0x0AC, 0x7, 0x2),  # STATUS: until it is carried out
    ("write", 0x0AC, 0x00000006),  # STATUS: the flags stay until they are cleared
    ("write", 0x0C0, 0xBD5B7DDF),  # BODY0
    ("write", 0x0C4, 0x00020001),  # BODY1
    ("write", 0x0C8, 0x00000000),  # BODY2
    ("write", 0x0CC, 0x00002000),  # BODY3
    ("write", 0x0D0, 0x00000000),  # BODY4
    ("write", 0x0D4, 0x00000006),  # BODY5
    ("write", 0x0D8, 0x00000000),  # BODY6
    ("write", 0x0DC, 0x00000000),  # BODY7
    ("write", 0x0A8, 0x00000003),  # COMMAND: memory region 0xdeadbeef
    ("poll", 0x0AC, 0x7, 0x2),  # STATUS: until it is carried out
    ("write", 0x0AC, 0x00000006),  # STATUS: the flags stay until they are cleared
    ("write", 0x0C0, 0x00001401),  # BODY0
    ("write", 0x0C4, 0x00001414),  # BODY1
    ("write", 0x0C8, 0x22040000),  # BODY2
    ("write", 0x0CC, 0x84040000),  # BODY3
    ("write", 0x0D0, 0x00010005),  # BODY4
    ("write", 0x0D4, 0x22000200),  # BODY5
    ("write", 0x0D8, 0x00000000),  # BODY6
    ("write", 0x0DC, 0x00000000),  # BODY7
    ("write", 0x0A8, 0x00002201),  # COMMAND: queue pair 0x22
    ("poll", 0x0AC, 0x7, 0x2),  # STATUS: until it is carried out
    ("write", 0x0AC, 0x00000006),  # STATUS: the flags stay until they are cleared
    ("work", bytes.fromhex("0000000000000000220000000000010000000000efbeadde000002000000000034120000dc050000")),  # WRITE, id 0, queue pair 34, 1500 bytes from 0x10000 here to 0x20000 there
    ("completion", bytes.fromhex("00000000000000002200000000dc05000000000000000000")),  # of id 0, status 0
    ("work", bytes.fromhex("0100000000000000220000010008010000000000efbeadde000002000000000034120000dc050000")),  # READ, id 1, queue pair 34, 1500 bytes to 0x10800 here from 0x20000 there
    ("completion", bytes.fromhex("01000000000000002200000100dc05000000000000000000")),  # of id 1, status 0
]
