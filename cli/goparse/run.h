/* The work of `sampler goparse`, after its options were read. */
#ifndef CLI_GOPARSE_RUN_H
#define CLI_GOPARSE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/common/formats.h"
#include "cli/common/httpoptions.h"

struct error;

struct goparse_options {
	char **files; /* paths, URLs, "-"; owned */
	char **names; /* the same, of URLs without secrets: for messages and labels */
	int count;
	struct format_target out; /* path NULL: the summary, or JSON on the standard output */
	bool json, diff, aggregate, ancestors, verbose;
	bool timed; /* --time */
	int64_t time_nanos;
	struct httpoptions http;
};

/* Returns an exit status. Errors have been printed. */
int goparse_run(const struct goparse_options *o);

#endif
