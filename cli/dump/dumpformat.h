/* The formats of a dump. Both writers run in the process that decodes (sampler/dump/dumping.h). */
#ifndef CLI_DUMP_DUMPFORMAT_H
#define CLI_DUMP_DUMPFORMAT_H

#include <stdbool.h>

struct buffer;
struct dump;
struct dump_process;
struct dump_thread;
struct error;
struct json;
struct outfile;
struct printer;

/* For people: a line for each frame. Threads that look alike are one; with dump_text_each they are
 * not. ERR_NOMEM, ERR_IO. */
int dump_text(const struct dump *d, struct outfile *file, struct error *err);
int dump_text_each(const struct dump *d, struct outfile *file, struct error *err);

/* For programs: a JSON object for each process, described in docs/sampler.1. ERR_NOMEM, ERR_IO. */
int dump_json(const struct dump *d, struct outfile *file, struct error *err);

/* proc_pid_status(5)'s word for a thread's state. */
const char *dump_state_name(char state);

/* Writes out and empties the buffer if it holds 1 MiB or more, or in any case with `all`. To be
 * called after each thread. `rc` is the result of filling the buffer; if it is not 0, it is
 * reported and returned, and nothing is written. ERR_IO. */
int dump_flush(struct buffer *b, struct outfile *file, int rc, bool all, struct error *err);

/* Print what the thread waits for, a line if it is known; and the circles of waiting threads, some
 * lines each (dump_locks.c). */
void dump_print_wait(struct printer *p, const struct dump_thread *t);
void dump_print_deadlocks(struct printer *p, const struct dump_process *process);

/* The same as JSON: ,"waits_for":… and ,"deadlocks":[…]. */
void dump_json_wait(struct json *j, const struct dump_thread *t);
void dump_json_deadlocks(struct json *j, const struct dump_process *p);

#endif
