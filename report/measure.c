/*
 * A table of kinds of units, each a table of units by size, as in the original; what is
 * looked up there by maps and slices is a walk through a dozen entries here.
 */
#include "report/measure.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"

#define KNOWN_MAX 9

struct unit {
	const char *name;
	const char *aliases[3];
	double factor;
};

struct kind {
	struct unit units[KNOWN_MAX + 1]; /* a name NULL ends them */
	struct unit fallback;		  /* for targets of another kind */
};

static const struct kind kinds[] = {
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

enum { KINDS = sizeof(kinds) / sizeof(*kinds), ALIAS_MAX = 16 };

/* Lower case, and without the plural's s where more than two characters stand. */
static void simplify(const char *name, char simple[ALIAS_MAX])
{
	size_t len = strnlen(name, ALIAS_MAX), characters = 0;

	simple[0] = '\0';
	if (len >= ALIAS_MAX)
		return;
	for (size_t i = 0; i < len; i++) {
		simple[i] = (char)tolower((unsigned char)name[i]);
		characters += ((unsigned char)name[i] & 0xc0) != 0x80;
	}
	if (characters > 2 && simple[len - 1] == 's')
		len--;
	simple[len] = '\0';
}

static const struct unit *find_unit(const struct kind *kind, const char *name)
{
	char simple[ALIAS_MAX];

	simplify(name, simple);
	for (const struct unit *u = kind->units; *simple && u->name; u++)
		for (size_t i = 0; i < 3 && u->aliases[i]; i++)
			if (!strcmp(u->aliases[i], simple))
				return u;
	return NULL;
}

/* The largest unit in which `value`, in the kind's base unit, is 1 or more. */
static const struct unit *fitting(const struct kind *kind, double value)
{
	const struct unit *best = NULL;

	for (const struct unit *u = kind->units; u->name; u++)
		if ((!best || u->factor >= best->factor) && value / u->factor >= 1)
			best = u;
	return best ? best : &kind->fallback;
}

static bool automatic(const char *unit)
{
	return !strcmp(unit, "minimum") || !strcmp(unit, "auto");
}

static bool says_nothing(const char *unit)
{
	return !strcmp(unit, "count") || !strcmp(unit, "sample") || !strcmp(unit, "unit") ||
	       automatic(unit);
}

double measure_scale(int64_t value, const char *from, const char *to, const char **unit)
{
	if (value < 0 && value != INT64_MIN)
		return -measure_scale(-value, from, to, unit);
	for (size_t i = 0; i < KINDS; i++) {
		const struct unit *have = find_unit(&kinds[i], from), *want;

		if (!have)
			continue;
		want = automatic(to) ? fitting(&kinds[i], (double)value * have->factor) :
				       find_unit(&kinds[i], to);
		want = want ? want : &kinds[i].fallback;
		*unit = want->name;
		return (double)value * have->factor / want->factor;
	}
	*unit = says_nothing(to) ? "" : to;
	return (double)value;
}

const char *measure_label(int64_t value, const char *from, const char *to, char *text)
{
	const char *unit;
	double v = measure_scale(value, from, to, &unit);
	int len = snprintf(text, MEASURE_MAX - MEASURE_UNIT_MAX, "%.2f", v);

	if (len > 3 && !strcmp(text + len - 3, ".00"))
		text[len -= 3] = '\0';
	if (!strcmp(text, "0") || !strcmp(text, "-0"))
		return strcpy(text, "0");
	snprintf(text + len, MEASURE_UNIT_MAX, "%s", unit);
	printable(text, MEASURE_MAX);
	return text;
}

const char *measure_percent(int64_t value, int64_t total, char *text)
{
	double ratio = total ? fabs((double)value / (double)total) * 100 : 0;

	if (ratio >= 99.95 && ratio <= 100.05)
		return strcpy(text, "  100%");
	snprintf(text, MEASURE_MAX, ratio >= 1 ? "%5.2f%%" : "%5.2g%%", ratio);
	return text;
}

int64_t measure_sum(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? a < 0 ? INT64_MIN : INT64_MAX : sum;
}

int64_t measure_magnitude(int64_t value)
{
	return value >= 0 ? value : value == INT64_MIN ? INT64_MAX : -value;
}

int64_t measure_share(int64_t value, double share)
{
	double product = (double)value * share;

	return product >= 0x1p63 ? INT64_MAX : product < -0x1p63 ? INT64_MIN : (int64_t)product;
}
