/*
 * /proc/kallsyms: where the kernel's functions are. Lines "ADDRESS TYPE NAME" and, of a
 * loadable module, "<tab>[MODULE]" (s_show() in kernel/kallsyms.c). To whom the kernel
 * does not tell addresses (kernel.kptr_restrict in proc(5)) all are 0.
 */
#ifndef SYMBOLIZE_KALLSYMS_H
#define SYMBOLIZE_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct kallsyms {
	struct buffer text;
	struct kallsym *all; /* functions, by name */
	size_t count, room;
	uint64_t start, end; /* of all of them; end exclusive */
};

/* Takes the text over, whatever happens; {0} is an empty table. Broken lines are left
 * out. ERR_NOMEM. */
int kallsyms_parse(struct kallsyms *k, struct buffer *text);

/* Reads the text from a descriptor of /proc/kallsyms. What is told depends on who has
 * opened it. ERR_IO, ERR_LIMIT, ERR_NOMEM. */
int kallsyms_read(struct kallsyms *k, int fd);
void kallsyms_release(struct kallsyms *k);

/* The address of a function of that name and size; `module` is "" for the kernel
 * itself. Functions of the same name are told apart by their size, which is known from
 * where the next one begins. 0 when none fits, or several do. */
uint64_t kallsyms_find(const struct kallsyms *k, const char *name, size_t name_len,
		       const char *module, size_t module_len, uint64_t size);

#endif
