/* sampler validate FILE…: checks that other tools can read these profiles. Prints a line for each;
 * after a bad one the others are still checked. */
#include <getopt.h>
#include <stdio.h>

#include "base/error.h"
#include "base/printable.h"
#include "pprof/profile.h"
#include "pprof/validate.h"
#include "cli/common/cli.h"
#include "cli/common/readprofile.h"

static const struct option long_options[] = {
	{ "quiet", no_argument, NULL, 'q' },
	READPROFILE_OPTION,
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

struct validate_options {
	uint64_t max_size; /* 0: the default */
	bool quiet;
};

static void print_good(const struct profile *p, const char *path)
{
	char name[4096];

	snprintf(name, sizeof(name), "%s", path);
	printable(name, sizeof(name));
	printf("%s: ok: %zu sample%s, %zu sample type%s, "
	       "%zu location%s, %zu function%s, %zu mapping%s\n",
	       name, p->sample_count, cli_plural(p->sample_count), p->type_count,
	       cli_plural(p->type_count), p->location_count, cli_plural(p->location_count),
	       p->function_count, cli_plural(p->function_count), p->mapping_count,
	       cli_plural(p->mapping_count));
}

static int validate(const char *path, const struct validate_options *o, struct error *err)
{
	struct profile p;
	int rc = readprofile(&p, path, o->max_size, err);

	if (rc)
		return rc;
	rc = profile_validate_text(&p, err);
	if (rc)
		error_prefix(err, "'%s'", path);
	if (!rc && !o->quiet)
		print_good(&p, path);
	profile_release(&p);
	return rc;
}

/* The status is EXIT_FAILED if a file is bad or the standard output cannot be written. */
static int validate_all(char **paths, const struct validate_options *o)
{
	int status = EXIT_DONE;
	struct error err;

	for (; *paths; paths++)
		if (validate(*paths, o, &err)) {
			fflush(stdout); /* so that lines come in the order of the files */
			cli_fail(&err);
			status = EXIT_FAILED;
		}
	if (fflush(stdout) || ferror(stdout)) {
		error_errno(&err, ERR_IO, "cannot write 'standard output'");
		status = cli_fail(&err);
	}
	return status;
}

static int validate_take_option(void *options, int option, char *value, struct error *err)
{
	struct validate_options *o = options;

	if (option == READPROFILE_MAX_SIZE)
		return parse_size(value, &o->max_size, err);
	o->quiet = true;
	return 0;
}

int cli_validate(int argc, char **argv)
{
	static const struct cli_grammar grammar = { "validate", ":qh", long_options,
						    validate_take_option };
	struct validate_options o = { 0 };
	int status = cli_parse(&grammar, argc, argv, &o);

	if (status != CLI_GO_ON)
		return status;
	if (optind == argc)
		return cli_usage("validate needs a file");
	return validate_all(argv + optind, &o);
}
