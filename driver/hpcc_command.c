/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "hpcc_command.h"

/* Reads of STATUS after which a NIC does not answer: far more than the longest command takes. */
enum { READS_OF_STATUS = 1 << 24 };
/* Queue pair numbers and the index of a command. */
enum { BITS_24 = 0xffffff };

/* Words that a command writes or a query leaves. */
struct body {
	uint32_t words[HPCC_BODY_WORDS];
};

static void put(struct body *body, unsigned low, unsigned width, uint64_t value)
{
	for (unsigned i = 0; i < width; i++)
		body->words[(low + i) / 32] |= (uint32_t)(value >> i & 1) << (low + i) % 32;
}

static uint64_t get(const struct body *body, unsigned low, unsigned width)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < width; i++)
		value |= (uint64_t)(body->words[(low + i) / 32] >> (low + i) % 32 & 1) << i;
	return value;
}

static uint32_t read_register(struct hpcc_device *device, uint32_t offset)
{
	return device->ops->read(device->context, offset);
}

static void write_register(struct hpcc_device *device, uint32_t offset, uint32_t value)
{
	device->ops->write(device->context, offset, value);
}

/* Gives a command and waits until it is carried out or refused. */
static int command(struct hpcc_device *device, enum hpcc_operation operation, uint32_t index, const struct body *body)
{
	if (index > BITS_24)
		return HPCC_INVALID;
	write_register(device, HPCC_REGISTER_STATUS, HPCC_STATUS_BIT_DONE | HPCC_STATUS_BIT_ERROR);
	for (uint32_t i = 0; i < HPCC_BODY_WORDS; i++)
		write_register(device, HPCC_REGISTER_BODY + 4 * i, body->words[i]);
	write_register(device, HPCC_REGISTER_COMMAND, index << HPCC_COMMAND_INDEX_LOW | (uint32_t)operation);
	for (uint32_t reads = 0; reads < READS_OF_STATUS; reads++) {
		uint32_t status = read_register(device, HPCC_REGISTER_STATUS);
		if (status & HPCC_STATUS_BIT_ERROR)
			return (int)(status >> HPCC_STATUS_CODE_LOW & ((1u << HPCC_STATUS_CODE_WIDTH) - 1));
		if (status & HPCC_STATUS_BIT_DONE)
			return 0;
	}
	return HPCC_NO_ANSWER;
}

static int number_command(struct hpcc_device *device, enum hpcc_operation operation, uint32_t number)
{
	struct body body = { 0 };
	return command(device, operation, number, &body);
}

static int region_command(struct hpcc_device *device, enum hpcc_operation operation, const struct hpcc_region *region)
{
	struct body body = { 0 };
	put(&body, HPCC_BODY_REGION_KEY, region->key);
	put(&body, HPCC_BODY_REGION_DOMAIN, region->domain);
	put(&body, HPCC_BODY_REGION_RIGHTS, region->rights);
	put(&body, HPCC_BODY_REGION_ADDRESS, region->address);
	put(&body, HPCC_BODY_REGION_LENGTH, region->length);
	put(&body, HPCC_BODY_REGION_OFFSET, region->offset);
	return command(device, operation, 0, &body);
}

int hpcc_create_region(struct hpcc_device *device, const struct hpcc_region *region)
{
	return region_command(device, HPCC_OPERATION_CREATE_REGION, region);
}

int hpcc_replace_region(struct hpcc_device *device, const struct hpcc_region *region)
{
	return region_command(device, HPCC_OPERATION_REPLACE_REGION, region);
}

int hpcc_destroy_region(struct hpcc_device *device, uint32_t key)
{
	struct hpcc_region region = { .key = key };
	return region_command(device, HPCC_OPERATION_DESTROY_REGION, &region);
}

/* The numbers of a ring fit the fields that carry them. */
static bool fits(const struct hpcc_place *ring)
{
	return ring->entries <= HPCC_RING_MAX;
}

int hpcc_create_eq(struct hpcc_device *device, const struct hpcc_create_eq *eq)
{
	struct body body = { 0 };
	if (!fits(&eq->ring))
		return HPCC_INVALID;
	put(&body, HPCC_BODY_QUEUE_RING, eq->ring.address);
	put(&body, HPCC_BODY_QUEUE_ENTRIES, eq->ring.entries);
	return command(device, HPCC_OPERATION_CREATE_EQ, eq->number, &body);
}

int hpcc_destroy_eq(struct hpcc_device *device, uint8_t number)
{
	return number_command(device, HPCC_OPERATION_DESTROY_EQ, number);
}

int hpcc_create_cq(struct hpcc_device *device, const struct hpcc_create_cq *cq)
{
	struct body body = { 0 };
	if (!fits(&cq->ring))
		return HPCC_INVALID;
	put(&body, HPCC_BODY_QUEUE_RING, cq->ring.address);
	put(&body, HPCC_BODY_QUEUE_ENTRIES, cq->ring.entries);
	put(&body, HPCC_BODY_QUEUE_EVENTS, cq->events);
	put(&body, HPCC_BODY_QUEUE_PAGE, cq->page);
	return command(device, HPCC_OPERATION_CREATE_CQ, cq->number, &body);
}

int hpcc_destroy_cq(struct hpcc_device *device, uint16_t number)
{
	return number_command(device, HPCC_OPERATION_DESTROY_CQ, number);
}

int hpcc_create_qp(struct hpcc_device *device, const struct hpcc_create_qp *qp)
{
	struct body queues = { 0 }, body = { 0 };
	if (!fits(&qp->send) || !fits(&qp->receive) || qp->number > BITS_24)
		return HPCC_INVALID;
	/* One body does not hold both. */
	put(&queues, HPCC_BODY_QUEUES_SEND_RING, qp->send.address);
	put(&queues, HPCC_BODY_QUEUES_RECEIVE_RING, qp->receive.address);
	put(&queues, HPCC_BODY_QUEUES_SEND_ENTRIES, qp->send.entries);
	put(&queues, HPCC_BODY_QUEUES_RECEIVE_ENTRIES, qp->receive.entries);
	put(&queues, HPCC_BODY_QUEUES_PAGE, qp->page);
	int error = command(device, HPCC_OPERATION_GIVE_QUEUES, 0, &queues);
	if (error)
		return error;
	put(&body, HPCC_BODY_QP_DOMAIN, qp->domain);
	put(&body, HPCC_BODY_QP_SEND_CQ, qp->send_cq);
	put(&body, HPCC_BODY_QP_RECEIVE_CQ, qp->receive_cq);
	put(&body, HPCC_BODY_QP_EVENTS, qp->events);
	return command(device, HPCC_OPERATION_CREATE_QP, qp->number, &body);
}

int hpcc_modify_qp(struct hpcc_device *device, uint32_t number, uint8_t state, const struct hpcc_attributes *set)
{
	struct body body = { 0 };
	bool fit = set->given <= 0xffff && set->priority <= 7 && set->remote_qpn <= BITS_24 && set->expected_psn <= BITS_24 &&
		   set->send_psn <= BITS_24;
	if (!fit)
		return HPCC_INVALID;
	put(&body, HPCC_BODY_MODIFY_STATE, state);
	put(&body, HPCC_BODY_MODIFY_GIVEN, set->given);
	put(&body, HPCC_BODY_MODIFY_RIGHTS, set->rights >> 1);
	put(&body, HPCC_BODY_MODIFY_PRIORITY, set->priority);
	put(&body, HPCC_BODY_MODIFY_INT, set->collects_int);
	put(&body, HPCC_BODY_MODIFY_HAS_LAW, set->has_law);
	put(&body, HPCC_BODY_MODIFY_REMOTE_IP, set->remote_ip);
	put(&body, HPCC_BODY_MODIFY_UDP_PORT, set->udp_port);
	put(&body, HPCC_BODY_MODIFY_LAW, set->law);
	put(&body, HPCC_BODY_MODIFY_MTU, set->mtu);
	put(&body, HPCC_BODY_MODIFY_REMOTE_QPN, set->remote_qpn);
	put(&body, HPCC_BODY_MODIFY_RNR_TIMER, set->rnr_timer);
	put(&body, HPCC_BODY_MODIFY_EXPECTED_PSN, set->expected_psn);
	put(&body, HPCC_BODY_MODIFY_RESPONDER_READS, set->responder_reads);
	put(&body, HPCC_BODY_MODIFY_SEND_PSN, set->send_psn);
	put(&body, HPCC_BODY_MODIFY_MAX_RD_ATOMIC, set->max_rd_atomic);
	put(&body, HPCC_BODY_MODIFY_TIMEOUT, set->timeout);
	put(&body, HPCC_BODY_MODIFY_RETRY_LIMIT, set->retry_limit);
	put(&body, HPCC_BODY_MODIFY_RNR_RETRY, set->rnr_retry);
	return command(device, HPCC_OPERATION_MODIFY_QP, number, &body);
}

int hpcc_query_qp(struct hpcc_device *device, uint32_t number, struct hpcc_qp_info *info)
{
	struct body body;
	int error = number_command(device, HPCC_OPERATION_QUERY_QP, number);
	if (error)
		return error;
	for (uint32_t i = 0; i < HPCC_BODY_WORDS; i++)
		body.words[i] = read_register(device, HPCC_REGISTER_BODY + 4 * i);
	*info = (struct hpcc_qp_info){
		.send_psn = (uint32_t)get(&body, HPCC_BODY_INFO_SEND_PSN),
		.expected_psn = (uint32_t)get(&body, HPCC_BODY_INFO_EXPECTED_PSN),
		.send_consumer = (uint16_t)get(&body, HPCC_BODY_INFO_SEND_CONSUMER),
		.send_producer = (uint16_t)get(&body, HPCC_BODY_INFO_SEND_PRODUCER),
		.receive_consumer = (uint16_t)get(&body, HPCC_BODY_INFO_RECEIVE_CONSUMER),
		.receive_producer = (uint16_t)get(&body, HPCC_BODY_INFO_RECEIVE_PRODUCER),
		.state = (uint8_t)get(&body, HPCC_BODY_INFO_STATE),
		.ended = (uint8_t)get(&body, HPCC_BODY_INFO_ENDED),
	};
	return 0;
}

int hpcc_destroy_qp(struct hpcc_device *device, uint32_t number)
{
	return number_command(device, HPCC_OPERATION_DESTROY_QP, number);
}
