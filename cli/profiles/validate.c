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

static int validate(const char *path, uint64_t max_size, bool quiet, struct error *err)
{
	struct profile p;
	int rc = readprofile(&p, path, max_size, err);

	if (rc)
		return rc;
	rc = profile_validate_text(&p, err);
	if (rc)
		error_prefix(err, "'%s'", path);
	if (!rc && !quiet)
		print_good(&p, path);
	profile_release(&p);
	return rc;
}

/* The status is EXIT_FAILED if a file is bad or the standard output cannot be written. */
static int validate_all(char **paths, uint64_t max_size, bool quiet)
{
	int status = EXIT_DONE;
	struct error err;

	for (; *paths; paths++)
		if (validate(*paths, max_size, quiet, &err)) {
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

int cli_validate(int argc, char **argv)
{
	uint64_t max_size = 0;
	bool quiet = false;
	struct error err;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":qh", long_options, NULL)) != -1) {
		if (cli_is_bad(option))
			return cli_bad_option(argv, option);
		if (option == 'h')
			return cli_help_on("validate");
		if (option == 'q')
			quiet = true;
		if (option == READPROFILE_MAX_SIZE && parse_size(optarg, &max_size, &err))
			return cli_fail(&err);
	}
	if (optind == argc)
		return cli_usage("validate needs a file");
	return validate_all(argv + optind, max_size, quiet);
}
