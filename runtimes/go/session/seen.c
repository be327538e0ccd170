/* Two generations are kept, of the look before and of this one, each found by goid. They are passed
 * from process to process as records of 72 bytes behind a magic text. */
#include "runtimes/go/session/seen.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/hashindex.h"
#include "base/room.h"

static const char MAGIC[] = "swaits1\n"; /* written without its NUL */

enum { SAVED = 72, COUNT_MAX = 1 << 26, MAGIC_LEN = sizeof(MAGIC) - 1 };

struct seen_entry {
	struct sighting s;
	struct seen_wait wait; /* since: end of its first look; after: start of the look before */
	uint32_t gc_cycles;    /* by the end of the look that saw it first */
	bool known;	       /* gc_cycles is known */
	bool fresh;	       /* seen first in the current look */
};

/* What one look has seen. */
struct generation {
	struct seen_entry *entries; /* owned */
	size_t count, room;
	struct hashindex index; /* by goid */
};

struct seen {
	struct generation last, present;
	int64_t last_began, began; /* the beginnings of both looks; INT64_MIN: none */
	bool known;
	uint32_t gc_cycles; /* GC cycles begun before the current look */
};

int seen_new(struct seen **s)
{
	*s = calloc(1, sizeof(**s));
	if (!*s)
		return ERR_NOMEM;
	(*s)->last_began = (*s)->began = INT64_MIN;
	return 0;
}

static void seen_release(struct generation *g)
{
	free(g->entries);
	hashindex_release(&g->index);
}

void seen_free(struct seen *s)
{
	if (!s)
		return;
	seen_release(&s->last);
	seen_release(&s->present);
	free(s);
}

static uint32_t seen_find(const struct generation *g, uint64_t goid)
{
	return HASHINDEX_NUMBER(&g->index, g->entries, s.goid, goid);
}

static int seen_add(struct generation *g, const struct seen_entry *e)
{
	if (g->count >= COUNT_MAX ||
	    room_for((void **)&g->entries, &g->room, g->count + 1, sizeof(*g->entries)) ||
	    hashindex_add_number(&g->index, e->s.goid, (uint32_t)g->count))
		return ERR_NOMEM;
	g->entries[g->count++] = *e;
	return 0;
}

void seen_begin(struct seen *s, int64_t now, bool known, uint32_t gc_cycles)
{
	s->began = now;
	s->present.count = 0;
	hashindex_clear(&s->present.index);
	s->known = known;
	s->gc_cycles = gc_cycles;
}

/* True if a GC cycle has begun after the goroutine was seen first and has ended before this look.
 * The last cycle that has begun may still run, but the one before it has ended. The very first
 * cycle does not note times. */
static bool gc_looked(const struct seen *s, const struct seen_entry *e)
{
	uint32_t ended = s->gc_cycles - 1;

	return s->known && e->known && s->gc_cycles > 2 && (int32_t)(ended - e->gc_cycles) > 0;
}

static bool still_waits(const struct seen *s, const struct seen_entry *e,
			const struct sighting *now)
{
	const struct sighting *then = &e->s;

	if (then->pc != now->pc || then->stack_used != now->stack_used ||
	    then->reason != now->reason || then->syscall != now->syscall ||
	    then->sequence != now->sequence)
		return false;
	/* Once set, wait_since changes only if the goroutine runs. */
	if (then->wait_since && then->wait_since != now->wait_since)
		return false;
	return now->wait_since || !gc_looked(s, e);
}

int seen_look(struct seen *s, const struct sighting *now, struct seen_wait *wait)
{
	uint32_t id = seen_find(&s->last, now->goid);
	struct seen_entry e = { .fresh = true, .wait = { INT64_MAX, s->last_began } };

	if (id != HASHINDEX_NONE && still_waits(s, &s->last.entries[id], now))
		e = s->last.entries[id];
	*wait = e.wait;
	e.s = *now;
	return seen_add(&s->present, &e);
}

void seen_end(struct seen *s, int64_t now, bool known, uint32_t gc_cycles)
{
	struct generation last = s->last;

	for (size_t i = 0; i < s->present.count; i++) {
		struct seen_entry *e = &s->present.entries[i];

		if (!e->fresh)
			continue;
		e->fresh = false;
		e->wait.since = now;
		e->known = known;
		e->gc_cycles = gc_cycles;
	}
	s->last = s->present;
	s->present = last;
	s->last_began = s->began;
}

static int save_entry(struct buffer *out, const struct seen_entry *e)
{
	uint64_t words[SAVED / 8] = {
		e->s.goid,
		e->s.pc,
		e->s.stack_used,
		(uint64_t)e->s.wait_since,
		(uint64_t)e->s.reason << 32 | e->s.syscall,
		e->s.sequence,
		(uint64_t)e->wait.since,
		(uint64_t)e->wait.after,
		(uint64_t)e->known << 32 | e->gc_cycles,
	};

	return buffer_add(out, words, sizeof(words));
}

int seen_save(const struct seen *s, struct buffer *out)
{
	int rc = buffer_add(out, MAGIC, MAGIC_LEN) ||
				 buffer_add(out, &s->last_began, sizeof(s->last_began)) ?
			 ERR_NOMEM :
			 0;

	for (size_t i = 0; i < s->last.count && !rc; i++)
		rc = save_entry(out, &s->last.entries[i]);
	return rc;
}

static struct seen_entry load_entry(struct cursor *c)
{
	struct seen_entry e = { 0 };
	uint64_t word;

	e.s.goid = cursor_uint(c, 8);
	e.s.pc = cursor_uint(c, 8);
	e.s.stack_used = cursor_uint(c, 8);
	e.s.wait_since = (int64_t)cursor_uint(c, 8);
	word = cursor_uint(c, 8);
	e.s.reason = (uint32_t)(word >> 32);
	e.s.syscall = (uint32_t)word;
	e.s.sequence = (uint32_t)cursor_uint(c, 8);
	e.wait.since = (int64_t)cursor_uint(c, 8);
	e.wait.after = (int64_t)cursor_uint(c, 8);
	word = cursor_uint(c, 8);
	e.known = word >> 32 & 1;
	e.gc_cycles = (uint32_t)word;
	return e;
}

int seen_load(struct seen *s, const void *data, size_t len, struct error *err)
{
	const uint8_t *magic;
	struct cursor c;
	int rc = 0;

	s->last.count = 0;
	hashindex_clear(&s->last.index);
	cursor_init(&c, data, len, "the goroutines seen waiting");
	magic = cursor_bytes(&c, MAGIC_LEN);
	if (magic && memcmp(magic, MAGIC, MAGIC_LEN))
		cursor_fail(&c, "not such a memory");
	s->last_began = (int64_t)cursor_uint(&c, 8);
	while (!rc && cursor_left(&c)) {
		struct seen_entry e = load_entry(&c);

		if (!c.failed && seen_add(&s->last, &e))
			rc = error_nomem(err);
	}
	if (!rc)
		rc = cursor_error(&c, err);
	if (rc) {
		s->last_began = INT64_MIN;
		s->last.count = 0;
		hashindex_clear(&s->last.index);
	}
	return rc;
}

/* Takes over the times of the waits that `older` saw first. */
static void take_times(struct seen *s, struct seen *older)
{
	for (size_t i = 0; i < s->last.count; i++) {
		struct seen_entry *now = &s->last.entries[i];
		uint32_t id = seen_find(&older->last, now->s.goid);
		const struct seen_entry *then = &older->last.entries[id == HASHINDEX_NONE ? 0 : id];

		older->known = now->known;
		older->gc_cycles = now->gc_cycles;
		if (id == HASHINDEX_NONE || !still_waits(older, then, &now->s) ||
		    then->wait.since >= now->wait.since)
			continue;
		now->wait = then->wait;
		now->known = then->known;
		now->gc_cycles = then->gc_cycles;
	}
}

int seen_merge(struct seen *s, const void *data, size_t len, struct error *err)
{
	struct seen *other;
	int rc = seen_new(&other);

	if (rc)
		return error_nomem(err);
	rc = seen_load(other, data, len, err);
	if (!rc && other->last_began > s->last_began) {
		struct generation last = s->last;

		s->last = other->last;
		s->last_began = other->last_began;
		other->last = last;
	}
	if (!rc)
		take_times(s, other);
	seen_free(other);
	return rc;
}
