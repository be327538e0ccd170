// links: pprof/file
/*
 * pprof bytes, compressed or not. A decoded profile must pass through the encoder unchanged:
 * encode, decode, encode gives the same bytes. And it must be sound: every id refers to an entry,
 * and adding a function or location that exists returns its id.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/file/zstd.h"
#include "pprof/profile.h"
#include "pprof/wire/decode.h"
#include "pprof/wire/encode.h"
#include "pprof/wire/gzip.h"
#include "tests/fuzz/roundtrip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 64 << 10, LIMIT = 1 << 20 };

static void check_numbers(const struct profile *p)
{
	uint32_t strings = p->strings.count;

	for (size_t i = 0; i < p->stack_count; i++)
		must(p->stack[i] - 1 < p->location_count);
	for (size_t i = 0; i < p->line_count; i++)
		must(p->lines[i].function - 1 < p->function_count);
	for (size_t i = 0; i < p->location_count; i++)
		must(p->locations[i].mapping <= p->mapping_count &&
		     p->locations[i].first_line + p->locations[i].lines <= p->line_count);
	for (size_t i = 0; i < p->label_count; i++)
		must(p->labels[i].key < strings && p->labels[i].str < strings &&
		     p->labels[i].num_unit < strings);
	for (size_t i = 0; i < p->sample_count; i++)
		must(p->samples[i].first_location + p->samples[i].locations <= p->stack_count &&
		     p->samples[i].first_label + p->samples[i].labels <= p->label_count);
	must(p->value_count == p->sample_count * p->type_count);
}

static void add_what_is_there(struct profile *p)
{
	size_t functions = p->function_count, locations = p->location_count;
	uint32_t id;

	for (size_t i = 0; i < functions; i++) {
		struct profile_function f = p->functions[i];

		must(profile_add_function(p, &f, &id) == 0 && id <= i + 1);
	}
	for (size_t i = 0; i < locations; i++) {
		struct profile_location l = p->locations[i];

		must(profile_add_location(p, &l, l.lines ? p->lines + l.first_line : NULL, l.lines,
					  &id) == 0 &&
		     id <= i + 1);
	}
	must(p->function_count == functions && p->location_count == locations);
}

static void decode(const uint8_t *data, size_t size)
{
	struct error err = { 0 };
	struct profile p;
	int rc;

	must(profile_init(&p) == 0);
	rc = profile_decode(&p, data, size, &err);
	if (!rc) {
		check_numbers(&p);
		round_trip(&p);
		add_what_is_there(&p);
		round_trip(&p);
	} else {
		must(rc == ERR_FORMAT && strstr(err.text, " at offset "));
	}
	profile_release(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer plain = { 0 };

	if (size > INPUT_MAX)
		return 0;
	if (gzip_detect(data, size)) {
		if (gzip_uncompress(data, size, LIMIT, &plain, NULL) == 0)
			decode(plain.data, plain.len);
	} else if (zstd_detect(data, size)) {
		if (zstd_uncompress(data, size, LIMIT, &plain, NULL) == 0)
			decode(plain.data, plain.len);
	} else {
		decode(data, size);
	}
	buffer_release(&plain);
	return 0;
}
