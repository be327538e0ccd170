/*
 * The name of an asyncio task (TaskObj of Modules/_asynciomodule.c): a string, or, as long as the
 * program has not read it, the number that stands for "Task-N".
 *
 * The running task can be an object of any class, a task written in Python too, in which another
 * field lies at that place. So its class, or one of the classes it is derived from, is checked.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/process/memory.h"
#include "sampler/interp/cpython/code.h"
#include "sampler/interp/cpython/layout.h"
#include "sampler/interp/cpython/unicode.h"

enum {
	BASES_MAX = 16,
	NAME_TO_BASE = 232, /* bytes from tp_name to tp_base in PyTypeObject (3.8 and later) */
	NAME_MAX_BYTES = 32,
	DIGIT_BITS = 30, /* PyLong_SHIFT */
};

static bool is_named(const struct cpython *python, const struct memory *memory, uint64_t type,
		     const char *expected)
{
	char name[NAME_MAX_BYTES];
	size_t len = strlen(expected) + 1;
	uint64_t at;

	return !memory_read_u64(memory, type + python->layout.object.type_name, &at) &&
	       !memory->read(memory, at, name, len) && !memcmp(name, expected, len);
}

static bool is_task(const struct cpython *python, const struct memory *memory, uint64_t task)
{
	const struct cpython_object_layout *o = &python->layout.object;
	uint64_t type;

	if (memory_read_u64(memory, task + o->type, &type))
		return false;
	for (unsigned i = 0; type && i < BASES_MAX; i++) {
		if (is_named(python, memory, type, "_asyncio.Task"))
			return true;
		if (memory_read_u64(memory, type + o->type_name + NAME_TO_BASE, &type))
			return false;
	}
	return false;
}

/* PyLongObject of 3.12 and later: lv_tag (the number of digits << 3 | flags), the digits. */
static void format_number(const struct cpython *python, const struct memory *memory, uint64_t at,
			  char *name, size_t room)
{
	struct {
		uint64_t tag;
		uint32_t digits[2];
	} number = { 0 };
	uint64_t value;

	if (memory->read(memory, at + python->layout.object.type + 8, &number, sizeof(number)) ||
	    number.tag >> 3 > 2)
		return;
	value = number.tag >> 3 ? number.digits[0] : 0;
	if (number.tag >> 3 == 2)
		value |= (uint64_t)number.digits[1] << DIGIT_BITS;
	snprintf(name, room, "Task-%" PRIu64, value);
}

void cpython_task_name(const void *rt, const struct memory *memory, uint64_t task, char *name,
		       size_t room)
{
	const struct cpython *python = rt;
	uint64_t at, type;

	name[0] = '\0';
	if (python->layout.task_name == CPYTHON_NONE || !is_task(python, memory, task) ||
	    memory_read_u64(memory, task + python->layout.task_name, &at) ||
	    memory_read_u64(memory, at + python->layout.object.type, &type))
		return;
	if (is_named(python, memory, type, "int"))
		format_number(python, memory, at, name, room);
	else if (is_named(python, memory, type, "str") &&
		 pyunicode_read(python, memory, at, name, room))
		name[0] = '\0';
}
