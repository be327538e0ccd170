/* The memory of a Ruby that does not exist: objects, iseqs and frames at addresses from FAKE on. */
#ifndef TESTS_UNIT_RUNTIMES_RUBY_FAKE_H
#define TESTS_UNIT_RUNTIMES_RUBY_FAKE_H

#include <criterion/criterion.h>
#include <string.h>

#include "base/process/memory.h"
#include "runtimes/ruby/runtime.h"

enum {
	FAKE = 0x100000,
	FAKE_BYTES = 1 << 17,
	FAKE_VM = FAKE,
	FAKE_THREAD = FAKE + 0x100,
	FAKE_EC = FAKE + 0x200,
	FAKE_NATIVE = FAKE + 0x300,
	FAKE_RACTOR = FAKE + 0x400,
	FAKE_STACK = FAKE + 0x2000,
	FAKE_STACK_WORDS = 1024,
	FAKE_TAGS = FAKE + 0x6000, /* stands for a C stack */
	FAKE_HEAP = FAKE + 0x8000,
	FAKE_TEXT = 0x40000,
	FAKE_EXEC = FAKE_TEXT + 0x100,
	FAKE_CORE = FAKE_TEXT + 0x1000,
	FAKE_TID = 4711,
};

static char fake[FAKE_BYTES];
static uint64_t fake_heap; /* what is not used yet */
static struct ruby_shared fake_shared;
static struct ruby_runtime fake_rt;
static struct memory_bytes fake_memory;

static inline void put(uint64_t addr, uint64_t value)
{
	cr_assert(addr >= FAKE && addr + 8 <= FAKE + FAKE_BYTES);
	memcpy(fake + (addr - FAKE), &value, 8);
}

static inline void put32(uint64_t addr, uint32_t value)
{
	cr_assert(addr >= FAKE && addr + 4 <= FAKE + FAKE_BYTES);
	memcpy(fake + (addr - FAKE), &value, 4);
}

static inline uint64_t fake_alloc(size_t bytes)
{
	uint64_t at = fake_heap;

	fake_heap += (bytes + 7) & ~(size_t)7;
	return at;
}

static inline void fake_begin(unsigned major, unsigned minor)
{
	memset(fake, 0, sizeof(fake));
	memset(&fake_shared, 0, sizeof(fake_shared));
	fake_heap = FAKE_HEAP;
	fake_rt = (struct ruby_runtime){ .layout = ruby_layout_of(major, minor),
					 .vm = FAKE_VM,
					 .ractor_threads = 0x80,
					 .shared = &fake_shared };
	fake_rt.loop = (struct ruby_loop){ .text = FAKE_TEXT,
					   .text_end = FAKE_TEXT + 0x10000,
					   .exec = FAKE_EXEC,
					   .exec_end = FAKE_EXEC + 0x200,
					   .core = FAKE_CORE,
					   .core_end = FAKE_CORE + 0x2000 };
	cr_assert(fake_rt.layout);
	memory_bytes_init(&fake_memory, fake, FAKE, sizeof(fake));
}

/* An object of the garbage collector of that type; imemo: its kind. */
static inline uint64_t fake_object(unsigned type, unsigned kind)
{
	uint64_t at = fake_alloc(OBJECT_BYTES);

	put(at, type | (uint64_t)kind << IMEMO_SHIFT);
	return at;
}

/* A string in its object, or elsewhere. */
static inline uint64_t fake_string(const char *text)
{
	size_t len = strlen(text), embed = fake_rt.layout->embed, most = OBJECT_BYTES - embed;
	uint64_t at = fake_object(T_STRING, 0);

	if (len <= most) {
		put(at, embed == 16 ? T_STRING | len << 14 : T_STRING);
		if (embed != 16)
			put(at + 16, len);
		memcpy(fake + (at - FAKE) + embed, text, len);
		return at;
	}
	put(at, T_STRING | 1 << 13);
	put(at + 16, len);
	put(at + 24, fake_alloc(len));
	memcpy(fake + (memory_word(fake, at - FAKE + 24) - FAKE), text, len);
	return at;
}

/* An iseq of one line, `words` long. */
static inline uint64_t fake_iseq(enum ruby_iseq_type type, const char *label, unsigned line,
				 unsigned words)
{
	const struct ruby_layout *l = fake_rt.layout;
	uint64_t at = fake_object(T_IMEMO, IMEMO_ISEQ), body = fake_alloc(BODY_BYTES);
	uint64_t table = fake_alloc(16);

	put(at + ISEQ_BODY, body);
	put32(body + BODY_TYPE, type);
	put32(body + BODY_SIZE, words);
	put(body + BODY_CODE, fake_alloc(8 * words));
	put(body + BODY_PATH, fake_string("/shop.rb"));
	put(body + BODY_LABEL, fake_string(label));
	put32(body + BODY_LINE, line << l->line_shift);
	put(body + l->insns + INSNS_TABLE, table);
	put32(body + l->insns + INSNS_COUNT, 1);
	put32(table, line);
	put(body + l->parent + 8u, at);
	return at;
}

static inline uint64_t fake_body(uint64_t iseq)
{
	return memory_word(fake, iseq - FAKE + ISEQ_BODY);
}

static inline uint64_t fake_code(uint64_t iseq)
{
	return memory_word(fake, fake_body(iseq) - FAKE + BODY_CODE);
}

/* A class with that path; a singleton class of `of`, if that is not 0. */
static inline uint64_t fake_class(const char *path, uint64_t of)
{
	const struct ruby_layout *l = fake_rt.layout;
	uint64_t at = fake_alloc(160);

	put(at, T_OBJECT_CLASS | (uint64_t)(of != 0) << l->singleton);
	if (path) {
		put(at + l->classpath, fake_string(path));
		fake[at - FAKE + l->class_flags] |= 1;
	}
	put(at + l->attached, of);
	return at;
}

static inline uint64_t fake_method(uint64_t owner, unsigned type, uint64_t body, uint64_t name)
{
	uint64_t at = fake_object(T_IMEMO, IMEMO_METHOD), def = fake_alloc(DEFINITION_BYTES);

	put(at + METHOD_DEFINITION, def);
	put(at + METHOD_OWNER, owner);
	put(def + DEFINITION_TYPE, type);
	put(def + DEFINITION_BODY, body);
	put(def + DEFINITION_NAME, name);
	return at;
}

#endif
