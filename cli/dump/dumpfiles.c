/* A process is named by its file, without folder and ending, if there are several: hosts number
 * their processes alike. */
#include "cli/dump/dumpfiles.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/affix.h"
#include "base/buffer.h"
#include "base/descriptor.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "cli/common/cli.h"
#include "cli/dump/merge/dumpread.h"
#include "cli/dump/merge/merged.h"
#include "cli/dump/merge/mergetext.h"

/* A dump of a hundred processes of fifty threads has some 100 MB. */
enum { FILE_MAX = 1 << 30 };

static const char *dumpfiles_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Has another file the same name, in another folder? */
static bool dumpfiles_is_ambiguous(const struct dumpfiles *f, int i)
{
	for (int k = 0; k < f->count; k++)
		if (k != i && !strcmp(dumpfiles_base(f->paths[k]), dumpfiles_base(f->paths[i])))
			return true;
	return false;
}

/* The caller frees it. NULL: there is only one file, or memory has run out (*rc). */
static char *dumpfiles_host(const struct dumpfiles *f, int i, int *rc)
{
	const char *path = f->paths[i];
	char *host;

	if (f->count == 1)
		return NULL;
	host = strdup(dumpfiles_is_ambiguous(f, i) ? path : dumpfiles_base(path));
	if (host)
		cut_end(host, ".json");
	else
		*rc = ERR_NOMEM;
	return host;
}

static int dumpfiles_read(const char *path, struct buffer *data, struct error *err)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO, rc;

	if (fd < 0)
		return error_errno(err, ERR_IO, "cannot open '%s'", path);
	rc = buffer_read(data, fd, (size_t)FILE_MAX + 1);
	if (rc == ERR_IO)
		error_errno(err, rc, "cannot read '%s'", path);
	else if (rc)
		error_nomem(err);
	else if (data->len > FILE_MAX)
		rc = error_set(err, ERR_LIMIT, "'%s' is larger than %d MiB", path, FILE_MAX >> 20);
	if (fd != STDIN_FILENO)
		descriptor_close(&fd);
	return rc;
}

static int dumpfiles_add(const struct dumpfiles *f, int i, struct merged *m, struct error *err)
{
	struct buffer data = { 0 };
	int rc = 0;
	char *host = dumpfiles_host(f, i, &rc);

	rc = rc ? error_nomem(err) : dumpfiles_read(f->paths[i], &data, err);
	if (!rc) {
		rc = dumpread(m, host, data.data, data.len, err);
		if (rc)
			error_prefix(err, "'%s'", f->paths[i]);
	}
	buffer_release(&data);
	free(host);
	return rc;
}

static int dumpfiles_write(const struct dumpfiles *f, struct merged *m, struct outfile *file,
			   struct error *err)
{
	struct buffer text = { 0 };
	int rc = outfile_open(file, f->output, err);

	m->no_inline = f->no_inline;
	m->no_native = f->no_native;
	for (int i = 0; !rc && i < f->count; i++)
		rc = dumpfiles_add(f, i, m, err);
	rc = rc ? rc : merged_text(m, &text, err);
	rc = rc ? rc : outfile_write(file, text.data, text.len, err);
	rc = rc ? rc : outfile_commit(file, err);
	buffer_release(&text);
	return rc;
}

int dumpfiles_merge(const struct dumpfiles *f)
{
	struct outfile file = OUTFILE_NONE;
	struct merged m;
	struct error err;
	int rc = merged_init(&m) ? error_nomem(&err) : dumpfiles_write(f, &m, &file, &err);

	outfile_abort(&file);
	merged_release(&m);
	return rc ? cli_fail(&err) : EXIT_DONE;
}
