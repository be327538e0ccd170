/* sampler report FILE: a profile's functions by cost, with the numbers and the
 * columns of `pprof -top`. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "cli/cli.h"
#include "pprof/decode.h"
#include "pprof/profile.h"
#include "report/top.h"

enum { DEFAULT_LINES = 20 };

struct report_options {
	const char *file;
	const char *type; /* NULL: the profile's default */
	uint64_t lines;	  /* 0: all */
};

static const struct option long_options[] = {
	{ "top", no_argument, NULL, 't' },
	{ "nodecount", required_argument, NULL, 'n' },
	{ "sample-type", required_argument, NULL, 's' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* A value in its unit, as pprof scales it: ns as time, bytes by 1024. */
static const char *scaled(int64_t value, const char *unit, char *text, size_t room)
{
	static const struct { const char *name; double ns; } times[] = {
		{ "hrs", 3600e9 }, { "mins", 60e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 },
	};
	static const char *const sizes[] = { "B", "kB", "MB", "GB", "TB" };
	double v = (double)value;
	size_t i = 0;

	if (!strcmp(unit, "nanoseconds")) {
		while (i < 4 && fabs(v) < times[i].ns)
			i++;
		snprintf(text, room, "%.4g%s", v / times[i].ns, times[i].name);
	} else if (!strcmp(unit, "bytes")) {
		for (; i < 4 && fabs(v) >= 1024; i++)
			v /= 1024;
		snprintf(text, room, "%.4g%s", v, sizes[i]);
	} else {
		snprintf(text, room, "%ld", value);
	}
	return value ? text : "0";
}

static double percent(int64_t part, int64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* Names come from files that may be hostile: no control characters reach the
 * terminal. */
static void print_name(const char *name)
{
	for (; *name; name++)
		putchar((unsigned char)*name < 0x20 || *name == 0x7f ? '?' : *name);
	putchar('\n');
}

static void print_head(const struct profile *p, size_t type, const struct report_top *top)
{
	const char *unit = strset_get(&p->strings, p->types[type].unit);
	char text[64], when[64];
	time_t t = p->time_nanos / 1000000000;
	struct tm tm;

	if (p->mapping_count && p->mappings[0].filename) {
		const char *file = strset_get(&p->strings, p->mappings[0].filename);

		printf("File: ");
		print_name(strrchr(file, '/') ? strrchr(file, '/') + 1 : file);
	}
	printf("Type: ");
	print_name(strset_get(&p->strings, p->types[type].type));
	if (p->time_nanos && gmtime_r(&t, &tm) && strftime(when, sizeof(when), "%F %T UTC", &tm))
		printf("Time: %s\n", when);
	if (p->duration_nanos) {
		printf("Duration: %s, ", scaled(p->duration_nanos, "nanoseconds", text,
						sizeof(text)));
		printf("Total samples = %s (%.4g%%)\n", scaled(top->total, unit, text, sizeof(text)),
		       strcmp(unit, "nanoseconds") ? 100.0 : percent(top->total, p->duration_nanos));
	}
}

static void print_rows(const struct report_top *top, const char *unit, uint64_t lines)
{
	size_t count = lines && lines < top->count ? lines : top->count;
	int64_t sum = 0;

	printf("Showing top %zu of %zu functions\n", count, top->count);
	printf("%10s %6s %6s %10s %6s  %s\n", "flat", "flat%", "sum%", "cum", "cum%", "function");
	for (size_t i = 0; i < count; i++) {
		const struct report_row *row = &top->rows[i];
		char flat[64], cum[64];

		if (__builtin_add_overflow(sum, row->flat, &sum))
			sum = row->flat < 0 ? INT64_MIN : INT64_MAX;
		printf("%10s %5.2f%% %5.2f%% %10s %5.2f%%  ",
		       scaled(row->flat, unit, flat, sizeof(flat)), percent(row->flat, top->total),
		       percent(sum, top->total), scaled(row->cum, unit, cum, sizeof(cum)),
		       percent(row->cum, top->total));
		print_name(row->name);
	}
}

/* The index of the sample type to show: the one asked for, the profile's
 * default, else the last (as pprof does). */
static int find_type(const struct profile *p, const char *asked, size_t *type, struct error *err)
{
	const char *want = asked ? asked : strset_get(&p->strings, p->default_type);

	for (size_t i = 0; i < p->type_count; i++)
		if (!strcmp(strset_get(&p->strings, p->types[i].type), want)) {
			*type = i;
			return 0;
		}
	if (asked)
		return error_set(err, ERR_USAGE, "the profile has no sample type '%s'", asked);
	if (!p->type_count)
		return error_set(err, ERR_FORMAT, "the profile has no sample types");
	*type = p->type_count - 1;
	return 0;
}

static int report(const struct report_options *o, struct error *err)
{
	struct report_top top = { 0 };
	struct profile profile;
	size_t type = 0;
	int rc = profile_init(&profile);

	if (rc)
		return error_set(err, rc, "out of memory");
	rc = profile_read(&profile, o->file, 0, err);
	if (!rc)
		rc = find_type(&profile, o->type, &type, err);
	if (!rc)
		rc = report_top(&profile, type, &top, err);
	if (!rc) {
		print_head(&profile, type, &top);
		print_rows(&top, strset_get(&profile.strings, profile.types[type].unit), o->lines);
		if (fflush(stdout) || ferror(stdout))
			rc = error_errno(err, ERR_IO, "cannot write 'standard output'");
	}
	report_top_release(&top);
	profile_release(&profile);
	return rc;
}

int cli_report(int argc, char **argv)
{
	struct report_options o = { .lines = DEFAULT_LINES };
	char *help[] = { (char *)"help", (char *)"report" };
	struct error err;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		if (option == '?')
			return cli_bad_option(argv, optind, optopt);
		if (option == 'h')
			return cli_help(2, help);
		if (option == 's')
			o.type = optarg;
		if (option == 'n' &&
		    parse_number(optarg, "number of lines", 0, UINT32_MAX, &o.lines, &err))
			return cli_fail(&err);
	}
	if (optind != argc - 1)
		return cli_usage(optind == argc ? "report needs a file" : "report takes one file");
	o.file = argv[optind];
	return report(&o, &err) ? cli_fail(&err) : EXIT_DONE;
}
