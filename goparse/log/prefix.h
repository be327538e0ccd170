/*
 * A step of unlog.h: takes off what a log writes before each line of a dump.
 *
 * What stands before a header is the prefix, or as much of it as the header's following lines have
 * too, with a frame behind it. runs.h says what may vary from line to line; everything else is as
 * it was before the header.
 *
 * Lines of others, behind another prefix, are left out: they cost no frames. If another dump is
 * among them, it is read behind the first one (aside.h). A dump without the prefix stays.
 *
 * Rejected: a list of the forms of logs. There are more than anyone has seen.
 */
#ifndef GOPARSE_LOG_PREFIX_H
#define GOPARSE_LOG_PREFIX_H

#include "goparse/log/lines/aside.h"
#include "goparse/log/lines/runs.h"
#include "goparse/log/lines/stage.h"

struct prefix {
	struct stage stage; /* reads from `aside` */
	struct aside aside;
	struct runs like;	 /* the present prefix; empty: none yet */
	struct runs first, then; /* the first one, and the last that is not like it */
	bool exact;		 /* names in it do not vary */
	size_t seen;		 /* the next bytes, in which it was looked for */
	bool goes_on;		 /* behind them it follows, in the present dump */
	bool others;		 /* another dump is among the lines */
	bool drops;		 /* the rest of a line is left out */
	struct runs lost;	 /* before the first line of a dump that was left out */
	uint64_t lost_count;
};

/* Makes a step that reads from `read`. The caller calls prefix_release. ERR_NOMEM. */
int prefix_init(struct prefix *p, goparse_reader *read, void *ctx);
void prefix_release(struct prefix *p);

/* A goparse_reader; `prefix` is a struct prefix. */
int prefix_read(void *prefix, void *buf, size_t len, size_t *got, struct error *err);

#endif
