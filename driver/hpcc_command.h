/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Commands to the NIC through its registers: regions, event queues, completion queues, queue pairs.
 *
 * One command at a time: a caller with several threads locks the device. Each function returns 0, a positive enum hpcc_code if the NIC refuses,
 * HPCC_INVALID if a number does not fit its place, or HPCC_NO_ANSWER if the NIC does not answer. After a refusal nothing has changed. A
 * protection domain is a number that regions and queue pairs have in common; nothing creates it.
 */
#ifndef HPCC_COMMAND_H
#define HPCC_COMMAND_H

#include "hpcc.h"

/* A ring as the NIC sees it: HPCC_RING_MIN to HPCC_RING_MAX entries, a power of two, from a multiple of HPCC_RING_ALIGNMENT on. */
struct hpcc_place {
	uint64_t address;
	uint32_t entries;
};

/* Rights of a region (all five) and of a queue pair (HPCC_RIGHT_REMOTE_*, shifted by one). Local reading is always allowed. */
enum {
	HPCC_RIGHT_LOCAL_WRITE = 1,
	HPCC_RIGHT_REMOTE_WRITE = 2,
	HPCC_RIGHT_REMOTE_READ = 4,
	HPCC_RIGHT_REMOTE_ATOMIC = 8,
	HPCC_RIGHT_INVALIDATE = 16,
};

/* A memory region. */
struct hpcc_region {
	/* First address as programs and the wire count it, bytes, and what is added to such an address to give the memory's. */
	uint64_t address;
	uint64_t length;
	uint64_t offset;
	uint32_t key;
	uint16_t domain;
	uint8_t rights;
};

/* An event queue; its number is the interrupt vector. */
struct hpcc_create_eq {
	struct hpcc_place ring;
	uint8_t number;
};

/* A completion queue. */
struct hpcc_create_cq {
	struct hpcc_place ring;
	/* Doorbell page that it belongs to. */
	uint32_t page;
	uint16_t number;
	/* Event queue of its events. */
	uint8_t events;
};

/* A queue pair, which begins in RESET. */
struct hpcc_create_qp {
	struct hpcc_place send;
	struct hpcc_place receive;
	/* 24 bits; the low ones are its place. */
	uint32_t number;
	/* Doorbell page that it belongs to. */
	uint32_t page;
	uint16_t domain;
	uint16_t send_cq;
	uint16_t receive_cq;
	/* Event queue of its events. */
	uint8_t events;
};

/* Attributes of a queue pair; bit n of `given` says that the attribute of number n (enum hpcc_attribute) is given. */
struct hpcc_attributes {
	uint32_t given;
	/* Path: IPv4 address of the peer, most significant byte highest; UDP source port, 0 for one from the queue pair numbers. */
	uint32_t remote_ip;
	uint16_t udp_port;
	/* Path: 802.1p priority, 0 to 7; packets collect INT; the law is `law`, otherwise the NIC's default. */
	uint8_t priority;
	bool collects_int;
	bool has_law;
	uint8_t law;
	/* Rights: HPCC_RIGHT_REMOTE_WRITE, READ and ATOMIC. */
	uint8_t rights;
	/* Path MTU: n for 256 x 2^n bytes, 0 to 4. */
	uint8_t mtu;
	/* 24 bits each. */
	uint32_t remote_qpn;
	uint32_t expected_psn;
	uint32_t send_psn;
	uint8_t responder_reads;
	uint8_t rnr_timer;
	uint8_t max_rd_atomic;
	/* t for 4.096 us x 2^t, 0 for never. */
	uint8_t timeout;
	uint8_t retry_limit;
	uint8_t rnr_retry;
};

/* State of a queue pair. */
struct hpcc_qp_info {
	uint32_t send_psn;
	uint32_t expected_psn;
	uint16_t send_consumer;
	uint16_t send_producer;
	uint16_t receive_consumer;
	uint16_t receive_producer;
	/* enum hpcc_state, and the enum hpcc_status of what failed first. */
	uint8_t state;
	uint8_t ended;
};

int hpcc_create_region(struct hpcc_device *device, const struct hpcc_region *region);
/* Changes what a key means; the key stays. */
int hpcc_replace_region(struct hpcc_device *device, const struct hpcc_region *region);
/* After it no byte of the region is read or written. */
int hpcc_destroy_region(struct hpcc_device *device, uint32_t key);

/* Rings of events and of completions begin as zeros. */
int hpcc_create_eq(struct hpcc_device *device, const struct hpcc_create_eq *eq);
int hpcc_destroy_eq(struct hpcc_device *device, uint8_t number);
int hpcc_create_cq(struct hpcc_device *device, const struct hpcc_create_cq *cq);
int hpcc_destroy_cq(struct hpcc_device *device, uint16_t number);

int hpcc_create_qp(struct hpcc_device *device, const struct hpcc_create_qp *qp);
/* Moves a queue pair to a state (enum hpcc_state; its own one for attributes alone) and sets attributes. */
int hpcc_modify_qp(struct hpcc_device *device, uint32_t number, uint8_t state, const struct hpcc_attributes *attributes);
int hpcc_query_qp(struct hpcc_device *device, uint32_t number, struct hpcc_qp_info *info);
/* After it nothing of the queue pair is read, written or completed; hpcc_cq_clean takes its completions out. */
int hpcc_destroy_qp(struct hpcc_device *device, uint32_t number);

#endif
