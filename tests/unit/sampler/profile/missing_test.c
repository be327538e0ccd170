/* The line on modules without symbols: the counts are given, the images have names only. */
#include <criterion/criterion.h>
#include <stdint.h>

#include "base/process/image.h"
#include "base/process/modmap.h"
#include "pprof/profile.h"
#include "sampler/profile/locations.h"
#include "sampler/profile/missing.h"

enum { IMAGES = 6, ROOM = 400 };

static char line[ROOM];

/* Of 1,000 samples each image has these in code without a symbol. `named`: an image that has
 * symbols besides, or -1. */
static const char *missing(const uint64_t nameless[IMAGES], int named, bool asked_network)
{
	static const char *const paths[IMAGES] = { "/bin/a", "/lib/b.so",   "/lib/c.so",
						   "d",	     "/e\n[31m.so", "/f" };
	uint32_t mapping_of[IMAGES];
	uint64_t counts[IMAGES];
	struct profile profile;
	struct modmap *maps;
	struct locations p = { .profile = &profile,
			       .mapping_of = mapping_of,
			       .nameless = counts,
			       .samples = 1000,
			       .image_count = IMAGES };

	memcpy(counts, nameless, sizeof(counts));
	cr_assert_eq(profile_init(&profile) || modmap_new(&maps, NULL), 0);
	p.maps = maps;
	for (int i = 0; i < IMAGES; i++) {
		struct profile_mapping m = { .start = (uint64_t)i + 1,
					     .has_functions = i == named };

		cr_assert_eq(modmap_keep(maps, image_open_none(paths[i])), 0);
		cr_assert_eq(profile_add_mapping(&profile, &m, &mapping_of[i]), 0);
	}
	missing_symbols(&p, asked_network, line, ROOM);
	modmap_free(maps);
	profile_release(&profile);
	return line;
}

#define MISSING(named, network, ...) \
	missing((const uint64_t[IMAGES]){ __VA_ARGS__ }, named, network)

Test(missing, a_module_without_symbols_is_named_with_its_share)
{
	cr_expect_str_eq(MISSING(-1, false, 0, 778),
			 "no symbols for b.so (78% of samples): install its debug package, or add "
			 "--debuginfod");
}

Test(missing, three_at_most_the_largest_first)
{
	cr_expect_str_eq(MISSING(-1, false, 60, 100, 70, 500),
			 "no symbols for d (50% of samples), b.so (10%), c.so (7%): install their "
			 "debug packages, or add --debuginfod");
}

Test(missing, two_with_the_same_share_are_both_named)
{
	cr_expect_str_eq(
		MISSING(-1, true, 200, 0, 200),
		"no symbols for a (20% of samples), c.so (20%): install their debug packages");
}

Test(missing, small_shares_say_nothing)
{
	cr_expect_str_eq(MISSING(-1, false, 49, 49, 49, 49), "");
	cr_expect_str_eq(MISSING(-1, false, 0), "");
}

Test(missing, a_module_with_some_symbols_has_parts_without)
{
	cr_expect_str_eq(MISSING(0, true, 300),
			 "no symbols for parts of a (30% of samples): install its debug package");
}

Test(missing, names_lose_control_characters)
{
	cr_expect_str_eq(MISSING(-1, true, 0, 0, 0, 0, 300),
			 "no symbols for e?[31m.so (30% of samples): install its debug package");
}
