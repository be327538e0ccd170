/*
 * A step of unlog.h: undoes the escapes of a dump that a log holds in a string: {"log":"goroutine 1
 * [running]:\n",…} of docker a line at a time, "stack":"goroutine 1 [running]:\nmain.f()\n…" or
 * msg="goroutine 1 …" as a whole, and `goroutine 1 [running]:#012main.f()` of rsyslog.
 *
 * Also a list of strings, one for each line: ["goroutine 1 [running]:", "main.f()", …], and the
 * same key many times in a line. What stands between the first two strings of a list is what stands
 * between all (runs.h).
 *
 * A header with an escape or the string's end behind it tells which string it is. Its key is looked
 * for in all lines that follow: only the values of that key are handed on. Lines without it are
 * handed on as they are; those of JSON are left out if its values stand on lines of their own.
 *
 * Rejected: a reader of JSON. The strings of logfmt, of Go's %q and of JSON behind a prefix have
 * the same form, and what is around them does not matter.
 */
#ifndef GOPARSE_LOG_QUOTED_H
#define GOPARSE_LOG_QUOTED_H

#include "goparse/log/lines/runs.h"
#include "goparse/log/lines/stage.h"

enum { QUOTED_KEY_MAX = 64 };

struct quoted {
	struct stage stage;
	bool used;		  /* escapes were undone */
	bool pieces;		  /* values were joined */
	bool piece;		  /* the line says that the value goes on in the next one */
	char key[QUOTED_KEY_MAX]; /* `"log"` with its quotes, or `msg`; key_len 0: not known */
	size_t key_len;
	char sign;	 /* behind the key: ':' or '=' */
	bool many;	 /* the key is many times in a line */
	bool indented;	 /* the strings stand on lines of their own */
	bool listed;	 /* a list was read */
	struct runs gap; /* between two strings of a list; empty: it is none */
	enum { QUOTED_LINE, QUOTED_VALUE, QUOTED_GAP, QUOTED_BEHIND } where;
	char end;	  /* of the value: '"', or 0 for the line's end */
	char mark;	  /* of its escapes: '\\' or '#' */
	size_t value_len; /* of what is handed on */
	char last;	  /* byte that was handed on; 0: the value has begun */
};

/* A goparse_reader; `quoted` is a struct quoted. */
int quoted_read(void *quoted, void *buf, size_t len, size_t *got, struct error *err);

#endif
