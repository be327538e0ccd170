/* The formats of a dump. All writers run in the process that decodes (sampler/dump/dumping.h). */
#ifndef CLI_DUMP_DUMPFORMAT_H
#define CLI_DUMP_DUMPFORMAT_H

#include <stdbool.h>
#include <stddef.h>

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

/* One tree of all processes' threads, behind the few that differ. ERR_NOMEM, ERR_IO, ERR_LIMIT. */
int dump_merge(const struct dump *d, struct outfile *file, struct error *err);

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

/* Print what the threads of a group wait for, other than a lock: a line for each thing, of which
 * one that several have says how many; and how long they have waited, to be added to the line of
 * their state (dump_awaited.c). */
void dump_print_awaited(struct printer *p, const struct dump_thread *const *threads, size_t count);
void dump_print_off_cpu(struct printer *p, const struct dump_thread *const *threads, size_t count);

/* The kind alone, of threads that are alike in that. */
void dump_print_awaited_kind(struct printer *p, const struct dump_thread *t);

/* ,"awaits":… and ,"off_cpu_ns":… */
void dump_json_awaited(struct json *j, const struct dump_thread *t);

/* As JSON: ,"waits_for":… and ,"deadlocks":[…]. */
void dump_json_wait(struct json *j, const struct dump_thread *t);
void dump_json_deadlocks(struct json *j, const struct dump_process *p);

#endif
