//! Packet-level network: hosts with congestion control, switches with shared buffer, INT, ECN and pause, links.
//!
//! In: a [`Topology`], flows, a [`Config`] and a factory of congestion-control slots. Out: what became of each flow, counters, queue
//! lengths. Deterministic: the same input gives the same bytes. Time is in integer picoseconds.

mod any_order;
mod build;
mod builtin;
mod carrier;
mod choose;
mod circuit;
mod classes;
mod clock;
mod closed_loop;
mod config;
mod depend;
mod drops;
mod engine;
mod event;
mod external;
mod feedback;
mod fetch;
mod flow;
pub mod frames;
mod hcc;
mod histogram;
pub mod homa;
mod host;
mod ideal;
mod kind;
mod link_loss;
mod look_ahead;
mod lossy;
mod meter;
mod notify;
pub mod ns3;
mod observe;
mod outside;
mod packet;
mod port;
mod probe;
mod receiver;
mod recovery;
mod reorder;
mod routing;
mod sample;
mod sending;
mod short_way;
mod shortest;
mod slot;
mod speeds;
mod spread;
mod stamp_rules;
mod stamping;
mod start_rules;
mod stretch;
mod switch;
pub mod tcp;
mod telemetry;
mod topology;
mod trees;

pub use any_order::ReorderRules;
pub use builtin::{chain, dumbbell, fat_tree, fat_tree_with, four_pods, racks, star, testbed_pod, three_tier};
pub use carrier::Feedback;
pub use circuit::{utilisation as circuit_utilisation, CircuitConfig, Schedule, SignalRule};
pub use classes::{ClassQueues, ClassRules, ClassSchedule, ClassTelemetry, Departure, MAX_CLASSES};
pub use clock::{ns3_seconds_to_ns, Clock, PS_PER_NS};
pub use closed_loop::ClosedLoop;
pub use config::{
    Config, EcnRule, FlowControl, Framing, IdealRule, Recovery, WindowRule, WindowUse, DEFAULT_SPEEDS_GBPS,
};
pub use drops::ArrivalDrops;
pub use engine::{Counters, LinkChange, Outcome, SetupError, Simulator};
pub use event::{Event, EventQueue};
pub use flow::{FlowRecord, FlowSpec};
pub use hcc::{AgentFailure, CentralCounters, DemandRule, HccConfig, HccOutcome, LevelCounters};
pub use histogram::{QueueHistogram, QUEUE_CLASS};
pub use link_loss::LinkLoss;
pub use meter::{FlowMeter, PortMeter};
pub use outside::{Delivered, Delivery, External, HostLevel, InjectError};
pub use recovery::IrnRules;
pub use routing::PairMetrics;
pub use sample::{CircuitSamples, FlowPoint, QueuePoint, SamplePlan, Samples, VoqPoint, MOST_POINTS};
pub use slot::{CcSlot, Direct, SlotFactory, SlotParams};
pub use speeds::TooManySpeeds;
pub use spread::PathRule;
pub use stamp_rules::StampRules;
pub use start_rules::{Moment, StartRule};
pub use telemetry::TelemetryBytes;
pub use topology::{Link, Topology, TopologyError};
pub use trees::{fat_tree_of, leaf_spine, three_tier_of, LeafSpine, ThreeTier};

pub use crate::cc::{Carrier, FlowCount, Sampling};

#[cfg(test)]
mod change_tests;
#[cfg(test)]
mod feedback_tests;
#[cfg(test)]
mod option_tests;
#[cfg(test)]
mod path_tests;
#[cfg(test)]
mod setup_tests;
#[cfg(test)]
mod stamping_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod watched;
