//! Unmodified RDMA programs on the daemon: Debian's perftest and ibverbs-utils, rdma-core's own tests, and what hostile or unlucky programs do.
//!
//! Every test starts its own daemon. Tests run one after the other: programs poll, and the machine may have two cores. Counts are small; the long
//! rows run with `HPCC_LONG=1`. A test whose programs are not installed says NOT RUN by name.

mod accidents;
mod attacks;
mod bench;
mod latency;
mod network;
mod perftest;
mod pingpong;
mod python;
mod users;
mod virtual_time;
