/* Chooses the command. Without a name it is record: `sampler -p PID` is what people type. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/similar.h"

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

/* For a first word that is neither a command nor a process: a mistyped command, or a program. */
static int unknown_command(const char *word)
{
	struct similar best = { 0 };
	const char *name;

	for (size_t i = 0; (name = cli_help_command(i)); i++)
		similar_try(&best, word, name);
	if (*best.word)
		return cli_usage("unknown command '%s' (did you mean %s?)", word, best.word);
	return cli_usage("unknown command '%s', and no process is named so (to run a program: "
			 "sampler -- %s)",
			 word, word);
}

/* `sampler redis-server` is `sampler -p redis-server`. A word that is a command is that; of a
 * process with such a name, `sampler -p top` is understood. */
static int record_process(int argc, char **argv)
{
	char option[] = "-p", **more = calloc((size_t)argc + 2, sizeof(*more));
	int status;

	if (!more)
		return EXIT_FAILED;
	more[0] = argv[0];
	more[1] = option;
	memcpy(more + 2, argv + 1, (size_t)argc * sizeof(*more));
	status = cli_record(argc + 1, more);
	free(more);
	return status;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return cli_help_briefly();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return printf("sampler %s\n", SAMPLER_VERSION) < 0;
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return cli_help(argc - 1, argv + 1);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(argv[1], commands[i].name)) {
			cli_page(commands[i].run == cli_help ? NULL : commands[i].name);
			return commands[i].run(argc - 1, argv + 1);
		}
	if (argv[1][0] == '-') {
		cli_page("record");
		return cli_record(argc, argv);
	}
	if (!pids_may_be(argv[1]))
		return unknown_command(argv[1]);
	cli_page("record");
	return record_process(argc, argv);
}
