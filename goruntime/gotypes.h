/*
 * Go's run-time type descriptors: at which offset a struct has a field.
 *
 * They are part of every Go program, stripped or not, because the allocator and the
 * collector need them; so the layout of the runtime's own types is read from the very
 * program instead of a list of releases. Sources: runtime/type.go, internal/abi/type.go,
 * Go 1.16 to 1.27.
 */
#ifndef GORUNTIME_GOTYPES_H
#define GORUNTIME_GOTYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gomodule;
struct memory;

struct gotypes {
	const struct memory *memory; /* of the process; not owned */
	uint8_t *bytes;		     /* a copy of all descriptors; owned */
	uint64_t start;		     /* where they are in the process */
	size_t len;
	bool old_names;	  /* 1.16: a name's length takes two bytes */
	unsigned shift;	  /* up to 1.18 the lowest bit of an offset is a flag */
};

/* Copies the descriptors of a module that is mapped with this bias. ERR_NOTFOUND when it
 * has none, ERR_LIMIT for too many, ERR_IO when they cannot be read, ERR_NOMEM. */
int gotypes_load(struct gotypes *t, const struct gomodule *m, uint64_t bias,
		 const struct memory *memory);
void gotypes_release(struct gotypes *t);

/* The descriptor of a struct type by its name ("runtime.g"): its address in the process,
 * 0 when there is none. */
uint64_t gotypes_struct(struct gotypes *t, const char *name);

/* A field of the struct type at an address: its offset in bytes, and the address of its
 * type's descriptor where `type` is not NULL. False when there is no such field. */
bool gotypes_field(const struct gotypes *t, uint64_t address, const char *field, uint32_t *offset,
		   uint64_t *type);

/* How many bytes a value of the type has whose descriptor stands there; 0 when there is none. */
uint32_t gotypes_size(const struct gotypes *t, uint64_t address);

#endif
