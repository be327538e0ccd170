/* An errand (sampler/child/errand.h) that also handles SIGTERM, which ends a trace early. */
#include "rounds/collect/collecting.h"

#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "sampler/child/bound.h"
#include "sampler/child/errand.h"
#include "sampler/child/sandbox.h"
#include "rounds/collect/collected.h"
#include "rounds/collect/customname.h"
#include "rounds/source/source.h"

_Static_assert(ERRAND_FDS == 2 + SOURCE_FDS, "two of the collection's, and the source's");

enum {
	CPU_S = 600,	    /* limit, for a source in an endless loop */
	WORDS = 1 << 20,    /* bytes of the file for record heads and texts */
	MEMORY = 256 << 20, /* bytes of the file for what source_save gives */
};

struct collecting {
	struct source *source;
	uint64_t trace_ns;
	bool gc_wait;
	int file;
	uint64_t written; /* bytes of profiles */
	struct buffer data;
};

static struct source *finishing; /* for the SIGTERM handler */

static void on_term(int sig)
{
	(void)sig;
	source_finish(finishing);
}

static void collect_collecting_put(struct collecting *c, struct collection_item *item)
{
	item->time_nanos = (int64_t)clock_ns(CLOCK_REALTIME);
	if (collected_write(c->file, item, NULL))
		_exit(1);
}

/* Writes the item with the data, or with err's text as its reason if `rc` is an error. */
static void put_result(struct collecting *c, struct collection_item *item, int rc,
		       const struct source_remark *remark, struct error *err)
{
	if (!rc && c->data.len > COLLECTION_BYTES - c->written)
		rc = error_set(err, ERR_LIMIT, "the profiles of one round have more than %d MiB",
			       COLLECTION_BYTES >> 20);
	item->note = *remark->note ? remark->note : NULL;
	if (rc) {
		item->why_not = err->text;
	} else {
		item->data = c->data.data;
		item->len = c->data.len;
		item->cut = remark->cut;
		c->written += c->data.len;
	}
	collect_collecting_put(c, item);
}

static void collect_custom(struct collecting *c, const char *name)
{
	const struct goprofile_id id = { GOPROFILE_CUSTOM, name };
	struct collection_item item = { .type = CAPTURE_CUSTOM };
	char encoded[CUSTOMNAME_MAX + 1];
	struct source_remark remark = { 0 };
	struct error err = { 0 };
	int rc = 0;

	if (!customname_encode(name, encoded))
		rc = error_set(&err, ERR_LIMIT,
			       "the name is too long, or no URL can hold it: '%.80s'", encoded);
	item.name = encoded;
	c->data.len = 0;
	rc = rc ? rc : source_profile(c->source, &id, false, &c->data, &remark, &err);
	put_result(c, &item, rc, &remark, &err);
}

static void collect_customs(struct collecting *c)
{
	struct collection_item none = { .type = CAPTURE_CUSTOM, .name = "" };
	struct buffer names = { 0 };
	struct error err = { 0 };
	int rc = source_custom(c->source, &names, &err);

	if (rc)
		none.why_not = err.text;
	else if (!names.len)
		none.why_not = "the program has registered none";
	if (none.why_not)
		collect_collecting_put(c, &none);
	for (size_t at = 0; !rc && at < names.len; at += strlen((char *)names.data + at) + 1)
		collect_custom(c, (const char *)names.data + at);
	buffer_release(&names);
}

static void collect_one(struct collecting *c, enum capture_type type)
{
	struct collection_item item = { .type = type };
	struct source_remark remark = { 0 };
	struct error err = { 0 };
	int rc;

	c->data.len = 0;
	if (type == CAPTURE_GOROUTINEWAIT)
		rc = source_goroutine_waits(c->source, &c->data, &err);
	else if (type == CAPTURE_TRACE)
		rc = source_trace(c->source, c->trace_ns, &c->data, &remark, &err);
	else
		rc = source_profile(c->source, captures[type].go_profile, c->gc_wait, &c->data,
				    &remark, &err);
	put_result(c, &item, rc, &remark, &err);
}

/* Best effort: a failure only resets the wait times of goroutines. */
static void collect_collecting_put_memory(const struct collecting *c)
{
	struct buffer memory = { 0 };

	if (source_save(c->source, &memory) == 0 && memory.len && memory.len <= MEMORY &&
	    collected_write_memory(c->file, memory.data, memory.len, NULL))
		_exit(1);
	buffer_release(&memory);
}

static void collect_all(struct collecting *c, unsigned types)
{
	source_together(c->source, types, c->gc_wait);
	for (int i = 0; i < CAPTURE_TYPES; i++) {
		if (!(types & CAPTURE_BIT(i)))
			continue;
		if (i == CAPTURE_CUSTOM)
			collect_customs(c);
		else
			collect_one(c, (enum capture_type)i);
	}
	collect_collecting_put_memory(c);
	if (collected_write_end(c->file, NULL))
		_exit(1);
}

void collecting_run(struct source *s, const struct collection_request *q, int file, int pipe)
{
	struct errand_bounds bounds = { .fds = { &file, &pipe },
					.term = on_term,
					.cpu_s = CPU_S,
					.file_bytes = (uint64_t)COLLECTION_BYTES + WORDS + MEMORY };
	struct collecting c = { .source = s, .trace_ns = q->trace_ns, .gc_wait = q->gc };
	struct source_needs needs;

	source_needs(s, &needs);
	bounds.tracing = needs.tracing != 0;
	bounds.holding = needs.holding;
	memcpy(bounds.fds + 2, needs.fds, sizeof(needs.fds));
	errand_settle(&bounds);
	/* Holding needs ptrace(2), through which any filter could be evaded. */
	if (needs.tracing && !needs.holding)
		sandbox_filter(file, needs.tracing);
	c.file = file;
	finishing = s;
	unblock_signals();
	collect_all(&c, q->types);
	_exit(0);
}
