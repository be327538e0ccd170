/* How the commands end when they cannot go on: one line, and an exit status. */
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/printable.h"
#include "cli/common/cli.h"
#include "cli/common/similar.h"

static const char *page; /* NULL: no command is known yet */

void cli_page(const char *name)
{
	page = name;
}

/* Without memory nothing is printed. */
static void print(const char *before, const char *fmt, va_list ap, const char *after)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		return;
	printable(text, strlen(text) + 1);
	fprintf(stderr, "%s%s%s\n", before, text, after);
	free(text);
}

void cli_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print("sampler: ", fmt, ap, "");
	va_end(ap);
}

void cli_line(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print("", fmt, ap, "");
	va_end(ap);
}

void cli_wrote(const char *path, uint64_t bytes, const char *more)
{
	cli_line("wrote %s (%lu bytes)%s", strcmp(path, "-") ? path : "standard output", bytes,
		 more);
}

int cli_usage(const char *fmt, ...)
{
	char hint[60];
	va_list ap;

	snprintf(hint, sizeof(hint), "; see 'sampler help%s%s'", page ? " " : "", page ? page : "");
	va_start(ap, fmt);
	print("sampler: ", fmt, ap, hint);
	va_end(ap);
	return EXIT_USAGE;
}

int cli_fail(const struct error *err)
{
	if (err->code == ERR_USAGE)
		return cli_usage("%s", err->text);
	cli_say("%s", err->text);
	switch (err->code) {
	case ERR_PERM:
		return EXIT_NOT_PERMITTED;
	case ERR_GONE:
		return EXIT_NO_PROCESS;
	default:
		return EXIT_FAILED;
	}
}

void cli_hint(struct error *err, const char *hint)
{
	size_t used = strlen(err->text);

	snprintf(err->text + used, sizeof(err->text) - used, "%s", hint);
}

int cli_command_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* record's options are on two pages. */
static const char *other_page(const char *name)
{
	if (!strcmp(name, "record"))
		return "rounds";
	return strcmp(name, "rounds") ? NULL : "record";
}

/* The option on the page that is the most similar to `typed`, which has no dashes; "": none is. */
static void similar_option(const char *typed, char best[HELP_OPTION_ROOM])
{
	const char *pages[] = { page, page ? other_page(page) : NULL };
	char name[HELP_OPTION_ROOM];
	size_t least = SIZE_MAX;

	*best = '\0';
	for (size_t i = 0; i < 2 && pages[i]; i++)
		for (size_t n = 0; cli_help_option(pages[i], n, name); n++) {
			size_t distance = similar_distance(typed, name);

			if (distance < least && similar_enough(typed, name, distance)) {
				least = distance;
				strcpy(best, name);
			}
		}
}

/* Has the page, or the other of record's, this option? */
static bool is_option(const char *typed)
{
	const char *pages[] = { page, page ? other_page(page) : NULL };
	char name[HELP_OPTION_ROOM];

	for (size_t i = 0; i < 2 && pages[i]; i++)
		for (size_t n = 0; cli_help_option(pages[i], n, name); n++)
			if (!strcmp(typed, name))
				return true;
	return false;
}

static int unknown_option(const char *text)
{
	size_t len = strcspn(text, "=");
	char typed[HELP_OPTION_ROOM], best[HELP_OPTION_ROOM];

	snprintf(typed, sizeof(typed), "%.*s", (int)(len > 2 ? len - 2 : 0), text + 2);
	similar_option(typed, best);
	if (*best)
		return cli_usage("unknown option '%s' (did you mean --%s?)", text, best);
	return cli_usage("unknown option '%s'", text);
}

/* getopt_long stays at an argument with several short options until it has read the last: the one
 * before it may then be any. Of a long option, optopt is 0, or a value is missing or too much. */
int cli_bad_option(char **argv, int returned)
{
	const char *text = argv[optind - 1];
	bool missing = returned == ':';

	if (!strncmp(text, "--", 2) && (!optopt || missing || strchr(text, '=')))
		return missing ? cli_usage("option '%s' needs a value", text) :
		       optopt  ? cli_usage("option '%s' takes no value", text) :
				 unknown_option(text);
	if (optopt == 'F' && is_option("rate")) /* perf record's, bcc's and bpftrace's */
		return cli_usage("unknown option '-F' (did you mean -r, --rate?)");
	return cli_usage(missing ? "option '-%c' needs a value" : "unknown option '-%c'", optopt);
}

int cli_check_dashes(char **argv)
{
	char name[HELP_OPTION_ROOM];

	for (int i = 1; argv[i] && strcmp(argv[i], "--") != 0; i++) {
		if (argv[i][0] != '-' || !argv[i][1] || argv[i][1] == '-' || !argv[i][2])
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(argv[i] + 1, "="), argv[i] + 1);
		if (is_option(name))
			return cli_usage("unknown option '%s' (did you mean -%s?)", argv[i],
					 argv[i]);
	}
	return CLI_GO_ON;
}
