/*
 * Parses the lines of a frame, as traceback2, printcreatedby1 and printOneCgoTraceback of
 * src/runtime/traceback.go print them. A function returns false and does not change *frame if the
 * line does not have its form.
 */
#ifndef GOPARSE_FRAME_H
#define GOPARSE_FRAME_H

#include "goparse/goparse.h"

/* "net/http.(*conn).serve(0xc000134000, {0x7d2a58, 0xc0000b2690?})" */
bool frame_call(struct goparse_text line, struct goparse_frame *frame);

/* "\t/usr/local/go/src/net/http/server.go:2102 +0x5c5 fp=0xc00005ffb8 sp=… pc=…". Spaces are
 * accepted in place of the tab, because terminals turn tabs into spaces, and nothing before the
 * path of a source file, because logs drop them. If the line is the place of a C frame, the
 * function is the whole of `first`: what looks like arguments in it is part of its name. */
bool frame_place(struct goparse_text first, struct goparse_text line, struct goparse_frame *frame);

bool frame_is_place(struct goparse_text line);

/* A C frame: a line with any function name, `first`, then the place "\t[FILE:LINE ]pc=0x…". The
 * first line can be anything, so the second decides. */
bool frame_foreign(struct goparse_text first, struct goparse_text second,
		   struct goparse_frame *frame);

/* "non-Go function at pc=0x…", a frame without a second line (Go 1.21). */
bool frame_unknown(struct goparse_text line, struct goparse_frame *frame);

/* "created by main.serve in goroutine 1"; *creator is 0 if the goroutine is not printed. */
bool frame_created_by(struct goparse_text line, struct goparse_frame *frame, uint64_t *creator);

/* "...23 frames elided...", or "...additional frames elided...", for which *count is 0. */
bool frame_elided(struct goparse_text line, uint64_t *count);

#endif
