// links: pprof/file
/*
 * merge raw|gzip OUT IN…: reads profiles, one after the other, and writes their sum, with
 * gzip in and out or without. tools/bench/usage measures. `gopprof sum` does the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "pprof/file/read.h"
#include "pprof/merge.h"
#include "pprof/profile.h"
#include "pprof/wire/encode.h"

static struct error err;

static void check(int rc)
{
	if (!rc)
		return;
	fprintf(stderr, "merge: %s\n", err.text);
	exit(1);
}

static void add(struct merge *m, const char *path)
{
	struct profile p;

	check(profile_init(&p));
	check(profile_read(&p, path, 0, &err));
	check(merge_add(m, &p, &err));
	profile_release(&p);
}

static void save(const struct profile *p, const char *path, bool zip)
{
	struct outfile file = OUTFILE_NONE;

	check(outfile_open(&file, path, &err));
	check((zip ? profile_write : profile_write_plain)(p, &file, &err));
	check(outfile_commit(&file, &err));
}

int main(int argc, char **argv)
{
	struct profile sum;
	struct merge *m;

	if (argc < 4)
		return 2;
	check(merge_new(&m, &err));
	for (int i = 3; i < argc; i++)
		add(m, argv[i]);
	check(merge_finish(m, &sum, &err));
	save(&sum, argv[2], !strcmp(argv[1], "gzip"));
	profile_release(&sum);
	return 0;
}
