/* The registers of CFI, indexed by their DWARF numbers (unwind/arch.h). */
#ifndef UNWIND_REGS_H
#define UNWIND_REGS_H

#include <stdint.h>

#include "unwind/arch.h"

struct regs {
	uint64_t r[REGS_COUNT];
	uint32_t unknown; /* bit n: r[n] is not valid */
};

#endif
