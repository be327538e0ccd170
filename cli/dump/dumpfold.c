/* Each thread's printed text is hashed and kept in an arena; threads of one group are a list
 * through f->next. A heading compresses their names and numbers to ranges. */
#include "cli/dump/dumpfold.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "base/printer.h"
#include "sampler/dump/dumping.h"

/* How many names or ranges of numbers a heading lists. */
enum { LISTED = 6 };

struct dumpfold_text {
	const void *data;
	size_t len;
};

static bool dumpfold_same_text(const void *owner, uint32_t i, const void *key)
{
	const struct dumpfold_group *g = &((const struct dumpfold *)owner)->groups[i];
	const struct dumpfold_text *t = key;

	return g->len == t->len && !memcmp(g->text, t->data, t->len);
}

static int add_group(struct dumpfold *f, uint32_t thread, const struct dumpfold_text *t,
		     uint64_t hash)
{
	const char *text = arena_copy(&f->texts, t->data, t->len);

	if (!text || room_for((void **)&f->groups, &f->room, f->count + 1, sizeof(*f->groups)) ||
	    hashindex_add(&f->index, hash, (uint32_t)f->count))
		return ERR_NOMEM;
	f->groups[f->count++] = (struct dumpfold_group){ thread, thread, 1, text, t->len };
	return 0;
}

int dumpfold_add(struct dumpfold *f, uint32_t thread, const void *text, size_t len)
{
	struct dumpfold_text t = { text, len };
	uint64_t hash = hash_bytes(text, len);
	uint32_t at = hashindex_find(&f->index, hash, dumpfold_same_text, f, &t);
	struct dumpfold_group *g;

	if (room_for((void **)&f->next, &f->next_room, thread + 1ul, sizeof(*f->next)))
		return ERR_NOMEM;
	f->next[thread] = thread;
	if (at == HASHINDEX_NONE)
		return add_group(f, thread, &t, hash);
	g = &f->groups[at];
	f->next[g->last] = thread;
	g->last = thread;
	g->count++;
	return 0;
}

void dumpfold_release(struct dumpfold *f)
{
	free(f->groups);
	free(f->next);
	hashindex_release(&f->index);
	arena_release(&f->texts);
}

/* Lists: "idle-0…15", "main" and "4712-4727, 4730". */

static size_t digits_at(const char *name)
{
	size_t at = strlen(name);

	while (at && isdigit((unsigned char)name[at - 1]))
		at--;
	return at;
}

/* Is it "idle-8" after "idle-7"? */
static bool follows(const char *name, const char *before)
{
	size_t at = digits_at(name);

	return name[at] && at == digits_at(before) && before[at] && !strncmp(name, before, at) &&
	       strtoul(name + at, NULL, 10) == strtoul(before + at, NULL, 10) + 1;
}

static int dumpfold_by_name(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* `names` is sorted. */
static void list_names(struct printer *p, const char *const *names, size_t count)
{
	size_t listed = 0;

	for (size_t i = 0, end; i < count; i = end) {
		const char *last = names[i];

		for (end = i + 1; end < count; end++) {
			if (!strcmp(names[end], last))
				continue;
			if (!follows(names[end], last))
				break;
			last = names[end];
		}
		if (listed++ == LISTED) {
			print_to(p, ", …");
			return;
		}
		print_to(p, listed > 1 ? ", " : "");
		print_foreign(p, names[i]);
		if (last != names[i])
			print_to(p, "…%s", last + digits_at(last));
	}
}

static pid_t dumpfold_number_at(const pid_t *numbers, size_t size, uint32_t i)
{
	return *(const pid_t *)((const char *)numbers + i * size);
}

void dumpfold_numbers(const struct dumpfold *f, const struct dumpfold_group *g,
		      const pid_t *numbers, size_t size, struct printer *p)
{
	uint32_t at = g->first, end = at;
	size_t listed = 0;

	for (bool done = false; !done; at = end) {
		uint32_t last = at;

		while ((end = f->next[last]) != last &&
		       dumpfold_number_at(numbers, size, end) ==
			       dumpfold_number_at(numbers, size, last) + 1)
			last = end;
		done = end == last;
		if (listed++ == LISTED) {
			print_to(p, ", …");
			return;
		}
		print_to(p, "%s%d", listed > 1 ? ", " : "", dumpfold_number_at(numbers, size, at));
		if (last != at)
			print_to(p, "-%d", dumpfold_number_at(numbers, size, last));
	}
}

void dumpfold_names(const struct dumpfold *f, const struct dumpfold_group *g,
		    const struct dump_thread *threads, struct printer *p)
{
	const char **names = calloc(g->count, sizeof(*names));
	uint32_t at = g->first;

	if (!names) {
		p->rc = ERR_NOMEM;
		return;
	}
	for (uint32_t i = 0; i < g->count; i++, at = f->next[at])
		names[i] = threads[at].name;
	qsort(names, g->count, sizeof(*names), dumpfold_by_name);
	print_to(p, "\"");
	list_names(p, names, g->count);
	print_to(p, "\"");
	free(names);
}

void dumpfold_heading(const struct dumpfold *f, const struct dumpfold_group *g,
		      const struct dump_thread *threads, bool of_each, struct printer *p)
{
	if (g->count > 1)
		print_to(p, "%u threads ", g->count);
	else if (of_each)
		print_to(p, "thread ");
	else
		print_to(p, "thread %d ", threads[g->first].tid);
	dumpfold_names(f, g, threads, p);
	if (of_each) {
		print_to(p, " of each");
	} else if (g->count > 1) {
		print_to(p, " (");
		dumpfold_numbers(f, g, &threads->tid, sizeof(*threads), p);
		print_to(p, ")");
	}
}
