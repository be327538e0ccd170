/* Neighbours are joined, the program's mapping is put first, and its huge pages are dropped:
 * pprof's order of steps. */
#include "pprof/legacy/maptidy.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/legacy/build.h"
#include "pprof/legacy/text.h"

static bool may_be_same(uint32_t one, uint32_t other)
{
	return !one || !other || one == other;
}

static bool adjacent(const struct profile_mapping *a, const struct profile_mapping *b)
{
	return may_be_same(a->filename, b->filename) && may_be_same(a->build_id, b->build_id) &&
	       a->limit == b->start &&
	       (!a->offset || !b->offset || a->offset + (a->limit - a->start) == b->offset);
}

static void join_adjacent(struct legacy *l)
{
	size_t kept = l->mapping_count ? 1 : 0;

	for (size_t i = 1; i < l->mapping_count; i++) {
		struct profile_mapping *last = &l->mappings[kept - 1], *m = &l->mappings[i];

		if (!adjacent(last, m)) {
			l->mappings[kept++] = *m;
			continue;
		}
		last->limit = m->limit;
		if (m->filename)
			last->filename = m->filename;
		if (m->build_id)
			last->build_id = m->build_id;
	}
	l->mapping_count = kept;
}

/* [.]so$|[.]so[._][0-9]+  anywhere in the name */
static bool is_library(struct cursor name)
{
	ptrdiff_t at;

	while ((at = text_find(&name, ".so")) >= 0) {
		int next, digit;

		cursor_bytes(&name, (size_t)at + 3);
		next = text_peek(&name, 0);
		digit = text_peek(&name, 1);
		if (next < 0 || ((next == '.' || next == '_') && digit >= '0' && digit <= '9'))
			return true;
	}
	return false;
}

/* The name without "(deleted)", wherever that stands in it. 0 or ERR_NOMEM. */
static int without_deleted(struct cursor name, struct buffer *plain)
{
	ptrdiff_t at;

	plain->len = 0;
	while ((at = text_find(&name, "(deleted)")) >= 0) {
		if (buffer_add(plain, name.pos, (size_t)at))
			return ERR_NOMEM;
		cursor_bytes(&name, (size_t)at + strlen("(deleted)"));
	}
	return buffer_add(plain, name.pos, cursor_left(&name));
}

static bool may_be_program(const struct buffer *plain)
{
	struct cursor c;

	cursor_init(&c, plain->data, plain->len, "name");
	text_trim(&c);
	return cursor_left(&c) && text_peek(&c, 0) != '[' && !is_library(c);
}

static int put_program_first(struct legacy *l)
{
	struct buffer plain = { 0 };
	bool found = false;
	int rc = 0;

	for (size_t i = 0; !rc && !found && i < l->mapping_count; i++) {
		struct profile_mapping m = l->mappings[i];
		const struct strset_entry *name = &l->p->strings.entries[m.filename];
		struct cursor c;

		cursor_init(&c, name->text, name->len, "name");
		rc = without_deleted(c, &plain);
		found = !rc && may_be_program(&plain);
		if (found) {
			l->mappings[i] = l->mappings[0];
			l->mappings[0] = m;
		}
	}
	buffer_release(&plain);
	return rc;
}

static void drop_huge_pages(struct legacy *l)
{
	const char *name;

	if (l->mapping_count < 2 || l->mappings[0].limit != l->mappings[1].start)
		return;
	name = strset_get(&l->p->strings, l->mappings[0].filename);
	if (strncmp(name, "/anon_hugepage", strlen("/anon_hugepage")) == 0)
		memmove(l->mappings, l->mappings + 1, --l->mapping_count * sizeof(*l->mappings));
}

int maps_tidy(struct legacy *l)
{
	static const uint64_t usual_start = 0x400000;
	struct profile_mapping *m = l->mappings;

	join_adjacent(l);
	if (put_program_first(l))
		return error_nomem(l->err);
	drop_huge_pages(l);
	if (l->mapping_count && m->start - m->offset == usual_start) {
		m->start = usual_start;
		m->offset = 0;
	}
	return 0;
}
