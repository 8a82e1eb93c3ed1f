/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Generated from `models::nic::queues`; a test of the driver writes it anew. Do not edit.
 *
 * Queues in the host's memory and commands of the NIC, as the reference page on queues has them.
 */
#ifndef HPCC_QUEUES_H
#define HPCC_QUEUES_H

/* Entries of any ring: a power of two between these. First address of any ring: a multiple of the third. */
#define HPCC_RING_MIN 16u
#define HPCC_RING_MAX 32768u
#define HPCC_RING_ALIGNMENT 4096u
/* Pieces of memory of an entry, and bytes of inline data, at most. */
#define HPCC_MAX_PIECES 4u
#define HPCC_MAX_INLINE 32u
/* Slots of a receive, and of an entry of the send queue, at most. */
#define HPCC_MAX_RECEIVE_SLOTS 3u
#define HPCC_MAX_SEND_SLOTS 2u
/* The phase, in the last byte of an entry of a completion or event queue. */
#define HPCC_PHASE 128u
/* Event queues; completion queue and queue pair: places in their event queue. */
#define HPCC_EVENT_QUEUES 16u
#define HPCC_CQ_EVENTS 2u
#define HPCC_QP_EVENTS 5u
/* Bytes of a page of doorbells. */
#define HPCC_DOORBELL_PAGE 4096u

/* Entry of a send queue: bytes, and first byte of each field. */
#define HPCC_SEND_ENTRY_BYTES 64u
#define HPCC_SEND_ENTRY_WORK 0u
#define HPCC_SEND_ENTRY_REMOTE_ADDRESS 8u
#define HPCC_SEND_ENTRY_REMOTE_KEY 16u
#define HPCC_SEND_ENTRY_IMMEDIATE 20u
#define HPCC_SEND_ENTRY_OPCODE 24u
#define HPCC_SEND_ENTRY_FLAGS 25u
#define HPCC_SEND_ENTRY_COUNT 26u
#define HPCC_SEND_ENTRY_PIECE 32u
#define HPCC_SEND_ENTRY_FIRST_OPERAND 48u
#define HPCC_SEND_ENTRY_SECOND_OPERAND 56u

/* Piece of memory in an entry: bytes, and first byte of each field. */
#define HPCC_PIECE_BYTES 16u
#define HPCC_PIECE_ADDRESS 0u
#define HPCC_PIECE_LENGTH 8u
#define HPCC_PIECE_KEY 12u

/* Entry of a receive queue: bytes, and first byte of each field. */
#define HPCC_RECEIVE_ENTRY_BYTES 32u
#define HPCC_RECEIVE_ENTRY_WORK 0u
#define HPCC_RECEIVE_ENTRY_ADDRESS 8u
#define HPCC_RECEIVE_ENTRY_LENGTH 16u
#define HPCC_RECEIVE_ENTRY_KEY 20u
#define HPCC_RECEIVE_ENTRY_COUNT 24u

/* Entry of a completion queue: bytes, and first byte of each field. */
#define HPCC_COMPLETION_ENTRY_BYTES 32u
#define HPCC_COMPLETION_ENTRY_WORK 0u
#define HPCC_COMPLETION_ENTRY_QUEUE_PAIR 8u
#define HPCC_COMPLETION_ENTRY_OPCODE 11u
#define HPCC_COMPLETION_ENTRY_STATUS 12u
#define HPCC_COMPLETION_ENTRY_FLAGS 13u
#define HPCC_COMPLETION_ENTRY_INDEX 14u
#define HPCC_COMPLETION_ENTRY_LENGTH 16u
#define HPCC_COMPLETION_ENTRY_IMMEDIATE 20u
#define HPCC_COMPLETION_ENTRY_TIME 24u
#define HPCC_COMPLETION_ENTRY_PHASE 31u

/* Entry of an event queue: bytes, and first byte of each field. */
#define HPCC_EVENT_ENTRY_BYTES 16u
#define HPCC_EVENT_ENTRY_KIND 0u
#define HPCC_EVENT_ENTRY_NUMBER 4u
#define HPCC_EVENT_ENTRY_PHASE 15u

/* Flags of a work request. */
#define HPCC_SEND_FLAG_SIGNALLED 1u /* a success is reported */
#define HPCC_SEND_FLAG_SOLICITED 2u /* the peer's completion counts as solicited */
#define HPCC_SEND_FLAG_FENCE 4u /* begins when all READs and atomic operations before it are complete */
#define HPCC_SEND_FLAG_INLINE 8u /* the data stands in the entry */

/* Flags of a completion. */
#define HPCC_COMPLETION_FLAG_IMMEDIATE 1u /* there is immediate data */
#define HPCC_COMPLETION_FLAG_INVALIDATED 2u /* the message invalidated a region */
#define HPCC_COMPLETION_FLAG_SOLICITED 4u /* the peer asked for an event */

/* Operation of a work request. */
enum hpcc_send_opcode {
	HPCC_SEND_OPCODE_WRITE = 0, /* RDMA WRITE. */
	HPCC_SEND_OPCODE_WRITE_IMMEDIATE = 1, /* RDMA WRITE that takes a receive of the peer and gives its completion four bytes. */
	HPCC_SEND_OPCODE_SEND = 2, /* SEND. */
	HPCC_SEND_OPCODE_SEND_IMMEDIATE = 3, /* SEND that gives the peer's completion four bytes. */
	HPCC_SEND_OPCODE_READ = 4, /* RDMA READ. */
	HPCC_SEND_OPCODE_COMPARE_SWAP = 5, /* Atomic compare and swap of eight bytes: what stands there becomes the second operand if it equals the first; the entry's memory gets what stood there. */
	HPCC_SEND_OPCODE_FETCH_ADD = 6, /* Atomic addition of the first operand to eight bytes; the entry's memory gets what stood there. */
	HPCC_SEND_OPCODE_SEND_INVALIDATE = 9, /* SEND that invalidates a region of the peer. */
};

/* Operation of a completion; those of receives have bit 7. */
enum hpcc_completion_opcode {
	HPCC_COMPLETION_OPCODE_SEND = 0, /* SEND of any kind. */
	HPCC_COMPLETION_OPCODE_WRITE = 1, /* WRITE, with immediate data or without. */
	HPCC_COMPLETION_OPCODE_READ = 2, /* READ. */
	HPCC_COMPLETION_OPCODE_COMPARE_SWAP = 3, /* Compare and swap. */
	HPCC_COMPLETION_OPCODE_FETCH_ADD = 4, /* Fetch and add. */
	HPCC_COMPLETION_OPCODE_RECEIVE = 128, /* Receive that a SEND took. */
	HPCC_COMPLETION_OPCODE_RECEIVE_WRITE = 129, /* Receive that a WRITE with immediate data took. */
};

/* How work ended. */
enum hpcc_status {
	HPCC_STATUS_OK = 0, /* Done. */
	HPCC_STATUS_RETRY_EXCEEDED = 1, /* No progress after as many timeouts as allowed. */
	HPCC_STATUS_REMOTE_INVALID_REQUEST = 2, /* The peer says invalid request. */
	HPCC_STATUS_REMOTE_ACCESS_ERROR = 3, /* The peer says key, bounds or rights. */
	HPCC_STATUS_REMOTE_OPERATIONAL_ERROR = 4, /* The peer could not carry it out. */
	HPCC_STATUS_LOCAL_ACCESS_ERROR = 5, /* Key, bounds or rights of the memory here. */
	HPCC_STATUS_LOCAL_OPERATIONAL_ERROR = 6, /* The memory here failed. */
	HPCC_STATUS_INVALID_WORK = 7, /* The entry says something impossible. */
	HPCC_STATUS_FLUSHED = 8, /* The queue pair ended before the entry's turn. */
	HPCC_STATUS_RNR_RETRY_EXCEEDED = 9, /* The peer was not ready to receive more often than allowed. */
	HPCC_STATUS_LOCAL_LENGTH_ERROR = 10, /* The message was longer than the receive that it took. */
};

/* Kind of an event. */
enum hpcc_event_kind {
	HPCC_EVENT_KIND_COMPLETION = 0, /* Completion queue: an entry beyond the index that the host armed it with. */
	HPCC_EVENT_KIND_COMPLETION_OVERRUN = 1, /* Completion queue: an entry found no room and was not written. */
	HPCC_EVENT_KIND_COMMUNICATION_ESTABLISHED = 2, /* Queue pair: its first packet came while it was ready to receive only. */
	HPCC_EVENT_KIND_SEND_QUEUE_DRAINED = 3, /* Queue pair: no entry of the send queue is under way any more after the host asked for that. */
	HPCC_EVENT_KIND_REQUEST_ERROR = 4, /* Queue pair: it refused a request of the peer as invalid. */
	HPCC_EVENT_KIND_ACCESS_ERROR = 5, /* Queue pair: it refused a request of the peer for its key, bounds or rights. */
	HPCC_EVENT_KIND_QUEUE_PAIR_FATAL = 6, /* Queue pair: it ended, and no completion could say so. */
};

/* Doorbell: offset in its page. The word has the number in bits 31:16, the index in 15:0. */
enum hpcc_doorbell {
	HPCC_DOORBELL_SEND_QUEUE = 0, /* Send queue of a queue pair: index behind the last entry that the host has written. */
	HPCC_DOORBELL_RECEIVE_QUEUE = 4, /* Receive queue of a queue pair: index behind the last entry that the host has written. */
	HPCC_DOORBELL_COMPLETION_CONSUMER = 8, /* Completion queue: index behind the last entry that the host has taken. */
	HPCC_DOORBELL_ARM = 12, /* Completion queue: an event for the next entry at this index or beyond; what the host has seen lies before it, taken or not. */
	HPCC_DOORBELL_ARM_SOLICITED = 16, /* Completion queue: an event for the next solicited or failed entry at this index or beyond. */
	HPCC_DOORBELL_EVENT_CONSUMER = 20, /* Event queue, in page 0 only: index behind the last entry that the host has taken; an interrupt for the next entry there or beyond. */
};

/* State of a queue pair. */
enum hpcc_state {
	HPCC_STATE_RESET = 0, /* Nothing is taken; indices are 0; what was posted is gone without completion. */
	HPCC_STATE_INIT = 1, /* Receives are taken; frames are dropped and counted, as in RESET. */
	HPCC_STATE_RTR = 2, /* Ready to receive: the responder works. */
	HPCC_STATE_RTS = 3, /* Ready to send: both halves work. */
	HPCC_STATE_SQD = 4, /* Send queue drained: what has begun goes on, no new entry begins. */
	HPCC_STATE_ERR = 6, /* Posted entries are flushed; frames are dropped and counted. */
};

/* Attribute that a move sets. */
enum hpcc_attribute {
	HPCC_ATTRIBUTE_RIGHTS = 0, /* Operations that the peer may carry out through the queue pair. */
	HPCC_ATTRIBUTE_PATH = 1, /* Address of the peer, priority, source port, INT and law. */
	HPCC_ATTRIBUTE_MTU = 2, /* Path MTU. */
	HPCC_ATTRIBUTE_REMOTE_QPN = 3, /* Number of the queue pair at the peer. */
	HPCC_ATTRIBUTE_EXPECTED_PSN = 4, /* First PSN expected. */
	HPCC_ATTRIBUTE_RESPONDER_READS = 5, /* READs and atomic operations of the peer that the responder holds at once. */
	HPCC_ATTRIBUTE_RNR_TIMER = 6, /* Code of the time that "receiver not ready" tells the peer to wait. */
	HPCC_ATTRIBUTE_SEND_PSN = 7, /* First PSN sent. */
	HPCC_ATTRIBUTE_MAX_RD_ATOMIC = 8, /* READs and atomic operations that the requester keeps outstanding. */
	HPCC_ATTRIBUTE_TIMEOUT = 9, /* Retransmission timeout. */
	HPCC_ATTRIBUTE_RETRY_LIMIT = 10, /* Timeouts without progress before the queue pair ends. */
	HPCC_ATTRIBUTE_RNR_RETRY = 11, /* Waits for a receiver that is not ready before the queue pair ends. */
};

/* Why a command was refused; 0 is for one that was carried out. */
enum hpcc_code {
	HPCC_CODE_OPERATION = 1, /* No command has this operation. */
	HPCC_CODE_NUMBER = 2, /* A number does not fit its place, or is one that may not be used. */
	HPCC_CODE_MTU = 3, /* The path MTU is none of the five, or does not hold the INT that the path collects. */
	HPCC_CODE_EXISTS = 4, /* The number, or its place, is in use. */
	HPCC_CODE_UNKNOWN = 5, /* Nothing has this number. */
	HPCC_CODE_LAW = 6, /* The law is not built in, or needs INT where the queue pair collects none. */
	HPCC_CODE_BUSY = 7, /* Another command was being carried out. */
	HPCC_CODE_RING = 8, /* A ring's size or alignment. */
	HPCC_CODE_IN_USE = 9, /* A queue still uses it. */
	HPCC_CODE_EVENTS = 10, /* The event queue is too short for one more user. */
	HPCC_CODE_MOVE = 11, /* The queue pair may not move so, or an attribute is missing or not allowed in this move. */
	HPCC_CODE_ATTRIBUTE = 12, /* An attribute is out of range. */
	HPCC_CODE_NEIGHBOUR = 13, /* No Ethernet address is known for the peer. */
	HPCC_CODE_KEY = 14, /* The entry of the key is in use by another key. */
	HPCC_CODE_BOUNDS = 15, /* The region reaches beyond the last address. */
};

/* Operation of a command. */
enum hpcc_operation {
	HPCC_OPERATION_CREATE_REGION = 16, /* Create a memory region; the body says all of it. */
	HPCC_OPERATION_REPLACE_REGION = 17, /* Replace the region of the same key; the body says all of it. */
	HPCC_OPERATION_DESTROY_REGION = 18, /* Destroy a memory region; the body has its key. */
	HPCC_OPERATION_CREATE_EQ = 19, /* Create the event queue of this number; the body has its ring. */
	HPCC_OPERATION_DESTROY_EQ = 20, /* Destroy an event queue. */
	HPCC_OPERATION_CREATE_CQ = 21, /* Create the completion queue of this number; the body has its ring, page and event queue. */
	HPCC_OPERATION_DESTROY_CQ = 22, /* Destroy a completion queue. */
	HPCC_OPERATION_GIVE_QUEUES = 23, /* Give the rings and the page of the queue pair that is created next. */
	HPCC_OPERATION_CREATE_QP = 24, /* Create the queue pair of this number with the rings given before, which are used up, carried out or refused. */
	HPCC_OPERATION_MODIFY_QP = 25, /* Move a queue pair to a state and set attributes. */
	HPCC_OPERATION_QUERY_QP = 26, /* Ask for a queue pair's state, which then stands in the body. */
	HPCC_OPERATION_DESTROY_QP = 27, /* Destroy a queue pair. */
};

/* Registers of commands, byte offsets: operation in bits 7:0 of COMMAND, its index in 31:8. */
#define HPCC_REGISTER_COMMAND 0x0a8u
#define HPCC_COMMAND_INDEX_LOW 8u
#define HPCC_REGISTER_STATUS 0x0acu
#define HPCC_STATUS_BIT_DONE 2u
#define HPCC_STATUS_BIT_ERROR 4u
#define HPCC_STATUS_BIT_READY 8u
#define HPCC_STATUS_CODE_LOW 4u
#define HPCC_STATUS_CODE_WIDTH 5u
#define HPCC_REGISTER_BODY 0x0c0u
#define HPCC_BODY_WORDS 12u

/* Body of create_region, replace_region, destroy_region: lowest bit and width of each field. */
/* Key; all that `destroy_region` reads. */
#define HPCC_BODY_REGION_KEY 0u, 32u
/* Protection domain. */
#define HPCC_BODY_REGION_DOMAIN 32u, 16u
/* Bit 0 local write, 1 remote WRITE, 2 remote READ, 3 remote atomic operations, 4 invalidation by the peer. */
#define HPCC_BODY_REGION_RIGHTS 48u, 5u
/* First address, as programs and the wire count it. */
#define HPCC_BODY_REGION_ADDRESS 64u, 64u
/* Bytes. */
#define HPCC_BODY_REGION_LENGTH 128u, 64u
/* Added to such an address to give the memory's, without carry. */
#define HPCC_BODY_REGION_OFFSET 192u, 64u

/* Body of create_eq, create_cq: lowest bit and width of each field. */
/* First address of the ring. */
#define HPCC_BODY_QUEUE_RING 0u, 64u
/* Entries. */
#define HPCC_BODY_QUEUE_ENTRIES 64u, 16u
/* Event queue of its events; of a completion queue only. */
#define HPCC_BODY_QUEUE_EVENTS 80u, 8u
/* Doorbell page that it belongs to; of a completion queue only. */
#define HPCC_BODY_QUEUE_PAGE 96u, 32u

/* Body of give_queues: lowest bit and width of each field. */
/* First address of the send queue. */
#define HPCC_BODY_QUEUES_SEND_RING 0u, 64u
/* First address of the receive queue. */
#define HPCC_BODY_QUEUES_RECEIVE_RING 64u, 64u
/* Entries of the send queue. */
#define HPCC_BODY_QUEUES_SEND_ENTRIES 128u, 16u
/* Entries of the receive queue. */
#define HPCC_BODY_QUEUES_RECEIVE_ENTRIES 144u, 16u
/* Doorbell page that the queue pair belongs to. */
#define HPCC_BODY_QUEUES_PAGE 160u, 32u

/* Body of create_qp: lowest bit and width of each field. */
/* Protection domain. */
#define HPCC_BODY_QP_DOMAIN 0u, 16u
/* Completion queue of the send queue. */
#define HPCC_BODY_QP_SEND_CQ 16u, 16u
/* Completion queue of the receive queue. */
#define HPCC_BODY_QP_RECEIVE_CQ 32u, 16u
/* Event queue of its events. */
#define HPCC_BODY_QP_EVENTS 48u, 8u

/* Body of modify_qp: lowest bit and width of each field. */
/* State after; the state before for attributes alone. */
#define HPCC_BODY_MODIFY_STATE 0u, 8u
/* Bit n: the attribute of number n is given. */
#define HPCC_BODY_MODIFY_GIVEN 8u, 16u
/* Rights: bit 0 WRITE, 1 READ, 2 atomic operations of the peer. */
#define HPCC_BODY_MODIFY_RIGHTS 24u, 3u
/* Path: 802.1p priority of its data. */
#define HPCC_BODY_MODIFY_PRIORITY 27u, 3u
/* Path: packets collect INT. */
#define HPCC_BODY_MODIFY_INT 30u, 1u
/* Path: the law is named; otherwise it is the NIC's default. */
#define HPCC_BODY_MODIFY_HAS_LAW 31u, 1u
/* Path: IPv4 address of the peer. */
#define HPCC_BODY_MODIFY_REMOTE_IP 32u, 32u
/* Path: UDP source port; 0 takes one from the queue pair numbers. */
#define HPCC_BODY_MODIFY_UDP_PORT 64u, 16u
/* Path: code of the law. */
#define HPCC_BODY_MODIFY_LAW 80u, 8u
/* Path MTU: n for 256 x 2^n bytes, 0 to 4. */
#define HPCC_BODY_MODIFY_MTU 88u, 8u
/* Number of the queue pair at the peer. */
#define HPCC_BODY_MODIFY_REMOTE_QPN 96u, 24u
/* Code of the RNR timer. */
#define HPCC_BODY_MODIFY_RNR_TIMER 120u, 8u
/* First PSN expected. */
#define HPCC_BODY_MODIFY_EXPECTED_PSN 128u, 24u
/* READs and atomic operations of the peer held at once. */
#define HPCC_BODY_MODIFY_RESPONDER_READS 152u, 8u
/* First PSN sent. */
#define HPCC_BODY_MODIFY_SEND_PSN 160u, 24u
/* READs and atomic operations kept outstanding. */
#define HPCC_BODY_MODIFY_MAX_RD_ATOMIC 184u, 8u
/* Retransmission timeout t: 4.096 us x 2^t, 0 for never. */
#define HPCC_BODY_MODIFY_TIMEOUT 192u, 8u
/* Timeouts without progress. */
#define HPCC_BODY_MODIFY_RETRY_LIMIT 200u, 8u
/* Waits for a receiver that is not ready; 7 for ever. */
#define HPCC_BODY_MODIFY_RNR_RETRY 208u, 8u

/* Body of query_qp: lowest bit and width of each field. */
/* State. */
#define HPCC_BODY_INFO_STATE 0u, 8u
/* Status of what failed first; 0 if the host or the peer's request ended it, or nothing has. */
#define HPCC_BODY_INFO_ENDED 8u, 8u
/* Index behind the last entry of the send queue that has ended. */
#define HPCC_BODY_INFO_SEND_CONSUMER 32u, 16u
/* Index behind the last entry of the send queue that was announced. */
#define HPCC_BODY_INFO_SEND_PRODUCER 48u, 16u
/* Index behind the last entry of the receive queue that a message has taken. */
#define HPCC_BODY_INFO_RECEIVE_CONSUMER 64u, 16u
/* Index behind the last entry of the receive queue that was announced. */
#define HPCC_BODY_INFO_RECEIVE_PRODUCER 80u, 16u
/* Next PSN to send. */
#define HPCC_BODY_INFO_SEND_PSN 96u, 24u
/* Next PSN expected. */
#define HPCC_BODY_INFO_EXPECTED_PSN 128u, 24u

#endif
