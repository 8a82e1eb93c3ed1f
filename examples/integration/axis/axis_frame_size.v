// Says the size of a frame with its first beat: keeps frames until they are whole, as shells such as OpenNIC ask for.
//
// Two FIFOs: beats, and for each whole frame its size in bytes. Frames that end with `tuser` are kept out of neither; BEATS must hold the longest
// frame. 512 bits, a beat a clock.
module axis_frame_size #(
    // 2^BEAT_BITS beats of 64 bytes: 256 hold two jumbo frames.
    parameter BEAT_BITS = 8,
    parameter FRAME_BITS = 6
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [511:0] s_axis_tdata,
    input  wire [63:0]  s_axis_tkeep,
    input  wire         s_axis_tlast,
    input  wire         s_axis_tuser,
    input  wire         s_axis_tvalid,
    output wire         s_axis_tready,
    output wire [511:0] m_axis_tdata,
    output wire [63:0]  m_axis_tkeep,
    output wire         m_axis_tlast,
    output wire [15:0]  m_axis_tsize,
    output wire         m_axis_tvalid,
    input  wire         m_axis_tready
);
    reg [576:0] beats [0:(1<<BEAT_BITS)-1];
    reg [15:0]  sizes [0:(1<<FRAME_BITS)-1];

    reg [BEAT_BITS:0]  beat_in, beat_out;
    reg [FRAME_BITS:0] frame_in, frame_out;
    // Bytes of the frame that comes in, so far.
    reg [15:0]         bytes;

    integer            i;
    reg [15:0]         kept;

    wire beats_full = beat_in == {~beat_out[BEAT_BITS], beat_out[BEAT_BITS-1:0]};
    wire frames_full = frame_in == {~frame_out[FRAME_BITS], frame_out[FRAME_BITS-1:0]};
    wire taken = s_axis_tvalid && s_axis_tready;
    wire left = m_axis_tvalid && m_axis_tready;

    assign s_axis_tready = !beats_full && !frames_full;
    assign m_axis_tvalid = frame_in != frame_out;
    assign {m_axis_tlast, m_axis_tkeep, m_axis_tdata} = beats[beat_out[BEAT_BITS-1:0]];
    assign m_axis_tsize = sizes[frame_out[FRAME_BITS-1:0]];

    always @* begin
        kept = 16'd0;
        for (i = 0; i < 64; i = i + 1)
            kept = kept + {15'd0, s_axis_tkeep[i]};
    end

    // The shells' streams have no sign for a bad frame: it goes on as it is, and its checksum fails at the receiver.
    wire unused = s_axis_tuser;

    always @(posedge clk) begin
        if (taken) begin
            beats[beat_in[BEAT_BITS-1:0]] <= {s_axis_tlast, s_axis_tkeep, s_axis_tdata};
            beat_in <= beat_in + 1'b1;
            bytes <= s_axis_tlast ? 16'd0 : bytes + kept;
            if (s_axis_tlast) begin
                sizes[frame_in[FRAME_BITS-1:0]] <= bytes + kept;
                frame_in <= frame_in + 1'b1;
            end
        end
        if (left) begin
            beat_out <= beat_out + 1'b1;
            if (m_axis_tlast)
                frame_out <= frame_out + 1'b1;
        end
        if (rst) begin
            beat_in <= 0;
            beat_out <= 0;
            frame_in <= 0;
            frame_out <= 0;
            bytes <= 16'd0;
        end
    end
endmodule
