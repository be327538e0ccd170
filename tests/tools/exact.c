// links: rounds/source
/*
 * Counts the goroutines of a process that have a function on their stacks:
 *
 *	exact PID FUNCTION TIMES [live]
 *
 * Prints a line for each time: that number, the number of all goroutines, the number without a
 * stack, and the message about the hold in which they were read ("live": without a hold, "-").
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process/process.h"
#include "pprof/profile.h"
#include "runtimes/go/profile/make.h"
#include "runtimes/go/profile/type.h"
#include "runtimes/go/session/session.h"
#include "rounds/source/heldread.h"
#include "sampler/stop/hold.h"

struct counting {
	struct goprofile *g;
	const char *function;
	int64_t with, all;
};

static bool has_line(const struct profile *p, const struct profile_location *l, const char *name)
{
	for (size_t i = 0; i < l->lines; i++) {
		uint32_t f = p->lines[l->first_line + i].function;

		if (f && !strcmp(strset_get(&p->strings, p->functions[f - 1].name), name))
			return true;
	}
	return false;
}

static void count(struct counting *c, const struct profile *p)
{
	c->with = c->all = 0;
	for (size_t i = 0; i < p->sample_count; i++) {
		const struct profile_sample *s = &p->samples[i];
		int64_t value = p->values[s->first_value];
		bool found = false;

		for (size_t j = 0; !found && j < s->locations; j++)
			found = has_line(p, &p->locations[p->stack[s->first_location + j] - 1],
					 c->function);
		c->with += found ? value : 0;
		c->all += value;
	}
}

static int read_goroutines(void *ctx, struct error *err)
{
	struct counting *c = ctx;
	struct profile p;
	int rc = profile_init(&p);

	if (!rc)
		rc = goprofile_make(c->g, &goprofile_ids[GOPROFILE_GOROUTINE], &p, err);
	if (!rc)
		count(c, &p);
	profile_release(&p);
	return rc;
}

static int once(struct counting *c, const struct process *process, bool live, struct error *err)
{
	char said[256] = "-";
	int rc = live ? read_goroutines(c, err) :
			heldread_make(c->g, process, HOLD_BOUND_NS, read_goroutines, c, said,
				      sizeof(said), err);

	if (!rc)
		printf("%ld %ld %lu %s\n", c->with, c->all, goprofile_stats(c->g)->without_stack,
		       said);
	fflush(stdout);
	return rc;
}

int main(int argc, char **argv)
{
	struct goprofile_options options = { 0 };
	struct process process;
	struct counting c = { .function = argc > 2 ? argv[2] : NULL };
	struct error err;
	int rc;

	if (argc < 4) {
		fprintf(stderr, "exact PID FUNCTION TIMES [live]\n");
		return 2;
	}
	rc = process_open(&process, (pid_t)strtol(argv[1], NULL, 10), &err);
	if (!rc)
		rc = goprofile_new(&c.g, &process, &options, &err);
	for (long i = strtol(argv[3], NULL, 10); !rc && i; i--)
		rc = once(&c, &process, argc > 4, &err);
	if (rc)
		fprintf(stderr, "exact: %s\n", err.text);
	goprofile_free(c.g);
	return rc ? 1 : 0;
}
