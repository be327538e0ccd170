/*
 * /proc/kallsyms: the addresses of the kernel's functions. Lines are "ADDRESS TYPE NAME" and, for a
 * loadable module, "<tab>[MODULE]" behind it (s_show() in kernel/kallsyms.c). A process without
 * permission to see addresses (kernel.kptr_restrict in proc(5)) reads 0 for all of them.
 */
#ifndef SYMBOLIZE_KALLSYMS_H
#define SYMBOLIZE_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct kallsyms {
	struct buffer text;
	struct kallsym *all; /* functions, sorted by name */
	size_t count, room;
	uint64_t start, end; /* range of all functions' addresses; end exclusive */
	uint32_t *order;     /* of `all`, by address; NULL: not needed yet */
};

/* Takes over the text in any case; {0} is an empty table. Omits broken lines. ERR_NOMEM. */
int kallsyms_parse(struct kallsyms *k, struct buffer *text);

/* Reads the text from a descriptor of /proc/kallsyms. Its content depends on the permissions of the
 * process that opened it. ERR_IO, ERR_LIMIT, ERR_NOMEM. */
int kallsyms_read(struct kallsyms *k, int fd);
void kallsyms_release(struct kallsyms *k);

/* The address of a function of that name and size; `module` is "" for the kernel itself. Functions
 * of the same name are told apart by their size, which is the distance to the next function. 0 when
 * none fits, or several do. */
uint64_t kallsyms_find(const struct kallsyms *k, const char *name, size_t name_len,
		       const char *module, size_t module_len, uint64_t size);

/* The function that holds an address: its name, not NUL-terminated, borrowed until
 * kallsyms_release; NULL: none does, or there is no memory. */
const char *kallsyms_at(struct kallsyms *k, uint64_t addr, size_t *len);

#endif
