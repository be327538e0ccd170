/* Go's own profiles, once and at once: `sampler -p PID -t heap,goroutine`. */
#ifndef CLI_GOTAKE_H
#define CLI_GOTAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
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

/* All goroutines of a process in the text form of debug=2 to a file; an exit status. They are
 * held for `stop_ns` at most; 0: nobody is. */
int cli_gotake_dump(pid_t pid, const char *output, uint64_t stop_ns);

/* The value of --stop, NULL for none. 0 or ERR_USAGE. */
int parse_stop(const char *text, uint64_t *ns, struct error *err);

#endif
