/*
 * The running asyncio task and its name (TaskObj of Modules/_asynciomodule.c): a string, or, as
 * long as the program has not read it, the number that stands for "Task-N".
 *
 * Where they are is in the section .AsyncioDebug of asyncio's module, which is a file of its own or
 * part of the interpreter (struct _Py_AsyncioModuleDebugOffsets, 3.14 and later). No table by
 * release: the place in a thread's state differs between patch levels.
 *
 * A task ends soon, and another one gets its address. So the task and its name are copied while the
 * thread is held. Types live longer; they are read afterwards. The running task can be an object of
 * any class, a task written in Python too, in which another field lies at that place. So its class,
 * or one of the classes that it is derived from, has to be that of the module.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/process/elfsymbol.h"
#include "base/process/memory.h"
#include "runtimes/common/copy.h"
#include "runtimes/cpython/code.h"
#include "runtimes/cpython/layout.h"
#include "runtimes/cpython/unicode.h"

enum {
	FIELD_MAX = 4096, /* of a thread's state; of a task */
	NAME_BYTES = 352, /* copied of a name: 64 characters of any kind */
	NAME_CHARS = 64,
	PAGE = 4096,
	BASES_MAX = 16,
	NAME_TO_BASE = 232, /* bytes from tp_name to tp_base in PyTypeObject (3.8 and later) */
	TYPE_NAME_MAX = 32,
	DIGIT_BITS = 30, /* PyLong_SHIFT */
};

/* The section. */
struct asyncio_debug {
	uint64_t task_size, task_name, awaited_by, is_task, awaited_by_is_set, coro, node;
	uint64_t interp_size, interp_tasks;
	uint64_t thread_size, thread_loop, thread_task, thread_tasks;
};

static uint32_t thread_task(const struct cpython *python)
{
	return (uint32_t)atomic_load_explicit(&python->asyncio, memory_order_relaxed);
}

static uint32_t task_name(const struct cpython *python)
{
	return (uint32_t)(atomic_load_explicit(&python->asyncio, memory_order_relaxed) >> 32);
}

static bool is_field(uint64_t at, uint64_t size)
{
	return at && !(at & 7) && at < FIELD_MAX && at + 8 <= size;
}

void cpython_note_image(void *rt, const struct image *image)
{
	struct cpython *python = rt;
	struct asyncio_debug debug;
	uint64_t addr, size;

	if (python->version < CPYTHON_3_14 ||
	    !elfsymbol_section(image, ".AsyncioDebug", &addr, &size) || size != sizeof(debug) ||
	    !elfsymbol_bytes(image, addr, &debug, sizeof(debug)) ||
	    !is_field(debug.task_name, debug.task_size) ||
	    !is_field(debug.thread_task, debug.thread_size))
		return;
	atomic_store_explicit(&python->asyncio, debug.task_name << 32 | debug.thread_task,
			      memory_order_relaxed);
}

uint64_t cpython_copy_task(const struct cpython *python, struct interp_copy *copy, uint64_t state)
{
	bool cut = copy->walk.cut;
	uint64_t task = 0, name;
	size_t left;

	if (!thread_task(python) || !interp_copy_word(copy, state + thread_task(python), &task) ||
	    !task || !interp_copy_need(copy, task, task_name(python) + 8ul) ||
	    !interp_copy_word(copy, task + task_name(python), &name))
		goto done;
	left = PAGE - (name & (PAGE - 1));
	if (!interp_copy_need(copy, name, NAME_BYTES) && left < NAME_BYTES)
		interp_copy_need(copy, name, left);
done:
	copy->walk.cut = cut; /* that tells of the frames */
	return task;
}

static bool task_is_named(const struct cpython *python, const struct memory *memory, uint64_t type,
			  const char *expected)
{
	char name[TYPE_NAME_MAX];
	size_t len = strlen(expected) + 1;
	uint64_t at;

	return !memory_read_u64(memory, type + python->layout.object.type_name, &at) &&
	       !memory->read(memory, at, name, len) && !memcmp(name, expected, len);
}

static bool is_task(const struct cpython *python, const struct memory *live, uint64_t type)
{
	for (unsigned i = 0; type && i < BASES_MAX; i++) {
		if (task_is_named(python, live, type, "_asyncio.Task"))
			return true;
		if (memory_read_u64(live, type + python->layout.object.type_name + NAME_TO_BASE,
				    &type))
			return false;
	}
	return false;
}

/* PyLongObject of 3.12 and later: lv_tag (the number of digits << 3 | flags), the digits. */
static void format_number(const struct cpython *python, const struct memory *copy, uint64_t at,
			  char *name, size_t room)
{
	struct {
		uint64_t tag;
		uint32_t digits[2];
	} number;
	uint64_t value;

	if (copy->read(copy, at + python->layout.object.type + 8, &number, sizeof(number)) ||
	    number.tag >> 3 > 2)
		return;
	value = number.tag >> 3 ? number.digits[0] : 0;
	if (number.tag >> 3 == 2)
		value |= (uint64_t)number.digits[1] << DIGIT_BITS;
	snprintf(name, room, "Task-%" PRIu64, value);
}

void cpython_task_name(const void *rt, const struct memory *copy, const struct memory *live,
		       uint64_t task, char *name, size_t room)
{
	const struct cpython *python = rt;
	uint32_t type_at = python->layout.object.type;
	uint64_t type, at, type_of_name;

	name[0] = '\0';
	if (!task_name(python) || memory_read_u64(copy, task + type_at, &type) ||
	    memory_read_u64(copy, task + task_name(python), &at) ||
	    memory_read_u64(copy, at + type_at, &type_of_name) || !is_task(python, live, type))
		return;
	if (task_is_named(python, live, type_of_name, "int"))
		format_number(python, copy, at, name, room);
	else if (task_is_named(python, live, type_of_name, "str") &&
		 pyunicode_read(python, copy, at, name, room < NAME_CHARS ? room : NAME_CHARS))
		name[0] = '\0';
}
