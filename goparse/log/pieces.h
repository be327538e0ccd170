/*
 * A step of unlog.h: joins the pieces of lines in the files of a Kubernetes node, which CRI
 * defines: "2024-05-05T12:00:00.1Z stderr P goroutine 1 [run", and behind it "… stderr F ning]:".
 * containerd cuts long lines, and conmon what a write has ended with. Lines of the other stream
 * that stand between are handed on behind.
 *
 * It works on an input only if one of its first lines is such a line.
 */
#ifndef GOPARSE_LOG_PIECES_H
#define GOPARSE_LOG_PIECES_H

#include "goparse/log/lines/stage.h"

enum { PIECES_ASIDE_MAX = 1 << 20 };

struct pieces {
	struct stage stage;
	bool used;	       /* some were joined */
	char open;	       /* the stream whose line goes on: 'o' or 'e'; 0: none */
	bool newline;	       /* ends the present line */
	struct buffer between; /* lines of others since it began */
	uint64_t left_out;     /* those for which there was no room */
};

void pieces_release(struct pieces *p);

/* A goparse_reader; `pieces` is a struct pieces. */
int pieces_read(void *pieces, void *buf, size_t len, size_t *got, struct error *err);

#endif
