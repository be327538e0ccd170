/*
 * Where Ruby's releases have their fields: vm_core.h, thread_pthread.h, iseq.h, internal/class.h
 * and the headers in include/ruby, compiled.
 *
 * In all releases up to 4.0.6 no field of this table has moved between patch levels. What did move
 * (the tail of struct rb_ractor_struct in 4.0.6), or depends on libc's types, is found from the
 * live lists (threads.c).
 */
#include "runtimes/ruby/layout.h"

#include <stddef.h>

static const struct ruby_layout layouts[] = {
	/* clang-format off */
	/*  frame ec_thread thread_ec native pthread tid  insns parent entry shift embed class variables bit qualified */
	{ 300, 56,  56,       40,       0,    80,      0,  120,  168,    8,   1,   16, 0, 0, 0, true, 12, false },
	{ 301, 64,  48,       40,       0,    80,      0,  120,  168,   12,   1,   16, 0, 0, 0, true, 12, false },
	{ 302, 64,  48,       48,      40,     8,      0,  112,  160,   12,   0,   24, 0, 0, 0, false, 12, false },
	{ 303, 56,  48,       48,      40,    16,     24,  112,  160,   12,   0,   24, 128, 149, 152, false, 12, false },
	{ 304, 56,  48,       48,      40,    16,     24,  112,  160,   12,   0,   24, 128, 149, 152, false, 13, true },
	{ 400, 56,  48,       48,      40,    16,     24,  112,  168,   12,   0,   24, 136, 149, 152, false, 13, true },
	/* clang-format on */
};

const struct ruby_layout *ruby_layout_of(unsigned major, unsigned minor)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].release == major * 100 + minor)
			return &layouts[i];
	return NULL;
}
