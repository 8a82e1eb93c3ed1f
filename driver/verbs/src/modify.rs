//! States and attributes of queue pairs.
//!
//! The moves and what each must and may set are IBTA's "QP state transition properties" for reliable connections, as `<infiniband/verbs.h>` names
//! the attributes. The daemon's NIC checks the moves once more.

use crate::abi::{self, QpAttr, QpInitAttr};
use crate::context::Context;
use crate::query::{port_mtu, MAX_RD_ATOMIC};
use crate::queue_pair::{call_and_clean, Qp, RESET};
use core::ffi::c_int;
use core::sync::atomic::Ordering;
use hpcc_driver::abi as driver;
use hpcc_driver::control::{errno, QpAttributes, Request};

const INIT: u32 = 1;
const RTR: u32 = 2;
const RTS: u32 = 3;
const SQD: u32 = 4;
const ERR: u32 = 6;
const MIG_MIGRATED: c_int = 0;

const STATE: u32 = 1;
const CUR_STATE: u32 = 1 << 1;
const EN_SQD_ASYNC_NOTIFY: u32 = 1 << 2;
const ACCESS_FLAGS: u32 = 1 << 3;
const PKEY_INDEX: u32 = 1 << 4;
const PORT: u32 = 1 << 5;
const AV: u32 = 1 << 7;
const PATH_MTU: u32 = 1 << 8;
const TIMEOUT: u32 = 1 << 9;
const RETRY_CNT: u32 = 1 << 10;
const RNR_RETRY: u32 = 1 << 11;
const RQ_PSN: u32 = 1 << 12;
const MAX_QP_RD_ATOMIC: u32 = 1 << 13;
const ALT_PATH: u32 = 1 << 14;
const MIN_RNR_TIMER: u32 = 1 << 15;
const SQ_PSN: u32 = 1 << 16;
const MAX_DEST_RD_ATOMIC: u32 = 1 << 17;
const PATH_MIG_STATE: u32 = 1 << 18;
const DEST_QPN: u32 = 1 << 20;

/// What a queue pair that works may change.
const AT_WORK: u32 = ACCESS_FLAGS | MIN_RNR_TIMER | ALT_PATH | PATH_MIG_STATE;

/// State before, state after, what must be given and what may be given.
const MOVES: &[(u32, u32, u32, u32)] = &[
    (RESET, INIT, PKEY_INDEX | PORT | ACCESS_FLAGS, 0),
    (INIT, INIT, 0, PKEY_INDEX | PORT | ACCESS_FLAGS),
    (
        INIT,
        RTR,
        AV | PATH_MTU | DEST_QPN | RQ_PSN | MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER,
        ALT_PATH | ACCESS_FLAGS | PKEY_INDEX,
    ),
    (
        RTR,
        RTS,
        TIMEOUT | RETRY_CNT | RNR_RETRY | SQ_PSN | MAX_QP_RD_ATOMIC,
        AT_WORK,
    ),
    (RTS, RTS, 0, AT_WORK),
    (RTS, SQD, 0, EN_SQD_ASYNC_NOTIFY),
    (SQD, RTS, 0, AT_WORK),
];

/// Attributes may be given in this move.
fn allowed(from: u32, to: u32, mask: u32) -> bool {
    let given = mask & !(STATE | CUR_STATE);
    match to {
        RESET => given == 0,
        ERR => given == 0 && from != RESET,
        _ => MOVES
            .iter()
            .any(|(a, b, must, may)| (*a, *b) == (from, to) && given & must == *must && given & !(must | may) == 0),
    }
}

/// Attributes that are given have values that this port has.
fn in_range(attr: &QpAttr, mask: u32) -> bool {
    let given = |flag: u32| mask & flag != 0;
    let reads_fit = |flag: u32, reads: u8| !given(flag) || reads <= MAX_RD_ATOMIC;
    // An address on Ethernet is a GID.
    let address = attr.ah_attr.is_global != 0 && attr.ah_attr.grh.sgid_index == 0;
    (!given(PORT) || attr.port_num == 1)
        && (!given(PKEY_INDEX) || attr.pkey_index == 0)
        && (!given(AV) || address)
        && (!given(PATH_MTU) || (1..=port_mtu() as c_int).contains(&attr.path_mtu))
        && reads_fit(MAX_QP_RD_ATOMIC, attr.max_rd_atomic)
        && reads_fit(MAX_DEST_RD_ATOMIC, attr.max_dest_rd_atomic)
}

/// Takes over what is given.
fn merge(into: &mut QpAttr, from: &QpAttr, mask: u32) {
    macro_rules! take {
        ($($flag:ident $field:ident)*) => { $(if mask & $flag != 0 { into.$field = from.$field; })* };
    }
    take!(
        ACCESS_FLAGS qp_access_flags PKEY_INDEX pkey_index PORT port_num AV ah_attr PATH_MTU path_mtu TIMEOUT timeout
        RETRY_CNT retry_cnt RNR_RETRY rnr_retry RQ_PSN rq_psn SQ_PSN sq_psn MAX_QP_RD_ATOMIC max_rd_atomic
        MIN_RNR_TIMER min_rnr_timer MAX_DEST_RD_ATOMIC max_dest_rd_atomic DEST_QPN dest_qp_num
    );
}

/// The attributes as the daemon gets them.
fn message(attr: &QpAttr, mask: u32, from: u32, to: u32) -> QpAttributes {
    let route = &attr.ah_attr.grh;
    let mut dgid = [0; 16];
    for (to, from) in dgid.chunks_mut(8).zip(route.dgid) {
        to.copy_from_slice(&from.to_ne_bytes());
    }
    QpAttributes {
        mask,
        state: to,
        current: from,
        access: attr.qp_access_flags,
        path_mtu: attr.path_mtu as u32,
        rq_psn: attr.rq_psn & 0xff_ffff,
        sq_psn: attr.sq_psn & 0xff_ffff,
        dest_qp: attr.dest_qp_num & 0xff_ffff,
        dgid,
        traffic_class: route.traffic_class,
        sl: attr.ah_attr.sl,
        max_rd_atomic: attr.max_rd_atomic,
        max_dest_rd_atomic: attr.max_dest_rd_atomic,
        min_rnr_timer: attr.min_rnr_timer & 31,
        timeout: attr.timeout & 31,
        retry_cnt: attr.retry_cnt & 7,
        rnr_retry: attr.rnr_retry & 7,
    }
}

/// State of the queue pair at the NIC; the one that the program knows if the daemon is gone is ERR.
unsafe fn state(qp: *mut Qp) -> u32 {
    // SAFETY: the program's queue pair.
    unsafe {
        let base = &(*qp).ex.base;
        let reply = Context::of(base.context).call(Request::QueryQp { qp: base.qp_num });
        if reply.error == 0 {
            reply.number
        } else {
            ERR
        }
    }
}

#[no_mangle]
unsafe extern "C" fn ibv_modify_qp(qp: *mut abi::Qp, attr: *mut QpAttr, mask: c_int) -> c_int {
    let ours: *mut Qp = qp.cast();
    let mask = mask as u32;
    // SAFETY: the program's queue pair and structure.
    unsafe {
        let attr = &*attr;
        let from = state(ours);
        let to = if mask & STATE != 0 { attr.qp_state as u32 } else { from };
        if mask & CUR_STATE != 0 && attr.cur_qp_state as u32 != from
            || !allowed(from, to, mask)
            || !in_range(attr, mask)
        {
            return errno::EINVAL;
        }
        let mut merged = (*ours).attributes;
        merge(&mut merged, attr, mask);
        let request = Request::ModifyQp {
            qp: (*qp).qp_num,
            attributes: message(&merged, mask, from, to),
        };
        (*ours).lock.lock();
        let error = call_and_clean(ours, request, to == RESET);
        if error == 0 {
            if to == RESET {
                driver::hpcc_qp_reset(&raw mut (*ours).driver);
                merged = QpAttr {
                    cap: merged.cap,
                    ..QpAttr::default()
                };
            }
            (*ours).attributes = merged;
            (*ours).state.store(to, Ordering::SeqCst);
            (*qp).state = to as c_int;
        }
        (*ours).lock.unlock();
        error
    }
}

#[no_mangle]
unsafe extern "C" fn ibv_query_qp(qp: *mut abi::Qp, attr: *mut QpAttr, _: c_int, init: *mut QpInitAttr) -> c_int {
    let ours: *mut Qp = qp.cast();
    // SAFETY: the program's queue pair, and room for both structures.
    unsafe {
        let state = state(ours) as c_int;
        (*qp).state = state;
        *attr = (*ours).attributes;
        (*attr).qp_state = state;
        (*attr).cur_qp_state = state;
        (*attr).path_mig_state = MIG_MIGRATED;
        *init = (*ours).init;
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_need_their_attributes_and_take_no_others() {
        let reset_to_init = PKEY_INDEX | PORT | ACCESS_FLAGS;
        assert!(allowed(RESET, INIT, STATE | reset_to_init));
        assert!(!allowed(RESET, INIT, STATE | PORT | ACCESS_FLAGS));
        assert!(!allowed(RESET, INIT, STATE | reset_to_init | SQ_PSN));
        assert!(!allowed(RESET, RTR, STATE | reset_to_init) && !allowed(INIT, RTS, STATE));
        assert!(allowed(RTS, ERR, STATE) && !allowed(RESET, ERR, STATE) && !allowed(RTS, ERR, STATE | PORT));
        assert!(allowed(ERR, RESET, STATE) && !allowed(ERR, RTS, STATE));
        assert!(allowed(RTS, SQD, STATE | EN_SQD_ASYNC_NOTIFY) && allowed(SQD, RTS, STATE));
    }

    #[test]
    fn attributes_are_what_the_port_has() {
        let attr = QpAttr {
            path_mtu: 5,
            port_num: 1,
            ..QpAttr::default()
        };
        assert!(in_range(&attr, PATH_MTU | PORT) && !in_range(&attr, AV));
        assert!(
            !in_range(&QpAttr { path_mtu: 6, ..attr }, PATH_MTU)
                && !in_range(&QpAttr { path_mtu: 0, ..attr }, PATH_MTU)
        );
        assert!(!in_range(
            &QpAttr {
                max_rd_atomic: 17,
                ..attr
            },
            MAX_QP_RD_ATOMIC
        ));
        assert!(in_range(
            &QpAttr {
                max_rd_atomic: 17,
                ..attr
            },
            PORT
        ));
    }
}
