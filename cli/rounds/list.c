/* sampler rounds DIR: the batches in a folder, a line each. */
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "cli/common/cli.h"
#include "cli/common/terminal.h"
#include "cli/rounds/range.h"
#include "cli/rounds/table.h"
#include "rounds/catalog/catalog.h"

static const struct option long_options[] = {
	RANGE_OPTIONS,
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* The rows in the range; the caller frees *rows. */
static int list_choose(const struct catalog *c, const struct batch_range *r, const char *path,
		       size_t **rows, size_t *count, struct error *err)
{
	*rows = malloc(c->count * sizeof(**rows));
	*count = 0;
	if (!*rows)
		return error_nomem(err);
	for (size_t i = 0; i < c->count; i++)
		if (range_has(r, c, &c->rows[i]))
			(*rows)[(*count)++] = i;
	return *count ? 0 : range_empty(r, c, path, err);
}

static int list_show(const struct catalog *c, const struct batch_range *r, const char *path,
		     struct error *err)
{
	struct outfile file = OUTFILE_NONE;
	struct table_view view = { .width = terminal_width() };
	struct buffer text = { 0 };
	size_t *rows = NULL;
	int rc = list_choose(c, r, path, &rows, &view.count, err);

	setlocale(LC_CTYPE, "");
	view.rows = rows;
	view.ascii = view.width && strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	if (!rc && table_add(&text, c, &view))
		rc = error_nomem(err);
	if (!rc)
		rc = outfile_open(&file, "-", err);
	if (!rc)
		rc = outfile_write(&file, text.data, text.len, err);
	if (!rc)
		rc = outfile_commit(&file, err);
	outfile_abort(&file);
	buffer_release(&text);
	free(rows);
	return rc;
}

static int list_list(const char *path, const struct range_options *o, struct error *err)
{
	struct catalog c = { 0 };
	struct batch_range r;
	int rc = range_make(&r, o, (int64_t)clock_ns(CLOCK_REALTIME), err);

	if (!rc)
		rc = catalog_open(&c, path, err);
	if (!rc)
		rc = list_show(&c, &r, path, err);
	catalog_release(&c);
	return rc;
}

static int list_take_option(void *options, int option, char *value, struct error *err)
{
	return range_option(options, option, value, err);
}

int cli_list_rounds(int argc, char **argv)
{
	static const struct cli_grammar grammar = { "rounds", ":h", long_options,
						    list_take_option };
	struct range_options o = { 0 };
	int status = cli_parse(&grammar, argc, argv, &o);
	struct error err;

	if (status != CLI_GO_ON)
		return status;
	if (optind != argc - 1)
		return cli_usage(optind == argc ? "rounds needs a folder of batches" :
						  "rounds takes one folder");
	return list_list(argv[optind], &o, &err) ? cli_fail(&err) : EXIT_DONE;
}
