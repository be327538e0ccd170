/* Chooses the command. Without a name it is record: `sampler -p PID` is what people type. */
#include <stdio.h>
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

/* For a first word that is no command: a process's number, a mistyped command, or a program. */
static int unknown_command(const char *word)
{
	struct similar best = { 0 };
	const char *name;

	if (!word[strspn(word, "0123456789")])
		return cli_usage("unknown command '%s' (did you mean sampler -p %s?)", word, word);
	for (size_t i = 0; (name = cli_help_command(i)); i++)
		similar_try(&best, word, name);
	if (*best.word)
		return cli_usage("unknown command '%s' (did you mean %s?)", word, best.word);
	return cli_usage("unknown command '%s' (to run a program: sampler -- %s)", word, word);
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
	if (*argv[1] && argv[1][0] != '-')
		return unknown_command(argv[1]);
	cli_page("record");
	return cli_record(argc, argv);
}
