/*
 * A folder of batches in the place of a profile: --type and a range choose the batches that are
 * added up to it (parts.h).
 *
 * A command puts FOLDER_OPTIONS into its table of long options and "t:" among its short ones,
 * passes each option to folder_option, and reads each of its arguments with folder_read.
 */
#ifndef CLI_ROUNDS_FOLDER_H
#define CLI_ROUNDS_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/rounds/range.h"

struct error;
struct profile;

#define FOLDER_OPTIONS \
	RANGE_OPTIONS, \
	{ \
		"type", required_argument, NULL, 't' \
	}

struct folder_options {
	struct range_options range;
	const char *type; /* NULL: cpu */
};

/* As range_option, and 't'. */
int folder_option(struct folder_options *o, int option, char *value, struct error *err);

bool folder_is(const char *path);

/* Are there options of folders, and no folder among the arguments? Sets ERR_USAGE. */
int folder_check(const struct folder_options *o, char **paths, int count, struct error *err);

/* Reads the profile in the file at `path` as readprofile, or that of the folder and the range,
 * moved back by `back_ns`. Of a folder it says on the standard error which batches they are, and
 * what could not be counted. Errors of readprofile, catalog_open, range_make and parts_choose. */
int folder_read(struct profile *p, const char *path, const struct folder_options *o,
		uint64_t back_ns, uint64_t max_size, struct error *err);

#endif
