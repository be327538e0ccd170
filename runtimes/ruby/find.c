/*
 * Finds Ruby in an ELF file, its release, and its state.
 *
 * All builds export ruby_version and ruby_vm_at_exit. Where ruby_current_vm_ptr has no symbol
 * (Debian's 3.3 and later), its address is in the code of ruby_vm_at_exit, which begins by loading
 * it (vm.c). The state is used only if its main thread and main ractor lead back to it.
 *
 * Rejected: a search of the data for such a state; the thread-local ruby_current_ec, which is the
 * same chain from its other end, and is not known of a thread that is not stopped.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/process/elfsymbol.h"
#include "base/process/memory.h"
#include "runtimes/ruby/object.h"
#include "runtimes/ruby/ruby.h"
#ifdef __x86_64__
#include "unwind/code/insn_x86_64.h"
#endif

enum { CODE_BYTES = 96, VERSION_BYTES = 16 };

enum { VERSION, VM_PTR, AT_EXIT, OBJECT, SYMBOLS };

/* Does the main thread of the state at `vm` lead back to it? */
static bool is_vm(const struct ruby_layout *l, const struct memory *memory, uint64_t vm)
{
	char thread[THREAD_BYTES];
	uint64_t main_thread, ractor, of, ec;

	if (!ruby_is_object(vm) || memory_read_u64(memory, vm + VM_MAIN_THREAD, &main_thread) ||
	    memory_read_u64(memory, vm + VM_MAIN_RACTOR, &ractor) || !main_thread || !ractor ||
	    memory->read(memory, main_thread, thread, sizeof(thread)))
		return false;
	ec = memory_word(thread, l->thread_ec);
	return memory_word(thread, THREAD_VM) == vm &&
	       memory_word(thread, THREAD_RACTOR) == ractor && ec &&
	       !memory_read_u64(memory, ec + l->ec_thread, &of) && of == main_thread;
}

#ifdef __x86_64__
enum { MOV_LOAD = 0x8b };

/* The variable that the first `mov VARIABLE(%rip), %reg` of the code at `addr` loads. */
static uint64_t loaded_first(const uint8_t *code, size_t len, uint64_t addr)
{
	struct insn i;

	for (size_t at = 0; at < len; at += i.len) {
		if (insn_decode(code + at, len - at, &i))
			return 0;
		if (i.map == MAP_ONE && i.opcode == MOV_LOAD && i.wide && i.in_memory && i.rip)
			return addr + at + i.len + (uint64_t)(int64_t)i.disp;
	}
	return 0;
}
#else
enum { ADRP = 0x90000000, ADRP_MASK = 0x9f000000, LDR = 0xf9400000, LDR_MASK = 0xffc00000 };

/* The variable that the first `adrp reg, PAGE; ldr reg, [reg, OFFSET]` of the code at `addr` loads;
 * other instructions may stand between these two. */
static uint64_t loaded_first(const uint8_t *code, size_t len, uint64_t addr)
{
	uint64_t page[32] = { 0 };

	for (size_t at = 0; at + 4 <= len; at += 4) {
		uint32_t i = memory_u32(code, at);
		uint64_t high = (i >> 5 & 0x7ffff) << 2 | (i >> 29 & 3);

		if ((i & ADRP_MASK) == ADRP)
			page[i & 31] = ((addr + at) & ~0xfffull) +
				       ((high ^ 1 << 20) - (1 << 20)) * 4096;
		else if ((i & LDR_MASK) == LDR && page[i >> 5 & 31])
			return page[i >> 5 & 31] + (i >> 10 & 0xfff) * 8;
	}
	return 0;
}
#endif

/* Reads the pointer to the state; *vm is 0 as long as there is none. */
static int find_vm(const struct elfsymbol *s, const struct image *image, uint64_t bias,
		   const struct memory *memory, uint64_t *vm)
{
	uint8_t code[CODE_BYTES];
	uint64_t at = s[VM_PTR].addr;

	if (!s[VM_PTR].found) {
		if (!elfsymbol_bytes(image, s[AT_EXIT].addr, code, sizeof(code)))
			return ERR_FORMAT;
		at = loaded_first(code, sizeof(code), s[AT_EXIT].addr);
	}
	return at && !memory_read_u64(memory, bias + at, vm) ? 0 : ERR_FORMAT;
}

static int ruby_find_release(struct ruby_runtime *rt, const struct elfsymbol *version,
			     const struct image *image, struct error *why)
{
	char text[VERSION_BYTES] = "";
	unsigned major, minor, patch;

	if (!elfsymbol_bytes(image, version->addr, text, sizeof(text) - 1) ||
	    sscanf(text, "%1u.%2u.%3u", &major, &minor, &patch) != 3)
		return error_set(why, ERR_FORMAT, "Ruby's version cannot be read");
	snprintf(rt->version, sizeof(rt->version), "Ruby %u.%u.%u", major, minor, patch);
	rt->layout = ruby_layout_of(major, minor);
	if (!rt->layout)
		return error_set(why, ERR_FORMAT, "%s is not known", rt->version);
	return 0;
}

static int find_state(struct ruby_runtime *rt, const struct elfsymbol *s, const struct image *image,
		      uint64_t bias, const struct memory *memory, struct error *why)
{
	if (find_vm(s, image, bias, memory, &rt->vm))
		return error_set(why, ERR_FORMAT, "%s: its state cannot be found", rt->version);
	if (!rt->vm)
		return ERR_BUSY;
	if (!is_vm(rt->layout, memory, rt->vm) || !ruby_find_lists(rt, memory))
		return error_set(why, ERR_FORMAT, "%s: its threads cannot be found", rt->version);
	rt->symbols = ruby_find_symbols(rt, image, bias, memory);
	rt->object = s[OBJECT].found ? bias + s[OBJECT].addr : 0;
	return ruby_find_loop(&rt->loop, image, bias, memory);
}

static void ruby_free(void *of)
{
	struct ruby_runtime *rt = of;

	ruby_loop_release(&rt->loop);
	free(rt->shared);
	free(rt);
}

static int ruby_find(void **out, const struct image *image, uint64_t bias,
		     const struct memory *memory, struct error *why)
{
	struct elfsymbol s[SYMBOLS] = {
		[VERSION] = { .name = "ruby_version" },
		[VM_PTR] = { .name = "ruby_current_vm_ptr" },
		[AT_EXIT] = { .name = "ruby_vm_at_exit" },
		[OBJECT] = { .name = "rb_cObject" },
	};
	struct ruby_runtime *rt;
	int rc;

	elfsymbol_find(image, s, SYMBOLS);
	if (!s[VERSION].found || !s[AT_EXIT].found)
		return ERR_NOTFOUND;
	rt = calloc(1, sizeof(*rt));
	if (!rt)
		return ERR_NOMEM;
	rt->shared = calloc(1, sizeof(*rt->shared));
	rc = rt->shared ? 0 : ERR_NOMEM;
	rc = rc ? rc : ruby_find_release(rt, &s[VERSION], image, why);
	rc = rc ? rc : find_state(rt, s, image, bias, memory, why);
	if (rc)
		ruby_free(rt);
	else
		*out = rt;
	return rc;
}

const struct interp_ops ruby_ops = {
	.mapping = "[ruby]",
	.find = ruby_find,
	.free = ruby_free,
	.threads = ruby_threads,
	.capture = ruby_capture,
	.identify = ruby_identify,
	.resolve = ruby_resolve,
	.line = ruby_line,
	.anchor = ruby_anchor,
};
