/*
 * Where the fields of Java's objects are, as the VM laid them out when it loaded the class: by the
 * class's own records (fieldInfo.hpp; from JDK 21 on a stream of UNSIGNED5), and the VM's flags.
 */
#ifndef RUNTIMES_HOTSPOT_VM_FIELDS_H
#define RUNTIMES_HOTSPOT_VM_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hotspot;

struct hotspot_field_layout {
	int32_t array, count; /* InstanceKlass: up to JDK 20, */
	int32_t stream;	      /* from 21 on */
	int32_t constants;
	uint64_t flags, flag_count; /* JVMFlag::flags, numFlags: addresses of the variables */
	int32_t flag_name, flag_addr, flag_bytes;
};

int hotspot_fields_init(const struct hotspot *hs, struct hotspot_field_layout *l);

/* The offset in an object of a class's own field; its name has the form of a class file, and so has
 * its type. -1: it has none, or its records cannot be read. */
int32_t hotspot_field_find(const struct hotspot *hs, const struct hotspot_field_layout *l,
			   uint64_t klass, const char *name, const char *type);

/* Reads flags, which are bool. value[i] is false for a flag that this VM has not. ERR_FORMAT,
 * ERR_NOMEM. */
int hotspot_flags_read(const struct hotspot *hs, const struct hotspot_field_layout *l,
		       const char *const *names, bool *values, size_t count);

#endif
