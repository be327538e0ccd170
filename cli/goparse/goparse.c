/*
 * sampler goparse [FILE…]: reads the text in which Go prints goroutines, and writes a summary for
 * people, a profile of how long they have waited, or JSON.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/common/cli.h"
#include "cli/common/formats.h"
#include "cli/goparse/run.h"

enum { OPTION_JSON = 256, OPTION_DIFF, OPTION_AGGREGATE, OPTION_ANCESTORS, OPTION_TIME };

static const struct option long_options[] = {
	FORMAT_OPTIONS,
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "diff", no_argument, NULL, OPTION_DIFF },
	{ "aggregate", no_argument, NULL, OPTION_AGGREGATE },
	{ "ancestors", no_argument, NULL, OPTION_ANCESTORS },
	{ "time", required_argument, NULL, OPTION_TIME },
	HTTP_OPTIONS,
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int goparse_take_option(void *options, int option, char *value, struct error *err)
{
	struct goparse_options *o = options;
	int rc;

	switch (option) {
	case 'v':
		o->verbose = true;
		return 0;
	case OPTION_JSON:
		o->json = true;
		return 0;
	case OPTION_DIFF:
		o->diff = true;
		return 0;
	case OPTION_AGGREGATE:
		o->aggregate = true;
		return 0;
	case OPTION_ANCESTORS:
		o->ancestors = true;
		return 0;
	case OPTION_TIME:
		o->timed = true;
		return parse_time(value, &o->time_nanos, err);
	default:
		rc = format_option(&o->out, option, value, err);
		return rc == OPTION_OTHER ? httpoptions_set(&o->http, option, value, err) : rc;
	}
}

static int count_if(const struct goparse_options *o, bool wanted(const char *))
{
	int count = 0;

	for (int i = 0; i < o->count; i++)
		count += wanted(o->files[i]);
	return count;
}

static bool is_standard_input(const char *path)
{
	return !strcmp(path, "-");
}

/* Do the options go together? Returns CLI_GO_ON or an exit status. */
static int goparse_check(const struct goparse_options *o)
{
	/* An option that only applies to the profile. */
	const char *profile = o->aggregate  ? "--aggregate" :
			      o->ancestors  ? "--ancestors" :
			      o->timed	    ? "--time" :
			      o->out.format ? "-f" :
					      NULL;

	if (!o->count)
		return cli_usage("goparse needs a file, a URL, or a dump on its standard input");
	if (count_if(o, is_standard_input) > 1)
		return cli_usage("only one file can be '-', the standard input");
	if (o->diff && o->count < 2)
		return cli_usage("--diff needs two dumps or more");
	if (profile && o->json)
		return cli_usage("%s and --json do not go together", profile);
	if (profile && !o->out.path)
		return cli_usage("%s is for a profile, which needs -o", profile);
	if (o->http.given && !count_if(o, http_is_url))
		return cli_usage("--%s needs a URL", o->http.given);
	return CLI_GO_ON;
}

/* Copies the files' names. `ps` shows URLs without secrets from now on. */
static int take_files(struct goparse_options *o, char **names, int count, struct error *err)
{
	int rc = 0;

	o->files = calloc((size_t)count + 1, sizeof(*o->files));
	if (!o->files)
		return error_nomem(err);
	o->names = names;
	for (; !rc && o->count < count; o->count++) {
		char **file = &o->files[o->count], *name = names[o->count];

		if (http_is_url(name))
			rc = httpoptions_url(file, name, err);
		else if (!(*file = strdup(name)))
			rc = error_nomem(err);
	}
	return rc;
}

static void goparse_release(struct goparse_options *o)
{
	for (int i = 0; o->files && i < o->count; i++)
		free(o->files[i]);
	free(o->files);
	httpoptions_release(&o->http);
}

/* Returns CLI_GO_ON or an exit status. */
static int goparse_read_options(struct goparse_options *o, int argc, char **argv)
{
	static char *standard_input[] = { (char *)"-" };
	static const struct cli_grammar grammar = { "goparse", ":o:f:qvh", long_options,
						    goparse_take_option };
	int rc, status = cli_parse(&grammar, argc, argv, o);
	struct error err;

	if (status != CLI_GO_ON)
		return status;
	if (optind == argc && !isatty(STDIN_FILENO))
		rc = take_files(o, standard_input, 1, &err);
	else
		rc = take_files(o, argv + optind, argc - optind, &err);
	return rc ? cli_fail(&err) : goparse_check(o);
}

int cli_goparse(int argc, char **argv)
{
	struct goparse_options o = { 0 };
	int status = goparse_read_options(&o, argc, argv);

	if (status == CLI_GO_ON)
		status = goparse_run(&o);
	goparse_release(&o);
	return status;
}
