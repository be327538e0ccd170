/* Go's own profiles, taken once and immediately: `sampler -p PID -t heap,goroutine`. */
#ifndef CLI_RECORD_GOTAKE_H
#define CLI_RECORD_GOTAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct byname;
struct format;
struct source_options;

struct gotake {
	pid_t pid;
	const struct byname *names; /* which the process may have been named by */
	unsigned types;		    /* set of enum capture_type; see roundsoptions_at_once */
	bool gc_wait;
	const struct source_options *source;
	const char *output; /* a file, or with several types a folder; NULL: a default name */
	const struct format *format; /* NULL: by the output's ending */
	bool quiet, verbose;
};

/* Takes and writes the profiles and returns an exit status. If one fails, the others are still
 * written. */
int cli_gotake(const struct gotake *t);

/* Writes all goroutines of a process to a file, in the text form of debug=2, and returns an exit
 * status. All threads are held meanwhile, for `stop_ns` at most; 0: none is held. */
int cli_gotake_dump(pid_t pid, const struct byname *names, const char *output, uint64_t stop_ns);

#endif
