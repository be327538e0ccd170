/*
 * Reads messages by tables: the part of the decoder that does not depend on the message. Tables of
 * rules in decode.c, one for each message of profile.proto, say where each field is stored.
 * read_message reads all messages by these tables, so every field is checked in the same way: its
 * wire type, the index of its string, the id that it names. A field that no table lists is skipped,
 * as protobuf requires.
 *
 * If a field with a single value occurs several times, the last one counts, and a bad one before
 * it is not an error. So a bad reference is only noted as a doubt, and reported at the end of the
 * message if it is still the field's value.
 */
#ifndef PPROF_WIRE_DECODER_H
#define PPROF_WIRE_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "pprof/wire/ids.h"

struct error;
struct profile;
struct wire_field;

/* No message has a field above 15; tables are indexed by the field's number. */
enum { RULES = 16 };

struct decoder {
	struct profile *p;
	struct error *err;
	struct cursor file; /* the whole file; stays at its start */
	size_t max_memory;  /* bound for p's tables, bytes */
	struct stretch {
		size_t from, to; /* file offsets: start of the first field, end of the last one */
		size_t count;	 /* of fields with this number */
	} fields[RULES];
	uint32_t *strings; /* index in the file's string table -> number in p->strings */
	size_t string_count;
	struct ids mappings, functions, locations;
	/* By field: the last index or id that names no string or function, and its offset. */
	struct doubt {
		uint64_t value;
		size_t at;
	} doubts[RULES];
	bool doubtful;
};

enum kind {
	SKIPPED,
	NUMBER,	  /* to a uint64_t or int64_t */
	FLAG,	  /* to a bool */
	STRING,	  /* an index; the string's number to a uint32_t */
	MAPPING,  /* an id; the mapping's number to a uint32_t, 0 if there is none */
	FUNCTION, /* an id, which must exist; the function's number to a uint32_t */
	NUMBERS,  /* repeated, packed or not */
	MESSAGE,
};

struct rule {
	const char *name;
	enum kind kind;
	size_t offset; /* of the member that takes a single value */
	int (*number)(struct decoder *d, const struct wire_field *f, uint64_t value);
	int (*packed)(struct decoder *d, const struct wire_field *f); /* NULL: `number` for each */
	int (*message)(struct decoder *d, const struct wire_field *f);
};

#define AT(type, member) .offset = offsetof(struct type, member)

/* Reads a message, or one field of a message, into the struct at `into`, whose members the
 * rules name. Returns 0 or an error with its message in d->err, as all functions below do. */
int read_message(struct decoder *d, const struct wire_field *message,
		 const struct rule rules[RULES], void *into);
int read_field(struct decoder *d, const struct rule *rule, const struct wire_field *f, void *into);

/* Reports doubts that are left: ERR_FORMAT if a member of `into` refers to a string or function
 * that does not exist. read_message calls it; callers of read_field call it after the last field,
 * for each struct that they have read into. */
int settle(struct decoder *d, const struct rule rules[RULES], const void *into);

/* ERR_FORMAT with "profile: 'FIELD' WHY at offset N". */
int decoder_fail(struct decoder *d, const struct wire_field *f, const char *field, const char *why);

/* The number of the string with that index in the file, in *number; ERR_FORMAT if none has it. */
int find_string(struct decoder *d, const struct wire_field *f, const char *field, uint64_t index,
		uint32_t *number);

/* ERR_FORMAT: the field at offset `at` names an id that does not exist. */
int no_such_id(struct decoder *d, size_t at, const char *field, uint64_t id);

#endif
