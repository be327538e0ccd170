/* The target of the rounds: one process, or none if only a URL is read. */
#ifndef ROUNDS_METRICS_SUBJECT_H
#define ROUNDS_METRICS_SUBJECT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/process/process.h"
#include "rounds/resource/resource.h"

struct error;
struct metrics;

/* Identifies what a process runs: equal as long as it is the same process and has not executed
 * another program. `stack` 0: the process has ended, or may not be traced. */
struct subject_program {
	unsigned long long began; /* the process's start, in clock ticks since the boot */
	unsigned long long stack; /* where its stack begins: random at each execve(2) */
};

struct subject_program subject_program_of(const struct process *p);
bool subject_program_same(const struct subject_program *a, const struct subject_program *b);

struct subject {
	struct process process;	   /* pid 0: none */
	char build_id[2 * 64 + 1]; /* of its program, "" when unknown */
	char go[64];		   /* the program's release of Go, "" if it is not Go's */
	struct resource resource;  /* whose it is, as subject_look last found it */
	struct subject_program program;
	char key[160];		 /* for the folder's lock (rounds/batch/batch.h) */
	struct metrics *metrics; /* NULL: not requested, or no process */
};

/* Opens the process `pid`; 0 for none, and then `key` is its key. The caller calls subject_close,
 * after an error too. ERR_GONE, ERR_PERM, ERR_NOMEM. */
int subject_open(struct subject *s, pid_t pid, const char *key, bool metrics, struct error *err);

/* Has the process executed another program since the last call? If so, its name, program and build
 * ID are read again. */
bool subject_renew(struct subject *s);

/* Reads anew whose process it is. ERR_GONE: it has ended, s->resource.attributes are the earlier
 * ones; ERR_NOMEM. 0 if there is no process. */
int subject_look(struct subject *s);

/* Readable when the process has ended; -1 for none. Borrowed. */
int subject_fd(const struct subject *s);

/* Is the process alive, or is there none? */
bool subject_alive(const struct subject *s);

/* Harmless on {0} and when called twice. */
void subject_close(struct subject *s);

#endif
