/* Short names. tests/profiles/flamegraph.test reads the table below, too: the page's shorten() makes
 * the same forms. */
#include <criterion/criterion.h>

#include <string.h>

#include "pprof/shortname.h"

/* clang-format off */
static const char *const names[][4] = {
	/* C, and what compilers and linkers add */
	{ "memcpy" },
	{ "_start" },
	{ "all" },
	{ "fib.1" },
	{ "0x1234" },
	{ "<unknown>" },
	{ "[libx.so]+0x12" },
	{ "__GI___libc_malloc (inlined)" },
	{ "unlink_chunk.constprop.0", "unlink_chunk" },
	{ "malloc_consolidate.part.0.isra.0", "malloc_consolidate" },
	{ "foo.cold", "foo" },
	{ "f.lto_priv.12", "f" },
	{ "a.llvm.123456", "a" },
	{ "main._omp_fn.0", "main" },
	{ "memcpy@@GLIBC_2.14", "memcpy" },
	{ "memcpy@plt" },
	{ "cc1!fun_b1f500", "fun_b1f500" },
	/* C++ */
	{ "do_thing(int)", "do_thing" },
	{ "f(int (*)(int))", "f" },
	{ "f<int>(int)", "f" },
	{ "void f<A<B> >(int)", "f" },
	{ "copy_warning<tree_node*, tree_node*>", "copy_warning" },
	{ "foo(int) [clone .isra.0]", "foo" },
	{ "a::b(int) [clone .constprop.0] [clone .cold]", "a::b", "b" },
	{ "ns::C<std::vector<int>>::f(int) const", "ns::C::f", "f" },
	{ "void ns::f<int>(int)", "ns::f", "f" },
	{ "(anonymous namespace)::run(int)", "(anonymous namespace)::run", "run" },
	{ "std::function<void (int)>::operator()(int) const", "std::function::operator()", "function::operator()" },
	{ "std::vector<int, std::allocator<int> >::operator[](unsigned long)", "std::vector::operator[]", "operator[]" },
	{ "ns::operator<<(std::ostream&, X const&)", "ns::operator<<", "operator<<" },
	{ "ns::operator->()", "ns::operator->", "operator->" },
	{ "bool operator==<int>(A const&, B const&)", "operator==" },
	{ "X::operator bool() const", "X::operator bool", "operator bool" },
	{ "operator new(unsigned long)", "operator new" },
	{ "operator/" },
	{ "std::string::~string()", "std::string::~string", "~string" },
	{ "f[abi:cxx11](int)", "f" },
	{ "main::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}::operator()", "main::{lambda#1}" },
	{ "foo(int)::{lambda(int)#1}::operator()(int) const", "foo::{lambda#1}::operator()", "foo::{lambda#1}" },
	{ "auto ns::g<int>(int)::{lambda(auto:1)#1}::operator()<int>(int) const", "ns::g::{lambda#1}::operator()", "g::{lambda#1}" },
	{ "main::'lambda'(int)::operator()(int) const", "main::'lambda'::operator()", "main::'lambda'" },
	/* Rust */
	{ "core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place", "drop_in_place" },
	{ "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop", "drop" },
	{ "app::main::{{closure}}", "main::{{closure}}" },
	{ "app::run::{closure#0}::{closure#1}", "run::{closure#0}::{closure#1}" },
	{ "app::run::h0123456789abcdef", "app::run", "run" },
	/* Go */
	{ "main.main", "main" },
	{ "runtime.mallocgc", "mallocgc" },
	{ "main.x.func1", "x.func1" },
	{ "main.main.func1.2", "main.func1.2" },
	{ "main.F.gowrap1", "F.gowrap1" },
	{ "main.glob..func1", "glob..func1" },
	{ "main.init.0", "init.0" },
	{ "main.(*T).M.func2.1", "M.func2.1" },
	{ "main.(*List[...]).Push-fm", "Push-fm" },
	{ "main.Map[...]", "Map" },
	{ "main.Map[go.shape.int].func1", "Map.func1" },
	{ "net/http.(*conn).serve", "http.(*conn).serve", "serve" },
	{ "github.com/a/b.(*T).M.func1", "b.(*T).M.func1", "M.func1" },
	/* others; by line */
	{ "java.util.ArrayList.add", "add" },
	{ "py::fib:/home/x.py", "fib" },
	{ "LazyCompile:*foo /home/x.js:10", "LazyCompile:*foo x.js:10" },
	{ "f /src/a/b.c:12", "f b.c:12" },
	{ "main.x.func1 /src/a/b.go:12", "main.x.func1 b.go:12" },
	{ "::" },
	{ "(" },
	{ "." },
	{ "a::" },
	{ "operator" },
};
/* clang-format on */

Test(shortname, forms_of_names)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char forms[SHORTNAME_FORMS][SHORTNAME_MAX];
		size_t n = shortname(names[i][0], strlen(names[i][0]), forms);

		for (size_t k = 0; k < 3; k++) {
			const char *expected = names[i][k + 1];

			cr_expect(expected ? k < n && !strcmp(forms[k], expected) : k >= n,
				  "'%s', form %zu: expected '%s', got '%s'", names[i][0], k,
				  expected ? expected : "", k < n ? forms[k] : "");
		}
	}
}

/* Any text, as names are foreign. The sanitizers watch. */
Test(shortname, any_text)
{
	static const char parts[][12] = { "operator", "()",  "::",	"<",	  ">", "(",
					  ")",	      "{",   "}",	"[abi:",  "]", " const",
					  ".",	      "@",   "[clone ", ".isra.", "0", "py::",
					  "/",	      " ",   "'",	"func1",  "!", "x",
					  "-",	      "$_1", "_FUN" };
	enum { PARTS = sizeof(parts) / sizeof(*parts) };
	unsigned chance = 1;

	for (int i = 0; i < 200000; i++) {
		char name[SHORTNAME_MAX] = "", forms[SHORTNAME_FORMS][SHORTNAME_MAX];

		for (int k = i % 12; k >= 0; k--) {
			chance = chance * 1103515245 + 12345;
			strcat(name, parts[(chance >> 16) % PARTS]);
		}
		for (size_t n = shortname(name, strlen(name), forms); n > 0; n--)
			cr_assert(*forms[n - 1] && strlen(forms[n - 1]) <= strlen(name),
				  "'%s' in '%s'", forms[n - 1], name);
	}
}

Test(shortname, too_long_or_not_text)
{
	char name[SHORTNAME_MAX + 1], forms[SHORTNAME_FORMS][SHORTNAME_MAX];

	memset(name, 'x', sizeof(name));
	memcpy(name, "main.", 5);
	cr_assert_eq(shortname(name, SHORTNAME_MAX, forms), 0);
	cr_assert_eq(shortname(name, SHORTNAME_MAX - 1, forms), 1);
	cr_assert_eq(shortname("main.a\0b", 8, forms), 0);
}
