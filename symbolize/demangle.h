/* Mangled names -> names as in the source. */
#ifndef SYMBOLIZE_DEMANGLE_H
#define SYMBOLIZE_DEMANGLE_H

struct arena;

/* The demangled name of a C++, Rust or D symbol without its parameters, else the name itself;
 * allocated in the arena. NULL when out of memory. */
const char *demangle(struct arena *arena, const char *name);

/* D's part of it: the demangled name without its parameters, which the caller frees. NULL when it
 * is no D name ("_D...", dlang.org/spec/abi.html), or one that would take too long. */
char *demangle_d(const char *name);

#endif
