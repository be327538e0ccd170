// links: pprof/file pprof/select
/*
 * Does one of the operations of pprof/select/filter.h, prune.h, tagmatch.h and tagroot.h on a file:
 *
 *   pprof_filter IN OUT names FOCUS IGNORE HIDE SHOW
 *   pprof_filter IN OUT showfrom PATTERN
 *   pprof_filter IN OUT labels SHOW HIDE
 *   pprof_filter IN OUT tags FOCUS IGNORE
 *   pprof_filter IN OUT prune DROP KEEP
 *   pprof_filter IN OUT prunefrom PATTERN
 *   pprof_filter IN OUT uninteresting
 *   pprof_filter IN OUT tagroot ROOTS LEAVES
 *
 * Prints for each pattern whether it has matched, as 0 or 1; for `uninteresting`, whether the
 * profile's patterns are bad. An empty pattern counts as none. tests/oracle/gopprof/filter.go
 * does the same with google/pprof.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file/outfile.h"
#include "pprof/file/read.h"
#include "pprof/labels.h"
#include "pprof/profile.h"
#include "pprof/select/filter.h"
#include "pprof/select/pattern.h"
#include "pprof/select/prune.h"
#include "pprof/select/tagmatch.h"
#include "pprof/select/tagroot.h"
#include "pprof/wire/encode.h"

enum { ARGUMENTS = 4 };

struct job {
	struct profile p;
	const char *arguments[ARGUMENTS];
	struct pattern *patterns[ARGUMENTS];
	struct error err;
};

static int compile(struct job *j)
{
	int rc = 0;

	for (int i = 0; i < ARGUMENTS && !rc; i++)
		if (*j->arguments[i])
			rc = pattern_new(&j->patterns[i], j->arguments[i], strlen(j->arguments[i]),
					 &j->err);
	return rc;
}

static int names(struct job *j)
{
	struct filter_names f = { j->patterns[0], j->patterns[1], j->patterns[2], j->patterns[3] };
	struct filter_found found;
	int rc = filter_names(&j->p, &f, &found, &j->err);

	printf("%d%d%d%d", found.focus, found.ignore, found.hide, found.show);
	return rc;
}

static int show_from(struct job *j)
{
	bool matched;
	int rc = filter_show_from(&j->p, j->patterns[0], &matched, &j->err);

	printf("%d", matched);
	return rc;
}

static int labels(struct job *j)
{
	struct filter_found found;
	int rc = filter_labels(&j->p, j->patterns[0], j->patterns[1], &found, &j->err);

	printf("%d%d", found.show, found.hide);
	return rc;
}

static int tags(struct job *j)
{
	struct tagmatch *match[2] = { NULL, NULL };
	uint32_t *units = labels_units(&j->p);
	struct filter_found found = { 0 };
	int rc = units ? 0 : ERR_NOMEM;

	for (int i = 0; i < 2 && !rc; i++)
		if (*j->arguments[i])
			rc = tagmatch_new(&match[i], j->arguments[i], &j->err);
	if (!rc)
		rc = tagmatch_filter(&j->p, units, match[0], match[1], &found, &j->err);
	printf("%d%d", found.focus, found.ignore);
	tagmatch_free(match[0]);
	tagmatch_free(match[1]);
	free(units);
	return rc;
}

static int drop(struct job *j)
{
	return prune(&j->p, j->patterns[0], j->patterns[1], &j->err);
}

static int drop_from(struct job *j)
{
	return prune_from(&j->p, j->patterns[0], &j->err);
}

static int uninteresting(struct job *j)
{
	int rc = prune_uninteresting(&j->p, &j->err);

	printf("%d", rc != 0);
	return rc == ERR_NOMEM ? rc : 0;
}

static int tagroot(struct job *j)
{
	struct tagroot_found found;
	int rc = tagroot_add(&j->p, j->arguments[0], j->arguments[1], NULL, &found, &j->err);

	printf("%d%d", found.root, found.leaf);
	return rc;
}

static const struct {
	const char *name;
	int (*run)(struct job *j);
	bool patterns;
} operations[] = {
	{ "names", names, true },
	{ "showfrom", show_from, true },
	{ "labels", labels, true },
	{ "tags", tags, false },
	{ "prune", drop, true },
	{ "prunefrom", drop_from, true },
	{ "uninteresting", uninteresting, false },
	{ "tagroot", tagroot, false },
};

static int operate(struct job *j, const char *name)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		if (!strcmp(operations[i].name, name)) {
			int rc = operations[i].patterns ? compile(j) : 0;

			return rc ? rc : operations[i].run(j);
		}
	return error_set(&j->err, ERR_USAGE, "no operation '%s'", name);
}

static int run(struct job *j, char **argv)
{
	struct outfile out = OUTFILE_NONE;
	int rc = profile_read(&j->p, argv[1], 0, &j->err);

	if (!rc)
		rc = operate(j, argv[3]);
	if (!rc)
		rc = outfile_open(&out, argv[2], &j->err);
	if (!rc)
		rc = profile_write(&j->p, &out, &j->err);
	if (!rc)
		rc = outfile_commit(&out, &j->err);
	outfile_abort(&out);
	return rc;
}

int main(int argc, char **argv)
{
	struct job j = { .arguments = { "", "", "", "" } };
	int rc;

	if (argc < 4 || argc > 4 + ARGUMENTS || profile_init(&j.p))
		return 2;
	for (int i = 4; i < argc; i++)
		j.arguments[i - 4] = argv[i];
	rc = run(&j, argv);
	if (rc)
		fprintf(stderr, "pprof_filter: %s\n", j.err.text);
	for (int i = 0; i < ARGUMENTS; i++)
		pattern_free(j.patterns[i]);
	profile_release(&j.p);
	return rc != 0;
}
