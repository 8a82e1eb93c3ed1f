//! What laws of congestion control are made of. A law is its lane, its window, its registers and the wiring; the rest is here.
//!
//! | file | does |
//! |---|---|
//! | [`admit`] | entry: a flow every six clocks at most, commands first, removal of all flows after reset |
//! | [`sweep`] | the walk over all flows after a reset |
//! | [`fields`] | what a law of INT wants of an event |
//! | [`interlock`] | how long a flow waits that has just entered |
//! | [`records`], [`hop`] | the flow's record of hops, sequence numbers, and what kind of step an event is |
//! | [`speed_table`] | what a speed code means |
//! | [`quotient`] | bytes over time of one hop |
//! | [`current`] | the current of a hop, or of a round-trip time, not below a floor |
//! | [`interval`] | the time between two stamps against the base round-trip time |
//! | [`maximum`] | the hop that counts most |
//! | [`average`] | moving average over a round-trip time |
//! | [`inverse`] | 1 / average |
//! | [`rejections`] | counters of what was left out |
//! | [`reset`] | what the registers of each law hold after reset |

pub mod admit;
pub mod average;
pub mod current;
pub mod fields;
pub mod hop;
pub mod interlock;
pub mod interval;
pub mod inverse;
pub mod maximum;
pub mod quotient;
pub mod records;
pub mod rejections;
pub mod reset;
pub mod speed_table;
pub mod sweep;
