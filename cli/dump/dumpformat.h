/* The formats of a dump. Both writers run in the process that decodes (sampler/dump/dumping.h). */
#ifndef CLI_DUMP_DUMPFORMAT_H
#define CLI_DUMP_DUMPFORMAT_H

struct buffer;
struct dump;
struct dump_process;
struct dump_thread;
struct error;
struct json;
struct outfile;

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
int dump_flush(struct buffer *b, struct outfile *file, int rc, int all, struct error *err);

/* Appends a foreign text as a terminal may show it (base/printable.h). ERR_NOMEM. */
int dump_add_clean(struct buffer *b, const char *text);

/* Appends what the thread waits for, a line if it is known; and the circles of waiting threads,
 * some lines each (dump_locks.c). ERR_NOMEM. */
int dump_add_wait(struct buffer *b, const struct dump_thread *t);
int dump_add_deadlocks(struct buffer *b, const struct dump_process *p);

/* The same as JSON: ,"waits_for":… and ,"deadlocks":[…]. */
void dump_json_wait(struct json *j, const struct dump_thread *t);
void dump_json_deadlocks(struct json *j, const struct dump_process *p);

#endif
