/*
 * Which batches of a folder a command is about: --from, --to, --last, --tag; and of which type,
 * --type.
 *
 * Times are UTC, as in the names of batches: a folder may come from another machine, whose zone is
 * not known here. A batch belongs to a range if its middle lies in it. So each batch belongs to
 * exactly one of two ranges that meet, and rounds longer than a range can still be found. Rejected:
 * batches that overlap with the range, which would count those at its edge twice in
 * `diff --last 1h --against 1h`.
 */
#ifndef CLI_ROUNDS_RANGE_H
#define CLI_ROUNDS_RANGE_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct catalog;
struct catalog_row;
struct error;

/* Neither letters nor numbers of the commands' own options. */
enum {
	RANGE_FROM = 0xa0,
	RANGE_TO,
	RANGE_LAST,
	RANGE_TAG,
	RANGE_TAGS_MAX = 32,
};

#define RANGE_OPTIONS \
	{ "from", required_argument, NULL, RANGE_FROM }, \
		{ "to", required_argument, NULL, RANGE_TO }, \
		{ "last", required_argument, NULL, RANGE_LAST }, \
	{ \
		"tag", required_argument, NULL, RANGE_TAG \
	}

/* Texts are borrowed from the command line. {0}: all batches. */
struct range_options {
	const char *from, *to, *last;
	struct range_tag {
		const char *text, *value; /* KEY:VALUE, and what follows the colon */
	} tags[RANGE_TAGS_MAX];
	size_t tag_count;
};

/* From `from` on until before `to`, ns since 1970. */
struct batch_range {
	const struct range_options *options;
	int64_t from, to;
};

/* Takes an option. OPTION_OTHER; ERR_USAGE: not KEY:VALUE. */
int range_option(struct range_options *o, int option, char *value, struct error *err);

/* Was any of them given? */
bool range_given(const struct range_options *o);

/* Makes the range out of the options; `now` is ns since 1970. ERR_USAGE. */
int range_make(struct batch_range *r, const struct range_options *o, int64_t now,
	       struct error *err);

/* Moves it back by so many ns. */
void range_back(struct batch_range *r, uint64_t ns);

bool range_has(const struct batch_range *r, const struct catalog *c, const struct catalog_row *row);

/* Why there is nothing: sets ERR_NOTFOUND, with the times of the batches that there are. */
int range_empty(const struct batch_range *r, const struct catalog *c, const char *path,
		struct error *err);

/* "2026-11-21 17:15:00". Returns `text`, of 24 bytes. */
const char *range_time(int64_t ns, char text[24]);

#endif
