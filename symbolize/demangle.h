/* Mangled names -> names as in the source. */
#ifndef SYMBOLIZE_DEMANGLE_H
#define SYMBOLIZE_DEMANGLE_H

struct arena;

/* The demangled name of a C++, Rust or D symbol without its parameters, else the name itself;
 * allocated in the arena. NULL when out of memory. */
const char *demangle(struct arena *arena, const char *name);

#endif
