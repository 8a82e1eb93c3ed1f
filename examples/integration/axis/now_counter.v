// The NIC's port `now`: nanoseconds, 48 bits, that grow by the period of the clock.
//
// STEP is the period in units of 2^-16 ns, so that 3.1 or 6.4 ns run true: 327680 is 5 ns (200 MHz), 262144 is 4 ns, 419430 is 6.4 ns within
// 1e-6. `set_valid` puts the counter to another time, for a clock of PTP: forwards it may jump, backwards it must not by more than a packet's
// time, or pacing and timers take the difference for a turn of 2^48 ns.
module now_counter #(
    parameter [31:0] STEP = 32'd327680
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        set_valid,
    input  wire [47:0] set_ns,
    output wire [47:0] now
);
    reg [63:0] time_q;

    initial time_q = 64'd0;

    assign now = time_q[63:16];

    always @(posedge clk) begin
        time_q <= time_q + {32'd0, STEP};
        if (set_valid)
            time_q <= {set_ns, 16'd0};
        if (rst)
            time_q <= 64'd0;
    end
endmodule
