/* A PHP 8.2 whose memory is laid out in this process: functions, frames and the stack they are on. */
#ifndef TESTS_UNIT_RUNTIMES_PHP_MADE_UP_H
#define TESTS_UNIT_RUNTIMES_PHP_MADE_UP_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process/memory.h"
#include "runtimes/common/copy.h"
#include "runtimes/php/runtime.h"
#include "unwind/table/regs.h"

enum { PAGE_BYTES = 16 << 10, HEAP_BYTES = 64 << 10, FRAME_SIZE = 96, EG_BYTES_ALL = 2048 };

static const struct php_layout php82 = {
	.api = 20220829,
	.vm_stack = 456,
	.last = 80,
	.opcodes = 88,
	.filename = 152,
	.line_start = 160,
	.generator_frame = 56,
	.generator_node = 152,
};

static struct php_runtime rt;
static struct memory_live live;
static struct interp_plan plan;
static struct interp_copy copy;
static struct interp_known known;
static struct arena arena;
static struct regs regs;
static struct interp_frame frames[64];
static struct interp_walk walk;
static uint8_t *eg, *page, *heap, *top, *heap_top;

static inline uint64_t addr_of(const void *p)
{
	return (uintptr_t)p;
}

static inline void put(void *object, size_t at, uint64_t value, size_t size)
{
	memcpy((uint8_t *)object + at, &value, size);
}

static inline uint8_t *take(size_t size)
{
	uint8_t *p = heap_top;

	heap_top += (size + 15) & ~(size_t)15;
	cr_assert_leq(heap_top, heap + HEAP_BYTES);
	return p;
}

static inline uint64_t string(const char *text, uint64_t hash)
{
	uint8_t *s = take(STRING_BYTES + strlen(text) + 1);

	put(s, STRING_HASH, hash, 8);
	put(s, STRING_LEN, strlen(text), 8);
	strcpy((char *)s + STRING_BYTES, text);
	return addr_of(s);
}

/* As PHP computes it. */
static inline uint64_t hash(const char *text, size_t len)
{
	uint64_t h = 5381;

	for (size_t i = 0; i < len; i++)
		h = h * 33 + (uint8_t)text[i];
	return h | 1ull << 63;
}

static inline uint64_t hashed(const char *text)
{
	return string(text, hash(text, strlen(text)));
}

static inline uint64_t class_named(const char *name)
{
	uint8_t *c = take(STRING_BYTES);

	put(c, CLASS_NAME, hashed(name), 8);
	return addr_of(c);
}

/* A function of a script with one opline for each line. `name` NULL: a file's own code. */
static inline uint8_t *function(const char *name, uint32_t first_line, uint32_t lines)
{
	uint8_t *f = take(OP_ARRAY_BYTES + 80), *ops = take(lines * OP_BYTES);

	f[0] = TYPE_USER;
	put(f, FUNCTION_NAME, name ? hashed(name) : 0, 8);
	put(f, php82.opcodes, addr_of(ops), 8);
	put(f, php82.last, lines, 4);
	put(f, php82.filename, hashed("/srv/shop.php"), 8);
	put(f, php82.line_start, first_line, 4);
	put(f, php82.line_start + 4, first_line + lines - 1, 4);
	for (uint32_t i = 0; i < lines; i++)
		put(ops, i * OP_BYTES + OP_LINE, first_line + i, 4);
	return f;
}

static inline uint8_t *c_function(const char *name)
{
	uint8_t *f = take(FUNCTION_BYTES);

	f[0] = TYPE_INTERNAL;
	put(f, FUNCTION_NAME, name ? hashed(name) : 0, 8);
	return f;
}

static inline uint64_t op(const uint8_t *function, unsigned n)
{
	return memory_word(function, php82.opcodes) + (uint64_t)n * OP_BYTES;
}

static inline void set_frame(void *at, const void *func, uint32_t info, uint64_t opline,
			     const void *prev)
{
	put(at, FRAME_OPLINE, opline, 8);
	put(at, FRAME_FUNC, addr_of(func), 8);
	put(at, FRAME_THIS, 0, 8);
	put(at, FRAME_INFO, info, 4);
	put(at, FRAME_PREV, addr_of(prev), 8);
}

/* Pushes a frame, which is the current one then. */
static inline uint8_t *call(const void *func, uint32_t info, uint64_t opline, const void *prev)
{
	uint8_t *frame = top;

	set_frame(frame, func, info, opline, prev);
	top += FRAME_SIZE;
	put(eg, php82.vm_stack + EG_STACK_TOP, addr_of(top), 8);
	put(eg, php82.vm_stack + EG_CURRENT, addr_of(frame), 8);
	return frame;
}

static inline void set_page(uint8_t *newest, uint8_t *before)
{
	page = newest;
	top = page + PAGE_FIRST;
	put(eg, php82.vm_stack + EG_PAGE_BYTES, PAGE_BYTES, 8);
	put(page, PAGE_END, addr_of(page) + PAGE_BYTES, 8);
	put(page, PAGE_PREV, addr_of(before), 8);
	put(eg, php82.vm_stack + EG_STACK, addr_of(page), 8);
	put(eg, php82.vm_stack + EG_STACK_TOP, addr_of(top), 8);
}

static inline uint8_t *map(size_t size)
{
	uint8_t *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(p, MAP_FAILED);
	return p;
}

static inline void make_up(void)
{
	memory_live_init(&live, getpid());
	eg = map(EG_BYTES_ALL);
	heap = heap_top = map(HEAP_BYTES);
	set_page(map(PAGE_BYTES), NULL);
	rt = (struct php_runtime){ .layout = &php82, .eg = addr_of(eg), .vm = VM_HYBRID };
	rt.loop[0] = (struct php_range){ 0x1000, 0x9000 };
	regs.unknown = UINT32_MAX;
}

static inline void release(void)
{
	interp_copy_release(&copy);
	interp_plan_release(&plan);
	arena_release(&arena);
}

/* One look, which reads nothing beyond the plan if `planned`. */
static inline void look_with(bool planned)
{
	struct memory_piece pieces[INTERP_RANGES];
	struct interp_thread thread = { .state = rt.eg, .regs = &regs };
	size_t count;

	cr_assert_eq(interp_copy_reserve(&copy, &plan), 0);
	interp_copy_begin(&copy, &plan);
	copy.known = &known;
	count = interp_copy_pieces(&copy, pieces);
	interp_copy_filled(&copy, count ? memory_live_gather(getpid(), pieces, count) : 0,
			   planned ? 0 : getpid(), NULL);
	walk = (struct interp_walk){ .frames = frames, .room = sizeof(frames) / sizeof(*frames) };
	php_capture(&rt, &copy, &thread, &walk);
	interp_copy_end(&copy);
}

static inline void look(void)
{
	look_with(false);
}

#endif
