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
}
