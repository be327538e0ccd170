/* --last counts back from --to or, without it, from now. The bounds are INT64_MIN and INT64_MAX
 * where none was given, and stay that when the range is moved back. */
#include "cli/rounds/range.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "cli/common/cli.h"
#include "rounds/catalog/rows.h"

static int range_add_tag(struct range_options *o, const char *text, struct error *err)
{
	const char *colon = strchr(text, ':');

	if (!colon || colon == text)
		return error_set(err, ERR_USAGE, "'%s' is no tag; expected KEY:VALUE", text);
	if (o->tag_count == RANGE_TAGS_MAX)
		return error_set(err, ERR_USAGE, "more than %d tags", RANGE_TAGS_MAX);
	o->tags[o->tag_count++] = (struct range_tag){ text, colon + 1 };
	return 0;
}

int range_option(struct range_options *o, int option, char *value, struct error *err)
{
	switch (option) {
	case RANGE_FROM:
		o->from = value;
		return 0;
	case RANGE_TO:
		o->to = value;
		return 0;
	case RANGE_LAST:
		o->last = value;
		return 0;
	case RANGE_TAG:
		return range_add_tag(o, value, err);
	default:
		return OPTION_OTHER;
	}
}

bool range_given(const struct range_options *o)
{
	return o->from || o->to || o->last || o->tag_count;
}

int range_make(struct batch_range *r, const struct range_options *o, int64_t now, struct error *err)
{
	uint64_t last = 0;
	int rc = 0;

	*r = (struct batch_range){ .options = o, .from = INT64_MIN, .to = INT64_MAX };
	if (o->last && o->from)
		return error_set(err, ERR_USAGE, "'--last' and '--from' exclude each other");
	if (o->from)
		rc = parse_moment(o->from, now, false, &r->from, err);
	if (!rc && o->to) /* after --from; without it the last one, or the end of a day */
		rc = parse_moment(o->to, o->from ? r->from : now,
				  o->from || (strchr(o->to, '-') && !strchr(o->to, ':')), &r->to,
				  err);
	if (!rc && o->last)
		rc = parse_positive_duration(o->last, &last, err);
	if (rc)
		return rc;
	if (o->last) {
		r->to = o->to ? r->to : now;
		r->from = last < (uint64_t)r->to ? r->to - (int64_t)last : 0;
	}
	if (r->from >= r->to)
		return error_set(err, ERR_USAGE, "'--to %s' is not after '--from %s'", o->to,
				 o->from);
	return 0;
}

void range_back(struct batch_range *r, uint64_t ns)
{
	int64_t by = ns < INT64_MAX ? (int64_t)ns : INT64_MAX;

	if (r->from != INT64_MIN && __builtin_sub_overflow(r->from, by, &r->from))
		r->from = INT64_MIN;
	if (r->to != INT64_MAX && __builtin_sub_overflow(r->to, by, &r->to))
		r->to = INT64_MIN;
}

static bool has_tags(const struct batch_range *r, const struct catalog *c,
		     const struct catalog_row *row)
{
	char key[256];

	for (size_t i = 0; i < r->options->tag_count; i++) {
		const struct range_tag *tag = &r->options->tags[i];

		snprintf(key, sizeof(key), "%.*s", (int)(tag->value - tag->text - 1), tag->text);
		if (!catalog_tagged(c, row, key, tag->value))
			return false;
	}
	return true;
}

bool range_has(const struct batch_range *r, const struct catalog *c, const struct catalog_row *row)
{
	int64_t start = catalog_start(row), middle = start + (catalog_end(row) - start) / 2;

	return middle >= r->from && (middle < r->to || r->to == INT64_MAX) && has_tags(r, c, row);
}

const char *range_time(int64_t ns, char text[24])
{
	time_t seconds = ns / (int64_t)NS_PER_S;
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) || !strftime(text, 24, "%Y-%m-%d %H:%M:%S", &tm))
		strcpy(text, "?");
	return text;
}

int range_empty(const struct batch_range *r, const struct catalog *c, const char *path,
		struct error *err)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	char from[24], to[24];

	for (size_t i = 0; i < c->count; i++) {
		int64_t start = catalog_start(&c->rows[i]), end = catalog_end(&c->rows[i]);

		first = start < first ? start : first;
		last = end > last ? end : last;
	}
	return error_set(err, ERR_NOTFOUND,
			 "no batch of '%s' has its middle in that time%s: its "
			 "%zu are from %s to %s (UTC)",
			 path, r->options->tag_count ? " and such tags" : "", c->count,
			 range_time(first, from), range_time(last, to));
}
