/*
 * A step of unlog.h: gives the signs back that a page, a chat or a terminal shows a dump with:
 * no-break spaces become blanks, HTML's entities their characters (`&#43;0x1d`), and colours go.
 *
 * The first header and what follows it tell. Go prints none of these, but a path may have any of
 * them: a kind that is not there stays as it is.
 *
 * It also notes the first line in which a header is that cannot be read, for the user to be told.
 */
#ifndef GOPARSE_LOG_SIGNS_H
#define GOPARSE_LOG_SIGNS_H

#include "goparse/log/lines/stage.h"

struct signs {
	struct stage stage;
	bool told;     /* a header has said which: */
	bool spaces;   /* no-break spaces, also as entities */
	bool latin;    /* they are ISO 8859-1's */
	bool entities; /* of HTML */
	bool colours;  /* ECMA-48's SGR */
	enum { SIGNS_NONE, SIGNS_ODD, SIGNS_PERCENT, SIGNS_BASE64 } clue;
	/* How many newlines came before; the clue's line, from 1, once there is one. */
	uint64_t line;
	char excerpt[64]; /* of the clue */
};

/* A goparse_reader; `signs` is a struct signs. */
int signs_read(void *signs, void *buf, size_t len, size_t *got, struct error *err);

#endif
