/*
 * Which methods a compiled method's code is of: at each place where the VM may look, a PcDesc tells
 * where the scopes are, that is the method and bytecode there, and those that it was inlined into
 * (pcDesc.hpp, scopeDesc.cpp).
 *
 * Which PcDesc is an address's: pcdesc_find (blobs.h).
 */
#ifndef RUNTIMES_HOTSPOT_VM_SCOPES_H
#define RUNTIMES_HOTSPOT_VM_SCOPES_H

#include <stddef.h>
#include <stdint.h>

#include "runtimes/hotspot/vm/unsigned5.h"

struct memory;

/* Addresses in the process: from begin, up to but not including end. */
struct scopes_range {
	uint64_t begin, end;
};

struct scope {
	uint32_t method; /* which of the metadata, from 1 */
	int32_t bci;	 /* -1: before the first bytecode */
};

/* Reads the scopes at an offset of the scopes' data, innermost first. *count: 0: there are none.
 * ERR_FORMAT: they break the form, or are more than `max`. ERR_IO. */
int scopes_read(const struct memory *memory, const struct scopes_range *data,
		enum unsigned5_form form, int32_t offset, struct scope *scopes, size_t max,
		size_t *count);

#endif
