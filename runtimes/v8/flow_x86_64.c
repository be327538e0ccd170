/* An epilogue may move the return address below the arguments that it drops. So it is executed with
 * a stack whose words tell where they were at first. */
#include "runtimes/v8/flow.h"

#include "base/process/memory.h"
#include "unwind/code/emulator.h"

enum { EPILOGUE = 24 /* instructions */ };

/* The first rsp, and what a word is more than its own address: neither is met otherwise. */
static const uint64_t FIRST = 0x1111111100000000, WORD = 0x2357bd1700000000;

static int read_own_address(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	uint64_t word = addr + WORD;

	(void)m;
	memcpy(buf, &word, len);
	return 0;
}

/* Where from the first rsp on the word was that is on top of the stack now. */
static bool origin_of_top(const struct emulator *m, int64_t *offset)
{
	uint64_t word;

	if (emulator_read(m, m->r[HW_RSP], &word))
		return false;
	*offset = (int64_t)(word - WORD - FIRST);
	return *offset >= 0;
}

bool v8_flow_epilogue(const uint8_t *code, size_t len, int64_t *offset)
{
	static const struct memory stack = { .read = read_own_address };
	struct emulator m = { .r[HW_RSP] = FIRST, .known = HW_BIT(HW_RSP), .memory = &stack };
	struct insn insn;

	for (int i = 0; i < EPILOGUE && !insn_decode(code, len, &insn); i++) {
		enum flow flow = insn_flow(&insn);

		if (!insn_goes_on(&insn) || (flow == FLOW_BRANCH && m.r[HW_RSP] != FIRST))
			return origin_of_top(&m, offset);
		if (flow == FLOW_BRANCH || flow == FLOW_CALL || !emulator_execute(&m, &insn) ||
		    !emulator_knows(&m, HW_RSP))
			return false;
		code += insn.len;
		len -= insn.len;
	}
	return false;
}

bool v8_flow_loads_root(const struct insn *insn, unsigned reg)
{
	return insn_is(insn, 0x8b) && insn->wide && insn_is_at(insn, HW_R13) && insn->reg == reg;
}

bool v8_flow_jumps_to(const uint8_t *code, size_t len, int32_t *disp)
{
	unsigned loaded = HW_NONE;
	struct insn insn;

	for (int i = 0; i < EPILOGUE && !insn_decode(code, len, &insn); i++) {
		if (insn_is_digit(&insn, 0xff, 4))
			return !insn.in_memory && insn.rm == loaded;
		if (!insn_goes_on(&insn) || insn_flow(&insn) == FLOW_CALL)
			return false;
		if (v8_flow_loads_root(&insn, insn.reg)) {
			loaded = insn.reg;
			*disp = insn.disp;
		}
		code += insn.len;
		len -= insn.len;
	}
	return false;
}
