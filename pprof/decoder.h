/*
 * The parts of the decoder that know no message: which field is kept where stands in
 * tables of rules, one for each message of profile.proto (decode.c), and read_message
 * reads them all, so every field is held to the same rules: its wire type, its string's
 * index, the id that it names. What no table lists is skipped, as protobuf wants it.
 *
 * Of a single value that is there several times the last counts, and a bad one before it
 * is no offence. So what a field refers to may stay in doubt until its message ends.
 */
#ifndef PPROF_DECODER_H
#define PPROF_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "pprof/ids.h"

struct error;
struct profile;
struct wire_field;

/* No message has a field above 15; tables are indexed by the field's number. */
enum { RULES = 16 };

struct decoder {
	struct profile *p;
	struct error *err;
	struct cursor file; /* at its start */
	size_t max_memory;  /* bytes of p's tables */
	struct stretch {
		size_t from, to; /* offsets in the file */
		size_t count;	 /* fields */
	} fields[RULES];
	uint32_t *strings; /* place in the file's table -> number in the set */
	size_t string_count;
	struct ids mappings, functions, locations;
	/* What a STRING or FUNCTION last named that is not there, and where. */
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
	STRING,	  /* an index; its number goes to a uint32_t */
	MAPPING,  /* an id, of none too; its number, or 0, goes to a uint32_t */
	FUNCTION, /* an id, never of none; the same */
	NUMBERS,  /* repeated, packed or not */
	MESSAGE,
};

struct rule {
	const char *name;
	enum kind kind;
	size_t offset; /* of the member that takes a single value */
	int (*number)(struct decoder *d, const struct wire_field *f, uint64_t value);
	int (*packed)(struct decoder *d, const struct wire_field *f); /* NULL: one by one */
	int (*message)(struct decoder *d, const struct wire_field *f);
};

#define AT(type, member) .offset = offsetof(struct type, member)

/* Reads a message, or one field of one, into a struct with the members that the rules
 * tell. 0, or an error with its message in d->err, as all below. */
int read_message(struct decoder *d, const struct wire_field *message,
		 const struct rule rules[RULES], void *into);
int read_field(struct decoder *d, const struct rule *rule, const struct wire_field *f, void *into);

/* To be called at the end of what was not read by read_message, for each struct that it
 * was read into: is anything named in the end that is not there? */
int settle(struct decoder *d, const struct rule rules[RULES], const void *into);

int decoder_nomem(struct decoder *d);

/* "profile: 'FIELD' WHY at offset N" */
int decoder_fail(struct decoder *d, const struct wire_field *f, const char *field,
		 const char *why);

/* The number of the string with that index in the file. */
int find_string(struct decoder *d, const struct wire_field *f, const char *field, uint64_t index,
		uint32_t *number);

/* Says that an id, or a string's index, is of nothing that is there. */
int no_such_id(struct decoder *d, size_t at, const char *field, uint64_t id);

#endif
