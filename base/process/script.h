/* The script that an interpreter executes, by its arguments: what people call the process by. */
#ifndef BASE_PROCESS_SCRIPT_H
#define BASE_PROCESS_SCRIPT_H

#include <stddef.h>

/* Finds the script in the `size` bytes of an interpreter's arguments, which end with NUL each. It
 * is the first one behind argv[0] that is neither an option nor the value of one: a file, the
 * module of `python -m`, a Java class. NULL: there is none, as after `python -c`. */
const char *script_find(const char *program, const char *arguments, size_t size);

#endif
