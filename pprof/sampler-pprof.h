/*
 * libsampler-pprof: profiles in the format of profile.proto (github.com/google/pprof),
 * read, made, merged and written. Link as `pkg-config --static --libs sampler-pprof` says.
 *
 * Functions that can fail return 0 or a negative enum pprof_error; pprof_message says in
 * a line what was wrong, and the profile has the samples that it had. What comes from
 * outside may be anything: it is checked, by the rules of google/pprof's CheckValid too,
 * before it becomes a profile, so a profile that is at hand is always a valid one.
 *
 * Strings are UTF-8 as a rule, but nobody has checked that; those passed in are copied,
 * and NULL counts as "". What is returned belongs to the profile and stays until that is
 * read or merged anew, or freed. Two threads may work on two profiles, not on one.
 */
#ifndef SAMPLER_PPROF_H
#define SAMPLER_PPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pprof_error {
	PPROF_NOMEM = -1,  /* out of memory */
	PPROF_IO = -2,	   /* the system refused; the message says which file, and why */
	PPROF_FORMAT = -3, /* the bytes are no valid profile; the message says where */
	PPROF_USAGE = -4,  /* what was asked for cannot be */
	PPROF_PERM = -5,   /* not permitted */
	PPROF_LIMIT = -7,  /* larger than the caller allows, or we do */
};

/* A part of the address space: where a program or library was mapped. */
struct pprof_mapping {
	uint64_t start, limit;	    /* addresses; limit is the first one behind it */
	uint64_t offset;	    /* of start in the file, in bytes */
	const char *file, *build_id;
	/* Have all its frames these already? If not, viewers try to find them. */
	bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
};

struct pprof_frame {
	const char *function;	 /* NULL: nothing but the address is known */
	const char *system_name; /* as in the symbol table, e.g. _ZN1a1bEv */
	const char *file;
	int64_t start_line, line, column; /* from 1; 0 where unknown */
	bool inlined;		 /* into the next frame, whose address and mapping count */
	bool folded;		 /* several functions may have this address (is_folded) */
	uint64_t address;
	const struct pprof_mapping *mapping; /* NULL: none */
};

struct pprof_label {
	const char *key;
	const char *text; /* NULL or "": a number */
	int64_t number;
	const char *unit; /* of the number */
};

struct pprof_sample {
	const int64_t *values;		  /* one for each sample type, in its unit */
	const struct pprof_frame *frames; /* innermost first */
	size_t frame_count;
	const struct pprof_label *labels;
	size_t label_count;
};

struct pprof_header {
	int64_t time_nanos, duration_nanos; /* the time is since 1970, UTC; 0: unknown */
	int64_t period;			    /* from one event sampled to the next, in ... */
	const char *period_type, *period_unit;
	const char *default_type; /* the sample type to show first; "": the last */
	const char *drop_frames, *keep_frames; /* regular expressions for viewers */
	const char *doc_url;
};

struct pprof; /* a profile */

/* A profile with nothing in it, to be freed by pprof_free. NULL: out of memory. */
struct pprof *pprof_new(void);
void pprof_free(struct pprof *p); /* NULL is as good */

/* What went wrong when a function last failed on this profile; "" before that. */
const char *pprof_message(const struct pprof *p);

/* Replaces what is in p by a file's contents, or by `len` bytes: gzip'd or not, or one of
 * the formats before profile.proto. At most max_size bytes, uncompressed (0: 1 GiB). "-"
 * is the standard input. */
int pprof_read(struct pprof *p, const char *path, size_t max_size);
int pprof_parse(struct pprof *p, const void *data, size_t len, size_t max_size);

/* Writes it gzip'd; a file is there whole or not at all. "-" is the standard output. */
int pprof_write(struct pprof *p, const char *path);

/* The same into memory, gzip'd or not, which the caller gives back by free(). */
int pprof_encode(struct pprof *p, bool gzip, void **data, size_t *len);

/* Adds the samples of `count` other profiles to p's, as google/pprof's Merge does: equal
 * ones become one; those of nothing but zeros, and what none refers to, are left out. A p
 * without sample types counts for nothing. PPROF_FORMAT: sample types differ. */
int pprof_merge(struct pprof *p, struct pprof *const *others, size_t count);

/* The header; pprof_set_header sets all of it. */
void pprof_header(const struct pprof *p, struct pprof_header *header);
int pprof_set_header(struct pprof *p, const struct pprof_header *header);

/* Comments, counted from 0; NULL when there are no more. */
const char *pprof_comment(const struct pprof *p, size_t index);
int pprof_add_comment(struct pprof *p, const char *text);

/* Sample types, counted from 0; NULL when there are no more. `unit` may be NULL. None can
 * be added behind a sample: PPROF_USAGE. */
const char *pprof_type(const struct pprof *p, size_t index, const char **unit);
int pprof_add_type(struct pprof *p, const char *type, const char *unit);

/* How many samples there are, and each, counted from 0; what `sample` points to stays
 * until the next is asked for. PPROF_USAGE: there are not so many; PPROF_LIMIT: it has more than
 * a million frames and inlined calls. */
size_t pprof_samples(const struct pprof *p);
int pprof_sample(struct pprof *p, size_t index, struct pprof_sample *sample);

/* Adds a sample, which may be p's own or another profile's. Equal ones are not put together.
 * PPROF_USAGE: p has no sample types, or a frame is inlined into nothing. */
int pprof_add_sample(struct pprof *p, const struct pprof_sample *sample);

#ifdef __cplusplus
}
#endif

#endif
