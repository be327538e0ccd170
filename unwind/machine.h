/*
 * An x86-64 that knows only what matters for a stack: general registers, as far as
 * their values are known, and what was stored since.
 *
 * It is what forward_x86_64.c reads code with. It has no flags, takes no decisions, and an
 * instruction that it does not know makes what it changes unknown.
 */
#ifndef UNWIND_MACHINE_H
#define UNWIND_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/insn_x86_64.h"

struct memory;
struct regs;

enum { MACHINE_STORES = 24 };

struct machine_store { /* of eight bytes */
	uint64_t addr, value;
	bool known;
};

struct machine {
	uint64_t r[HW_COUNT]; /* by HW_ number */
	uint64_t pc;
	uint32_t known;	      /* bit n: r[n] */
	bool called;	      /* a call was made, and nobody knows that it returns */
	unsigned store_count;
	struct machine_store stores[MACHINE_STORES]; /* in their order */
	const struct memory *memory; /* what was there before */
};

/* From a frame's registers, of which those in `valid` are known, and back: the general
 * ones; the pc stays as it is. */
void machine_load(struct machine *m, const struct regs *regs, uint32_t valid,
		  const struct memory *memory);
uint32_t machine_unload(const struct machine *m, struct regs *regs);

/* Does what the instruction does, but for jumps; a call has been made and has returned
 * as the ABI says (System V, AMD64, 3.2.1). False when it would not be known any more
 * what was stored where. */
bool machine_execute(struct machine *m, const struct insn *insn);

/* The eight bytes at an address. 0; ERR_FORMAT when they are not known; what the
 * memory says. */
int machine_read(const struct machine *m, uint64_t addr, uint64_t *value);

/* A register's number in DWARF. */
unsigned machine_dwarf(unsigned reg);

static inline bool machine_knows(const struct machine *m, unsigned reg)
{
	return m->known >> reg & 1;
}

#endif
