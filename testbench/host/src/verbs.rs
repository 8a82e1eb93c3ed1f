//! Numbers of `<infiniband/verbs.h>` as the NIC's types.

use hpcc_driver::control::errno;
use hpcc_driver::control::QpAttributes;
use hpcc_models::nic::queues::{Attributes, Code, EventKind, Path, QpRights, Rights, State};
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

/// Rights of a region.
pub fn rights(flags: u32) -> Rights {
    Rights {
        local_write: flags & access::LOCAL_WRITE != 0,
        remote_write: flags & access::REMOTE_WRITE != 0,
        remote_read: flags & access::REMOTE_READ != 0,
        remote_atomic: flags & access::REMOTE_ATOMIC != 0,
        // Programs have no windows, so nothing of theirs is invalidated by a peer.
        invalidate: false,
    }
}

/// State of `enum ibv_qp_state`.
pub fn state(number: u32) -> Option<State> {
    u8::try_from(number).ok().and_then(State::from_code)
}

/// IPv4 address of a GID that maps one.
pub fn ipv4(gid: [u8; 16]) -> Option<Ipv4Addr> {
    std::net::Ipv6Addr::from(gid).to_ipv4_mapped()
}

/// What is given of the attributes; `path` is the path of a queue pair to that address. `None` if the address or the MTU is none.
pub fn attributes(given: &QpAttributes, path: impl FnOnce(Ipv4Addr) -> Path) -> Option<Attributes> {
    let has = |flag: u32| given.mask & flag != 0;
    let path = match has(mask::AV) {
        true => Some(path(ipv4(given.dgid)?)),
        false => None,
    };
    let mtu = match (has(mask::PATH_MTU), given.path_mtu) {
        (false, _) => None,
        (true, code @ 1..=5) => Some(128 << code),
        _ => return None,
    };
    Some(Attributes {
        rights: has(mask::ACCESS_FLAGS).then_some(QpRights {
            remote_write: given.access & access::REMOTE_WRITE != 0,
            remote_read: given.access & access::REMOTE_READ != 0,
            remote_atomic: given.access & access::REMOTE_ATOMIC != 0,
        }),
        path,
        mtu,
        remote_qpn: has(mask::DEST_QPN).then_some(given.dest_qp),
        expected_psn: has(mask::RQ_PSN).then_some(given.rq_psn),
        responder_reads: has(mask::MAX_DEST_RD_ATOMIC).then_some(given.max_dest_rd_atomic),
        rnr_timer: has(mask::MIN_RNR_TIMER).then_some(given.min_rnr_timer),
        send_psn: has(mask::SQ_PSN).then_some(given.sq_psn),
        max_rd_atomic: has(mask::MAX_QP_RD_ATOMIC).then_some(given.max_rd_atomic),
        timeout: has(mask::TIMEOUT).then_some(given.timeout),
        retry_limit: has(mask::RETRY_CNT).then_some(given.retry_cnt),
        rnr_retry: has(mask::RNR_RETRY).then_some(given.rnr_retry),
    })
}

/// Error number of a refused command.
pub fn error(code: Code) -> i32 {
    match code {
        Code::Exists | Code::InUse | Code::Busy => errno::EBUSY,
        Code::Events | Code::Key => errno::ENOMEM,
        Code::Law => errno::EOPNOTSUPP,
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
