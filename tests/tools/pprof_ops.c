// links: pprof/file
/*
 * Reads profiles, does one operation on them and writes the result, so that
 * tests/oracle/gopprof can compare it with google/pprof.
 *
 *   pprof_ops OPERATION OUT IN [ARGUMENT…]
 *
 * merge, common   IN and all ARGUMENTs are profiles; common by merge_add_common
 * compact
 * scale           by ARGUMENT
 * scale-each      by ARGUMENTs, one for each sample type
 * normalize       to the profile ARGUMENT
 * set, remove     the first ARGUMENT is a label's key, the others are strings
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file/outfile.h"
#include "pprof/file/read.h"
#include "pprof/labels.h"
#include "pprof/merge.h"
#include "pprof/profile.h"
#include "pprof/scale.h"
#include "pprof/wire/encode.h"

enum { VALUES_MAX = 64 };

static struct error err;

static void check(int rc)
{
	if (!rc)
		return;
	fprintf(stderr, "pprof_ops: %d: %s\n", rc, rc == ERR_NOMEM ? "out of memory" : err.text);
	exit(1);
}

static void read_profile(struct profile *p, const char *path)
{
	check(profile_init(p));
	check(profile_read(p, path, 0, &err));
}

static void write_profile(const struct profile *p, const char *path)
{
	struct outfile file = OUTFILE_NONE;

	check(outfile_open(&file, path, &err));
	check(profile_write(p, &file, &err));
	check(outfile_commit(&file, &err));
}

static void merge(struct profile *p, bool common, int count, char **paths)
{
	struct profile one;
	struct merge *m;

	check(merge_new(&m, &err));
	check(common ? merge_add_common(m, p, &err) : merge_add(m, p, &err));
	profile_release(p);
	for (int i = 0; i < count; i++) {
		read_profile(&one, paths[i]);
		check(common ? merge_add_common(m, &one, &err) : merge_add(m, &one, &err));
		profile_release(&one);
	}
	check(merge_finish(m, p, &err));
}

static void scale_each(struct profile *p, int count, char **ratios)
{
	double numbers[VALUES_MAX];

	for (int i = 0; i < count && i < VALUES_MAX; i++)
		numbers[i] = atof(ratios[i]);
	if ((size_t)count == p->type_count)
		profile_scale_each(p, numbers);
}

static void normalize(struct profile *p, const char *path)
{
	struct profile base;

	read_profile(&base, path);
	check(profile_normalize(p, &base, &err));
	profile_release(&base);
}

static void operate(struct profile *p, const char *what, int count, char **arguments)
{
	if (!strcmp(what, "merge") || !strcmp(what, "common"))
		merge(p, *what == 'c', count, arguments);
	else if (!strcmp(what, "compact"))
		check(profile_compact(p, &err));
	else if (!strcmp(what, "scale") && count == 1)
		profile_scale(p, atof(arguments[0]));
	else if (!strcmp(what, "scale-each"))
		scale_each(p, count, arguments);
	else if (!strcmp(what, "normalize") && count == 1)
		normalize(p, arguments[0]);
	else if (!strcmp(what, "set") && count)
		check(profile_set_label(p, arguments[0], (const char *const *)arguments + 1,
					(size_t)count - 1));
	else if (!strcmp(what, "remove") && count == 1)
		check(profile_remove_label(p, arguments[0]));
	else
		check(error_set(&err, ERR_USAGE, "no operation '%s' with %d arguments", what,
				count));
}

int main(int argc, char **argv)
{
	struct profile p;

	if (argc < 4)
		check(error_set(&err, ERR_USAGE, "usage: pprof_ops OPERATION OUT IN [ARGUMENT…]"));
	read_profile(&p, argv[3]);
	operate(&p, argv[1], argc - 4, argv + 4);
	write_profile(&p, argv[2]);
	profile_release(&p);
	return 0;
}
