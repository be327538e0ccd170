/*
 * A lookup is one of a cache from pc to rule, which answers nine of ten, and else
 * a binary search in the table of the image that is mapped there.
 */
#include "unwind/codemap.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "target/image.h"
#include "target/modmap.h"
#include "unwind/arch.h"
#include "unwind/stub.h"
#include "unwind/table.h"
#include "unwind/unwinder.h"

enum {
	ENTRY_BYTES = 64, /* no program's entry code is longer */
};

struct code_module {
	struct cfi_table *table;
	uint64_t entry; /* where the kernel enters the file, if no CFI covers that, else 0 */
	uint64_t build_ns;
};

void codemap_release(struct codemap *c)
{
	for (size_t i = 0; i < c->module_count; i++)
		cfi_table_free(c->modules[i].table);
	free(c->modules);
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
static const struct cfi_table *table_of(struct codemap *c, const struct image *image)
{
	size_t id = image_id(image);

	if (id >= c->module_count) {
		size_t count = id + 32;
		struct code_module *modules = realloc(c->modules, count * sizeof(*modules));

		if (!modules)
			return NULL;
		memset(modules + c->module_count, 0,
		       (count - c->module_count) * sizeof(*modules));
		c->modules = modules;
		c->module_count = count;
	}
	if (!c->modules[id].table) {
		uint64_t start = own_cpu_ns();

		cfi_table_build(image, &c->modules[id].table, NULL);
		c->modules[id].entry = entry_without_cfi(image, c->modules[id].table);
		c->modules[id].build_ns = own_cpu_ns() - start;
	}
	return c->modules[id].table;
}

/* Is this code at this image address? */
static bool has_code(const struct image *image, uint64_t addr, const char *bytes, size_t len)
{
	uint64_t offset, left;
	Elf_Data *code;

	if (!image_offset(image, addr, &offset, &left) || left < len)
		return false;
	code = elf_getdata_rawchunk(image_elf(image), (int64_t)offset, len, ELF_T_BYTE);
	return code && !memcmp(code->d_buf, bytes, len);
}

/*
 * Is this in the trampoline that a signal's handler returns to? Where a walk comes to
 * it as to a caller it asks for the byte before, which is no instruction's first.
 */
static bool is_sigreturn(const struct image *image, const struct cfi_rule *rule, uint64_t addr)
{
	uint64_t pc = (addr + 3) & ~3ull;

	return SIGFRAME_REGS && (!rule || rule->signal_frame) &&
	       (has_code(image, pc, ARCH_SIGRETURN, ARCH_SIGRETURN_BYTES) ||
		(pc == addr && has_code(image, pc - ARCH_SYSCALL_BYTES, ARCH_SIGRETURN,
					ARCH_SIGRETURN_BYTES)));
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

	for (unsigned i = 0; i < ARCH_SYSCALL_BYTES + ARCH_TEST_BYTES && !rule; i++, end--)
		rule = cfi_table_find(table, end - 1);
	end++;
	return rule && end <= addr && has_code(image, end, ARCH_SYSCALL, ARCH_SYSCALL_BYTES) ?
		       rule : NULL;
}

/* Is this the code that the kernel enters the file by, which has no caller (System V
 * ABI, AMD64, 3.4.1)? That of the dynamic linker and of musl is assembly without CFI. */
static bool is_entry(const struct codemap *c, const struct image *image, uint64_t addr)
{
	uint64_t entry = image_id(image) < c->module_count ? c->modules[image_id(image)].entry : 0;

	return entry && addr - entry < ENTRY_BYTES;
}

static void learn(struct codemap *c, struct code *code, const struct mapping *range)
{
	uint64_t addr = code->addr - range->bias;

	code->image = range->image;
	code->bias = range->bias;
	code->table = table_of(c, range->image);
	code->rule = code->table ? cfi_table_find(code->table, addr) : NULL;
	code->is_sigreturn = is_sigreturn(range->image, code->rule, addr);
	if (!code->rule && !code->is_sigreturn && code->table)
		code->rule = rule_before_syscall(range->image, code->table, addr);
	if (!code->rule && LINKER_STUBS)
		code->rule = stub_rule(range->image, addr);
	code->is_entry = !code->rule && is_entry(c, range->image, addr);
}

const struct code *codemap_find(struct codemap *c, const struct modmap *maps, uint64_t addr)
{
	struct code *code = &c->cache[(addr ^ addr >> 12) & (CODE_SLOTS - 1)];
	const struct mapping *range;

	if (code->addr == addr && code->generation == c->generation)
		return code;
	range = modmap_find(maps, addr);
	if (!range)
		return NULL;
	code->addr = addr;
	code->generation = c->generation;
	learn(c, code, range);
	return code;
}

void codemap_table_info(const struct codemap *c, const struct image *image,
			struct unwind_table_info *info)
{
	size_t id = image_id(image);
	struct cfi_table_info t;

	memset(info, 0, sizeof(*info));
	if (id >= c->module_count || !c->modules[id].table)
		return;
	cfi_table_info(c->modules[id].table, &t);
	*info = (struct unwind_table_info){ t.rows, t.rules, t.bytes, c->modules[id].build_ns,
					    t.broken };
}
