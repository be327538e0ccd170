/* A set of labels is kept as bytes in a strset, each text behind its length, so that equal sets
 * have one number. The moment of a set is the number of GC cycles that have ended. */
#include "sampler/member/labelling.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/labels.h"
#include "runtimes/go/thread.h"
#include "sampler/thread/threads.h"
#include "sampler/member/member.h"

int labelling_init(struct labelling *l)
{
	return strset_init(&l->sets);
}

void labelling_release(struct labelling *l)
{
	strset_release(&l->sets);
}

int labelling_begin(struct member *m)
{
	golabels_free(m->labels);
	m->labels = NULL;
	m->labels_seen = false;
	m->moment = 0;
	memory_live_init(&m->live, m->process.pid);
	if (!m->has_go ||
	    govars_of_image(&m->go_vars, m->go.image, m->go.bias, &m->live.memory, NULL))
		return 0;
	return golabels_new(&m->labels, &m->live.memory, m->go_vars.layout->minor);
}

uint64_t labelling_moment(const struct member *m)
{
	uint32_t count;

	if (!m->labels_seen || !govars_gc_count(&m->go_vars, &m->live.memory, &count))
		return 0;
	return count + 1ull;
}

/* A set as bytes: for each key and each value, its length (uint32_t) and its text. */
static int labelling_add_text(struct buffer *b, const char *text, size_t len)
{
	uint32_t length = (uint32_t)len;

	return buffer_add(b, &length, sizeof(length)) || buffer_add(b, text, len) ? ERR_NOMEM : 0;
}

static int labelling_keep(struct labelling *l, const struct golabel *labels, size_t count,
			  uint32_t *set)
{
	struct buffer b = { .data = NULL };
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++)
		rc = labelling_add_text(&b, labels[i].key, labels[i].key_len) ||
		     labelling_add_text(&b, labels[i].value, labels[i].value_len);
	if (!rc)
		rc = strset_add(&l->sets, (const char *)b.data, b.len, set);
	buffer_release(&b);
	return rc ? ERR_NOMEM : 0;
}

int labelling_add(struct labelling *l, const char *key, const char *value, uint32_t *set)
{
	const struct strset_entry *e = &l->sets.entries[*set];
	struct buffer b = { .data = NULL };
	int rc = buffer_add(&b, e->text, e->len) || labelling_add_text(&b, key, strlen(key)) ||
		 labelling_add_text(&b, value, strlen(value)) ||
		 strset_add(&l->sets, (const char *)b.data, b.len, set);

	buffer_release(&b);
	return rc ? ERR_NOMEM : 0;
}

static bool has_them_still(const struct member *m, const struct gothread_goroutine *goroutine)
{
	struct gothread_goroutine now;

	return gothread_goroutine_now(&m->go, goroutine->g, &m->live.memory, &now) &&
	       now.goid == goroutine->goid && now.labels == goroutine->labels;
}

/* Sets remembered at another moment are dropped: a GC may have freed them since. */
static void remember_from(struct member *m, uint64_t moment)
{
	if (m->labels_of != moment || !moment)
		golabels_remember(m->labels, moment != 0);
	m->labels_of = moment;
}

int labelling_read(struct labelling *l, struct member *m,
		   const struct gothread_goroutine *goroutine, uint64_t moment, uint32_t *set)
{
	const struct golabel *labels;
	bool same_moment;
	size_t count;
	int rc;

	/* A GC has ended since, perhaps before the stack was taken: at the same address there may
	 * be another set than the one that is remembered. */
	if (moment && labelling_moment(m) != moment)
		moment = 0;
	remember_from(m, moment);
	rc = golabels_read(m->labels, goroutine->labels, &labels, &count);
	same_moment = moment && labelling_moment(m) == moment;
	if (!rc && (same_moment || has_them_still(m, goroutine)))
		rc = labelling_keep(l, labels, count, set);
	else
		rc = rc == ERR_NOMEM ? rc : ERR_FORMAT;
	if (!same_moment)
		remember_from(m, 0);
	return rc;
}

static bool next_text(const struct strset_entry *set, size_t *at, const char **text, size_t *len)
{
	uint32_t length;

	if (set->len - *at < sizeof(length))
		return false;
	memcpy(&length, set->text + *at, sizeof(length));
	*at += sizeof(length);
	*text = set->text + *at;
	*len = length;
	*at += length;
	return true;
}

bool labelling_next(const struct labelling *l, uint32_t set, size_t *at,
		    struct labelling_label *label)
{
	const struct strset_entry *e = &l->sets.entries[set];

	return next_text(e, at, &label->key, &label->key_len) &&
	       next_text(e, at, &label->value, &label->value_len);
}
