/*
 * From an address in a module to the function and the line, as erts_lookup_function_info does it
 * (erts/emulator/beam/beam_ranges.c, beam_code.h).
 *
 * A module begins with a header: the number of functions, the table of lines, and pointers to all
 * functions, ascending, with one to their end behind them. In front of a function's code are the
 * atoms of the module and of the function, and its arity. The table of lines has, for each
 * function, a stretch of the ascending addresses at which a line begins, and for each of these the
 * number of the file and the line.
 */

#include "runtimes/beam/functions.h"

enum {
	FUNCTIONS_MAX = 1 << 20,
	LINES_MAX = 1 << 24,
	FILE_SHIFT = 24, /* of a location */
	ARITY_MAX = 255,
	MFA_BYTES = 24,
};

/* Of struct BeamCodeLineTab_. */
enum { TAB_FILES = 0, TAB_SIZE = 8, TAB_LOCATIONS = 16, TAB_FUNCTIONS = 24 };

static bool functions_word(const struct beam_runtime *rt, uint64_t addr, uint64_t *value)
{
	return !memory_read_u64(rt->memory, addr, value);
}

/* The last of `count` ascending words at `table` that is not above `addr`; the next one is above.
 * False: there is none. */
static bool find_between(const struct beam_runtime *rt, uint64_t table, uint64_t count,
			 uint64_t addr, uint64_t *index)
{
	uint64_t low = 0, high = count, from, to;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!functions_word(rt, table + middle * 8, &from) ||
		    !functions_word(rt, table + middle * 8 + 8, &to) || from > to)
			return false;
		if (addr < from) {
			high = middle;
		} else if (addr < to) {
			*index = middle;
			return true;
		} else {
			low = middle + 1;
		}
	}
	return false;
}

/* Lists of characters begin with the module's own file; atoms do not, and name it only by 0. */
static uint32_t file_of(struct beam_runtime *rt, uint64_t lines, uint32_t file)
{
	uint64_t files, first, name;
	uint32_t atom;

	if (!functions_word(rt, lines + TAB_FILES, &files) || !functions_word(rt, files, &first))
		return file ? BEAM_NO_FILE : BEAM_FILE_OF_MODULE;
	if (beam_is_atom(first, &atom) && !file)
		return BEAM_FILE_OF_MODULE;
	file -= beam_is_atom(first, &atom);
	return functions_word(rt, files + file * 8ull, &name) ? beam_file(rt, name) : BEAM_NO_FILE;
}

static bool location_at(const struct beam_runtime *rt, uint64_t lines, uint64_t index,
			uint32_t *loc)
{
	uint64_t locations;
	uint32_t size = 0;
	uint16_t small;

	if (rt->memory->read(rt->memory, lines + TAB_SIZE, &size, sizeof(size)) ||
	    !functions_word(rt, lines + TAB_LOCATIONS, &locations))
		return false;
	if (size == sizeof(*loc))
		return !rt->memory->read(rt->memory, locations + index * size, loc, size);
	if (size != sizeof(small) ||
	    rt->memory->read(rt->memory, locations + index * size, &small, size))
		return false;
	*loc = small;
	return true;
}

/* The line of an address in function `function` of the module; it may have none. */
static void functions_find_line(struct beam_runtime *rt, uint64_t header, uint64_t function,
				uint64_t addr, struct beam_key *key)
{
	uint64_t lines, all, from, to, index;
	uint32_t loc;

	if (!functions_word(rt, header + rt->at.lines, &lines) || !lines ||
	    !functions_word(rt, lines + TAB_FUNCTIONS, &all) ||
	    !functions_word(rt, lines + TAB_FUNCTIONS + function * 8, &from) ||
	    !functions_word(rt, lines + TAB_FUNCTIONS + function * 8 + 8, &to) || from < all ||
	    to < from || (to - from) / 8 > LINES_MAX || (from - all) / 8 > LINES_MAX ||
	    !find_between(rt, from, (to - from) / 8, addr, &index) ||
	    !location_at(rt, lines, index + (from - all) / 8, &loc) || !loc)
		return;
	key->line = loc & ((1u << FILE_SHIFT) - 1);
	key->file = file_of(rt, lines, loc >> FILE_SHIFT);
}

/* The number of the function that has this address, and where what is in front of it begins. */
static bool find_info(const struct beam_runtime *rt, const struct beam_range *module, uint64_t addr,
		      uint64_t *index, uint64_t *info)
{
	uint64_t count;

	return functions_word(rt, module->start, &count) && count && count <= FUNCTIONS_MAX &&
	       find_between(rt, module->start + rt->at.functions, count, addr, index) &&
	       functions_word(rt, module->start + rt->at.functions + *index * 8, info) &&
	       *info >= module->start && *info < module->end;
}

static bool read_key(struct beam_runtime *rt, const struct beam_range *module, uint64_t addr,
		     struct beam_key *key)
{
	uint64_t index, info, mfa[3];

	if (!find_info(rt, module, addr, &index, &info) ||
	    rt->memory->read(rt->memory, info + rt->at.mfa, mfa, sizeof(mfa)) ||
	    !beam_is_atom(mfa[0], &key->module) || !beam_is_atom(mfa[1], &key->function) ||
	    mfa[2] > ARITY_MAX)
		return false;
	key->arity = (uint8_t)mfa[2];
	functions_find_line(rt, module->start, index, addr, key);
	return true;
}

static bool functions_find_function(struct beam_runtime *rt, uint64_t addr,
				    struct managed_frame *frame)
{
	const struct beam_range *module = beam_range_find(rt, addr);
	struct beam_key key = { .file = BEAM_NO_FILE };

	if (!module || !read_key(rt, module, addr, &key))
		return false;
	beam_key_pack(&key, frame);
	return true;
}

bool beam_is_last(struct beam_runtime *rt, uint64_t addr)
{
	const struct beam_range *module = beam_range_find(rt, addr);
	uint64_t count, index, info;

	return module && find_info(rt, module, addr, &index, &info) &&
	       functions_word(rt, module->start, &count) && index + 1 == count;
}

bool beam_is_entry(struct beam_runtime *rt, uint64_t addr)
{
	const struct beam_range *module = beam_range_find(rt, addr);
	uint64_t index, info;

	return module && find_info(rt, module, addr, &index, &info) &&
	       addr == info + rt->at.mfa + MFA_BYTES;
}

bool beam_function_at(struct beam_runtime *rt, uint64_t addr, struct managed_frame *frame)
{
	struct beam_kept *kept = &rt->kept[addr >> 2 & (BEAM_KEPT - 1)];

	if (kept->pc != addr || !kept->frame.code) {
		struct managed_frame found = { 0 };

		if (!functions_find_function(rt, addr, &found))
			return false;
		*kept = (struct beam_kept){ addr, found };
	}
	frame->kind = kept->frame.kind;
	frame->code = kept->frame.code;
	frame->id = kept->frame.id;
	frame->at = kept->frame.at;
	return true;
}
