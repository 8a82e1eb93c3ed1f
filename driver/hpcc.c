/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "hpcc_ring.h"

uint32_t hpcc_entries(uint32_t wanted)
{
	uint32_t entries = HPCC_RING_MIN;
	if (wanted > HPCC_RING_MAX)
		return 0;
	while (entries < wanted)
		entries *= 2;
	return entries;
}

int hpcc_cq_init(struct hpcc_cq *cq, struct hpcc_device *device, uint32_t entries)
{
	*cq = (struct hpcc_cq){ .device = device };
	return ring_init(&cq->ring, device, entries, HPCC_COMPLETION_ENTRY_BYTES);
}

void hpcc_cq_release(struct hpcc_cq *cq)
{
	ring_release(&cq->ring, cq->device, HPCC_COMPLETION_ENTRY_BYTES);
}

static uint8_t *written(const struct hpcc_cq *cq, uint32_t index)
{
	return written_entry(&cq->ring, index, HPCC_COMPLETION_ENTRY_BYTES);
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
		.wr_id = get(entry + HPCC_COMPLETION_ENTRY_WORK, 8),
		.qp = (uint32_t)get(entry + HPCC_COMPLETION_ENTRY_QUEUE_PAIR, 3),
		.opcode = entry[HPCC_COMPLETION_ENTRY_OPCODE],
		.status = entry[HPCC_COMPLETION_ENTRY_STATUS],
		.flags = entry[HPCC_COMPLETION_ENTRY_FLAGS],
		.index = (uint16_t)get(entry + HPCC_COMPLETION_ENTRY_INDEX, 2),
		.length = (uint32_t)get(entry + HPCC_COMPLETION_ENTRY_LENGTH, 4),
		.time_ns = get(entry + HPCC_COMPLETION_ENTRY_TIME, 6),
	};
	copy(&completion->immediate, entry + HPCC_COMPLETION_ENTRY_IMMEDIATE, 4);
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
	ring_doorbell(cq->device, HPCC_DOORBELL_COMPLETION_CONSUMER, cq->number, cq->ring.consumed);
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
		uint8_t *entry = slot(&cq->ring, --from, HPCC_COMPLETION_ENTRY_BYTES);
		if (get(entry + HPCC_COMPLETION_ENTRY_QUEUE_PAIR, 3) == qp)
			continue;
		uint8_t *target = slot(&cq->ring, --to, HPCC_COMPLETION_ENTRY_BYTES);
		if (target == entry)
			continue;
		uint8_t phase = target[HPCC_COMPLETION_ENTRY_PHASE] & HPCC_PHASE;
		copy(target, entry, HPCC_COMPLETION_ENTRY_BYTES);
		target[HPCC_COMPLETION_ENTRY_PHASE] = (uint8_t)((target[HPCC_COMPLETION_ENTRY_PHASE] & ~HPCC_PHASE) | phase);
	}
	if (to != cq->ring.consumed) {
		cq->ring.consumed = to;
		hpcc_cq_consumed(cq);
	}
}

int hpcc_eq_init(struct hpcc_eq *eq, struct hpcc_device *device, uint32_t entries)
{
	*eq = (struct hpcc_eq){ .device = device };
	return ring_init(&eq->ring, device, entries, HPCC_EVENT_ENTRY_BYTES);
}

void hpcc_eq_release(struct hpcc_eq *eq)
{
	ring_release(&eq->ring, eq->device, HPCC_EVENT_ENTRY_BYTES);
}

int hpcc_eq_next(struct hpcc_eq *eq, struct hpcc_event *event)
{
	const uint8_t *entry = written_entry(&eq->ring, eq->ring.consumed, HPCC_EVENT_ENTRY_BYTES);
	if (!entry)
		return 0;
	event->number = (uint32_t)get(entry + HPCC_EVENT_ENTRY_NUMBER, 4);
	event->kind = entry[HPCC_EVENT_ENTRY_KIND];
	eq->ring.consumed++;
	return 1;
}

void hpcc_eq_consumed(struct hpcc_eq *eq)
{
	ring_doorbell(eq->device, HPCC_DOORBELL_EVENT_CONSUMER, eq->number, eq->ring.consumed);
}

int hpcc_qp_init(struct hpcc_qp *qp, struct hpcc_device *device, uint32_t sends, uint32_t receives)
{
	*qp = (struct hpcc_qp){ .device = device };
	int error = ring_init(&qp->send, device, sends, HPCC_SEND_ENTRY_BYTES);
	if (!error)
		error = ring_init(&qp->receive, device, receives, HPCC_RECEIVE_ENTRY_BYTES);
	if (error)
		hpcc_qp_release(qp);
	return error;
}

void hpcc_qp_release(struct hpcc_qp *qp)
{
	ring_release(&qp->send, qp->device, HPCC_SEND_ENTRY_BYTES);
	ring_release(&qp->receive, qp->device, HPCC_RECEIVE_ENTRY_BYTES);
}

void hpcc_qp_reset(struct hpcc_qp *qp)
{
	qp->send.produced = qp->send.consumed = 0;
	qp->receive.produced = qp->receive.consumed = 0;
}

static bool is_atomic(uint8_t opcode)
{
	return opcode == HPCC_SEND_OPCODE_COMPARE_SWAP || opcode == HPCC_SEND_OPCODE_FETCH_ADD;
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
	put(at + HPCC_PIECE_ADDRESS, piece->address, 8);
	put(at + HPCC_PIECE_LENGTH, piece->length, 4);
	put(at + HPCC_PIECE_KEY, piece->key, 4);
}

/* The first piece stands in the first slot, the others behind it in slots of their own. */
static void put_pieces(const struct hpcc_ring *ring, uint8_t *front, const struct hpcc_piece *pieces, uint32_t count, size_t bytes)
{
	uint32_t per_slot = (uint32_t)(bytes / HPCC_PIECE_BYTES);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t behind = i - 1;
		uint8_t *at = i ? slot(ring, ring->produced + 1 + behind / per_slot, bytes) + behind % per_slot * HPCC_PIECE_BYTES : front;
		put_piece(at, &pieces[i]);
	}
}

/* Slots of an entry of `count` pieces. */
static uint32_t slots_of(uint32_t count, size_t bytes)
{
	uint32_t per_slot = (uint32_t)(bytes / HPCC_PIECE_BYTES);
	return count < 2 ? 1 : 1 + (count - 1 + per_slot - 1) / per_slot;
}

int hpcc_post_send(struct hpcc_qp *qp, const struct hpcc_send *work)
{
	struct hpcc_ring *ring = &qp->send;
	bool in_entry = work->flags & HPCC_SEND_FLAG_INLINE;
	bool known = work->opcode <= HPCC_SEND_OPCODE_FETCH_ADD || work->opcode == HPCC_SEND_OPCODE_SEND_INVALIDATE;
	bool sends_none = work->opcode == HPCC_SEND_OPCODE_READ || is_atomic(work->opcode);
	if (!known || work->count > (in_entry ? HPCC_MAX_INLINE : HPCC_MAX_PIECES) || (in_entry && sends_none))
		return HPCC_INVALID;
	uint32_t slots = in_entry ? 1 : slots_of(work->count, HPCC_SEND_ENTRY_BYTES);
	uint8_t *entry = first_slot(ring, slots, HPCC_SEND_ENTRY_BYTES);
	if (!entry)
		return HPCC_FULL;
	put(entry + HPCC_SEND_ENTRY_WORK, work->wr_id, 8);
	put(entry + HPCC_SEND_ENTRY_REMOTE_ADDRESS, work->remote_address, 8);
	put(entry + HPCC_SEND_ENTRY_REMOTE_KEY, work->rkey, 4);
	copy(entry + HPCC_SEND_ENTRY_IMMEDIATE, &work->immediate, 4);
	entry[HPCC_SEND_ENTRY_OPCODE] = work->opcode;
	entry[HPCC_SEND_ENTRY_FLAGS] = work->flags;
	entry[HPCC_SEND_ENTRY_COUNT] = (uint8_t)work->count;
	if (in_entry)
		copy(entry + HPCC_SEND_ENTRY_PIECE, work->inline_data, work->count);
	else
		put_pieces(ring, entry + HPCC_SEND_ENTRY_PIECE, work->pieces, work->count, HPCC_SEND_ENTRY_BYTES);
	if (is_atomic(work->opcode)) {
		put(entry + HPCC_SEND_ENTRY_FIRST_OPERAND, work->operands[0], 8);
		put(entry + HPCC_SEND_ENTRY_SECOND_OPERAND, work->operands[1], 8);
	}
	ring->produced += slots;
	return 0;
}

int hpcc_post_receive(struct hpcc_qp *qp, const struct hpcc_receive *work)
{
	struct hpcc_ring *ring = &qp->receive;
	if (work->count > HPCC_MAX_PIECES)
		return HPCC_INVALID;
	uint32_t slots = slots_of(work->count, HPCC_RECEIVE_ENTRY_BYTES);
	uint8_t *entry = first_slot(ring, slots, HPCC_RECEIVE_ENTRY_BYTES);
	if (!entry)
		return HPCC_FULL;
	put(entry + HPCC_RECEIVE_ENTRY_WORK, work->wr_id, 8);
	entry[HPCC_RECEIVE_ENTRY_COUNT] = (uint8_t)work->count;
	put_pieces(ring, entry + HPCC_RECEIVE_ENTRY_ADDRESS, work->pieces, work->count, HPCC_RECEIVE_ENTRY_BYTES);
	ring->produced += slots;
	return 0;
}

void hpcc_ring_send(struct hpcc_qp *qp)
{
	ring_doorbell(qp->device, HPCC_DOORBELL_SEND_QUEUE, qp->place, qp->send.produced);
}

void hpcc_ring_receive(struct hpcc_qp *qp)
{
	ring_doorbell(qp->device, HPCC_DOORBELL_RECEIVE_QUEUE, qp->place, qp->receive.produced);
}

void hpcc_qp_retire(struct hpcc_qp *qp, const struct hpcc_completion *completion)
{
	struct hpcc_ring *ring = completion->opcode & HPCC_COMPLETION_OPCODE_RECEIVE ? &qp->receive : &qp->send;
	uint16_t freed = (uint16_t)(completion->index + 1 - ring->consumed);
	/* An index outside of what was posted is no index of this queue. */
	if (freed <= ring->produced - ring->consumed)
		ring->consumed += freed;
}

int hpcc_qp_flush(struct hpcc_qp *qp, bool receive, struct hpcc_completion *completion)
{
	struct hpcc_ring *ring = receive ? &qp->receive : &qp->send;
	size_t bytes = receive ? HPCC_RECEIVE_ENTRY_BYTES : HPCC_SEND_ENTRY_BYTES;
	if (ring->consumed == ring->produced)
		return 0;
	const uint8_t *entry = slot(ring, ring->consumed, bytes);
	bool in_entry = !receive && entry[HPCC_SEND_ENTRY_FLAGS] & HPCC_SEND_FLAG_INLINE;
	uint32_t count = in_entry ? 1 : entry[receive ? HPCC_RECEIVE_ENTRY_COUNT : HPCC_SEND_ENTRY_COUNT];
	uint32_t slots = slots_of(count, bytes);
	*completion = (struct hpcc_completion){
		.wr_id = get(entry, 8),
		.opcode = receive ? HPCC_COMPLETION_OPCODE_RECEIVE : HPCC_COMPLETION_OPCODE_SEND,
		.status = HPCC_STATUS_FLUSHED,
		.index = (uint16_t)(ring->consumed + slots - 1),
	};
	hpcc_qp_retire(qp, completion);
	return 1;
}
