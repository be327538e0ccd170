/* Each lock with the stacks that waited for it and those that held it, as text. */
#include "pprof/report/reports.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/printer.h"
#include "pprof/graph/measure.h"
#include "pprof/graph/text.h"
#include "pprof/profile.h"
#include "pprof/report/heading.h"
#include "pprof/report/lockwaits.h"

enum { STACKS_SHOWN = 5 }; /* of waiters, for each lock */

struct locks_text {
	struct locks l;
	const char *unit; /* that values are shown in */
	struct printer *out;
};

static void locks_add_value(const struct locks_text *t, int64_t value)
{
	stacktext_print_value(t->out, value, t->l.total, heading_unit(t->l.p, t->l.v), t->unit);
}

static void locks_add_holder(const struct locks_text *t, const struct wait *w)
{
	locks_add_value(t, w->sum);
	if (!w->owner) {
		print_to(t->out, "  the holder is not known\n");
		return;
	}
	print_to(t->out, "  held by thread %ld", (long)w->owner);
	if (w->owner_name) {
		print_to(t->out, " \"");
		text_add_string(t->out, t->l.p, w->owner_name);
		print_to(t->out, "\"");
	}
	print_to(t->out, w->held_at ? ", in\n" : ", its stack was not taken\n");
	stacktext_print(t->out, strset_get(&t->l.p->strings, w->held_at), t->l.v->width);
}

/* Where they waited. */
static void locks_add_stacks(const struct locks_text *t, const struct wait *stacks, size_t count)
{
	for (size_t i = 0; i < count && i < STACKS_SHOWN; i++) {
		if (!stacks[i].stack)
			continue;
		locks_add_value(t, stacks[i].sum);
		print_to(t->out, "  waited in\n");
		stacktext_print(t->out, strset_get(&t->l.stacks.stacks, stacks[i].stack),
				t->l.v->width);
	}
	if (count > STACKS_SHOWN)
		print_to(t->out, "%18s  and in %zu more stacks\n", "", count - STACKS_SHOWN);
}

/* `mutex 0x1234`, `20 condition variables` */
static void locks_add_name(const struct locks_text *t, const struct wait *first, size_t locks)
{
	const char *name = strset_get(&t->l.p->strings, first->lock);

	if (locks == 1)
		text_add_string(t->out, t->l.p, first->lock);
	else
		print_to(t->out, "%zu %s", locks,
			 locks_is_condition(name) ? "condition variables" : "semaphores");
}

static void locks_add_lock(const struct locks_text *t, struct wait *list, size_t count)
{
	struct wait *stacks = malloc((count + 1) * sizeof(*stacks));
	size_t waiters = locks_count_waiters(list, count), holders;
	size_t locks = locks_count_locks(list, count);

	locks_add_value(t, list->lock_sum);
	locks_add_name(t, list, locks);
	print_to(t->out, ", %zu thread%s waited\n", waiters, waiters == 1 ? "" : "s");
	if (stacks) {
		memcpy(stacks, list, count * sizeof(*stacks));
		locks_add_stacks(t, stacks, locks_join_stacks(stacks, count));
	} else {
		printer_fail(t->out, ERR_NOMEM);
	}
	holders = locks_join_holders(list, count);
	for (size_t i = 0; !list->ownerless && i < holders; i++)
		locks_add_holder(t, &list[i]);
	free(stacks);
}

static void locks_add_all(const struct locks_text *t)
{
	const struct wait *list = t->l.list;

	heading_profile(t->l.p, t->l.v, t->l.total, t->unit, t->out);
	for (size_t i = 0, count; !t->out->rc && i < t->l.count; i += count) {
		count = locks_group(&t->l, i);
		if (!i || list[i].ownerless != list[i - 1].ownerless)
			print_to(t->out, list[i].ownerless ? "Waits for what has no owner\n" :
							     "Waits for locks\n");
		locks_add_lock(t, t->l.list + i, count);
	}
}

int report_locks(const struct profile *p, const struct report_view *v, struct buffer *out,
		 struct error *err)
{
	struct printer to = { out, 0 };
	struct locks_text t = { .unit = v->unit ? v->unit : "minimum", .out = &to };
	int rc = locks_find(&t.l, p, v, err);

	if (!rc)
		locks_add_all(&t);
	locks_release(&t.l);
	return rc ? rc : printer_result(&to, err);
}
