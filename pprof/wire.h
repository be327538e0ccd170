/* Protobuf's wire format, read: one field after the other on a cursor. */
#ifndef PPROF_WIRE_H
#define PPROF_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"
#include "pprof/fields.h"

struct wire_field {
	size_t at; /* offset of its tag, from the file's start */
	uint32_t number;
	enum wire_type type;
	uint64_t value;	     /* of a number */
	struct cursor bytes; /* of WIRE_BYTES; offsets count from the file's start */
};

/* The next field of a message. False at its end or when it is broken. */
bool wire_next(struct cursor *message, struct wire_field *field);

#endif
