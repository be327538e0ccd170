/* A made-up heap of V8's: objects one after another, laid out as those of Node 22. */
#ifndef TESTS_UNIT_V8_MADE_UP_H
#define TESTS_UNIT_V8_MADE_UP_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "base/process/memory.h"
#include "runtimes/v8/heap/layout.h"
#include "runtimes/v8/heap/look.h"
#include "runtimes/v8/heap/runtime.h"

enum { START = 0x100000, HEAP_BYTES = 1 << 16, MAP_BYTES = 80 };

/* Instance types. */
enum {
	FUNCTION_TYPE = 2066,
	SHARED_TYPE = 274,
	BYTECODE_TYPE = 205,
	CODE_TYPE = 206,
	SCRIPT_TYPE = 167,
	SCOPE_TYPE = 272,
	FIXED_ARRAY_TYPE = 174,
	BYTE_ARRAY_TYPE = 212,
	ODDBALL_TYPE = 131,
	MAP_TYPE = 264,
	DEOPT_TYPE = 213,

	SEQ_ONE = 40,
	SEQ_TWO = 32,
	CONS_ONE = 41,
	CONS_TWO = 33,
	EXTERNAL_ONE = 42,
	EXTERNAL_TWO = 34,
	UNCACHED_ONE = 58,
	SLICED_ONE = 43,
	THIN_ONE = 45,
	INTERNALIZED_ONE = 8,
};

static struct heap {
	uint8_t bytes[HEAP_BYTES];
	size_t used;
	struct memory_bytes memory;
	struct v8_runtime rt;
	struct v8_layout layout;
	struct v8_look look;
	uint64_t maps[4096];
} heap;

static inline void put(uint64_t object, int32_t at, uint64_t value, size_t size)
{
	memcpy(heap.bytes + (object - 1 - START) + at, &value, size);
}

static inline uint64_t smi(int32_t value)
{
	return (uint64_t)(uint32_t)value << 32;
}

static inline uint64_t allocate(size_t size)
{
	uint64_t object = START + heap.used + 1;

	cr_assert(heap.used + size < (size_t)HEAP_BYTES);
	heap.used += (size + 7) / 8 * 8;
	return object;
}

/* The map of a type, made when it is first needed. */
static inline uint64_t map_of(unsigned type)
{
	if (!heap.maps[type]) {
		heap.maps[type] = allocate(MAP_BYTES);
		put(heap.maps[type], 12, type, 2);
		put(heap.maps[type], 0, type == MAP_TYPE ? heap.maps[type] : map_of(MAP_TYPE), 8);
	}
	return heap.maps[type];
}

static inline uint64_t make(unsigned type, size_t size)
{
	uint64_t map = map_of(type), object = allocate(size);

	put(object, 0, map, 8);
	return object;
}

static inline void make_heap(void)
{
	heap.used = 0;
	memset(heap.bytes, 0, sizeof(heap.bytes));
	memset(heap.maps, 0, sizeof(heap.maps));
	memory_bytes_init(&heap.memory, heap.bytes, START, sizeof(heap.bytes));
	heap.rt = (struct v8_runtime){ .memory = &heap.memory.memory, .live = &heap.memory.memory };
	heap.rt.t = (struct v8_tables){
		.release = V8_NODE_22,
		.code_type = CODE_TYPE,
		.shared_type = SHARED_TYPE,
		.bytecode_type = BYTECODE_TYPE,
		.first_function_type = FUNCTION_TYPE,
		.last_function_type = FUNCTION_TYPE,
		.instance_type = 12,
		.shared = 32,
		.bytecodes = 64,
		.code_start = 40,
		.code_flags = 48,
		.code_size = 52,
		.code_bytes = 56,
	};
	heap.layout = (struct v8_layout){
		.not_string = -128,
		.string_length = 12,
		.string_chars = 16,
		.cons_first = 16,
		.cons_second = 24,
		.sliced_parent = 16,
		.sliced_offset = 24,
		.thin_actual = 16,
		.external_data = 24,
		.array_length = 8,
		.array_data = 16,
		.fixed_array_type = FIXED_ARRAY_TYPE,
		.byte_array_type = BYTE_ARRAY_TYPE,
		.trusted_bytes_type = -1,
		.shared_data = 8,
		.shared_name = 16,
		.shared_script = 32,
		.shared_flags = 48,
		.shared_literal = 52,
		.shared_bytes = 56,
		.debug_info_type = -1,
		.interpreter_data_type = -1,
		.baseline_data_type = -1,
		.wrapper_type = -1,
		.scope_type = SCOPE_TYPE,
		.scope_locals = 2,
		.scope_first = 3,
		.scope_names_hashed = true,
		.scope_module = 3,
		.script_type = SCRIPT_TYPE,
		.script_source = 8,
		.script_name = 16,
		.script_line = 24,
		.script_column = 32,
		.script_ends = 56,
		.script_id = 64,
		.script_flags = 104,
		.script_url = 112,
		.script_bytes = 120,
		.bytecode_length = 8,
		.bytecode_positions = 24,
		.code_positions = 16,
		.code_deopt = 8,
		.deopt_literals = 2,
		.deopt_id = 5,
		.deopt_shared = 6,
		.deopt_inlinings = 7,
	};
	v8_look_begin(&heap.look, &heap.rt, &heap.layout);
}

static inline uint64_t make_chars(unsigned type, const void *chars, size_t count, size_t width)
{
	uint64_t string = make(type, 16 + count * width);

	put(string, 12, count, 4);
	memcpy(heap.bytes + (string - 1 - START) + 16, chars, count * width);
	return string;
}

static inline uint64_t make_string(const char *text)
{
	return make_chars(SEQ_ONE, text, strlen(text), 1);
}

/* A string that refers to another one, and a second word. */
static inline uint64_t make_indirect(unsigned type, uint32_t length, uint64_t first,
				     uint64_t second)
{
	uint64_t string = make(type, 32);

	put(string, 12, length, 4);
	put(string, 16, first, 8);
	put(string, 24, second, 8);
	return string;
}

#endif
