/* The words are Smis (a number in the upper half), read with bounds; a table whose counts
 * contradict its length has no exits. */
#include "runtimes/v8/heap/deopt.h"

#include "base/cursor.h"

enum {
	/* Words. */
	EXIT_START = 0,
	EAGER_COUNT = 1,
	LAZY_COUNT = 2,
	ENTRIES = 3,
	ENTRY_WORDS = 3,
	ENTRY_PC = 2,

	/* MaglevSafepointTable: how large its numbers are, in a word's bits. */
	HAS_DEOPT = 1,
	REGISTERS_SHIFT = 1,
	PC_SHIFT = 4,
	INDEX_SHIFT = 7,
	SIZE_MASK = 7,
};

static int64_t smi(const struct v8_deopt *d, size_t i)
{
	return i < d->count && !(d->words[i] & 1) ? (int32_t)(d->words[i] >> 32) : -1;
}

static int64_t deopt_entry(const struct v8_deopt *d, int64_t i, unsigned field)
{
	return smi(d, ENTRIES + (size_t)i * ENTRY_WORDS + field);
}

/* Do the counts agree with how long it is? */
static bool deopt_is_whole(const struct v8_deopt *d)
{
	int64_t eager = smi(d, EAGER_COUNT), lazy = smi(d, LAZY_COUNT);

	return smi(d, EXIT_START) >= 0 && eager >= 0 && lazy >= 0 &&
	       d->count == ENTRIES + (size_t)(eager + lazy) * ENTRY_WORDS;
}

bool v8_deopt_is_exit(const struct v8_deopt *d, uint64_t offset)
{
	int64_t start = smi(d, EXIT_START);

	return start >= 0 && offset >= (uint64_t)start;
}

/* The return address of Maglev's safepoint with this entry's number. */
static bool find_safepoint(const struct v8_deopt *d, int64_t index, int64_t *pc)
{
	struct cursor c;
	uint64_t length, sizes;
	unsigned pc_bytes, index_bytes;

	cursor_init(&c, d->safepoints, d->safepoints_len, "safepoints");
	length = cursor_uint(&c, 4);
	sizes = cursor_uint(&c, 4);
	cursor_uint(&c, 4); /* tagged slots */
	pc_bytes = sizes >> PC_SHIFT & SIZE_MASK;
	index_bytes = sizes >> INDEX_SHIFT & SIZE_MASK;
	if (!(sizes & HAS_DEOPT))
		return false;
	for (uint64_t i = 0; i < length && cursor_left(&c); i++) {
		*pc = (int64_t)cursor_uint(&c, pc_bytes);
		if (cursor_uint(&c, index_bytes) == (uint64_t)index + 1 && !c.failed)
			return true;
		cursor_bytes(&c, pc_bytes + 1 + (sizes >> REGISTERS_SHIFT & SIZE_MASK));
	}
	return false;
}

/* The number of the entry of an exit that return addresses lead to. */
static bool deopt_find_exit(const struct v8_deopt *d, uint64_t exit, int64_t *index)
{
	int64_t eager = smi(d, EAGER_COUNT);
	uint64_t start = (uint64_t)smi(d, EXIT_START) + (uint64_t)eager * d->exit_bytes;

	if (exit < start || (exit - start) % d->exit_bytes)
		return false;
	*index = eager + (int64_t)((exit - start) / d->exit_bytes);
	return *index < eager + smi(d, LAZY_COUNT);
}

bool v8_deopt_return(const struct v8_deopt *d, uint64_t exit, uint64_t *offset)
{
	int64_t index, pc;

	if (!deopt_is_whole(d) || !deopt_find_exit(d, exit, &index))
		return false;
	if (!d->safepoints)
		pc = deopt_entry(d, index, ENTRY_PC);
	else if (!find_safepoint(d, index, &pc))
		return false;
	*offset = (uint64_t)pc;
	return pc >= 0 && pc <= smi(d, EXIT_START);
}
