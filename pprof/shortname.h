/*
 * Makes short forms of a function's name, for boxes that the whole name does not fit into: without
 * folders and what a compiler adds to a clone, without arguments, without the scope. Names of C,
 * C++, Rust, Go and CPython are understood; what is not keeps its name.
 *
 *   unlink_chunk.constprop.0                 unlink_chunk
 *   ns::C<int>::f(int) const                 ns::C::f, f
 *   app::main::{{closure}}                   main::{{closure}}
 *   github.com/a/b.(*T).M.func1              b.(*T).M.func1, M.func1
 *
 * A closure or a lambda has no name of its own, so it keeps that of its function. shorten() in
 * pprof/flame/page/words.js does the same; tests/profiles/flamegraph.test compares them.
 */
#ifndef PPROF_SHORTNAME_H
#define PPROF_SHORTNAME_H

#include <stddef.h>

enum { SHORTNAME_FORMS = 3, SHORTNAME_MAX = 512 };

/* Writes the forms of a name other than itself, NUL-terminated, the longest first, and returns how
 * many there are: 0 for a name that has no shorter one or takes SHORTNAME_MAX bytes or more. */
size_t shortname(const char *name, size_t len, char forms[SHORTNAME_FORMS][SHORTNAME_MAX]);

#endif
