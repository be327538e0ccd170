/*
 * Finds a BEAM in an ELF file, its variables and its code.
 *
 * Up to OTP 28 the emulator exports its functions, also where it is stripped, because it is linked
 * for plug-ins. What it keeps to itself is read from their code:
 *
 *   erts_lookup_function_info  calls find_range, and has the offsets in a module's header
 *   find_range                 loads the_active_code_index, and the address of the lists of modules
 *   process_main               looks up the code to jump to in the map of shared code
 *   that code                  makes the scheduler's registers on its stack, and takes a process's
 *                              stack pointer from its struct process
 *
 * Rejected: tables of offsets for each release. They would be wrong for a patched one; the code
 * never is.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/process/elfsymbol.h"
#include "base/sorted.h"
#include "runtimes/beam/depth.h"
#include "unwind/code/insn_x86_64.h"

enum {
	CODE_BYTES = 512,
	HEADER_MIN = 0x30, /* the offset of what is looked for in a module's header is not below */
	MAP_MIN = 0x100,   /* likewise in the object that has the map */
	MFA_MAX = 64,
	RELEASE_BYTES = 16,
	PAGE = 4096,
	END_BYTES = 0x80, /* of code that ends a process, at most */
};

enum {
	LOOKUP,
	ACTIVE,
	MAIN,
	ATOMS,
	RELEASE,
	ERTS,
	FRAME_LAYOUT,
	SCHEDULERS,
	NORMAL_EXIT, /* from here on, variables that point to code; the first ones end processes */
	EXIT,
	CONTINUE_EXIT,
	RUN_PROCESS,
	EXPORT_TRAMPOLINE,
	SAVE_CALLS,
	UNLOADED_FUN,
	RETURN_TRACE,
	EXCEPTION_TRACE,
	RETURN_TO_TRACE,
	FOR_PLUGINS, /* a function for them: this is an emulator, whatever else it exports */
	SYMBOLS,
	NEEDED = NORMAL_EXIT + 1,
};

struct beam_find_search {
	struct beam_runtime *rt;
	struct elfsymbol s[SYMBOLS];
	uint64_t points[SYMBOLS]; /* what variables point to */
	const struct image *image;
	uint64_t bias;
	uint8_t code[CODE_BYTES];
	uint64_t addr; /* of the code */
	size_t len, at;
	uint64_t object; /* image address of the variable that points to what has the map, */
	uint32_t map;	 /* where in it, */
	uint32_t label;	 /* and the key of process_main's code */
};

/* Code. */

static bool from_file(struct beam_find_search *s, uint64_t addr)
{
	s->addr = addr;
	s->at = 0;
	s->len = sizeof(s->code);
	return elfsymbol_bytes(s->image, addr, s->code, s->len);
}

/* The next instruction. False: there is none, or the last one was a return. */
static bool beam_find_next(struct beam_find_search *s, struct insn *i)
{
	if (insn_decode(s->code + s->at, s->len - s->at, i))
		return false;
	s->at += i->len;
	return true;
}

static uint64_t beam_find_behind(const struct beam_find_search *s, int64_t distance)
{
	return s->addr + s->at + (uint64_t)distance;
}

static bool is_load(const struct insn *i)
{
	return insn_is(i, 0x8b) && i->in_memory;
}

static bool is_lea(const struct insn *i)
{
	return insn_is(i, 0x8d) && i->wide;
}

/* A module's header. *finder: the function that erts_lookup_function_info calls first. */
static bool read_lookup(struct beam_find_search *s, uint64_t *finder)
{
	struct beam_layout *at = &s->rt->at;
	struct insn i;

	*finder = 0;
	if (!from_file(s, s->s[LOOKUP].addr))
		return false;
	while (beam_find_next(s, &i) && !(at->functions && at->lines && at->mfa)) {
		if (insn_is(&i, 0xe8) && !*finder)
			*finder = beam_find_behind(s, i.imm);
		else if (is_lea(&i) && !i.rip && !at->functions && i.disp >= HEADER_MIN)
			at->functions = (uint16_t)i.disp;
		else if (is_load(&i) && i.wide && !i.rip && !at->lines && i.disp >= HEADER_MIN)
			at->lines = (uint16_t)i.disp;
		else if (insn_is_digit(&i, 0x83, INSN_ADD) && i.wide && !i.in_memory && !at->mfa &&
			 i.imm > 0 && i.imm <= MFA_MAX && i.imm % 8 == 0)
			at->mfa = (uint16_t)i.imm;
	}
	return at->functions && at->lines && at->mfa && at->lines < at->functions;
}

/* The lists of modules: the first variable whose address is taken after the index was loaded. */
static bool read_finder(struct beam_find_search *s, uint64_t finder)
{
	bool loaded = false;
	struct insn i;

	if (!from_file(s, finder))
		return false;
	while (beam_find_next(s, &i)) {
		if (is_load(&i) && i.rip && beam_find_behind(s, i.disp) == s->s[ACTIVE].addr)
			loaded = true;
		else if (loaded && is_lea(&i) && i.rip) {
			s->rt->at.ranges = s->bias + beam_find_behind(s, i.disp);
			return true;
		}
	}
	return false;
}

/* `bga->labels[process_main]`, by a call that gets the map's address and the key's. */
static bool read_main(struct beam_find_search *s)
{
	struct insn i;

	if (!from_file(s, s->s[MAIN].addr))
		return false;
	while (beam_find_next(s, &i) && !insn_is(&i, 0xe8)) {
		if (is_load(&i) && i.wide && i.rip && !s->object)
			s->object = beam_find_behind(s, i.disp);
		else if (insn_is(&i, 0xc7) && i.in_memory && i.base == HW_RSP)
			s->label = (uint32_t)i.imm;
		else if (is_lea(&i) && !i.rip && i.base != HW_RSP && i.disp >= MAP_MIN)
			s->map = (uint32_t)i.disp;
	}
	return s->object && s->map && s->label;
}

/* Shared code. */

/* A std::unordered_map's nodes: the next one, the key, the address. */
struct beam_find_node {
	uint64_t next;
	uint32_t key, padding;
	uint64_t addr;
};

enum { MAP_FIRST = 16, MAP_COUNT = 24 }; /* in the map itself */

static int read_nodes(struct beam_find_search *s, uint64_t map)
{
	const struct memory *m = s->rt->memory;
	uint64_t first, count;
	struct beam_find_node n = { 0 };

	if (memory_read_u64(m, map + MAP_FIRST, &first) ||
	    memory_read_u64(m, map + MAP_COUNT, &count) || count > BEAM_LABELS_MAX)
		return ERR_FORMAT;
	n.next = first;
	for (uint64_t k = 0; k < count; k++) {
		if (m->read(m, n.next, &n, sizeof(n)))
			return ERR_FORMAT;
		s->rt->labels[s->rt->label_count++] = (struct beam_label){ n.addr, false };
		if (n.key == s->label)
			s->rt->at.jit_main = n.addr;
	}
	return 0;
}

/* What functions share, and of that the code of process_main. */
static int read_shared_code(struct beam_find_search *s)
{
	struct beam_layout *at = &s->rt->at;
	const struct beam_label *labels = s->rt->labels;
	uint64_t object;
	int rc;

	if (memory_read_u64(s->rt->memory, s->bias + s->object, &object))
		return ERR_FORMAT;
	rc = object ? read_nodes(s, object + s->map) : ERR_BUSY;
	if (rc || !at->jit_main)
		return rc ? rc : ERR_BUSY;
	qsort(s->rt->labels, s->rt->label_count, sizeof(*labels), sorted_order);
	at->shared = labels[0].start;
	at->shared_end = labels[s->rt->label_count - 1].start + 1;
	for (size_t i = 0; i < s->rt->label_count && !at->jit_main_end; i++)
		if (labels[i].start > at->jit_main)
			at->jit_main_end = labels[i].start;
	return at->jit_main_end ? 0 : ERR_FORMAT;
}

/* What starts a scheduler's thread: the size of its registers, and what rbx is; then, where a
 * process is entered, its stack pointer. */
static bool read_jit_main(struct beam_find_search *s)
{
	struct beam_layout *at = &s->rt->at;
	struct insn i;

	s->addr = at->jit_main;
	s->at = 0;
	s->len = at->jit_main_end - at->jit_main < CODE_BYTES ? at->jit_main_end - at->jit_main :
								CODE_BYTES;
	if (s->rt->memory->read(s->rt->memory, s->addr, s->code, s->len))
		return false;
	while (!at->stop && beam_find_next(s, &i)) {
		if (insn_is_of_rsp(&i, INSN_SUB) && !at->frame)
			at->frame = (uint32_t)i.imm;
		else if (is_lea(&i) && i.reg == HW_RBX && i.base == HW_RSP && !at->registers)
			at->registers = (uint32_t)i.disp;
		else if (is_load(&i) && i.wide && i.reg == HW_RSP && insn_is_at(&i, HW_R13))
			at->stop = (uint32_t)i.disp;
	}
	return at->frame && at->frame < 1 << 20 && at->registers && at->registers < PAGE &&
	       at->stop && at->stop < PAGE;
}

/* Variables. */

static bool has_all(const struct beam_find_search *s)
{
	for (unsigned i = 0; i < NEEDED; i++)
		if (!s->s[i].found)
			return false;
	return true;
}

/* The code that ends a process is up to the next code that is known. */
static void beam_find_ends(struct beam_find_search *s)
{
	for (unsigned i = 0; i < BEAM_ENDS; i++) {
		uint64_t start = s->points[NORMAL_EXIT + i], end = start + END_BYTES;

		for (unsigned k = NORMAL_EXIT; k < SYMBOLS; k++)
			if (s->points[k] > start && s->points[k] < end)
				end = s->points[k];
		for (size_t k = 0; k < s->rt->label_count; k++)
			if (s->rt->labels[k].start > start && s->rt->labels[k].start < end)
				end = s->rt->labels[k].start;
		s->rt->at.ends[i] = (struct beam_range){ start, start ? end : 0 };
	}
}

static int read_variables(struct beam_find_search *s)
{
	struct beam_layout *at = &s->rt->at;
	uint64_t addr;
	uint32_t layout;

	at->active = s->bias + s->s[ACTIVE].addr;
	at->main = s->bias + s->s[MAIN].addr;
	at->schedulers = s->bias + s->s[SCHEDULERS].addr;
	if (s->rt->memory->read(s->rt->memory, s->bias + s->s[FRAME_LAYOUT].addr, &layout,
				sizeof(layout)))
		return ERR_FORMAT;
	at->frame_pointers = layout != 0;
	for (unsigned i = NORMAL_EXIT; i < FOR_PLUGINS; i++) {
		if (!s->s[i].found)
			continue;
		if (memory_read_u64(s->rt->memory, s->bias + s->s[i].addr, &addr))
			return ERR_FORMAT;
		if (addr >= at->shared_end)
			at->shared_end = addr + 1;
		s->points[i] = addr;
	}
	beam_find_ends(s);
	at->shared_end = (at->shared_end + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	at->normal_exit = s->points[NORMAL_EXIT];
	return at->normal_exit ? 0 : ERR_BUSY;
}

static void beam_find_read_version(struct beam_find_search *s)
{
	char release[RELEASE_BYTES] = "", erts[RELEASE_BYTES] = "";

	elfsymbol_bytes(s->image, s->s[RELEASE].addr, release, sizeof(release) - 1);
	elfsymbol_bytes(s->image, s->s[ERTS].addr, erts, sizeof(erts) - 1);
	snprintf(s->rt->version, sizeof(s->rt->version), "Erlang/OTP %s", release);
}

static int beam_find_read_all(struct beam_find_search *s, struct error *why)
{
	const char *version = s->rt->version;
	uint64_t finder;
	int rc;

	if (!read_main(s))
		return ERR_NOTFOUND; /* it has no JIT compiler */
	if (!read_lookup(s, &finder) || !read_finder(s, finder ? finder : s->s[LOOKUP].addr))
		return error_set(why, ERR_FORMAT, "%s: its list of modules cannot be found",
				 version);
	rc = read_shared_code(s);
	if (!rc)
		rc = read_variables(s);
	if (rc == ERR_BUSY)
		return rc;
	if (rc || !read_jit_main(s))
		return error_set(why, ERR_FORMAT,
				 "%s: the code that it has compiled cannot be found", version);
	beam_labels_read(s->rt);
	if (!beam_atoms_find(s->rt, s->bias + s->s[ATOMS].addr))
		return error_set(why, ERR_FORMAT, "%s: its atoms cannot be found", version);
	return 0;
}

int beam_find_layout(struct beam_runtime *rt, const struct image *image, uint64_t bias,
		     struct error *why)
{
	static const char *const names[SYMBOLS] = {
		[LOOKUP] = "erts_lookup_function_info",
		[ACTIVE] = "the_active_code_index",
		[MAIN] = "process_main",
		[ATOMS] = "erts_atom_table",
		[RELEASE] = "etp_otp_release",
		[ERTS] = "etp_erts_version",
		[FRAME_LAYOUT] = "erts_frame_layout",
		[SCHEDULERS] = "erts_aligned_scheduler_data",
		[NORMAL_EXIT] = "beam_normal_exit",
		[RUN_PROCESS] = "beam_run_process",
		[EXIT] = "beam_exit",
		[CONTINUE_EXIT] = "beam_continue_exit",
		[EXPORT_TRAMPOLINE] = "beam_export_trampoline",
		[SAVE_CALLS] = "beam_save_calls",
		[UNLOADED_FUN] = "beam_unloaded_fun",
		[RETURN_TRACE] = "beam_return_trace",
		[EXCEPTION_TRACE] = "beam_exception_trace",
		[RETURN_TO_TRACE] = "beam_return_to_trace",
		[FOR_PLUGINS] = "enif_make_atom",
	};
	struct beam_find_search s = { .rt = rt, .image = image, .bias = bias };

	for (unsigned i = 0; i < SYMBOLS; i++)
		s.s[i].name = names[i];
	elfsymbol_find(image, s.s, SYMBOLS);
	if (s.s[FOR_PLUGINS].found && !s.s[LOOKUP].found)
		return error_set(why, ERR_FORMAT,
				 "Erlang/OTP: this emulator's functions have no symbols");
	if (!has_all(&s))
		return ERR_NOTFOUND;
	beam_find_read_version(&s);
	return beam_find_read_all(&s, why);
}
