/* How the commands end when they cannot go on: one line, and an exit status. */
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "sampler/cli/common/cli.h"

int cli_fail(const struct error *err)
{
	fprintf(stderr, "sampler: %s\n", err->text);
	switch (err->code) {
	case ERR_USAGE:
		return EXIT_USAGE;
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

int cli_usage(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "sampler: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; see 'sampler help'\n");
	return EXIT_USAGE;
}

/* getopt_long stays at an argument with several short options until it has read the last: the one
 * before it may then be any. Of a long option, optopt is 0, or a value is missing or too much. */
int cli_bad_option(char **argv, int returned)
{
	const char *text = argv[optind - 1];
	bool missing = returned == ':';

	if (!strncmp(text, "--", 2) && (!optopt || missing || strchr(text, '=')))
		return cli_usage(missing ? "option '%s' needs a value" :
				 optopt	 ? "option '%s' takes no value" :
					   "unknown option '%s'",
				 text);
	return cli_usage(missing ? "option '-%c' needs a value" : "unknown option '-%c'", optopt);
}
