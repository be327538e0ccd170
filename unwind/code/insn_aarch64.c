/* Calls are told by the fixed bits of BL, BLR and BLRA (Arm Architecture Reference Manual for
 * A-profile, C6.2); nothing else is decoded on aarch64. */
#include "unwind/code/insn.h"

#include <string.h>

enum { WORD = 4 };

bool insn_call_ends(const uint8_t *end, size_t len, int64_t *target)
{
	uint32_t word;

	*target = 0;
	if (len < WORD)
		return false;
	memcpy(&word, end - WORD, WORD);
	if (word >> 26 == 0x25) { /* bl: distance in words from itself, 26 bits */
		*target = (int64_t)(int32_t)(word << 6) / 16 - WORD;
		return true;
	}
	return (word & 0xfffffc1f) == 0xd63f0000 || /* blr */
	       (word & 0xfefff800) == 0xd63f0800;   /* blra, with a signed address */
}

bool insn_calls(const uint8_t *end, size_t len, int64_t distance)
{
	int64_t target;

	return insn_call_ends(end, len, &target) && target == distance;
}
