/* What /proc/PID/stat says of CPU time, whatever the process calls itself. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/process/process.h"

static bool parse(const char *text, uint64_t ticks[4])
{
	uint64_t fields[STAT_FIELDS] = { 0 };
	bool read = process_stat_parse(text, strlen(text), STAT_CSTIME, fields);

	memcpy(ticks, &fields[STAT_UTIME], 4 * sizeof(*ticks));
	return read;
}

Test(stat, the_name_may_hold_anything)
{
	static const char *const names[] = { "sh", "a b", ") S 1 2 3 4 5 6 7 8 9 10 11 12", "" };
	char text[200];
	uint64_t ticks[4];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(text, sizeof(text),
			 "12 (%s) S 1 12 12 0 -1 4194304 10 20 0 0 31 41 59 26 20 0 1 0 999\n",
			 names[i]);
		cr_assert(parse(text, ticks), "%s", text);
		cr_assert(ticks[0] == 31 && ticks[1] == 41 && ticks[2] == 59 && ticks[3] == 26);
	}
}

Test(stat, what_has_another_form_is_refused)
{
	static const char *const bad[] = {
		"",
		"12 (sh",
		"12 (sh)",
		"12 (sh) S 1 12 12 0 -1 4194304 10 20 0 0 31 41 59",
		"12 (sh) S 1 12 12 0 -1 4194304 10 20 0 0 31 x 59 26",
		"12 (sh) S 1 12 12 0 -1 4194304 10 20 0 0 99999999999999999999 1 1 1",
	};
	uint64_t ticks[4];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_assert(!parse(bad[i], ticks), "%s", bad[i]);
}
