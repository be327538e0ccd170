/*
 * A process as ps(1) shows it, without what may be secret: by this the user tells processes of one
 * name apart.
 *
 * A title (sampler/member/title.h) is shown whole. Of a command line only these words are: the
 * program, an interpreter's script, the names of options, numbers of up to five digits, addresses
 * of digits, and absolute paths without capital letters (what base64 makes has some). Behind an
 * option that has to do with users, passwords, keys or tokens nothing is. A '*' stands for the
 * rest. Rejected: to hide what looks like a secret and show all else. There is no such look.
 */
#ifndef CLI_COMMON_COMMANDLINE_H
#define CLI_COMMON_COMMANDLINE_H

#include <stddef.h>

struct named;

enum { COMMANDLINE_ROOM = 200 };

/* Reads it from the process's memory. "[comm]" where that may not be read, or there is none, as in
 * ps. May hold any bytes but NUL. */
void commandline_read(const struct named *n, char line[COMMANDLINE_ROOM]);

/* The same of `size` bytes of arguments, which end with NUL each; one more NUL stands behind them.
 * "": there are none. */
void commandline_bare(const char *arguments, size_t size, char line[COMMANDLINE_ROOM]);

#endif
