/*
 * Java's objects: references, strings.
 *
 * The collector moves objects and the process runs meanwhile, so a string is one only if its class
 * is String before and after it was read; what it was read from is the caller's to check again.
 *
 * References: compressed ones by base and shift; those of ZGC with generations have their colours
 * in the low bits. One whose colour is not the good one may be old, and is not followed.
 */
#ifndef RUNTIMES_HOTSPOT_VM_OOPS_H
#define RUNTIMES_HOTSPOT_VM_OOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtimes/hotspot/vm/fields.h"

struct hotspot_oop_layout {
	uint64_t oop_base, oop_shift, klass_base, klass_shift; /* addresses of variables */
	uint64_t thread_klass, string_klass;
	uint64_t z_globals; /* ZGlobalsForVMStructs::_instance_p */
	uint64_t x_globals; /* XGlobalsForVMStructs::_instance_p: 21 to 23, without generations */
	int32_t z_bad_mask, z_shift, z_address_bad_mask, x_address_bad_mask;
};

struct hotspot_oops {
	struct hotspot_oop_layout l;
	struct hotspot_field_layout fields;
	bool ready;

	bool narrow, narrow_klass, compact, coloured;
	uint64_t base, klass_base;
	uint32_t shift, klass_shift;
	uint64_t bad_mask, colour_shift; /* addresses of variables, of coloured ones */
	/* The same of ZGC without generations, where a colour is a part of the address; 0: not
	 * known. */
	bool tinted;
	uint64_t tint_mask;
	uint64_t thread, string; /* classes */
	int32_t thread_name, string_value, string_coder;
	uint32_t array_length, array_data; /* of a byte[] */
};

int hotspot_oops_init(const struct hotspot *hs, struct hotspot_oops *o);

/* Reads what does not change, once the VM has set it. False: not yet, or it is not known to us. */
bool hotspot_oops_ready(const struct hotspot *hs, struct hotspot_oops *o);

/* The address of the object to which a reference of the VM's own (8 bytes) at `slot` points. */
bool hotspot_oop_at(const struct hotspot *hs, const struct hotspot_oops *o, uint64_t slot,
		    uint64_t *oop);

/* The same whatever its colour: the object may have moved, and the caller must prove it. */
bool hotspot_oop_stale_at(const struct hotspot *hs, const struct hotspot_oops *o, uint64_t slot,
			  uint64_t *oop);

/* False: ZGC without generations, which keeps colours in addresses, says that this one may be old.
 */
bool hotspot_oop_is_good(const struct hotspot *hs, const struct hotspot_oops *o, uint64_t oop);

/* As hotspot_oop_at, of a field of an object. */
bool hotspot_oop_field(const struct hotspot *hs, const struct hotspot_oops *o, uint64_t slot,
		       uint64_t *oop);

/* The address of the class of an object. */
bool hotspot_oop_class(const struct hotspot *hs, const struct hotspot_oops *o, uint64_t oop,
		       uint64_t *klass);

/* The text of a String, in UTF-8, cut at a character. False: it is none. */
bool hotspot_oop_text(const struct hotspot *hs, const struct hotspot_oops *o, uint64_t oop,
		      char *text, size_t room);

#endif
