/* The compilers' steps are tried in turn for each frame. A frame's functions lie in one array of
 * places, which stacks are expanded from after the walk. */
#include "runtimes/managed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/modmap.h"
#include "base/room.h"
#include "runtimes/merge.h"
#include "runtimes/names.h"
#include "unwind/stack.h"

enum { ENTRIES_MAX = 1 << 18 }; /* then all names are read anew */

struct managed_entry {
	struct managed_frame key; /* `index` is 0 */
	size_t first;		  /* in managed.places */
	uint16_t count;
	bool native;
};

static void runtimes_managed_forget_all(struct managed *m)
{
	m->entry_count = 0;
	m->place_count = 0;
	hashindex_clear(&m->index);
}

void managed_release(struct managed *m)
{
	for (unsigned i = 0; i < m->count; i++)
		m->at[i].ops->free(m->at[i].rt);
	free(m->entries);
	free(m->places);
	hashindex_release(&m->index);
	arena_release(&m->arena);
	memset(m, 0, sizeof(*m));
}

bool managed_has(const struct managed *m, const struct managed_ops *ops,
		 const struct mapping *range)
{
	for (unsigned i = 0; i < m->count; i++)
		if (m->at[i].ops == ops && m->at[i].image == range->image && !m->at[i].gone)
			return true;
	return false;
}

void managed_add(struct managed *m, const struct managed_ops *ops, void *rt,
		 const struct mapping *range)
{
	if (m->count == MANAGED_RUNTIMES)
		ops->free(rt);
	else
		m->at[m->count++] = (struct managed_runtime){ ops, rt, range->image, range->bias,
							      false };
}

/* V8 maps its text a second time, at another bias: it is not gone as long as one range is the one
 * that it was found in. */
static bool is_mapped(const struct modmap *maps, const struct managed_runtime *r)
{
	size_t count;
	const struct mapping *ranges = modmap_ranges(maps, &count);

	for (size_t i = 0; i < count; i++)
		if (ranges[i].image == r->image && ranges[i].bias == r->bias)
			return true;
	return false;
}

void managed_refresh(struct managed *m, const struct modmap *maps)
{
	for (unsigned i = 0; i < m->count; i++)
		m->at[i].gone = !is_mapped(maps, &m->at[i]);
}

static int runtimes_managed_step(struct managed_walker *walker, struct walk *w,
				 enum frame_kind *kind, struct managed_frame *frame)
{
	struct managed *m = (struct managed *)walker;

	for (unsigned i = 0; i < m->count; i++) {
		int end;

		if (m->at[i].gone)
			continue;
		end = m->at[i].ops->step(m->at[i].rt, w, kind, frame);
		frame->runtime = (uint16_t)i;
		if (end != MANAGED_PASS)
			return end;
		frame->code = 0;
	}
	return MANAGED_PASS;
}

struct managed_walker *managed_walker(struct managed *m)
{
	bool any = false;

	for (unsigned i = 0; i < m->count; i++)
		if (!m->at[i].gone) {
			m->at[i].ops->begin(m->at[i].rt);
			any = true;
		}
	m->walker = (struct managed_walker){ runtimes_managed_step };
	return any ? &m->walker : NULL;
}

void managed_wait(struct managed *m, pid_t own_tid, struct managed_wait *wait)
{
	memset(wait, 0, sizeof(*wait));
	for (unsigned i = 0; i < m->count && !wait->kind; i++)
		if (!m->at[i].gone && m->at[i].ops->wait)
			m->at[i].ops->wait(m->at[i].rt, own_tid, wait);
}

bool managed_thread(struct managed *m, pid_t own_tid, struct managed_thread *thread)
{
	memset(thread, 0, sizeof(*thread));
	for (unsigned i = 0; i < m->count; i++)
		if (!m->at[i].gone && m->at[i].ops->thread &&
		    m->at[i].ops->thread(m->at[i].rt, own_tid, thread))
			return true;
	return false;
}

/* Names. */

static bool runtimes_managed_is_of(const void *owner, uint32_t id, const void *key)
{
	const struct managed *m = owner;

	return !memcmp(&m->entries[id].key, key, sizeof(struct managed_frame));
}

static int runtimes_managed_add_place(struct managed *m, const struct managed_name *name,
				      uint32_t language, struct interp_names *names)
{
	struct interp_function f = { .language = language,
				     .first_line = name->first_line,
				     .line = name->line,
				     .column = name->column };

	if (strset_addz(&names->texts, name->name, &f.name) ||
	    strset_addz(&names->texts, name->file, &f.file) ||
	    room_for((void **)&m->places, &m->place_room, m->place_count + 1, sizeof(*m->places)) ||
	    interp_names_place(names, &f, &m->places[m->place_count]))
		return ERR_NOMEM;
	m->place_count++;
	return 0;
}

/* Reads the names of a frame that was not met before. *e: NULL if they are not certain. */
static int learn(struct managed *m, const struct managed_frame *key, uint32_t language,
		 struct interp_names *names, const struct managed_entry **e)
{
	const struct managed_runtime *r = &m->at[key->runtime];
	struct managed_names found = { .count = 0 };
	struct managed_entry entry = { .key = *key, .first = m->place_count };
	int rc = r->ops->names(r->rt, key, &m->arena, &found);

	*e = NULL;
	for (unsigned i = 0; !rc && i < found.count; i++)
		rc = runtimes_managed_add_place(m, &found.at[i], language, names);
	arena_release(&m->arena);
	if (rc)
		return rc == ERR_NOMEM ? rc : 0;
	entry.count = (uint16_t)found.count;
	entry.native = found.native;
	if (room_for((void **)&m->entries, &m->entry_room, m->entry_count + 1ul,
		     sizeof(*m->entries)) ||
	    hashindex_add(&m->index, hash_bytes(key, sizeof(*key)), m->entry_count))
		return ERR_NOMEM;
	m->entries[m->entry_count] = entry;
	*e = &m->entries[m->entry_count++];
	return 0;
}

static int runtimes_managed_find(struct managed *m, const struct managed_frame *frame,
				 uint32_t language, struct interp_names *names,
				 const struct managed_entry **e)
{
	struct managed_frame key = *frame;
	uint32_t id;

	key.index = 0;
	if (m->serial != names->serial || m->entry_count == ENTRIES_MAX)
		runtimes_managed_forget_all(m);
	m->serial = names->serial;
	id = hashindex_find(&m->index, hash_bytes(&key, sizeof(key)), runtimes_managed_is_of, m,
			    &key);
	if (id == HASHINDEX_NONE)
		return learn(m, &key, language, names, e);
	*e = &m->entries[id];
	return 0;
}

/* Expanding. */

struct expansion {
	struct managed *m;
	const struct stack *native;
	struct interp_names *names;
	struct interp_counts *counts;
	struct stack *out;
	unsigned met; /* bit n: language n is in this stack */
};

static int push_place(struct expansion *x, size_t i, uint32_t language, uint32_t place)
{
	if (stack_push(x->out, x->names->images[language], place, FRAME_PC))
		return ERR_NOMEM;
	x->out->sps[x->out->count - 1] = x->native->sps[i];
	x->counts[language].frames++;
	return 0;
}

static int push_unknown(struct expansion *x, size_t i, uint32_t language)
{
	uint32_t place;

	x->counts[language].nameless++;
	if (interp_names_special(x->names, "[unknown]", language, &place))
		return ERR_NOMEM;
	return push_place(x, i, language, place);
}

static void runtimes_managed_count(struct expansion *x, uint32_t language,
				   const struct managed_runtime *r)
{
	struct interp_counts *counts = &x->counts[language];

	if (!*counts->version)
		snprintf(counts->version, sizeof(counts->version), "%s", (const char *)r->rt);
	if (!(x->met >> language & 1))
		counts->stacks++;
	x->met |= 1u << language;
}

/* Pushes a runtime's frame: its functions, itself, or nothing. */
static int push_managed(struct expansion *x, const struct managed_frame *f)
{
	const struct managed_runtime *r = &x->m->at[f->runtime];
	const struct managed_entry *e;
	uint32_t language;

	if (interp_names_language(x->names, r->ops->mapping, &language) ||
	    runtimes_managed_find(x->m, f, language, x->names, &e))
		return ERR_NOMEM;
	runtimes_managed_count(x, language, r);
	if (!e)
		return push_unknown(x, f->index, language);
	for (unsigned i = 0; i < e->count; i++)
		if (push_place(x, f->index, language, x->m->places[e->first + i]))
			return ERR_NOMEM;
	return e->native ? interp_merge_native(x->out, x->native, f->index) : 0;
}

int managed_expand(struct managed *m, const struct stack *native, struct interp_names *names,
		   struct interp_counts *counts, struct stack *out)
{
	struct expansion x = { m, native, names, counts, out, 0 };
	const struct managed_frame *f = native->managed, *end = f + native->managed_count;

	interp_merge_begin(out, native);
	for (size_t i = 0; i < native->count; i++)
		if (f < end && f->index == i ? push_managed(&x, f++) :
					       interp_merge_native(out, native, i))
			return ERR_NOMEM;
	return 0;
}
