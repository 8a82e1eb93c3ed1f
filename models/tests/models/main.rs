//! Models by their public interface, in one program so that its tests share the processors: `cargo test -p hpcc-models --test models nic::` runs one subject.

mod fixed_power_step;
mod fixed_precision;
mod fixed_step;
mod golden_traces;
mod laws;
mod nic;
mod own_law;
mod powertcp;
mod wire_examples;
