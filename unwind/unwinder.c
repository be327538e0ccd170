/*
 * The walk.
 *
 * A frame costs a lookup in a cache from pc to rule (a table's binary search
 * when that misses) and, for a plain rule, a handful of loads. All registers
 * are known in frame 0 and behind a signal frame; elsewhere those that the ABI
 * preserves. A register that is not known is not used: the walk ends and says
 * so, because a wrong frame is worse than none.
 */
#include "unwind/unwinder.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "target/image.h"
#include "target/memory.h"
#include "target/modmap.h"
#include "unwind/expr.h"
#include "unwind/regs.h"
#include "unwind/stack.h"
#include "unwind/table.h"

enum {
	CACHE_SIZE = 4096, /* power of two */
	FRAMES_MAX = 1 << 20,
	SWITCHES_MAX = 64, /* signal frames in one walk whose caller lies not above */
	/* Further apart, two frames are on different stacks: the kernel puts a
	 * signal's frame right below what it interrupted, while a function may have
	 * large arrays. */
	SIGNAL_GAP_MAX = 1 << 20,
	CALL_GAP_MAX = 8 << 20,
	ENTRY_BYTES = 64, /* no program's entry code is longer */
	SYSCALL_BYTES = 2,
	TEST_BYTES = 8, /* test, jl, je, ret */
	ALL_REGISTERS = (1 << DWARF_COUNT) - 1,
};

struct cached {
	uint64_t addr; /* code address in the process */
	uint64_t generation; /* of the maps for which it holds; 0: empty */
	const struct image *image;
	const struct cfi_table *table;
	const struct cfi_rule *rule; /* NULL: no CFI there */
	uint64_t bias;
};

struct module {
	struct cfi_table *table;
	uint64_t entry; /* where the kernel enters the file, if no CFI covers that, else 0 */
	uint64_t build_ns;
};

struct unwinder {
	struct module *modules; /* by image id */
	size_t module_count;
	uint64_t generation; /* of the maps of the present walk */
	struct cached cache[CACHE_SIZE];
};

int unwinder_new(struct unwinder **u)
{
	*u = calloc(1, sizeof(**u));
	return *u ? 0 : ERR_NOMEM;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->module_count; i++)
		cfi_table_free(u->modules[i].table);
	free(u->modules);
	free(u);
}

static uint64_t own_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Entry code that has CFI needs no guess, and what stands behind it (gcc's
 * crtstuff) has callers. */
static uint64_t entry_without_cfi(const struct image *image, const struct cfi_table *table)
{
	GElf_Ehdr ehdr;

	if (!image_elf(image) || !gelf_getehdr(image_elf(image), &ehdr) ||
	    (table && cfi_table_find(table, ehdr.e_entry)))
		return 0;
	return ehdr.e_entry;
}

/* The image's table, compiled when first asked for; NULL when out of memory. */
static const struct cfi_table *table_of(struct unwinder *u, const struct image *image)
{
	size_t id = image_id(image);

	if (id >= u->module_count) {
		size_t count = id + 32;
		struct module *modules = realloc(u->modules, count * sizeof(*modules));

		if (!modules)
			return NULL;
		memset(modules + u->module_count, 0,
		       (count - u->module_count) * sizeof(*modules));
		u->modules = modules;
		u->module_count = count;
	}
	if (!u->modules[id].table) {
		uint64_t start = own_cpu_ns();

		cfi_table_build(image, &u->modules[id].table, NULL);
		u->modules[id].entry = entry_without_cfi(image, u->modules[id].table);
		u->modules[id].build_ns = own_cpu_ns() - start;
	}
	return u->modules[id].table;
}

/* Is there a `syscall` at this image address? */
static bool is_syscall(const struct image *image, uint64_t addr)
{
	uint64_t offset, left;
	Elf_Data *code;

	if (!image_offset(image, addr, &offset, &left) || left < SYSCALL_BYTES)
		return false;
	code = elf_getdata_rawchunk(image_elf(image), (int64_t)offset, SYSCALL_BYTES, ELF_T_BYTE);
	return code && !memcmp(code->d_buf, "\x0f\x05", SYSCALL_BYTES);
}

/*
 * glibc's clone and clone3 end their FDE right before the system call, because what
 * it says is wrong in the new thread. In the one that called it still holds for the
 * few instructions that test the result and return: there a program stands that
 * makes threads or waits for a vfork. NULL if this is not such a place.
 */
static const struct cfi_rule *rule_before_syscall(const struct image *image,
						  const struct cfi_table *table, uint64_t addr)
{
	const struct cfi_rule *rule = NULL;
	uint64_t end = addr;

	for (unsigned i = 0; i < SYSCALL_BYTES + TEST_BYTES && !rule; i++, end--)
		rule = cfi_table_find(table, end - 1);
	end++;
	return rule && end <= addr && is_syscall(image, end) ? rule : NULL;
}

/* What is known about a code address in the process. NULL: nothing is mapped
 * there. */
static const struct cached *look_up(struct unwinder *u, const struct modmap *maps, uint64_t addr)
{
	struct cached *c = &u->cache[(addr ^ addr >> 12) & (CACHE_SIZE - 1)];
	const struct mapping *range;

	if (c->addr == addr && c->generation == u->generation)
		return c;
	range = modmap_find(maps, addr);
	if (!range)
		return NULL;
	c->addr = addr;
	c->generation = u->generation;
	c->image = range->image;
	c->bias = range->bias;
	c->table = table_of(u, range->image);
	c->rule = c->table ? cfi_table_find(c->table, addr - range->bias) : NULL;
	if (!c->rule && c->table)
		c->rule = rule_before_syscall(range->image, c->table, addr - range->bias);
	return c;
}

struct walk {
	struct regs regs;
	uint32_t valid; /* bit n: regs.r[n] is known */
	const struct memory *memory;
	const struct cached *at;
	unsigned switches;
};

enum { STEP_ON = STACK_ENDS }; /* beside enum stack_end: the walk goes on */

static int end_of_read(int rc)
{
	if (rc == ERR_SHORT)
		return STACK_COPY_EXHAUSTED;
	return rc == ERR_IO ? STACK_MEMORY_UNREADABLE : STACK_NO_UNWIND_INFO;
}

static int evaluate(const struct walk *w, int32_t place, const uint64_t *initial, uint64_t *value)
{
	struct expr_context context = { &w->regs, w->valid, w->memory, w->at->bias };
	size_t len;
	const uint8_t *code = cfi_table_expression(w->at->table, place, &len);

	return expr_evaluate(code, len, &context, initial, value);
}

static int find_cfa(const struct walk *w, const struct cfi_rule *rule, uint64_t *cfa)
{
	if (rule->cfa_reg == CFA_EXPRESSION)
		return evaluate(w, rule->cfa_value, NULL, cfa);
	if (!(w->valid >> rule->cfa_reg & 1))
		return ERR_FORMAT;
	*cfa = w->regs.r[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa_value;
	return 0;
}

/* One register of the caller. 0 with *known telling whether there is a value. */
static int find_column(const struct walk *w, const struct cfi_rule *rule, unsigned n, uint64_t cfa,
		       uint64_t *value, bool *known)
{
	const struct column *col = &rule->columns[n];
	uint64_t at = cfa + (uint64_t)(int64_t)col->value;
	int rc = 0;

	*known = true;
	switch ((enum column_kind)col->kind) {
	case COLUMN_DEFAULT:
		if (n == DWARF_RSP) {
			*value = cfa;
			return 0;
		}
		*known = (CALLEE_SAVED & w->valid) >> n & 1;
		*value = w->regs.r[n];
		return 0;
	case COLUMN_UNDEFINED:
		*known = false;
		return 0;
	case COLUMN_SAME:
		*known = w->valid >> n & 1;
		*value = w->regs.r[n];
		return 0;
	case COLUMN_SAVED:
		return memory_read_u64(w->memory, at, value);
	case COLUMN_IS:
		*value = at;
		return 0;
	case COLUMN_REGISTER:
		*known = w->valid >> col->value & 1;
		*value = w->regs.r[col->value];
		return 0;
	case COLUMN_SAVED_EXPR:
		rc = evaluate(w, col->value, &cfa, &at);
		return rc ? rc : memory_read_u64(w->memory, at, value);
	case COLUMN_IS_EXPR:
		return evaluate(w, col->value, &cfa, value);
	}
	return ERR_FORMAT;
}

/* To the caller, by any rule. */
static int step_any(struct walk *w, const struct cfi_rule *rule)
{
	struct regs caller = { .unknown = 0 };
	uint32_t valid = 0;
	uint64_t cfa;
	int rc = find_cfa(w, rule, &cfa);

	for (unsigned n = 0; !rc && n < DWARF_COUNT; n++) {
		bool known = false;

		rc = find_column(w, rule, n, cfa, &caller.r[n], &known);
		/* A saved register that cannot be read matters only when it is the
		 * return address or the stack pointer. */
		if (rc && n != DWARF_RIP && n != DWARF_RSP)
			rc = known = 0;
		valid |= (uint32_t)known << n;
	}
	if (rc)
		return end_of_read(rc);
	if (!(valid >> DWARF_RIP & 1))
		return STACK_OUTERMOST;
	if (!(valid >> DWARF_RSP & 1))
		return STACK_NO_UNWIND_INFO;
	w->regs = caller;
	w->valid = valid;
	return STEP_ON;
}

/* To the caller, by a plain rule. */
static int step_plain(struct walk *w, const struct cfi_rule *rule)
{
	uint32_t saved = rule->said & ~(1u << DWARF_RIP);
	uint64_t cfa, pc;
	int rc;

	if (!(w->valid >> rule->cfa_reg & 1))
		return STACK_NO_UNWIND_INFO;
	cfa = w->regs.r[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa_value;
	rc = memory_read_u64(w->memory, cfa - 8, &pc);
	if (rc)
		return end_of_read(rc);
	w->valid = (w->valid & CALLEE_SAVED) | 1u << DWARF_RSP | 1u << DWARF_RIP;
	for (; saved; saved &= saved - 1) {
		unsigned n = (unsigned)__builtin_ctz(saved);

		rc = memory_read_u64(w->memory, cfa + (uint64_t)(int64_t)rule->columns[n].value,
				     &w->regs.r[n]);
		w->valid = rc ? w->valid & ~(1u << n) : w->valid | 1u << n;
	}
	w->regs.r[DWARF_RSP] = cfa;
	w->regs.r[DWARF_RIP] = pc;
	return STEP_ON;
}

/* An exact address where nothing is mapped: a call through a bad pointer. The
 * call has pushed its return address and nothing else has happened. */
static int step_from_nowhere(struct walk *w)
{
	int rc = memory_read_u64(w->memory, w->regs.r[DWARF_RSP], &w->regs.r[DWARF_RIP]);

	if (rc)
		return end_of_read(rc);
	w->regs.r[DWARF_RSP] += 8;
	return STEP_ON;
}

/* What the kernel enters has no caller (System V ABI, AMD64, 3.4.1). The entry
 * code of the dynamic linker and of musl is assembly without CFI. */
static bool is_entry(const struct unwinder *u, const struct walk *w)
{
	size_t id = image_id(w->at->image);
	uint64_t entry = id < u->module_count ? u->modules[id].entry : 0;

	return entry && w->regs.r[DWARF_RIP] - w->at->bias - entry < ENTRY_BYTES;
}

static int step(const struct unwinder *u, struct walk *w, enum frame_kind *kind)
{
	uint64_t sp = w->regs.r[DWARF_RSP];
	bool signal_frame = false, exact = *kind != FRAME_RETURN;
	int end;

	*kind = FRAME_RETURN;
	if (!w->at) {
		end = exact ? step_from_nowhere(w) : STACK_NO_UNWIND_INFO;
	} else if (!w->at->rule) {
		end = is_entry(u, w) ? STACK_OUTERMOST : STACK_NO_UNWIND_INFO;
	} else {
		signal_frame = w->at->rule->signal_frame;
		end = w->at->rule->plain ? step_plain(w, w->at->rule) : step_any(w, w->at->rule);
	}
	if (end != STEP_ON)
		return end;
	if (!w->regs.r[DWARF_RIP])
		return STACK_OUTERMOST;
	if (signal_frame) {
		*kind = FRAME_SIGNAL;
		return w->regs.r[DWARF_RSP] <= sp && ++w->switches > SWITCHES_MAX ?
			       STACK_NO_ADVANCE : STEP_ON;
	}
	return w->regs.r[DWARF_RSP] > sp ? STEP_ON : STACK_NO_ADVANCE;
}

/* A handler's return address is the first instruction of the trampoline, and no
 * call stands before it. */
static int push(struct walk *w, enum frame_kind kind, struct stack *out)
{
	uint64_t pc = w->regs.r[DWARF_RIP];

	if (w->at && w->at->rule && w->at->rule->signal_frame)
		kind = FRAME_SIGNAL;
	if (!w->at)
		return stack_push(out, NULL, pc, kind);
	return stack_push(out, w->at->image, pc - w->at->bias, kind);
}

int unwinder_walk(struct unwinder *u, const struct modmap *maps, const struct regs *regs,
		  const struct memory *memory, struct stack *out)
{
	struct walk w = { .regs = *regs, .valid = ALL_REGISTERS & ~regs->unknown,
			  .memory = memory };
	uint64_t first_sp = regs->r[DWARF_RSP], last_sp = first_sp;
	enum frame_kind kind = FRAME_PC;
	int end = STEP_ON;

	u->generation = modmap_generation(maps);
	out->count = 0;
	out->used = 0;
	out->switched = false;
	while (end == STEP_ON) {
		w.at = look_up(u, maps, frame_code_address(w.regs.r[DWARF_RIP], kind));
		if (push(&w, kind, out))
			return ERR_NOMEM;
		end = out->count < FRAMES_MAX ? step(u, &w, &kind) : STACK_TOO_MANY_FRAMES;
		/* How far this stack reaches; a signal's own stack ends where another
		 * begins. */
		out->switched |= w.regs.r[DWARF_RSP] - last_sp >=
				 (kind == FRAME_SIGNAL ? SIGNAL_GAP_MAX : CALL_GAP_MAX);
		last_sp = w.regs.r[DWARF_RSP];
		if (!out->switched)
			out->used = last_sp - first_sp;
	}
	out->end = (enum stack_end)end;
	out->lacked = regs->unknown && end == STACK_NO_UNWIND_INFO && w.at && w.at->rule;
	return 0;
}

void unwinder_table_info(const struct unwinder *u, const struct image *image,
			 struct unwind_table_info *info)
{
	size_t id = image_id(image);
	struct cfi_table_info t;

	memset(info, 0, sizeof(*info));
	if (id >= u->module_count || !u->modules[id].table)
		return;
	cfi_table_info(u->modules[id].table, &t);
	*info = (struct unwind_table_info){ t.rows, t.rules, t.bytes, u->modules[id].build_ns,
					    t.broken };
}
