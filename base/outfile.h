/*
 * An output file that is there whole or not at all.
 *
 * The bytes go to a file without a name (open(2), O_TMPFILE) in the folder of
 * the result, are synced, and only then take the name: a reader never sees
 * half a profile, a crash or kill -9 leaves no litter, and what stood under
 * the name before stays until the moment of rename(2). Opening early checks,
 * before any work is done, that the result can be written at all.
 *
 * "-" is the standard output; a path that names a device, pipe or socket is
 * written directly. A file that is replaced leaves its mode to the new one, and a
 * link to a file stays a link. A link that somebody else has put into a folder that
 * everybody may write to is not followed, wherever in the path it stands.
 */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct outfile {
	int fd;		  /* -1 when not open */
	bool direct;	  /* standard output or a device: no rename */
	bool named;	  /* the temporary file has a name (no O_TMPFILE here) */
	char *path;	  /* as it was given; owned */
	int dir_fd;	  /* the folder of the result, -1 for one that is direct */
	char *name, *tmp; /* the result's name there, and the temporary one; owned */
	uint64_t written; /* bytes */
};

#define OUTFILE_NONE { .fd = -1, .dir_fd = -1 }

/* Opens the way to `path`. ERR_IO when it cannot be written, ERR_PERM for a link
 * that is not followed, ERR_NOMEM. */
int outfile_open(struct outfile *f, const char *path, struct error *err);

/* Writes all bytes or fails with ERR_IO (a full disk, a closed pipe). */
int outfile_write(struct outfile *f, const void *data, size_t len, struct error *err);

/* Syncs and takes the name; closes in any case. ERR_IO: nothing was replaced. */
int outfile_commit(struct outfile *f, struct error *err);

/* Closes and leaves no trace. Harmless after commit and on OUTFILE_NONE. */
void outfile_abort(struct outfile *f);

#endif
