/*
 * libsampler-pprof reads, makes, merges and writes profiles in the format of profile.proto
 * (github.com/google/pprof). Link with `pkg-config --static --libs sampler-pprof`.
 *
 * Errors: functions that return int return 0 or a negative enum pprof_error. After an error
 * pprof_message describes it in one line, and the profile still has the samples it had before.
 * PPROF_NOMEM is possible wherever memory is needed and is not listed for each function.
 *
 * Input may be hostile. Before it becomes a profile, it is checked, also by the rules of
 * google/pprof's CheckValid. So a struct pprof always holds a valid profile.
 *
 * Strings are normally UTF-8, but this is not checked. A string passed in is copied; NULL counts
 * as "". A string or pointer that is returned belongs to the profile, unless its function says
 * otherwise: it is valid until pprof_read, pprof_parse or pprof_merge succeeds on that profile,
 * or until pprof_free.
 *
 * Threads may use different profiles at the same time, but not the same one.
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
	PPROF_IO = -2,	   /* a system call failed; the message names the file and the cause */
	PPROF_FORMAT = -3, /* not a valid profile (the message says where), or not mergeable */
	PPROF_USAGE = -4,  /* a wrong call: no such sample, a type after samples, ... */
	PPROF_PERM = -5,   /* pprof_write: a symbolic link on the path is not followed */
	PPROF_LIMIT = -7,  /* larger than max_size, or than a limit of this library */
};

/* A range of the process's addresses that a program or library was mapped to. */
struct pprof_mapping {
	uint64_t start, limit; /* addresses; limit is exclusive */
	uint64_t offset;       /* of `start` in the file, in bytes */
	const char *file, *build_id;
	/* True when all frames of the mapping have this already. If not, viewers look it up. */
	bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
};

struct pprof_frame {
	const char *function;	 /* NULL: only the address is known */
	const char *system_name; /* as in the symbol table, e.g. _ZN1a1bEv */
	const char *file;
	int64_t start_line, line, column; /* from 1; 0: unknown. start_line is the function's */
	bool inlined; /* into the next frame, whose address, mapping and folded are used */
	bool folded;  /* several functions may have this address (is_folded) */
	uint64_t address;
	const struct pprof_mapping *mapping; /* NULL: none */
};

struct pprof_label {
	const char *key;
	const char *text; /* NULL or "": the label is a number */
	int64_t number;
	const char *unit; /* of the number; "": none */
};

struct pprof_sample {
	const int64_t *values;		  /* one for each sample type, in that type's unit */
	const struct pprof_frame *frames; /* innermost first */
	size_t frame_count;
	const struct pprof_label *labels;
	size_t label_count;
};

struct pprof_header {
	int64_t time_nanos, duration_nanos; /* the time is since 1970, UTC; 0: unknown */
	int64_t period;			    /* between two sampled events, in period_unit */
	const char *period_type, *period_unit;
	const char *default_type; /* the sample type that viewers show first; "": the last one */
	const char *drop_frames, *keep_frames; /* regular expressions for viewers */
	const char *doc_url;
};

struct pprof; /* a profile */

/* Returns an empty profile, which the caller frees with pprof_free. NULL: out of memory. */
struct pprof *pprof_new(void);
void pprof_free(struct pprof *p); /* NULL is allowed */

/* Describes the last error of a function called with `p` as its first argument; "" if none has
 * failed. Valid until the next error or pprof_free. */
const char *pprof_message(const struct pprof *p);

/* Replaces the contents of `p` by the profile in the file `path` ("-": the standard input) or in
 * `len` bytes at `data`, which are not kept. The input may be compressed with gzip, or with zstd
 * if the library was built with libzstd. It may be a text of Go's debug=1.
 * After an error `p` has its old contents. PPROF_IO; PPROF_FORMAT; PPROF_LIMIT:
 * more than max_size bytes (0: 1 GiB), compressed or uncompressed; decoded tables of more than
 * 4 * max_size bytes or 256 MiB, whichever is larger; or another bound that the message names. */
int pprof_read(struct pprof *p, const char *path, size_t max_size);
int pprof_parse(struct pprof *p, const void *data, size_t len, size_t max_size);

/* Writes the profile, gzip'd, to the file `path` ("-": the standard output). A new file appears
 * under its name only when it is complete; until then an old one stays. PPROF_IO; PPROF_PERM:
 * `path` leads through a symbolic link that another user put into a world-writable folder. */
int pprof_write(struct pprof *p, const char *path);

/* Encodes the profile to memory, compressed if `gzip`. *data has *len bytes and belongs to the
 * caller, who releases it with free(). After an error *data and *len are unchanged. */
int pprof_encode(struct pprof *p, bool gzip, void **data, size_t *len);

/* Replaces `p` by the merge of `p` and `count` other profiles, which are only read. As in
 * google/pprof's Merge, equal samples become one whose values are the sums; samples whose values
 * are all 0 are left out, and so is whatever no sample refers to, except for the first mapping. A
 * `p` without sample types takes no part. After an error `p` is unchanged. PPROF_FORMAT: the
 * sample types or the period types differ. */
int pprof_merge(struct pprof *p, struct pprof *const *others, size_t count);

/* pprof_header fills *header; its strings belong to the profile. pprof_set_header replaces all
 * fields of the profile's header, also those that are 0 or NULL in *header. */
void pprof_header(const struct pprof *p, struct pprof_header *header);
int pprof_set_header(struct pprof *p, const struct pprof_header *header);

/* The comment with this index, from 0; NULL beyond the last one. */
const char *pprof_comment(const struct pprof *p, size_t index);
int pprof_add_comment(struct pprof *p, const char *text);

/* The name of the sample type with this index, from 0, and its unit in *unit; NULL beyond the
 * last one. `unit` may be NULL. */
const char *pprof_type(const struct pprof *p, size_t index, const char **unit);

/* Adds a sample type behind the others. PPROF_USAGE: the profile has samples already. */
int pprof_add_type(struct pprof *p, const char *type, const char *unit);

/* The number of samples. */
size_t pprof_samples(const struct pprof *p);

/* Fills *sample with the sample of this index, from 0. Its arrays, and the mappings that its frames
 * point to, belong to the profile; the next pprof_sample on `p` overwrites them. Its strings live
 * until pprof_free. PPROF_USAGE: no such sample; PPROF_LIMIT: more than a million frames, counting
 * inlined calls. */
int pprof_sample(struct pprof *p, size_t index, struct pprof_sample *sample);

/* Adds a copy of *sample, which may come from pprof_sample on `p` or on another profile, and
 * which has one value for each sample type of `p`. Equal samples are not merged. PPROF_USAGE:
 * `p` has no sample types, or an inlined frame has no function or no caller with a function. */
int pprof_add_sample(struct pprof *p, const struct pprof_sample *sample);

#ifdef __cplusplus
}
#endif

#endif
