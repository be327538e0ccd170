/* C++, Rust, D, other names, and hostile ones. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "symbolize/demangle.h"

static void expect(const char *raw, const char *want)
{
	struct arena arena = { 0 };
	const char *got = demangle(&arena, raw);

	cr_assert_str_eq(got, want, "%s gave %s, not %s", raw, got, want);
	arena_release(&arena);
}

Test(demangle, cxx_without_parameters)
{
	expect("_Z3foov", "foo");
	expect("_ZN2ns3fooIiEEvT_", "ns::foo<int>");
	expect("_ZNSt6vectorIiSaIiEE9push_backEOi",
	       "std::vector<int, std::allocator<int> >::push_back");
	expect("_ZN1AC2Ev", "A::A");
	expect("_ZZN1A1fEvENKUlvE_clEv", "A::f()::{lambda()#1}::operator()");
	expect("_Z3fooi.constprop.0", "foo");
	expect("_ZTV1A", "vtable for A");
}

Test(demangle, rust_without_hash)
{
	expect("_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place");
	expect("_ZN55_$LT$std..env..Args$u20$as$u20$core..iter..Iterator$GT$4next17h0123456789abcdefE",
	       "<std::env::Args as core::iter::Iterator>::next");
	expect("_RNvC6_123foo3bar", "123foo::bar");
	expect("_RNvNtCs1234_7mycrate3foo3bar.llvm.1234", "mycrate::foo::bar");
	expect("_RINvNtC3std3mem8align_ofNtNtC5alloc5boxed7GarbageE",
	       "std::mem::align_of::<alloc::boxed::Garbage>");
}

Test(demangle, d_without_parameters)
{
	expect("_Dmain", "D main");
	expect("_D3std7process12__ModuleInfoZ", "ModuleInfo for std.process");
	expect("_D3foo3barFiZv", "foo.bar");
	expect("_D3foo3Box3getMxFNaNbZi", "foo.Box.get");
	expect("_D3foo__T3mapTiZ3mapFAiZAi", "foo.map!(int).map");
	expect("_D8demangle__T2fnTiZv", "demangle.fn!(int)");
	expect("_D3std5range10primitives__T7popBackTkZQlFNaNbNiNfMKANgkZv",
	       "std.range.primitives.popBack!(uint).popBack");
	expect("_D3foo3barFDFiZvZv", "foo.bar");
}

Test(demangle, leaves_the_rest_alone)
{
	expect("_D", "_D");
	expect("_DYNAMIC", "_DYNAMIC");
	expect("main.(*T).Method", "main.(*T).Method");
	expect("github.com/x/y.F[...].func1", "github.com/x/y.F[...].func1");
	expect("", "");
	expect("main", "main");
	expect("_", "_");
	expect("_Z", "_Z");
	expect("_R", "_R");
	expect("_Z3fo", "_Z3fo");
	expect("_ZNope", "_ZNope");
	expect("_GLOBAL__sub_I_shop.cc", "_GLOBAL__sub_I_shop.cc");
	expect("caml_main", "caml_main");
}

Test(demangle, shows_no_control_characters)
{
	struct arena arena = { 0 };
	const char *got = demangle(&arena, "_ZN3a$u7f$1b17h0123456789abcdefE");

	cr_assert_null(strchr(got, 0x7f));
	arena_release(&arena);
}

static char *repeat(const char *head, const char *part, unsigned times, const char *middle,
		    const char *after, const char *tail)
{
	char *name = malloc(1 << 16), *at = name + sprintf(name, "%s", head);

	for (unsigned i = 0; i < times; i++)
		at += sprintf(at, "%s", part);
	at += sprintf(at, "%s", middle);
	for (unsigned i = 0; i < times; i++)
		at += sprintf(at, "%s", after);
	sprintf(at, "%s", tail);
	return name;
}

static void survive(const char *head, const char *part, unsigned times, const char *middle,
		    const char *after, const char *tail)
{
	char *name = repeat(head, part, times, middle, after, tail);
	struct arena arena = { 0 };
	const char *got = demangle(&arena, name);

	cr_assert_not_null(got);
	cr_assert(strlen(got) <= 1 << 16);
	arena_release(&arena);
	free(name);
}

/* Each level contains the previous one twice: 2^30 names in 300 bytes. */
Test(demangle, does_not_follow_doubling, .timeout = 10)
{
	static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *name = malloc(4096), *at = name + sprintf(name, "_Z1fI1pIiiE");
	struct arena arena = { 0 };

	for (int i = 0; i < 30; i++)
		at += sprintf(at, "S_IS%c_S%c_E", digit[i], digit[i]);
	strcpy(at, "Evv");
	cr_assert_str_eq(demangle(&arena, name), name);
	arena_release(&arena);
	free(name);
}

/* Each of these took libiberty seconds, gigabytes or for ever. */
Test(demangle, survives_what_is_made_to_hurt, .timeout = 30)
{
	survive("_ZN1a", "cvT_I", 100, "i", "E", "Ev");
	survive("_ZN1a", "cvT_I", 600, "i", "E", "Ev");
	survive("_RNvMC1aFGzzzzzzzzz_Eu", "", 0, "1b", "", "1c");
	survive("_RINvC1a1f", "DGzzzzzzzzz_", 20, "u", "L_", "E");
	survive("_RINvC1a1f", "TBc_Bc_", 100, "u", "E", "E");
	survive("_RINvC1a1f", "T", 1000, "u", "E", "E");
	survive("_R", "M", 4000, "i", "", "");
	survive("_Z1fI", "P", 4000, "i", "", "Evv");
	survive("_Z1fI", "FP", 1300, "i", "E", "Evv");
	survive("_Z1fI", "J", 2000, "i", "E", "Evv");
	survive("_Z1f", "1aI", 1000, "i", "E", "");
	survive("_Z1fI", "P", 60000, "i", "", "Evv");
}

Test(demangle, takes_names_longer_than_libiberty_would, .timeout = 10)
{
	char *name = repeat("_Z1f", "1aI", 300, "i", "E", ""), *long_one;
	struct arena arena = { 0 };

	cr_assert_gt(strlen(name), 1024);
	cr_assert_str_eq(demangle(&arena, name), "f");
	long_one = repeat("_Z1f", "1aI", 2000, "i", "E", "");
	cr_assert_str_eq(demangle(&arena, long_one), long_one, "too long, as it is");
	arena_release(&arena);
	free(name);
	free(long_one);
}

/* Random letters after the prefixes have a result, within bounds. */
Test(demangle, survives_noise, .timeout = 60)
{
	static const char letters[] = "_ZNSIE0123456789abcdeTPKRLXJDpGMCBFstvi.$";
	struct arena arena = { 0 };

	srand(7);
	for (int round = 0; round < 100000; round++) {
		char name[128] = "_Z";
		int len = 2 + rand() % 120;

		name[1] = rand() % 2 ? 'Z' : 'R';
		for (int i = 2; i < len; i++)
			name[i] = letters[(size_t)rand() % (sizeof(letters) - 1)];
		cr_assert_not_null(demangle(&arena, name));
		if (round % 1000 == 0)
			arena_release(&arena);
	}
	arena_release(&arena);
}

/* Each would take minutes or more, or all of the memory. */
Test(demangle, d_that_hurts, .timeout = 10)
{
	survive("_D3abc", "__T1aS22", 300, "Zi", "", "");
	survive("_D", "9__T1aS19", 40, "1bZi", "", "");
	survive("_D", "9__T1aS1", 400, "1bZi", "", "");
	survive("_D1a__T1bS9", "_D1a__T1bS9", 200, "1bZi", "", "");
	survive("_D1aFAAAAi", "DFQeQdZv", 300, "Zv", "", "");
	survive("_D1aFAAAAi", "DFQeQdZv", 4, "Zv", "", "");
	survive("_D1a", "P", 4000, "i", "", "");
	survive("_D1a", "F", 4000, "i", "", "");
	survive("_D1aF", "P", 400, "i", "Qb", "Zv");
}
