//! Packets that the NIC sent.

use hpcc_models::wire::*;

/// What a test looks at in a packet that the NIC sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    pub opcode: Opcode,
    pub psn: u32,
    pub ack_req: bool,
    pub port: u16,
    pub int: Vec<u8>,
    pub extension: Extension,
    pub payload: Vec<u8>,
}

impl Sent {
    pub fn ack(psn: u32, msn: u32) -> (u32, Syndrome, u32) {
        (psn, Syndrome::Ack(31), msn)
    }

    pub fn nak(psn: u32, code: NakCode, msn: u32) -> (u32, Syndrome, u32) {
        (psn, Syndrome::Nak(code), msn)
    }

    /// PSN, syndrome and MSN of an acknowledgement.
    pub fn aeth(&self) -> (u32, Syndrome, u32) {
        match self.extension {
            Extension::Aeth(aeth) if self.opcode == Opcode::Acknowledge => (self.psn, aeth.syndrome, aeth.msn),
            _ => panic!("not an acknowledgement: {self:?}"),
        }
    }

    pub fn reth(&self) -> RethRepr {
        match self.extension {
            Extension::Reth(reth) => reth,
            _ => panic!("no RETH: {self:?}"),
        }
    }
}

pub fn psns(sent: &[Sent]) -> Vec<u32> {
    sent.iter().map(|sent| sent.psn).collect()
}
