/*
 * A profile of the program's own is a map from each value that was added to the stack that added
 * it. The program may add and remove values at any time. So the map is read, then the stacks, then
 * the map again. Where both readings of the map agree, all stacks were in the map all the while,
 * and nothing else can have taken their place. Where they do not, the reading is repeated a few
 * times, then rejected.
 */
#include "runtimes/go/numbers/custom.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process/memcache.h"
#include "base/process/memory.h"
#include "base/sorted.h"
#include "runtimes/go/find/layout.h"
#include "runtimes/go/live.h"
#include "runtimes/go/map.h"

enum {
	TRIES = 4,
	BUILT_IN_MAX = 8, /* six; seven since 1.26 */
	NAME_MAX_LEN = 1024,
	STACK_ROOM = 32, /* pcs; of Profile.Add, and of m.createstack */
	FRAMES_MAX = 1 << 25,
	BLOCK = 64 << 10,
	BLOCKS = 256,
	THREADS_MAX = 1 << 20,
	PROFILE_BYTES_MAX = 256,
};

/* One of the program's profiles. */
struct one {
	char name[NAME_MAX_LEN + 1];
	size_t len;
	uint64_t stacks; /* its map */
};

struct custom_list {
	const struct golive *live;
	struct buffer of; /* array of struct one */
};

static int gone_or_bad(const struct golive *live, struct error *err, const char *what)
{
	uint64_t any;

	if (live->memory->read(live->memory,
			       live->places.profiles ? live->places.profiles : live->places.all_ms,
			       &any, sizeof(any)))
		return error_set(err, ERR_GONE, "the process has ended");
	return error_set(err, ERR_FORMAT, "%s cannot be read: it changes all the time, or is none",
			 what);
}

/* Takes a profile after checking that its name is the same in the map and in the profile itself. */
static int custom_take_profile(void *ctx, const void *key, const void *elem)
{
	const uint64_t at = memory_word(elem, 0);
	const uint64_t name = memory_word(key, 0), len = memory_word(key, 8);
	struct custom_list *l = ctx;
	const struct memory *memory = l->live->memory;
	const struct gofields *f = &l->live->fields;
	uint8_t bytes[PROFILE_BYTES_MAX];
	struct one one = { .len = (size_t)len };

	if (!len || len > NAME_MAX_LEN || memory->read(memory, at, bytes, f->profile.bytes) ||
	    memory->read(memory, name, one.name, one.len) ||
	    memory_word(bytes, f->profile.name + 8) != len)
		return ERR_FORMAT;
	if (memory_word(bytes, f->profile.name) != name) {
		char own[NAME_MAX_LEN];

		if (memory->read(memory, memory_word(bytes, f->profile.name), own, one.len) ||
		    memcmp(own, one.name, one.len))
			return ERR_FORMAT;
	}
	if (memory_word(bytes, f->profile.write)) /* one of the runtime's own */
		return 0;
	one.stacks = memory_word(bytes, f->profile.stacks);
	return buffer_add(&l->of, &one, sizeof(one));
}

static bool has_profiles(const struct golive *live)
{
	const struct gofields *f = &live->fields;
	uint32_t end = f->profile.bytes;

	return live->places.profiles && end <= PROFILE_BYTES_MAX && end >= 16 &&
	       f->profile.name <= end - 16 && f->profile.stacks <= end - 8 &&
	       f->profile.write <= end - 8;
}

static int read_profiles(const struct golive *live, struct custom_list *l, struct error *err)
{
	const struct gomap_kind kind = { live->vars.layout->minor, 16, 8 };
	uint64_t map;
	int rc = ERR_FORMAT;

	*l = (struct custom_list){ .live = live };
	if (!has_profiles(live))
		return 0;
	for (int i = 0; i < TRIES && rc == ERR_FORMAT; i++) {
		l->of.len = 0;
		if (!memory_read_u64(live->memory, live->places.profiles, &map))
			rc = gomap_each(live->memory, map, &kind, GO_CUSTOM_MAX + BUILT_IN_MAX,
					custom_take_profile, l);
	}
	if (rc == ERR_LIMIT)
		return error_set(err, ERR_FORMAT,
				 "the program has more than %d profiles of its own", GO_CUSTOM_MAX);
	if (rc == ERR_NOMEM)
		return error_nomem(err);
	return rc ? gone_or_bad(live, err, "the list of the program's profiles") : 0;
}

static const struct one *custom_one_of(const struct custom_list *l, size_t i)
{
	return (const struct one *)(const void *)l->of.data + i;
}

static size_t custom_count_of(const struct custom_list *l)
{
	return l->of.len / sizeof(struct one);
}

int gocustom_names(const struct golive *live, gocustom_name *each, void *ctx, struct error *err)
{
	struct custom_list l;
	int rc = read_profiles(live, &l, err);

	for (size_t i = 0; !rc && i < custom_count_of(&l); i++)
		rc = each(ctx, custom_one_of(&l, i)->name, custom_one_of(&l, i)->len, err);
	buffer_release(&l.of);
	return rc;
}

/* An entry of a profile; entries are read in the order of the addresses of their pcs. */
struct custom_entry {
	uint64_t pcs, key[2], len, cap;
};

static int take_entry(void *ctx, const void *key, const void *elem)
{
	struct custom_entry e = { memory_word(elem, 0),
				  { memory_word(key, 0), memory_word(key, 8) },
				  memory_word(elem, 8),
				  memory_word(elem, 16) };

	if (!e.len || e.len > e.cap || (e.cap != STACK_ROOM && e.cap != 1))
		return ERR_FORMAT;
	return buffer_add(ctx, &e, sizeof(e));
}

static int custom_read_entries(const struct golive *live, const struct one *one,
			       struct buffer *entries)
{
	const struct gomap_kind kind = { live->vars.layout->minor, 16, 24 };
	int rc;

	entries->len = 0;
	rc = gomap_each(live->memory, one->stacks, &kind, GO_CUSTOM_STACKS_MAX, take_entry,
			entries);
	if (!rc && entries->len)
		qsort(entries->data, entries->len / sizeof(struct custom_entry),
		      sizeof(struct custom_entry), sorted_order);
	return rc;
}

/* Profile.Add allocates 32 zeroed pcs and sets the slice's length to the number that it has
 * found. */
static int read_stack(const struct memory *memory, const struct custom_entry *e, struct buffer *pcs)
{
	uint64_t stack[STACK_ROOM];

	if (memory->read(memory, e->pcs, stack, (size_t)e->cap * sizeof(*stack)))
		return ERR_FORMAT;
	for (size_t i = 0; i < e->cap; i++)
		if (!stack[i] != (i >= e->len))
			return ERR_FORMAT;
	if (pcs->len / sizeof(*stack) + e->len > FRAMES_MAX)
		return ERR_LIMIT;
	return buffer_add(pcs, stack, (size_t)e->len * sizeof(*stack));
}

struct custom_reading {
	struct memcache *cache;
	struct buffer entries, again, pcs;
};

static int custom_read_once(const struct golive *live, const struct one *one,
			    struct custom_reading *r)
{
	const struct custom_entry *e;
	int rc = custom_read_entries(live, one, &r->entries);
	size_t count = r->entries.len / sizeof(*e);

	memcache_forget(r->cache);
	r->pcs.len = 0;
	e = (const struct custom_entry *)(const void *)r->entries.data;
	for (size_t i = 0; !rc && i < count; i++)
		rc = read_stack(memcache_memory(r->cache), &e[i], &r->pcs);
	if (!rc)
		rc = custom_read_entries(live, one, &r->again);
	if (!rc && (r->entries.len != r->again.len ||
		    (count && memcmp(r->entries.data, r->again.data, r->entries.len))))
		rc = ERR_FORMAT;
	return rc;
}

static int custom_tell(const struct custom_reading *r, gocustom_stack *each, void *ctx,
		       struct error *err)
{
	const struct custom_entry *e = (const struct custom_entry *)(const void *)r->entries.data;
	const uint64_t *pcs = (const uint64_t *)(const void *)r->pcs.data;
	int rc = 0;

	for (size_t i = 0; !rc && i < r->entries.len / sizeof(*e); i++) {
		rc = each(ctx, pcs, (size_t)e[i].len, err);
		pcs += e[i].len;
	}
	return rc;
}

static int custom_read_all(const struct golive *live, const struct one *one,
			   struct custom_reading *r, struct error *err)
{
	int rc = memcache_new(&r->cache, live->memory, BLOCK, BLOCKS);

	for (int i = 0; i < TRIES && (!i || rc == ERR_FORMAT); i++)
		rc = rc == ERR_NOMEM ? rc : custom_read_once(live, one, r);
	if (rc == ERR_LIMIT)
		return error_set(err, ERR_FORMAT, "the profile has more than %d stacks",
				 GO_CUSTOM_STACKS_MAX);
	if (rc == ERR_NOMEM)
		return error_nomem(err);
	return rc ? gone_or_bad(live, err, "the profile") : 0;
}

static const struct one *custom_find(const struct custom_list *l, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < custom_count_of(l); i++)
		if (custom_one_of(l, i)->len == len &&
		    !memcmp(custom_one_of(l, i)->name, name, len))
			return custom_one_of(l, i);
	return NULL;
}

int gocustom_stacks(const struct golive *live, const char *name, gocustom_stack *each, void *ctx,
		    struct error *err)
{
	struct custom_reading r = { .cache = NULL };
	const struct one *one = NULL;
	struct custom_list l;
	int rc = read_profiles(live, &l, err);

	if (!rc) {
		one = custom_find(&l, name);
		rc = one ? custom_read_all(live, one, &r, err) :
			   error_set(err, ERR_NOTFOUND, "the program has no profile '%s'", name);
	}
	if (!rc)
		rc = custom_tell(&r, each, ctx, err);
	memcache_free(r.cache);
	buffer_release(&r.entries);
	buffer_release(&r.again);
	buffer_release(&r.pcs);
	buffer_release(&l.of);
	return rc;
}

/* Checks that the m's g0 leads back to it (runtime/proc.go, allocm). */
static int read_m(const struct golive *live, uint64_t at, uint64_t *next,
		  uint64_t stack[STACK_ROOM])
{
	const struct gofields *f = &live->fields;
	const struct memory *memory = live->memory;
	uint64_t g0, m;

	if (memory->read(memory, at + f->m.create_stack, stack, STACK_ROOM * sizeof(*stack)) ||
	    memory_read_u64(memory, at + f->m.all_link, next) ||
	    memory_read_u64(memory, at + f->m.g0, &g0) ||
	    memory_read_u64(memory, g0 + f->g.m, &m) || m != at)
		return ERR_FORMAT;
	return 0;
}

/* New Ms are inserted before the first. An M that ends is removed by changing the link to it
 * (runtime/proc.go, mexit), while its own link still leads on. */
static int custom_read_threads(const struct golive *live, struct buffer *stacks)
{
	uint64_t at, stack[STACK_ROOM];
	int rc = memory_read_u64(live->memory, live->places.all_ms, &at) || !at ? ERR_FORMAT : 0;

	stacks->len = 0;
	for (size_t i = 0; !rc && at; i++) {
		rc = i < THREADS_MAX ? read_m(live, at, &at, stack) : ERR_FORMAT;
		if (!rc)
			rc = buffer_add(stacks, stack, sizeof(stack));
	}
	return rc;
}

int gocustom_threads(const struct golive *live, gocustom_stack *each, void *ctx, struct error *err)
{
	struct buffer stacks = { .data = NULL };
	int rc = ERR_FORMAT;

	if (!live->places.all_ms)
		return error_set(err, ERR_NOTFOUND,
				 "where the runtime's list of threads is was not found");
	for (int i = 0; i < TRIES && rc == ERR_FORMAT; i++)
		rc = custom_read_threads(live, &stacks);
	if (rc == ERR_NOMEM)
		error_nomem(err);
	else if (rc)
		rc = gone_or_bad(live, err, "the runtime's list of threads");
	for (size_t at = 0; !rc && at < stacks.len; at += STACK_ROOM * sizeof(uint64_t)) {
		const uint64_t *pcs = (const uint64_t *)(const void *)(stacks.data + at);
		size_t count = 0;

		while (count < STACK_ROOM && pcs[count])
			count++;
		rc = each(ctx, pcs, count, err);
	}
	buffer_release(&stacks);
	return rc;
}
