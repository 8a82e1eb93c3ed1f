/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Driver of the NIC: completion queues, event queues, queue pairs, work requests, completions. Commands are in hpcc_command.h, numbers and
 * layouts in hpcc_queues.h.
 *
 * The driver needs three things of its surroundings: writes of doorbells, registers, and memory that the NIC can reach. Everything
 * else is C11 and uses no library. A caller that uses one queue from several threads locks it; different queues may be used at the
 * same time, and slots may be retired while others are posted.
 */
#ifndef HPCC_H
#define HPCC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hpcc_queues.h"

/* What the driver needs of its surroundings. */
struct hpcc_ops {
	/* Writes a 32-bit word at this offset of the device's doorbell page, after everything written to memory before. */
	void (*doorbell)(void *context, uint32_t offset, uint32_t word);
	/* Zeroed memory that the NIC can reach, aligned to 4096 bytes; its address as the NIC sees it goes to *device_address. NULL if there is none. */
	void *(*allocate)(void *context, size_t bytes, uint64_t *device_address);
	void (*release)(void *context, void *memory, size_t bytes);
	/* Reads and writes a 32-bit register at this byte offset; NULL where another program gives the commands. */
	uint32_t (*read)(void *context, uint32_t offset);
	void (*write)(void *context, uint32_t offset, uint32_t value);
};

struct hpcc_device {
	const struct hpcc_ops *ops;
	void *context;
};

/* One ring of entries in memory. Indices count on without end; their low 16 bits are what the NIC sees. */
struct hpcc_ring {
	uint8_t *entries;
	uint64_t device_address;
	uint32_t count;
	uint32_t produced;
	_Atomic uint32_t consumed;
};

struct hpcc_cq {
	struct hpcc_device *device;
	struct hpcc_ring ring;
	uint16_t number;
};

struct hpcc_eq {
	struct hpcc_device *device;
	struct hpcc_ring ring;
	uint8_t number;
};

struct hpcc_qp {
	struct hpcc_device *device;
	struct hpcc_ring send;
	struct hpcc_ring receive;
	/* Low bits of its number, which its doorbells carry. */
	uint16_t place;
};

/* A piece of memory that a work request or a receive names. */
struct hpcc_piece {
	uint64_t address;
	uint32_t length;
	uint32_t key;
};

/* A work request of the send queue. */
struct hpcc_send {
	uint64_t wr_id;
	uint64_t remote_address;
	/* Compare and swap: compare, swap. Fetch and add: the number added, 0. */
	uint64_t operands[2];
	/* Data of an inline request, `count` bytes. */
	const void *inline_data;
	/* Memory of any other request, `count` pieces. */
	const struct hpcc_piece *pieces;
	uint32_t count;
	uint32_t rkey;
	/* Immediate in network byte order as a word of memory, or the key to invalidate. */
	uint32_t immediate;
	uint8_t opcode;
	uint8_t flags;
};

/* A work request of the receive queue. */
struct hpcc_receive {
	uint64_t wr_id;
	const struct hpcc_piece *pieces;
	uint32_t count;
};

/* A completion. */
struct hpcc_completion {
	uint64_t wr_id;
	/* Clock of the NIC, ns. */
	uint64_t time_ns;
	uint32_t qp;
	uint32_t length;
	uint32_t immediate;
	/* The slot of this index and all before it are free. */
	uint16_t index;
	uint8_t opcode;
	uint8_t status;
	uint8_t flags;
};

/* An event. */
struct hpcc_event {
	/* Of the completion queue or of the queue pair. */
	uint32_t number;
	uint8_t kind;
};

/* All functions return 0 or one of these; commands also a positive enum hpcc_code of the NIC. */
enum { HPCC_NO_MEMORY = -1, HPCC_FULL = -2, HPCC_INVALID = -3, HPCC_NO_ANSWER = -4 };

/* Entries of a ring that holds at least `wanted`; 0 if there is none so large. */
uint32_t hpcc_entries(uint32_t wanted);

int hpcc_cq_init(struct hpcc_cq *cq, struct hpcc_device *device, uint32_t entries);
void hpcc_cq_release(struct hpcc_cq *cq);
/* Takes the oldest completion: 1 if there was one, 0 if not. The slots that it frees are the caller's to retire. */
int hpcc_cq_next(struct hpcc_cq *cq, struct hpcc_completion *completion);
/* Looks at the completion `ahead` of the oldest one without taking it: 1 if there is one, 0 if not. */
int hpcc_cq_peek(const struct hpcc_cq *cq, uint32_t ahead, struct hpcc_completion *completion);
/* Tells the NIC how far completions are taken. */
void hpcc_cq_consumed(struct hpcc_cq *cq);
/* Asks for an event with the next completion that is not here yet, or with the next solicited or failed one. */
void hpcc_cq_arm(struct hpcc_cq *cq, bool solicited);
/* Takes the completions of a queue pair that is reset or destroyed out of the queue; the NIC is done with the queue pair. */
void hpcc_cq_clean(struct hpcc_cq *cq, uint32_t qp);

int hpcc_eq_init(struct hpcc_eq *eq, struct hpcc_device *device, uint32_t entries);
void hpcc_eq_release(struct hpcc_eq *eq);
/* Takes the oldest event: 1 if there was one, 0 if not. */
int hpcc_eq_next(struct hpcc_eq *eq, struct hpcc_event *event);
/* Tells the NIC how far events are taken, and asks for an interrupt for the next. Writes to doorbell page 0. */
void hpcc_eq_consumed(struct hpcc_eq *eq);

int hpcc_qp_init(struct hpcc_qp *qp, struct hpcc_device *device, uint32_t sends, uint32_t receives);
void hpcc_qp_release(struct hpcc_qp *qp);
/* The NIC has moved the queue pair to RESET: indices are 0, what was posted is gone. */
void hpcc_qp_reset(struct hpcc_qp *qp);
/* Writes one entry; the NIC does not see it before the doorbell. */
int hpcc_post_send(struct hpcc_qp *qp, const struct hpcc_send *work);
int hpcc_post_receive(struct hpcc_qp *qp, const struct hpcc_receive *work);
void hpcc_ring_send(struct hpcc_qp *qp);
void hpcc_ring_receive(struct hpcc_qp *qp);
/* Frees the slots that a completion of this queue pair says are free. */
void hpcc_qp_retire(struct hpcc_qp *qp, const struct hpcc_completion *completion);
/* Takes the oldest entry that is not retired as a flushed completion, for a NIC that is gone: 1 if there was one, 0 if not. */
int hpcc_qp_flush(struct hpcc_qp *qp, bool receive, struct hpcc_completion *completion);

#endif
