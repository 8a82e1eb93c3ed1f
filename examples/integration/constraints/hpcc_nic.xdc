# Xilinx: the NIC's clock of 200 MHz, and the crossings of axis_async_fifo. Names of clocks and cells are those of an example; adapt them.
create_clock -name nic_clk -period 5.000 [get_ports aclk]

# Gray pointers: each bit must arrive within a period of the clock that reads it, and the bits of a pointer within one period of each other.
set_max_delay -datapath_only -from [get_cells -hier -filter {NAME =~ *axis_async_fifo*/write_gray_reg*}] \
    -to [get_cells -hier -filter {NAME =~ *axis_async_fifo*/write_gray_m1_reg*}] 3.000
set_max_delay -datapath_only -from [get_cells -hier -filter {NAME =~ *axis_async_fifo*/read_gray_reg*}] \
    -to [get_cells -hier -filter {NAME =~ *axis_async_fifo*/read_gray_s1_reg*}] 3.000
set_bus_skew -from [get_cells -hier -filter {NAME =~ *axis_async_fifo*/write_gray_reg*}] \
    -to [get_cells -hier -filter {NAME =~ *axis_async_fifo*/write_gray_m1_reg*}] 3.000
set_bus_skew -from [get_cells -hier -filter {NAME =~ *axis_async_fifo*/read_gray_reg*}] \
    -to [get_cells -hier -filter {NAME =~ *axis_async_fifo*/read_gray_s1_reg*}] 3.000

# The reset is synchronous and goes through a register of its own (plain/hpcc_nic_plain.v).
