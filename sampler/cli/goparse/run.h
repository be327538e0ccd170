/* The work of `sampler goparse`, after its options were read. */
#ifndef SAMPLER_CLI_GOPARSE_RUN_H
#define SAMPLER_CLI_GOPARSE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/cli/common/formats.h"
#include "sampler/cli/common/httpoptions.h"

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
