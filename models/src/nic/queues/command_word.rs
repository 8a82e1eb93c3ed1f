//! A command as the words of `COMMAND` and `BODY` say it.

use super::command::{Attributes, Code, Command, CreateCq, CreateEq, CreateQp, Path, QpInfo, Ring};
use super::command_fields::{info, modify, pair, queue, region, rings, Body, BodyField, Operation};
use super::region::{MemoryRegion, QpRights, Rights};
use super::state::{Attribute, State};
use std::net::Ipv4Addr;

/// Bytes of payload of MTU code 0; each further code doubles them.
const LEAST_MTU: u32 = 256;
/// Greatest MTU code.
const MAX_MTU: u64 = 4;

/// Rings and page of a queue pair that is to be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenQueues {
    send: Ring,
    receive: Ring,
    page: u32,
}

impl GivenQueues {
    /// Reads the body.
    pub fn decode(body: &Body) -> Self {
        let ring = |address, entries| Ring {
            address: body.get(address),
            entries: body.get(entries) as u32,
        };
        Self {
            send: ring(rings::SEND_RING, rings::SEND_ENTRIES),
            receive: ring(rings::RECEIVE_RING, rings::RECEIVE_ENTRIES),
            page: body.get(rings::PAGE) as u32,
        }
    }
}

/// What the registers of commands hold.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::nic) struct CommandRegisters {
    pub body: Body,
    pub given: Option<GivenQueues>,
    /// `STATUS`, without what is always so.
    pub status: u32,
}

/// The command of an operation, its index (24 bits) and body, and the rings given before; `give_queues` is none.
pub fn decode_command(
    operation: Operation,
    index: u32,
    body: &Body,
    given: Option<GivenQueues>,
) -> Result<Command, Code> {
    let number = index;
    let ring = Ring {
        address: body.get(queue::RING),
        entries: body.get(queue::ENTRIES) as u32,
    };
    Ok(match operation {
        Operation::CreateRegion => Command::CreateRegion(decode_region(body)),
        Operation::ReplaceRegion => Command::ReplaceRegion(decode_region(body)),
        Operation::DestroyRegion => Command::DestroyRegion {
            key: body.get(region::KEY) as u32,
        },
        Operation::CreateEq => Command::CreateEq(CreateEq {
            number: narrow(number)?,
            ring,
        }),
        Operation::DestroyEq => Command::DestroyEq {
            number: narrow(number)?,
        },
        Operation::CreateCq => Command::CreateCq(CreateCq {
            number: narrow(number)?,
            page: body.get(queue::PAGE) as u32,
            ring,
            events: body.get(queue::EVENTS) as u8,
        }),
        Operation::DestroyCq => Command::DestroyCq {
            number: narrow(number)?,
        },
        Operation::GiveQueues => return Err(Code::Operation),
        Operation::CreateQp => {
            let given = given.ok_or(Code::Ring)?;
            Command::CreateQp(CreateQp {
                number,
                domain: body.get(pair::DOMAIN) as u16,
                page: given.page,
                send: given.send,
                receive: given.receive,
                send_cq: body.get(pair::SEND_CQ) as u16,
                receive_cq: body.get(pair::RECEIVE_CQ) as u16,
                events: body.get(pair::EVENTS) as u8,
            })
        }
        Operation::ModifyQp => Command::ModifyQp {
            number,
            to: State::from_code(body.get(modify::STATE) as u8).ok_or(Code::Move)?,
            set: decode_attributes(body)?,
        },
        Operation::QueryQp => Command::QueryQp { number },
        Operation::DestroyQp => Command::DestroyQp { number },
    })
}

/// A number that fits its kind of queue.
fn narrow<T: TryFrom<u32>>(number: u32) -> Result<T, Code> {
    T::try_from(number).map_err(|_| Code::Number)
}

fn decode_region(body: &Body) -> MemoryRegion {
    let rights = body.get(region::RIGHTS);
    let right = |bit: u32| rights >> bit & 1 != 0;
    MemoryRegion {
        key: body.get(region::KEY) as u32,
        domain: body.get(region::DOMAIN) as u16,
        address: body.get(region::ADDRESS),
        length: body.get(region::LENGTH),
        offset: body.get(region::OFFSET),
        rights: Rights {
            local_write: right(0),
            remote_write: right(1),
            remote_read: right(2),
            remote_atomic: right(3),
            invalidate: right(4),
        },
    }
}

fn decode_attributes(body: &Body) -> Result<Attributes, Code> {
    let given = body.get(modify::GIVEN);
    if given >> Attribute::ALL.len() != 0 {
        return Err(Code::Attribute);
    }
    let has = |attribute: Attribute| given >> attribute.code() & 1 != 0;
    let byte = |attribute, field: BodyField| has(attribute).then(|| body.get(field) as u8);
    let number = |attribute, field: BodyField| has(attribute).then(|| body.get(field) as u32);
    let right = |bit: u32| body.get(modify::RIGHTS) >> bit & 1 != 0;
    let mtu = match body.get(modify::MTU) {
        _ if !has(Attribute::Mtu) => None,
        code @ 0..=MAX_MTU => Some(LEAST_MTU << code),
        _ => return Err(Code::Mtu),
    };
    Ok(Attributes {
        rights: has(Attribute::Rights).then(|| QpRights {
            remote_write: right(0),
            remote_read: right(1),
            remote_atomic: right(2),
        }),
        path: has(Attribute::Path).then(|| Path {
            remote_ip: Ipv4Addr::from(body.get(modify::REMOTE_IP) as u32),
            priority: body.get(modify::PRIORITY) as u8,
            udp_port: body.get(modify::UDP_PORT) as u16,
            int: body.get(modify::INT) != 0,
            law: (body.get(modify::HAS_LAW) != 0).then(|| body.get(modify::LAW) as u8),
        }),
        mtu,
        remote_qpn: number(Attribute::RemoteQpn, modify::REMOTE_QPN),
        expected_psn: number(Attribute::ExpectedPsn, modify::EXPECTED_PSN),
        responder_reads: byte(Attribute::ResponderReads, modify::RESPONDER_READS),
        rnr_timer: byte(Attribute::RnrTimer, modify::RNR_TIMER),
        send_psn: number(Attribute::SendPsn, modify::SEND_PSN),
        max_rd_atomic: byte(Attribute::MaxRdAtomic, modify::MAX_RD_ATOMIC),
        timeout: byte(Attribute::Timeout, modify::TIMEOUT),
        retry_limit: byte(Attribute::RetryLimit, modify::RETRY_LIMIT),
        rnr_retry: byte(Attribute::RnrRetry, modify::RNR_RETRY),
    })
}

/// The body that answers a query.
pub(super) fn encode_info(of: &QpInfo) -> Body {
    let mut body = Body::default();
    let fields = [
        (info::STATE, of.state.code().into()),
        (info::ENDED, of.ended.code().into()),
        (info::SEND_CONSUMER, of.send_consumer.into()),
        (info::SEND_PRODUCER, of.send_producer.into()),
        (info::RECEIVE_CONSUMER, of.receive_consumer.into()),
        (info::RECEIVE_PRODUCER, of.receive_producer.into()),
        (info::SEND_PSN, of.send_psn.into()),
        (info::EXPECTED_PSN, of.expected_psn.into()),
    ];
    fields.into_iter().for_each(|(field, value)| body.put(field, value));
    body
}
