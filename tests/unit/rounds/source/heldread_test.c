/* Several holds for one profile. The holds are made up here, so that each goes as a test needs. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "runtimes/go/session/session.h"
#include "rounds/source/heldread.h"
#include "sampler/stop/hold.h"

struct turn {
	int held;     /* what hold_begin says, */
	int read;     /* the read in it, */
	size_t moved; /* and its report */
};

static const struct turn *turns;
static int begun, reads_in_a_hold, reads_without;
static bool holding, read_is_there;
static struct goprofile_stats stats;

int hold_begin(struct hold **h, const struct process *process, uint64_t bound_ns, struct error *err)
{
	(void)process;
	(void)bound_ns;
	*h = NULL;
	if (turns[begun].held)
		return error_set(err, turns[begun++].held, "made up");
	holding = true;
	return 0;
}

const struct go_held *hold_threads(const struct hold *h, size_t *count)
{
	(void)h;
	*count = 0;
	return NULL;
}

const atomic_bool *hold_let_go(const struct hold *h)
{
	(void)h;
	return NULL;
}

void hold_end(struct hold *h, struct hold_report *report)
{
	(void)h;
	holding = false;
	*report = (struct hold_report){ .threads = 4, .moved = turns[begun++].moved };
}

void goprofile_hold(struct goprofile *g, const struct go_held *held, size_t count,
		    const atomic_bool *let_go)
{
	(void)g;
	(void)held;
	(void)count;
	(void)let_go;
}

const struct goprofile_stats *goprofile_stats(const struct goprofile *g)
{
	(void)g;
	return &stats;
}

/* As those of rounds/source/memory.c: it begins by undoing what the one before has read. */
static int read_it(void *ctx, struct error *err)
{
	(void)ctx;
	reads_in_a_hold += holding;
	reads_without += !holding;
	read_is_there = false;
	if (holding && turns[begun].read)
		return error_set(err, turns[begun].read, "made up");
	read_is_there = true;
	return 0;
}

static int make(const struct turn script[], char said[100])
{
	struct error err;

	turns = script;
	begun = reads_in_a_hold = reads_without = 0;
	read_is_there = false;
	return heldread_make(NULL, NULL, 1000, read_it, NULL, said, 100, &err);
}

Test(heldread, the_first_hold_in_which_nothing_moves_is_the_last)
{
	char said[100];

	cr_assert_eq(make((struct turn[]){ { .moved = 2 }, { 0 } }, said), 0);
	cr_assert_eq(begun, 2);
	cr_assert_eq(strncmp(said, "held 4 threads", 14), 0, "%s", said);
	cr_assert_null(strstr(said, "no exact cut"));
}

Test(heldread, what_moves_each_time_is_said)
{
	char said[100];

	cr_assert_eq(
		make(
			(struct turn[]){
				{ 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 } },
			said),
		0);
	cr_assert(read_is_there && reads_in_a_hold == 5 && !reads_without);
	cr_assert_not_null(strstr(said, "no exact cut"), "%s", said);
}

Test(heldread, what_a_failed_read_has_undone_is_read_again)
{
	char said[100];

	cr_assert_eq(make((struct turn[]){ { 0, 0, 1 },
					   { 0, ERR_SHORT, 0 },
					   { 0, ERR_SHORT, 0 },
					   { 0, ERR_SHORT, 0 },
					   { 0, ERR_SHORT, 0 } },
			  said),
		     0);
	cr_assert(read_is_there, "success without a profile");
	cr_assert_eq(reads_without, 1);
	cr_assert_not_null(strstr(said, "no thread was held"), "%s", said);
}

Test(heldread, what_one_hold_has_read_stays_if_the_next_cannot_be_had)
{
	char said[100];

	cr_assert_eq(make((struct turn[]){ { 0, 0, 1 },
					   { .held = ERR_LIMIT },
					   { .held = ERR_LIMIT },
					   { .held = ERR_LIMIT },
					   { .held = ERR_LIMIT } },
			  said),
		     0);
	cr_assert(read_is_there && !reads_without);
	cr_assert_not_null(strstr(said, "no exact cut"), "%s", said);
}

Test(heldread, another_error_ends_it)
{
	char said[100];

	cr_assert_eq(make((struct turn[]){ { .held = ERR_PERM } }, said), ERR_PERM);
	cr_assert_eq(make((struct turn[]){ { .read = ERR_GONE } }, said), ERR_GONE);
	cr_assert_eq(begun, 1);
}
