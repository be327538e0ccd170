/* One table has the kinds of units with their aliases and factors. A value is shown in the largest
 * unit in which it is 1 or more. */
#include "pprof/units.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum { UNIT_NAME_MAX = 32, UNITS_MAX = 9, ALIASES_MAX = 3 };

struct units_unit {
	const char *name;
	const char *aliases[ALIASES_MAX]; /* lower case, singular */
	double factor;			  /* size in the kind's base unit */
};

static const struct units_kind {
	struct units_unit units[UNITS_MAX];
	struct units_unit fallback; /* for values below all units, and targets of another kind */
} kinds[] = {
	{ { { "B", { "b", "byte" }, 1 },
	    { "kB", { "kb", "kbyte", "kilobyte" }, 0x1p10 },
	    { "MB", { "mb", "mbyte", "megabyte" }, 0x1p20 },
	    { "GB", { "gb", "gbyte", "gigabyte" }, 0x1p30 },
	    { "TB", { "tb", "tbyte", "terabyte" }, 0x1p40 },
	    { "PB", { "pb", "pbyte", "petabyte" }, 0x1p50 } },
	  { "B", { NULL }, 1 } },
	{ { { "ns", { "ns", "nanosecond" }, 1 },
	    { "us", { "\u03bcs", "us", "microsecond" }, 1e3 },
	    { "ms", { "ms", "millisecond" }, 1e6 },
	    { "s", { "s", "sec", "second" }, 1e9 },
	    { "hrs", { "hour", "hr" }, 3600e9 } },
	  { "s", { NULL }, 1e9 } },
	{ { { "n*GCU", { "nanogcu" }, 1e-9 },
	    { "u*GCU", { "microgcu" }, 1e-6 },
	    { "m*GCU", { "milligcu" }, 1e-3 },
	    { "GCU", { "gcu" }, 1 },
	    { "k*GCU", { "kilogcu" }, 1e3 },
	    { "M*GCU", { "megagcu" }, 1e6 },
	    { "G*GCU", { "gigagcu" }, 1e9 },
	    { "T*GCU", { "teragcu" }, 1e12 },
	    { "P*GCU", { "petagcu" }, 1e15 } },
	  { "GCU", { NULL }, 1 } },
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

/* Converts to lower case (beyond ASCII, the capital mu only) and removes a plural's s. A name of
 * one or two characters keeps its s: "s", "ms", "μs" (two characters, three bytes). False: `unit`
 * is longer than any unit. */
static bool simplify(const char *unit, char simple[UNIT_NAME_MAX])
{
	size_t len = strlen(unit), letters = 0;

	if (len >= UNIT_NAME_MAX)
		return false;
	for (size_t i = 0; i <= len; i++)
		simple[i] = (char)tolower((unsigned char)unit[i]);
	for (size_t i = 0; i < len; i++) {
		if (!strncmp(unit + i, "\u039c", 2))
			memcpy(simple + i, "\u03bc", 2);
		letters += ((unsigned char)unit[i] & 0xc0) != 0x80;
	}
	if (letters > 2 && simple[len - 1] == 's')
		simple[len - 1] = '\0';
	return true;
}

static const struct units_unit *units_find(const struct units_kind *kind, const char *unit)
{
	char simple[UNIT_NAME_MAX];

	if (!simplify(unit, simple))
		return NULL;
	for (size_t i = 0; i < UNITS_MAX && kind->units[i].name; i++)
		for (size_t j = 0; j < ALIASES_MAX && kind->units[i].aliases[j]; j++)
			if (!strcmp(kind->units[i].aliases[j], simple))
				return &kind->units[i];
	return NULL;
}

static const struct units_unit *units_choose(const struct units_kind *kind, double value)
{
	const struct units_unit *best = &kind->fallback;

	for (size_t i = 0; i < UNITS_MAX && kind->units[i].name; i++)
		if (value / kind->units[i].factor >= 1)
			best = &kind->units[i];
	return best;
}

static bool is_automatic(const char *unit)
{
	return !strcmp(unit, "minimum") || !strcmp(unit, "auto");
}

static double units_scale_kind(const struct units_kind *kind, double value, const char *to,
			       const char **unit)
{
	const struct units_unit *target = is_automatic(to) ? units_choose(kind, value) :
							     units_find(kind, to);

	if (!target)
		target = &kind->fallback;
	*unit = target->name;
	return value / target->factor;
}

static bool needs_no_name(const char *unit)
{
	return !strcmp(unit, "count") || !strcmp(unit, "sample") || !strcmp(unit, "unit") ||
	       is_automatic(unit);
}

double units_scale(int64_t value, const char *from, const char *to, const char **unit)
{
	/* INT64_MIN cannot be negated; it stays negative in pprof, too. */
	if (value < 0 && value != INT64_MIN)
		return -units_scale(-value, from, to, unit);
	for (size_t i = 0; i < KINDS; i++) {
		const struct units_unit *u = units_find(&kinds[i], from);

		if (u)
			return units_scale_kind(&kinds[i], (double)value * u->factor, to, unit);
	}
	*unit = needs_no_name(to) ? "" : to;
	return (double)value;
}

bool units_compatible(const char *a, const char *b)
{
	for (size_t i = 0; i < KINDS; i++)
		if (units_find(&kinds[i], a) && units_find(&kinds[i], b))
			return true;
	return false;
}

double units_ratio(const char *from, const char *to)
{
	for (size_t i = 0; i < KINDS; i++) {
		const struct units_unit *a = units_find(&kinds[i], from),
					*b = units_find(&kinds[i], to);

		if (a && b)
			return a->factor / b->factor;
	}
	return 1;
}
