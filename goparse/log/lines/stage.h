/*
 * A step on the way from a log to the dump in it (unlog.h): reads from the step before, changes the
 * bytes, and is read by the step behind it.
 *
 * A step works through a window of the input. Of a line it can look at STAGE_AHEAD bytes at least,
 * or at all that there is. If the step before fails, what came before is worked through first.
 */
#ifndef GOPARSE_LOG_LINES_STAGE_H
#define GOPARSE_LOG_LINES_STAGE_H

#include "base/buffer.h"
#include "base/error.h"
#include "goparse/goparse.h"

enum { STAGE_WINDOW = 64 << 10, STAGE_AHEAD = 16 << 10 };

struct stage;

/* Works through at least one byte of the window, which is not empty: appends to s->out, advances
 * s->at; or sets s->passes. 0 or ERR_NOMEM. */
typedef int stage_work(struct stage *s);

struct stage {
	stage_work *work;
	goparse_reader *read;
	void *ctx;
	char *window; /* owned; STAGE_WINDOW bytes */
	size_t at, len;
	bool ended;	   /* nothing follows the window */
	bool begun;	   /* some bytes have been worked through */
	bool inside;	   /* the rest of a line is handed on as it is */
	bool passes;	   /* nothing is to be done to the rest */
	struct buffer out; /* what the step behind has not read yet, from `given` on */
	size_t given;
	int rc; /* of the step before */
	struct error err;
};

/* Makes a step that does `work` on what `read` gives. ERR_NOMEM. */
int stage_init(struct stage *s, stage_work *work, goparse_reader *read, void *ctx);
void stage_release(struct stage *s);

/* A goparse_reader; `stage` is a struct stage, or a struct that begins with one. The errors of the
 * step before, ERR_NOMEM. */
int stage_read(void *stage, void *buf, size_t len, size_t *got, struct error *err);

/* Calls `take` until s->passes is set or the window is to be filled. 0 or ERR_NOMEM. */
int stage_each(struct stage *s, stage_work *take);

/* The rest of the window. */
static inline struct goparse_text stage_rest(const struct stage *s)
{
	return (struct goparse_text){ s->window + s->at, s->len - s->at };
}

/* The rest of the window is large enough to go on without reading. */
static inline bool stage_goes_on(const struct stage *s)
{
	size_t rest = s->len - s->at;

	return !s->passes && rest && (s->ended || rest >= STAGE_AHEAD);
}

/* Nothing has been worked through yet. */
static inline bool stage_at_start(const struct stage *s)
{
	return !s->begun && !s->at;
}

/* The line at the window's position without its newline. False: its end is not in the window. */
bool stage_line(const struct stage *s, struct goparse_text *line);

/* Hands on the line at the window's position without its first `without` bytes. If its end is not
 * in the window, s->inside is set, and the next call hands on the rest. ERR_NOMEM. */
int stage_hand_on_line(struct stage *s, size_t without);

/* Hands on `len` bytes as they are. ERR_NOMEM. */
int stage_hand_on(struct stage *s, size_t len);

/* Hands on the whole lines in the window up to the first one that may have a header; often none.
 * ERR_NOMEM. */
int stage_hand_on_others(struct stage *s);

#endif
