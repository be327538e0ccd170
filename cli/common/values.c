/* Values of options: durations as Go's time.ParseDuration reads them, with days beside its units
 * and a bare number as seconds; whole numbers; sizes; percentages. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "cli/common/cli.h"
#include "sampler/stop/hold.h"

struct common_values_unit {
	const char *name;
	uint64_t ns;
};

static const struct common_values_unit units[] = {
	{ "ns", 1 },	      { "us", 1000 },	      { "ms", 1000000 },       { "s", 1000000000 },
	{ "m", 60000000000 }, { "h", 3600000000000 }, { "d", 86400000000000 },
};

/* Reads the longest unit that the text begins with: "ms" is not "m". */
static const struct common_values_unit *common_values_read_unit(struct cursor *c)
{
	const struct common_values_unit *best = NULL;

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t len = strlen(units[i].name);

		if (cursor_left(c) >= len && !memcmp(c->pos, units[i].name, len) &&
		    (!best || len > strlen(best->name)))
			best = &units[i];
	}
	if (best)
		cursor_bytes(c, strlen(best->name));
	return best;
}

/* Reads a point and digits, if there are any. The fraction is the result divided by *scale. */
static uint64_t read_fraction(struct cursor *c, uint64_t *scale)
{
	uint64_t value = 0;

	*scale = 1;
	if (!cursor_left(c) || *c->pos != '.')
		return 0;
	cursor_bytes(c, 1);
	while (cursor_left(c) && isdigit(*c->pos)) {
		uint64_t digit = cursor_uint(c, 1) - '0';

		if (*scale < 1000000000) {
			value = value * 10 + digit;
			*scale *= 10;
		}
	}
	return value;
}

static double read_decimal(struct cursor *c)
{
	uint64_t scale, whole = cursor_number(c, 10), fraction = read_fraction(c, &scale);

	return (double)whole + (double)fraction / (double)scale;
}

static bool common_values_add_part(struct cursor *c, bool first, uint64_t *ns)
{
	static const struct common_values_unit second = { "s", 1000000000 };
	uint64_t whole = cursor_number(c, 10), scale = 1, fraction = 0, part;
	const struct common_values_unit *unit;

	fraction = read_fraction(c, &scale);
	unit = common_values_read_unit(c);
	if (!unit && first && !cursor_left(c))
		unit = &second;
	if (c->failed || !unit)
		return false;
	return !__builtin_mul_overflow(whole, unit->ns, &part) &&
	       !__builtin_add_overflow(
		       part, fraction * (unit->ns / scale) + fraction * (unit->ns % scale) / scale,
		       &part) &&
	       !__builtin_add_overflow(*ns, part, ns);
}

int parse_duration(const char *text, uint64_t *ns, struct error *err)
{
	struct cursor c;
	bool first = true;

	cursor_init(&c, text, strlen(text), "duration");
	*ns = 0;
	do {
		if (!common_values_add_part(&c, first, ns))
			return error_set(err, ERR_USAGE,
					 "'%s' is no duration; expected something like 500ms, 60s, "
					 "1h30m, 1d, or a number of seconds",
					 text);
		first = false;
	} while (cursor_left(&c));
	return 0;
}

int parse_positive_duration(const char *text, uint64_t *ns, struct error *err)
{
	int rc = parse_duration(text, ns, err);

	return rc || *ns ? rc : error_set(err, ERR_USAGE, "a time of '%s' is too short", text);
}

/* At most ten seconds: a long time for threads to be held, but still a bound. */
int parse_stop(const char *text, uint64_t *ns, struct error *err)
{
	static const uint64_t most_ns = 10000000000;
	int rc = 0;

	*ns = HOLD_BOUND_NS;
	if (text)
		rc = parse_duration(text, ns, err);
	if (!rc && (!*ns || *ns > most_ns))
		rc = error_set(err, ERR_USAGE, "--stop=%s: up to 10s", text);
	return rc;
}

int parse_number(const char *text, const char *what, uint64_t min, uint64_t max, uint64_t *value,
		 struct error *err)
{
	struct cursor c;

	cursor_init(&c, text, strlen(text), what);
	*value = cursor_number(&c, 10);
	if (c.failed || cursor_left(&c) || *value < min || *value > max)
		return error_set(err, ERR_USAGE,
				 "'%s' is no %s; expected a whole number from %lu "
				 "to %lu",
				 text, what, min, max);
	return 0;
}

int parse_size(const char *text, uint64_t *bytes, struct error *err)
{
	static const char letters[] = "KMG";
	const char *unit;
	struct cursor c;
	uint64_t factor = 1;

	cursor_init(&c, text, strlen(text), "size");
	*bytes = cursor_number(&c, 10);
	if (cursor_left(&c) == 1 && (unit = strchr(letters, *c.pos))) {
		factor = (uint64_t)1 << 10 * (unit - letters + 1);
		cursor_bytes(&c, 1);
	}
	if (c.failed || cursor_left(&c) || __builtin_mul_overflow(*bytes, factor, bytes) || !*bytes)
		return error_set(err, ERR_USAGE,
				 "'%s' is no size; expected something like 64K, 5M, 1G, "
				 "or a number of bytes",
				 text);
	return 0;
}

int parse_choice(const char *text, const char *what, const char *const *names, unsigned *number,
		 struct error *err)
{
	char all[120] = "";
	size_t len = 0;

	for (*number = 0; names[*number]; ++*number) {
		if (!strcmp(text, names[*number]))
			return 0;
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s",
					!*number	   ? "" :
					names[*number + 1] ? ", " :
							     " or ",
					names[*number]);
	}
	return error_set(err, ERR_USAGE, "'%s' is no %s; expected %s", text, what, all);
}

int parse_percent(const char *text, const char *what, double *share, struct error *err)
{
	struct cursor c;

	cursor_init(&c, text, strlen(text), what);
	*share = read_decimal(&c) / 100;
	if (cursor_left(&c))
		cursor_expect(&c, '%');
	if (c.failed || cursor_left(&c) || *share <= 0 || *share > 1)
		return error_set(err, ERR_USAGE,
				 "'%s' is no %s; expected a percentage above 0 and up "
				 "to 100, like 1%% or 0.5%%",
				 text, what);
	return 0;
}

int parse_fraction(const char *text, double *share, struct error *err)
{
	struct cursor c;

	cursor_init(&c, text, strlen(text), "share");
	*share = read_decimal(&c);
	if (c.failed || cursor_left(&c) || *share > 1)
		return error_set(err, ERR_USAGE,
				 "'%s' is no share; expected a number from 0 to 1, like 0.005",
				 text);
	return 0;
}
