/*
 * Where in a source text an instruction is: V8's source position tables.
 *
 * A table is a list of entries, each of which counts from the one before: the code offset (of a
 * bytecode, or of machine code), then the position, in variable-length numbers of seven bits, least
 * significant first, the sign in the lowest bit (zigzag). A code offset's sign tells statements
 * from expressions; from Node 25 on, it has no sign, and two bits below it tell that. The first
 * entry counts from -1, which stands for a function's entry (V8's
 * src/codegen/source-position-table.cc, source-position.h).
 *
 * A position has an offset in the source, plus one, in bits 1 to 30, and in bits 31 to 46 the
 * number, plus one, of the inlined call that the instruction is from; bit 0 set: it is none of
 * JavaScript's.
 */
#ifndef RUNTIMES_V8_HEAP_POSITIONS_H
#define RUNTIMES_V8_HEAP_POSITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct v8_positions {
	const uint8_t *bytes;
	size_t len;
	bool flagged; /* code offsets are Node 25's */
};

struct v8_position {
	int32_t offset;	  /* in the source; -1: not known */
	int32_t inlining; /* index of the struct v8_inlining; -1: it is the function's own */
};

/* The position of the last entry that is not behind `offset`. False: there is none. */
bool v8_position_find(const struct v8_positions *table, int64_t offset,
		      struct v8_position *position);

/* Is it the position of a bytecode `opcode`? `table` is that of the bytecodes. */
bool v8_position_is_of(const struct v8_positions *table, const uint8_t *bytecodes, size_t count,
		       uint8_t opcode, int32_t offset);

/* An inlined call. */
struct v8_inlining {
	struct v8_position call; /* in the caller */
	int32_t function;	 /* index into the literals; -1: the function itself */
};

enum { V8_INLINING_BYTES = 16 };

/* Bytecode offsets that are none. */
enum { V8_ENTRY = -1, V8_NOWHERE = -2 };

struct v8_inlining v8_inlining_decode(const uint8_t bytes[V8_INLINING_BYTES]);

/* How long V8's bytecodes are, with operands of one, two and four bytes (kBytecodeSizes). */
struct v8_bytecodes {
	uint8_t sizes[3][256];
	unsigned count; /* 0: not known */
};

/* The offset of the bytecode that a place in baseline code is of. `table` has the length of the
 * code for each bytecode, as unsigned numbers; the first one is that of the prologue
 * (V8's src/baseline/bytecode-offset-iterator.h). `pc` is the offset of a byte in that code.
 * V8_ENTRY: in the prologue; V8_NOWHERE: there is none. */
int64_t v8_baseline_find(const struct v8_bytecodes *b, const uint8_t *table, size_t len,
			 const uint8_t *bytecodes, size_t count, uint64_t pc);

#endif
