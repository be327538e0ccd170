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

#define GO_NO_FIELD UINT32_MAX

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

struct gotypes_want {
	size_t to;	    /* where in `into` the offset goes, a uint32_t */
	const char *name;
	const char *within; /* NULL, or a field of the struct that this field is */
	bool optional;	    /* GO_NO_FIELD where there is none */
};

/* Several fields of one type. NULL, or the name of the first that there is not. */
const char *gotypes_fields(const struct gotypes *t, uint64_t address,
			   const struct gotypes_want *wants, size_t count, void *into);

/* Learns from runtime.g how offsets are written. False: that is no g of any release. */
bool gotypes_learn_shift(struct gotypes *t, uint64_t g);

/* How many bytes a value of the type has whose descriptor stands there; 0 when there is none. */
uint32_t gotypes_size(const struct gotypes *t, uint64_t address);

#endif
