"""Made by `hpcc-nic registers --for examples/cocotb/int.toml --as python --from-reset`.

("poll", offset, mask, value): read the register until the bits of the mask have the value. ("write", offset, value). ("work", word):
put it on s_axis_work, its first byte lowest. ("completion", word): take it from m_axis_completion; bytes 17 to 22 are the time, which differs.
"""

TRACE = [
    ("poll", 0x0AC, 0x8, 0x8),  # STATUS: until the NIC is ready
    ("write", 0x010, 0x0000000B),  # MAC_LO
    ("write", 0x014, 0x00000200),  # MAC_HI
    ("write", 0x018, 0x0A00000B),  # IP
    ("write", 0x400, 0x00000000),  # CC_PARAM_LO[0]
    ("write", 0x404, 0x00000000),  # CC_PARAM_HI[0]
    ("write", 0x408, 0x00000005),  # CC_PARAM_LO[1]
    ("write", 0x40C, 0x00000000),  # CC_PARAM_HI[1]
    ("write", 0x410, 0x000032C8),  # CC_PARAM_LO[2]
    ("write", 0x414, 0x00000000),  # CC_PARAM_HI[2]
    ("write", 0x418, 0x00000003),  # CC_PARAM_LO[3]
    ("write", 0x41C, 0x00000000),  # CC_PARAM_HI[3]
    ("write", 0x420, 0x85470CC3),  # CC_PARAM_LO[4]
    ("write", 0x424, 0x00000002),  # CC_PARAM_HI[4]
    ("write", 0x428, 0x35E50D79),  # CC_PARAM_LO[5]
    ("write", 0x42C, 0x00000004),  # CC_PARAM_HI[5]
    ("write", 0x430, 0x13D62000),  # CC_PARAM_LO[6]
    ("write", 0x434, 0x00000000),  # CC_PARAM_HI[6]
    ("write", 0x438, 0x00051400),  # CC_PARAM_LO[7]
    ("write", 0x43C, 0x00000000),  # CC_PARAM_HI[7]
    ("write", 0x440, 0x00140000),  # CC_PARAM_LO[8]
    ("write", 0x444, 0x00000000),  # CC_PARAM_HI[8]
    ("write", 0x448, 0x285470CC),  # CC_PARAM_LO[9]
    ("write", 0x44C, 0x00000000),  # CC_PARAM_HI[9]
    ("write", 0x450, 0x000F4240),  # CC_PARAM_LO[10]
    ("write", 0x454, 0x00000000),  # CC_PARAM_HI[10]
    ("write", 0x480, 0x00000000),  # CC_PARAM_LO[16]
    ("write", 0x484, 0x00000000),  # CC_PARAM_HI[16]
    ("write", 0x500, 0x00000000),  # CC_PARAM_LO[32]
    ("write", 0x504, 0x00000000),  # CC_PARAM_HI[32]
    ("write", 0x580, 0x00000000),  # CC_PARAM_LO[48]
    ("write", 0x584, 0x00000000),  # CC_PARAM_HI[48]
    ("write", 0x488, 0x1AF286BD),  # CC_PARAM_LO[17]
    ("write", 0x48C, 0x00000000),  # CC_PARAM_HI[17]
    ("write", 0x508, 0x01539EA8),  # CC_PARAM_LO[33]
    ("write", 0x50C, 0x00000000),  # CC_PARAM_HI[33]
    ("write", 0x588, 0x010F4241),  # CC_PARAM_LO[49]
    ("write", 0x58C, 0x00000000),  # CC_PARAM_HI[49]
    ("write", 0x490, 0x0AC76918),  # CC_PARAM_LO[18]
    ("write", 0x494, 0x00000000),  # CC_PARAM_HI[18]
    ("write", 0x510, 0x0087D910),  # CC_PARAM_LO[34]
    ("write", 0x514, 0x00000000),  # CC_PARAM_HI[34]
    ("write", 0x590, 0x010F4241),  # CC_PARAM_LO[50]
    ("write", 0x594, 0x00000000),  # CC_PARAM_HI[50]
    ("write", 0x498, 0x06BCA1AF),  # CC_PARAM_LO[19]
    ("write", 0x49C, 0x00000000),  # CC_PARAM_HI[19]
    ("write", 0x518, 0x0054E7AA),  # CC_PARAM_LO[35]
    ("write", 0x51C, 0x00000000),  # CC_PARAM_HI[35]
    ("write", 0x598, 0x010F4241),  # CC_PARAM_LO[51]
    ("write", 0x59C, 0x00000000),  # CC_PARAM_HI[51]
    ("write", 0x4A0, 0x0563B48C),  # CC_PARAM_LO[20]
    ("write", 0x4A4, 0x00000000),  # CC_PARAM_HI[20]
    ("write", 0x520, 0x0043EC88),  # CC_PARAM_LO[36]
    ("write", 0x524, 0x00000000),  # CC_PARAM_HI[36]
    ("write", 0x5A0, 0x010F4241),  # CC_PARAM_LO[52]
    ("write", 0x5A4, 0x00000000),  # CC_PARAM_HI[52]
    ("write", 0x4A8, 0x02B1DA46),  # CC_PARAM_LO[21]
    ("write", 0x4AC, 0x00000000),  # CC_PARAM_HI[21]
    ("write", 0x528, 0x0021F644),  # CC_PARAM_LO[37]
    ("write", 0x52C, 0x00000000),  # CC_PARAM_HI[37]
    ("write", 0x5A8, 0x010F4241),  # CC_PARAM_LO[53]
    ("write", 0x5AC, 0x00000000),  # CC_PARAM_HI[53]
    ("write", 0x4B0, 0x0158ED23),  # CC_PARAM_LO[22]
    ("write", 0x4B4, 0x00000000),  # CC_PARAM_HI[22]
    ("write", 0x530, 0x0010FB22),  # CC_PARAM_LO[38]
    ("write", 0x534, 0x00000000),  # CC_PARAM_HI[38]
    ("write", 0x5B0, 0x010F4241),  # CC_PARAM_LO[54]
    ("write", 0x5B4, 0x00000000),  # CC_PARAM_HI[54]
    ("write", 0x4B8, 0x00AC7692),  # CC_PARAM_LO[23]
    ("write", 0x4BC, 0x00000000),  # CC_PARAM_HI[23]
    ("write", 0x538, 0x00087D91),  # CC_PARAM_LO[39]
    ("write", 0x53C, 0x00000000),  # CC_PARAM_HI[39]
    ("write", 0x5B8, 0x010F4241),  # CC_PARAM_LO[55]
    ("write", 0x5BC, 0x00000000),  # CC_PARAM_HI[55]
    ("write", 0x4C0, 0x00563B49),  # CC_PARAM_LO[24]
    ("write", 0x4C4, 0x00000000),  # CC_PARAM_HI[24]
    ("write", 0x540, 0x00043EC9),  # CC_PARAM_LO[40]
    ("write", 0x544, 0x00000000),  # CC_PARAM_HI[40]
    ("write", 0x5C0, 0x010F4241),  # CC_PARAM_LO[56]
    ("write", 0x5C4, 0x00000000),  # CC_PARAM_HI[56]
    ("write", 0x4C8, 0x00000000),  # CC_PARAM_LO[25]
    ("write", 0x4CC, 0x00000000),  # CC_PARAM_HI[25]
    ("write", 0x548, 0x00000000),  # CC_PARAM_LO[41]
    ("write", 0x54C, 0x00000000),  # CC_PARAM_HI[41]
    ("write", 0x5C8, 0x00000000),  # CC_PARAM_LO[57]
    ("write", 0x5CC, 0x00000000),  # CC_PARAM_HI[57]
    ("write", 0x4D0, 0x00000000),  # CC_PARAM_LO[26]
    ("write", 0x4D4, 0x00000000),  # CC_PARAM_HI[26]
    ("write", 0x550, 0x00000000),  # CC_PARAM_LO[42]
    ("write", 0x554, 0x00000000),  # CC_PARAM_HI[42]
    ("write", 0x5D0, 0x00000000),  # CC_PARAM_LO[58]
    ("write", 0x5D4, 0x00000000),  # CC_PARAM_HI[58]
    ("write", 0x4D8, 0x00000000),  # CC_PARAM_LO[27]
    ("write", 0x4DC, 0x00000000),  # CC_PARAM_HI[27]
    ("write", 0x558, 0x00000000),  # CC_PARAM_LO[43]
    ("write", 0x55C, 0x00000000),  # CC_PARAM_HI[43]
    ("write", 0x5D8, 0x00000000),  # CC_PARAM_LO[59]
    ("write", 0x5DC, 0x00000000),  # CC_PARAM_HI[59]
    ("write", 0x4E0, 0x00000000),  # CC_PARAM_LO[28]
    ("write", 0x4E4, 0x00000000),  # CC_PARAM_HI[28]
    ("write", 0x560, 0x00000000),  # CC_PARAM_LO[44]
    ("write", 0x564, 0x00000000),  # CC_PARAM_HI[44]
    ("write", 0x5E0, 0x00000000),  # CC_PARAM_LO[60]
    ("write", 0x5E4, 0x00000000),  # CC_PARAM_HI[60]
    ("write", 0x4E8, 0x00000000),  # CC_PARAM_LO[29]
    ("write", 0x4EC, 0x00000000),  # CC_PARAM_HI[29]
    ("write", 0x568, 0x00000000),  # CC_PARAM_LO[45]
    ("write", 0x56C, 0x00000000),  # CC_PARAM_HI[45]
    ("write", 0x5E8, 0x00000000),  # CC_PARAM_LO[61]
    ("write", 0x5EC, 0x00000000),  # CC_PARAM_HI[61]
    ("write", 0x4F0, 0x00000000),  # CC_PARAM_LO[30]
    ("write", 0x4F4, 0x00000000),  # CC_PARAM_HI[30]
    ("write", 0x570, 0x00000000),  # CC_PARAM_LO[46]
    ("write", 0x574, 0x00000000),  # CC_PARAM_HI[46]
    ("write", 0x5F0, 0x00000000),  # CC_PARAM_LO[62]
    ("write", 0x5F4, 0x00000000),  # CC_PARAM_HI[62]
    ("write", 0x4F8, 0x00000000),  # CC_PARAM_LO[31]
    ("write", 0x4FC, 0x00000000),  # CC_PARAM_HI[31]
    ("write", 0x578, 0x00000000),  # CC_PARAM_LO[47]
    ("write", 0x57C, 0x00000000),  # CC_PARAM_HI[47]
    ("write", 0x5F8, 0x00000000),  # CC_PARAM_LO[63]
    ("write", 0x5FC, 0x00000000),  # CC_PARAM_HI[63]
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
    ("write", 0x0CC, 0x00080000),  # BODY3
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
    ("write", 0x0D0, 0x00010015),  # BODY4
    ("write", 0x0D4, 0x22000200),  # BODY5
    ("write", 0x0D8, 0x00010000),  # BODY6
    ("write", 0x0DC, 0x00000000),  # BODY7
    ("write", 0x0A8, 0x00002201),  # COMMAND: queue pair 0x22
    ("poll", 0x0AC, 0x7, 0x2),  # STATUS: until it is carried out
    ("write", 0x0AC, 0x00000006),  # STATUS: the flags stay until they are cleared
]
