/* Demangles D's names. */
#ifndef SYMBOLIZE_DEMANGLE_D_H
#define SYMBOLIZE_DEMANGLE_D_H

/* The demangled name without its parameters, which the caller frees. NULL when it is no D name
 * ("_D...", dlang.org/spec/abi.html), or one that would take too long. */
char *demangle_d(const char *name);

#endif
