// links: sampler/stop
/*
 * Holds all threads of a process, again and again, for some microseconds each time, and reads
 * nothing:
 *
 *	hold PID TIMES US [BOUND_US]
 *
 * Prints a line for each hold: threads, stopped, moved, cut (1 or 0), ns; or "limit" if not all
 * threads stopped in time. For tests of the hold and for the bench.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/process.h"
#include "sampler/stop/hold.h"

static int hold_once(const struct process *p, uint64_t ns, uint64_t bound_ns, struct error *err)
{
	struct hold_report r;
	struct hold *h;
	uint64_t until;
	int rc = hold_begin(&h, p, bound_ns, err);

	if (rc == ERR_LIMIT)
		puts("limit");
	if (rc)
		return rc == ERR_LIMIT ? 0 : rc;
	until = monotonic_ns() + ns;
	while (monotonic_ns() < until)
		usleep((useconds_t)(ns / 2000));
	hold_end(h, &r);
	printf("%zu %zu %zu %d %lu\n", r.threads, r.stopped, r.moved, r.cut, r.ns);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t bound_ns = argc > 4 ? strtoul(argv[4], NULL, 10) * 1000 : HOLD_BOUND_NS;
	struct process p;
	struct error err;

	if (argc < 4 || process_open(&p, (pid_t)strtol(argv[1], NULL, 10), &err)) {
		fprintf(stderr, "%s\n", argc < 4 ? "hold PID TIMES US [BOUND_US]" : err.text);
		return 2;
	}
	for (long i = strtol(argv[2], NULL, 10); i; i--) {
		if (hold_once(&p, strtoul(argv[3], NULL, 10) * 1000, bound_ns, &err)) {
			fprintf(stderr, "%s\n", err.text);
			return 1;
		}
		fflush(stdout);
	}
	process_close(&p);
	return 0;
}
