//! Numbers of `<infiniband/verbs.h>` as the NIC's types.

use crate::wire::PathRule;
use hpcc_driver::commands::{Attributes, CommandError, LOCAL_WRITE, REMOTE_ATOMIC, REMOTE_READ, REMOTE_WRITE};
use hpcc_driver::control::{errno, QpAttributes};
use hpcc_models::nic::queues::{Attribute, Code, EventKind, State};
use std::net::Ipv4Addr;

/// `enum ibv_access_flags`.
pub mod access {
    /// Local write.
    pub const LOCAL_WRITE: u32 = 1;
    /// Remote WRITE.
    pub const REMOTE_WRITE: u32 = 1 << 1;
    /// Remote READ.
    pub const REMOTE_READ: u32 = 1 << 2;
    /// Remote atomics.
    pub const REMOTE_ATOMIC: u32 = 1 << 3;
    /// Addresses of the region begin at 0.
    pub const ZERO_BASED: u32 = 1 << 5;
}

/// Bits of `enum ibv_qp_attr_mask`.
mod mask {
    pub const ACCESS_FLAGS: u32 = 1 << 3;
    pub const AV: u32 = 1 << 7;
    pub const PATH_MTU: u32 = 1 << 8;
    pub const TIMEOUT: u32 = 1 << 9;
    pub const RETRY_CNT: u32 = 1 << 10;
    pub const RNR_RETRY: u32 = 1 << 11;
    pub const RQ_PSN: u32 = 1 << 12;
    pub const MAX_QP_RD_ATOMIC: u32 = 1 << 13;
    pub const MIN_RNR_TIMER: u32 = 1 << 15;
    pub const SQ_PSN: u32 = 1 << 16;
    pub const MAX_DEST_RD_ATOMIC: u32 = 1 << 17;
    pub const DEST_QPN: u32 = 1 << 20;
}

/// Rights of a region or of a queue pair. Programs have no windows, so nothing of theirs is invalidated by a peer.
pub fn rights(flags: u32) -> u8 {
    let rights = [
        (access::LOCAL_WRITE, LOCAL_WRITE),
        (access::REMOTE_WRITE, REMOTE_WRITE),
        (access::REMOTE_READ, REMOTE_READ),
        (access::REMOTE_ATOMIC, REMOTE_ATOMIC),
    ];
    let given = rights.into_iter().filter(|(flag, _)| flags & flag != 0);
    given.fold(0, |bits, (_, right)| bits | right)
}

/// State of `enum ibv_qp_state`.
pub fn state(number: u32) -> Option<State> {
    u8::try_from(number).ok().and_then(State::from_code)
}

/// IPv4 address of a GID that maps one.
pub fn ipv4(gid: [u8; 16]) -> Option<Ipv4Addr> {
    std::net::Ipv6Addr::from(gid).to_ipv4_mapped()
}

/// Attributes by their flags.
const GIVEN: [(u32, Attribute); 12] = [
    (mask::ACCESS_FLAGS, Attribute::Rights),
    (mask::AV, Attribute::Path),
    (mask::PATH_MTU, Attribute::Mtu),
    (mask::DEST_QPN, Attribute::RemoteQpn),
    (mask::RQ_PSN, Attribute::ExpectedPsn),
    (mask::MAX_DEST_RD_ATOMIC, Attribute::ResponderReads),
    (mask::MIN_RNR_TIMER, Attribute::RnrTimer),
    (mask::SQ_PSN, Attribute::SendPsn),
    (mask::MAX_QP_RD_ATOMIC, Attribute::MaxRdAtomic),
    (mask::TIMEOUT, Attribute::Timeout),
    (mask::RETRY_CNT, Attribute::RetryLimit),
    (mask::RNR_RETRY, Attribute::RnrRetry),
];

/// What is given of the attributes; a queue pair reaches its peer by `rule`. `None` if the address or the MTU is none.
pub fn attributes(given: &QpAttributes, rule: PathRule) -> Option<Attributes> {
    let has = |flag: u32| given.mask & flag != 0;
    // What is not given may be anything.
    let number = |flag: u32, value: u32| if has(flag) { value } else { 0 };
    let remote_ip = match has(mask::AV) {
        true => ipv4(given.dgid)?.into(),
        false => 0,
    };
    // `enum ibv_mtu` begins with 1.
    let mtu = match (has(mask::PATH_MTU), given.path_mtu) {
        (false, _) => 0,
        (true, code @ 1..=5) => code as u8 - 1,
        _ => return None,
    };
    let attributes = GIVEN.into_iter().filter(|(flag, _)| has(*flag));
    Some(Attributes {
        given: attributes.fold(0, |bits, (_, attribute)| bits | 1 << attribute.code()),
        remote_ip,
        udp_port: 0,
        priority: rule.priority,
        collects_int: rule.int,
        has_law: rule.law.is_some(),
        law: rule.law.unwrap_or(0),
        rights: rights(given.access) & !LOCAL_WRITE,
        mtu,
        remote_qpn: number(mask::DEST_QPN, given.dest_qp),
        expected_psn: number(mask::RQ_PSN, given.rq_psn),
        send_psn: number(mask::SQ_PSN, given.sq_psn),
        responder_reads: given.max_dest_rd_atomic,
        rnr_timer: given.min_rnr_timer,
        max_rd_atomic: given.max_rd_atomic,
        timeout: given.timeout,
        retry_limit: given.retry_cnt,
        rnr_retry: given.rnr_retry,
    })
}

/// Error number of a command that was not carried out.
pub fn error(error: CommandError) -> i32 {
    let code = match error {
        CommandError::Refused(code) => Code::from_code(code),
        CommandError::Invalid => return errno::EINVAL,
        CommandError::NoAnswer => return errno::EIO,
    };
    match code {
        Some(Code::Exists | Code::InUse | Code::Busy) => errno::EBUSY,
        Some(Code::Events | Code::Key) => errno::ENOMEM,
        Some(Code::Law) => errno::EOPNOTSUPP,
        _ => errno::EINVAL,
    }
}

/// `enum ibv_event_type`; nothing for completions, which go to a channel.
pub fn event_type(kind: EventKind) -> Option<u32> {
    match kind {
        EventKind::Completion => None,
        EventKind::CompletionOverrun => Some(0),
        EventKind::QueuePairFatal => Some(1),
        EventKind::RequestError => Some(2),
        EventKind::AccessError => Some(3),
        EventKind::CommunicationEstablished => Some(4),
        EventKind::SendQueueDrained => Some(5),
    }
}
