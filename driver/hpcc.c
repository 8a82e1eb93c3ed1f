/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "hpcc.h"

/* Bytes of an entry of the send queue. */
enum {
	SEND_WR_ID = 0,
	SEND_REMOTE_ADDRESS = 8,
	SEND_RKEY = 16,
	SEND_IMMEDIATE = 20,
	SEND_OPCODE = 24,
	SEND_FLAGS = 25,
	SEND_COUNT = 26,
	SEND_PIECE = 32,
	SEND_OPERANDS = 48,
	SEND_INLINE = 32,
};
/* Bytes of an entry of the receive queue. */
enum { RECEIVE_WR_ID = 0, RECEIVE_PIECE = 8, RECEIVE_COUNT = 24 };
/* Bytes of a piece, and pieces that the slots behind the first hold. */
enum { PIECE_ADDRESS = 0, PIECE_LENGTH = 8, PIECE_KEY = 12, PIECE_BYTES = 16 };
/* Bytes of an entry of the completion queue. */
enum {
	COMPLETION_WR_ID = 0,
	COMPLETION_QP = 8,
	COMPLETION_OPCODE = 11,
	COMPLETION_STATUS = 12,
	COMPLETION_FLAGS = 13,
	COMPLETION_INDEX = 14,
	COMPLETION_LENGTH = 16,
	COMPLETION_IMMEDIATE = 20,
	COMPLETION_TIME = 24,
	COMPLETION_PHASE = 31,
};
enum { PHASE_BIT = 0x80 };

/* The NIC's order of bytes is little endian, the host's may be either. */
static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

/* Bytes that travel as they stand in memory, such as the immediate. */
static void copy(void *to, const void *from, size_t bytes)
{
	uint8_t *t = to;
	const uint8_t *f = from;
	while (bytes--)
		*t++ = *f++;
}

uint32_t hpcc_entries(uint32_t wanted)
{
	uint32_t entries = HPCC_ENTRIES_MIN;
	if (wanted > HPCC_ENTRIES_MAX)
		return 0;
	while (entries < wanted)
		entries *= 2;
	return entries;
}

static int ring_init(struct hpcc_ring *ring, struct hpcc_device *device, uint32_t wanted, size_t entry)
{
	uint32_t count = hpcc_entries(wanted);
	if (!count)
		return HPCC_INVALID;
	ring->count = count;
	ring->entries = device->ops->allocate(device->context, count * entry, &ring->device_address);
	return ring->entries ? 0 : HPCC_NO_MEMORY;
}

static void ring_release(struct hpcc_ring *ring, struct hpcc_device *device, size_t entry)
{
	if (ring->entries)
		device->ops->release(device->context, ring->entries, ring->count * entry);
	ring->entries = NULL;
}

static uint8_t *slot(const struct hpcc_ring *ring, uint32_t index, size_t entry)
{
	return ring->entries + (index & (ring->count - 1)) * entry;
}

static void ring_doorbell(struct hpcc_device *device, enum hpcc_doorbell offset, uint16_t number, uint32_t index)
{
	device->ops->doorbell(device->context, offset, (uint32_t)number << 16 | (index & 0xffff));
}

int hpcc_cq_init(struct hpcc_cq *cq, struct hpcc_device *device, uint32_t entries)
{
	*cq = (struct hpcc_cq){ .device = device };
	return ring_init(&cq->ring, device, entries, HPCC_COMPLETION_BYTES);
}

void hpcc_cq_release(struct hpcc_cq *cq)
{
	ring_release(&cq->ring, cq->device, HPCC_COMPLETION_BYTES);
}

/* The NIC writes 1 as the phase in its first round through the ring, 0 in its second, and so on. */
static uint8_t *written(const struct hpcc_cq *cq, uint32_t index)
{
	uint8_t *entry = slot(&cq->ring, index, HPCC_COMPLETION_BYTES);
	bool odd_round = index & cq->ring.count;
	bool phase = *(volatile uint8_t *)(entry + COMPLETION_PHASE) & PHASE_BIT;
	if (phase == odd_round)
		return NULL;
	/* The rest of the entry is read after its phase. */
	atomic_thread_fence(memory_order_acquire);
	return entry;
}

/* Index behind the newest entry that is here. */
static uint32_t end_of_written(const struct hpcc_cq *cq)
{
	uint32_t end = cq->ring.consumed;
	while (end - cq->ring.consumed < cq->ring.count && written(cq, end))
		end++;
	return end;
}

int hpcc_cq_peek(const struct hpcc_cq *cq, uint32_t ahead, struct hpcc_completion *completion)
{
	const uint8_t *entry = ahead < cq->ring.count ? written(cq, cq->ring.consumed + ahead) : NULL;
	if (!entry)
		return 0;
	*completion = (struct hpcc_completion){
		.wr_id = get(entry + COMPLETION_WR_ID, 8),
		.qp = (uint32_t)get(entry + COMPLETION_QP, 3),
		.opcode = entry[COMPLETION_OPCODE],
		.status = entry[COMPLETION_STATUS],
		.flags = entry[COMPLETION_FLAGS],
		.index = (uint16_t)get(entry + COMPLETION_INDEX, 2),
		.length = (uint32_t)get(entry + COMPLETION_LENGTH, 4),
		.time_ns = get(entry + COMPLETION_TIME, 6),
	};
	copy(&completion->immediate, entry + COMPLETION_IMMEDIATE, 4);
	return 1;
}

int hpcc_cq_next(struct hpcc_cq *cq, struct hpcc_completion *completion)
{
	if (!hpcc_cq_peek(cq, 0, completion))
		return 0;
	cq->ring.consumed++;
	return 1;
}

void hpcc_cq_consumed(struct hpcc_cq *cq)
{
	ring_doorbell(cq->device, HPCC_DOORBELL_CONSUMED, cq->number, cq->ring.consumed);
}

void hpcc_cq_arm(struct hpcc_cq *cq, bool solicited)
{
	/* What lies here now is no news: a program that arms first and polls then would get an event for what it finds in that poll. */
	ring_doorbell(cq->device, solicited ? HPCC_DOORBELL_ARM_SOLICITED : HPCC_DOORBELL_ARM, cq->number, end_of_written(cq));
}

void hpcc_cq_clean(struct hpcc_cq *cq, uint32_t qp)
{
	uint32_t end = end_of_written(cq);
	/* From the newest entry to the oldest: what stays moves up, and keeps the phase of the slot that it moves to. */
	uint32_t to = end;
	for (uint32_t from = end; from != cq->ring.consumed;) {
		uint8_t *entry = slot(&cq->ring, --from, HPCC_COMPLETION_BYTES);
		if (get(entry + COMPLETION_QP, 3) == qp)
			continue;
		uint8_t *target = slot(&cq->ring, --to, HPCC_COMPLETION_BYTES);
		if (target == entry)
			continue;
		uint8_t phase = target[COMPLETION_PHASE] & PHASE_BIT;
		copy(target, entry, HPCC_COMPLETION_BYTES);
		target[COMPLETION_PHASE] = (uint8_t)((target[COMPLETION_PHASE] & ~PHASE_BIT) | phase);
	}
	if (to != cq->ring.consumed) {
		cq->ring.consumed = to;
		hpcc_cq_consumed(cq);
	}
}

int hpcc_qp_init(struct hpcc_qp *qp, struct hpcc_device *device, uint32_t sends, uint32_t receives)
{
	*qp = (struct hpcc_qp){ .device = device };
	int error = ring_init(&qp->send, device, sends, HPCC_SEND_BYTES);
	if (!error)
		error = ring_init(&qp->receive, device, receives, HPCC_RECEIVE_BYTES);
	if (error)
		hpcc_qp_release(qp);
	return error;
}

void hpcc_qp_release(struct hpcc_qp *qp)
{
	ring_release(&qp->send, qp->device, HPCC_SEND_BYTES);
	ring_release(&qp->receive, qp->device, HPCC_RECEIVE_BYTES);
}

void hpcc_qp_reset(struct hpcc_qp *qp)
{
	qp->send.produced = qp->send.consumed = 0;
	qp->receive.produced = qp->receive.consumed = 0;
}

static bool is_atomic(uint8_t opcode)
{
	return opcode == HPCC_COMPARE_SWAP || opcode == HPCC_FETCH_ADD;
}

/* Zeroed slots for an entry of `count` pieces in front of what is produced. */
static uint8_t *first_slot(const struct hpcc_ring *ring, uint32_t slots, size_t bytes)
{
	if (ring->produced - ring->consumed + slots > ring->count)
		return NULL;
	for (uint32_t i = 0; i < slots; i++)
		for (size_t at = 0; at < bytes; at++)
			slot(ring, ring->produced + i, bytes)[at] = 0;
	return slot(ring, ring->produced, bytes);
}

static void put_piece(uint8_t *at, const struct hpcc_piece *piece)
{
	put(at + PIECE_ADDRESS, piece->address, 8);
	put(at + PIECE_LENGTH, piece->length, 4);
	put(at + PIECE_KEY, piece->key, 4);
}

/* The first piece stands in the first slot, the others behind it in slots of their own. */
static void put_pieces(const struct hpcc_ring *ring, uint8_t *front, const struct hpcc_piece *pieces, uint32_t count, size_t bytes)
{
	uint32_t per_slot = (uint32_t)(bytes / PIECE_BYTES);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t behind = i - 1;
		uint8_t *at = i ? slot(ring, ring->produced + 1 + behind / per_slot, bytes) + behind % per_slot * PIECE_BYTES : front;
		put_piece(at, &pieces[i]);
	}
}

/* Slots of an entry of `count` pieces. */
static uint32_t slots_of(uint32_t count, size_t bytes)
{
	uint32_t per_slot = (uint32_t)(bytes / PIECE_BYTES);
	return count < 2 ? 1 : 1 + (count - 1 + per_slot - 1) / per_slot;
}

int hpcc_post_send(struct hpcc_qp *qp, const struct hpcc_send *work)
{
	struct hpcc_ring *ring = &qp->send;
	bool in_entry = work->flags & HPCC_INLINE;
	bool known = work->opcode <= HPCC_FETCH_ADD || work->opcode == HPCC_SEND_INVALIDATE;
	bool sends_none = work->opcode == HPCC_READ || is_atomic(work->opcode);
	if (!known || work->count > (in_entry ? HPCC_INLINE_MAX : HPCC_PIECES_MAX) || (in_entry && sends_none))
		return HPCC_INVALID;
	uint32_t slots = in_entry ? 1 : slots_of(work->count, HPCC_SEND_BYTES);
	uint8_t *entry = first_slot(ring, slots, HPCC_SEND_BYTES);
	if (!entry)
		return HPCC_FULL;
	put(entry + SEND_WR_ID, work->wr_id, 8);
	put(entry + SEND_REMOTE_ADDRESS, work->remote_address, 8);
	put(entry + SEND_RKEY, work->rkey, 4);
	copy(entry + SEND_IMMEDIATE, &work->immediate, 4);
	entry[SEND_OPCODE] = work->opcode;
	entry[SEND_FLAGS] = work->flags;
	entry[SEND_COUNT] = (uint8_t)work->count;
	if (in_entry)
		copy(entry + SEND_INLINE, work->inline_data, work->count);
	else
		put_pieces(ring, entry + SEND_PIECE, work->pieces, work->count, HPCC_SEND_BYTES);
	if (is_atomic(work->opcode)) {
		put(entry + SEND_OPERANDS, work->operands[0], 8);
		put(entry + SEND_OPERANDS + 8, work->operands[1], 8);
	}
	ring->produced += slots;
	return 0;
}

int hpcc_post_receive(struct hpcc_qp *qp, const struct hpcc_receive *work)
{
	struct hpcc_ring *ring = &qp->receive;
	if (work->count > HPCC_PIECES_MAX)
		return HPCC_INVALID;
	uint32_t slots = slots_of(work->count, HPCC_RECEIVE_BYTES);
	uint8_t *entry = first_slot(ring, slots, HPCC_RECEIVE_BYTES);
	if (!entry)
		return HPCC_FULL;
	put(entry + RECEIVE_WR_ID, work->wr_id, 8);
	entry[RECEIVE_COUNT] = (uint8_t)work->count;
	put_pieces(ring, entry + RECEIVE_PIECE, work->pieces, work->count, HPCC_RECEIVE_BYTES);
	ring->produced += slots;
	return 0;
}

void hpcc_ring_send(struct hpcc_qp *qp)
{
	ring_doorbell(qp->device, HPCC_DOORBELL_SEND, qp->place, qp->send.produced);
}

void hpcc_ring_receive(struct hpcc_qp *qp)
{
	ring_doorbell(qp->device, HPCC_DOORBELL_RECEIVE, qp->place, qp->receive.produced);
}

void hpcc_qp_retire(struct hpcc_qp *qp, const struct hpcc_completion *completion)
{
	struct hpcc_ring *ring = completion->opcode & HPCC_RECEIVED ? &qp->receive : &qp->send;
	uint16_t freed = (uint16_t)(completion->index + 1 - ring->consumed);
	/* An index outside of what was posted is no index of this queue. */
	if (freed <= ring->produced - ring->consumed)
		ring->consumed += freed;
}

int hpcc_qp_flush(struct hpcc_qp *qp, bool receive, struct hpcc_completion *completion)
{
	struct hpcc_ring *ring = receive ? &qp->receive : &qp->send;
	size_t bytes = receive ? HPCC_RECEIVE_BYTES : HPCC_SEND_BYTES;
	if (ring->consumed == ring->produced)
		return 0;
	const uint8_t *entry = slot(ring, ring->consumed, bytes);
	bool in_entry = !receive && entry[SEND_FLAGS] & HPCC_INLINE;
	uint32_t count = in_entry ? 1 : entry[receive ? RECEIVE_COUNT : SEND_COUNT];
	uint32_t slots = slots_of(count, bytes);
	*completion = (struct hpcc_completion){
		.wr_id = get(entry, 8),
		.opcode = receive ? HPCC_RECEIVED : HPCC_SEND,
		.status = HPCC_FLUSHED,
		.index = (uint16_t)(ring->consumed + slots - 1),
	};
	hpcc_qp_retire(qp, completion);
	return 1;
}
