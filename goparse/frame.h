/*
 * The lines of a frame, as traceback2, printcreatedby1 and printOneCgoTraceback of
 * src/runtime/traceback.go print them. All return whether the line was of that form, and
 * change nothing when it was not.
 */
#ifndef GOPARSE_FRAME_H
#define GOPARSE_FRAME_H

#include "goparse/goparse.h"

/* "net/http.(*conn).serve(0xc000134000, {0x7d2a58, 0xc0000b2690?})" */
bool frame_call(struct goparse_text line, struct goparse_frame *frame);

/* "\t/usr/local/go/src/net/http/server.go:2102 +0x5c5 fp=0xc00005ffb8 sp=… pc=…". Blanks do
 * for the tab: terminals make some of it. If it is the place of a frame of C, all of `first`
 * is the function: what looks like arguments there is a part of its name. */
bool frame_place(struct goparse_text first, struct goparse_text line, struct goparse_frame *frame);

/* A frame of C: any function, and the place "\t[FILE:LINE ]pc=0x…". Of its two lines `first`
 * may be anything, so it is the second that tells. */
bool frame_foreign(struct goparse_text first, struct goparse_text second,
		   struct goparse_frame *frame);

/* "non-Go function at pc=0x…", which is a frame without a second line (Go 1.21). */
bool frame_unknown(struct goparse_text line, struct goparse_frame *frame);

/* "created by main.serve in goroutine 1"; *creator is 0 where that is not printed. */
bool frame_created_by(struct goparse_text line, struct goparse_frame *frame, uint64_t *creator);

/* "...23 frames elided...", or "...additional frames elided...", which gives no count (0). */
bool frame_elided(struct goparse_text line, uint64_t *count);

#endif
