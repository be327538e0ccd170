/* Each thread's printed text is hashed and kept in an arena; threads of one group are a list
 * through f->next. A heading compresses their names and numbers to ranges. */
#include "cli/dump/dumpfold.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/room.h"
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

static int dumpfold_add_name(struct buffer *b, const char *name)
{
	char text[sizeof(((struct dump_thread *)0)->name)];

	memcpy(text, name, sizeof(text));
	printable(text, sizeof(text));
	return buffer_addf(b, "%s", text);
}

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
static int list_names(struct buffer *b, const char *const *names, size_t count)
{
	size_t listed = 0;
	int rc = buffer_addf(b, "\"");

	for (size_t i = 0, end; i < count && !rc; i = end) {
		const char *last = names[i];

		for (end = i + 1; end < count; end++) {
			if (!strcmp(names[end], last))
				continue;
			if (!follows(names[end], last))
				break;
			last = names[end];
		}
		if (listed++ == LISTED)
			return buffer_addf(b, ", …\"");
		rc = listed > 1 ? buffer_addf(b, ", ") : 0;
		rc = rc ? rc : dumpfold_add_name(b, names[i]);
		if (!rc && last != names[i])
			rc = buffer_addf(b, "…%s", last + digits_at(last));
	}
	return rc ? rc : buffer_addf(b, "\"");
}

static pid_t dumpfold_number_at(const pid_t *numbers, size_t size, uint32_t i)
{
	return *(const pid_t *)((const char *)numbers + i * size);
}

int dumpfold_numbers(const struct dumpfold *f, const struct dumpfold_group *g, const pid_t *numbers,
		     size_t size, struct buffer *b)
{
	uint32_t at = g->first, end = at;
	size_t listed = 0;
	int rc = 0;

	for (bool done = false; !done && !rc; at = end) {
		uint32_t last = at;

		while ((end = f->next[last]) != last &&
		       dumpfold_number_at(numbers, size, end) ==
			       dumpfold_number_at(numbers, size, last) + 1)
			last = end;
		done = end == last;
		if (listed++ == LISTED)
			return buffer_addf(b, ", …");
		rc = buffer_addf(b, "%s%d", listed > 1 ? ", " : "",
				 dumpfold_number_at(numbers, size, at));
		if (!rc && last != at)
			rc = buffer_addf(b, "-%d", dumpfold_number_at(numbers, size, last));
	}
	return rc;
}

int dumpfold_names(const struct dumpfold *f, const struct dumpfold_group *g,
		   const struct dump_thread *threads, struct buffer *b)
{
	const char **names = calloc(g->count, sizeof(*names));
	uint32_t at = g->first;
	int rc;

	if (!names)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < g->count; i++, at = f->next[at])
		names[i] = threads[at].name;
	qsort(names, g->count, sizeof(*names), dumpfold_by_name);
	rc = list_names(b, names, g->count);
	free(names);
	return rc ? ERR_NOMEM : 0;
}

int dumpfold_heading(const struct dumpfold *f, const struct dumpfold_group *g,
		     const struct dump_thread *threads, struct buffer *b)
{
	int rc = g->count > 1 ? buffer_addf(b, "%u threads ", g->count) :
				buffer_addf(b, "thread %d ", threads[g->first].tid);

	rc = rc ? rc : dumpfold_names(f, g, threads, b);
	if (!rc && g->count > 1)
		rc = buffer_addf(b, " (") ||
		     dumpfold_numbers(f, g, &threads->tid, sizeof(*threads), b) ||
		     buffer_addf(b, ")");
	return rc ? ERR_NOMEM : 0;
}

int dumpfold_each_heading(const struct dumpfold *f, const struct dumpfold_group *g,
			  const struct dump_thread *threads, struct buffer *b)
{
	int rc = g->count > 1 ? buffer_addf(b, "%u threads ", g->count) : buffer_addf(b, "thread ");

	rc = rc ? rc : dumpfold_names(f, g, threads, b);
	return rc || buffer_addf(b, " of each") ? ERR_NOMEM : 0;
}
