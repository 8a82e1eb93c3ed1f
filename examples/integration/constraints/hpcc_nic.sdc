# Intel and others that read SDC: the NIC's clock of 200 MHz, and the crossings of axis_async_fifo. Names are those of an example; adapt them.
create_clock -name nic_clk -period 5.000 [get_ports aclk]

set_max_delay -from [get_registers *axis_async_fifo*|write_gray[*]] -to [get_registers *axis_async_fifo*|write_gray_m1[*]] 3.000
set_min_delay -from [get_registers *axis_async_fifo*|write_gray[*]] -to [get_registers *axis_async_fifo*|write_gray_m1[*]] -100.000
set_max_delay -from [get_registers *axis_async_fifo*|read_gray[*]] -to [get_registers *axis_async_fifo*|read_gray_s1[*]] 3.000
set_min_delay -from [get_registers *axis_async_fifo*|read_gray[*]] -to [get_registers *axis_async_fifo*|read_gray_s1[*]] -100.000
