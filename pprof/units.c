/* One table of names; what can be converted is of one kind. */
#include "pprof/units.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum kind { MEMORY, TIME, GCU };

struct unit {
	const char *name;
	enum kind kind;
	double factor; /* in the kind's base unit: byte, nanosecond, GCU */
};

static const struct unit units[] = {
	{ "b", MEMORY, 1 },		{ "byte", MEMORY, 1 },
	{ "kb", MEMORY, 0x1p10 },	{ "kbyte", MEMORY, 0x1p10 },
	{ "kilobyte", MEMORY, 0x1p10 }, { "mb", MEMORY, 0x1p20 },
	{ "mbyte", MEMORY, 0x1p20 },	{ "megabyte", MEMORY, 0x1p20 },
	{ "gb", MEMORY, 0x1p30 },	{ "gbyte", MEMORY, 0x1p30 },
	{ "gigabyte", MEMORY, 0x1p30 }, { "tb", MEMORY, 0x1p40 },
	{ "tbyte", MEMORY, 0x1p40 },	{ "terabyte", MEMORY, 0x1p40 },
	{ "pb", MEMORY, 0x1p50 },	{ "pbyte", MEMORY, 0x1p50 },
	{ "petabyte", MEMORY, 0x1p50 }, { "ns", TIME, 1 },
	{ "nanosecond", TIME, 1 },	{ "\u03bcs", TIME, 1e3 },
	{ "us", TIME, 1e3 },		{ "microsecond", TIME, 1e3 },
	{ "ms", TIME, 1e6 },		{ "millisecond", TIME, 1e6 },
	{ "s", TIME, 1e9 },		{ "sec", TIME, 1e9 },
	{ "second", TIME, 1e9 },	{ "hour", TIME, 3600e9 },
	{ "hr", TIME, 3600e9 },		{ "nanogcu", GCU, 1e-9 },
	{ "microgcu", GCU, 1e-6 },	{ "milligcu", GCU, 1e-3 },
	{ "gcu", GCU, 1 },		{ "kilogcu", GCU, 1e3 },
	{ "megagcu", GCU, 1e6 },	{ "gigagcu", GCU, 1e9 },
	{ "teragcu", GCU, 1e12 },	{ "petagcu", GCU, 1e15 },
};

enum { NAME_MAX_LEN = 15 }; /* longer than "microseconds" */

static size_t characters(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static const struct unit *find_unit(const char *text)
{
	char name[NAME_MAX_LEN + 1];
	size_t len = strlen(text);

	if (len > NAME_MAX_LEN)
		return NULL;
	if (characters(text) > 2 && (text[len - 1] == 's' || text[len - 1] == 'S'))
		len--;
	for (size_t i = 0; i < len; i++)
		name[i] = (char)tolower((unsigned char)text[i]);
	name[len] = '\0';
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

bool units_convertible(const char *a, const char *b)
{
	const struct unit *x = find_unit(a), *y = find_unit(b);

	return !strcmp(a, b) || (x && y && x->kind == y->kind);
}

double units_ratio(const char *from, const char *to)
{
	const struct unit *x = find_unit(from), *y = find_unit(to);

	return x && y && x->kind == y->kind ? x->factor / y->factor : 1;
enum { UNIT_NAME_MAX = 32, UNITS_MAX = 9, ALIASES_MAX = 3 };

struct unit {
	const char *name;
	const char *aliases[ALIASES_MAX]; /* lower case, singular */
	double factor;			  /* in the base unit */
};

static const struct kind {
	struct unit units[UNITS_MAX];
	struct unit fallback; /* for values below all units, and foreign targets */
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

/* Lower case and without a plural's s, which names of one or two letters do not have: they
 * are counted as characters, so that the micro sign of "μs" is one. False: longer than any
 * unit. Of the letters beyond ASCII only the capital mu matters. */
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

static const struct unit *find(const struct kind *kind, const char *unit)
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

static const struct unit *choose(const struct kind *kind, double value)
{
	const struct unit *best = &kind->fallback;

	for (size_t i = 0; i < UNITS_MAX && kind->units[i].name; i++)
		if (value / kind->units[i].factor >= 1)
			best = &kind->units[i];
	return best;
}

static bool is_automatic(const char *unit)
{
	return !strcmp(unit, "minimum") || !strcmp(unit, "auto");
}

static double scale(const struct kind *kind, double value, const char *to, const char **unit)
{
	const struct unit *target = is_automatic(to) ? choose(kind, value) : find(kind, to);

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
	/* The lowest number has no opposite; pprof lets it be negative, too. */
	if (value < 0 && value != INT64_MIN)
		return -units_scale(-value, from, to, unit);
	for (size_t i = 0; i < KINDS; i++) {
		const struct unit *u = find(&kinds[i], from);

		if (u)
			return scale(&kinds[i], (double)value * u->factor, to, unit);
	}
	*unit = needs_no_name(to) ? "" : to;
	return (double)value;
}

bool units_compatible(const char *a, const char *b)
{
	for (size_t i = 0; i < KINDS; i++)
		if (find(&kinds[i], a) && find(&kinds[i], b))
			return true;
	return false;
}
