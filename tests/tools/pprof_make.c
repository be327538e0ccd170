// links: pprof/file
/*
 * Writes a profile with every field of profile.proto set, through pprof/profile.h;
 * tests/oracle/gopprof makes the same profile with google/pprof and compares.
 *
 *   pprof_make FILE             writes that profile
 *   pprof_make FILE FROM        writes the profile FROM, decoded and encoded again
 */
#include <stdio.h>

#include "base/error.h"
#include "base/file/outfile.h"
#include "pprof/file/read.h"
#include "pprof/profile.h"
#include "pprof/wire/encode.h"

enum { FRAMES = 300 };

static uint32_t string(struct profile *p, const char *text)
{
	uint32_t id = 0;

	profile_string(p, text, &id);
	return id;
}

static uint32_t add_function(struct profile *p, const char *name, const char *system_name,
			     const char *file, int64_t start_line)
{
	struct profile_function f = { string(p, name), string(p, system_name), string(p, file),
				      start_line };
	uint32_t id = 0;

	profile_add_function(p, &f, &id);
	return id;
}

static void add_mappings(struct profile *p)
{
	struct profile_mapping all[] = {
		{ 0, 0x400000, 0x500000, 0x1000, string(p, "/bin/program"), string(p, "abcdef"),
		  true, true, true, true },
		{ 0, 0x7f0000000000, 0x7f0000001000, 0, string(p, "/lib/libc.so.6"), 0, true, false,
		  false, false },
		{ 0, 0xffffffffff600000, 0xffffffffff601000, 0, string(p, "[vsyscall]"), 0, false,
		  false, false, false },
	};
	uint32_t id;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		profile_add_mapping(p, &all[i], &id);
}

/* Location 1 is an inlined call and its caller; 2 has only a name; 3 has only an address. The
 * others, FRAMES of them, are one function at different lines. */
static void add_locations(struct profile *p)
{
	struct profile_line inlined[] = {
		{ add_function(p, "ns::inner<int>", "_ZN2ns5innerIiEEv", "/src/a.cc", 10), 12, 5 },
		{ add_function(p, "outer", "_Z5outerv", "/src/a.cc", 20), 1000000, 0 },
	};
	struct profile_line named = { add_function(p, "write", "write", "", 0), 0, 0 };
	struct profile_line deep = { add_function(p, "recurse", "recurse", "/src/b.c", -1), 0, 0 };
	struct profile_location all[] = {
		{ .mapping = 1, .address = 0x401234, .is_folded = true },
		{ .mapping = 2, .address = 0x7f0000000123 },
		{ .mapping = 3, .address = 0xffffffffff600007 },
	};
	uint32_t id;

	profile_add_location(p, &all[0], inlined, 2, &id);
	profile_add_location(p, &all[1], &named, 1, &id);
	profile_add_location(p, &all[2], NULL, 0, &id);
	for (int i = 0; i < FRAMES; i++) {
		struct profile_location l = { .mapping = 1, .address = 0x402000 + (uint64_t)i };

		deep.line = i + 1;
		profile_add_location(p, &l, &deep, 1, &id);
	}
}

static void add_samples(struct profile *p)
{
	struct profile_label labels[] = {
		{ .key = string(p, "thread"), .str = string(p, "wörker") },
		{ .key = string(p, "tid"), .num = 4711 },
		{ .key = string(p, "size"), .num = -64, .num_unit = string(p, "bytes") },
	};
	static const int64_t small[] = { 1, 10000000 }, large[] = { INT64_MAX, INT64_MIN },
			     none[] = { 0, 0 };
	uint32_t stack[FRAMES];

	for (uint32_t i = 0; i < FRAMES; i++)
		stack[i] = i + 4;
	profile_add_sample(p, (const uint32_t[]){ 1, 4 }, 2, small, labels, 3);
	profile_add_sample(p, (const uint32_t[]){ 2, 1, 4 }, 3, large, NULL, 0);
	profile_add_sample(p, (const uint32_t[]){ 3 }, 1, none, labels, 1);
	profile_add_sample(p, stack, FRAMES, small, labels + 1, 1);
}

static void make(struct profile *p)
{
	profile_add_type(p, "samples", "count");
	profile_add_type(p, "cpu", "nanoseconds");
	add_mappings(p);
	add_locations(p);
	add_samples(p);
	profile_add_comment(p, "first comment");
	profile_add_comment(p, "second comment");
	p->drop_frames = string(p, "dropped.*");
	p->keep_frames = string(p, "kept");
	p->doc_url = string(p, "https://example.org/doc");
	p->default_type = string(p, "cpu");
	p->period_type = p->types[1];
	p->period = 10101010;
	p->time_nanos = 1700000000123456789;
	p->duration_nanos = 30000000001;
}

static int write_file(const struct profile *p, const char *path, struct error *err)
{
	struct outfile f;
	int rc = outfile_open(&f, path, err);

	if (rc)
		return rc;
	rc = profile_write(p, &f, err);
	if (!rc)
		return outfile_commit(&f, err);
	outfile_abort(&f);
	return rc;
}

int main(int argc, char **argv)
{
	struct error err = { .text = "out of memory" };
	struct profile p;
	int rc;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: pprof_make FILE [FROM]\n");
		return 2;
	}
	rc = profile_init(&p);
	if (!rc && argc == 3)
		rc = profile_read(&p, argv[2], 0, &err);
	else if (!rc)
		make(&p);
	if (!rc)
		rc = write_file(&p, argv[1], &err);
	profile_release(&p);
	if (rc)
		fprintf(stderr, "pprof_make: %s\n", err.text);
	return rc ? 1 : 0;
}
