/* Chooses the command. Without a name it is record: `sampler -p PID` is what people type. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
	{ "record", cli_record },
	{ "dump", cli_dump },
	{ "top", cli_top },
	{ "report", cli_report },
	{ "convert", cli_convert },
	{ "validate", cli_validate },
	{ "delta", cli_delta },
	{ "merge", cli_merge },
	{ "diff", cli_diff },
	{ "goparse", cli_goparse },
	{ "help", cli_help },
};

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
							  "unknown option '-%c'", option);
	return cli_usage(option ? "option '%s' needs a value, or takes none" : "unknown option '%s'",
			 text);
}

int main(int argc, char **argv)
{
	if (argc >= 2 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")))
		return printf("sampler %s\n", SAMPLER_VERSION) < 0;
	if (argc >= 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return cli_help(argc - 1, argv + 1);
	for (size_t i = 0; argc >= 2 && i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	if (argc >= 2 && argv[1][0] != '-')
		return cli_usage("unknown command '%s' (to run a program: sampler -- %s)", argv[1],
				 argv[1]);
	return cli_record(argc, argv);
}
