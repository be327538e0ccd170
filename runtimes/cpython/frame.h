/* A frame of CPython's chain: _PyInterpreterFrame, up to 3.10 PyFrameObject. */
#ifndef RUNTIMES_CPYTHON_FRAME_H
#define RUNTIMES_CPYTHON_FRAME_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/process/memory.h"
#include "runtimes/cpython/layout.h"

/* owner: frames from here on are the loop's own. 3.12 and 3.13: CSTACK is 3; 3.14: INTERPRETER is
 * 3, CSTACK 4; 3.15: INTERPRETER is 3 (enum _frameowner in pycore_frame.h, later in
 * pycore_interpframe_structs.h). */
enum { CPYTHON_OWNER_SHIM = 3 };

struct cpython_frame {
	uint64_t code, previous;
	uint64_t at;   /* address of an instruction, from 3.11; else f_lasti, signed */
	uint32_t copy; /* of the byte code: 0, but in a free-threaded 3.14 and later */
	bool is_shim;  /* of the loop's own, without a function */
	bool is_last;  /* of its run: a shim, or the loop's first frame (3.11) */
};

/* `bytes` are python->layout.frame.size of them. */
static inline void cpython_frame_decode(const struct cpython *python, const void *bytes,
					struct cpython_frame *f)
{
	const struct cpython_frame_layout *l = &python->layout.frame;
	const uint8_t *b = bytes;
	int32_t lasti;

	/* From 3.14, _PyStackRef has tags in the bits that an object's address leaves 0. */
	f->code = memory_word(b, l->code) & ~(uint64_t)7;
	f->previous = memory_word(b, l->previous);
	f->copy = 0;
	if (l->tlbc != CPYTHON_NONE)
		memcpy(&f->copy, b + l->tlbc, sizeof(f->copy));
	f->is_shim = python->version >= CPYTHON_3_12 && b[l->owner] >= CPYTHON_OWNER_SHIM;
	f->is_last = f->is_shim;
	if (l->is_entry != CPYTHON_NONE)
		f->is_last = b[l->is_entry];
	if (python->version >= CPYTHON_3_11) {
		f->at = memory_word(b, l->at);
		return;
	}
	memcpy(&lasti, b + l->at, sizeof(lasti));
	f->at = (uint64_t)(int64_t)lasti;
}

/* The position for interp_frame.at. `code` is where the frame's byte code begins (from 3.11). 3.10
 * counts code units of 2 bytes. */
static inline uint64_t cpython_frame_position(const struct cpython *python,
					      const struct cpython_frame *f, uint64_t code)
{
	if (python->version >= CPYTHON_3_11)
		return f->at - code;
	return python->version == CPYTHON_3_10 ? f->at * 2 : f->at;
}

#endif
