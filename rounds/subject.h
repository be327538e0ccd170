/* Whom the rounds are about: one process, or none where only a URL is asked. */
#ifndef ROUNDS_SUBJECT_H
#define ROUNDS_SUBJECT_H

#include <stdbool.h>
#include <sys/types.h>

#include "target/process.h"

struct error;
struct metrics;

/* What a process runs: equal as long as it is the same process, and has not executed another
 * program. Zeros when it cannot be told: it has ended, or may not be traced. */
struct subject_program {
	unsigned long long began; /* the process, in ticks since the boot */
	unsigned long long stack; /* where its stack begins: at random since execve(2) */
};

struct subject_program subject_program_of(const struct process *p);
bool subject_program_same(const struct subject_program *a, const struct subject_program *b);

struct subject {
	struct process process; /* pid 0: there is none */
	char build_id[2 * 64 + 1]; /* of its program, "" when unknown */
	struct subject_program program;
	char key[160];	   /* for the folder's lock (rounds/batch.h) */
	struct metrics *metrics; /* NULL: not wanted, or no process */
};

/* Holds the process; pid 0 for none, and then `key` is its key. ERR_GONE, ERR_PERM,
 * ERR_NOMEM. */
int subject_open(struct subject *s, pid_t pid, const char *key, bool metrics, struct error *err);

/* Has it executed another program since? Then that is described from now on. */
bool subject_renew(struct subject *s);

/* Readable when it has ended; -1 for none. */
int subject_fd(const struct subject *s);

bool subject_alive(const struct subject *s);

/* Harmless on {0} and twice. */
void subject_close(struct subject *s);

#endif
