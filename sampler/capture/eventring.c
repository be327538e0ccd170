/* Reads the records of a ring of perf events, one by one, round its end. */
#include "sampler/capture/eventring.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "sampler/capture/event.h"

bool eventring_map(struct eventring *r, size_t bytes, size_t least, size_t most)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = least;

	while (pages * 2 <= most && pages * page < bytes)
		pages *= 2;
	for (; pages >= least; pages /= 2) {
		void *at = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
				0);

		if (at == MAP_FAILED)
			continue;
		r->head = at;
		r->data = (const uint8_t *)at + page;
		r->bytes = pages * page;
		return true;
	}
	return false;
}

void eventring_close(struct eventring *r)
{
	if (r->head)
		munmap(r->head, r->bytes + (size_t)(r->data - (const uint8_t *)r->head));
	descriptor_close(&r->fd);
}

static uint64_t eventring_tail(const struct eventring *r)
{
	return atomic_load_explicit((_Atomic uint64_t *)&r->head->data_tail, memory_order_relaxed);
}

/* The kernel may write over what lies before `tail` from now on. */
static void eventring_set_tail(struct eventring *r, uint64_t tail)
{
	atomic_store_explicit((_Atomic uint64_t *)&r->head->data_tail, tail, memory_order_release);
}

static uint64_t eventring_head(const struct eventring *r)
{
	return atomic_load_explicit((_Atomic uint64_t *)&r->head->data_head, memory_order_acquire);
}

/* Copies `len` bytes at the distance `at`, round the ring's end where it lies there. */
static void copy_out(const struct eventring *r, uint64_t at, void *to, size_t len)
{
	size_t from = at & (r->bytes - 1), first = r->bytes - from < len ? r->bytes - from : len;

	memcpy(to, r->data + from, first);
	memcpy((uint8_t *)to + first, r->data, len - first);
}

/* Finds the first record that is not read. */
static void eventring_find_next(struct eventring *r)
{
	uint64_t at = eventring_tail(r), left = r->end - at;

	r->next_ns = UINT64_MAX;
	if (left >= sizeof(r->next) && left <= r->bytes)
		copy_out(r, at, &r->next, sizeof(r->next));
	if (left < sizeof(r->next) + sizeof(uint64_t) || left > r->bytes ||
	    r->next.size < sizeof(r->next) + 2 * sizeof(uint64_t) || r->next.size > left) {
		eventring_set_tail(r, r->end);
		return;
	}
	at += sizeof(r->next);
	copy_out(r, at + event_time_at(&r->next, r->next.size - sizeof(r->next)), &r->next_ns,
		 sizeof(r->next_ns));
}

void eventring_begin_turn(struct eventring *r)
{
	r->end = eventring_head(r);
	eventring_find_next(r);
}

void eventring_pass(struct eventring *r)
{
	eventring_set_tail(r, eventring_tail(r) + r->next.size);
	eventring_find_next(r);
}

pid_t eventring_process(const struct eventring *r)
{
	int32_t pid;

	copy_out(r, eventring_tail(r) + sizeof(r->next) + event_process_at(&r->next), &pid,
		 sizeof(pid));
	return pid;
}

const uint8_t *eventring_body(const struct eventring *r, uint8_t *room, size_t *len)
{
	uint64_t at = eventring_tail(r) + sizeof(r->next);
	size_t from = at & (r->bytes - 1);

	*len = r->next.size - sizeof(r->next);
	if (from + *len <= r->bytes)
		return r->data + from;
	copy_out(r, at, room, *len);
	return room;
}

bool eventring_tells_exec(const struct eventring *r, pid_t pid)
{
	uint64_t at = eventring_tail(r), end = eventring_head(r);
	struct perf_event_header header;
	int32_t of;

	for (; end - at >= sizeof(header) + sizeof(of) && end - at <= r->bytes; at += header.size) {
		copy_out(r, at, &header, sizeof(header));
		copy_out(r, at + sizeof(header), &of, sizeof(of));
		if (event_is_exec(&header) && of == pid)
			return true;
		if (header.size < sizeof(header))
			break;
	}
	return false;
}
