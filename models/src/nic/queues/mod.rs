//! Queues in the host's memory: entries, doorbells, commands, and the surface by which a host drives a NIC that has them.
//!
//! The host writes work requests and receives into rings, tells the NIC by doorbells how far it has written, and finds completions and events in
//! rings of its own. All fields are little-endian except immediate data, which stands as on the wire. Indices count slots from the start without
//! end, in 16 bits; slot `index % entries` of the ring is meant. The book's page has the layouts, from these types.
//!
//! | file | subject |
//! | --- | --- |
//! | `segment`, `send_entry`, `receive_entry`, `completion_entry`, `event_entry` | layouts of entries |
//! | `doorbell` | words that the host writes to the NIC |
//! | `state` | states of a queue pair and its moves |
//! | `command`, `region` | what the host creates, changes, asks and destroys |
//! | `command_fields`, `command_word`, `command_registers` | the same as words of registers |
//! | `sizes` | sizes of the NIC's tables |
//! | `surface` | how a host drives a NIC with queues |
//! | `host`, `ring`, `completion_queue`, `event_queue` | queues as the NIC keeps them |
//! | `commands`, `modify`, `doorbells` | what the host asks, carried out |
//! | `sending` | work requests and their packets |
//! | `receiving`, `atomic` | requests of the peer |
//! | `layouts` | layouts of entries as tables |
//! | `export`, `c_header` | the book's page, and the driver's header |
//! | `report`, `end`, `ending` | completions, events, and how a queue pair ends |

mod atomic;
mod bytes;
mod c_header;
mod codes;
mod command;
mod command_fields;
mod command_registers;
mod command_word;
mod commands;
mod completion_entry;
mod completion_queue;
mod doorbell;
mod doorbells;
mod end;
mod ending;
mod event_entry;
mod event_queue;
mod export;
mod host;
#[cfg(test)]
mod layout_tests;
mod layouts;
mod modify;
mod receive_entry;
mod receiving;
mod region;
mod report;
mod ring;
mod segment;
mod send_entry;
mod sending;
mod sizes;
mod state;
mod surface;

pub use c_header::c_header;
pub use command::{
    Attributes, Code, Command, CreateCq, CreateEq, CreateQp, Path, QpInfo, Reply, Ring, MAX_RING, MIN_RING,
    RING_ALIGNMENT,
};
pub use command_fields::{Body, BodyField, BodyLayout, Operation, BODY_LAYOUTS, BODY_WORDS};
pub use command_registers::{
    OPERATION_BITS, STATUS_CODE_BITS, STATUS_CODE_LOW, STATUS_DONE, STATUS_ERROR, STATUS_READY,
};
pub use command_word::{decode_command, GivenQueues};
pub use completion_entry::{
    CompletionEntry, CompletionOpcode, COMPLETION_ENTRY_LEN, COMPLETION_IMMEDIATE, COMPLETION_INVALIDATED,
    COMPLETION_SOLICITED, PHASE, TIME_BITS,
};
pub use doorbell::{Doorbell, DoorbellKind, PAGE_LEN};
pub(in crate::nic) use end::End;
pub use event_entry::{EventEntry, EventKind, COMPLETION_QUEUE_EVENTS, EVENT_ENTRY_LEN, QUEUE_PAIR_EVENTS};
pub use export::markdown;
pub(in crate::nic) use host::Host;
pub use host::QueueCounters;
pub use receive_entry::{ReceiveEntry, RECEIVE_ENTRY_LEN, RECEIVE_SLOTS};
pub use region::{MemoryRegion, QpRights, Rights};
pub use segment::{total_length, Segment, MAX_SEGMENTS, SEGMENT_LEN};
pub use send_entry::{
    Data, EntryError, SendEntry, SendOpcode, MAX_INLINE, SEND_ENTRY_LEN, SEND_FENCE, SEND_INLINE, SEND_SIGNALED,
    SEND_SOLICITED,
};
pub use sizes::{QueueSizes, EVENT_QUEUES};
pub use state::{may_move, Attribute, Move, State, MOVES};
pub use surface::QueueNic;
