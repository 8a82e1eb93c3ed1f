/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Rings of entries in memory and the order of their bytes, for the files of the driver alone.
 */
#ifndef HPCC_RING_H
#define HPCC_RING_H

#include "hpcc.h"

/* The NIC's order of bytes is little endian, the host's may be either. */
static inline void put(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t get(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

/* Bytes that travel as they stand in memory, such as the immediate. */
static inline void copy(void *to, const void *from, size_t bytes)
{
	uint8_t *t = to;
	const uint8_t *f = from;
	while (bytes--)
		*t++ = *f++;
}

static inline int ring_init(struct hpcc_ring *ring, struct hpcc_device *device, uint32_t wanted, size_t entry)
{
	uint32_t count = hpcc_entries(wanted);
	if (!count)
		return HPCC_INVALID;
	ring->count = count;
	ring->entries = device->ops->allocate(device->context, count * entry, &ring->device_address);
	return ring->entries ? 0 : HPCC_NO_MEMORY;
}

static inline void ring_release(struct hpcc_ring *ring, struct hpcc_device *device, size_t entry)
{
	if (ring->entries)
		device->ops->release(device->context, ring->entries, ring->count * entry);
	ring->entries = NULL;
}

static inline uint8_t *slot(const struct hpcc_ring *ring, uint32_t index, size_t entry)
{
	return ring->entries + (index & (ring->count - 1)) * entry;
}

static inline void ring_doorbell(struct hpcc_device *device, enum hpcc_doorbell offset, uint16_t number, uint32_t index)
{
	device->ops->doorbell(device->context, offset, (uint32_t)number << 16 | (index & 0xffff));
}


/* The entry at this index of a ring that the NIC writes, if it is here. The NIC writes 1 as the phase, in the last byte, in its first round through
 * the ring, 0 in its second, and so on. */
static inline uint8_t *written_entry(const struct hpcc_ring *ring, uint32_t index, size_t bytes)
{
	uint8_t *entry = slot(ring, index, bytes);
	bool odd_round = index & ring->count;
	bool phase = *(volatile uint8_t *)(entry + bytes - 1) & HPCC_PHASE;
	if (phase == odd_round)
		return NULL;
	/* The rest of the entry is read after its phase. */
	atomic_thread_fence(memory_order_acquire);
	return entry;
}

#endif
