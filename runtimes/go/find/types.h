/*
 * Go's run-time type descriptors: the offsets of a struct's fields.
 *
 * Every Go program has them, stripped or not, because the allocator and the collector need them. So
 * the layout of the runtime's own types is read from the program itself instead of a list of
 * releases. Sources: runtime/type.go, internal/abi/type.go, Go 1.16 to 1.27.
 */
#ifndef RUNTIMES_GO_FIND_TYPES_H
#define RUNTIMES_GO_FIND_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gomodule;
struct memory;

#define GO_NO_FIELD UINT32_MAX

struct gotypes {
	const struct memory *memory; /* of the process; not owned */
	uint8_t *bytes;		     /* a copy of all descriptors; owned */
	uint64_t start;		     /* their address in the process */
	size_t len;
	bool old_names; /* 1.16: a name's length takes two bytes */
	unsigned shift; /* 1 up to 1.18, where the lowest bit of an offset is a flag; else 0 */
};

/* Copies the descriptors of a module that is mapped with this bias. ERR_NOTFOUND: it has none;
 * ERR_LIMIT: too many; ERR_IO: they cannot be read; ERR_NOMEM. */
int gotypes_load(struct gotypes *t, const struct gomodule *m, uint64_t bias,
		 const struct memory *memory);
void gotypes_release(struct gotypes *t);

/* The address in the process of the descriptor of a struct type, by its name ("runtime.g"); 0:
 * there is none. */
uint64_t gotypes_struct(struct gotypes *t, const char *name);

/* Finds a field of the struct type described at `address`: its offset in bytes and, unless `type`
 * is NULL, the address of the descriptor of its type. False: the field does not exist. */
bool gotypes_field(const struct gotypes *t, uint64_t address, const char *field, uint32_t *offset,
		   uint64_t *type);

struct gotypes_want {
	size_t to; /* offset in `into` of the uint32_t that receives the field's offset */
	const char *name;
	const char *within; /* NULL, or a field of the struct that field `name` is */
	bool optional;	    /* if it does not exist, GO_NO_FIELD is stored */
};

/* Finds several fields of one type. NULL, or the name of the first one that does not exist and is
 * not optional. */
const char *gotypes_fields(const struct gotypes *t, uint64_t address,
			   const struct gotypes_want *wants, size_t count, void *into);

/* Finds out t->shift from the descriptor of runtime.g. False: it is not the g of any known
 * release. */
bool gotypes_learn_shift(struct gotypes *t, uint64_t g);

/* Bytes of a value of the type described at `address`; 0: there is none. */
uint32_t gotypes_size(const struct gotypes *t, uint64_t address);

#endif
