/*
 * Finds PHP in an ELF file, and its release.
 *
 * execute_ex and module_registry are exported by all builds, because extensions need them. The
 * registry's first entry is the module "Core". It is in PHP's own memory, and tells the module API
 * number, which is one for each release (php -i: "PHP Extension"), whether the build is
 * thread-safe, and Zend's version, whose minor and patch numbers are PHP's. While the registry is
 * empty, PHP has not started.
 *
 * NTS: executor_globals is exported. ZTS: each thread has its own, at executor_globals_offset from
 * the TLS variable _tsrm_ls_cache. That is not exported, but tsrm_get_ls_cache_tcb_offset() is,
 * which returns where the variable is from the thread pointer on (TSRM/TSRM.c). It is one
 * instruction.
 *
 * Rejected: the text "X-Powered-By: PHP/8.2.36" in .rodata, which an application may have, too; the
 * table by PHP's version string instead of the API number; offsets from DWARF, which Debian's
 * packages do not have, and which differ from the headers nowhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process/elfsymbol.h"
#include "base/process/image.h"
#include "base/process/memory.h"
#include "runtimes/common/text.h"
#include "runtimes/php/php.h"
#include "runtimes/php/runtime.h"

/* Zend/zend_globals.h, zend_compile.h, zend_generators.h, zend_modules.h, compiled. */
static const struct php_layout layouts[] = {
	/* clang-format off */
	/* api	    vm_stack last opcodes filename line_start generator: frame node */
	{ 20190902, 456,      60,  64,     136,     144,       64, 160 }, /* 7.4 */
	{ 20200930, 456,      68,  72,     144,     152,       56, 152 }, /* 8.0 */
	{ 20210902, 456,      68,  72,     144,     152,       56, 152 }, /* 8.1 */
	{ 20220829, 456,      80,  88,     152,     160,       56, 152 }, /* 8.2 */
	{ 20230831, 456,      76,  80,     144,     152,       56, 152 }, /* 8.3 */
	{ 20240924, 456,      96, 104,     168,     176,       56, 152 }, /* 8.4 */
	{ 20250925, 480,      96, 104,     168,     176,       56, 152 }, /* 8.5 */
	/* clang-format on */
};

enum {
	/* struct _zend_array, its first struct _Bucket, struct _zend_module_entry. */
	TABLE_BUCKETS = 16,
	TABLE_USED = 24,
	TABLE_BYTES = 32,
	MODULE_API = 4,
	MODULE_ZTS = 9,
	MODULE_NAME = 32,
	MODULE_VERSION = 88,
	MODULE_BYTES = 96,
};

enum { EXECUTE_EX, REGISTRY, VM_KIND, EG, EG_OFFSET, TCB_OFFSET, SYMBOLS };

/* The first module of the registry at `addr` in the process. */
static int read_core(const struct memory *memory, uint64_t addr, char module[MODULE_BYTES])
{
	char table[TABLE_BYTES], name[8];
	uint64_t entry;

	if (memory->read(memory, addr, table, sizeof(table)))
		return ERR_FORMAT;
	if (!memory_u32(table, TABLE_USED))
		return ERR_BUSY;
	if (memory_read_u64(memory, memory_word(table, TABLE_BUCKETS), &entry) ||
	    memory->read(memory, entry, module, MODULE_BYTES) ||
	    !text_read(memory, memory_word(module, MODULE_NAME), name, sizeof(name)) ||
	    strcmp(name, "Core") != 0)
		return ERR_FORMAT;
	return 0;
}

/* Zend's 3.4.x is PHP's 7.4.x, 4.n.x is 8.n.x (zend.h, ZEND_VERSION). */
static bool php_find_set_version(struct php_runtime *rt, const struct memory *memory,
				 const char *module)
{
	unsigned major, minor, patch;
	char text[16], rest;

	if (!text_read(memory, memory_word(module, MODULE_VERSION), text, sizeof(text)) ||
	    sscanf(text, "%2u.%2u.%3u%c", &major, &minor, &patch, &rest) < 3)
		return false;
	snprintf(rt->version, sizeof(rt->version), "PHP %u.%u.%u%s", major, minor, patch,
		 rt->zts ? " ZTS" : "");
	return true;
}

static int php_find_release(struct php_runtime *rt, const struct memory *memory, uint64_t registry,
			    struct error *why)
{
	char module[MODULE_BYTES];
	int rc = registry ? read_core(memory, registry, module) : ERR_BUSY;

	if (rc == ERR_BUSY)
		return rc;
	if (rc)
		return error_set(why, rc, "PHP's module registry cannot be read");
	rt->zts = module[MODULE_ZTS];
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].api == memory_u32(module, MODULE_API))
			rt->layout = &layouts[i];
	if (!rt->layout)
		return error_set(why, ERR_FORMAT, "PHP with module API %u is not known",
				 memory_u32(module, MODULE_API));
	if (!php_find_set_version(rt, memory, module))
		return error_set(why, ERR_FORMAT, "PHP's version cannot be read");
	return 0;
}

/* The value that a function without arguments returns: a constant, or a word that the loader has
 * written. */
static bool returned(const struct image *image, const struct elfsymbol *function, uint64_t bias,
		     const struct memory *memory, uint64_t *value)
{
	uint8_t code[32], *c = code;

	if (!function->found || !elfsymbol_bytes(image, function->addr, code, sizeof(code)))
		return false;
#ifdef __x86_64__
	c += memcmp(c, "\xf3\x0f\x1e\xfa", 4) ? 0 : 4; /* endbr64 */
	if (*c == 0xb8 && c[5] == 0xc3) {	       /* mov $…, %eax; ret */
		*value = memory_u32(c, 1);
		return true;
	}
	if (!memcmp(c, "\x48\xc7\xc0", 3) && c[7] == 0xc3) { /* mov $…, %rax; ret */
		*value = (uint64_t)(int64_t)(int32_t)memory_u32(c, 3);
		return true;
	}
	if (!memcmp(c, "\x48\x8b\x05", 3) && c[7] == 0xc3) /* mov …(%rip), %rax; ret */
		return !memory_read_u64(memory,
					bias + function->addr + (uint64_t)(c - code) + 7 +
						(uint64_t)(int64_t)(int32_t)memory_u32(c, 3),
					value);
#elif defined(__aarch64__)
	(void)bias, (void)memory;
	c += memory_u32(c, 0) == 0xd503245f ? 4 : 0; /* bti c */
	if ((memory_u32(c, 0) & 0xffe0001f) == 0x52800000 && memory_u32(c, 4) == 0xd65f03c0) {
		*value = memory_u32(c, 0) >> 5 & 0xffff; /* mov w0, #…; ret */
		return true;
	}
#endif
	return false;
}

/* The address of a variable in the process; 0: the loader has not written it yet. An executable
 * that embeds libphp may have a copy of it, which all use instead. */
static uint64_t php_find_variable(const struct image *image, uint64_t bias,
				  const struct elfsymbol *s, const struct memory *memory)
{
	uint64_t slot, addr;

	if (!elfsymbol_slot(image, s->name, &slot))
		return bias + s->addr;
	return memory_read_u64(memory, bias + slot, &addr) ? 0 : addr;
}

static int find_globals(struct php_runtime *rt, const struct image *image, uint64_t bias,
			const struct elfsymbol *s, const struct memory *memory, struct error *why)
{
	const struct elfsymbol *globals = &s[rt->zts ? EG_OFFSET : EG];
	uint64_t tls;

	if (!globals->found)
		return error_set(why, ERR_FORMAT, "PHP without %s", globals->name);
	rt->eg = php_find_variable(image, bias, globals, memory);
	if (!rt->eg || !rt->zts)
		return rt->eg ? 0 : ERR_BUSY;
	if (!returned(image, &s[TCB_OFFSET], bias, memory, &tls) ||
	    memory_read_u64(memory, rt->eg, &rt->eg_offset))
		return error_set(why, ERR_FORMAT, "the globals of PHP's threads cannot be found");
	rt->tls = (int64_t)tls;
	return rt->eg_offset ? 0 : ERR_BUSY; /* zend_startup() sets it */
}

static void find_bounds(struct php_runtime *rt, const struct image *image, uint64_t bias)
{
	size_t count;
	const struct image_segment *s = image_segments(image, &count);

	rt->image_start = UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		uint64_t start = bias + s[i].vaddr, end = start + s[i].memsz;

		rt->image_start = start < rt->image_start ? start : rt->image_start;
		rt->image_end = end > rt->image_end ? end : rt->image_end;
	}
}

static int php_find(void **out, const struct image *image, uint64_t bias,
		    const struct memory *memory, struct error *why)
{
	struct elfsymbol s[SYMBOLS] = {
		[EXECUTE_EX] = { .name = "execute_ex" },
		[REGISTRY] = { .name = "module_registry" },
		[VM_KIND] = { .name = "zend_vm_kind" },
		[EG] = { .name = "executor_globals" },
		[EG_OFFSET] = { .name = "executor_globals_offset" },
		[TCB_OFFSET] = { .name = "tsrm_get_ls_cache_tcb_offset" },
	};
	struct php_runtime *rt;
	int rc;

	elfsymbol_find(image, s, SYMBOLS);
	if (!s[EXECUTE_EX].found || !s[REGISTRY].found)
		return ERR_NOTFOUND;
	rt = calloc(1, sizeof(*rt));
	if (!rt)
		return ERR_NOMEM;
	rc = php_find_release(rt, memory, php_find_variable(image, bias, &s[REGISTRY], memory),
			      why);
	rc = rc ? rc : find_globals(rt, image, bias, s, memory, why);
	if (!rc && !returned(image, &s[VM_KIND], bias, memory, &rt->vm))
		rc = error_set(why, ERR_FORMAT, "how PHP was compiled cannot be told");
	if (rc) {
		free(rt);
		return rc;
	}
	find_bounds(rt, image, bias);
	php_find_loop(rt, image, bias, s[EXECUTE_EX].addr, s[EXECUTE_EX].size);
	*out = rt;
	return 0;
}

/* NTS: executor_globals is the process's, and its main thread executes. (An embedding program may
 * run PHP on another thread. Nothing in the process tells, so its stacks stay native.) ZTS: a
 * thread's globals are found from its thread pointer, so any thread may have them. */
static int php_threads(const void *data, const struct memory *memory, struct buffer *states)
{
	const struct php_runtime *rt = data;
	struct interp_state state = { .at = rt->zts ? rt->loop[0].start : rt->eg,
				      .main = !rt->zts,
				      .any = rt->zts };

	(void)memory;
	return buffer_add(states, &state, sizeof(state));
}

const struct interp_ops php_ops = {
	.mapping = "[php]",
	.find = php_find,
	.free = free,
	.threads = php_threads,
	.capture = php_capture,
	.identify = php_identify,
	.resolve = php_resolve,
	.line = php_line,
	.anchor = php_anchor,
};
