/* The registers of CFI, indexed by their DWARF numbers (unwind/table/arch.h). */
#ifndef UNWIND_TABLE_REGS_H
#define UNWIND_TABLE_REGS_H

#include <stdint.h>

#include "unwind/table/arch.h"

struct regs {
	uint64_t r[REGS_COUNT];
	uint32_t unknown; /* bit n: r[n] is not valid */
};

#endif
