// links: runtimes/cpython
/*
 * Line tables of CPython's code objects, and what CPython itself says of each instruction, from
 * standard input (tests/lib/pycodes.py writes them): counts instructions whose line or column
 * differs.
 *
 *     pylines
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "runtimes/cpython/linetable.h"

enum { UNKNOWN = -2, SHOWN_MAX = 10 };

struct record {
	uint32_t form, first_line, table_len, count;
};

/* 0: there is none; UNKNOWN: it was not asked for. */
struct answer {
	int32_t line, column;
};

static unsigned long codes, instructions, different;

static void get(void *to, size_t size)
{
	if (fread(to, 1, size, stdin) != size)
		exit(2);
}

static bool is_same(const struct answer *a, uint32_t line, uint32_t column)
{
	return (a->line == UNKNOWN || (uint32_t)a->line == line) &&
	       (a->column == UNKNOWN || (uint32_t)a->column == column);
}

static void compare(const struct record *r, struct arena *arena)
{
	uint8_t *bytes = malloc(r->table_len + 1ul);
	struct pylinetable table;

	get(bytes, r->table_len);
	if (pylinetable_init(&table, r->form, bytes, r->table_len, 2ull * r->count, r->first_line,
			     arena))
		exit(2);
	for (uint32_t i = 0; i < r->count; i++) {
		struct answer theirs;
		uint32_t line, column;

		get(&theirs, sizeof(theirs));
		pylinetable_find(&table, 2 * (int64_t)i, &line, &column);
		instructions++;
		if (!is_same(&theirs, line, column) && different++ < SHOWN_MAX)
			printf("code %lu, line %u: byte %u: %u:%u, CPython has %d:%d\n", codes,
			       r->first_line, 2 * i, line, column, theirs.line, theirs.column);
	}
	free(bytes);
	codes++;
}

int main(void)
{
	struct arena arena = { 0 };
	struct record r;

	while (fread(&r, 1, sizeof(r), stdin) == sizeof(r)) {
		compare(&r, &arena);
		arena_release(&arena);
	}
	printf("%lu code objects, %lu instructions, %lu different\n", codes, instructions,
	       different);
	return different || !codes;
}
