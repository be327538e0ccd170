/* Durations and numbers as people type them, valid and invalid. */
#include <criterion/criterion.h>
#include <getopt.h>
#include <string.h>

#include "base/error.h"
#include "cli/common/byname.h"
#include "cli/common/cli.h"

Test(values, durations)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "500ms", 500000000 },	   { "60s", 60000000000 },
		{ "60", 60000000000 },	   { "1h30m", 5400000000000 },
		{ "1.5s", 1500000000 },	   { "0.25", 250000000 },
		{ "100us", 100000 },	   { "7ns", 7 },
		{ "1m0.5s", 60500000000 }, { "1.123456789s", 1123456789 },
		{ "1d", 86400000000000 },  { "1d12h", 129600000000000 },
	};
	static const char *const bad[] = { "",
					   "s",
					   "5x",
					   "1h30",
					   "-5s",
					   "5 s",
					   ".5s",
					   "1..5s",
					   "ms",
					   "99999999999h",
					   "18446744073709551616" };
	struct error err = { 0 };
	uint64_t ns;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		cr_assert_eq(parse_duration(good[i].text, &ns, &err), 0, "%s", good[i].text);
		cr_assert_eq(ns, good[i].ns, "%s: %lu", good[i].text, ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		cr_assert_eq(parse_duration(bad[i], &ns, &err), ERR_USAGE, "%s", bad[i]);
		cr_assert(strstr(err.text, "expected"));
	}
}

Test(values, numbers)
{
	struct error err = { 0 };
	uint64_t n;

	cr_assert_eq(parse_number("99", "rate", 1, 10000, &n, &err), 0);
	cr_assert_eq(n, 99);
	cr_assert_eq(parse_number("0", "rate", 1, 10000, &n, &err), ERR_USAGE);
	cr_assert_str_eq(err.text, "'0' is no rate; expected a whole number from 1 to 10000");
	cr_assert_eq(parse_number("10001", "rate", 1, 10000, &n, &err), ERR_USAGE);
	cr_assert_eq(parse_number("9x", "rate", 1, 10000, &n, &err), ERR_USAGE);
	cr_assert_eq(parse_number("", "rate", 1, 10000, &n, &err), ERR_USAGE);
	cr_assert_eq(parse_number("-1", "rate", 1, 10000, &n, &err), ERR_USAGE);
}

Test(values, sizes)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{ "1", 1 },
		{ "64K", 65536 },
		{ "5M", 5242880 },
		{ "1G", 1073741824 },
		{ "17179869183G", 18446744072635809792u },
	};
	static const char *const bad[] = { "",
					   "K",
					   "0",
					   "0G",
					   "-1",
					   "5k",
					   "5 M",
					   "5MB",
					   "5MM",
					   "1.5G",
					   "0x10",
					   "17179869184G",
					   "18446744073709551616" };
	struct error err = { 0 };
	uint64_t bytes;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		cr_assert_eq(parse_size(good[i].text, &bytes, &err), 0, "%s", good[i].text);
		cr_assert_eq(bytes, good[i].bytes, "%s: %lu", good[i].text, bytes);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_assert_eq(parse_size(bad[i], &bytes, &err), ERR_USAGE, "%s", bad[i]);
	cr_assert_str_eq(err.text,
			 "'18446744073709551616' is no size; expected something like 64K, "
			 "5M, 1G, or a number of bytes");
}

Test(values, percentages)
{
	static const struct {
		const char *text;
		double share;
	} good[] = {
		{ "1%", 0.01 },
		{ "0.5", 0.005 },
		{ "100%", 1 },
		{ "2.25%", 0.0225 },
	};
	static const char *const bad[] = { "", "%", "0", "0.0%", "101", "-1", "1%%", "x", "1.%x" };
	struct error err = { 0 };
	double share;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		cr_assert_eq(parse_percent(good[i].text, "share", &share, &err), 0, "%s",
			     good[i].text);
		cr_assert_float_eq(share, good[i].share, 1e-12, "%s: %g", good[i].text, share);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_assert_eq(parse_percent(bad[i], "share", &share, &err), ERR_USAGE, "%s", bad[i]);
}

Test(values, lists_of_processes)
{
	static const char *const bad[] = { "",	      "\t",   "1,",
					   ",1",      "1,,2", "0",
					   "4194305", " ",    "99999999999999999999",
					   "1 ,",     ", 1",  "1 , , 2" };
	pid_t pids[PIDS_MAX];
	struct error err = { 0 };
	struct byname names = { 0 };
	size_t count = 0;

	cr_assert_eq(parse_pids("12,7,12", pids, &count, &names, &err), 0);
	cr_assert_eq(parse_pids("8,7", pids, &count, &names, &err), 0);
	cr_assert_eq(parse_pids("  12 7\n", pids, &count, &names, &err), 0);
	cr_assert_eq(parse_pids("12 , 7", pids, &count, &names, &err), 0);
	cr_assert_eq(count, 3);
	cr_assert(pids[0] == 12 && pids[1] == 7 && pids[2] == 8);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_assert_eq(parse_pids(bad[i], pids, &count, &names, &err), ERR_USAGE, "%s",
			     bad[i]);
}

static int take_pids(void *count, int option, char *value, struct error *err)
{
	static pid_t pids[PIDS_MAX];
	struct byname names = { 0 };

	cr_assert_eq(option, 'p');
	return parse_pids(value, pids, count, &names, err);
}

Test(values, more_processes_in_arguments_of_their_own)
{
	static const struct option none = { NULL, 0, NULL, 0 };
	static const struct cli_grammar grammar = { "top", "+:p:", &none, take_pids };
	char name[] = "top", option[] = "-p", two[] = "2", three[] = "3", list[] = "4,1";
	char big[] = "4194305";
	char *argv[] = { name, option, two, three, list, NULL };
	size_t count = 0;

	cr_assert_eq(cli_parse(&grammar, 5, argv, &count), CLI_GO_ON);
	cr_assert(optind == 4 && count == 2, "%d %zu", optind, count);
	argv[3] = big;
	optind = 0;
	cr_assert_eq(cli_parse(&grammar, 5, argv, &count), EXIT_USAGE);
}

Test(values, choices)
{
	static const char *const names[] = { "a", "b", "c", NULL };
	struct error err = { 0 };
	unsigned number;

	cr_assert_eq(parse_choice("c", "letter", names, &number, &err), 0);
	cr_assert_eq(number, 2);
	cr_assert_eq(parse_choice("", "letter", names, &number, &err), ERR_USAGE);
	cr_assert_str_eq(err.text, "'' is no letter; expected a, b or c");
}
