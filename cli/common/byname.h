/*
 * A name where a PID stands: -p redis-server. base/process/named.h has the rule.
 *
 * One process of the name is taken, and so is one that is the ancestor of all others of the name:
 * a master, with which its workers are sampled. Of several others none is. A name can mean
 * processes that have nothing to do with each other (a client, a copy in a container), so these
 * are shown, and the user chooses.
 *
 * The processes that were found are held by descriptors until the command has opened them by
 * their numbers. If one still lives then, its number has not come to mean another process.
 */
#ifndef CLI_COMMON_BYNAME_H
#define CLI_COMMON_BYNAME_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct byname_held;
struct error;
struct named;

struct byname { /* {0} at first */
	struct byname_held *held;
	size_t count;
	bool masters; /* one of the processes is a master: its children are meant, too */
};

/* Finds and holds the process of the name. ERR_GONE: there is none, the message has near names;
 * ERR_USAGE: several, which were printed to the standard error; ERR_IO, ERR_NOMEM. */
int byname_find(struct byname *b, const char *name, pid_t *pid, struct error *err);

/* Holds a process that was chosen from a list. ERR_GONE: it has ended since it was listed;
 * ERR_NOMEM. */
int byname_hold_chosen(struct byname *b, const struct named *n, struct error *err);

/* To be called when the processes `pids` have been opened. ERR_GONE: one of them that was found by
 * its name has ended, or has the name no more. */
int byname_check(const struct byname *b, const pid_t *pids, size_t count, struct error *err);

/* Has a process that name? For a word that may be a mistyped command as well. */
bool byname_borne(const char *name);

void byname_release(struct byname *b);

#endif
