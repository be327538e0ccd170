/*
 * An output file that exists whole or not at all.
 *
 * The bytes go to a file without a name (open(2), O_TMPFILE) in the folder of the result and are
 * synced; only then the file gets its name. A reader never sees half a profile, a crash or kill -9
 * leaves no litter (outfile.c has the exceptions), and the previous file stays until the moment of
 * rename(2). Opening early checks, before any work is done, that the result can be written at all.
 *
 * "-" is the standard output; a path that names a device, pipe or socket is written directly. The
 * new file gets the mode of the one that it replaces, and a link to a file stays a link. A link
 * that another user has put into a world-writable folder is not followed, wherever in the path it
 * is.
 */
#ifndef BASE_FILE_OUTFILE_H
#define BASE_FILE_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct outfile {
	int fd;		  /* -1 when not open */
	bool direct;	  /* standard output or a device: no rename */
	bool named;	  /* the temporary file has a name: without O_TMPFILE, or before rename */
	char *path;	  /* as given; owned */
	int dir_fd;	  /* the folder of the result; -1 if `direct` */
	char *name, *tmp; /* the result's name in that folder, and the temporary one; owned */
	uint64_t written; /* bytes */
};

#define OUTFILE_NONE { .fd = -1, .dir_fd = -1 }

/* Prepares writing to `path`. ERR_IO: it cannot be written; ERR_PERM: a link in it is not followed;
 * ERR_NOMEM. On error nothing is left to be released. */
int outfile_open(struct outfile *f, const char *path, struct error *err);

/* Writes all bytes or fails with ERR_IO (a full disk, a closed pipe). */
int outfile_write(struct outfile *f, const void *data, size_t len, struct error *err);

/* Syncs the file and gives it its name; closes it in any case. ERR_IO: writing failed and
 * nothing was replaced, or only close(2) failed. */
int outfile_commit(struct outfile *f, struct error *err);

/* Closes and removes the temporary file. Harmless after commit and on OUTFILE_NONE. */
void outfile_abort(struct outfile *f);

#endif
