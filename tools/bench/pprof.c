// links: pprof/file
/*
 * Makes profiles to measure with, and does the work that is measured:
 *
 *   pprof make KIND MEGABYTES FILE [SEED]
 *                                    a profile of KIND (heap, cpu), about that large when
 *                                    not compressed; the same bytes every time. With another
 *                                    SEED other samples of the same program
 *   pprof raw|gzip IN OUT            reads IN, decodes, encodes and writes OUT, with
 *                                    gzip in and out or without; tools/bench/usage measures
 *   pprof decode|encode|zip|unzip FILE ROUNDS
 *                                    prints the CPU seconds of a round of that alone,
 *                                    and the bytes, plain and compressed
 *
 * The generated profiles are like those of a large Go service: calls go from each place
 * to a few others, some much more often; stacks 8 to 48 deep share their outer frames
 * with the stack before; a third of the locations have inlined calls; heap samples have
 * four values and their objects' size, CPU samples two and two labels.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "pprof/file/read.h"
#include "pprof/profile.h"
#include "pprof/wire/decode.h"
#include "pprof/wire/encode.h"
#include "pprof/wire/gzip.h"

enum { DEPTH_MIN = 8, DEPTH_MAX = 48, BYTES_OF_SAMPLE = 92 };

static void die(const char *what)
{
	fprintf(stderr, "pprof: %s\n", what);
	exit(1);
}

static void check(int rc, const struct error *err)
{
	if (rc)
		die(err->text);
}

/* splitmix64 (Vigna), from a fixed seed. */
static uint64_t random_state = 1;

static uint64_t mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t random_below(uint64_t n)
{
	return mix(random_state += 0x9e3779b97f4a7c15) % n;
}

static uint32_t string(struct profile *p, const char *text)
{
	uint32_t id;

	if (profile_string(p, text, &id))
		die("out of memory");
	return id;
}

static void add_functions(struct profile *p, uint32_t count)
{
	static const char *const verbs[] = { "Read", "handleRequest", "Marshal",      "get",
					     "Do",   "processBatch",  "lookupLocked", "func1" };
	uint32_t id;

	for (uint32_t i = 0; i < count; i++) {
		struct profile_function f = { .start_line = 10 + i % 900 };
		unsigned package = i / 40;
		char text[160];

		snprintf(text, sizeof(text),
			 "github.com/example/service%u/internal/store%u.(*Type%u).%s%u",
			 package % 7, package, i % 40 / 6, verbs[i % 8], i);
		f.name = f.system_name = string(p, text);
		snprintf(text, sizeof(text),
			 "/go/src/github.com/example/service%u/internal/store%u/"
			 "file%u.go",
			 package % 7, package, i % 40 / 8);
		f.filename = string(p, text);
		if (profile_add_function(p, &f, &id))
			die("out of memory");
	}
}

static void add_locations(struct profile *p, uint32_t count, uint32_t functions)
{
	uint32_t id;

	for (uint32_t i = 0; i < count; i++) {
		struct profile_location l = { .mapping = 1,
					      .address = 0x400000 + 37 * (uint64_t)i };
		size_t lines = i % 3 ? 1 : 2 + i % 2;
		struct profile_line line[3];

		for (size_t j = 0; j < lines; j++)
			line[j] = (struct profile_line){
				.function = (uint32_t)(mix(i * 4 + j) % functions) + 1,
				.line = 10 + (int64_t)(mix(i * 4 + j) >> 32) % 1200,
			};
		if (profile_add_location(p, &l, line, lines, &id))
			die("out of memory");
	}
}

/* The callee of a call from `from`: one of eight places, half of the time the same one. */
static uint32_t callee(uint32_t from, uint32_t locations)
{
	uint32_t branch = (uint32_t)__builtin_ctzll(random_below(256) | 128);

	return (uint32_t)(mix((uint64_t)from << 8 | branch) % locations) + 1;
}

struct labels {
	uint32_t bytes, thread, endpoint;
	uint32_t names[64];
};

static size_t label_sample(const struct labels *l, bool heap, struct profile_label out[2])
{
	uint64_t n = random_below(64);

	if (heap) {
		out[0] = (struct profile_label){ .key = l->bytes,
						 .num = 16 << n % 12,
						 .num_unit = l->bytes };
		return 1;
	}
	out[0] = (struct profile_label){ .key = l->thread, .num = 4000 + (int64_t)n };
	out[1] = (struct profile_label){ .key = l->endpoint, .str = l->names[n] };
	return 2;
}

static void add_samples(struct profile *p, size_t count, bool heap, const struct labels *l)
{
	uint32_t stack[DEPTH_MAX], leaf_first[DEPTH_MAX];
	size_t depth = 0;

	for (size_t i = 0; i < count; i++) {
		size_t want = DEPTH_MIN + random_below(DEPTH_MAX - DEPTH_MIN + 1);
		size_t kept = random_below(want) + random_below(want);
		int64_t n = 1 + (int64_t)random_below(40), size = 16 << random_below(12);
		int64_t values[4] = { n, n * (heap ? size : 10000000), n / 2, n / 2 * size };
		struct profile_label labels[2];

		kept = kept < want ? kept : want - 1;
		depth = depth < kept ? depth : kept;
		for (; depth < want; depth++)
			stack[depth] = callee(depth ? stack[depth - 1] : 0,
					      (uint32_t)p->location_count);
		for (size_t j = 0; j < depth; j++)
			leaf_first[j] = stack[depth - 1 - j];
		if (profile_add_sample(p, leaf_first, depth, values, labels,
				       label_sample(l, heap, labels)))
			die("out of memory");
	}
}

static void make(struct profile *p, bool heap, size_t megabytes)
{
	size_t samples = megabytes * 1000000 / BYTES_OF_SAMPLE * 9 / 10;
	uint32_t functions = (uint32_t)(3000 + samples / 16);
	struct profile_mapping m = { .start = 0x400000,
				     .limit = 0x4000000,
				     .has_functions = true,
				     .has_filenames = true,
				     .has_line_numbers = true,
				     .has_inline_frames = true };
	struct labels l;
	uint32_t id;
	char text[32];

	profile_add_type(p, heap ? "alloc_objects" : "samples", "count");
	profile_add_type(p, heap ? "alloc_space" : "cpu", heap ? "bytes" : "nanoseconds");
	if (heap) {
		profile_add_type(p, "inuse_objects", "count");
		profile_add_type(p, "inuse_space", "bytes");
	}
	m.filename = string(p, "/usr/local/bin/service");
	m.build_id = string(p, "0123456789abcdef0123456789abcdef01234567");
	profile_add_mapping(p, &m, &id);
	l.bytes = string(p, "bytes");
	l.thread = string(p, "thread");
	l.endpoint = string(p, "endpoint");
	for (unsigned i = 0; i < 64; i++) {
		snprintf(text, sizeof(text), "/api/v1/resource%u", i);
		l.names[i] = string(p, text);
	}
	add_functions(p, functions);
	add_locations(p, functions * 2, functions);
	add_samples(p, samples, heap, &l);
	p->period_type = p->types[1];
	p->period = heap ? 524288 : 10000000;
	p->time_nanos = 1700000000000000000;
	p->duration_nanos = 30000000000;
}

static void save(const struct profile *p, const char *path, bool zip)
{
	struct outfile f;
	struct error err;

	check(outfile_open(&f, path, &err), &err);
	check((zip ? profile_write : profile_write_plain)(p, &f, &err), &err);
	check(outfile_commit(&f, &err), &err);
}

static double cpu_seconds(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
	       (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
}

static void read_bytes(const char *path, struct buffer *out)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		die("cannot read the file");
	do {
		if (buffer_reserve(out, 1 << 20))
			die("out of memory");
		n = fread(out->data + out->len, 1, 1 << 20, f);
		out->len += n;
	} while (n);
	fclose(f);
}

static int into_buffer(void *ctx, const void *data, size_t len, struct error *err)
{
	(void)err;
	return buffer_add(ctx, data, len);
}

/* Does one of the steps alone, `rounds` times. The mean counts, because the peer's garbage
 * collector works in some rounds for all of them. */
static void measure(const char *what, const char *path, int rounds)
{
	struct buffer in = { 0 }, zipped = { 0 };
	struct profile given;
	double start;
	struct error err;

	read_bytes(path, &in);
	profile_init(&given);
	check(profile_decode(&given, in.data, in.len, &err), &err);
	check(gzip_compress(in.data, in.len, into_buffer, &zipped, &err), &err);
	start = cpu_seconds();
	for (int i = 0; i < rounds; i++) {
		struct buffer out = { 0 };
		struct profile p;

		profile_init(&p);
		if (!strcmp(what, "decode"))
			check(profile_decode(&p, in.data, in.len, &err), &err);
		else if (!strcmp(what, "encode"))
			check(profile_encode(&given, &out, &err), &err);
		else if (!strcmp(what, "zip"))
			check(gzip_compress(in.data, in.len, into_buffer, &out, &err), &err);
		else
			check(gzip_uncompress(zipped.data, zipped.len, in.len, &out, &err), &err);
		profile_release(&p);
		buffer_release(&out);
	}
	printf("%s %.6f %zu %zu\n", what, (cpu_seconds() - start) / rounds, in.len, zipped.len);
	buffer_release(&in);
	buffer_release(&zipped);
	profile_release(&given);
}

int main(int argc, char **argv)
{
	struct profile p;
	struct error err;

	if (argc == 4 && (!strcmp(argv[1], "raw") || !strcmp(argv[1], "gzip"))) {
		profile_init(&p);
		check(profile_read(&p, argv[2], 0, &err), &err);
		save(&p, argv[3], !strcmp(argv[1], "gzip"));
	} else if (argc >= 5 && !strcmp(argv[1], "make")) {
		random_state = argc > 5 ? strtoul(argv[5], NULL, 10) : 1;
		profile_init(&p);
		make(&p, !strcmp(argv[2], "heap"), strtoul(argv[3], NULL, 10));
		save(&p, argv[4], strstr(argv[4], ".gz") != NULL);
	} else if (argc == 4) {
		measure(argv[1], argv[2], atoi(argv[3]) > 0 ? atoi(argv[3]) : 1);
		return 0;
	} else {
		return 2;
	}
	profile_release(&p);
	return 0;
}
