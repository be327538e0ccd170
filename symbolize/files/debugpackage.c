/*
 * apt's index has a paragraph for each package, which names it in "Package:" and the builds that it
 * is about in "Build-Ids:" (dh_strip(1)). Debug packages are in it if the system's sources name
 * their archive; libc6-dbg and its like always are.
 *
 * A list is read in pieces. Of what is behind, only the name of the last package is kept.
 *
 * Rejected: "PACKAGE-dbgsym" by the package that the file belongs to, which may not exist. Not
 * done: lists that apt keeps compressed (Acquire::GzipIndexes, as container images have it); rpm's
 * and apk's indexes have no build IDs.
 */
#include "symbolize/files/debugpackage.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 18, LINE_MAX = 256, ID_MIN = 16 };

static const char suffix[] = "_Packages", field[] = "\nPackage: ";
static const size_t MOST = (size_t)1 << 30; /* bytes of all lists */

struct debugpackage_list {
	char *bytes; /* PIECE of them */
	size_t len;
	char package
		[DEBUGPACKAGE_ROOM]; /* of the paragraph in which the bytes begin; "": not known */
	size_t read;		     /* of all lists */
};

/* The last name in the first `len` bytes becomes that of the paragraph. */
static void note_package(struct debugpackage_list *l, size_t len)
{
	const char *at = NULL, *next = l->bytes;
	size_t size;

	while ((next = memmem(next, len - (size_t)(next - l->bytes), field, sizeof(field) - 1)))
		at = next += sizeof(field) - 1;
	if (!at)
		return;
	size = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789+-."); /* deb-control(5) */
	snprintf(l->package, sizeof(l->package), "%.*s",
		 (int)(size < sizeof(l->package) ? size : 0), at);
}

/* Keeps the last line, which may go on in the next piece. */
static size_t keep_last_line(struct debugpackage_list *l)
{
	const char *last = memrchr(l->bytes, '\n', l->len);
	size_t from = last ? (size_t)(last - l->bytes) : 0;

	if (l->len - from > LINE_MAX)
		from = l->len - LINE_MAX;
	note_package(l, from);
	memmove(l->bytes, l->bytes + from, l->len - from);
	return l->len - from;
}

static bool debugpackage_search(struct debugpackage_list *l, int fd, const char *build_id)
{
	const char *found;
	ssize_t n;

	l->bytes[0] = '\n'; /* as if in front of the first line */
	l->len = 1;
	*l->package = '\0';
	while (l->read < MOST && (n = read(fd, l->bytes + l->len, PIECE - l->len)) > 0) {
		l->len += (size_t)n;
		l->read += (size_t)n;
		l->bytes[l->len] = '\0';
		found = memmem(l->bytes, l->len, build_id, strlen(build_id));
		if (found) {
			note_package(l, (size_t)(found - l->bytes));
			return *l->package;
		}
		l->len = keep_last_line(l);
	}
	return false;
}

static bool search_file(struct debugpackage_list *l, int folder, const char *file,
			const char *build_id)
{
	size_t len = strlen(file);
	bool found;
	int fd;

	if (len < sizeof(suffix) || strcmp(file + len - (sizeof(suffix) - 1), suffix) != 0)
		return false;
	fd = openat(folder, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	found = debugpackage_search(l, fd, build_id);
	close(fd);
	return found;
}

bool debugpackage_find(const char *folder, const char *build_id, char name[DEBUGPACKAGE_ROOM])
{
	struct debugpackage_list l = { .bytes = malloc(PIECE + 1) };
	DIR *dir = l.bytes && strlen(build_id) >= ID_MIN ? opendir(folder) : NULL;
	struct dirent *e;
	bool found = false;

	while (dir && !found && (e = readdir(dir)))
		found = search_file(&l, dirfd(dir), e->d_name, build_id);
	if (dir)
		closedir(dir);
	if (found)
		memcpy(name, l.package, DEBUGPACKAGE_ROOM);
	free(l.bytes);
	return found;
}
