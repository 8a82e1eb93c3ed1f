//! The words of the NIC: every value with named fields, declared once.
//!
//! A declaration gives the struct that kernels read and write by field, its layout in memories and on buses, the readers of
//! the tests, and the packed struct of the Verilog package. How a word is declared and used: [`crate::prim::word`] and the
//! book's chapter on emission.
//!
//! | file | words of |
//! |---|---|
//! | [`congestion`] | laws of congestion control: events, records, updates |
//! | [`dcqcn`] | DCQCN: events, timers, rates |
//! | [`counters`] | pulses of the counters |
//! | [`context`] | queue pairs, memory regions, commands of the host |
//! | [`rx`] | frames from the parser to the engines |
//! | [`work`] | work requests and completions |
//! | [`transport`] | packets between parser, engines and frame builders |
//! | [`registers`] | addresses and registers of the host |
//! | [`requester`] | the requester's tables |
//! | [`responder`] | state of the queue pairs' responder halves |
//! | [`responses`] | the response queue's lists |
//! | [`dma`] | jobs of the memory readers and writers |
//! | [`sched`] | flows and operations on them |
//! | [`visit`] | credit and waiting flows of the scheduler |
//! | [`flows`] | what reaches scheduler and congestion control |
//! | [`switch`] | the record of a switch |
//! | [`ack`] | acknowledgements on their way out |
//! | [`tx`] | frames on their way out |
//! | [`numbers`] | numbers with parts |
//! | [`wire`] | headers as frames carry them |
//!
//! [`list`] has them all, and [`mod@print`] makes tables of the book and a C header of them.

pub mod ack;
pub mod congestion;
pub mod context;
pub mod counters;
pub mod dcqcn;
pub mod dma;
pub mod flows;
pub mod list;
pub mod numbers;
pub mod print;
pub mod registers;
pub mod requester;
pub mod responder;
pub mod responses;
pub mod rx;
pub mod sched;
pub mod switch;
pub mod transport;
pub mod tx;
pub mod visit;
pub mod wire;
pub mod work;

#[cfg(test)]
mod tests {
    use super::work::*;

    #[test]
    fn completion_codes_are_the_models() {
        use hpcc_models::nic::Status;
        let order = [
            Status::Ok,
            Status::RetryExceeded,
            Status::RemoteInvalidRequest,
            Status::RemoteAccessError,
            Status::RemoteOperationalError,
            Status::LocalAccessError,
            Status::LocalOperationalError,
            Status::InvalidWork,
            Status::Flushed,
            Status::RnrRetryExceeded,
        ];
        assert_eq!(order.len(), CompletionStatus::ALL.len());
        for (here, there) in CompletionStatus::ALL.iter().zip(order) {
            assert_eq!((*here as u8, format!("{here:?}")), (there as u8, format!("{there:?}")));
        }
    }

    /// An opcode has a name here if the model knows it; two notifications are not of the hardware.
    #[test]
    fn opcodes_are_the_models() {
        use super::wire::Opcode;
        for byte in 0..=255 {
            let named = Opcode::ALL.contains(&Opcode(byte)) && Opcode(byte) != Opcode::Reserved;
            let known = hpcc_models::wire::Opcode::parse(byte as u8).is_some_and(|opcode| !opcode.is_notification());
            assert_eq!(named, known, "{byte:#x}");
        }
    }

    /// What dispatch counts, by the names of the NIC's counters; a drop code, by the fault that it stands for.
    #[test]
    fn counts_and_drop_codes_are_those_of_their_lists() {
        use super::rx::{DropCode, FrameCount, FrameFaults};
        use crate::prim::word::{values_of, Word as _};
        use hpcc_models::nic::Counter;
        use rust_hdl::prelude::{Synth as _, TypeKind};
        let names = |kind: TypeKind| match kind {
            TypeKind::Enum(labels) => values_of(&labels)
                .skip(1)
                .map(|(label, _, code)| (label.rsplit("::").next().unwrap_or_default().to_string(), code))
                .collect::<Vec<_>>(),
            _ => vec![],
        };
        for (name, place) in names(FrameCount::descriptor().kind) {
            let counter = format!("{:?}", Counter::ALL[place]);
            assert_eq!(counter.replace("Cnps", "Cnp"), name);
        }
        for (name, code) in names(DropCode::descriptor().kind) {
            assert_eq!(FrameFaults::FIELDS[code - 1].name.replace('_', ""), name.to_lowercase());
        }
    }
}
