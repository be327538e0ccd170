/* Chooses the command. Without a name it is record: `sampler -p PID` is what people type. */
#include <stdio.h>
#include <string.h>

#include "sampler/cli/common/cli.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
	{ "record", cli_record },   { "dump", cli_dump },	   { "top", cli_top },
	{ "report", cli_report },   { "convert", cli_convert },	   { "validate", cli_validate },
	{ "delta", cli_delta },	    { "merge", cli_merge },	   { "diff", cli_diff },
	{ "goparse", cli_goparse }, { "rounds", cli_list_rounds }, { "help", cli_help },
};

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
