/*
 * A simulated x86-64, reduced to what matters for a stack: the general registers with known values,
 * and what was stored since the start.
 *
 * forward_x86_64.c reads code with it. The machine has no flags and decides no jumps. An
 * instruction that it does not simulate makes the registers that it changes unknown.
 */
#ifndef UNWIND_CODE_EMULATOR_H
#define UNWIND_CODE_EMULATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/code/insn_x86_64.h"

struct memory;
struct regs;

enum { EMULATOR_STORES = 24 };

/* A store of eight bytes. */
struct emulator_store {
	uint64_t addr, value;
	bool known;
};

/* A register's bit in a mask. */
#define HW_BIT(reg) (1u << (reg))

enum {
	/* What a call preserves (System V ABI, AMD64, figure 3.4), rsp included. */
	HW_PRESERVED = HW_BIT(HW_RBX) | HW_BIT(HW_RSP) | HW_BIT(HW_RBP) | HW_BIT(HW_R12) |
		       HW_BIT(HW_R13) | HW_BIT(HW_R14) | HW_BIT(HW_R15),
};

struct emulator {
	uint64_t pc;
	uint64_t r[HW_COUNT]; /* indexed by HW_ number */
	uint32_t known;	      /* bit n: r[n] is known */
	bool called;	      /* a call was made, and it is not certain that it returns */
	unsigned store_count;
	struct emulator_store stores[EMULATOR_STORES]; /* in their order */
	/* Memory as it was before the stores; borrowed. NULL: nothing of it is known. */
	const struct memory *memory;
};

/* Copies the general registers between a frame and the machine. emulator_load copies the pc, too;
 * the registers in `valid` become known. emulator_unload returns the mask of known registers and
 * leaves the pc of `regs` unchanged. */
void emulator_load(struct emulator *m, const struct regs *regs, uint32_t valid,
		   const struct memory *memory);
uint32_t emulator_unload(const struct emulator *m, struct regs *regs);

/* Executes an instruction that is not a jump. A call is assumed to have returned as the ABI says
 * (System V, AMD64, 3.2.1). False when there are too many stores to keep track of. */
bool emulator_execute(struct emulator *m, const struct insn *insn);

/* Registers that hold distances: from an address that is far from any number in code. */
struct emulator_distances {
	uint64_t r[HW_COUNT];
	uint32_t known;
};

/* Executes an instruction that ends at `pc` and is not a jump, with nothing known of memory.
 * Instructions that compute single bits make their registers unknown: those of the addresses are
 * not known. */
void emulator_execute_distances(struct emulator_distances *d, const struct insn *insn, uint64_t pc);

/* Reads the eight bytes at an address. ERR_FORMAT: they are not known; otherwise the error of the
 * read from memory. */
int emulator_read(const struct emulator *m, uint64_t addr, uint64_t *value);

/* The DWARF number of HW_ register `reg`. */
unsigned emulator_dwarf(unsigned reg);

static inline bool emulator_knows(const struct emulator *m, unsigned reg)
{
	return m->known >> reg & 1;
}

#endif
