/* What the fuzz targets of interpreters' chains share: any bytes as an interpreter's memory. */
#ifndef TESTS_FUZZ_CHAINS_H
#define TESTS_FUZZ_CHAINS_H

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "base/utf8.h"
#include "runtimes/common/copy.h"
#include "tests/fuzz/must.h"

enum { START = 0x10000 };

/* A copy that has all of the memory, which begins at START, and cannot read more. */
static inline void fill(struct interp_copy *copy, const uint8_t *data, size_t size, size_t frames)
{
	struct interp_range range = { START, (uint32_t)size };
	struct interp_plan plan = { .ranges = &range, .count = 1, .bytes = size, .frames = frames };
	struct memory_piece piece;

	must(!interp_copy_reserve(copy, &plan));
	interp_copy_begin(copy, &plan);
	if (interp_copy_pieces(copy, &piece))
		memcpy(piece.to, data, piece.len);
	interp_copy_filled(copy, size, 0, NULL);
}

static inline void check_text(const char *text)
{
	size_t size = strlen(text), len;

	for (size_t i = 0; i < size; i += len)
		must(utf8_next(text + i, size - i, &len) != UTF8_REPLACEMENT || len == 3);
}

/* Of a language whose lines have no columns. */
static inline void check_codes(const struct interp_ops *ops, const void *rt,
			       const struct memory *memory, const struct interp_walk *walk)
{
	struct interp_identity id = { .code = START };
	struct arena arena = { 0 };

	for (size_t i = 0; i < walk->count && i < 40; i++) {
		struct interp_code code = { 0 };
		uint32_t line, column;
		int rc;

		id.code = walk->frames[i].code;
		id.method = walk->frames[i].method;
		ops->identify(rt, memory, &id, 1);
		rc = ops->resolve(rt, memory, &id, &arena, &code);
		must(!rc || rc == ERR_FORMAT);
		if (rc)
			continue;
		check_text(code.name);
		check_text(code.file);
		ops->line(rt, &code, walk->frames[i].at, &line, &column);
		must(!column);
	}
	arena_release(&arena);
}

#endif
