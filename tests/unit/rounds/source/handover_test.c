// links: rounds/source
/* What passes from round to round: of one program only, one frequency for all rounds, waits that
 * are kept beside it. */
#include <criterion/criterion.h>

#include "base/error.h"
#include "runtimes/go/profile/waits.h"
#include "rounds/source/handover.h"

static const struct subject_program one = { .began = 1, .stack = 2 };
static const struct subject_program two = { .began = 1, .stack = 3 };

/* What a collecting process saves that has measured `frequency`. */
static void hand_over(struct handover *to, const struct handover *child,
		      const struct subject_program *program, double frequency)
{
	struct buffer bytes = { 0 };

	cr_assert_eq(handover_save(child, program, frequency, &bytes), 0);
	cr_assert(bytes.len);
	handover_load(to, bytes.data, bytes.len);
	buffer_release(&bytes);
}

Test(handover, the_first_frequency_stays)
{
	struct handover empty = { 0 }, r = { 0 };

	cr_assert_eq(handover_frequency(&r, &one), 0);
	hand_over(&r, &empty, &one, 2e9);
	cr_assert_eq(handover_frequency(&r, &one), 2e9);
	hand_over(&r, &empty, &one, 3e9); /* of a process that was forked before */
	cr_assert_eq(handover_frequency(&r, &one), 2e9);
	cr_assert_eq(handover_frequency(&r, &two), 0);
	hand_over(&r, &empty, &two, 3e9);
	cr_assert_eq(handover_frequency(&r, &two), 3e9);
	cr_assert_eq(handover_frequency(&r, &one), 0);
}

Test(handover, what_is_known_is_not_saved_again)
{
	struct handover empty = { 0 }, r = { 0 };
	struct buffer bytes = { 0 };

	hand_over(&r, &empty, &one, 2e9);
	cr_assert_eq(handover_save(&r, &one, 2e9, &bytes), 0);
	cr_assert_eq(handover_save(&r, &one, 0, &bytes), 0);
	cr_assert_eq(bytes.len, 0);
}

Test(handover, a_frequency_leaves_the_waits)
{
	struct handover child = { 0 }, early = { 0 }, r = { 0 };
	struct waits *w;

	cr_assert_eq(waits_new(&w), 0);
	handover_keep(&child, &one, w);
	waits_free(w);
	cr_assert(child.waits.len);
	hand_over(&r, &child, &one, 0);
	cr_assert_eq(r.waits.len, child.waits.len);
	hand_over(&r, &early, &one, 2e9); /* of a process that has no waits */
	cr_assert_eq(r.waits.len, child.waits.len);
	cr_assert_eq(handover_frequency(&r, &one), 2e9);
	hand_over(&r, &early, &two, 2e9);
	cr_assert_eq(r.waits.len, 0);
	handover_release(&child);
	handover_release(&r);
}

Test(handover, bytes_are_not_trusted)
{
	struct handover empty = { 0 }, r = { 0 };
	struct buffer bytes = { 0 };
	struct waits *w;

	handover_load(&r, "short", 5);
	cr_assert_eq(r.waits.len, 0);
	cr_assert_eq(handover_save(&empty, &one, 2e9, &bytes), 0);
	cr_assert_eq(buffer_add(&bytes, "nonsense", 8), 0);
	handover_load(&r, bytes.data, bytes.len);
	cr_assert_eq(handover_waits(&r, &one, &w, NULL), 0, "nonsense counts as no waits");
	waits_free(w);
	handover_release(&r);
	buffer_release(&bytes);
}
