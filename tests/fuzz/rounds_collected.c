// links: rounds/collect
/* Any bytes from a collecting process: items lie within them, are of requested types, one of each,
 * and have names and texts that may be shown. Two bytes choose the requested types. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rounds/collect/collected.h"
#include "rounds/collect/customname.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text)
{
	must(strlen(text) < COLLECTED_TEXT);
	for (; *text; text++)
		must((unsigned char)*text >= ' ' && *text != 0x7f);
}

static void check_item(const struct collection_item *item, const uint8_t *data, size_t size)
{
	must(!item->data != !item->why_not);
	if (item->data)
		must(item->data >= data && item->data <= data + size &&
		     item->len <= (size_t)(data + size - item->data));
	check_text(item->name);
	if (item->why_not)
		check_text(item->why_not);
	if (item->note)
		check_text(item->note);
	must(!*item->name || (item->type == CAPTURE_CUSTOM && customname_good(item->name)));
}

static void check(const struct collected *c, unsigned types, const uint8_t *data, size_t size)
{
	unsigned seen = 0;

	must(c->count <= COLLECTED_ITEMS);
	must(c->memory || !c->memory_len);
	must(!c->memory ||
	     (c->memory >= data && c->memory_len <= (size_t)(data + size - c->memory)));
	for (size_t i = 0; i < c->count; i++) {
		unsigned bit = CAPTURE_BIT(c->items[i].type);

		must(c->items[i].type < CAPTURE_TYPES && types & bit);
		must(!(seen & bit) || c->items[i].type == CAPTURE_CUSTOM);
		seen |= bit;
		check_item(&c->items[i], data, size);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct collected c = { 0 };
	unsigned types;
	uint8_t *copy;
	int rc;

	if (size < 2)
		return 0;
	types = (data[0] | (unsigned)data[1] << 8) & ((1U << CAPTURE_TYPES) - 1);
	copy = malloc(size - 2 + (size == 2));
	must(copy);
	memcpy(copy, data + 2, size - 2);
	rc = collected_read(&c, copy, size - 2, types, NULL);
	must(rc == 0 || rc == ERR_FORMAT);
	check(&c, types, copy, size - 2);
	must(collected_fill(&c, types, "why") == 0);
	for (int i = 0; i < CAPTURE_TYPES; i++)
		must(!(types & CAPTURE_BIT(i)) || c.count);
	collected_release(&c);
	free(copy);
	return 0;
}
