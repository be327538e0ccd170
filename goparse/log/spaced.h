/*
 * The last step of unlog.h: takes out the empty line that a console, a mail or a copy from a page
 * has put behind each line of a dump.
 *
 * A dump is so if behind its first header, its first call and that call's place there is an empty
 * line each. Of several empty lines behind a line one is taken out: the others end a goroutine.
 */
#ifndef GOPARSE_LOG_SPACED_H
#define GOPARSE_LOG_SPACED_H

#include "goparse/log/lines/stage.h"

struct spaced {
	struct stage stage;
	bool is;     /* the dump is so */
	bool behind; /* the line before was not empty: an empty one is taken out */
};

/* A goparse_reader; `spaced` is a struct spaced. */
int spaced_read(void *spaced, void *buf, size_t len, size_t *got, struct error *err);

#endif
