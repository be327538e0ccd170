/* The registers of CFI, indexed by their DWARF numbers (sampler/unwind/table/arch.h). */
#ifndef SAMPLER_UNWIND_TABLE_REGS_H
#define SAMPLER_UNWIND_TABLE_REGS_H

#include <stdint.h>

#include "sampler/unwind/table/arch.h"

struct regs {
	uint64_t r[REGS_COUNT];
	uint32_t unknown; /* bit n: r[n] is not valid */
};

#endif
