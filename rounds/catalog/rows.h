/* The rows of a catalog: what is known of each batch. Texts are kept once, since most batches have
 * the same. */
#ifndef ROUNDS_CATALOG_ROWS_H
#define ROUNDS_CATALOG_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strset.h"
#include "rounds/batch/name.h"

enum catalog_kind {
	CATALOG_TAG,	 /* name: key, text: value; an attribute of the process, too */
	CATALOG_FILE,	 /* name: type, text: file, note: as in event.json, or "" */
	CATALOG_DELTA,	 /* the same, of values since the previous round */
	CATALOG_SKIPPED, /* name: type, text: why */
	CATALOG_KINDS,
};

struct catalog_item {
	uint32_t kind;
	uint32_t name, text, note; /* strings of the catalog */
};

struct catalog_row {
	struct batch_name name;
	uint64_t inode; /* of the batch's folder, as readdir(3) has it */
	uint64_t duration_ns;
	uint64_t pid, process_start_ns; /* unix time; 0: not known */
	uint64_t samples, target_cpu_ns;
	uint64_t is_sampled;	     /* 1: there are samples and target_cpu_ns */
	double cpu, rss, goroutines; /* of metrics.json: CPUs, bytes, number; NAN: not known */
	uint32_t series, command, host, ended; /* strings */
	uint32_t items;			       /* how many, from first_item on */
	uint32_t first_item;
	uint32_t trouble; /* string: why it cannot be read; 0: it could */
};

/* What the index keeps of a row: its bytes up to here, as they are. */
enum { CATALOG_ROW_KEPT = offsetof(struct catalog_row, first_item) };
_Static_assert(CATALOG_ROW_KEPT == 12 * 8 + 5 * 4, "no gaps in the index's rows");

struct catalog {
	struct strset strings;
	struct catalog_row *rows; /* by number, then by time */
	struct catalog_item *items;
	size_t count, room, item_count, item_room;
	size_t opened; /* batches that were read because the index did not have them */
};

/* Makes *c empty. 0 or ERR_NOMEM. The caller calls catalog_release, after an error too. */
int catalog_init(struct catalog *c);
void catalog_release(struct catalog *c);

/* Adds a copy of a row of `from`. ERR_NOMEM. */
int catalog_copy(struct catalog *c, const struct catalog *from, const struct catalog_row *row);

/* Adds a row, and items to the last row. ERR_NOMEM. */
int catalog_add(struct catalog *c, const struct catalog_row *row);
int catalog_add_item(struct catalog *c, enum catalog_kind kind, const char *name, const char *text,
		     const char *note);

static inline const char *catalog_text(const struct catalog *c, uint32_t string)
{
	return strset_get(&c->strings, string);
}

/* The next item of the row that has this kind, behind `after` (NULL: the first); NULL: none. */
const struct catalog_item *catalog_next(const struct catalog *c, const struct catalog_row *row,
					enum catalog_kind kind, const struct catalog_item *after);

/* When it began and ended, in ns since 1970. The end of what a hostile file says is cut. */
int64_t catalog_start(const struct catalog_row *row);
int64_t catalog_end(const struct catalog_row *row);

/* Has the row this tag or attribute? */
bool catalog_tagged(const struct catalog *c, const struct catalog_row *row, const char *key,
		    const char *value);

/* Are both of one process? Starts of a process are computed from the wall clock by each sampler:
 * they may differ by two seconds. */
bool catalog_same_process(const struct catalog_row *a, const struct catalog_row *b);

#endif
