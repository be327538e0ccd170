/*
 * A lookup first tries a cache from pc to rule, which answers nine of ten. Otherwise it is a binary
 * search in the table of the image that is mapped there.
 */
#include "unwind/codemap.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/process/elfsymbol.h"
#include "base/process/image.h"
#include "base/process/modmap.h"
#include "base/room.h"
#include "unwind/code/codebytes.h"
#include "unwind/table/arch.h"
#include "unwind/table/starts.h"
#include "unwind/table/table.h"
#include "unwind/unwinder.h"

enum {
	CACHE_LINE = 64,  /* bytes of a cache line */
	ENTRY_BYTES = 64, /* bytes; no known program's entry code is longer */
};

/* On aarch64 a rule has twice as many slots, so struct code is larger than a cache line. */
_Static_assert(sizeof(struct code) == CACHE_LINE || SHORT_SLOTS > 6, "a cache line");

/* Bound on the memory of all tables of one run: some 100 million rows. A program of 200 MB has
 * three million. */
static const uint64_t TABLE_BYTES_MAX = 512 << 20;

struct code_module {
	struct cfi_table *table;
	struct cfi_starts *starts; /* NULL: not yet needed, or none */
	bool asked_starts;
	struct go_image *go;   /* NULL: no Go image */
	bool asked;	       /* its table has been looked for, successfully or not */
	bool refused;	       /* no table was made: the tables already take TABLE_BYTES_MAX */
	uint64_t entry;	       /* the file's entry point if no CFI covers it, else 0 */
	struct elfsymbol root; /* a function that stacks begin with; size 0: none */
	uint64_t build_ns;
};

struct code_answer {
	uint64_t addr;	/* in the image */
	uint32_t image; /* its number + 1; 0: none */
	enum code_calls calls;
};

int codemap_init(struct codemap *c)
{
	size_t len = CODE_SLOTS * sizeof(*c->cache);

	memset(c, 0, sizeof(*c));
	c->cache = aligned_alloc(CACHE_LINE, len);
	c->answers = calloc(CODE_SLOTS, sizeof(*c->answers));
	if (c->cache)
		memset(c->cache, 0, len);
	if (c->cache && c->answers)
		return 0;
	free(c->cache);
	free(c->answers);
	return ERR_NOMEM;
}

void codemap_release(struct codemap *c)
{
	free(c->cache);
	free(c->answers);
	for (size_t i = 0; i < c->module_count; i++) {
		cfi_table_free(c->modules[i].table);
		cfi_starts_free(c->modules[i].starts);
		go_image_close(c->modules[i].go);
	}
	free(c->modules);
}

/* 0 if CFI covers the entry code: it needs no guess, and the code that follows it (gcc's crtstuff)
 * has callers. */
static uint64_t entry_without_cfi(const struct image *image, const struct cfi_table *table)
{
	GElf_Ehdr ehdr;

	if (!image_elf(image) || !gelf_getehdr(image_elf(image), &ehdr) ||
	    (table && cfi_table_find(table, ehdr.e_entry)))
		return 0;
	return ehdr.e_entry;
}

/* A greenlet's stack begins within that of its parent, which may run on, or have been copied away
 * by then: what lies beneath this function is of others (greenlet 3, TUserGreenlet.cpp). */
static struct elfsymbol codemap_find_root(const struct image *image)
{
	static const char file[] = "_greenlet.";
	struct elfsymbol root = {
		.name = "_ZN8greenlet12UserGreenlet15inner_bootstrapEP9_greenletP7_object"
	};

	if (strncmp(image_name(image), file, sizeof(file) - 1) || !elfsymbol_find(image, &root, 1))
		root.size = 0;
	return root;
}

static void get_table(struct codemap *c, struct code_module *m, const struct image *image)
{
	uint64_t start = thread_cpu_ns();
	struct cfi_table_info info;

	m->asked = true;
	if (KNOWS_GO)
		go_image_open(image, &m->go);
	m->refused = c->table_bytes >= TABLE_BYTES_MAX;
	if (m->refused || cfi_table_build(image, &m->table, NULL))
		return;
	cfi_table_info(m->table, &info);
	c->table_bytes += info.bytes;
	m->entry = entry_without_cfi(image, m->table);
	m->root = codemap_find_root(image);
	m->build_ns = thread_cpu_ns() - start;
}

/* NULL: no address of the image has been looked up yet. */
static const struct code_module *codemap_module_of(const struct codemap *c,
						   const struct image *image)
{
	return image_id(image) < c->module_count ? &c->modules[image_id(image)] : NULL;
}

/* The image's table, compiled on first use; NULL when out of memory, or when no table was
 * made because there are too many already. */
static const struct cfi_table *codemap_table_of(struct codemap *c, const struct image *image)
{
	size_t id = image_id(image);

	if (room_for_zeros((void **)&c->modules, &c->module_count, id + 1, sizeof(*c->modules)))
		return NULL;
	if (!c->modules[id].asked)
		get_table(c, &c->modules[id], image);
	return c->modules[id].table;
}

/* Does the file have these `len` bytes at this image address? */
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
 * glibc's clone and clone3 end their FDE right before the system call, because its rule is wrong in
 * the new thread. In the calling thread the rule still holds for the few instructions that test the
 * result and return. A thread that creates threads or waits for a vfork is found there. Returns the
 * rule, or NULL if this is not such a place.
 */
static const struct short_rule *rule_before_syscall(const struct image *image,
						    const struct cfi_table *table, uint64_t addr)
{
	const struct short_rule *rule = NULL;
	uint64_t end = addr;

	for (unsigned i = 0; i < ARCH_SYSCALL_BYTES + ARCH_TEST_BYTES && !rule; i++, end--)
		rule = cfi_table_find(table, end - 1);
	end++;
	if (rule && end <= addr && has_code(image, end, ARCH_SYSCALL, ARCH_SYSCALL_BYTES))
		return rule;
	return NULL;
}

/* Is this the file's entry code, which has no caller (System V ABI, AMD64, 3.4.1)? In the dynamic
 * linker and in musl it is assembly without CFI. */
static bool codemap_is_entry(const struct codemap *c, const struct image *image, uint64_t addr)
{
	const struct code_module *m = codemap_module_of(c, image);

	return m && m->entry && addr - m->entry < ENTRY_BYTES;
}

static bool is_root(const struct codemap *c, const struct image *image, uint64_t addr)
{
	const struct code_module *m = codemap_module_of(c, image);

	return m && addr - m->root.addr < m->root.size;
}

static void set_rule(struct code *code, const struct short_rule *rule)
{
	code->kind = CODE_BY_SHORT_RULE;
	code->rule = *rule;
	if (rule->cfa_reg != RULE_IS_LONG)
		return;
	code->long_rule = cfi_table_long_rule(code->table, rule);
	code->kind = CODE_BY_LONG_RULE;
	if (code->long_rule->signal_frame)
		code->kind = CFI_KNOWS_SIGNALS ? CODE_BY_SIGNAL_RULE : CODE_UNKNOWN;
}

static bool find_range(struct codemap *c, const struct modmap *maps, uint64_t addr)
{
	const struct mapping *m = modmap_find(maps, addr);
	const struct cfi_table *table = m ? codemap_table_of(c, m->image) : NULL;
	const struct code_module *module = m ? codemap_module_of(c, m->image) : NULL;

	if (m)
		c->range = (struct code_range){ m->start,
						m->end,
						m->bias,
						c->generation,
						m->image,
						table,
						module ? module->go : NULL };
	return m;
}

const struct code *codemap_learn(struct codemap *c, const struct modmap *maps, uint64_t addr)
{
	struct code *code = &c->cache[code_slot(addr)];
	const struct code_range *range = &c->range;
	const struct short_rule *rule;

	if ((range->generation != c->generation || addr < range->start || addr >= range->end) &&
	    !find_range(c, maps, addr))
		return NULL;
	*code = (struct code){ .addr = addr,
			       .generation = c->generation,
			       .image = range->image,
			       .bias = range->bias,
			       .table = range->table };
	addr -= range->bias;
	if (range->go && gocode_learn(range->go, addr, &code->go)) {
		code->kind = CODE_BY_PCLNTAB;
		code->go_image = range->go;
		return code;
	}
	rule = code->table ? cfi_table_find(code->table, addr) : NULL;
	if (!rule && code->table)
		rule = rule_before_syscall(code->image, code->table, addr);
	if (is_root(c, code->image, addr))
		code->kind = CODE_ENTRY;
	else if (rule)
		set_rule(code, rule);
	else if (codemap_is_entry(c, code->image, addr))
		code->kind = CODE_ENTRY;
	return code;
}

static enum code_calls read_calls(const struct code *at, struct codebytes *bytes)
{
	uint64_t target;

	return codebytes_behind_call(bytes, at->addr + 1, &target) ? CODE_CALLS : CODE_CALLS_NOT;
}

static enum code_calls calls_of_file(struct codemap *c, const struct code *at,
				     struct codebytes *bytes)
{
	uint64_t addr = at->addr - at->bias;
	uint32_t image = image_id(at->image) + 1;
	struct code_answer *a = &c->answers[code_slot(addr + image)];

	if (a->addr != addr || a->image != image)
		*a = (struct code_answer){ addr, image, read_calls(at, bytes) };
	return a->calls;
}

bool codemap_calls(struct codemap *c, const struct code *at, struct codebytes *bytes)
{
	struct code *known = (struct code *)at; /* one of the cache, which is not const */

	if (known->calls == CODE_CALLS_NOT_ASKED)
		known->calls = image_elf(at->image) ? calls_of_file(c, at, bytes) :
						      read_calls(at, bytes);
	return known->calls == CODE_CALLS;
}

/* Few walks need them, so they are read when the first one does. */
static const struct cfi_starts *starts_of(struct codemap *c, const struct image *image)
{
	struct code_module *m;

	if (!codemap_table_of(c, image))
		return NULL;
	m = &c->modules[image_id(image)];
	if (m->asked_starts || c->table_bytes >= TABLE_BYTES_MAX)
		return m->starts;
	m->asked_starts = true;
	if (!cfi_starts_read_all(&m->starts, image))
		c->table_bytes += cfi_starts_bytes(m->starts);
	return m->starts;
}

bool codemap_extent(struct codemap *c, const struct modmap *maps, uint64_t addr,
		    struct cfi_extent *extent)
{
	const struct mapping *m = modmap_find(maps, addr);
	const struct cfi_starts *starts = m ? starts_of(c, m->image) : NULL;

	if (!starts || !cfi_starts_extent(starts, addr - m->bias, extent))
		return false;
	extent->start += m->bias;
	extent->end += m->bias;
	return true;
}

void codemap_table_info(const struct codemap *c, const struct image *image,
			struct unwind_table_info *info)
{
	const struct code_module *m = codemap_module_of(c, image);

	*info = (struct unwind_table_info){ 0 };
	if (!m)
		return;
	info->refused = m->refused;
	info->build_ns = m->build_ns;
	if (m->table)
		cfi_table_info(m->table, &info->table);
}
