/*
 * Headers that say who we are, out of a file and out of the environment.
 *
 * They are secret: no message quotes them, and what a server says is searched for them.
 * Internal to rounds/.
 */
#ifndef ROUNDS_PUSHHEADERS_H
#define ROUNDS_PUSHHEADERS_H

#include <stdbool.h>
#include <stddef.h>

struct error;

enum { PUSHHEADERS_MAX = 64 };

struct pushheaders {
	char *lines[PUSHHEADERS_MAX]; /* "Name: value", owned */
	size_t count;
};

/* {0} is none. Overwrites what it frees. */
void pushheaders_release(struct pushheaders *h);

/* The lines of a file; blank ones and such as begin with # are passed over. ERR_IO, ERR_USAGE
 * (a line is no header: which, in the message), ERR_LIMIT, ERR_NOMEM. */
int pushheaders_file(struct pushheaders *h, const char *path, struct error *err);

/* "NAME: BEFORE VALUE"; `what` tells in messages where the value is from. ERR_USAGE,
 * ERR_LIMIT, ERR_NOMEM. */
int pushheaders_add(struct pushheaders *h, const char *name, const char *before,
		    const char *value, const char *what, struct error *err);

/* The same with user and password (RFC 7617). */
int pushheaders_basic(struct pushheaders *h, const char *user, const char *password,
		      const char *what, struct error *err);

bool pushheaders_has(const struct pushheaders *h, const char *name);

/* Puts stars into the places of values in a text. */
void pushheaders_hide(const struct pushheaders *h, char *text);

#endif
