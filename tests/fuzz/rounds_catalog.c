// links: rounds/catalog
/* Any bytes as an event.json, a metrics.json or an index of a folder: a row has items of its own and
 * texts that may be shown, or none; an index that is accepted is written again with the same bytes.
 * The first byte chooses. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/buffer.h"
#include "base/error.h"
#include "rounds/catalog/describe.h"
#include "rounds/catalog/index.h"
#include "rounds/catalog/rows.h"
#include "tests/fuzz/must.h"

enum { HASH_AT = 18, HASHED_FROM = HASH_AT + 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct catalog *c)
{
	size_t items = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct catalog_row *r = &c->rows[i];

		must(r->first_item <= c->item_count && r->items <= c->item_count - r->first_item);
		must(r->series < c->strings.count && r->command < c->strings.count);
		must(r->host < c->strings.count && r->ended < c->strings.count);
		must(catalog_end(r) >= catalog_start(r));
		items += r->items;
	}
	must(items == c->item_count);
	for (uint32_t i = 0; i < c->strings.count; i++)
		for (const char *text = strset_get(&c->strings, i); *text; text++)
			must((unsigned char)*text >= ' ' && *text != 0x7f);
}

static void check_round_trip(const struct catalog *c)
{
	struct buffer once = { 0 }, twice = { 0 };
	struct catalog again;

	must(!catalog_init(&again) && !batchindex_write(c, &once));
	must(!batchindex_read(&again, once.data, once.len));
	check(&again);
	must(again.count == c->count && again.item_count == c->item_count);
	must(!batchindex_write(&again, &twice));
	must(once.len == twice.len && !memcmp(once.data, twice.data, once.len));
	buffer_release(&once);
	buffer_release(&twice);
	catalog_release(&again);
}

/* With the hash that it should have, or few inputs would come further. */
static int read_index(struct catalog *c, const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	uint64_t hash;
	int rc;

	must(copy != NULL);
	memcpy(copy, data, size);
	if (size >= HASHED_FROM) {
		hash = XXH3_64bits(copy + HASHED_FROM, size - HASHED_FROM);
		memcpy(copy + HASH_AT, &hash, sizeof(hash));
	}
	rc = batchindex_read(c, copy, size);
	free(copy);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct catalog_row row = { .name.sequence = 1 };
	struct catalog c;
	int rc;

	if (!size)
		return 0;
	must(!catalog_init(&c));
	if (data[0] % 3 == 2) {
		rc = read_index(&c, data + 1, size - 1);
	} else {
		must(!catalog_add(&c, &row));
		rc = (data[0] % 3 ? describe_metrics : describe_event)(&c, data + 1, size - 1,
								       NULL);
		must(!rc || !c.item_count);
	}
	must(rc == 0 || rc == ERR_FORMAT);
	if (!rc || data[0] % 3 != 2)
		check(&c);
	if (!rc)
		check_round_trip(&c);
	catalog_release(&c);
	return 0;
}
