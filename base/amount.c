/* A value that three digits would round to 1000 is written in the next unit. */
#include "base/amount.h"

#include <stddef.h>
#include <stdio.h>

static const char *put_amount(double value, double step, const char *const *units, char *text)
{
	for (; value >= 999.5 && units[1]; units++)
		value /= step;
	snprintf(text, AMOUNT_ROOM, "%.3g %s", value, *units);
	return text;
}

const char *amount_duration(uint64_t ns, char text[AMOUNT_ROOM])
{
	static const char *const units[] = { "µs", "ms", "s", NULL };
	uint64_t s = ns / 1000000000;

	if (s < 60)
		return put_amount((double)ns / 1e3, 1000, units, text);
	if (s < 3600)
		snprintf(text, AMOUNT_ROOM, "%lu min %02lu s", s / 60, s % 60);
	else
		snprintf(text, AMOUNT_ROOM, "%lu h %02lu min", s / 3600, s / 60 % 60);
	return text;
}

const char *amount_bytes(uint64_t bytes, char text[AMOUNT_ROOM])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", NULL };

	return put_amount((double)bytes, 1024, units, text);
}
