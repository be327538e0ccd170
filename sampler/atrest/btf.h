/*
 * The kernel's own types, as it describes them in /sys/kernel/btf/vmlinux
 * (Documentation/bpf/btf.rst).
 */
#ifndef SAMPLER_ATREST_BTF_H
#define SAMPLER_ATREST_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct btf_wanted {
	const char *function; /* NULL: a structure's member: */
	const char *structure, *member;
	bool optional;
	bool found;
	uint32_t value; /* the type number of the function, or the member's offset in bytes */
};

/* Finds all of them, in one pass. ERR_FORMAT: the bytes are no BTF, or one is not there. */
int btf_find(const void *bytes, size_t len, struct btf_wanted *wanted, size_t count,
	     struct error *err);

#endif
