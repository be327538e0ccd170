/*
 * Dumps whose lines stand among those of another dump: they are kept until the other one has been
 * read, and then read like an input of their own.
 *
 * Rejected: a reader for each dump. The goroutines of all would come mixed, and which dump a
 * goroutine is of cannot be told from its text.
 */
#ifndef GOPARSE_LOG_LINES_ASIDE_H
#define GOPARSE_LOG_LINES_ASIDE_H

#include "base/buffer.h"
#include "base/error.h"
#include "goparse/goparse.h"

enum { ASIDE_MAX = 8 << 20 };

struct aside {
	goparse_reader *read; /* of the input, and its context */
	void *ctx;
	struct buffer kept, again; /* lines; what is read again, from `at` on */
	size_t at;
	uint64_t read_len, again_len; /* bytes of the input, and those that were read again */
	uint64_t left_out;	      /* lines for which there was no room */
	int rc;			      /* of the input */
	struct error err;
};

void aside_release(struct aside *a);

/* Keeps a line, or counts it as left out: if ASIDE_MAX bytes are kept, or if far more was read
 * again than there is. ERR_NOMEM. */
int aside_keep(struct aside *a, struct goparse_text line);

/* Goes on with the lines that were kept, and then with `rest`, which aside_read has given already.
 * ERR_NOMEM. */
int aside_again(struct aside *a, struct goparse_text rest);

/* A goparse_reader; `aside` is a struct aside. The input's errors are in a->rc and a->err: to
 * aside_read they are its end. */
int aside_read(void *aside, void *buf, size_t len, size_t *got, struct error *err);

#endif
