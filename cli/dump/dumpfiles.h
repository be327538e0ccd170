/* `dump --merge FILE…`: files that `dump --json` has written, of several hosts, as one tree. */
#ifndef CLI_DUMP_DUMPFILES_H
#define CLI_DUMP_DUMPFILES_H

#include <stdbool.h>

struct dumpfiles {
	char **paths; /* "-": the standard input */
	int count;
	bool no_inline, no_native; /* leave out such frames */
	const char *output;
};

/* Reads and merges the files and writes the text. Returns an exit status; an error is said. */
int dumpfiles_merge(const struct dumpfiles *f);

#endif
