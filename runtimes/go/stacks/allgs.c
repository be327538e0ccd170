/* The slice's three words are read twice and must agree. The elements count only if the array is
 * still the same afterwards. */
#include "runtimes/go/stacks/allgs.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/process/process.h"
#include "runtimes/go/live.h"

enum {
	TRIES = 8,
	COUNT_MAX = 1 << 24, /* goroutines; their smallest stacks would take 32 GiB */
};

struct allgs_slice {
	uint64_t array, len, room;
};

static int allgs_refuse(const struct golive *live, struct error *err)
{
	if (live->process && !process_alive(live->process))
		return error_set(err, ERR_GONE, "the process has ended");
	return error_set(err, ERR_FORMAT, "the list of goroutines (runtime.allgs) cannot be read");
}

/* Reads the three words of the slice, which the runtime writes one after another. */
static int allgs_read_slice(const struct golive *live, struct allgs_slice *s, struct error *err)
{
	const struct memory *memory = live->memory;
	uint64_t at = live->places.all_gs ? live->places.all_gs : live->vars.allgs;
	struct allgs_slice again;

	for (unsigned i = 0; at && i < TRIES; i++) {
		if (memory->read(memory, at, s, sizeof(*s)) ||
		    memory->read(memory, at, &again, sizeof(again)))
			break;
		if (memcmp(s, &again, sizeof(again)))
			continue;
		if (s->array && s->array % 8 == 0 && s->len && s->len <= s->room &&
		    s->len <= COUNT_MAX)
			return 0;
	}
	return allgs_refuse(live, err);
}

int goallgs_count(const struct golive *live, size_t *count, struct error *err)
{
	struct allgs_slice s;
	int rc = allgs_read_slice(live, &s, err);

	*count = rc ? 0 : (size_t)s.len;
	return rc;
}

/* The list grows by appending (runtime/proc.go, allgadd): an element never changes its index. But
 * once there is a new array, Go may reuse the old one. */
int goallgs_read(const struct golive *live, size_t from, uint64_t *gs, size_t count,
		 struct error *err)
{
	for (unsigned i = 0; i < TRIES; i++) {
		struct allgs_slice before, after;
		int rc = allgs_read_slice(live, &before, err);
		bool read = !rc && !live->memory->read(live->memory, before.array + from * 8, gs,
						       count * 8);

		if (!rc)
			rc = allgs_read_slice(live, &after, err);
		if (rc)
			return rc;
		if (read && before.array == after.array)
			return 0;
	}
	return allgs_refuse(live, err);
}
