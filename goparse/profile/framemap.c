/* An entry that is not the one expected is found by a hash of function, file and line, and becomes
 * the expected one of its predecessor. Texts are copied into an arena. */
#include "goparse/profile/framemap.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "goparse/goparse.h"
#include "goparse/text.h"
#include "pprof/profile.h"

struct framemap_entry {
	struct goparse_text function, file; /* as printed, in `texts` */
	uint64_t line;
	uint32_t location;
	uint32_t next; /* the entry that followed this one the last time */
};

void framemap_init(struct framemap *m, struct profile *p, uint32_t mapping)
{
	*m = (struct framemap){ .profile = p, .mapping = mapping };
}

void framemap_release(struct framemap *m)
{
	hashindex_release(&m->index);
	free(m->entries);
	arena_release(&m->texts);
	framemap_init(m, NULL, 0);
}

bool framemap_same_function(const struct goparse_frame *a, const struct goparse_frame *b)
{
	return text_equal(a->function, b->function) && text_equal(a->file, b->file);
}

static bool framemap_same_frame(const void *owner, uint32_t entry, const void *key)
{
	const struct framemap_entry *e = &((const struct framemap *)owner)->entries[entry];
	const struct goparse_frame *f = key;

	return e->line == f->line && text_equal(e->function, f->function) &&
	       text_equal(e->file, f->file);
}

static int framemap_add_text(struct framemap *m, struct goparse_text *t, uint32_t *string)
{
	if (profile_text(m->profile, t->at, t->len, string))
		return ERR_NOMEM;
	t->at = arena_copy(&m->texts, t->at, t->len);
	return t->at ? 0 : ERR_NOMEM;
}

static int framemap_add_entry(struct framemap *m, const struct goparse_frame *f)
{
	struct framemap_entry e = { f->function, f->file, f->line, 0, m->count };
	struct profile_location location = { .mapping = m->mapping };
	struct profile_function function = { 0 };
	struct profile_line line = { 0 };

	/* profile.proto's lines are signed. */
	line.line = f->line < INT64_MAX ? (int64_t)f->line : INT64_MAX;
	if (framemap_add_text(m, &e.function, &function.name) ||
	    framemap_add_text(m, &e.file, &function.filename) ||
	    profile_add_function(m->profile, &function, &line.function) ||
	    profile_add_location(m->profile, &location, &line, 1, &e.location) ||
	    room_for((void **)&m->entries, &m->room, (size_t)m->count + 1, sizeof(e)))
		return ERR_NOMEM;
	m->entries[m->count++] = e;
	return 0;
}

static uint64_t hash_frame(const struct goparse_frame *f)
{
	uint64_t parts[3] = { hash_bytes(f->function.at, f->function.len),
			      hash_bytes(f->file.at, f->file.len), f->line };

	return hash_bytes(parts, sizeof(parts));
}

static int framemap_find_or_add(struct framemap *m, const struct goparse_frame *f, uint32_t *entry)
{
	uint64_t hash = hash_frame(f);

	*entry = hashindex_find(&m->index, hash, framemap_same_frame, m, f);
	if (*entry != HASHINDEX_NONE)
		return 0;
	*entry = m->count;
	return framemap_add_entry(m, f) || hashindex_add(&m->index, hash, *entry) ? ERR_NOMEM : 0;
}

int framemap_find(struct framemap *m, const struct goparse_frame *f, uint32_t *location)
{
	uint32_t entry = m->count ? m->entries[m->last].next : 0;

	if (!m->count || !framemap_same_frame(m, entry, f)) {
		if (framemap_find_or_add(m, f, &entry))
			return ERR_NOMEM;
		m->entries[m->last].next = entry;
	}
	m->last = entry;
	*location = m->entries[entry].location;
	return 0;
}
