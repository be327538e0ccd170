/*
 * V8 in a process: what the files of both rooms share.
 *
 * A tagged word is a Smi (bit 0 clear, the value in the high half) or the address of an object plus
 * 1. Objects move whenever the collector likes, so nothing is kept by their addresses unless it is
 * proven each time. A frame's key says what it is by numbers that this room assigns.
 *
 * The process's memory is read through a view (runtimes/common/walkview.h), which is emptied
 * when a walk begins: the walk, and the naming behind it, see one state of what they read twice.
 */
#ifndef RUNTIMES_V8_HEAP_RUNTIME_H
#define RUNTIMES_V8_HEAP_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/process/memory.h"
#include "runtimes/common/managed.h"
#include "runtimes/v8/heap/builtins.h"
#include "runtimes/v8/heap/tables.h"

struct walkview;
struct v8_codes;
struct v8_steps;
struct v8_names_state;

/* managed_frame.kind. */
enum v8_frame_kind {
	V8_UNKNOWN,	/* a function, but not certain which: it has no name */
	V8_INTERPRETED, /* these three are named by v8_function_names */
	V8_BASELINE,
	V8_OPTIMIZED, /* Maglev, TurboFan */
	V8_BUILTIN,   /* code = image address of the builtin: shown by its symbol */
	V8_HIDDEN,    /* V8's internal code, such as the way into JavaScript */
	V8_REGEXP,
	V8_WASM,
};

struct v8_runtime {
	char version[32]; /* first: see struct interp_ops */
	struct v8_tables t;
	struct v8_place place;
	const struct memory *live;   /* the process's, borrowed */
	const struct memory *memory; /* the same through the cache */
	struct v8_builtins builtins;
	struct walkview *cache;	      /* owned; NULL in tests */
	struct v8_codes *codes;	      /* codes.h; owned */
	struct v8_steps *steps;	      /* step.h; owned */
	struct v8_names_state *names; /* of the files that name; owned */
};

/* Reading memory. False: it cannot be read. */

static inline bool v8_word(const struct v8_runtime *rt, uint64_t addr, uint64_t *value)
{
	return !memory_read_u64(rt->memory, addr, value);
}

static inline bool v8_bytes(const struct v8_runtime *rt, uint64_t addr, void *buf, size_t len)
{
	return !rt->memory->read(rt->memory, addr, buf, len);
}

static inline bool v8_u32(const struct v8_runtime *rt, uint64_t addr, uint32_t *value)
{
	return v8_bytes(rt, addr, value, sizeof(*value));
}

/* Tagged words. */

static inline bool v8_is_smi(uint64_t word)
{
	return !(word & 1);
}

static inline int32_t v8_smi(uint64_t word)
{
	return (int32_t)(word >> 32);
}

/* Strong references only. */
static inline bool v8_is_object(uint64_t word)
{
	return (word & 3) == 1;
}

/* The address of a field of a tagged object. */
static inline uint64_t v8_field(uint64_t object, int32_t offset)
{
	return object - 1 + (uint64_t)(int64_t)offset;
}

/* A tagged field of an object. */
static inline bool v8_load(const struct v8_runtime *rt, uint64_t object, int32_t offset,
			   uint64_t *word)
{
	return v8_is_object(object) && v8_word(rt, v8_field(object, offset), word);
}

/* The instance type of the objects that have this map; -1: it is none. */
static inline int v8_type_of_map(const struct v8_runtime *rt, uint64_t map)
{
	uint16_t type;

	if (!v8_is_object(map) ||
	    !v8_bytes(rt, v8_field(map, rt->t.instance_type), &type, sizeof(type)))
		return -1;
	return type;
}

/* The instance type of a tagged object; -1: it is none. */
static inline int v8_type(const struct v8_runtime *rt, uint64_t object)
{
	uint64_t map;

	return v8_load(rt, object, 0, &map) ? v8_type_of_map(rt, map) : -1;
}

static inline bool v8_is_function(const struct v8_runtime *rt, uint64_t object)
{
	int type = v8_type(rt, object);

	return type >= rt->t.first_function_type && type <= rt->t.last_function_type;
}

/* Objects that the collector is moving: words still lead to where an object was. There, in place of
 * the map, is the address of its copy, without the tag, written when the copy was complete. */

/* Where a tagged object is now. */
static inline uint64_t v8_moved(const struct v8_runtime *rt, uint64_t object)
{
	uint64_t map;

	if (v8_load(rt, object, 0, &map) && map && map % 8 == 0)
		return map + 1;
	return object;
}

/* The object that a tagged field leads to, or the Smi in it; 0: it cannot be read. */
static inline uint64_t v8_load_moved(const struct v8_runtime *rt, uint64_t object, int32_t offset)
{
	uint64_t word;

	return v8_load(rt, object, offset, &word) ? v8_moved(rt, word) : 0;
}

#endif
