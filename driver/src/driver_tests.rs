//! The C driver against the layouts and rules of the behavioural NIC, which know nothing of it.

use crate::abi::*;
use core::ffi::c_void;
use core::ptr;
use hpcc_models::nic::queues::{
    CompletionEntry, CompletionOpcode, Data, Doorbell, ReceiveEntry, Segment, SendEntry, SendOpcode,
};
use hpcc_models::nic::Status;

/// Doorbells rung: offset, number, index.
type Rung = Vec<(u32, u16, u16)>;

unsafe extern "C" fn doorbell(context: *mut c_void, offset: u32, word: u32) {
    let bell = Doorbell::decode(word);
    // SAFETY: the context is the list of `Bench`.
    unsafe { (*context.cast::<Rung>()).push((offset, bell.number, bell.index)) };
}

unsafe extern "C" fn allocate(_: *mut c_void, bytes: usize, address: *mut u64) -> *mut c_void {
    let memory = vec![0u8; bytes].leak().as_mut_ptr();
    // SAFETY: the driver gives room for the address.
    unsafe { *address = memory as u64 };
    memory.cast()
}

unsafe extern "C" fn release(_: *mut c_void, memory: *mut c_void, bytes: usize) {
    // SAFETY: from `allocate`, with the same size.
    drop(unsafe { Vec::from_raw_parts(memory.cast::<u8>(), bytes, bytes) });
}

static OPS: Ops = Ops {
    doorbell,
    allocate,
    release,
    read: None,
    write: None,
};

/// A device that notes doorbells.
struct Bench {
    rung: Box<Rung>,
    device: Box<Device>,
}

impl Bench {
    fn new() -> Self {
        let mut rung: Box<Rung> = Box::default();
        let context = (&raw mut *rung).cast();
        Self {
            rung,
            device: Box::new(Device {
                ops: &raw const OPS,
                context,
            }),
        }
    }

    fn qp(&mut self, sends: u32, receives: u32) -> Qp {
        // SAFETY: zeros are empty values, and the driver fills them.
        unsafe {
            let mut qp: Qp = core::mem::zeroed();
            assert_eq!(hpcc_qp_init(&raw mut qp, &raw mut *self.device, sends, receives), 0);
            qp.place = 0x123;
            qp
        }
    }

    fn cq(&mut self, entries: u32) -> Cq {
        // SAFETY: as above.
        unsafe {
            let mut cq: Cq = core::mem::zeroed();
            assert_eq!(hpcc_cq_init(&raw mut cq, &raw mut *self.device, entries), 0);
            cq.number = 9;
            cq
        }
    }
}

/// Slot of a ring.
fn slot<const N: usize>(ring: &Ring, index: u32) -> [u8; N] {
    let at = (index % ring.count) as usize * N;
    // SAFETY: the ring is as long as it says.
    unsafe { ring.entries.add(at).cast::<[u8; N]>().read() }
}

fn piece(i: u32) -> Piece {
    Piece {
        address: 0x1234_5678_9abc_0000 + u64::from(i),
        length: 100 + i,
        key: 0xdead_0000 + i,
    }
}

fn segment(piece: &Piece) -> Segment {
    Segment {
        address: piece.address,
        length: piece.length,
        key: piece.key,
    }
}

fn send(opcode: SendOpcode, pieces: &[Piece]) -> Send {
    Send {
        wr_id: 0x0102_0304_0506_0708,
        remote_address: 0x1112_1314_1516_1718,
        operands: [0x2122_2324_2526_2728, 0x3132_3334_3536_3738],
        inline_data: ptr::null(),
        pieces: pieces.as_ptr(),
        count: pieces.len() as u32,
        rkey: 0x4142_4344,
        immediate: u32::from_ne_bytes([1, 2, 3, 4]),
        opcode: opcode.code(),
        flags: SIGNALED | SOLICITED,
    }
}

#[test]
fn work_requests_are_what_the_nic_reads() {
    let mut bench = Bench::new();
    let mut qp = bench.qp(64, 64);
    let pieces = [0, 1, 2, 3].map(piece);
    let mut slots = 0;
    for opcode in SendOpcode::ALL {
        for count in 0..=4 {
            let work = send(*opcode, &pieces[..count]);
            let at = qp.send.produced;
            // SAFETY: the queue pair is made, and the request's pieces live.
            assert_eq!(unsafe { hpcc_post_send(&raw mut qp, &raw const work) }, 0);
            let read = SendEntry::decode(&slot(&qp.send, at), &slot(&qp.send, at + 1)).unwrap();
            let expected = SendEntry {
                work: work.wr_id,
                opcode: *opcode,
                flags: work.flags,
                remote_address: work.remote_address,
                remote_key: work.rkey,
                immediate: [1, 2, 3, 4],
                data: Data::Segments(pieces[..count].iter().map(segment).collect()),
                operands: if opcode.is_atomic() { work.operands } else { [0; 2] },
            };
            assert_eq!(read, expected);
            slots += SendEntry::slots(&slot(&qp.send, at)) as u32;
            assert_eq!(qp.send.produced, slots);
            if slots > 56 {
                // SAFETY: as above.
                unsafe { hpcc_qp_reset(&raw mut qp) };
                slots = 0;
            }
        }
    }
    let data: Vec<u8> = (0..32).collect();
    let work = Send {
        inline_data: data.as_ptr().cast(),
        count: 32,
        flags: INLINE,
        ..send(SendOpcode::Send, &[])
    };
    let at = qp.send.produced;
    // SAFETY: as above.
    unsafe {
        assert_eq!(hpcc_post_send(&raw mut qp, &raw const work), 0);
        hpcc_ring_send(&raw mut qp);
        hpcc_qp_release(&raw mut qp);
    }
    assert_eq!(*bench.rung, [(DOORBELL_SEND, 0x123, at as u16 + 1)]);
}

#[test]
fn receives_are_what_the_nic_reads_and_a_full_queue_takes_none() {
    let mut bench = Bench::new();
    let mut qp = bench.qp(16, 16);
    let pieces = [0, 1, 2, 3].map(piece);
    for count in 0..=4usize {
        let at = qp.receive.produced;
        let receive = Receive {
            wr_id: 77 + count as u64,
            pieces: pieces.as_ptr(),
            count: count as u32,
        };
        // SAFETY: the queue pair is made, and the pieces live.
        assert_eq!(unsafe { hpcc_post_receive(&raw mut qp, &raw const receive) }, 0);
        let taken = ReceiveEntry::slots(&slot(&qp.receive, at));
        let slots: Vec<[u8; 32]> = (0..taken as u32).map(|i| slot(&qp.receive, at + i)).collect();
        let expected = ReceiveEntry {
            work: receive.wr_id,
            segments: pieces[..count].iter().map(segment).collect(),
        };
        assert_eq!(
            (ReceiveEntry::decode(&slots), qp.receive.produced),
            (Some(expected), at + taken as u32)
        );
    }
    // 1, 1, 2, 2 and 3 slots are 9 of 16.
    let receive = Receive {
        wr_id: 0,
        pieces: pieces.as_ptr(),
        count: 4,
    };
    // SAFETY: as above.
    let posted = [(); 3].map(|()| unsafe { hpcc_post_receive(&raw mut qp, &raw const receive) });
    assert_eq!((posted, qp.receive.produced), ([0, 0, FULL], 15));
    // SAFETY: as above.
    unsafe { hpcc_qp_release(&raw mut qp) };
}

fn completion(qpn: u32, work: u64, index: u16) -> CompletionEntry {
    CompletionEntry {
        work,
        qpn,
        opcode: CompletionOpcode::Receive,
        status: Status::LocalLengthError,
        flags: HAS_IMMEDIATE,
        index,
        length: 0x0102_0304,
        immediate: [9, 8, 7, 6],
        time_ns: 0x1234_5678_9abc,
    }
}

/// Writes an entry as the NIC does.
fn write(cq: &Cq, index: u32, entry: &CompletionEntry) {
    let phase = (index / cq.ring.count).is_multiple_of(2);
    let at = (index % cq.ring.count) as usize * COMPLETION_BYTES;
    // SAFETY: the ring is as long as it says.
    unsafe { cq.ring.entries.add(at).cast::<[u8; 32]>().write(entry.encode(phase)) };
}

#[test]
fn completions_are_what_the_nic_wrote_round_after_round() {
    let mut bench = Bench::new();
    let mut cq = bench.cq(16);
    let mut taken = Completion::default();
    for index in 0..100u32 {
        // SAFETY: the queue is made.
        assert_eq!(
            unsafe { hpcc_cq_next(&raw mut cq, &raw mut taken) },
            0,
            "an entry of the last round is none"
        );
        write(&cq, index, &completion(0xabcdef, index.into(), index as u16));
        // SAFETY: as above.
        assert_eq!(unsafe { hpcc_cq_next(&raw mut cq, &raw mut taken) }, 1);
        let expected = Completion {
            wr_id: index.into(),
            time_ns: 0x1234_5678_9abc,
            qp: 0xabcdef,
            length: 0x0102_0304,
            immediate: u32::from_ne_bytes([9, 8, 7, 6]),
            index: index as u16,
            opcode: 128,
            status: Status::LocalLengthError.code(),
            flags: HAS_IMMEDIATE,
        };
        assert_eq!(taken, expected);
    }
    // SAFETY: as above.
    unsafe {
        hpcc_cq_arm(&raw mut cq, true);
        hpcc_cq_consumed(&raw mut cq);
        hpcc_cq_release(&raw mut cq);
    }
    assert_eq!(
        *bench.rung,
        [(DOORBELL_ARM_SOLICITED, 9, 100), (DOORBELL_CONSUMED, 9, 100)]
    );
}

/// Arming names the first completion that is not here yet, whether those before it are taken or not.
#[test]
fn arming_passes_over_what_is_here() {
    let mut bench = Bench::new();
    let mut cq = bench.cq(16);
    for index in 0..3 {
        write(&cq, index, &completion(1, 0, 0));
    }
    let mut taken = Completion::default();
    // SAFETY: the queue is made.
    unsafe {
        hpcc_cq_arm(&raw mut cq, false);
        assert_eq!(hpcc_cq_next(&raw mut cq, &raw mut taken), 1);
        hpcc_cq_arm(&raw mut cq, false);
        for index in 3..17 {
            write(&cq, index, &completion(1, 0, 0));
        }
        // Full: the place behind the newest is the oldest one's.
        hpcc_cq_arm(&raw mut cq, false);
        hpcc_cq_release(&raw mut cq);
    }
    assert_eq!(*bench.rung, [3, 3, 17].map(|index| (DOORBELL_ARM, cq.number, index)));
}

/// Completions of a queue pair vanish, the others stay in order, also across the end of the ring.
#[test]
fn cleaning_takes_one_queue_pairs_completions() {
    for begin in 0..40u32 {
        let mut bench = Bench::new();
        let mut cq = bench.cq(16);
        let mut taken = Completion::default();
        for index in 0..begin {
            write(&cq, index, &completion(1, 0, 0));
            // SAFETY: the queue is made.
            assert_eq!(unsafe { hpcc_cq_next(&raw mut cq, &raw mut taken) }, 1);
        }
        for i in 0..11 {
            write(&cq, begin + i, &completion(1 + i % 3, i.into(), 0));
        }
        // SAFETY: as above.
        unsafe { hpcc_cq_clean(&raw mut cq, 2) };
        let mut left = Vec::new();
        // SAFETY: as above.
        while unsafe { hpcc_cq_next(&raw mut cq, &raw mut taken) } == 1 {
            left.push(taken.wr_id);
        }
        assert_eq!(
            (left, cq.ring.consumed.load(core::sync::atomic::Ordering::SeqCst)),
            (vec![0, 2, 3, 5, 6, 8, 9], begin + 11)
        );
        // SAFETY: as above.
        unsafe { hpcc_cq_release(&raw mut cq) };
    }
}

/// Slots are free when a completion says so, and an index that nothing posted has frees none. What is left is flushed in order.
#[test]
fn slots_are_retired_and_the_rest_is_flushed() {
    let mut bench = Bench::new();
    let mut qp = bench.qp(16, 16);
    let pieces = [0, 1].map(piece);
    for count in [1, 2, 1] {
        let work = Send {
            wr_id: count as u64,
            ..send(SendOpcode::Send, &pieces[..count])
        };
        // SAFETY: the queue pair is made, and the pieces live.
        assert_eq!(unsafe { hpcc_post_send(&raw mut qp, &raw const work) }, 0);
    }
    let consumed = |qp: &Qp| qp.send.consumed.load(core::sync::atomic::Ordering::SeqCst);
    let mut flushed = Completion {
        index: 9,
        ..Completion::default()
    };
    // SAFETY: as above.
    unsafe {
        hpcc_qp_retire(&raw mut qp, &raw const flushed);
        assert_eq!(consumed(&qp), 0);
        flushed.index = 0;
        hpcc_qp_retire(&raw mut qp, &raw const flushed);
        assert_eq!(consumed(&qp), 1);
        let works = [(); 3].map(|()| (hpcc_qp_flush(&raw mut qp, false, &raw mut flushed), flushed.wr_id));
        assert_eq!(
            (works, flushed.status),
            ([(1, 2), (1, 1), (0, 1)], Status::Flushed.code())
        );
        assert_eq!(consumed(&qp), 4);
        hpcc_qp_release(&raw mut qp);
    }
}
