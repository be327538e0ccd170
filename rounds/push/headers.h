/*
 * Headers with credentials, from a file and from the environment.
 *
 * They are secret: no message quotes them, and pushheaders_hide masks them in what a server
 * answers. Internal to rounds/.
 */
#ifndef ROUNDS_PUSH_HEADERS_H
#define ROUNDS_PUSH_HEADERS_H

#include <stdbool.h>
#include <stddef.h>

struct error;

enum { PUSHHEADERS_MAX = 64 };

struct pushheaders {
	char *lines[PUSHHEADERS_MAX]; /* "Name: value", owned */
	size_t count;
};

/* {0} is an empty list. Overwrites what it frees. */
void pushheaders_release(struct pushheaders *h);

/* Adds the lines of a file, except blank ones and those that begin with #. ERR_IO; ERR_USAGE: a
 * line is no header, the message says which; ERR_LIMIT: more than 64 KiB, or than
 * PUSHHEADERS_MAX headers; ERR_NOMEM. */
int pushheaders_file(struct pushheaders *h, const char *path, struct error *err);

/* Adds "NAME: ", `before` and `value`; `what` names the value's source in messages. ERR_USAGE,
 * ERR_LIMIT, ERR_NOMEM. */
int pushheaders_add(struct pushheaders *h, const char *name, const char *before, const char *value,
		    const char *what, struct error *err);

/* Adds an Authorization header with user and password (RFC 7617). Errors of pushheaders_add. */
int pushheaders_basic(struct pushheaders *h, const char *user, const char *password,
		      const char *what, struct error *err);

/* Adds the headers of OTEL_EXPORTER_OTLP_HEADERS that are not there yet: "name=value,…", values
 * percent-encoded (opentelemetry-specification, protocol/exporter.md).
 * Errors of pushheaders_add. */
int pushheaders_list(struct pushheaders *h, const char *list, const char *what, struct error *err);

bool pushheaders_has(const struct pushheaders *h, const char *name);

/* Replaces words of header values in a text by stars (base/net/secret.h). */
void pushheaders_hide(const struct pushheaders *h, char *text);

#endif
