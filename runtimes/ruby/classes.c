/*
 * The class of a method, as Ruby names it: "Shop#total", "Shop.open" for a class's own methods.
 *
 * From 3.3 on a class has fields for its path and, if it is a singleton class, for what it is
 * attached to. Up to 3.1 both are among its instance variables, under IDs that depend on the order
 * in which Ruby starts. These are learned where the value is known: Object's path is "Object", and
 * the singleton class of Object is attached to Object. A path that is not permanent has another ID.
 *
 * Not done: 3.2, where a class's shape says which of its variables is where.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/process/memory.h"
#include "runtimes/ruby/object.h"

enum {
	/* struct RBasic, struct RClass, struct rb_classext_struct up to 3.1 */
	BASIC_CLASS = 8,
	EXT_VARIABLES = 8,

	/* struct st_table, struct st_table_entry (st.h, st.c) */
	TABLE_START = 32, /* index of the first entry, and of the first one behind the last */
	TABLE_BOUND = 40,
	TABLE_ENTRIES = 48,
	TABLE_BYTES = 56,
	ENTRY_HASH = 0, /* of a deleted entry: NONE; its key and value stay */
	ENTRY_KEY = 8,
	ENTRY_VALUE = 16,
	ENTRY_BYTES = 24,
	PIECE = 32,
	VARIABLES_MAX = 4096,
};

static const uint64_t NONE = UINT64_MAX;

struct lookup {
	const struct ruby_runtime *rt;
	const struct memory *memory;
};

static bool read_module(const struct lookup *l, uint64_t addr, void *object)
{
	if (!ruby_read_object(l->memory, addr, object))
		return false;
	return ruby_type(memory_word(object, 0)) == T_OBJECT_CLASS ||
	       ruby_type(memory_word(object, 0)) == T_MODULE;
}

/* A class's variables: `count` entries at `at`. */
static bool find_variables(const struct lookup *l, uint64_t class, uint64_t *at, uint64_t *count)
{
	char table[TABLE_BYTES];
	uint64_t ext, of, start;

	if (memory_read_u64(l->memory, class + CLASS_EXT, &ext) ||
	    memory_read_u64(l->memory, ext + EXT_VARIABLES, &of) || !of ||
	    l->memory->read(l->memory, of, table, sizeof(table)))
		return false;
	start = memory_word(table, TABLE_START);
	*count = memory_word(table, TABLE_BOUND) - start;
	*at = memory_word(table, TABLE_ENTRIES) + start * ENTRY_BYTES;
	return *count <= VARIABLES_MAX;
}

/* The first entry of which that word is `value`. */
static bool classes_find_entry(const struct lookup *l, uint64_t class, size_t word, uint64_t value,
			       char *entry)
{
	char piece[PIECE * ENTRY_BYTES];
	uint64_t at, left, n;

	if (!find_variables(l, class, &at, &left))
		return false;
	for (; left; left -= n, at += n * ENTRY_BYTES) {
		n = left < PIECE ? left : PIECE;
		if (l->memory->read(l->memory, at, piece, n * ENTRY_BYTES))
			return false;
		for (const char *e = piece; e < piece + n * ENTRY_BYTES; e += ENTRY_BYTES)
			if (memory_word(e, word) == value && memory_word(e, ENTRY_HASH) != NONE) {
				memcpy(entry, e, ENTRY_BYTES);
				return true;
			}
	}
	return false;
}

static bool classes_is_text(const struct lookup *l, uint64_t addr, const char *wanted)
{
	char object[OBJECT_BYTES], bytes[16];
	size_t len = strlen(wanted);
	struct ruby_text text;

	return ruby_read_object(l->memory, addr, object) &&
	       ruby_string_text(l->rt, addr, object, &text) && text.len == len &&
	       !l->memory->read(l->memory, text.at, bytes, len) && !memcmp(bytes, wanted, len);
}

/* The ID under which Object has its path; NONE: it has none; 0: not known. */
static uint64_t learn_path(const struct lookup *l, uint64_t object)
{
	char entry[ENTRY_BYTES];
	uint64_t at, left;

	if (!find_variables(l, object, &at, &left))
		return 0;
	for (; left && !l->memory->read(l->memory, at, entry, sizeof(entry));
	     left--, at += ENTRY_BYTES)
		if (classes_is_text(l, memory_word(entry, ENTRY_VALUE), "Object"))
			return memory_word(entry, ENTRY_KEY);
	return 0;
}

/* The ID under which its singleton class has what it is attached to. */
static uint64_t learn_attached(const struct lookup *l, uint64_t object)
{
	char entry[ENTRY_BYTES];
	uint64_t singleton;

	if (memory_read_u64(l->memory, object + BASIC_CLASS, &singleton) ||
	    !classes_find_entry(l, singleton, ENTRY_VALUE, object, entry))
		return 0;
	return memory_word(entry, ENTRY_KEY);
}

/* The value of a variable. Its ID is learned at the first call. */
static uint64_t classes_variable(const struct lookup *l, uint64_t class, _Atomic uint64_t *id,
				 uint64_t (*learn)(const struct lookup *, uint64_t object))
{
	char entry[ENTRY_BYTES];
	uint64_t object;

	if (!l->rt->object || memory_read_u64(l->memory, l->rt->object, &object))
		return 0;
	if (!*id)
		*id = learn(l, object);
	return *id && classes_find_entry(l, class, ENTRY_KEY, *id, entry) ?
		       memory_word(entry, ENTRY_VALUE) :
		       0;
}

/* The path, a string, if it is permanent; else 0. */
static uint64_t classes_path_of(const struct lookup *l, uint64_t class)
{
	const struct ruby_layout *layout = l->rt->layout;
	uint8_t permanent;
	uint64_t path;

	if (!layout->classpath)
		return classes_variable(l, class, &l->rt->shared->path_id, learn_path);
	if (l->memory->read(l->memory, class + layout->class_flags, &permanent, 1) ||
	    !(permanent & 1) || memory_read_u64(l->memory, class + layout->classpath, &path))
		return 0;
	return path;
}

static uint64_t attached_to(const struct lookup *l, uint64_t singleton)
{
	uint64_t to;

	if (!l->rt->layout->attached)
		return classes_variable(l, singleton, &l->rt->shared->attached_id, learn_attached);
	return memory_read_u64(l->memory, singleton + l->rt->layout->attached, &to) ? 0 : to;
}

bool ruby_knows_classes(const struct ruby_runtime *rt)
{
	return rt->layout->classpath || (rt->layout->variables && rt->object);
}

const char *ruby_qualify(const struct ruby_runtime *rt, const struct memory *memory, uint64_t owner,
			 const char *name, struct arena *arena, bool *nomem)
{
	struct lookup l = { rt, memory };
	char object[OBJECT_BYTES], full[NAME_BYTES];
	const char *class, *kept;
	bool own;

	if (!ruby_knows_classes(rt) || !read_module(&l, owner, object))
		return name;
	own = ruby_type(memory_word(object, 0)) == T_OBJECT_CLASS &&
	      memory_word(object, 0) >> rt->layout->singleton & 1;
	if (own) {
		owner = attached_to(&l, owner);
		if (!read_module(&l, owner, object))
			return name;
	}
	class = ruby_read_string(rt, memory, classes_path_of(&l, owner), arena, nomem);
	if (!class)
		return name;
	snprintf(full, sizeof(full), "%s%c%s", class, own ? '.' : '#', name);
	kept = arena_copy(arena, full, strlen(full));
	*nomem |= !kept;
	return kept;
}
