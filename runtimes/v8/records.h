/*
 * The functions' bodies that were met: bytecode, or code compiled from it. Each has a number, as
 * names.h says.
 */
#ifndef RUNTIMES_V8_RECORDS_H
#define RUNTIMES_V8_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashindex.h"
#include "runtimes/v8/heap/deopt.h"
#include "runtimes/v8/heap/layout.h"
#include "runtimes/v8/heap/look.h"
#include "runtimes/v8/heap/runtime.h"
#include "runtimes/v8/heap/scripts.h"

enum {
	V8_PROOF_WORDS = 24,
	V8_RECORDS_MAX = 1 << 17, /* then all are forgotten, */
	V8_KEPT_MAX = 64 << 20,	  /* and when they have so many bytes of tables */
};

/* A table's bytes, copied. */
struct v8_bytes {
	uint8_t *bytes; /* owned; NULL: there is none */
	size_t len;
};

/* Maglev's code: the function's bytecode, whose loops it may have begun to unroll. The positions of
 * what is behind are those of the loop then (names.c). Else empty. */
struct v8_loops {
	struct v8_bytes positions, bytecodes;
};

struct v8_record {
	enum v8_frame_kind kind;
	uint64_t addr;			/* of its bytecode or code, tagged, as all addresses here */
	uint64_t shared;		/* SharedFunctionInfo */
	uint64_t bytecode;		/* 0: optimized */
	uint64_t proof[V8_PROOF_WORDS]; /* words of these objects that tell them from others */

	/* Filled when names are first asked for. */
	enum { V8_RECORD_NEW, V8_RECORD_READ, V8_RECORD_LOST } state;
	const struct v8_shared *function;
	struct v8_bytes positions; /* of the bytecode, or of optimized code */
	struct v8_bytes offsets;   /* baseline code: where each bytecode's code ends */
	struct v8_bytes bytecodes; /* likewise */
	struct v8_bytes inlinings; /* optimized code */
	struct v8_inlined {
		const struct v8_shared *function; /* NULL: not known */
		struct v8_loops loops;
	} *inlined;			   /* owned; of each of these */
	struct v8_loops loops;		   /* of the function itself */
	struct v8_bytes deopt, safepoints; /* optimized code: struct v8_deopt */
};

struct v8_names_state {
	struct v8_layout layout;
	struct v8_look look;
	struct v8_scripts scripts;
	struct v8_record **records; /* owned */
	size_t count, room;
	struct hashindex index;
	uint64_t first; /* number of the first record */
};

/* The bytecode of a SharedFunctionInfo (V8_INTERPRETED) or of baseline code (V8_BASELINE), and the
 * SharedFunctionInfo of optimized code. 0: there is none. */
uint64_t v8_record_bytecode(struct v8_look *look, enum v8_frame_kind kind, uint64_t object);
uint64_t v8_record_shared(struct v8_look *look, uint64_t code);

/* The proof of a record with kind, addr, shared and bytecode, from what is in the process now.
 * False: they are not what a frame has, or contradict each other. */
bool v8_record_prove(struct v8_look *look, const struct v8_record *r,
		     uint64_t proof[V8_PROOF_WORDS]);

/* Fills the rest of a record. ERR_FORMAT: it is not certain that it is the record's; ERR_NOMEM. */
int v8_record_read(struct v8_names_state *n, const struct v8_runtime *rt, struct v8_record *r);

/* Where optimized code is left; borrows from the record. */
struct v8_deopt v8_record_deopt(const struct v8_runtime *rt, const struct v8_record *r);

void v8_record_free(struct v8_record *r);

#endif
