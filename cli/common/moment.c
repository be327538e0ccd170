/* Times as RFC 3339 writes them (its section 5.6), and as `date +%s` and `date +%s.%N` do. */
#include <ctype.h>
#include <string.h>
#include <time.h>

#include "base/cursor.h"
#include "base/error.h"
#include "cli/common/cli.h"

enum { NS = 1000000000, DAY = 86400 };

/* Reads a number of exactly `count` digits; -1: there are fewer. */
static int64_t moment_digits(struct cursor *c, int count)
{
	int64_t value = 0;

	for (; count; count--) {
		int digit = cursor_left(c) ? *c->pos : 0;

		if (!isdigit(digit))
			return -1;
		cursor_bytes(c, 1);
		value = value * 10 + digit - '0';
	}
	return value;
}

/* Skips the next character if it is one of these. */
static bool moment_take(struct cursor *c, const char *one_of)
{
	if (!cursor_left(c) || !*c->pos || !strchr(one_of, *c->pos))
		return false;
	cursor_bytes(c, 1);
	return true;
}

/* Reads ".5" as 500000000, and no fraction as 0. Digits beyond nanoseconds are ignored. */
static bool fraction(struct cursor *c, int64_t *ns)
{
	int64_t scale = NS / 10, digit;

	*ns = 0;
	if (!moment_take(c, "."))
		return true;
	digit = moment_digits(c, 1);
	if (digit < 0)
		return false;
	for (; digit >= 0; digit = moment_digits(c, 1)) {
		*ns += digit * scale;
		scale /= 10;
	}
	return true;
}

/* Reads "Z" or "+02:00"; no zone is Z. *east is the offset from UTC, in seconds to the east. */
static bool zone(struct cursor *c, int64_t *east)
{
	bool plus = cursor_left(c) && *c->pos == '+';
	int64_t hours, minutes;

	*east = 0;
	if (!cursor_left(c) || moment_take(c, "Zz"))
		return true;
	if (!moment_take(c, "+-"))
		return false;
	hours = moment_digits(c, 2);
	if (!moment_take(c, ":"))
		return false;
	minutes = moment_digits(c, 2);
	*east = (plus ? 1 : -1) * (hours * 3600 + minutes * 60);
	return hours >= 0 && hours < 24 && minutes >= 0 && minutes < 60;
}

static bool date(struct cursor *c, struct tm *tm)
{
	struct tm day;

	tm->tm_year = (int)moment_digits(c, 4) - 1900;
	if (!moment_take(c, "-"))
		return false;
	tm->tm_mon = (int)moment_digits(c, 2) - 1;
	if (!moment_take(c, "-"))
		return false;
	tm->tm_mday = (int)moment_digits(c, 2);
	/* timegm turns a date that does not exist, such as the 31st of June, into another day. */
	day = (struct tm){ .tm_year = tm->tm_year, .tm_mon = tm->tm_mon, .tm_mday = tm->tm_mday };
	return timegm(&day) >= 0 && day.tm_mon == tm->tm_mon && day.tm_mday == tm->tm_mday;
}

/* A leap second (:60) counts as the first second of the next minute. `brief`: seconds may be
 * missing. */
static bool time_of_day(struct cursor *c, struct tm *tm, bool brief)
{
	tm->tm_hour = (int)moment_digits(c, 2);
	if (!moment_take(c, ":"))
		return false;
	tm->tm_min = (int)moment_digits(c, 2);
	if (moment_take(c, ":"))
		tm->tm_sec = (int)moment_digits(c, 2);
	else if (!brief)
		return false;
	return tm->tm_hour >= 0 && tm->tm_hour < 24 && tm->tm_min >= 0 && tm->tm_min < 60 &&
	       tm->tm_sec >= 0 && tm->tm_sec <= 60;
}

static bool moment(struct cursor *c, int64_t *seconds, int64_t *ns)
{
	struct tm tm = { 0 };
	int64_t east;

	if (moment_take(c, "@")) {
		*seconds = (int64_t)cursor_number(c, 10);
		return fraction(c, ns) && !c->failed;
	}
	if (!date(c, &tm) || !moment_take(c, "Tt ") || !time_of_day(c, &tm, false) ||
	    !fraction(c, ns) || !zone(c, &east))
		return false;
	*seconds = timegm(&tm) - east;
	return true;
}

int parse_time(const char *text, int64_t *time_nanos, struct error *err)
{
	int64_t seconds, ns;
	struct cursor c;

	cursor_init(&c, text, strlen(text), "time");
	if (!moment(&c, &seconds, &ns) || cursor_left(&c) || seconds < 0 ||
	    seconds > INT64_MAX / NS - 1)
		return error_set(err, ERR_USAGE,
				 "'%s' is no time; expected one like "
				 "2026-11-21T17:15:00Z or @1700000000",
				 text);
	*time_nanos = seconds * NS + ns;
	return 0;
}

/* "10:05" or "10:05:30": the one that is nearest to `near`, before it or, with `later`, behind. */
static bool clock_time(struct cursor *c, int64_t near, bool later, int64_t *seconds)
{
	struct tm tm = { 0 };
	int64_t day = near - near % DAY;

	if (!time_of_day(c, &tm, true) || cursor_left(c))
		return false;
	*seconds = day + tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec;
	if (later && *seconds <= near)
		*seconds += DAY;
	if (!later && *seconds > near)
		*seconds -= DAY;
	return true;
}

/* "2026-11-21" or "2026-11-21T10:05". */
static bool brief_date(struct cursor *c, bool later, int64_t *seconds)
{
	struct tm tm = { 0 };
	int64_t east = 0;

	if (!date(c, &tm))
		return false;
	if (!cursor_left(c)) {
		*seconds = timegm(&tm) + (later ? DAY : 0);
		return true;
	}
	if (!moment_take(c, "Tt ") || !time_of_day(c, &tm, true) || !zone(c, &east))
		return false;
	*seconds = timegm(&tm) - east;
	return !cursor_left(c);
}

int parse_moment(const char *text, int64_t near_nanos, bool later, int64_t *time_nanos,
		 struct error *err)
{
	int64_t seconds = 0;
	struct cursor c;
	bool good;

	cursor_init(&c, text, strlen(text), "time");
	good = clock_time(&c, near_nanos / NS, later, &seconds);
	if (!good) {
		cursor_init(&c, text, strlen(text), "time");
		good = brief_date(&c, later, &seconds);
	}
	if (good && seconds >= 0 && seconds < INT64_MAX / NS) {
		*time_nanos = seconds * NS;
		return 0;
	}
	if (!parse_time(text, time_nanos, err))
		return 0;
	return error_set(err, ERR_USAGE,
			 "'%s' is no time; expected one like 10:05, 2026-11-21, "
			 "2026-11-21T17:15:00Z or @1700000000",
			 text);
}
