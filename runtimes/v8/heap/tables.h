/*
 * What V8 tells of itself, for debuggers that look at it from outside: the constants v8dbg_… that
 * each build has as variables (V8's tools/gen-postmortem-metadata.py), and its version.
 *
 * They give types, fields and frames, but not all that a frame's function needs, and not the same
 * in each release. What is missing is in a table by release (tables.c); a release that is not in it
 * is refused.
 */
#ifndef RUNTIMES_V8_HEAP_TABLES_H
#define RUNTIMES_V8_HEAP_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct image;
struct memory;

/* Where V8 is. */
struct v8_place {
	const struct image *image;
	uint64_t bias;
	const struct memory *memory; /* of the process */
};

struct v8_constant {
	const char *name; /* the whole symbol's: "v8dbg_SmiTag" */
	int32_t value;
	bool found;
};

/* Fills these constants. Those that V8 does not have, or whose variable cannot be read, are not
 * found. */
void v8_constants(const struct v8_place *at, struct v8_constant *constants, size_t count);

/* The StackFrame::Type of a frame, as each release numbers them; -1: the release has none. */
enum v8_frame_type {
	V8_ENTRY_FRAME,
	V8_CONSTRUCT_ENTRY_FRAME,
	V8_WASM_FRAME,
	V8_WASM_LAST_FRAME, /* those up to it are WebAssembly's, too */
	V8_STUB_FRAME,
	V8_INTERNAL_FRAME,
	V8_CONSTRUCT_FRAME,
	V8_NATIVE_FRAME, /* of this type and the later ones is none that code has marked */
	V8_REGEXP_FRAME,
	V8_FRAME_TYPES
};

/* Releases whose tables were checked: major * 100 + minor of V8's version. */
enum {
	V8_NODE_16 = 904,
	V8_NODE_17 = 906,
	V8_NODE_18 = 1002,
	V8_NODE_20 = 1103,
	V8_NODE_21 = 1108,
	V8_NODE_22 = 1204,
	V8_NODE_23 = 1209,
	V8_NODE_24 = 1306,
	V8_NODE_25 = 1401,
	V8_NODE_26 = 1406,
};

enum { V8_KIND_MASK = 15 };

/* Offsets are in bytes from the object's own address, without the tag. */
struct v8_tables {
	/* What tables.c has for each release. */

	int release; /* major * 100 + minor */

	/* In the object with the instructions, Code itself up to Node 18. */
	int32_t stream_code;  /* to its Code; 0: it is the Code itself */
	int32_t instructions; /* the first one */

	/* In Code. */
	int32_t code_stream; /* to the object with the instructions; 0: it is that */
	int32_t code_start;  /* address of the first instruction; 0: it has none */
	int32_t code_size;   /* of the instructions, u32 */
	int32_t code_flags;  /* u32 */
	int32_t code_bytes;  /* as many as have all these */

	int32_t bytecodes; /* in BytecodeArray: the first one */
	int32_t shared;	   /* in JSFunction */

	/* CodeKind (src/objects/code-kind.h), V8_KIND_MASK of a Code's flags. */
	uint8_t kind_regexp, kind_baseline; /* those behind are of optimized code */

	/* What the process tells. */

	int32_t version[4]; /* major, minor, build, patch */

	/* Instance types. */
	int32_t code_type;     /* CODE_TYPE: what has a function's flags */
	int32_t stream_type;   /* of the object with the instructions */
	int32_t shared_type;   /* SHARED_FUNCTION_INFO_TYPE */
	int32_t bytecode_type; /* BYTECODE_ARRAY_TYPE */
	int32_t first_function_type, last_function_type; /* of a JSFunction */

	int32_t instance_type; /* in Map, u16 */

	/* In a frame, from its rbp on. */
	int32_t fp_marker, fp_function, fp_bytecode, fp_offset;
	int32_t frames[V8_FRAME_TYPES];
};

/* Reads the tables. ERR_NOTFOUND: there is no V8 there; ERR_BUSY: there is, but not with this bias;
 * ERR_FORMAT with a message: one of a release that is not known. */
int v8_tables_read(struct v8_tables *t, const struct v8_place *at, struct error *why);

#endif
