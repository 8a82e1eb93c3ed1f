#!/usr/bin/python3
"""Payload, error and corner cases of RC that perftest does not check. Needs two devices, sim0 and sim1."""
import os, sys, time
import pyverbs.device as d, pyverbs.enums as e
from pyverbs.pd import PD
from pyverbs.mr import MR
from pyverbs.cq import CQ
from pyverbs.qp import QP, QPInitAttr, QPCap, QPAttr
from pyverbs.addr import AHAttr, GlobalRoute
from pyverbs.wr import SGE, RecvWR, SendWR
from pyverbs.pyverbs_error import PyverbsRDMAError

ALL = e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_ATOMIC

class Node:
    def __init__(self, dev, sig_all=0, inline=64):
        self.ctx = d.Context(name=dev); self.pd = PD(self.ctx); self.mr = MR(self.pd, 8192, ALL); self.cq = CQ(self.ctx, 64)
        cap = QPCap(max_send_wr=16, max_recv_wr=16, max_send_sge=4, max_recv_sge=4, max_inline_data=inline)
        init = QPAttr(port_num=1); init.qp_access_flags = ALL    # a QP made with attributes is in INIT at once
        self.qp = QP(self.pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, cap=cap, sq_sig_all=sig_all), init)
    def attr(self, peer, **kw):
        a = QPAttr(port_num=1)
        a.path_mtu, a.max_dest_rd_atomic, a.max_rd_atomic, a.min_rnr_timer = e.IBV_MTU_1024, 4, 4, 12
        a.timeout, a.retry_cnt, a.rnr_retry, a.rq_psn, a.sq_psn = 10, 1, 7, 7, 7
        a.ah_attr = AHAttr(port_num=1, is_global=1, gr=GlobalRoute(dgid=peer.ctx.query_gid(1, 0), sgid_index=0))
        a.dest_qp_num = peer.qp.qp_num
        for k, v in kw.items(): setattr(a, k, v)
        return a
    def recv(self, *lens):
        sg, off = [], 4096
        for n in lens: sg.append(SGE(self.mr.buf + off, n, self.mr.lkey)); off += n
        self.qp.post_recv(RecvWR(wr_id=2, num_sge=len(sg), sg=sg))
    def send(self, op=e.IBV_WR_SEND, lens=(64,), flags=e.IBV_SEND_SIGNALED, rkey=0, raddr=0, lkey=None, wr_id=1):
        sg, off = [], 0
        for n in lens: sg.append(SGE(self.mr.buf + off, n, self.mr.lkey if lkey is None else lkey)); off += n
        w = SendWR(wr_id=wr_id, opcode=op, num_sge=len(sg), sg=sg, send_flags=flags)
        if rkey: w.set_wr_rdma(rkey, raddr)
        self.qp.post_send(w)
    def wc(self, n=1):
        out = []
        while len(out) < n: out += self.cq.poll(1)[1]
        return [(w.status, w.wr_id) for w in out]

def pair(**kw):
    a, b = Node('sim0'), Node('sim1')
    a.qp.to_rts(a.attr(b, **kw)); b.qp.to_rts(b.attr(a))
    return a, b

def check(name, got, want):
    print('ok   ' if got == want else 'FAIL ', name, got, '' if got == want else 'wanted %s' % (want,))
    if got != want: check.bad = 1
check.bad = 0

a, b = pair(); good = []
for n in (1, 255, 1024, 1025, 2047, 4000):
    for op in (e.IBV_WR_SEND, e.IBV_WR_RDMA_WRITE, e.IBV_WR_RDMA_READ):
        data = os.urandom(n); src, dst = (b, a) if op == e.IBV_WR_RDMA_READ else (a, b)
        # requester buffer at 0, responder buffer at an odd place in the upper half
        src.mr.write(data, n, 4099 if src is b else 0)
        if op == e.IBV_WR_SEND: b.qp.post_recv(RecvWR(wr_id=2, num_sge=1, sg=[SGE(b.mr.buf + 4099, n, b.mr.lkey)]))
        a.send(op, lens=(n,), rkey=b.mr.rkey, raddr=b.mr.buf + 4099)
        good.append(a.wc() == [(0, 1)] and (op != e.IBV_WR_SEND or b.wc() == [(0, 2)]) and dst.mr.read(n, 4099 if dst is b else 0) == data)
check('random payload, 6 sizes, SEND WRITE READ', good, [True] * 18)
a, b = pair(); b.recv(10, 20, 100); a.mr.write('x' * 50 + 'y' * 50, 100); a.send(lens=(30, 0, 70))
check('gather and scatter', (a.wc(), b.wc(), b.mr.read(100, 4096)), ([(0, 1)], [(0, 2)], b'x' * 50 + b'y' * 50))
a, b = pair(); b.recv(64); b.recv(64); a.mr.write('1' * 64, 64)
a.send(flags=e.IBV_SEND_INLINE); a.mr.write('2' * 64, 64); a.send(wr_id=9)
check('inline copies at once; unsignalled gives no completion', (a.wc(), b.wc(2), b.mr.read(64, 4096)), ([(0, 9)], [(0, 2)] * 2, b'2' * 64))
a, b = pair(); b.recv(32); a.send(lens=(64,))
check('receive too short', (a.wc(), b.wc()), ([(e.IBV_WC_REM_INV_REQ_ERR, 1)], [(e.IBV_WC_LOC_LEN_ERR, 2)]))
check('async event at the responder', b.ctx.get_async_event().event_type, e.IBV_EVENT_QP_REQ_ERR)
a, b = pair(); a.send(e.IBV_WR_RDMA_WRITE, rkey=b.mr.rkey ^ 0x100, raddr=b.mr.buf); a.send(wr_id=5); a.send(wr_id=6)
check('bad rkey, then flush', a.wc(3), [(e.IBV_WC_REM_ACCESS_ERR, 1), (e.IBV_WC_WR_FLUSH_ERR, 5), (e.IBV_WC_WR_FLUSH_ERR, 6)])
check('state after the error', (a.qp.query(e.IBV_QP_STATE)[0].qp_state, b.qp.query(e.IBV_QP_STATE)[0].qp_state), (e.IBV_QPS_ERR, e.IBV_QPS_ERR))
a, b = pair(); a.send(e.IBV_WR_RDMA_WRITE, lens=(100,), rkey=b.mr.rkey, raddr=b.mr.buf + 8100)
check('write past the end of the region', a.wc(), [(e.IBV_WC_REM_ACCESS_ERR, 1)])
a, b = pair(); a.send(lkey=a.mr.lkey ^ 0x100)
check('bad lkey', a.wc(), [(e.IBV_WC_LOC_PROT_ERR, 1)])
a, b = pair(); b.qp.modify(QPAttr(qp_state=e.IBV_QPS_RESET), e.IBV_QP_STATE); b.qp.to_rts(b.attr(a))   # now without access flags
a.send(e.IBV_WR_RDMA_WRITE, rkey=b.mr.rkey, raddr=b.mr.buf)
# IBTA 9.7.4.1.5, table 59: a queue pair without the right answers as to an invalid request
check('QP access flags forbid the write', a.wc(), [(e.IBV_WC_REM_INV_REQ_ERR, 1)])
a, b = pair(dest_qp_num=0xabcde); a.send()
check('peer QP missing', a.wc(), [(e.IBV_WC_RETRY_EXC_ERR, 1)])
a, b = pair(rnr_retry=0); a.send()
check('no receive, no RNR retry', a.wc(), [(e.IBV_WC_RNR_RETRY_EXC_ERR, 1)])
a, b = pair(); a.send(); time.sleep(0.3); b.recv(64)
check('no receive yet, RNR retry for ever', (a.wc(), b.wc()), ([(0, 1)], [(0, 2)]))
a, b = pair(); b.recv(64); b.qp.modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)
check('flush of receives', b.wc(), [(e.IBV_WC_WR_FLUSH_ERR, 2)])
try: Node('sim0').send(); check('send in INIT', 'accepted', 'refused')
except PyverbsRDMAError as x: check('send in INIT', x.error_code, 22)
n = Node('sim0'); a = QPAttr(qp_state=e.IBV_QPS_RTR)
try: n.qp.modify(a, e.IBV_QP_STATE); check('INIT to RTR without attributes', 'accepted', 'refused')
except PyverbsRDMAError as x: check('INIT to RTR without attributes', x.error_code, 22)
sys.exit(check.bad)
