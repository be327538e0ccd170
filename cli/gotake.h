/* Go's own profiles, once and at once: `sampler -p PID -t heap,goroutine`. */
#ifndef CLI_GOTAKE_H
#define CLI_GOTAKE_H

#include <stdbool.h>
#include <sys/types.h>

struct format;
struct source_options;

struct gotake {
	pid_t pid;
	unsigned types;	    /* set of enum capture_type, all of GOTAKE_TYPES */
	bool gc_wait;
	const struct source_options *source;
	const char *output; /* a file, or with several types a folder; NULL: named by us */
	const struct format *format; /* NULL: by the output's ending */
	bool quiet, verbose;
};

/* Those that need no time: of Go, but a trace and what was allocated in a round. */
unsigned gotake_types(void);

/* Takes and writes them; an exit status. One that cannot be had does not keep others back. */
int cli_gotake(const struct gotake *t);

/* All goroutines of a process in the text form of debug=2 to a file; an exit status. */
int cli_gotake_dump(pid_t pid, const char *output);

#endif
