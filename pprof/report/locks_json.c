/* The waits for locks as JSON: each lock, with all stacks in which threads waited for it and all of
 * its holders. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/profile.h"
#include "pprof/report/lockwaits.h"
#include "pprof/report/reportjson.h"
#include "pprof/report/reports.h"

static void locks_json_stacks(const struct locks *l, struct json *j, const struct wait *stacks,
			      size_t count)
{
	json_add(j, ",\n \"stacks\":[");
	for (size_t i = 0; i < count && reportjson_row(j, i); i++) {
		json_addf(j, "  {\"value\":%ld", (long)stacks[i].sum);
		reportjson_frames(j, strset_get(&l->stacks.stacks, stacks[i].stack),
				  stacks[i].stack);
		json_add(j, "}");
	}
	json_add(j, "]");
}

static void locks_json_holders(const struct locks *l, struct json *j, const struct wait *holders,
			       size_t count)
{
	const struct strset *strings = &l->p->strings;

	json_add(j, ",\n \"holders\":[");
	for (size_t i = 0; i < count && reportjson_row(j, i); i++) {
		const struct wait *w = &holders[i];

		json_addf(j, "  {\"value\":%ld", (long)w->sum);
		reportjson_number(j, "tid", w->owner, w->owner != 0);
		json_add(j, ",\"thread\":");
		json_add_text(j, w->owner && w->owner_name ? strset_get(strings, w->owner_name) :
							     NULL);
		reportjson_frames(j, strset_get(strings, w->held_at), w->owner && w->held_at);
		json_add(j, "}");
	}
	json_add(j, "]");
}

/* {"lock":…: the name if it is one lock, else null. */
static void locks_json_name(const struct locks *l, struct json *j, const struct wait *first,
			    size_t locks, size_t waiters)
{
	const char *name = strset_get(&l->p->strings, first->lock);

	json_add(j, "{\"lock\":");
	json_add_text(j, locks == 1 ? name : NULL);
	json_addf(j, ",\"kind\":\"%s\",\"count\":%zu,\"waiters\":%zu,\"value\":%ld",
		  !first->ownerless	   ? "lock" :
		  locks_is_condition(name) ? "condition variable" :
					     "semaphore",
		  locks, waiters, (long)first->lock_sum);
}

static void locks_json_lock(const struct locks *l, struct json *j, struct wait *list, size_t count)
{
	struct wait *stacks = malloc((count + 1) * sizeof(*stacks));
	size_t waiters = locks_count_waiters(list, count);
	size_t locks = locks_count_locks(list, count);

	locks_json_name(l, j, list, locks, waiters);
	if (stacks) {
		memcpy(stacks, list, count * sizeof(*stacks));
		locks_json_stacks(l, j, stacks, locks_join_stacks(stacks, count));
	} else {
		j->rc = j->rc ? j->rc : ERR_NOMEM;
	}
	locks_json_holders(l, j, list, list->ownerless ? 0 : locks_join_holders(list, count));
	json_add(j, "}");
	free(stacks);
}

static int locks_json_all(const struct locks *l, struct json *j, struct error *err)
{
	reportjson_open(j, "locks");
	reportjson_profile(j, l->p, l->v, l->total);
	reportjson_selection(j, l->v);
	json_add(j, ",\n\"rows\":[");
	for (size_t i = 0, n = 0, count; i < l->count && reportjson_row(j, n++); i += count) {
		count = locks_group(l, i);
		locks_json_lock(l, j, l->list + i, count);
	}
	return reportjson_close(j, err);
}

int report_locks_json(const struct profile *p, const struct report_view *v, struct buffer *out,
		      struct error *err)
{
	struct json j = { out, 0 };
	struct locks l;
	int rc = locks_find(&l, p, v, err);

	if (!rc)
		rc = locks_json_all(&l, &j, err);
	locks_release(&l);
	return rc;
}
