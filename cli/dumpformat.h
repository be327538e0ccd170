/* What a dump looks like. Both run in the process that decodes (sampler/dumping.h). */
#ifndef CLI_DUMPFORMAT_H
#define CLI_DUMPFORMAT_H

struct buffer;
struct dump;
struct error;
struct outfile;

/* For people: a line for each frame. */
int dump_text(const struct dump *d, struct outfile *file, struct error *err);

/* For programs: a JSON object for each process; docs/sampler.1 says what is in it. */
int dump_json(const struct dump *d, struct outfile *file, struct error *err);

/* proc_pid_status(5)'s word for a thread's state. */
const char *dump_state_name(char state);

/* Between two threads: writes what has been gathered when it is much, or `all` of it.
 * `rc` is how the gathering went. */
int dump_flush(struct buffer *b, struct outfile *file, int rc, int all, struct error *err);

#endif
