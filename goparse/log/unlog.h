/*
 * Reads a log, and gives the dump in it as Go has printed it: steps one behind the other, each of
 * which changes nothing unless it finds its kind of log.
 *
 *	charset.c	UTF-16, UTF-32, lines that end in carriage returns
 *	signs.c		no-break spaces, HTML's entities, colours
 *	pieces.c	lines in several pieces
 *	csv.c		a column of a table
 *	quoted.c	escapes in a string, twice: a string within a string; lists of strings
 *	joined.c	lines that something else ends than a newline
 *	prefix.c	what stands before each line, and lines of others
 *	spaced.c	an empty line behind each line
 *	order.c		lines in the opposite order, which are an error
 *
 * A dump that begins at once is handed on as it is. Lines of a log are shortened and not counted
 * anew, but a string with escapes may become many lines.
 */
#ifndef GOPARSE_LOG_UNLOG_H
#define GOPARSE_LOG_UNLOG_H

#include "goparse/goparse.h"

struct unlog;

/* Makes a reader of what `read` gives. The caller calls unlog_free. ERR_NOMEM. */
int unlog_new(struct unlog **u, goparse_reader *read, void *ctx, struct error *err);
void unlog_free(struct unlog *u);

/* A goparse_reader; `unlog` is a struct unlog. The errors of the reader before, behind all that it
 * gave; ERR_FORMAT (order.c), ERR_NOMEM. */
int unlog_read(void *unlog, void *buf, size_t len, size_t *got, struct error *err);

/* Writes what was taken off to `text`, for the user; it has bytes of the input. False: nothing. */
bool unlog_tell(const struct unlog *u, char *text, size_t room);

/* For an input without goroutines: writes what stands in it in place of a header, and what to do.
 * False: nothing like a header is there. */
bool unlog_clue(const struct unlog *u, char *text, size_t room);

#endif
