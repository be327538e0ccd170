// links: rounds/source
/*
 * Execution traces: two pieces give the same result as all bytes at once, unless the first piece
 * was broken already, and a trace that was cut is complete.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rounds/source/tracecut.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct tracecut *t, size_t len)
{
	must(t->at <= len && t->whole <= t->at && t->thread_count <= TRACECUT_THREADS);
	for (size_t i = 1; i < t->thread_count; i++)
		must(t->threads[i - 1] < t->threads[i]);
}

/* In an exact copy, so that a read past its end is detected. */
static int look(struct tracecut *t, const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len + !len);
	struct error err = { 0 };
	int rc;

	must(copy);
	memcpy(copy, data, len);
	rc = tracecut_look(t, copy, len, &err);
	free(copy);
	must(rc == 0 || (rc == ERR_FORMAT && *err.text));
	check(t, len);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tracecut once, twice, again;
	size_t half = size ? data[size - 1] * size / 256 : 0;
	int rc, other;

	memset(&once, 0, sizeof(once));
	memset(&twice, 0, sizeof(twice));
	memset(&again, 0, sizeof(again));
	rc = look(&once, data, size);
	other = look(&twice, data, half);
	if (!other)
		other = look(&twice, data, size);
	must(rc == other);
	if (!rc)
		must(!memcmp(&once, &twice, sizeof(once)));
	if (once.whole) {
		must(look(&again, data, once.whole) == 0);
		must(tracecut_complete(&again, once.whole));
	}
	return 0;
}
