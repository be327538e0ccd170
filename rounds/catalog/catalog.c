/* The folder's list and the index's rows are both sorted by name and are gone through side by side.
 * Only names or inodes that differ have a batch opened. */
#include "rounds/catalog/catalog.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/room.h"
#include "rounds/batch/dir.h"
#include "rounds/catalog/describe.h"
#include "rounds/catalog/index.h"

/* A reader that must read fewer than one batch in so many leaves the index as it is. */
enum { WORTH_WRITING = 64 };

struct listed {
	struct batch_name name;
	uint64_t inode;
};

struct catalog_list {
	struct listed *batches;
	size_t count, room;
};

/* The folder's list. */

static int list_one(void *ctx, const struct dirent *entry)
{
	struct listed l = { .inode = entry->d_ino };
	struct catalog_list *list = ctx;

	if (!batch_name_parse(entry->d_name, &l.name))
		return 0;
	if (room_for((void **)&list->batches, &list->room, list->count + 1, sizeof(l)))
		return ERR_NOMEM;
	list->batches[list->count++] = l;
	return 0;
}

static int compare_names(const struct batch_name *a, const struct batch_name *b)
{
	if (a->sequence != b->sequence)
		return a->sequence < b->sequence ? -1 : 1;
	return (a->start_s > b->start_s) - (a->start_s < b->start_s);
}

static int catalog_by_name(const void *a, const void *b)
{
	return compare_names(&((const struct listed *)a)->name, &((const struct listed *)b)->name);
}

/* The rows of an index are in the order of their names; else its batches are read anew. */
static const struct catalog_row *catalog_find(const struct catalog *old, const struct listed *l,
					      size_t *at)
{
	while (*at < old->count && compare_names(&old->rows[*at].name, &l->name) < 0)
		++*at;
	if (*at == old->count || compare_names(&old->rows[*at].name, &l->name) ||
	    old->rows[*at].inode != l->inode)
		return NULL;
	return &old->rows[*at];
}

/* Fills *c with the listed batches, out of `old` where that has them. */
static int catalog_fill(struct catalog *c, int dir, const struct catalog_list *list,
			const struct catalog *old)
{
	size_t at = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < list->count; i++) {
		const struct listed *l = &list->batches[i];
		const struct catalog_row *known = catalog_find(old, l, &at);

		c->opened += !known;
		rc = known ? catalog_copy(c, old, known) :
			     describe_batch(c, dir, &l->name, l->inode);
	}
	return rc;
}

static int catalog_read_folder(struct catalog *c, int dir, const char *path,
			       struct catalog_list *list, struct catalog *old, struct error *err)
{
	size_t changes;
	int rc = batchdir_each(dir, list_one, list);

	if (rc == ERR_IO)
		return error_errno(err, rc, "cannot list the folder '%s'", path);
	if (!rc && !list->count)
		return error_set(err, ERR_NOTFOUND,
				 "'%s' holds no batches, folders such as 000001-20261121T175900Z%s",
				 path,
				 faccessat(dir, "event.json", F_OK, 0) ?
					 "" :
					 "; it is one itself: name a file in it");
	if (!rc)
		rc = batchindex_load(old, dir);
	if (!rc && list->count)
		qsort(list->batches, list->count, sizeof(*list->batches), catalog_by_name);
	if (!rc)
		rc = catalog_fill(c, dir, list, old);
	if (rc)
		return error_nomem(err);
	changes = c->opened + (old->count - (c->count - c->opened));
	if (changes * WORTH_WRITING > c->count)
		batchindex_save(c, dir);
	return 0;
}

int catalog_open(struct catalog *c, const char *path, struct error *err)
{
	struct catalog old = { 0 };
	struct catalog_list list = { 0 };
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

	*c = (struct catalog){ 0 };
	if (dir < 0)
		return error_errno(err, ERR_IO, "cannot open the folder '%s'", path);
	rc = catalog_init(c) || catalog_init(&old) ?
		     error_nomem(err) :
		     catalog_read_folder(c, dir, path, &list, &old, err);
	catalog_release(&old);
	free(list.batches);
	close(dir);
	return rc;
}
