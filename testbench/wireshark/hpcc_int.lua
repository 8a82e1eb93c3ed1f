-- INT of HPCC in Wireshark and tshark: header and stack between UDP and BTH, then RoCEv2 as Wireshark knows it.
--
--   tshark -X lua_script:testbench/wireshark/hpcc_int.lua -r out/link/packets.pcap -Y hpcc_int
--
-- Ports are the reset values of the registers: 54791 collects, 54792 echoes. The ICRC is not checked (Wireshark does not).

local int = Proto("hpcc_int", "HPCC in-band network telemetry")

local fields = {
  n_hop = ProtoField.uint8("hpcc_int.n_hop", "Hops"),
  path_id = ProtoField.uint16("hpcc_int.path_id", "Path", base.HEX),
  speed = ProtoField.uint8("hpcc_int.speed", "Port speed code"),
  ts = ProtoField.uint32("hpcc_int.ts", "Time stamp (ns, modulo 2^24)"),
  tx_bytes = ProtoField.uint32("hpcc_int.tx_bytes", "Bytes sent before (units of 128, modulo 2^20)"),
  q_len = ProtoField.uint16("hpcc_int.q_len", "Queue behind (units of 80 bytes)"),
}
int.fields = fields

local too_long = ProtoExpert.new("hpcc_int.too_long", "INT stack longer than the packet",
  expert.group.MALFORMED, expert.severity.ERROR)
int.experts = { too_long }

-- Records that a stack holds at most, and bytes of header and record.
local MOST, HEADER, RECORD = 5, 2, 8

local rocev2 = DissectorTable.get("udp.port"):get_dissector(4791)

function int.dissector(buffer, packet, tree)
  if buffer:len() < HEADER then
    return 0
  end
  local hops = buffer(0, HEADER):bitfield(0, 4)
  local records = math.min(hops, MOST)
  local length = HEADER + RECORD * records
  if buffer:len() < length then
    local item = tree:add(int, buffer())
    item:add(fields.n_hop, buffer(0, 1), hops)
    item:add_proto_expert_info(too_long)
    return buffer:len()
  end
  local item = tree:add(int, buffer(0, length))
  item:add(fields.n_hop, buffer(0, 1), hops)
  item:add(fields.path_id, buffer(0, HEADER), buffer(0, HEADER):bitfield(4, 12))
  for i = 0, records - 1 do
    local record = buffer(HEADER + RECORD * i, RECORD)
    local hop = item:add(int, record, "Hop " .. (i + 1))
    hop:add(fields.speed, record(0, 1), record:bitfield(0, 4))
    hop:add(fields.ts, record(0, 4), record:bitfield(4, 24))
    hop:add(fields.tx_bytes, record(3, 3), record:bitfield(28, 20))
    hop:add(fields.q_len, record(6, 2), record:bitfield(48, 16))
  end
  return length + rocev2:call(buffer(length):tvb(), packet, tree)
end

DissectorTable.get("udp.port"):add("54791,54792", int)
