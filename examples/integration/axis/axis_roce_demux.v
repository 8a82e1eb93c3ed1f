// Parts the frames of a port: RoCE for the NIC, everything else (ARP, ICMP, TCP, other UDP) for the host's ordinary network device.
//
// A frame is RoCE if it is IPv4 without options over Ethernet with at most one VLAN tag, UDP, and its destination port is one of the NIC's four.
// All of that stands in the first 64 bytes, so the first beat decides and the rest of the frame follows it. Fragments go to the host. The NIC
// checks addresses itself, and counts what is not for it. 512 bits, first byte in the lowest bits; registered outputs, one beat a clock.
module axis_roce_demux #(
    parameter [15:0] PORT_ROCE = 16'd4791,
    parameter [15:0] PORT_INT = 16'd54791,
    parameter [15:0] PORT_ECHO = 16'd54792,
    parameter [15:0] PORT_CONTROL = 16'd54793
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [511:0] s_axis_tdata,
    input  wire [63:0]  s_axis_tkeep,
    input  wire         s_axis_tlast,
    input  wire         s_axis_tuser,
    input  wire         s_axis_tvalid,
    output wire         s_axis_tready,
    // To `s_axis_rx` of the NIC, which is always ready once STATUS.ready is set.
    output reg  [511:0] nic_axis_tdata,
    output reg  [63:0]  nic_axis_tkeep,
    output reg          nic_axis_tlast,
    output reg          nic_axis_tuser,
    output reg          nic_axis_tvalid,
    input  wire         nic_axis_tready,
    output reg  [511:0] host_axis_tdata,
    output reg  [63:0]  host_axis_tkeep,
    output reg          host_axis_tlast,
    output reg          host_axis_tuser,
    output reg          host_axis_tvalid,
    input  wire         host_axis_tready
);
    // Two bytes of the beat in the order of the network, from byte `at` on.
    function [15:0] pair(input [511:0] beat, input integer at);
        pair = {beat[8*at +: 8], beat[8*at+8 +: 8]};
    endfunction

    // Whether the IPv4 header that begins at byte 14 or 18 is RoCE's.
    function roce(input [511:0] beat, input integer ip);
        roce = beat[8*ip +: 8] == 8'h45 && beat[8*(ip+9) +: 8] == 8'd17 && (pair(beat, ip + 6) & 16'h3fff) == 16'd0
            && (pair(beat, ip + 22) == PORT_ROCE || pair(beat, ip + 22) == PORT_INT
                || pair(beat, ip + 22) == PORT_ECHO || pair(beat, ip + 22) == PORT_CONTROL);
    endfunction

    reg  first;
    reg  to_nic;

    wire [15:0] kind = pair(s_axis_tdata, 12);
    wire        behind_tag = kind == 16'h8100 && pair(s_axis_tdata, 16) == 16'h0800 && roce(s_axis_tdata, 18);
    wire        plain = kind == 16'h0800 && roce(s_axis_tdata, 14);
    // A frame of less than 42 bytes has no UDP header.
    wire        for_nic = first ? s_axis_tkeep[41] && (plain || behind_tag) : to_nic;
    wire        nic_free = !nic_axis_tvalid || nic_axis_tready;
    wire        host_free = !host_axis_tvalid || host_axis_tready;

    assign s_axis_tready = nic_free && host_free;

    always @(posedge clk) begin
        if (nic_axis_tready)
            nic_axis_tvalid <= 1'b0;
        if (host_axis_tready)
            host_axis_tvalid <= 1'b0;
        if (s_axis_tvalid && s_axis_tready) begin
            first <= s_axis_tlast;
            to_nic <= for_nic;
            nic_axis_tdata <= s_axis_tdata;
            nic_axis_tkeep <= s_axis_tkeep;
            nic_axis_tlast <= s_axis_tlast;
            nic_axis_tuser <= s_axis_tuser;
            nic_axis_tvalid <= for_nic;
            host_axis_tdata <= s_axis_tdata;
            host_axis_tkeep <= s_axis_tkeep;
            host_axis_tlast <= s_axis_tlast;
            host_axis_tuser <= s_axis_tuser;
            host_axis_tvalid <= !for_nic;
        end
        if (rst) begin
            first <= 1'b1;
            nic_axis_tvalid <= 1'b0;
            host_axis_tvalid <= 1'b0;
        end
    end
endmodule
