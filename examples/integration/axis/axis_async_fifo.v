// A FIFO between two clocks, for a stream whose beats are WIDTH bits: join data, keep, last and user on the way in, part them on the way out.
//
// Pointers cross as Gray code through two registers each (`ASYNC_REG`). 2^DEPTH_BITS beats; a beat shows on the other side three of its clocks
// after it was written. Each side has its own reset; assert both together, for four clocks of the slower one.
module axis_async_fifo #(
    parameter WIDTH = 578,
    parameter DEPTH_BITS = 5
) (
    input  wire             s_clk,
    input  wire             s_rst,
    input  wire [WIDTH-1:0] s_axis_tdata,
    input  wire             s_axis_tvalid,
    output wire             s_axis_tready,
    input  wire             m_clk,
    input  wire             m_rst,
    output reg  [WIDTH-1:0] m_axis_tdata,
    output reg              m_axis_tvalid,
    input  wire             m_axis_tready
);
    localparam P = DEPTH_BITS;

    reg [WIDTH-1:0] memory [0:(1<<P)-1];

    // Pointers have a bit more than an address, so that full and empty differ. Gray copies are what crosses.
    reg [P:0] write, write_gray;
    reg [P:0] read, read_gray;
    (* ASYNC_REG = "TRUE" *) reg [P:0] read_gray_s1, read_gray_s2;
    (* ASYNC_REG = "TRUE" *) reg [P:0] write_gray_m1, write_gray_m2;

    wire [P:0] write_next = write + 1'b1;
    wire [P:0] read_next = read + 1'b1;
    // Full: the Gray pointers differ in their two highest bits only.
    wire       full = write_gray == {~read_gray_s2[P:P-1], read_gray_s2[P-2:0]};
    wire       empty = read_gray == write_gray_m2;
    wire       put = s_axis_tvalid && s_axis_tready;
    wire       get = !empty && (!m_axis_tvalid || m_axis_tready);

    assign s_axis_tready = !full && !s_rst;

    always @(posedge s_clk) begin
        if (put) begin
            memory[write[P-1:0]] <= s_axis_tdata;
            write <= write_next;
            write_gray <= write_next ^ (write_next >> 1);
        end
        {read_gray_s2, read_gray_s1} <= {read_gray_s1, read_gray};
        if (s_rst) begin
            write <= 0;
            write_gray <= 0;
            read_gray_s1 <= 0;
            read_gray_s2 <= 0;
        end
    end

    always @(posedge m_clk) begin
        if (m_axis_tready)
            m_axis_tvalid <= 1'b0;
        if (get) begin
            m_axis_tdata <= memory[read[P-1:0]];
            m_axis_tvalid <= 1'b1;
            read <= read_next;
            read_gray <= read_next ^ (read_next >> 1);
        end
        {write_gray_m2, write_gray_m1} <= {write_gray_m1, write_gray};
        if (m_rst) begin
            read <= 0;
            read_gray <= 0;
            write_gray_m1 <= 0;
            write_gray_m2 <= 0;
            m_axis_tvalid <= 1'b0;
        end
    end
endmodule
