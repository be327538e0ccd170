/*
 * A step of unlog.h: takes off what a log writes before each line of a dump.
 *
 * What stands before a header is the prefix, or as much of it as the header's following lines have
 * too, with a frame behind it. Words that have a digit (times, numbers of processes) and the width
 * of blanks may vary from line to line; everything else is as it was before the header. Lines of
 * others are handed on as they are.
 *
 * Rejected: a list of the forms of logs. There are more than anyone has seen.
 */
#ifndef GOPARSE_LOG_PREFIX_H
#define GOPARSE_LOG_PREFIX_H

#include "goparse/log/stage.h"

enum { PREFIX_MAX = 256 };

struct prefix {
	struct stage stage;
	char text[PREFIX_MAX]; /* before the last header that had one */
	size_t len;	       /* 0: none had */
};

/* A goparse_reader; `prefix` is a struct prefix. */
int prefix_read(void *prefix, void *buf, size_t len, size_t *got, struct error *err);

#endif
