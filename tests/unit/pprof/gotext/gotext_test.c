/* Legacy texts, letter by letter. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "pprof/gotext/gotext.h"
#include "pprof/profile.h"

static struct profile p;

static uint32_t string(const char *text)
{
	uint32_t id = 0;

	profile_string(&p, text, &id);
	return id;
}

static struct profile_line line(const char *name, int64_t number)
{
	struct profile_function f = { string(name), string(name), string("/s.go"), 0 };
	struct profile_line l = { .line = number };

	profile_add_function(&p, &f, &l.function);
	return l;
}

static uint32_t place(uint64_t address, const char *name, const char *caller)
{
	struct profile_location l = { .address = address };
	struct profile_line lines[2];
	uint32_t id;

	if (name)
		lines[0] = line(name, 1);
	if (caller)
		lines[1] = line(caller, 22);
	profile_add_location(&p, &l, lines, (name ? 1 : 0) + (caller ? 1 : 0), &id);
	return id;
}

static void begin(void)
{
	cr_assert_eq(profile_init(&p), 0);
}

static void release(void)
{
	profile_release(&p);
}

#define LEGACY_WRITE(name) Test(legacy_write, name, .init = begin, .fini = release)

static void writes(const struct legacy_extras *extras, const char *want)
{
	struct buffer out = { 0 };
	struct error err;

	cr_assert_eq(legacy_write(&p, extras, &out, &err), 0, "%s", err.text);
	cr_assert_eq(buffer_add(&out, "", 1), 0);
	cr_assert_str_eq((char *)out.data, want);
	buffer_release(&out);
}

LEGACY_WRITE(counts_with_labels_and_columns)
{
	uint32_t stack[] = { place(0x10, "runtime.gopark", NULL),
			     place(0xfff, "main.a", "main.longer"),
			     place(0x20, "runtime.main", NULL), place(0x30, NULL, NULL) };
	struct profile_label labels[] = { { string("user"), string("x\"y"), 0, 0 },
					  { string("size"), 0, 64, string("bytes") },
					  { string("job"), string("z"), 0, 0 } };
	int64_t few = 2, many = 3;

	profile_add_type(&p, "goroutine", "count");
	profile_add_sample(&p, stack, 4, &few, labels, 3);
	profile_add_sample(&p, stack, 1, &many, NULL, 0);
	profile_add_sample(&p, NULL, 0, &few, NULL, 0);
	writes(NULL, "goroutine profile: total 7\n"
		     "3 @ 0x11\n"
		     "#\t0x10\truntime.gopark\t/s.go:1\n\n"
		     "2 @ 0x11 0x1000 0x21 0x31\n"
		     "# labels: {\"job\":\"z\", \"user\":\"x\\\"y\"}\n"
		     "#\t0xfff\tmain.a\t\t/s.go:1\n"
		     "#\t0xfff\tmain.longer\t/s.go:22\n"
		     "#\t0x20\truntime.main\t/s.go:1\n"
		     "#\t0x30\n\n"
		     "2 @\n"
		     "#\t0x0\n\n");
}

LEGACY_WRITE(names_end_no_line)
{
	uint32_t stack[] = { place(0x10, "a\n9 @ 0x5\t\x1b", NULL),
			     place(0x11, "main.F[go.shape.int,go.shape.[]uint8]", NULL),
			     place(0x12, "operator[](int [3])", NULL) };
	int64_t one = 1;

	profile_add_type(&p, "x", "count");
	profile_add_sample(&p, stack, 3, &one, NULL, 0);
	writes(NULL, "x profile: total 1\n1 @ 0x11 0x12 0x13\n"
		     "#\t0x10\ta?9 @ 0x5??\t\t/s.go:1\n"
		     "#\t0x11\tmain.F[...]\t\t/s.go:1\n"
		     "#\t0x12\toperator[](int [3])\t/s.go:1\n\n");
}

static void add_contention(void)
{
	uint32_t stack[] = { place(0x10, "runtime.unlock", NULL),
			     place(0x20, "runtime.goexit", NULL) };
	int64_t few[] = { 9, 100 }, many[] = { 1, 2000 };

	profile_add_type(&p, "contentions", "count");
	profile_add_type(&p, "delay", "nanoseconds");
	profile_add_sample(&p, stack, 2, few, NULL, 0);
	profile_add_sample(&p, stack, 1, many, NULL, 0);
}

LEGACY_WRITE(contention)
{
	add_contention();
	writes(NULL, "--- contention:\ncycles/second=1000000000\n"
		     "2000 1 @ 0x11\n#\t0x10\truntime.unlock\t/s.go:1\n\n"
		     "100 9 @ 0x11 0x21\n#\t0x10\truntime.unlock\t/s.go:1\n\n");
}

LEGACY_WRITE(mutexes)
{
	struct legacy_extras extras = { .mutex = true };

	add_contention();
	writes(&extras, "--- mutex:\ncycles/second=1000000000\nsampling period=1\n"
			"2000 1 @ 0x11\n#\t0x10\truntime.unlock\t/s.go:1\n\n"
			"100 9 @ 0x11 0x21\n#\t0x10\truntime.unlock\t/s.go:1\n\n");
}

static void add_heap(void)
{
	uint32_t stack[] = { place(0x10, "main.f", NULL) };
	int64_t most[] = { 26216, 2621690, 15730, 1573014 }, least[] = { 1, 829411, 0, 0 };
	struct profile_label small = { string("bytes"), 0, 100, 0 };
	struct profile_label large = { string("bytes"), 0, 524288, 0 };

	profile_add_type(&p, "alloc_objects", "count");
	profile_add_type(&p, "alloc_space", "bytes");
	profile_add_type(&p, "inuse_objects", "count");
	profile_add_type(&p, "inuse_space", "bytes");
	p.period = 524288;
	profile_add_sample(&p, stack, 1, most, &small, 1);
	profile_add_sample(&p, stack, 1, least, &large, 1);
}

#define HEAP \
	"heap profile: 3: 300 [6: 524788] @ heap/1048576\n" \
	"0: 0 [1: 524288] @ 0x11\n" \
	"#\t0x10\tmain.f\t/s.go:1\n\n" \
	"3: 300 [5: 500] @ 0x11\n" \
	"#\t0x10\tmain.f\t/s.go:1\n\n"

#define MEMSTATS "\n# runtime.MemStats\n# Alloc = 1\n# TotalAlloc = 0\n"

LEGACY_WRITE(heap)
{
	add_heap();
	writes(NULL, HEAP);
}

LEGACY_WRITE(heap_with_memstats)
{
	static struct legacy_memstats stats = {
		.alloc = 1,
		.stack_inuse = 2,
		.stack_sys = 3,
		.pause_ns = { 4, 5 },
		.num_gc = 6,
		.gc_cpu_fraction = 1.25e-05,
		.max_rss = 7,
	};
	struct legacy_extras extras = { .memstats = &stats };
	struct buffer out = { 0 };

	add_heap();
	cr_assert_eq(legacy_write(&p, &extras, &out, NULL), 0);
	cr_assert_eq(buffer_add(&out, "", 1), 0);
	cr_assert(!strncmp((char *)out.data, HEAP MEMSTATS, strlen(HEAP MEMSTATS)));
	cr_assert(strstr((char *)out.data, "\n# Stack = 2 / 3\n# MSpan = 0 / 0\n"));
	cr_assert(strstr((char *)out.data, "\n# PauseNs = [4 5 0 0 "));
	cr_assert(strstr((char *)out.data, "\n# NumGC = 6\n# NumForcedGC = 0\n"
					   "# GCCPUFraction = 1.25e-05\n# DebugGC = false\n"
					   "# MaxRSS = 7\n"));
	buffer_release(&out);
}

static void has_no_form(const char *why)
{
	struct buffer out = { 0 };
	struct error err;

	cr_assert_eq(legacy_write(&p, NULL, &out, &err), ERR_NOTFOUND);
	cr_assert(strstr(err.text, why), "%s", err.text);
	buffer_release(&out);
}

LEGACY_WRITE(other_types)
{
	profile_add_type(&p, "cpu", "nanoseconds");
	has_no_form("sample types");
}

LEGACY_WRITE(types_with_blanks)
{
	profile_add_type(&p, "a b", "count");
	has_no_form("blank");
}

LEGACY_WRITE(negative_values)
{
	int64_t value = INT64_MIN;

	profile_add_type(&p, "x", "count");
	profile_add_sample(&p, NULL, 0, &value, NULL, 0);
	has_no_form("negative");
}

LEGACY_WRITE(names_without_addresses)
{
	uint32_t stack[] = { place(0, "f", NULL) };
	int64_t value = 1;

	profile_add_type(&p, "x", "count");
	profile_add_sample(&p, stack, 1, &value, NULL, 0);
	has_no_form("address");
}
