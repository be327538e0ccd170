/* A made-up BEAM: atoms, and a module with two functions. */
#ifndef TESTS_UNIT_BEAM_MADE_UP_H
#define TESTS_UNIT_BEAM_MADE_UP_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "base/process/memory.h"
#include "runtimes/beam/functions.h"
#include "runtimes/beam/runtime.h"

enum {
	START = 0x100000,
	BYTES = 1 << 16,
	ATOM_TABLE = START + 0x100,
	SEGMENTS = START + 0x200,
	SEGMENT = START + 0x400,
	ATOMS = START + 0x1000,
	ATOM_SIZE = 64,
	TEXTS = START + 0x2000,
	LISTS = START + 0x3000,
	RANGES = START + 0x4000,
	ACTIVE = START + 0x4100,
	LIST_OF_MODULES = START + 0x4200,
	MODULE = START + 0x5000,
	LINES = START + 0x6000,
	INFO_BYTES = 40, /* in front of a function's code */
	FIRST = MODULE + 0x400,
	SECOND = MODULE + 0x500,
	MODULE_END = MODULE + 0x600,
};

enum { AM_FALSE, AM_TRUE, AM_LISTS, AM_SORT, AM_ELIXIR, AM_FUN, AM_FILE, ATOM_COUNT };

static struct beam {
	uint8_t bytes[BYTES];
	struct memory_bytes memory;
	struct beam_runtime rt;
	uint64_t lists; /* bytes used */
} beam;

static inline void put(uint64_t addr, uint64_t value, size_t size)
{
	cr_assert(addr >= START && addr + size <= START + BYTES);
	memcpy(beam.bytes + (addr - START), &value, size);
}

static inline void put_word(uint64_t addr, uint64_t value)
{
	put(addr, value, 8);
}

static inline uint64_t atom(uint32_t number)
{
	return (uint64_t)number << 6 | 0x0b;
}

static inline void put_atom(uint32_t number, const char *text)
{
	uint64_t at = ATOMS + number * ATOM_SIZE, to = TEXTS + number * 64;

	put_word(SEGMENT + number * 8ul, at);
	put(at + 24, strlen(text), 2);
	put_word(at + 32, to);
	memcpy(beam.bytes + (to - START), text, strlen(text));
}

/* A list of characters. */
static inline uint64_t list(const char *text)
{
	uint64_t list = 0x3b;

	for (size_t i = strlen(text); i--;) {
		uint64_t cell = LISTS + beam.lists;

		beam.lists += 16;
		put_word(cell, (uint64_t)(uint8_t)text[i] << 4 | 15);
		put_word(cell + 8, list);
		list = cell | 1;
	}
	return list;
}

static inline void put_function(uint64_t info, uint32_t module, uint32_t function, uint64_t arity)
{
	put_word(info + 16, atom(module));
	put_word(info + 24, atom(function));
	put_word(info + 32, arity);
}

/* Lines 7 and 9 of the first function, of the module's own file; line 3 of the second one, of
 * "a/é.yrl". */
static inline void put_lines(void)
{
	static const uint64_t begins[] = { FIRST + 48, FIRST + 64, SECOND + 40, MODULE_END };
	static const uint32_t locations[] = { 7, 9, 1 << 24 | 3 };

	put_word(LINES, LINES + 0x100); /* names */
	put_word(LINES + 0x100, list("lists.erl"));
	put_word(LINES + 0x108, list("a/\xe9.yrl"));
	put(LINES + 8, 4, 4);
	put_word(LINES + 16, LINES + 0x200);
	put_word(LINES + 24, LINES + 0x300);
	put_word(LINES + 32, LINES + 0x310);
	put_word(LINES + 40, LINES + 0x318);
	for (unsigned i = 0; i < 3; i++)
		put(LINES + 0x200 + i * 4, locations[i], 4);
	for (unsigned i = 0; i < 4; i++)
		put_word(LINES + 0x300 + i * 8ul, begins[i]);
}

static inline void put_modules(uint64_t end)
{
	put(ACTIVE, 1, 4);
	put_word(RANGES + 32, LIST_OF_MODULES);
	put_word(RANGES + 40, 1);
	put_word(LIST_OF_MODULES, MODULE);
	put_word(LIST_OF_MODULES + 8, end);
}

static inline void next_walk(void)
{
	memset(beam.rt.kept, 0, sizeof(beam.rt.kept));
	beam_ranges_begin(&beam.rt);
}

static inline void make_up(void)
{
	static const char *const texts[] = { "false",  "true",	      "lists",
					     "sort",   "Elixir.Shop", "-total/2-fun-0-",
					     "shop.ex" };

	memory_bytes_init(&beam.memory, beam.bytes, START, BYTES);
	beam.rt.memory = beam.rt.live = &beam.memory.memory;
	beam.rt.at = (struct beam_layout){
		.ranges = RANGES, .active = ACTIVE, .functions = 0x60, .lines = 0x48, .mfa = 16
	};
	cr_assert_eq(strset_init(&beam.rt.files), 0);
	for (uint32_t i = 0; i < ATOM_COUNT; i++)
		put_atom(i, texts[i]);
	put_word(ATOM_TABLE + 0x78, SEGMENTS);
	put_word(SEGMENTS, SEGMENT);
	cr_assert(beam_atoms_find(&beam.rt, ATOM_TABLE));
	put_word(MODULE, 2);
	put_word(MODULE + 0x48, LINES);
	put_word(MODULE + 0x60, FIRST);
	put_word(MODULE + 0x68, SECOND);
	put_word(MODULE + 0x70, MODULE_END);
	put_function(FIRST, AM_LISTS, AM_SORT, 1);
	put_function(SECOND, AM_ELIXIR, AM_FUN, 3);
	put_lines();
	put_modules(MODULE_END);
	beam_ranges_read(&beam.rt);
	next_walk();
}

static inline void release(void)
{
	beam_ranges_release(&beam.rt.ranges);
	strset_release(&beam.rt.files);
}

#endif
