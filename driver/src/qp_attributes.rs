//! Attributes of a queue pair on their way to the daemon.

use crate::fields::{Reader, Writer};

/// Attributes of a queue pair, as `struct ibv_qp_attr` has them; `mask` says which are given (`enum ibv_qp_attr_mask`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QpAttributes {
    /// Which attributes are given.
    pub mask: u32,
    /// State after, `enum ibv_qp_state`.
    pub state: u32,
    /// State before, `enum ibv_qp_state`.
    pub current: u32,
    /// Rights of the peer, `enum ibv_access_flags`.
    pub access: u32,
    /// Path MTU, `enum ibv_mtu`.
    pub path_mtu: u32,
    /// First PSN expected.
    pub rq_psn: u32,
    /// First PSN sent.
    pub sq_psn: u32,
    /// Queue pair of the peer.
    pub dest_qp: u32,
    /// GID of the peer.
    pub dgid: [u8; 16],
    /// Traffic class of the peer's address vector: DSCP and ECN.
    pub traffic_class: u8,
    /// Service level of the peer's address vector.
    pub sl: u8,
    /// READs and atomics outstanding.
    pub max_rd_atomic: u8,
    /// READs and atomics of the peer.
    pub max_dest_rd_atomic: u8,
    /// Code of the RNR timer.
    pub min_rnr_timer: u8,
    /// Code of the retransmission timeout.
    pub timeout: u8,
    /// Retries.
    pub retry_cnt: u8,
    /// RNR retries.
    pub rnr_retry: u8,
}

impl QpAttributes {
    pub(crate) fn write(&self, w: &mut Writer) {
        let words = [
            self.mask,
            self.state,
            self.current,
            self.access,
            self.path_mtu,
            self.rq_psn,
            self.sq_psn,
            self.dest_qp,
        ];
        words.iter().for_each(|word| w.put(&word.to_le_bytes()));
        w.put(&self.dgid);
        w.put(&[
            self.traffic_class,
            self.sl,
            self.max_rd_atomic,
            self.max_dest_rd_atomic,
            self.min_rnr_timer,
            self.timeout,
            self.retry_cnt,
            self.rnr_retry,
        ]);
    }

    pub(crate) fn read(r: &mut Reader) -> Self {
        Self {
            mask: r.u32(),
            state: r.u32(),
            current: r.u32(),
            access: r.u32(),
            path_mtu: r.u32(),
            rq_psn: r.u32(),
            sq_psn: r.u32(),
            dest_qp: r.u32(),
            dgid: r.take(),
            traffic_class: r.u8(),
            sl: r.u8(),
            max_rd_atomic: r.u8(),
            max_dest_rd_atomic: r.u8(),
            min_rnr_timer: r.u8(),
            timeout: r.u8(),
            retry_cnt: r.u8(),
            rnr_retry: r.u8(),
        }
    }
}
