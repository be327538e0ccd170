/* Which versions have a layout. tests/goruntime/places.test checks the layouts' numbers. */
#include <criterion/criterion.h>

#include "runtimes/go/find/layout.h"

static unsigned minor_of(const char *version)
{
	const struct golayout *l = golayout_of(version);

	return l ? l->minor : 0;
}

Test(golayout, releases_are_known_by_their_minor_number)
{
	cr_assert_eq(minor_of("go1.18"), 18);
	cr_assert_eq(minor_of("go1.21.13"), 21);
	cr_assert_eq(minor_of("go1.26.8"), 26);
	cr_assert_eq(minor_of("go1.27.4"), 27);
	cr_assert_eq(minor_of("go1.22.3 (Red Hat 1.22.3-1.el9)"), 22);
	cr_assert_eq(minor_of("go1.24.1-vendor"), 24);
}

Test(golayout, what_is_not_known_has_none)
{
	static const char *const none[] = { "",
					    "go",
					    "go1",
					    "go1.",
					    "go1.17.13",
					    "go1.28",
					    "go1.1",
					    "go2.26",
					    "devel go1.26-abcdef",
					    "go1.26rc1",
					    "go1.-26",
					    "go1. 26",
					    "go1.26beta1",
					    "go1.99999999999999999999",
					    "go1.99" };

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		cr_assert_null(golayout_of(none[i]), "%s", none[i]);
}

Test(golayout, experiments_may_have_moved_things)
{
	cr_assert_eq(minor_of("go1.21.5 X:boringcrypto"), 21);
	cr_assert_eq(minor_of("go1.22.3 X:strictfipsruntime,boringcrypto"), 22);
	cr_assert_eq(minor_of("go1.26.8-X:jsonv2,nodwarf5"), 26);
	cr_assert_eq(minor_of("go1.26.8-X:nodwarf5,staticlockranking"), 0);
	cr_assert_eq(minor_of("go1.22.3 X:arenas"), 0);
	cr_assert_eq(minor_of("go1.22.3 X:boringcrypto,arenas"), 0);
	cr_assert_eq(minor_of("go1.26.1 X:nogreenteagc"), 0);
	cr_assert_eq(minor_of("go1.26.1 X:boring"), 0);
}

Test(golayout, classes_grow_to_32_kib)
{
	for (int i = 1; i < GO_SIZE_CLASSES; i++)
		cr_assert_gt(go_class_bytes[i], go_class_bytes[i - 1]);
	cr_assert_eq(go_class_bytes[GO_SIZE_CLASSES - 1], 32768);
}
