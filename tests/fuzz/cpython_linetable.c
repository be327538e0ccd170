// links: runtimes/cpython
/*
 * Any bytes as a line table: the first byte chooses the form and how often the bytes are repeated,
 * because only long tables have marks; the second byte is the first line. From a mark, the same must
 * be found as from the start.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "runtimes/cpython/linetable.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 2, FORMS = 3, CODE_BYTES = 1 << 20 };

static void check(const struct pylinetable *t, int64_t at)
{
	struct pylinetable unmarked = *t;
	uint32_t line, column, from_start_line, from_start_column;

	unmarked.marks_count = 1;
	pylinetable_find(t, at, &line, &column);
	pylinetable_find(&unmarked, at, &from_start_line, &from_start_column);
	must(line == from_start_line && column == from_start_column);
	must(line <= INT32_MAX && column <= INT32_MAX && (line || !column));
	must(at < 0 ? line == t->first_line : at < CODE_BYTES || !line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	struct pylinetable t;
	size_t times, len;
	uint8_t *bytes;

	if (size < HEAD)
		return 0;
	times = data[0] / FORMS % 2 ? 9000 / size : 1;
	len = times * (size - HEAD);
	bytes = malloc(len + 1);
	must(bytes);
	for (size_t i = 0; i < times; i++)
		memcpy(bytes + i * (size - HEAD), data + HEAD, size - HEAD);
	must(!pylinetable_init(&t, data[0] % FORMS, bytes, len, CODE_BYTES, data[1], &arena));
	for (int64_t at = -2; at < 2 * CODE_BYTES; at += 1 + at / 4)
		check(&t, at);
	check(&t, INT64_MIN);
	check(&t, INT64_MAX);
	free(bytes);
	arena_release(&arena);
	return 0;
}
