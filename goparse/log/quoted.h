/*
 * A step of unlog.h: undoes the escapes of a dump that a log holds in a string: {"log":"goroutine 1
 * [running]:\n",…} of docker a line at a time, "stack":"goroutine 1 [running]:\nmain.f()\n…" or
 * msg="goroutine 1 …" as a whole, and `goroutine 1 [running]:#012main.f()` of rsyslog.
 *
 * A header with an escape or the string's end behind it tells which string it is. Its key is looked
 * for in all lines that follow: only the values of that key are handed on. Lines without it are
 * handed on as they are.
 *
 * Rejected: a reader of JSON. The strings of logfmt, of Go's %q and of JSON behind a prefix have
 * the same form, and what is around them does not matter.
 */
#ifndef GOPARSE_LOG_QUOTED_H
#define GOPARSE_LOG_QUOTED_H

#include "goparse/log/stage.h"

enum { QUOTED_KEY_MAX = 64 };

struct quoted {
	struct stage stage;
	bool used;		  /* escapes were undone */
	bool pieces;		  /* values were joined */
	bool piece;		  /* the line says that the value goes on in the next one */
	char key[QUOTED_KEY_MAX]; /* `"log"` with its quotes, or `msg`; key_len 0: not known */
	size_t key_len;
	char sign; /* behind the key: ':' or '=' */
	enum { QUOTED_LINE, QUOTED_VALUE, QUOTED_BEHIND } where;
	char end;	  /* of the value: '"', or 0 for the line's end */
	char mark;	  /* of its escapes: '\\' or '#' */
	size_t value_len; /* of what is handed on */
	char last;	  /* byte that was handed on; 0: the value has begun */
};

/* A goparse_reader; `quoted` is a struct quoted. */
int quoted_read(void *quoted, void *buf, size_t len, size_t *got, struct error *err);

#endif
