/* A class of a HotSpot that does not exist: its methods, pool and symbols, at addresses from CLASS on. */
#ifndef TESTS_UNIT_RUNTIMES_HOTSPOT_MADE_UP_CLASS_H
#define TESTS_UNIT_RUNTIMES_HOTSPOT_MADE_UP_CLASS_H

#include <criterion/criterion.h>
#include <string.h>

#include "base/process/memory.h"
#include "runtimes/hotspot/names.h"
#include "runtimes/hotspot/vm/methods.h"
#include "runtimes/hotspot/vm/runtime.h"
#include "tests/unit/runtimes/hotspot/made_up_methods.h"

enum {
	CLASS = 0x10000,
	CLASS_BYTES = 1 << 15,
	POOL = CLASS + 0x100,
	POOL_LENGTH = 40,
	METHODS = CLASS + 0x400, /* the Array<Method*> */
	CLASS_HEAP = CLASS + 0x800,
};

static uint8_t class_memory[CLASS_BYTES];
static struct memory_bytes class_bytes;
static struct hotspot_name_state class_names;
static struct hotspot_methods class_methods;
static struct hotspot class_vm;
static uint64_t class_heap;
static uint16_t class_entries;

static inline void put(uint64_t addr, uint64_t value, size_t size)
{
	cr_assert(addr >= CLASS && addr + size <= CLASS + CLASS_BYTES);
	memcpy(class_memory + (addr - CLASS), &value, size);
}

static inline uint64_t take(size_t size)
{
	uint64_t at = class_heap;

	class_heap += (size + 7) & ~(size_t)7;
	return at;
}

static inline uint64_t make_symbol(const char *text)
{
	uint64_t at = take(6 + strlen(text));

	put(at + 4, strlen(text), 2);
	memcpy(class_memory + (at + 6 - CLASS), text, strlen(text));
	return at;
}

static inline uint16_t make_entry(const char *text)
{
	uint16_t index = ++class_entries;

	cr_assert(index < POOL_LENGTH);
	put(POOL + 64 + index * 8ul, make_symbol(text), 8);
	return index;
}

/* A class without methods. Layout: nearly that of JDK 17. */
static inline void make_class(const char *name, const char *source)
{
	class_names = (struct hotspot_name_state){ .form = UNSIGNED5_WITH_ZERO };
	class_methods = (struct hotspot_methods){
		.l = method_layout_17,
	};
	class_vm = (struct hotspot){ .memory = &class_bytes.memory,
				     .seen = &class_bytes.memory,
				     .release = 17,
				     .methods = &class_methods,
				     .names = &class_names };
	memset(class_memory, 0, sizeof(class_memory));
	memory_bytes_init(&class_bytes, class_memory, CLASS, sizeof(class_memory));
	class_heap = CLASS_HEAP;
	class_entries = 0;
	put(CLASS + 24, make_symbol(name), 8);
	put(CLASS + 32, METHODS, 8);
	put(POOL + 16, 0xcace, 8);
	put(POOL + 24, CLASS, 8);
	put(POOL + 60, POOL_LENGTH, 4);
	put(POOL + 54, source ? make_entry(source) : 0, 2);
}

/* Returns the Method. Its bytecodes are 0 to code_size - 1, then comes its line table. */
static inline uint64_t make_method(const char *name, const char *signature, unsigned access,
				   unsigned code_size, const char *lines, size_t lines_len)
{
	uint64_t constant = take(48 + code_size + lines_len + 8), method = take(88);
	uint32_t count;

	put(method + 8, constant, 8);
	put(method + 40, access, 4);
	put(constant + 8, POOL, 8);
	put(constant + 24, (48 + code_size + lines_len + 7) / 8, 4);
	put(constant + 28, lines_len > 0, 2);
	put(constant + 32, code_size, 2);
	put(constant + 34, make_entry(name), 2);
	put(constant + 36, make_entry(signature), 2);
	for (size_t i = 0; i < lines_len; i++)
		put(constant + 48 + code_size + i, (uint8_t)lines[i], 1);
	memcpy(&count, class_memory + (METHODS - CLASS), sizeof(count));
	put(METHODS + 8 + count * 8ul, method, 8);
	put(METHODS, count + 1, 4);
	return method;
}

/* The next method has the same name as the last one: they have one symbol, as in the VM. */
static inline void share_name(uint64_t method)
{
	uint64_t constant = memory_word(class_memory, method + 8 - CLASS), first;

	memcpy(&first, class_memory + (METHODS - CLASS) + 8, sizeof(first));
	memcpy(class_memory + (constant - CLASS) + 34,
	       class_memory + (memory_word(class_memory, first + 8 - CLASS) - CLASS) + 34, 2);
}

static inline void release_class(void)
{
	hotspot_methods_release(&class_methods);
}

#endif
