// All benches in one program; it ends when each has checked everything.
`timescale 1ns / 1ps
module tb_all;
    logic width, fifo, demux, turns;

    tb_width u_width (.done(width));
    tb_fifo u_fifo (.done(fifo));
    tb_demux u_demux (.done(demux));
    tb_merge u_merge (.done(turns));

    initial begin
        wait (width && fifo && demux && turns);
        $display("all examples hold");
        $finish;
    end
endmodule
