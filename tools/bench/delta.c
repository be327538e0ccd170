// links: delta pprof/file
/*
 * Makes heap profiles, and takes their differences:
 *
 *	delta make SAMPLES ROUND FILE	a heap as Go writes it, not compressed: stacks 20 deep;
 *					in each round a tenth of them allocates more
 *	delta raw|gzip TYPES OLD NEW N	N calls after the first, with OLD and NEW in turn; prints
 *					CPU ms of a call, peak kB, bytes written; gzip: input and
 *					output are compressed
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "delta/delta.h"
#include "pprof/file/read.h"
#include "pprof/profile.h"
#include "pprof/wire/encode.h"
#include "pprof/wire/gzip.h"

enum { DEPTH = 20, FUNCTIONS = 6000, LOCATIONS = 12000, TEXT = 128 };

static void check(int rc, const char *what)
{
	if (rc) {
		fprintf(stderr, "delta: %s\n", what);
		exit(1);
	}
}

static uint64_t mix(uint64_t z) /* splitmix64 (Vigna) */
{
	z += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void add_places(struct profile *p)
{
	uint32_t id;

	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		struct profile_function f = { .start_line = i % 1000 };
		char name[TEXT];

		snprintf(name, sizeof(name),
			 "github.com/example/service/internal/store%u.(*Type%u).method%u", i / 40,
			 i % 40 / 6, i);
		check(profile_string(p, name, &f.name), "out of memory");
		f.system_name = f.name;
		snprintf(name, sizeof(name),
			 "/go/src/github.com/example/service/internal/store%u/file%u.go", i / 40,
			 i % 40 / 8);
		check(profile_string(p, name, &f.filename) || profile_add_function(p, &f, &id),
		      "out of memory");
	}
	for (uint32_t i = 0; i < LOCATIONS; i++) {
		struct profile_location l = { .mapping = 1, .address = 0x400000 + 37 * i };
		struct profile_line line = { .function = i % FUNCTIONS + 1, .line = i % 1200 };

		check(profile_add_location(p, &l, &line, 1, &id), "out of memory");
	}
}

/* Stacks share their outer frames with their neighbours. */
static void make_stack(uint64_t nth, uint32_t stack[DEPTH])
{
	for (uint32_t i = 0; i < DEPTH; i++)
		stack[i] = (uint32_t)(mix((nth >> i) << 8 | i) % LOCATIONS) + 1;
}

static void add_sample(struct profile *p, uint64_t nth, uint64_t round, uint32_t bytes)
{
	uint64_t r = mix(nth), size = 16 << r % 10, count = 1 + r % 100, more = 0;
	struct profile_label label = { .key = bytes, .num = (int64_t)size, .num_unit = bytes };
	uint32_t stack[DEPTH];
	int64_t values[4];

	for (uint64_t i = 1; i <= round; i++)
		more += mix(nth ^ i << 40) % 10 ? 0 : 1 + r % 10;
	values[0] = (int64_t)(count + more);
	values[1] = values[0] * (int64_t)size;
	values[2] = (int64_t)(mix(nth ^ round << 50) % 4 ? 0 : count / 2);
	values[3] = values[2] * (int64_t)size;
	make_stack(nth, stack);
	check(profile_add_sample(p, stack, DEPTH, values, &label, 1), "out of memory");
}

static void make(uint64_t samples, uint64_t round, const char *path)
{
	static const char *const types[][2] = { { "alloc_objects", "count" },
						{ "alloc_space", "bytes" },
						{ "inuse_objects", "count" },
						{ "inuse_space", "bytes" } };
	struct profile_mapping mapping = { .start = 0x400000, .limit = 0x900000 };
	struct outfile file = OUTFILE_NONE;
	struct buffer out = { 0 };
	struct profile p;
	struct error err;
	uint32_t id, bytes;

	check(profile_init(&p), "out of memory");
	for (size_t i = 0; i < 4; i++)
		check(profile_add_type(&p, types[i][0], types[i][1]), "out of memory");
	check(profile_string(&p, "/bin/service", &mapping.filename) ||
		      profile_add_mapping(&p, &mapping, &id) || profile_string(&p, "bytes", &bytes),
	      "out of memory");
	add_places(&p);
	for (uint64_t i = 0; i < samples; i++)
		add_sample(&p, i, round, bytes);
	p.time_nanos = 1700000000000000000 + (int64_t)round * 60000000000;
	check(profile_encode(&p, &out, &err) || outfile_open(&file, path, &err) ||
		      outfile_write(&file, out.data, out.len, &err) || outfile_commit(&file, &err),
	      err.text);
	buffer_release(&out);
	profile_release(&p);
}

struct run {
	struct delta_computer *dc;
	struct gzip_stream *zip;
	size_t written;
};

static int count(void *ctx, const void *data, size_t len, struct error *err)
{
	(void)data, (void)err;
	((struct run *)ctx)->written += len;
	return 0;
}

static int zip(void *ctx, const void *data, size_t len, struct error *err)
{
	return gzip_stream_write(((struct run *)ctx)->zip, data, len, err);
}

static double cpu_ms(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

/* Returns CPU ms, without those of reading the file. */
static double take(struct run *r, const char *path)
{
	struct buffer profile = { 0 };
	struct error err;
	double start;

	check(profile_load(&profile, path, 0, &err), err.text);
	start = cpu_ms();
	r->written = 0;
	if (r->zip)
		gzip_stream_begin(r->zip, count, r);
	check(delta_compute(r->dc, profile.data, profile.len, r->zip ? zip : count, r, &err) ||
		      (r->zip && gzip_stream_end(r->zip, &err)),
	      err.text);
	start = cpu_ms() - start;
	buffer_release(&profile);
	return start;
}

/* "a/b,c/d" -> two types, for the one kind of profile that is made here. */
static size_t split_types(char *text, struct delta_type types[8])
{
	size_t n = 0;

	for (char *t = strtok(text, ","); t && n < 8; t = strtok(NULL, ",")) {
		char *slash = strchr(t, '/');

		if (slash)
			*slash = '\0';
		types[n++] = (struct delta_type){ t, slash ? slash + 1 : "" };
	}
	return n;
}

/* The peak of this program alone; that of getrusage includes the process before exec. */
static long peak_kb(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long kb = 0;

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "VmHWM: %ld", &kb) == 1)
			break;
	if (status)
		fclose(status);
	return kb;
}

static void run(char **argv)
{
	struct delta_type types[8];
	struct delta_options options = { .types = types, .allow_negative = true };
	struct run r = { 0 };
	struct error err;
	int rounds = atoi(argv[5]);
	double ms = 0;

	options.type_count = split_types(argv[2], types);
	check(delta_new(&r.dc, &options, &err) ||
		      (!strcmp(argv[1], "gzip") &&
		       gzip_stream_new(&r.zip, GZIP_STREAM_LEVEL, &err)),
	      err.text);
	take(&r, argv[3]);
	for (int i = 1; i <= rounds; i++)
		ms += take(&r, argv[i & 1 ? 4 : 3]);
	printf("%.3f %ld %zu\n", ms / rounds, peak_kb(), r.written);
	delta_free(r.dc);
	gzip_stream_free(r.zip);
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "make"))
		make(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), argv[4]);
	else if (argc == 6 && (!strcmp(argv[1], "raw") || !strcmp(argv[1], "gzip")))
		run(argv);
	else
		check(1, "usage: delta make SAMPLES ROUND FILE | raw|gzip TYPES OLD NEW N");
	return 0;
}
