/* Lines of 512 bytes are kept in a table of four places each and belong to a walk by its number, so
 * that a new walk forgets all without touching them. */
#include "runtimes/common/walkview.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/memory.h"

enum {
	/* Bytes; a page consists of whole lines, so each exists as a whole or not at all. */
	LINE = 512,
	LINES = 2048,	/* a power of two */
	WAYS = 4,	/* places of a line */
	LAST_MAX = 160, /* lines of the last walk that are copied at once */
};

struct walkview_line {
	uint64_t addr, walk;
	bool is_used, is_missing;
};

struct walkview {
	struct memory memory;
	const struct memory *under;
	uint64_t walk;
	bool begun; /* this walk has read something */
	struct walkview_line lines[LINES];
	uint8_t bytes[LINES][LINE];
	uint64_t last[LAST_MAX],
		now[LAST_MAX]; /* lines that the last walk and this one have read */
	unsigned last_count, now_count;
};

/* The line's place, or the one to replace: one of an earlier walk, if there is one. */
static unsigned walkview_place_of(const struct walkview *s, uint64_t addr)
{
	uint64_t first = (addr / LINE * 0x9e3779b97f4a7c15) >> 40 & (LINES - 1) &
			 ~(uint64_t)(WAYS - 1);
	unsigned found = (unsigned)first + addr / LINE % WAYS;

	for (unsigned i = (unsigned)first; i < first + WAYS; i++) {
		if (s->lines[i].addr == addr && s->lines[i].walk == s->walk)
			return i;
		if (s->lines[i].walk != s->walk)
			found = i;
	}
	return found;
}

static void copy_last(struct walkview *s)
{
	struct memory_piece pieces[LAST_MAX];
	unsigned count = 0;

	for (unsigned i = 0; i < s->last_count; i++) {
		unsigned at = walkview_place_of(s, s->last[i]);

		if (s->lines[at].walk == s->walk)
			continue; /* its place is taken */
		s->lines[at] = (struct walkview_line){ .addr = s->last[i], .walk = s->walk };
		pieces[count++] = (struct memory_piece){ s->last[i], s->bytes[at], LINE };
	}
	if (count)
		memory_gather(s->under, pieces, count);
	for (unsigned i = 0; i < count; i++)
		if (!pieces[i].len) /* it will be read again, if at all */
			s->lines[((uint8_t *)pieces[i].to - s->bytes[0]) / LINE].walk = 0;
}

static int walkview_read_line(struct walkview *s, uint64_t addr, const uint8_t **bytes)
{
	unsigned at = walkview_place_of(s, addr);
	struct walkview_line *line = &s->lines[at];

	*bytes = s->bytes[at];
	if (line->addr != addr || line->walk != s->walk) {
		*line = (struct walkview_line){ .addr = addr, .walk = s->walk };
		line->is_missing = s->under->read(s->under, addr, s->bytes[at], LINE) != 0;
	}
	if (!line->is_used && s->now_count < LAST_MAX)
		s->now[s->now_count++] = addr;
	line->is_used = true;
	return line->is_missing ? ERR_IO : 0;
}

static int walkview_read_seen(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	struct walkview *s = (struct walkview *)m;

	if (!s->begun) {
		s->begun = true;
		copy_last(s);
	}
	if (len > LINES / WAYS * LINE || addr + len < addr)
		return s->under->read(s->under, addr, buf, len);
	while (len) {
		size_t from = addr % LINE, part = LINE - from < len ? LINE - from : len;
		const uint8_t *bytes;

		if (walkview_read_line(s, addr - from,
				       &bytes)) /* or the memory does not have whole pages */
			return s->under->read(s->under, addr, buf, len);
		memcpy(buf, bytes + from, part);
		buf = (uint8_t *)buf + part;
		addr += part;
		len -= part;
	}
	return 0;
}

int walkview_new(struct walkview **out, const struct memory *under)
{
	struct walkview *s = calloc(1, sizeof(*s));

	if (!s)
		return ERR_NOMEM;
	s->memory = (struct memory){ .read = walkview_read_seen };
	s->under = under;
	s->walk = 1;
	*out = s;
	return 0;
}

void walkview_free(struct walkview *s)
{
	free(s);
}

void walkview_begin(struct walkview *s)
{
	/* A walk that has read nothing, as of a thread of another kind, does not count. */
	if (!s->begun)
		return;
	memcpy(s->last, s->now, sizeof(s->last));
	s->last_count = s->now_count;
	s->now_count = 0;
	s->begun = false;
	s->walk++;
}

const struct memory *walkview_memory(struct walkview *s)
{
	return &s->memory;
}
