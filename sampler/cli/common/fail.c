/* How the commands end when they cannot go on: one line, and an exit status. */
#include <stdarg.h>
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

int cli_bad_option(char **argv, int next, int option)
{
	const char *text = argv[next - 1];

	if (option > 0 && option < 256 && strncmp(text, "--", 2))
		return cli_usage(strchr("pdronft", option) ? "option '-%c' needs a value" :
							     "unknown option '-%c'",
				 option);
	return cli_usage(
		option ? "option '%s' needs a value, or takes none" : "unknown option '%s'", text);
}
