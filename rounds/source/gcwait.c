/*
 * Requests heap?debug=1, the one page of net/http/pprof with the number of cycles. The answer is
 * the whole heap profile as text, and the program stops for the tens of microseconds that
 * runtime.ReadMemStats takes. So the pauses between requests grow.
 */
#include "rounds/source/gcwait.h"

#include <string.h>

#include "base/clock.h"
#include "base/cursor.h"
#include "base/error.h"
#include "rounds/source/httpask.h"

static const uint64_t FIRST_NS = 50 * NS_PER_MS, MOST_NS = NS_PER_S;

enum { PIECE = 64 << 10, TEXT_MAX = 1 << 30 };

bool gcwait_cycles(const void *end, size_t len, uint64_t *cycles)
{
	static const char line[] = "\n# NumGC = ";
	const char *at = memmem(end, len, line, sizeof(line) - 1);
	struct cursor c;

	if (!at)
		return false;
	cursor_init(&c, at, (size_t)((const char *)end + len - at), "the heap profile's text");
	cursor_bytes(&c, sizeof(line) - 1);
	*cycles = cursor_number(&c, 10);
	cursor_expect(&c, '\n');
	return !c.failed;
}

/* Keeps the last GCWAIT_END bytes of the text. */
static int read_end(struct http *h, char *end, size_t *len, struct error *err)
{
	char piece[PIECE];
	size_t got, keep;
	int rc;

	*len = 0;
	while (!(rc = http_read(h, piece, sizeof(piece), &got, err)) && got) {
		size_t fresh = got < GCWAIT_END ? got : GCWAIT_END;

		keep = *len < GCWAIT_END - fresh ? *len : GCWAIT_END - fresh;
		memmove(end, end + *len - keep, keep);
		memcpy(end + keep, piece + got - fresh, fresh);
		*len = keep + fresh;
	}
	return rc;
}

static int gcwait_count(const struct httpask *a, uint64_t until, uint64_t *cycles,
			struct error *err)
{
	uint64_t now = monotonic_ns();
	struct httpask_what what = { "heap", "debug=1", until > now ? until - now : 1, TEXT_MAX };
	char end[GCWAIT_END];
	struct http *h;
	size_t len = 0;
	int rc = httpask_open(a, &what, &h, err);

	rc = rc ? rc : read_end(h, end, &len, err);
	http_close(h);
	if (!rc && !gcwait_cycles(end, len, cycles))
		rc = error_set(err, ERR_FORMAT,
			       "heap?debug=1 does not tell how many GC cycles "
			       "there were");
	return rc;
}

int gcwait(const struct httpask *a, uint64_t timeout_ns, bool *ended, struct error *err)
{
	uint64_t until = monotonic_ns() + timeout_ns, pause = FIRST_NS, before, now;
	int rc = gcwait_count(a, until, &before, err);

	*ended = false;
	while (!rc && !*ended && monotonic_ns() + pause < until) {
		struct timespec ts = to_timespec(pause);

		nanosleep(&ts, NULL);
		pause = pause * 2 < MOST_NS ? pause * 2 : MOST_NS;
		rc = gcwait_count(a, until, &now, err);
		*ended = !rc && now != before;
	}
	return rc == ERR_LIMIT ? 0 : rc;
}
