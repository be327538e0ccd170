/* What commands say on the standard error, and how they end when they cannot go on: one line, and
 * an exit status. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/printable.h"
#include "cli/common/cli.h"

static const char *page; /* NULL: no command is known yet */

void cli_page(const char *name)
{
	page = name;
}

/* Without memory nothing is printed. */
__attribute__((format(printf, 2, 0))) static void print(const char *before, const char *fmt,
							va_list ap, const char *after)
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
