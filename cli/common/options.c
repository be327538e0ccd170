/* getopt_long reads the options. What it rejects is compared with the options on the command's page
 * of help, so that a message can name the one that was probably meant. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/common/cli.h"
#include "cli/common/similar.h"

/* record's options are on two pages. */
static const char *other_page(const char *page)
{
	if (!strcmp(page, "record"))
		return "rounds";
	return strcmp(page, "rounds") ? NULL : "record";
}

/* The option on the page that is the most similar to `typed`, which has no dashes. */
static struct similar similar_option(const char *page, const char *typed)
{
	const char *pages[] = { page, other_page(page) };
	struct similar best = { 0 };
	char name[HELP_OPTION_ROOM];

	for (size_t i = 0; i < 2 && pages[i]; i++)
		for (size_t n = 0; cli_help_option(pages[i], n, name); n++)
			similar_try(&best, typed, name);
	return best;
}

static bool is_option(const char *page, const char *typed)
{
	return *typed && !strcmp(similar_option(page, typed).word, typed);
}

static int unknown_option(const char *page, const char *text)
{
	size_t len = strcspn(text, "=");
	char typed[HELP_OPTION_ROOM];
	struct similar best;

	snprintf(typed, sizeof(typed), "%.*s", (int)(len > 2 ? len - 2 : 0), text + 2);
	best = similar_option(page, typed);
	if (*best.word)
		return cli_usage("unknown option '%s' (did you mean --%s?)", text, best.word);
	return cli_usage("unknown option '%s'", text);
}

/* Reports what getopt_long rejected: ':', a value is missing; '?', all else. It stays at an
 * argument with several short options until it has read the last: the one before it may then be
 * any. Of a long option, optopt is 0, or a value is missing or too much. */
static int bad_option(const char *page, char **argv, int returned)
{
	const char *text = argv[optind - 1];
	bool missing = returned == ':';

	if (!strncmp(text, "--", 2) && (!optopt || missing || strchr(text, '=')))
		return missing ? cli_usage("option '%s' needs a value", text) :
		       optopt  ? cli_usage("option '%s' takes no value", text) :
				 unknown_option(page, text);
	if (optopt == 'F' && is_option(page, "rate")) /* perf record's, bcc's and bpftrace's */
		return cli_usage("unknown option '-F' (did you mean -r, --rate?)");
	return cli_usage(missing ? "option '-%c' needs a value" : "unknown option '-%c'", optopt);
}

/* Rejects options of several letters behind one dash, as Go's pprof has them: getopt_long takes
 * "-top" for -t and its value "op". Up to "--". */
static int check_dashes(const char *page, char **argv)
{
	char name[HELP_OPTION_ROOM];

	for (int i = 1; argv[i] && strcmp(argv[i], "--") != 0; i++) {
		if (argv[i][0] != '-' || !argv[i][1] || argv[i][1] == '-' || !argv[i][2])
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(argv[i] + 1, "="), argv[i] + 1);
		if (is_option(page, name))
			return cli_usage("unknown option '%s' (did you mean -%s?)", argv[i],
					 argv[i]);
	}
	return CLI_GO_ON;
}

static bool is_pid_text(const char *text)
{
	return text && *text && !text[strspn(text, "0123456789")];
}

int cli_parse(const struct cli_grammar *g, int argc, char **argv, void *o)
{
	struct error err;
	int option, rc, status = check_dashes(g->page, argv);

	if (status != CLI_GO_ON)
		return status;
	opterr = 0;
	while ((option = getopt_long(argc, argv, g->letters, g->options, NULL)) != -1) {
		if (option == '?' || option == ':')
			return bad_option(g->page, argv, option);
		if (option == 'h')
			return cli_help_on(g->page);
		rc = g->take(o, option, optarg, &err);
		while (!rc && option == 'p' && is_pid_text(argv[optind]))
			rc = g->take(o, option, argv[optind++], &err);
		if (rc)
			return cli_fail(&err);
	}
	return CLI_GO_ON;
}
