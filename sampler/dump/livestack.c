/* A piece is read from the page of the address that was missed, up to the end of its mapping, into
 * one buffer of LIVESTACK_BYTES. */
#include "sampler/dump/livestack.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/error.h"
#include "base/process/maps.h"

static const uint64_t PAGE = 4096;

/* The newest piece is tried first, because a walk goes upward. */
static const char *livestack_find(const struct livestack *r, uint64_t addr, size_t len)
{
	for (size_t i = r->count; i-- > 0;) {
		const struct livestack_piece *p = &r->pieces[i];

		if (addr - p->start <= p->len && len <= p->len - (addr - p->start))
			return p->bytes + (addr - p->start);
	}
	return NULL;
}

static size_t length_at(const struct livestack *r, uint64_t addr, uint64_t start)
{
	struct span span;

	if (!r->spans || !spans_find(r->spans, addr, &span) || span.end - start > LIVESTACK_PIECE)
		return LIVESTACK_PIECE;
	return (size_t)(span.end - start);
}

/* Reads a piece from the page of `addr` on, or as much of it as is mapped. ERR_SHORT: there is no
 * room for another piece; ERR_IO. */
static int livestack_read_piece(struct livestack *r, uint64_t addr)
{
	uint64_t start = addr & ~(PAGE - 1);
	size_t len = length_at(r, addr, start);
	struct iovec local = { r->bytes + r->used, len };
	struct iovec remote = { (void *)(uintptr_t)start, len };
	ssize_t got;

	if (r->count == LIVESTACK_PIECES || LIVESTACK_BYTES - r->used < LIVESTACK_PIECE)
		return ERR_SHORT;
	got = memory_live_call(r->pid, &local, 1, &remote, 1);
	if (got <= 0)
		return ERR_IO;
	r->pieces[r->count++] = (struct livestack_piece){ start, (size_t)got, r->bytes + r->used };
	r->used += (size_t)got;
	return 0;
}

static int read_livestack(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	struct livestack *r = (struct livestack *)
		m; /* part of a struct livestack that is not const */
	const char *bytes;
	int rc;

	if (r->first && !r->first->read(r->first, addr, buf, len))
		return 0;
	bytes = livestack_find(r, addr, len);
	if (!bytes) {
		rc = livestack_read_piece(r, addr);
		if (rc)
			return rc;
		bytes = livestack_find(r, addr, len);
	}
	if (!bytes)
		return ERR_IO;
	memcpy(buf, bytes, len);
	return 0;
}

int livestack_init(struct livestack *r)
{
	memset(r, 0, sizeof(*r));
	r->memory.read = read_livestack;
	r->bytes = malloc(LIVESTACK_BYTES);
	return r->bytes ? 0 : ERR_NOMEM;
}

void livestack_release(struct livestack *r)
{
	free(r->bytes);
	r->bytes = NULL;
}

void livestack_into(struct livestack *r, pid_t pid, const struct memory *first)
{
	r->pid = pid;
	r->first = first;
	r->used = r->count = 0;
}
