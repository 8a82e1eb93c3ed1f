//! Tests of the allocation: independent oracles, random graphs, random trees of agents, messages.

mod agents;
mod changes;
mod compression;
mod examples;
mod graphs;
mod harness;
mod leximin;
mod limits;
mod oracle;
