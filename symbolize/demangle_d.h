/* D's names. */
#ifndef SYMBOLIZE_DEMANGLE_D_H
#define SYMBOLIZE_DEMANGLE_D_H

/* The demangled name without its parameters, to be freed; NULL when it is no name of
 * D's ("_D...", dlang.org/spec/abi.html), or one that would take too long. */
char *demangle_d(const char *name);

#endif
