/* The code of Ruby's loop: which instruction is executed where. */
#ifndef RUNTIMES_RUBY_LOOP_H
#define RUNTIMES_RUBY_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct memory;

/*
 * interp_frame.at: the frame's pc, with the number of the instruction whose code the thread was in,
 * plus one, in the high bits (0: not known). The pc moves on at an instruction's beginning, so both
 * the instruction in front of it and the one at it may be the one that is executed.
 */
enum {
	AT_SHIFT = 48,
	AT_CALLS = 1 << 14, /* with the number: that instruction has called a C function */
	AT_NEXT = 1 << 13,  /* with it: the pc is that of the next instruction */
	/* Alone: the thread is not in the loop; the pc may have been set by others. */
	AT_BETWEEN = 1 << 12,
	AT_NUMBER = AT_BETWEEN - 1,
};
static const uint64_t AT_PC = (1ull << AT_SHIFT) - 1;

/* A block of the loop's code (blocks.c). */
struct ruby_block {
	uint64_t start, end; /* addresses in the process */
	bool shared;	     /* it belongs to several instructions */
	bool next;	     /* the pc is that of the next instruction */
};

/* The interpreter's loop: vm_exec_core, which vm_exec calls inside of its tag. */
struct ruby_loop {
	uint64_t core, core_end;   /* addresses in the process; 0: not found */
	uint64_t exec, exec_end;   /* of vm_exec; 0: not found */
	uint64_t text, text_end;   /* of the whole image */
	size_t count;		   /* instructions; 0: their code was not found */
	uint64_t *codes;	   /* addresses of their code, ascending; owned */
	uint16_t *numbers;	   /* which instruction each of these is; owned */
	uint8_t *lengths;	   /* of instructions, in words, by number; owned */
	struct ruby_block *blocks; /* ascending; owned */
	size_t block_count;
};

/* Fills *loop, as far as it is found. ERR_NOMEM. */
int ruby_find_loop(struct ruby_loop *loop, const struct image *image, uint64_t bias,
		   const struct memory *memory);
void ruby_loop_release(struct ruby_loop *loop);
/* The number of the instruction whose code begins at `code`, plus one; 0: none does. */
unsigned ruby_loop_starts(const struct ruby_loop *loop, uint64_t code);
/* The index of the last instruction's code that does not begin behind `pc`. */
size_t ruby_loop_place(const struct ruby_loop *loop, uint64_t pc);
/* The number of the instruction whose code holds `pc`, plus one; 0: it is not in the loop, or in
 * code of several instructions. With AT_NEXT. */
unsigned ruby_loop_insn(const struct ruby_loop *loop, uint64_t pc);

/* blocks.c: fills loop->blocks. `bytes` are those of vm_exec_core. ERR_NOMEM. */
int ruby_find_blocks(struct ruby_loop *loop, const uint8_t *bytes, size_t len);

#endif
