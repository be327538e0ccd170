/* Batches are read as far as they are complete, from where the last look ended. Threads of a
 * generation are kept in a sorted list, to estimate what its end will take. */
#include "rounds/source/tracecut.h"

#include <string.h>

#include "base/cursor.h"
#include "base/error.h"

/* tracev2/events.go */
enum { EV_EVENT_BATCH = 1, EV_EXPERIMENTAL_BATCH = 49, EV_END_OF_GENERATION = 52 };

enum {
	SIGNALS_VERSION = 26, /* the first version with an event at the end of a generation */
	LAST_VERSION = 26,    /* the last that we parse: the format may change */
	BATCH_HEADER_MAX = 2 + 4 * 10,
	TABLES = 256 << 10, /* a server's strings and stacks, roughly */
};

static bool tracecut_is_known(const struct tracecut *t)
{
	return t->version >= TRACECUT_FIRST && t->version <= LAST_VERSION;
}

/* "go 1.22 trace\0\0\0" (internal/trace/version; runtime/trace.go before Go 1.22). */
static int tracecut_take_header(struct tracecut *t, const void *data, struct error *err)
{
	struct cursor c;
	uint64_t version;

	cursor_init(&c, data, TRACECUT_HEADER, "the trace");
	for (const char *ch = "go 1."; *ch; ch++)
		cursor_expect(&c, *ch);
	version = cursor_number(&c, 10);
	for (const char *ch = " trace"; *ch; ch++)
		cursor_expect(&c, *ch);
	while (!c.failed && cursor_left(&c))
		cursor_expect(&c, '\0');
	if (c.failed || version < 5 || version > 999)
		return error_set(err, ERR_FORMAT, "it is no execution trace of Go");
	t->version = (unsigned)version;
	t->at = TRACECUT_HEADER;
	return 0;
}

static void note_thread(struct tracecut *t, uint64_t thread)
{
	size_t i = t->thread_count;

	while (i && t->threads[i - 1] > thread)
		i--;
	if ((i && t->threads[i - 1] == thread) || t->thread_count == TRACECUT_THREADS)
		return;
	memmove(t->threads + i + 1, t->threads + i, (t->thread_count - i) * sizeof(*t->threads));
	t->threads[i] = thread;
	t->thread_count++;
}

/* The bytes before the offset `at` are whole generations. */
static void end_generation(struct tracecut *t, size_t at)
{
	t->whole = at;
	t->generation = 0;
	t->thread_count = 0;
}

/* A generation begins with its first batch. Until Go 1.25 that also ends the generation before. */
static void enter_generation(struct tracecut *t, uint64_t generation, uint64_t thread, size_t at,
			     struct cursor *c)
{
	bool another = t->generation && generation != t->generation;

	if (!generation || (another && t->version >= SIGNALS_VERSION))
		cursor_fail(c, "a generation has no end");
	else if (another)
		end_generation(t, at);
	t->generation = generation;
	note_thread(t, thread);
}

/* Takes a batch after its first byte. False: it is not complete yet. */
static bool take_batch(struct tracecut *t, size_t at, struct cursor *c)
{
	size_t left = cursor_left(c);
	uint64_t generation = cursor_uleb(c), thread = cursor_uleb(c), size;

	cursor_uleb(c); /* time */
	size = cursor_uleb(c);
	if (c->failed && left < BATCH_HEADER_MAX)
		return false;
	if (!c->failed && size > TRACECUT_BATCH)
		cursor_fail(c, "a batch is too long");
	if (c->failed)
		return true;
	if (size > cursor_left(c))
		return false;
	enter_generation(t, generation, thread, at, c);
	cursor_bytes(c, size);
	return true;
}

static bool take_next(struct tracecut *t, size_t at, struct cursor *c)
{
	switch (cursor_byte(c)) {
	case EV_END_OF_GENERATION:
		if (t->version < SIGNALS_VERSION)
			break;
		end_generation(t, at + 1);
		return true;
	case EV_EXPERIMENTAL_BATCH:
		if (!cursor_left(c))
			return false;
		cursor_byte(c); /* which one */
		return take_batch(t, at, c);
	case EV_EVENT_BATCH:
		return take_batch(t, at, c);
	}
	cursor_fail(c, "a batch of events was expected");
	return true;
}

int tracecut_look(struct tracecut *t, const void *data, size_t len, struct error *err)
{
	struct cursor c;
	int rc = 0;

	if (!t->version && len >= TRACECUT_HEADER)
		rc = tracecut_take_header(t, data, err);
	if (rc || !tracecut_is_known(t))
		return rc;
	cursor_init(&c, data, len, "the trace");
	cursor_bytes(&c, t->at);
	while (cursor_left(&c) && take_next(t, t->at, &c)) {
		if (cursor_error(&c, err))
			return ERR_FORMAT;
		t->at = cursor_offset(&c);
	}
	return 0;
}

size_t tracecut_tail(const struct tracecut *t)
{
	return tracecut_is_known(t) ? t->thread_count * (size_t)TRACECUT_BATCH + TABLES : 0;
}

bool tracecut_complete(const struct tracecut *t, size_t len)
{
	if (!tracecut_is_known(t))
		return t->version;
	return t->at == len && (t->version < SIGNALS_VERSION || !t->generation);
}
